-- What a source has shown of its media, by the adapter's own key.

-- The seen ledger. A row is written in the transaction that records the medium (DESIGN ruling 15). media_id null: seen,
-- and not in the store any more.
CREATE TABLE source_media (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    key       text NOT NULL,
    media_id  uuid REFERENCES media ON DELETE SET NULL,
    seen_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, key)
);
CREATE INDEX source_media_media_idx ON source_media (media_id);

-- The dead-letter ledger: media that could not be brought, in how many walks. Gone once one arrives.
CREATE TABLE source_failures (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    key       text NOT NULL,
    attempts  integer NOT NULL CHECK (attempts > 0),
    error     text NOT NULL,
    first_at  timestamptz NOT NULL DEFAULT now(),
    last_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, key)
);
