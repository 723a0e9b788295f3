-- The table of the references: what a list shows, names already put together, as somebody would lay it out who has
-- nothing else to care for. Independent of the product's schema, so that its changes cannot move the references.

CREATE TABLE reference_titles AS
    SELECT id, title, status, reading_direction, authors, genres, tags, chapter_count, created_at, updated_at
      FROM works;

ALTER TABLE reference_titles ADD PRIMARY KEY (id);
CREATE INDEX reference_titles_updated_idx ON reference_titles (updated_at DESC, id DESC);
CREATE INDEX reference_titles_trgm_idx ON reference_titles USING gin (title gin_trgm_ops);
