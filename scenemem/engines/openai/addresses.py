"""Addresses of model servers: what people write, and what is asked.

`http://127.0.0.1:11434`, the same with a slash, with `/v1`, with `/v1/`, or the full
`…/v1/chat/completions` or `…/v1/embeddings` copied from a manual all mean one server. Which of the
forms it serves only it knows, so an address without a version part stands for two candidates, in
order. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, urlsplit

__all__ = ["Address", "addresses", "is_local"]

_ENDPOINT = re.compile(r"/(?:(?:chat/)?completions|embeddings)/*$")
_VERSION = re.compile(r"/v\d+[a-z0-9]*(?:/|$)")
_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


@dataclass(frozen=True, slots=True)
class Address:
    """One base address, without a slash at its end, and the query it is always asked with."""

    base: str
    query: tuple[tuple[str, str], ...] = ()


def addresses(base_url: str) -> tuple[Address, ...]:
    """The addresses that `base_url` may mean, in the order to try.

    Raises `ValueError` for what is no http or https address.
    """
    parts = _split(base_url.strip())
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    path = _ENDPOINT.sub("", parts.path).rstrip("/")
    base = f"{parts.scheme}://{parts.netloc}{path}"
    if _VERSION.search(path):
        return (Address(base, query),)
    return (Address(base, query), Address(f"{base}/v1", query))


def _split(url: str) -> SplitResult:
    if "://" not in url:
        scheme = "http" if is_local(f"http://{url}") else "https"
        url = f"{scheme}://{url}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port  # raises for a port that is no number
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            f"base_url is {url!r}; it is an http or https address such as http://127.0.0.1:11434/v1"
        )
    return parts


def is_local(base_url: str) -> bool:
    """Whether `base_url` is of this machine or a private network, where no key is needed."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)
    return address.is_loopback or address.is_private or address.is_link_local
