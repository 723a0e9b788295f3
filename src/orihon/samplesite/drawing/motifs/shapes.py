"""Points in the square of a motif: (-1, -1) is its top left corner, (1, 1) its bottom right."""

from math import cos, pi, sin

from orihon.samplesite.drawing.canvas import Canvas, Paint, Point


def at(x: float, y: float, s: float, *points: Point) -> list[Point]:
    """Points of the square, as pixels."""
    return [(x + px * s, y + py * s) for px, py in points]


def box(x: float, y: float, s: float, left: float, top: float, right: float, bottom: float) -> list[Point]:
    """A rectangle of the square, as pixels."""
    return at(x, y, s, (left, top), (right, top), (right, bottom), (left, bottom))


def pen(s: float) -> float:
    """How thick lines are in a motif of that size."""
    return max(1.6, min(5.0, s / 55))


def star(c: Canvas, x: float, y: float, s: float, paint: Paint, line: float) -> None:
    """A star with five points."""
    reach = [(1.0 if k % 2 == 0 else 0.42, (k * 36 - 90) * pi / 180) for k in range(10)]
    c.shape([(x + s * r * cos(turn), y + s * r * sin(turn)) for r, turn in reach], paint, line)
