"""Choices that are the same for ever.

The standard generators promise the same raw bits across versions of Python, but not the same `choice` or `shuffle`.
Everything the sample site invents hangs on this one small generator (SplitMix64, seeded by BLAKE2b), so that a
catalogue, a page and its bytes can be made again at any time, in any process.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


def digest(*parts: object) -> int:
    """A 64-bit number that stands for these parts, in any process."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


class Dice:
    """A stream of choices that its seed decides."""

    __slots__ = ("_state",)

    def __init__(self, *seed: object) -> None:
        self._state = digest(*seed)

    def bits(self) -> int:
        """The next 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def unit(self) -> float:
        """A number in [0, 1)."""
        return (self.bits() >> 11) / (1 << 53)

    def span(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self.unit()

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.bits() % (high - low + 1)

    def chance(self, share: float) -> bool:
        """True in `share` of all cases."""
        return self.unit() < share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.bits() % len(items)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        left = list(items)
        for last in range(len(left) - 1, 0, -1):
            other = self.bits() % (last + 1)
            left[last], left[other] = left[other], left[last]
        return left
