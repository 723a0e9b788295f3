-- A source that is followed no more keeps what it knows (ingest/sources.py: remove): which of its titles, chapters and
-- media are which here. Whoever follows it again gets no doubles.

ALTER TABLE sources ADD COLUMN removed_at timestamptz;         -- null: it is followed
