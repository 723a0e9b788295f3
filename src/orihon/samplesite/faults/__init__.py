"""Faults: every symptom that a site in trouble can show is a switch of the sample site.

`table.FAULTS` is the one list of them: a name, what it does to an answer, in words and as a pure function. A `Rule`
switches one on for some paths, for some of the requests; `Switches` holds the rules and decides, by a seed and not by
chance, which request gets what. The site's door (`site.py`) asks it about each answer.

In a test: `site.faults.set("cut_body", path="/img/*", each=1)`. Over HTTP, from this machine only: `PUT /faults` with
`{"seed": 7, "faults": [{"fault": "server_error", "rate": 0.05}]}` replaces all rules, `GET /faults` shows them with how
often each was given, `DELETE /faults` ends them.
"""

from orihon.samplesite.faults.answer import Answer, Ask, Rule
from orihon.samplesite.faults.switches import BadRule, Switches, parse
from orihon.samplesite.faults.table import FAULTS

__all__ = ["FAULTS", "Answer", "Ask", "BadRule", "Rule", "Switches", "parse"]
