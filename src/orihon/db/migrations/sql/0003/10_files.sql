-- Files of posts are kept: a medium may be bytes that are no image.

ALTER TABLE media DROP CONSTRAINT media_format_check;
ALTER TABLE media ADD CONSTRAINT media_format_check
    CHECK (format IN ('jpeg', 'png', 'webp', 'gif', 'avif', 'file'));
-- Null: no image. There is nothing to decode in it, so it is `verified` as soon as its bytes are hashed.
ALTER TABLE media ALTER COLUMN width DROP NOT NULL, ALTER COLUMN height DROP NOT NULL;
ALTER TABLE media ADD CONSTRAINT media_pixels_check
    CHECK ((format = 'file') = (width IS NULL) AND (width IS NULL) = (height IS NULL));

ALTER TABLE attachments
    ADD COLUMN media_id uuid REFERENCES media,                -- null: its bytes are not here; see error
    ADD COLUMN error    text;                                 -- why not, in words for people; null: not asked for yet
CREATE INDEX attachments_media_idx ON attachments (media_id);
