"""What a page is, before anything is read from it (crawler-core 6.1, crawler-support 7.1)."""

from selectolax.lexbor import LexborHTMLParser

from orihon.sources.adapter import Challenge, LoginRequired, Transient
from orihon.sources.html.profile import Detect, Kind
from orihon.sources.html.text import collapsed, first, present


def refuse_unless_whole(tree: LexborHTMLParser, detect: Detect, kind: Kind, url: str) -> None:
    """Let pass a whole page of the site, as somebody sees it who is signed in where that is needed.

    The broken-page sentence wins over every other sign, since that template carries stray parts of the layout.

    Raises:
        Transient: the site's page for passing trouble, or a page without its layout.
        Challenge: a check for humans.
        LoginRequired: the login page, or a page as strangers see it.
    """
    if detect.broken_text and tree.body is not None:
        text = collapsed(tree.body.text()).casefold()
        for sentence in detect.broken_text:
            if collapsed(sentence).casefold() in text:
                raise Transient(
                    f"{url} shows the site's page for passing trouble (“{sentence}”). It is tried again later."
                )
    if found := present(tree, detect.challenge):
        raise Challenge(
            f"{url} shows a check for humans (`{found.text}`). Lower the pace, or open the site in a browser from "
            "this network, and run the source again."
        )
    if found := present(tree, detect.login):
        raise LoginRequired(f"{url} shows the login page (`{found.text}`). This source needs a signed-in session.")
    if first(tree, detect.layout) is None:
        raise Transient(
            f"{url} lacks the layout sentinel `{detect.layout.text}`: the page is broken, cut, or not of this site. "
            "It is tried again later; if it stays so, the site has changed and `detect.layout` needs a new selector."
        )
    if detect.logged_in and kind in detect.login_needed and first(tree, detect.logged_in) is None:
        raise LoginRequired(
            f"{url} is shown as to a stranger: `{detect.logged_in.text}` is missing. The session is absent, expired or "
            "revoked; sign in anew."
        )
