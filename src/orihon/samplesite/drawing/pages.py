"""Whole pages: a title page, pages of panels, tall strips and notices."""

from PIL import Image as Pillow
from PIL import ImageDraw

from orihon.samplesite.catalogue import DrawnPage
from orihon.samplesite.dice import Dice
from orihon.samplesite.drawing import places
from orihon.samplesite.drawing.canvas import Canvas, Paint, Point
from orihon.samplesite.drawing.layout import Panel, panels
from orihon.samplesite.drawing.lettering import HANDS, SIGNS, bubble, font, set_text, write
from orihon.samplesite.drawing.motifs import MOTIFS
from orihon.samplesite.drawing.paints import paints
from orihon.samplesite.drawing.people import bust, figure
from orihon.samplesite.drawing.scenes import SHOTS, Scene, Shot, close_up, establishing, talk
from orihon.samplesite.paper import Sheet
from orihon.samplesite.series import series
from orihon.samplesite.words import Voice

_BORDER = 4.0


def draw_page(page: DrawnPage, sheet: Sheet) -> Pillow.Image:
    """A page of a chapter."""
    scene = _scene(page)
    if not page.heading:
        return _notice(scene, sheet)
    if scene.series.direction == "vertical":
        return _strip(page, scene, sheet)
    if page.number == 1:
        return _opening(page, scene, sheet)
    return _panels(page, scene, sheet)


def _scene(page: DrawnPage) -> Scene:
    told = series(page.series)
    dice = Dice("page", page.series, page.chapter, page.number)
    return Scene(
        series=told,
        paints=paints(told),
        hand=HANDS[told.lettering],
        dice=dice,
        voice=Voice(told, Dice("voice", page.series, page.chapter, page.number)),
        haunts=places.HAUNTS[told.motif],
        letters=1.25 if told.direction == "vertical" else 1.0,
    )


def _canvas(scene: Scene, width: int, height: int) -> Canvas:
    return Canvas(width, height, scene.paints.paper, scene.paints.ink)


def _blank(scene: Scene, sheet: Sheet, ground: Paint) -> Pillow.Image:
    return Pillow.new("RGB" if scene.series.colour else "L", (sheet.width, sheet.height), ground)


def _opening(page: DrawnPage, scene: Scene, sheet: Sheet) -> Pillow.Image:
    """The first page of a chapter: one picture, and the chapter's number."""
    c = _canvas(scene, sheet.width, sheet.height)
    d, p = scene.dice, scene.paints
    places.WIDE[d.pick(scene.haunts)](c, d, p)
    MOTIFS[scene.series.motif](c, c.width * d.span(0.35, 0.65), c.height * 0.42, c.width * 0.26, p)
    first = d.between(0, 2)
    figure(c, scene.somebody(first + 1), c.width * 0.27, c.height * 0.97, c.height * 0.4, 0.0, 1.0)
    figure(c, scene.somebody(first), c.width * 0.72, c.height * 0.97, c.height * 0.44, 0.1, -1.0)
    image = c.finish()
    draw = ImageDraw.Draw(image)
    draw.rectangle((60, 70, c.width - 60, 226), fill=p.paper, outline=p.ink, width=5)
    name = font(scene.hand.title, round(46 * scene.hand.title_scale))
    shown = scene.series.lettered
    if name.getlength(shown) > c.width - 150:
        name = font(scene.hand.title, int(46 * scene.hand.title_scale * (c.width - 150) / name.getlength(shown)))
    draw.text((c.width / 2, 122), shown, p.ink, name, "mm")
    number = f"CHAPTER {page.heading}"
    draw.text((c.width / 2, 186), number, p.accent if c.colour else p.ink, font(SIGNS, 30), "mm")
    _folio(image, page, scene)
    return image


def _panels(page: DrawnPage, scene: Scene, sheet: Sheet) -> Pillow.Image:
    image = _blank(scene, sheet, scene.paints.paper)
    d = scene.dice
    cut = panels(sheet.width, sheet.height, d, right_to_left=scene.backwards, slants=0.55 if scene.backwards else 0.12)
    shots: list[Shot] = [d.pick(SHOTS) for _ in cut]
    if d.chance(0.5):
        shots[0] = establishing
    if talk not in shots:
        shots[-1] = talk
    for panel, shot in zip(cut, shots, strict=True):
        _put(image, panel, shot, scene)
    if page.number == page.count:
        _sign(image, scene, "To be continued")
    _folio(image, page, scene)
    return image


