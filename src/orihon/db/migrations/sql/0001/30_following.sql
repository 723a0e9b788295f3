-- What is followed, and how far each walk has come.

CREATE TABLE sources (
    id               uuid PRIMARY KEY DEFAULT uuidv7(),
    adapter          text NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('catalogue', 'work', 'feed')),
    name             text NOT NULL CHECK (btrim(name) <> ''),
    url              text NOT NULL,
    settings         jsonb NOT NULL DEFAULT '{}',              -- the adapter's own, validated by it (html: the profile)
    content          text NOT NULL DEFAULT 'wanted' CHECK (content IN ('all', 'wanted', 'on_open')),
    byte_budget      bigint CHECK (byte_budget > 0),           -- null: no limit
    bytes_fetched    bigint NOT NULL DEFAULT 0,
    item_limit       integer CHECK (item_limit > 0),           -- titles per walk; null: no limit
    interval_seconds integer NOT NULL DEFAULT 3600 CHECK (interval_seconds >= 60),
    paused           boolean NOT NULL DEFAULT false,
    -- False while a walk runs and after one that ended uncleanly; the early stop needs true (crawler-core 8.4).
    clean            boolean NOT NULL DEFAULT true,
    -- Where an unclean walk goes on: adapter cursor of the last page whose items are all kept. Null: from the top.
    recovery_cursor  jsonb,
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    UNIQUE (adapter, url)
);
ALTER TABLE works ADD CONSTRAINT works_primary_source_fk
    FOREIGN KEY (primary_source_id) REFERENCES sources ON DELETE SET NULL;
CREATE INDEX works_primary_source_idx ON works (primary_source_id);

CREATE TABLE source_works (
    source_id     uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    key           text NOT NULL,
    work_id       uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    url           text NOT NULL,
    metadata_hash bytea,
    cover_url     text,
    cover_error   text,                                        -- why the cover is missing; null: none or held
    cover_tried_at timestamptz,
    last_seen_at  timestamptz NOT NULL DEFAULT now(),
    dropped_at    timestamptz,
    PRIMARY KEY (source_id, key)
);
CREATE INDEX source_works_work_idx ON source_works (work_id);

CREATE TABLE source_chapters (
    source_id   uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    work_key    text NOT NULL,
    key         text NOT NULL,
    chapter_id  uuid NOT NULL REFERENCES chapters ON DELETE CASCADE,
    url         text NOT NULL,
    position    integer NOT NULL,                              -- counted from the oldest entry of the list
    fingerprint bytea,
    dropped_at  timestamptz,                                   -- vanished from the list; what is held stays
    PRIMARY KEY (source_id, work_key, key)
);
CREATE INDEX source_chapters_chapter_idx ON source_chapters (chapter_id);

-- One row per walk chunk.
CREATE TABLE walks (
    id         uuid PRIMARY KEY DEFAULT uuidv7(),
    source_id  uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    mode       text NOT NULL CHECK (mode IN ('tick', 'backfill', 'recovery')),
    cursor     jsonb,                                          -- checkpoint: the next page to read
    counts     jsonb NOT NULL DEFAULT '{}',
    outcome    text,                                           -- null while running; see ingest/outcome.py
    clean      boolean,
    error      text,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz
);
CREATE INDEX walks_source_idx ON walks (source_id, started_at DESC);
CREATE INDEX walks_open_idx ON walks (source_id) WHERE ended_at IS NULL;

-- Pacing shared by every process: a slot is claimed by moving next_at (fetch/pacing.py).
CREATE TABLE host_pace (
    host       text PRIMARY KEY,
    next_at    timestamptz NOT NULL,
    held_until timestamptz,                                    -- the host itself asked to be left alone until then
    reason     text                                            -- and why
) WITH (fillfactor = 70);
