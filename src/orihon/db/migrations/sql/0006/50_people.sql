-- Web processes hold sessions for a while (accounts/sessions.py: SessionCache). Whoever removes a user or takes a right
-- away, by whatever way, ends that at once.

CREATE FUNCTION tell_users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('sessions', '');
    RETURN NULL;
END
$$;

CREATE TRIGGER users_changed AFTER DELETE OR TRUNCATE OR UPDATE OF username, is_admin ON users
    FOR EACH STATEMENT EXECUTE FUNCTION tell_users_changed();
