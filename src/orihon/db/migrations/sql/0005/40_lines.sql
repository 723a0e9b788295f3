-- Lines: jobs of one lane that take turns with each other, one line per source (jobs/queue.py: lease).

ALTER TABLE jobs ADD COLUMN line text;                         -- null: it goes before all lines

-- What waits since before lines were known.
UPDATE jobs SET lane = 'content', line = CASE WHEN kind <> 'page_refetch' THEN payload ->> 'source_id' END
 WHERE kind IN ('sync_title', 'fetch_chapter', 'fetch_cover', 'page_refetch') AND state IN ('pending', 'running', 'dead')
   AND concurrency_key IS NULL;

-- The same index without what stands in a line.
DROP INDEX jobs_ready_idx;
CREATE INDEX jobs_ready_idx ON jobs (lane, priority, scheduled_at, seq)
    WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL;
-- The first job of each line, however many wait behind it.
CREATE INDEX jobs_line_idx ON jobs (lane, line, priority, scheduled_at, seq)
    WHERE state = 'pending' AND line IS NOT NULL;
CREATE INDEX jobs_line_busy_idx ON jobs (lane, line) WHERE state = 'running' AND line IS NOT NULL;

-- When each line was served last, as a number of job_order. Losing the table loses a turn.
CREATE UNLOGGED TABLE job_turns (
    lane text NOT NULL,
    line text NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (lane, line)
) WITH (fillfactor = 50);
