-- A post is a chapter of a work of kind `feed`.

ALTER TABLE chapters
    ADD COLUMN body         text,                             -- what its author wrote beside the images; plain text
    ADD COLUMN published_at timestamptz,                      -- as the source tells; null: it does not
    -- True: its source has no pages for it, so nobody asks for them.
    ADD COLUMN textual      boolean NOT NULL DEFAULT false;

-- Null: the list has no end to count from (feeds are ordered by date).
ALTER TABLE source_chapters ALTER COLUMN position DROP NOT NULL;

-- Files of a post that are not shown as pages. What they are and where, so far: their bytes are not kept.
CREATE TABLE attachments (
    id         uuid PRIMARY KEY DEFAULT uuidv7(),
    chapter_id uuid NOT NULL REFERENCES chapters ON DELETE CASCADE,
    key        text NOT NULL,                                 -- the source's own
    position   integer NOT NULL,
    name       text NOT NULL,
    size       bigint CHECK (size >= 0),                      -- as the source tells
    url        text NOT NULL,                                 -- may have expired
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (chapter_id, key)
);
