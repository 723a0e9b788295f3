-- A search finds works by who made them, too (search/catalogue.py): by a part of the name, or, under three characters,
-- by single characters and pairs, as with titles.

CREATE INDEX people_trgm_idx ON people USING gin (fold(name) gin_trgm_ops);
CREATE INDEX people_short_idx ON people USING gin (short_grams(fold(name)));
