"""How scenemem/synonyms.txt was made: English words, each with what stands near it.

    pip install wordllama wordfreq snowballstemmer
    python benchmarks/make_synonyms.py > scenemem/synonyms.txt

The words are the 15,000 most frequent ones of `wordfreq` that are no function words and one token
of `wordllama` (static embeddings that come with the package), the most frequent of each stem. Two
words are a pair when each is among the other's six nearest and their cosine is at least 0.4. No
benchmark's text takes part; six and 0.4 were chosen on the tuning halves, where they hardly
matter (0.35 to 0.5 and four to eight neighbours are within .005).
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from scenemem.stopwords import STOPWORDS

FREQUENT = 15_000
NEAREST = 6
LEAST_COSINE = 0.4


def loaded() -> Any:
    """The embeddings from the files of the package itself."""
    module = importlib.import_module("wordllama")
    folder = Path(module.__file__ or "").parent
    return module.WordLlama.load(cache_dir=folder, disable_download=True)


def candidates(tokenizer: Any) -> list[str]:
    """The words, each the most frequent of its stem."""
    stem = importlib.import_module("snowballstemmer").stemmer("porter").stemWord
    frequent = importlib.import_module("wordfreq").top_n_list("en", FREQUENT)
    tokenizer.no_padding()
    by_stem: dict[str, str] = {}
    for word in frequent:
        plain = word.isascii() and word.isalpha() and len(word) > 2
        if not plain or word in STOPWORDS["en"]:
            continue
        if len(tokenizer.encode(word, add_special_tokens=False).ids) == 1:
            by_stem.setdefault(stem(word), word)
    return list(by_stem.values())


def main() -> None:
    numpy = importlib.import_module("numpy")
    embeddings = loaded()
    found = candidates(embeddings.tokenizer)
    vectors = embeddings.embed(found, norm=True)
    cosines = vectors @ vectors.T
    numpy.fill_diagonal(cosines, -1.0)
    nearest = numpy.argsort(-cosines, axis=1)[:, :NEAREST]
    near = [set(row) for row in nearest.tolist()]
    print("# English words, each with what stands near it; made by benchmarks/make_synonyms.py.")
    for place, word in enumerate(found):
        beside = [
            found[other]
            for other in nearest[place].tolist()
            if place in near[other] and cosines[place, other] >= LEAST_COSINE
        ]
        if beside:
            print(f"{word}: {' '.join(beside)}")


if __name__ == "__main__":
    main()
