-- What the running system knows about itself.

-- Leases: a row whose expires_at has passed belongs to a process that is gone.
CREATE TABLE live_status (
    key        text PRIMARY KEY,
    owner      uuid NOT NULL,
    kind       text NOT NULL,
    value      jsonb NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE op_metrics (
    id          uuid PRIMARY KEY DEFAULT uuidv7(),
    op          text NOT NULL CHECK (op IN ('manga_list', 'manga_detail', 'manga_cover', 'chapter')),
    source_id   uuid REFERENCES sources ON DELETE CASCADE,
    work_id     uuid REFERENCES works ON DELETE SET NULL,
    chapter_id  uuid REFERENCES chapters ON DELETE SET NULL,
    outcome     text NOT NULL CHECK (outcome IN ('ok', 'failed')),
    duration_ms integer NOT NULL,
    items       integer,
    error       text,
    finished_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX op_metrics_finished_idx ON op_metrics (finished_at);
-- For the foreign keys: removing a work must not read every row once per chapter.
CREATE INDEX op_metrics_source_idx ON op_metrics (source_id);
CREATE INDEX op_metrics_work_idx ON op_metrics (work_id) WHERE work_id IS NOT NULL;
CREATE INDEX op_metrics_chapter_idx ON op_metrics (chapter_id) WHERE chapter_id IS NOT NULL;
