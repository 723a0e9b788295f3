-- Titles that a walk over a whole catalogue did not list (library/listed.py).

ALTER TABLE source_works ADD COLUMN seen_walk uuid;            -- the latest walk from the top whose list showed it
ALTER TABLE source_works ADD COLUMN missed_at timestamptz;     -- when a whole walk did not see it; null: listed since

-- Those that wait for the walk that decides, and those that are marked: few, whatever the catalogue has.
CREATE INDEX source_works_missed_idx ON source_works (source_id) WHERE missed_at IS NOT NULL AND dropped_at IS NULL;
CREATE INDEX source_works_dropped_idx ON source_works (work_id) WHERE dropped_at IS NOT NULL;

-- A walk that is under way has not noted what it saw before now.
UPDATE sources SET whole_walk = NULL WHERE kind <> 'feed';
