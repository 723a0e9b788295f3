"""What a proxy means for the guard (spec crawler-support 6.6, 12). Fetching through one comes with a later release."""

_REMOTE_SOCKS = "socks5h://"


def we_vet_addresses(proxy: str | None) -> bool:
    """Whether the target's addresses are ours to vet: always, except behind SOCKS, which resolves names itself.

    A proxy without scheme is an HTTP one.
    """
    return not (proxy or "").lower().startswith("socks")


def chromium_proxy_arg(proxy: str) -> str:
    """A proxy as Chromium takes it: it knows no `socks5h`, and its `socks5` resolves remotely anyway."""
    if proxy.lower().startswith(_REMOTE_SOCKS):
        return "socks5://" + proxy[len(_REMOTE_SOCKS) :]
    return proxy
