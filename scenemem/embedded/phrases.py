"""The phrases of a text that could name its matter: noun-like runs of one to three words.

There is no part-of-speech model here. Word grades, endings and the word before tell well enough: an
article, a possessive or a preposition announces a noun; a pronoun, "to" or a modal a verb. In
scripts without spaces the stretches between the words that hold sentences together stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scenemem.embedded.terms import (
    DOING_WEIGHT,
    TOPIC_WEIGHT,
    VAGUE_WEIGHT,
    foreign_key,
    guess_language,
    han_chunks,
    read_word,
    without_particle,
)
from scenemem.embedded.vocabulary import COMPOUND_MODIFIERS, FOREIGN_LINKS, FOREIGN_STOP

LONGEST_PHRASE = 3
LONGEST_UNSPACED = 6
