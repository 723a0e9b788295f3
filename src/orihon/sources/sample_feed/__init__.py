"""The feed of a creator at the sample site: a JSON API with cursors, the smallest example of a feed adapter."""
