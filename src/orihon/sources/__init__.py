"""Adapters: what speaks to one kind of site. Pure: documents in, records out; no network, no database."""
