"""The worker: leases jobs, runs their handlers and settles them."""

from orihon.jobs.handlers import BadHandlers, Done, GiveUp, Handler, Job, Postpone, Result, Settled, registry

__all__ = ["BadHandlers", "Done", "GiveUp", "Handler", "Job", "Postpone", "Result", "Settled", "registry"]
