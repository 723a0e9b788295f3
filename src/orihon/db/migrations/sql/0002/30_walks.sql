-- Walks that are asked for, that are stuck, and why one failed.

ALTER TABLE walks
    ADD COLUMN chunk    integer NOT NULL DEFAULT 1,           -- which chunk of its walk this is
    ADD COLUMN stalls   integer NOT NULL DEFAULT 0,           -- chunks in a row, this one included, that got nowhere
    ADD COLUMN distrust boolean NOT NULL DEFAULT false,       -- a person asked for a recovery: the ledgers are not believed
    ADD COLUMN failure  text;                                 -- what kind of failure `error` tells of (ingest/failures.py)

-- The walk that a person asked for and that has not begun. Null: none.
ALTER TABLE sources ADD COLUMN asked text CHECK (asked IN ('backfill', 'recovery'));

ALTER TABLE op_metrics DROP CONSTRAINT op_metrics_op_check;
ALTER TABLE op_metrics ADD CONSTRAINT op_metrics_op_check
    CHECK (op IN ('manga_list', 'manga_detail', 'manga_cover', 'chapter', 'feed_walk'));
