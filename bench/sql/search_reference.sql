-- Trigram-GIN top-50 on the title: $1 what is searched.
SELECT id, title, status, reading_direction, authors, genres, tags, chapter_count, created_at, updated_at
  FROM reference_titles
 WHERE title % $1
 ORDER BY similarity(title, $1) DESC, id
 LIMIT 50
