"""What of a message is read as talk: its sentences, without code, logs, markup and placeholders.

Work is bounded however long the message is: of a text beyond `READ_WHOLE` characters its
beginning, its end and the surroundings of explicit requests to remember are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from scenemem.base.languages import pattern, rows
from scenemem.base.sentences import sentences

__all__ = ["READ_WHOLE", "bounded", "caption_off", "is_placeholder", "sentences_of"]

READ_WHOLE = 100_000
_EDGE = 40_000  # characters read at each end of a longer text
_BLOCK = 1_500  # longest stretch handed to the sentence splitter at once
_MOST_WINDOWS = 20
_FEW_CODE_LINES = 3
_LONGEST_QUOTATION = 6  # sentences
_LONGEST_PLACEHOLDER = 60
_SHORT = 200  # characters of a line that is never taken for gibberish
_GIANT = 80  # characters of a "word" that is none: a key, a hash, encoded bytes
_GIBBERISH = re.compile(f"[!-~]{{{_GIANT},}}")

_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_CAPTION = re.compile(r"\s*\[image: ([^\]\n]{1,500})\]\s*$")
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_MARKUP = re.compile(r"^\s*(?:(?:[-*•+]|\d{1,3}[.)]|#{1,6})\s+)?(?:\[[ xX]\] )?")
_CODE_LINE = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|WARN|ERROR|TRACE)\b"
    r"|at [\w.$]+\(|Traceback|File \"|import \w|from \w+ import|def \w+\(|class \w+[:(]|#include"
    r"|</?\w+[^>]*>|[{}\])];?,?$|(?:var|let|const|return|public|private|if|for|while) ?[\w(].*[;{]$"
    r"|\$ |>>> |\"[\w-]+\": )"
)


def caption_off(content: str) -> tuple[str, str]:
    """A message's own words, and the caption of the image behind them: "text [image: caption]"."""
    if not content.endswith("]"):
        return content, ""
    found = _CAPTION.search(content, max(0, len(content) - 600))
    return (content[: found.start()], found[1].strip()) if found else (content, "")


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of `text` that read like language, in order; a quotation stays in one piece."""
    if "\n" not in text and len(text) <= _BLOCK:
        if not is_placeholder(text):
            yield from _unquoted(sentences(text))
        return
    lines = _FENCED.sub("\n", bounded(text)).splitlines()
    dump = sum(1 for line in lines if _CODE_LINE.match(line)) > _FEW_CODE_LINES
    for line in lines:
        if line.startswith(">") or (dump and _CODE_LINE.match(line)) or is_placeholder(line):
            continue
        for block in _blocks(_MARKUP.sub("", line)):
            yield from _unquoted(sentences(block))


def is_placeholder(line: str) -> bool:
    """Whether a line only says what an export left out: "<Media omitted>", "Bild weggelassen"."""
    if len(line) > _LONGEST_PLACEHOLDER:
        return False
    bare = _UNSEEN.sub("", line).strip()
    said = " ".join(bare.strip("<>[]() .").lower().split())
    if said in _placeholders("alone"):
        return True
    return (
        bare[:1] in ("[", "<") and bare[-1:] in ("]", ">") and said in _placeholders("in brackets")
    )


@cache
def _placeholders(key: str) -> frozenset[str]:
    return frozenset(rows("placeholders").get(key, ()))


def bounded(text: str) -> str:
    """`text`, or what is read of it where it is too long, with a line break at each cut."""
    if len(text) <= READ_WHOLE:
        return text
    head = text[:_EDGE]
    parts = [head[: max(head.rfind("\n", -_BLOCK), head.rfind(" ", -_BLOCK)) + 1 or _EDGE]]
    read_to = _EDGE
    for found in pattern("remember").finditer(text, _EDGE, len(text) - _EDGE):
        if found.start() >= read_to:
            read_to = min(found.start() + 600, len(text) - _EDGE)
            parts.append(text[found.start() : read_to])
        if len(parts) > _MOST_WINDOWS:
            break
    tail = text[-_EDGE:]
    # The end begins at a line's start, or else at a word's.
    cut = tail.find("\n", 0, _BLOCK) + 1 or tail.find(" ", 0, _BLOCK) + 1
    return "\n".join([*parts, tail[cut:]])


def _blocks(line: str) -> Iterator[str]:
    """The line in stretches short enough to split, cut at spaces; gibberish left out."""
    if len(line) > _GIANT:
        line = _GIBBERISH.sub(" ", line).strip()
    while len(line) > _BLOCK:
        cut = line.rfind(". ", _BLOCK // 2, _BLOCK) + 1 or line.rfind(" ", _BLOCK // 2, _BLOCK)
        cut = cut if cut > 0 else _BLOCK
        yield from _prose(line[:cut])
        line = line[cut:].lstrip()
    if len(line) < _SHORT:
        yield line
    else:
        yield from _prose(line)


def _prose(block: str) -> Iterator[str]:
    """The block where it reads like language, else what it asks to be remembered."""
    if _is_prose(block):
        yield block
    elif found := pattern("remember").search(block):
        yield block[found.start() :]


def _is_prose(text: str) -> bool:
    """Whether a long stretch reads like language: letters, in words of a bearable length."""
    if sum(map(str.isalpha, text)) < 0.55 * len(text):
        return False
    return not text.isascii() or text.count(" ") > len(text) / 40


def _unquoted(pieces: list[str]) -> Iterator[str]:
    """Sentences, with those that stand inside one quotation put back together."""
    held = ""
    joined = 0
    for piece in pieces:
        if held and joined < _LONGEST_QUOTATION and (_is_open(held) or _goes_on(held, piece)):
            held = f"{held} {piece}"
            joined += 1
            continue
        if held:
            yield held
        held, joined = piece, 1
    if held:
        yield held


def _goes_on(held: str, piece: str) -> bool:
    """Whether a sentence goes on behind a quotation: 'He said "Stop." and left.'"""
    return held[-1] in '"”»' and piece[0].islower()


def _is_open(text: str) -> bool:
    if '"' in text and text.count('"') % 2:
        return True
    return not text.isascii() and sum(map(text.count, "“„«「『")) > sum(map(text.count, "”»」』"))
