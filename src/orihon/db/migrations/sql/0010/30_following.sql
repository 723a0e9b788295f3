-- What a walk over a whole feed did not see any more is marked as dropped (library/posts.py: drop_unseen).

ALTER TABLE sources ADD COLUMN whole_walk uuid;                -- the latest walk that began at the top; null: it proves nothing
                                                               -- about what it does not see
ALTER TABLE source_chapters ADD COLUMN seen_walk uuid;         -- the latest such walk that saw it
