"""Everyday English words by the field of life they belong to: out of the language files.

Two statements may speak of one matter without sharing a word ("my glaze cracked", "back to the
pottery wheel"). A word that is listed there adds its field as one more term beside its own stem, so
that a follow-up stays with its matter, and a change of field is seen as a change of matter, even
before this memory has heard either word. Words that belong to many fields are left out.
"""

from __future__ import annotations

from typing import Final

from scenemem.base.languages import rows

FIELDS: Final[dict[str, str]] = {
    field: " ".join(listed) for field, listed in rows("fields of life", "en").items()
}
