-- Tags of a chapter, in the vocabulary of all tags. Who says so is kept with each, so that what one says can change
-- without the others (DESIGN ruling 18).
CREATE TABLE chapter_tags (
    chapter_id uuid NOT NULL REFERENCES chapters ON DELETE CASCADE,
    tag_id     uuid NOT NULL REFERENCES tags ON DELETE CASCADE,
    origin     text NOT NULL CHECK (origin IN ('source', 'person')),
    position   smallint NOT NULL,                             -- in the order of whoever says it
    PRIMARY KEY (chapter_id, tag_id, origin)
);
CREATE INDEX chapter_tags_tag_idx ON chapter_tags (tag_id);
