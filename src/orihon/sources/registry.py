"""The adapters that exist."""

from collections.abc import Mapping

from orihon.sources.adapter import Adapter, AdapterKind, AnyAdapter, BadSettings, FeedAdapter, UnknownAdapter
from orihon.sources.html.adapter import HtmlKind
from orihon.sources.sample_feed.adapter import SampleFeedKind

_KINDS: tuple[AdapterKind, ...] = (HtmlKind(), SampleFeedKind())


def kinds() -> tuple[AdapterKind, ...]:
    """Every adapter that a source may name."""
    return _KINDS


def open_adapter(adapter: str, url: str, settings: Mapping[str, object]) -> AnyAdapter:
    """Make the adapter of a source.

    Raises:
        UnknownAdapter: no adapter has this name; the text lists those that exist.
        BadSettings: the adapter cannot use the address or the settings; the text names the key.
    """
    for kind in _KINDS:
        if kind.name == adapter:
            return kind.open(url, settings)
    names = ", ".join(f"`{kind.name}`" for kind in _KINDS)
    raise UnknownAdapter(f"There is no adapter `{adapter}`. A source may name one of these: {names}.")


def open_catalogue(adapter: str, url: str, settings: Mapping[str, object]) -> Adapter:
    """Make the adapter of a catalogue.

    Raises:
        BadSettings: see `open_adapter`; or it follows something else.
    """
    opened = open_adapter(adapter, url, settings)
    if not isinstance(opened, Adapter):
        raise BadSettings(f"The adapter `{adapter}` does not read catalogues.")
    return opened


def open_feed(adapter: str, url: str, settings: Mapping[str, object]) -> FeedAdapter:
    """Make the adapter of a feed.

    Raises:
        BadSettings: see `open_adapter`; or it follows something else.
    """
    opened = open_adapter(adapter, url, settings)
    if not isinstance(opened, FeedAdapter):
        raise BadSettings(f"The adapter `{adapter}` does not read feeds.")
    return opened
