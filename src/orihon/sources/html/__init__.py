"""An adapter for sites whose pages are HTML, driven by a declarative profile (docs/site-profiles.md)."""
