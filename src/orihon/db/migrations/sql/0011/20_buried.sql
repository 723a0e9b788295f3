-- What walks do not ask for again, because it was deleted here (library/tombstones.py). The undo is still to remove the
-- tombstone.

ALTER TABLE source_works ADD COLUMN cover_sha256 bytea CHECK (octet_length(cover_sha256) = 32);
                                                               -- what the source shows as the cover; null: not known
ALTER TABLE chapters ADD COLUMN buried bytea[] NOT NULL DEFAULT '{}';
                                                               -- the bytes of its pages that were deleted here
