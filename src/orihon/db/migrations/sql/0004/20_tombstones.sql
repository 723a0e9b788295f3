-- What a person deleted, so that no walk brings it back. Removing the row is the undo: the next walk over the whole list
-- brings it again.
CREATE TABLE tombstones (
    id         uuid PRIMARY KEY DEFAULT uuidv7(),
    kind       text NOT NULL CHECK (kind IN ('work', 'chapter', 'medium')),
    -- As a source knows it. Null: bytes, whoever shows them.
    source_id  uuid REFERENCES sources ON DELETE CASCADE,
    work_key   text,                                          -- of a work or a chapter
    key        text,                                          -- of a chapter or a medium
    -- Of a medium: whose bytes they are, under every key.
    sha256     bytea CHECK (octet_length(sha256) = 32),
    title      text,                                          -- what it was called, for the list of what was deleted
    reason     text NOT NULL,
    deleted_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (CASE WHEN source_id IS NULL THEN kind = 'medium' AND sha256 IS NOT NULL AND key IS NULL
                ELSE (kind = 'medium') = (work_key IS NULL) AND (kind = 'medium') = (sha256 IS NOT NULL)
                     AND (kind = 'work') = (key IS NULL) END)
);
CREATE UNIQUE INDEX tombstones_key_idx ON tombstones (source_id, kind, work_key, key) NULLS NOT DISTINCT
 WHERE source_id IS NOT NULL;
CREATE UNIQUE INDEX tombstones_sha256_idx ON tombstones (sha256) WHERE source_id IS NULL;
