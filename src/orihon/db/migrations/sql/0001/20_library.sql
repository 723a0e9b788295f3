-- Works, chapters, pages and the people, genres and tags around them.

CREATE FUNCTION immutable_unaccent(value text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN public.unaccent('public.unaccent'::regdictionary, value);

-- How titles are compared, searched and sorted: compatibility forms unified (full-width letters), lower case, no accents,
-- single spaces; cut where an index could not hold more.
CREATE FUNCTION fold(value text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(btrim(regexp_replace(lower(public.immutable_unaccent(normalize(value, NFKC))), '\s+', ' ', 'g')), 400);

-- Every character and every pair of neighbours: the index of queries that are too short for trigrams.
CREATE FUNCTION short_grams(folded text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN string_to_array(folded, NULL)
        || (SELECT array_agg(substr(folded, i, 2)) FROM generate_series(1, length(folded) - 1) AS i);

CREATE TABLE works (
    id                uuid PRIMARY KEY DEFAULT uuidv7(),
    kind              text NOT NULL DEFAULT 'manga' CHECK (kind IN ('manga', 'feed', 'series')),
    title             text NOT NULL CHECK (btrim(title) <> ''),
    alt_titles        text[] NOT NULL DEFAULT '{}',
    description       text,
    status            text CHECK (status IN ('ongoing', 'completed', 'hiatus', 'cancelled')),
    reading_direction text NOT NULL DEFAULT 'rtl' CHECK (reading_direction IN ('ltr', 'rtl', 'vertical')),
    cover_media_id    uuid REFERENCES media ON DELETE SET NULL,
    -- Copies for lists, written in the same transaction as the rows they summarise (library/works.py).
    authors           text[] NOT NULL DEFAULT '{}',
    genres            text[] NOT NULL DEFAULT '{}',
    tags              text[] NOT NULL DEFAULT '{}',
    sort_author       text,
    chapter_count     integer NOT NULL DEFAULT 0,
    -- Field name -> origin ('source:<uuid>' or 'person:<uuid>'); a person's edit wins until released.
    origins           jsonb NOT NULL DEFAULT '{}',
    primary_source_id uuid,
    created_at        timestamptz NOT NULL DEFAULT now(),
    -- The last time a reader would notice a change: a chapter arrived or metadata changed.
    updated_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX works_updated_idx ON works (kind, updated_at DESC, id DESC);
CREATE INDEX works_created_idx ON works (kind, created_at DESC, id DESC);
CREATE INDEX works_status_idx ON works (kind, status, updated_at DESC, id DESC);
CREATE INDEX works_title_idx ON works (kind, fold(title), id);
-- Works without an author stand last in both directions, hence one index for each (library/catalogue.py).
CREATE INDEX works_author_idx ON works (kind, coalesce(sort_author, U&'\+10FFFF'), id);
CREATE INDEX works_author_desc_idx ON works (kind, coalesce(sort_author, '') DESC, id DESC);

-- How many works there are of a kind and status, so that telling it costs the same however many there are. In slots, so
-- that transactions which add works at the same time do not wait for each other.
CREATE TABLE work_tally (
    kind   text NOT NULL,
    status text,
    slot   smallint NOT NULL,
    works  bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (kind, status, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION tally_works() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        DELETE FROM work_tally;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO work_tally (kind, status, slot, works)
        VALUES (OLD.kind, OLD.status, pg_backend_pid() % 64, -1), (NEW.kind, NEW.status, pg_backend_pid() % 64, 1)
            ON CONFLICT (kind, status, slot) DO UPDATE SET works = work_tally.works + excluded.works;
    ELSE
        INSERT INTO work_tally (kind, status, slot, works)
        SELECT kind, status, pg_backend_pid() % 64, count(*) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
          FROM changed GROUP BY kind, status
            ON CONFLICT (kind, status, slot) DO UPDATE SET works = work_tally.works + excluded.works;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER works_added AFTER INSERT ON works REFERENCING NEW TABLE AS changed EXECUTE FUNCTION tally_works();
CREATE TRIGGER works_removed AFTER DELETE ON works REFERENCING OLD TABLE AS changed EXECUTE FUNCTION tally_works();
CREATE TRIGGER works_emptied AFTER TRUNCATE ON works EXECUTE FUNCTION tally_works();
CREATE TRIGGER works_changed AFTER UPDATE OF kind, status ON works FOR EACH ROW
    WHEN ((OLD.kind, OLD.status) IS DISTINCT FROM (NEW.kind, NEW.status)) EXECUTE FUNCTION tally_works();

-- One row per searchable title, folded, so that an alternative title finds the work (search/catalogue.py).
CREATE TABLE work_titles (
    work_id uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    folded  text COLLATE "C" NOT NULL,
    PRIMARY KEY (folded, work_id)                             -- serves exact and prefix matches, in order
);
CREATE INDEX work_titles_work_idx ON work_titles (work_id);
CREATE INDEX work_titles_trgm_idx ON work_titles USING gin (folded gin_trgm_ops);
CREATE INDEX work_titles_short_idx ON work_titles USING gin (short_grams(folded));

CREATE TABLE chapters (
    id            uuid PRIMARY KEY DEFAULT uuidv7(),
    work_id       uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    number        numeric(9, 3) CHECK (number >= 0),          -- null: a notice, an extra; never 0 for "unknown"
    title         text,
    sort_key      numeric NOT NULL,                           -- derived once per sync (library/chapters.py)
    page_count    integer NOT NULL DEFAULT 0 CHECK (page_count >= 0),   -- 0: content not fetched yet
    size_bytes    bigint NOT NULL DEFAULT 0 CHECK (size_bytes >= 0),    -- of its pages' media (library/content.py)
    content_error text,                                       -- why the last attempt to fetch content failed
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chapters_reading_order_idx ON chapters (work_id, sort_key, number, created_at, id);

CREATE TABLE pages (
    id         uuid PRIMARY KEY DEFAULT uuidv7(),             -- stable across re-fetches
    chapter_id uuid NOT NULL REFERENCES chapters ON DELETE CASCADE,
    number     integer NOT NULL CHECK (number >= 1),
    media_id   uuid NOT NULL REFERENCES media,
    damage     text,                                          -- shown to readers; null: fine
    refetches  smallint NOT NULL DEFAULT 0,                   -- a damaged page is fetched again once
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (chapter_id, number)
);
CREATE INDEX pages_media_idx ON pages (media_id);

CREATE TABLE covers (
    work_id    uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    media_id   uuid NOT NULL REFERENCES media,
    origin     text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (work_id, media_id)
);
CREATE INDEX covers_media_idx ON covers (media_id);
CREATE INDEX works_cover_idx ON works (cover_media_id) WHERE cover_media_id IS NOT NULL;

CREATE TABLE people (
    id   uuid PRIMARY KEY DEFAULT uuidv7(),
    name text NOT NULL
);
CREATE UNIQUE INDEX people_name_idx ON people (lower(name));
CREATE TABLE work_people (
    work_id   uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    role      text NOT NULL DEFAULT 'author' CHECK (role IN ('author', 'artist')),
    position  smallint NOT NULL,
    PRIMARY KEY (work_id, person_id, role)
);
CREATE INDEX work_people_person_idx ON work_people (person_id);

CREATE TABLE genres (
    id   uuid PRIMARY KEY DEFAULT uuidv7(),
    name text NOT NULL
);
CREATE UNIQUE INDEX genres_name_idx ON genres (lower(name));
CREATE TABLE work_genres (
    work_id  uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    genre_id uuid NOT NULL REFERENCES genres ON DELETE CASCADE,
    PRIMARY KEY (work_id, genre_id)
);
CREATE INDEX work_genres_genre_idx ON work_genres (genre_id);

CREATE TABLE tags (
    id   uuid PRIMARY KEY DEFAULT uuidv7(),
    kind text NOT NULL DEFAULT 'general' CHECK (kind IN ('general', 'character', 'fandom', 'artist', 'meta')),
    name text NOT NULL
);
CREATE UNIQUE INDEX tags_name_idx ON tags (kind, lower(name));
CREATE TABLE work_tags (
    work_id uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    tag_id  uuid NOT NULL REFERENCES tags ON DELETE CASCADE,
    PRIMARY KEY (work_id, tag_id)
);
CREATE INDEX work_tags_tag_idx ON work_tags (tag_id);

-- Works whose chapters are to be fetched although their source fetches only what is wanted.
CREATE TABLE wanted_works (
    work_id    uuid PRIMARY KEY REFERENCES works ON DELETE CASCADE,
    marked_by  uuid,
    created_at timestamptz NOT NULL DEFAULT now()
);
