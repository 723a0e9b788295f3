-- The durable queue (jobs/).
--
-- Every hot index is partial: finished and dead rows, however many, are in none that a lease or an enqueue reads.

CREATE SEQUENCE job_order;

CREATE TABLE jobs (
    id               uuid PRIMARY KEY DEFAULT uuidv7(),
    lane             text NOT NULL,
    kind             text NOT NULL,
    payload          jsonb NOT NULL,
    state            text NOT NULL DEFAULT 'pending',
    priority         smallint NOT NULL DEFAULT 0,              -- lower first
    dedupe_key       text,
    concurrency_key  text,
    rerun            boolean NOT NULL DEFAULT false,           -- asked for again while it ran
    attempts         integer NOT NULL DEFAULT 0,
    max_attempts     integer NOT NULL DEFAULT 5,
    reclaims         smallint NOT NULL DEFAULT 0,              -- attempts refunded because a worker vanished
    lease_generation bigint NOT NULL DEFAULT 0,
    leased_until     timestamptz,
    scheduled_at     timestamptz NOT NULL DEFAULT now(),
    -- Creation order. now() stands still inside a transaction, so times cannot tell a batch apart (hazard H10).
    seq              bigint NOT NULL DEFAULT nextval('job_order'),
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    -- A running job without a lease would never be reclaimed (hazard H13). One check, since each costs every write.
    CHECK (CASE state WHEN 'running' THEN leased_until IS NOT NULL
                      ELSE leased_until IS NULL AND state IN ('pending', 'done', 'dead') END)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
ALTER SEQUENCE job_order OWNED BY jobs.seq;

-- At most one waiting or running job per kind and key: uniqueness by index, since locks and look-ups race.
CREATE UNIQUE INDEX jobs_dedupe_idx ON jobs (kind, dedupe_key)
    WHERE state IN ('pending', 'running') AND dedupe_key IS NOT NULL;

-- The lease: due jobs of a lane in order. Far-off ones are skipped per priority (skip scan on the second column).
CREATE INDEX jobs_ready_idx ON jobs (lane, priority, scheduled_at, seq)
    WHERE state = 'pending' AND concurrency_key IS NULL;
-- Keyed jobs apart, so that a blocked key costs one step, not a walk over its backlog.
CREATE INDEX jobs_keyed_idx ON jobs (lane, concurrency_key, priority, scheduled_at, seq)
    WHERE state = 'pending' AND concurrency_key IS NOT NULL;
-- One running job per concurrency key, whatever leases it.
CREATE UNIQUE INDEX jobs_busy_key_idx ON jobs (concurrency_key)
    WHERE state = 'running' AND concurrency_key IS NOT NULL;

CREATE INDEX jobs_leased_idx ON jobs (leased_until) WHERE state = 'running';
CREATE INDEX jobs_terminal_idx ON jobs (state, updated_at) WHERE state IN ('done', 'dead');
CREATE INDEX jobs_dead_key_idx ON jobs (kind, dedupe_key) WHERE state = 'dead';

-- Workers that wait for a lane. An enqueue wakes only those, so that nobody pays for NOTIFY while all are busy.
-- A row says nothing after `until`; losing the table loses a hint.
CREATE UNLOGGED TABLE job_waiters (
    lane   text NOT NULL,
    worker uuid NOT NULL,
    until  timestamptz NOT NULL,
    PRIMARY KEY (lane, worker)
) WITH (fillfactor = 50);

CREATE TABLE job_schedules (
    name             text PRIMARY KEY,
    lane             text NOT NULL,
    kind             text NOT NULL,
    payload          jsonb NOT NULL,
    priority         smallint NOT NULL DEFAULT 0,
    max_attempts     integer NOT NULL DEFAULT 5 CHECK (max_attempts >= 1),
    dedupe_key       text,
    concurrency_key  text,
    interval_seconds integer NOT NULL CHECK (interval_seconds > 0),
    next_at          timestamptz NOT NULL DEFAULT now(),
    enabled          boolean NOT NULL DEFAULT true
);
CREATE INDEX job_schedules_due_idx ON job_schedules (next_at) WHERE enabled;
