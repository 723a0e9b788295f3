-- The durable queue (jobs/).

CREATE TABLE jobs (
    id               uuid PRIMARY KEY DEFAULT uuidv7(),
    lane             text NOT NULL,
    kind             text NOT NULL,
    payload          jsonb NOT NULL,
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'dead')),
    priority         smallint NOT NULL DEFAULT 0,              -- lower first
    dedupe_key       text,
    concurrency_key  text,
    rerun            boolean NOT NULL DEFAULT false,
    attempts         integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    max_attempts     integer NOT NULL DEFAULT 5 CHECK (max_attempts >= 1),
    reclaims         smallint NOT NULL DEFAULT 0,
    lease_generation bigint NOT NULL DEFAULT 0,
    leased_until     timestamptz,
    scheduled_at     timestamptz NOT NULL DEFAULT now(),
    seq              bigint GENERATED ALWAYS AS IDENTITY,      -- creation order, also inside one transaction
    last_error       text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CHECK ((state = 'running') = (leased_until IS NOT NULL))
);

CREATE TABLE job_schedules (
    name             text PRIMARY KEY,
    lane             text NOT NULL,
    kind             text NOT NULL,
    payload          jsonb NOT NULL,
    dedupe_key       text,
    concurrency_key  text,
    interval_seconds integer NOT NULL CHECK (interval_seconds > 0),
    next_at          timestamptz NOT NULL DEFAULT now(),
    enabled          boolean NOT NULL DEFAULT true
);
