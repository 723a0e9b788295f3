-- What a source last told of a work, its chapters left out: what it says no more can be told from what it never said, and
-- an edit of a person can be released. Null: told before this was kept.
ALTER TABLE source_works ADD COLUMN told jsonb;

-- When a walk last came to the end of the list. Null: never, or before this was kept.
ALTER TABLE sources ADD COLUMN whole_at timestamptz;
