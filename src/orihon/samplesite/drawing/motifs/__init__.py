"""The emblem of each series, drawn large on its cover and small in its panels.

Every function draws around (x, y) into a square of twice `s`.
"""

from collections.abc import Callable, Mapping

from orihon.samplesite.drawing.canvas import Canvas
from orihon.samplesite.drawing.motifs import buildings, creatures, skies, things, vessels
from orihon.samplesite.drawing.paints import Paints

Motif = Callable[[Canvas, float, float, float, Paints], None]

MOTIFS: Mapping[str, Motif] = {
    function.__name__: function
    for function in (
        creatures.whale,
        creatures.fox,
        creatures.koi,
        creatures.dragon,
        creatures.mask,
        buildings.lighthouse,
        buildings.bridge,
        buildings.stairs,
        buildings.castle,
        vessels.train,
        vessels.ship,
        vessels.balloon,
        skies.bolt,
        skies.moon,
        skies.comet,
        skies.planet,
        skies.forest,
        skies.tree,
        skies.mountain,
        things.books,
        things.gear,
        things.cup,
        things.teapot,
        things.umbrella,
        things.violin,
        things.bell,
        things.kite,
    )
}
