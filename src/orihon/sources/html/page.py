"""A page that passed every check and can be read."""

from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from orihon.sources.adapter import Document
from orihon.sources.html import dom
from orihon.sources.html.addresses import base_of
from orihon.sources.html.detect import refuse_unless_whole
from orihon.sources.html.profile import Detect, Kind


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page of the site. `base` is what its relative addresses are relative to."""

    tree: LexborHTMLParser
    url: str
    base: str


def read(document: Document, detect: Detect, kind: Kind) -> Page:
    """Parse a document and make sure that it is what was asked for.

    Raises:
        Unreadable, Transient, Challenge, LoginRequired: as their texts say.
    """
    tree = dom.parse(document.body, document.content_type)
    refuse_unless_whole(tree, detect, kind, document.url)
    return Page(tree=tree, url=document.url, base=base_of(tree, document.url))
