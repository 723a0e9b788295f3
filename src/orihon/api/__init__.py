"""HTTP: parse, authorise, call, shape. No SQL and no rules of the domain live here."""
