-- Keyset-50 with pre-aggregated names: $1 time and $2 id of the row before the page.
SELECT id, title, status, reading_direction, authors, genres, tags, chapter_count, created_at, updated_at
  FROM reference_titles
 WHERE (updated_at, id) < ($1, $2)
 ORDER BY updated_at DESC, id DESC
 LIMIT 50
