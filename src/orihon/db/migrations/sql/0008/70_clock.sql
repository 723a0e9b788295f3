-- The latest time that the database's clock has shown to a worker (runtime/clock.py). One row; a clock that shows an
-- earlier time was set back.
CREATE TABLE clock (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    seen timestamptz NOT NULL
) WITH (fillfactor = 50);
INSERT INTO clock (seen) VALUES (clock_timestamp());
