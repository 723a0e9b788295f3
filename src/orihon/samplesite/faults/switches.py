"""Which fault a request gets: rules, in their order, decided by a seed."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

import msgspec

from orihon.samplesite.dice import Dice
from orihon.samplesite.faults.answer import Answer, Ask, Rule, kind_of
from orihon.samplesite.faults.table import FAULTS


class BadRule(Exception):
    """A rule that means nothing. The text says why."""


class Switches:
    """The faults that are switched on.

    Whether a request gets one hangs on the seed, the rule, the place and how often that place was asked for: requests
    to other places, and their order, change nothing. An answer gets at most one fault, that of the first rule that
    fits it.
    """

    def __init__(self, clock: Callable[[], float], seed: int = 0) -> None:
        self._clock = clock
        self.seed = seed
        self._rules: list[Rule] = []
        self._drawn: Counter[tuple[int, str]] = Counter()
        self._given: Counter[int] = Counter()

    def set(
        self,
        fault: str,
        *,
        path: str = "*",
        rate: float = 1.0,
        each: int | None = None,
        times: int | None = None,
        seconds: float | None = None,
        field: str | None = None,
    ) -> None:
        """Switch a fault on, beside those that are; see `Rule`.

        Raises:
            BadRule: there is no such fault.
        """
        rule = Rule(fault=fault, path=path, rate=rate, each=each, times=times, seconds=seconds, field=field)
        _check(rule)
        self._rules.append(rule)

    def replace(self, rules: Iterable[Rule], seed: int = 0) -> None:
        """Switch on these and no others, and begin to count anew.

        Raises:
            BadRule: one of them means nothing; then nothing is changed.
        """
        new = list(rules)
        for rule in new:
            _check(rule)
        self.clear()
        self._rules = new
        self.seed = seed

    def clear(self) -> None:
        """Switch everything off."""
        self._rules = []
        self._drawn.clear()
        self._given.clear()

    @property
    def any(self) -> bool:
        """Whether something is switched on."""
        return bool(self._rules)

    def given(self) -> Sequence[tuple[Rule, int]]:
        """The rules, with how often each was given."""
        return [(rule, self._given[number]) for number, rule in enumerate(self._rules)]

    def apply(
        self, path: str, query: Mapping[str, str], answer: Answer, whole: bytes | None = None
    ) -> tuple[Answer, str | None]:
        """The answer that goes out, and the name of the fault in it."""
        kind = kind_of(path)
        if kind is None or not self._rules or answer.status >= 400:
            return answer, None
        # A signature is no place of its own; another page of a feed is.
        place = f"{path}?cursor={query['cursor']}" if "cursor" in query else path
        for number, rule in enumerate(self._rules):
            if not (fnmatchcase(path, rule.path) or fnmatchcase(place, rule.path)):
                continue
            if self._spent(number, rule, place):
                continue
            dice = Dice("fault", self.seed, number, rule.fault, place, self._drawn[number, place])
            self._drawn[number, place] += 1
            if not dice.chance(rule.rate):
                continue
            ask = Ask(path=path, kind=kind, rule=rule, dice=dice, now=self._clock(), query=query, whole=whole)
            changed = FAULTS[rule.fault].change(ask, answer)
            if changed is not answer:
                self._given[number] += 1
                return changed, rule.fault
        return answer, None

    def _spent(self, number: int, rule: Rule, place: str) -> bool:
        if rule.each is not None and self._drawn[number, place] >= rule.each:
            return True
        return rule.times is not None and self._given[number] >= rule.times


def parse(text: str) -> Rule:
    """A rule as a command line names it: `server_error=0.05`, or `server_error` for every request.

    Raises:
        BadRule: it is no such thing.
    """
    fault, given, rate = text.partition("=")
    try:
        rule = Rule(fault=fault.strip(), rate=float(rate) if given else 1.0)
    except ValueError:
        raise BadRule(f"{text[:80]!r} is no fault and its rate, such as server_error=0.05.") from None
    _check(rule)
    return rule


def _check(rule: Rule) -> None:
    if rule.fault not in FAULTS:
        near = difflib.get_close_matches(rule.fault, FAULTS, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        raise BadRule(f"There is no fault {rule.fault[:80]!r}.{meant} There are: {', '.join(FAULTS)}.")
    try:
        msgspec.convert(msgspec.to_builtins(rule), Rule)
    except msgspec.ValidationError as error:
        raise BadRule(f"The rule for {rule.fault} means nothing: {error}.") from error
