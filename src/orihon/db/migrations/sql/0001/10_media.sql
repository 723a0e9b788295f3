-- What bytes are. One row per distinct content; everything learned from bytes hangs here.

CREATE TABLE media (
    id             uuid PRIMARY KEY DEFAULT uuidv7(),
    sha256         bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
    format         text NOT NULL CHECK (format IN ('jpeg', 'png', 'webp', 'gif', 'avif')),
    size           bigint NOT NULL CHECK (size > 0),
    -- As shown to a reader: EXIF orientation already applied. Known from the header on the way in.
    width          integer NOT NULL CHECK (width > 0),
    height         integer NOT NULL CHECK (height > 0),
    orientation    smallint NOT NULL DEFAULT 1 CHECK (orientation BETWEEN 1 AND 8),
    dominant_color text CHECK (dominant_color ~ '^#[0-9a-f]{6}$'),
    -- probed: header and end marker seen; verified: decoded whole; damaged: decoding failed, see damage.
    state          text NOT NULL DEFAULT 'probed' CHECK (state IN ('probed', 'verified', 'damaged')),
    damage         text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    -- When its bytes last arrived; the sweeper leaves the young alone.
    kept_at        timestamptz NOT NULL DEFAULT now(),
    checked_at     timestamptz,
    CHECK ((state = 'damaged') = (damage IS NOT NULL))
);

-- Where a medium's bytes can be had. Losing one location loses nothing while another stands.
CREATE TABLE media_locations (
    id          uuid PRIMARY KEY DEFAULT uuidv7(),
    media_id    uuid NOT NULL REFERENCES media ON DELETE CASCADE,
    kind        text NOT NULL DEFAULT 'blob' CHECK (kind IN ('blob')),
    storage_key text NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX media_locations_media_idx ON media_locations (media_id);
