-- Where each person is in each chapter.

CREATE TABLE progress (
    user_id       uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    chapter_id    uuid NOT NULL REFERENCES chapters ON DELETE CASCADE,
    work_id       uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    page          integer NOT NULL CHECK (page >= 1),
    furthest_page integer NOT NULL CHECK (furthest_page >= 1),  -- merges by maximum
    client_time   timestamptz NOT NULL,                         -- when it was read; the latest decides `page`
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, chapter_id)
);
CREATE INDEX progress_recent_idx ON progress (user_id, client_time DESC);
CREATE INDEX progress_work_idx ON progress (user_id, work_id, client_time DESC);