def _put(image: Pillow.Image, panel: Panel, shot: Shot, scene: Scene) -> None:
    left, top, right, bottom = panel.box
    (ax, _), (bx, _), (cx, _), (dx, _) = panel.corners
    c = Canvas(
        right - left,
        bottom - top,
        scene.paints.paper,
        scene.paints.ink,
        at=(left, top),
        slant=(max(ax, dx) - left, right - min(bx, cx)),
    )
    shot(c, scene)
    inner = [(x - left, y - top) for x, y in panel.corners]
    _frame(c, inner, scene.paints.paper, upright=panel.upright)
    done = c.finish()
    if panel.upright:
        image.paste(done, (left, top))
        return
    # The mask is a little larger than the panel: the smooth edge of the frame lies inside it, and gutters are white.
    mask = Pillow.new("1", done.size)
    draw = ImageDraw.Draw(mask)
    draw.polygon(inner, fill=1, outline=1, width=5)
    image.paste(done, (left, top), mask)


def _frame(c: Canvas, corners: list[Point], paper: Paint, *, upright: bool) -> None:
    inset = _BORDER / 2
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    if not upright:
        c.shape([(-9, -9), (ax, ay), (dx, dy), (-9, c.height + 9)], paper, 0)
        c.shape([(c.width + 9, -9), (bx, by), (cx, cy), (c.width + 9, c.height + 9)], paper, 0)
    c.line(
        [
            (ax + inset, ay + inset),
            (bx - inset, by + inset),
            (cx - inset, cy - inset),
            (dx + inset, dy - inset),
            (ax + inset, ay + inset),
        ],
        _BORDER,
    )


def _strip(page: DrawnPage, scene: Scene, sheet: Sheet) -> Pillow.Image:
    """A tall strip: wide panels with room between them, over a ground that may be dark."""
    d, p = scene.dice, scene.paints
    dark = d.chance(0.25)
    image = _blank(scene, sheet, p.night if dark else p.paper)
    y = 60
    if page.number == 1:
        y = _heading(image, page, scene, dark=dark)
    shot: Shot = establishing
    while y < sheet.height - 320:
        high = min(d.between(380, 600), sheet.height - 60 - y)
        inset = d.pick((0, 0, 40, 90))
        c = _canvas(scene, sheet.width - 2 * inset, high)
        shot(c, scene)
        if inset:
            _frame(c, [(0, 0), (c.width, 0), (c.width, high), (0, high)], p.paper, upright=True)
        image.paste(c.finish(), (inset, y))
        gap = d.between(170, 400)
        if gap > 260 and y + high + gap < sheet.height:
            told = set_text(scene.voice.caption(), scene.hand.speech, scene.hand.size + 8, scene.hand.leading, 440)
            write(image, told, image.width * d.span(0.42, 0.58), y + high + gap / 2, p.light if dark else p.ink)
        y += high + gap
        shot = close_up if d.chance(0.2) else d.pick(SHOTS)
    if page.number == page.count:
        _sign(image, scene, "To be continued")
    return image


def _heading(image: Pillow.Image, page: DrawnPage, scene: Scene, *, dark: bool) -> int:
    p = scene.paints
    draw = ImageDraw.Draw(image)
    name = set_text(scene.series.lettered, scene.hand.title, round(64 * scene.hand.title_scale), 1.1, image.width - 120)
    step = name.size * name.leading
    for place, line in enumerate(name.lines):
        draw.text(
            (image.width / 2, 130 + place * step), line, p.light if dark else p.deep, font(name.path, name.size), "mm"
        )
    below = 130 + round(step * len(name.lines))
    draw.text((image.width / 2, below), f"Episode {page.heading}", p.accent, font(SIGNS, 34), "mm")
    return below + 90


def _notice(scene: Scene, sheet: Sheet) -> Pillow.Image:
    """No chapter today: somebody says so."""
    c = _canvas(scene, sheet.width, sheet.height)
    places.mood(c, scene.dice, scene.paints)
    size = min(c.width * 0.2, c.height * 0.16)
    middle = min(c.height * 0.6, 800.0)
    mouth = bust(c, scene.somebody(0), c.width * 0.5, middle, size, "happy", 0.4)
    text = f"No chapter this week! We are busy with something for {scene.voice.chapter_title()}. See you soon."
    block = set_text(text, scene.hand.speech, round(scene.hand.size * 1.6), scene.hand.leading, c.width * 0.6)
    bubble(c, "say", block, c.width * 0.5, middle * 0.42, mouth, scene.paints.paper)
    return c.finish()


def _folio(image: Pillow.Image, page: DrawnPage, scene: Scene) -> None:
    ImageDraw.Draw(image).text(
        (image.width / 2, image.height - 16), str(page.number), scene.paints.ink, font(SIGNS, 15), "mm"
    )


def _sign(image: Pillow.Image, scene: Scene, text: str) -> None:
    p = scene.paints
    draw = ImageDraw.Draw(image)
    letters = font(SIGNS, 22)
    wide = letters.getlength(text) + 36
    right, bottom = image.width - 44, image.height - 44
    draw.rectangle((right - wide, bottom - 44, right, bottom), fill=p.ink)
    draw.text((right - wide / 2, bottom - 22), text, p.paper, letters, "mm")
