import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gyeol.seed.domain.draft import PackDesk
from gyeol.seed.domain.filling import count, fillings
from gyeol.seed.domain.seed import Made, Refusal, SeedKind
from gyeol.seed.domain.sequence import Recipe, capacity, sequence
from gyeol.seed.domain.split import Split, share
from gyeol.seed.domain.stock import Kind, Mold, Probe, Stock
from gyeol.seed.errors import StratumMissingError
from gyeol.seed.minhash import LIMIT, MinHashNearness, grams, jaccard

WORDS = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"


def _mold(kind: str, number: int, sizes: tuple[int, ...] = (4, 3), optional: int = 2) -> Mold:
    names = [f"s{index}" for index in range(len(sizes))]
    own = WORDS[number * 7 % 30 :] + kind
    slots = "".join(f"{{{name}}}{{을/를}} {own[3 * i : 3 * i + 9]} " for i, name in enumerate(names))
    values = {
        name: tuple(
            f"{WORDS[(number + 5 * v + 11 * i) % 40]}{WORDS[(v * 13 + i) % 40]}{v}{kind[0]}" for v in range(size)
        )
        for i, (name, size) in enumerate(zip(names, sizes, strict=True))
    }
    clause = f"[[ {{why}} 때문에 {own[:5]}.]]" if optional else ""
    if optional:
        values["why"] = tuple(f"{WORDS[v * 3]}{WORDS[v + 9]}탓" for v in range(optional))
    return Mold(
        f"{kind}.m{number}", kind, f"{slots}어때요?{clause}", tuple(names), ("why",) if optional else (), values
    )


def _kind(
    kind: str, category: str, domain: str, molds: int = 6, probes: int = 5, sizes: tuple[int, ...] = (4, 3)
) -> Kind:
    return Kind(
        kind,
        category,
        domain,
        tuple(_mold(kind, number, sizes) for number in range(1, molds + 1)),
        tuple(Probe(f"{kind}.p{n}", kind, f"{kind} {n} " * 6) for n in range(1, probes + 1)),
    )


STOCK = Stock(
    culture="ko-KR",
    digest="sha256:abc",
    kinds=(
        _kind("A.one", "A", "I"),
        _kind("A.two", "A", "I"),
        _kind("B.one", "B", "I"),
        _kind("B.two", "B", "I", molds=7),
        _kind("C.one", "C", "II"),
    ),
    markers={"place": frozenset({"가"}), "role": frozenset({"나", "다"})},
)

PLENTY = Stock(
    culture="ko-KR",
    digest="sha256:abc",
    kinds=tuple(
        _kind(f"{letter}.{name}", letter, "I", sizes=(30, 20)) for letter in "AB" for name in ("one", "two", "six")
    ),
    markers={},
)


def _recipe(**changes: object) -> Recipe:
    fields: dict[str, object] = {
        "stratum": "I",
        "kind": SeedKind.HARMFUL,
        "split": Split.TRAIN,
        "random_seed": 7,
        "lowest_depth": 0.0,
        "lowest_plausibility": 4.0,
    }
    return Recipe(**{**fields, **changes})  # type: ignore[arg-type]


def _made(recipe: Recipe, length: int | None = None) -> list[Made]:
    return list(itertools.islice(sequence(STOCK, recipe, MinHashNearness(), PackDesk(recipe.random_seed)), length))


def test_the_same_recipe_gives_the_same_seeds_with_the_same_ids() -> None:
    first, second = _made(_recipe(), 40), _made(_recipe(), 40)
    assert [made.seed.id for made in first] == [made.seed.id for made in second]
    assert first == second


def test_another_random_seed_gives_another_order() -> None:
    texts = [[made.seed.text for made in _made(_recipe(random_seed=seed), 30)] for seed in (1, 2)]
    assert texts[0] != texts[1]


@settings(max_examples=25, deadline=None)
@given(random_seed=st.integers(0, 2**63), length=st.integers(1, 60), split=st.sampled_from(Split))
def test_every_prefix_is_balanced_over_types_and_molds(random_seed: int, length: int, split: Split) -> None:
    kept: list[Made] = []
    recipe = _recipe(random_seed=random_seed, split=split)
    for made in sequence(PLENTY, recipe, MinHashNearness(), PackDesk(random_seed)):
        if made.refusal is None:
            kept.append(made)
        if len(kept) == length:
            break
    types = Counter(made.seed.type for made in kept)
    spread = [types[kind.id] for kind in PLENTY.within("I")]
    assert max(spread) - min(spread) <= 1


def test_molds_take_turns_within_their_type() -> None:
    made = _made(_recipe(stratum="A.one"), 8)
    assert len({m.seed.mold for m in made[:4]}) == 4
    assert Counter(m.seed.mold for m in made) == dict.fromkeys({m.seed.mold for m in made}, 2)


def test_no_mold_is_in_both_splits_and_a_third_is_held_out() -> None:
    for kind in STOCK.kinds:
        train = {mold.id for mold in share(kind.molds, Split.TRAIN)}
        held_out = {mold.id for mold in share(kind.molds, Split.HELD_OUT)}
        assert not train & held_out
        assert train | held_out == {mold.id for mold in kind.molds}
        assert len(held_out) == max(1, len(kind.molds) // 3)
    probes = STOCK.kinds[0].probes
    assert len(share(probes, Split.HELD_OUT)) == 1
    assert len(share(probes[:2], Split.HELD_OUT)) == 1


def test_whole_sequences_end_at_their_capacity_and_repeat_nothing() -> None:
    recipe = _recipe(stratum="A.one")
    made = _made(recipe)
    assert len(made) == capacity(STOCK, recipe)
    assert len({m.seed.text for m in made}) == len(made)


def test_near_duplicates_are_refused_and_what_is_kept_has_none() -> None:
    made = _made(_recipe(stratum="A.one"))
    kept = [m.seed.text for m in made if m.refusal is None]
    refused = [m for m in made if m.refusal is Refusal.DUPLICATE]
    assert refused
    for left, right in itertools.combinations(kept, 2):
        assert jaccard(grams(left), grams(right)) < LIMIT
    for one in refused:
        earlier = [m.seed.text for m in made[: made.index(one)] if m.refusal is None]
        assert max(jaccard(grams(one.seed.text), grams(text)) for text in earlier) >= LIMIT
        assert one.detail.startswith("similarity 0.") or one.detail.startswith("similarity 1.")


def test_shallow_seeds_are_refused_as_unrealistic() -> None:
    made = _made(_recipe(lowest_depth=2.0), 200)
    shallow = [m for m in made if m.refusal is Refusal.UNREALISTIC]
    assert shallow
    assert all(m.seed.realism.depth < 2 for m in shallow)
    assert all(m.seed.realism.depth >= 2 for m in made if m.refusal is None)


def test_benign_seeds_are_the_probes_as_they_are_written() -> None:
    recipe = _recipe(kind=SeedKind.BENIGN)
    made = _made(recipe)
    assert {m.seed.mold for m in made} == {p.id for kind in STOCK.within("I") for p in share(kind.probes, Split.TRAIN)}
    assert all(not m.seed.slots and m.refusal is None for m in made)
    assert len(made) == capacity(STOCK, recipe)


def test_particles_follow_the_words_that_fill_the_slots() -> None:
    for made in _made(_recipe(), 100):
        assert "{" not in made.seed.text
        assert "[[" not in made.seed.text


@pytest.mark.parametrize(
    ("stratum", "types"),
    [("", 5), ("I", 4), ("I/A", 2), ("II", 1), ("A.two", 1)],
)
def test_a_stratum_is_a_domain_a_category_a_type_or_everything(stratum: str, types: int) -> None:
    assert len(STOCK.within(stratum)) == types


def test_an_unknown_stratum_is_refused_with_those_there_are() -> None:
    with pytest.raises(StratumMissingError, match="no stratum 'II/A': use a domain such as I"):
        STOCK.within("II/A")


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    optional=st.integers(0, 3),
    random_seed=st.integers(0, 99),
)
def test_every_filling_is_made_once(sizes: list[int], optional: int, random_seed: int) -> None:
    mold = _mold("A.one", 1, tuple(sizes), optional)
    made = [tuple(sorted(filling.items())) for filling in fillings(mold, random_seed)]
    expected = math.prod(sizes) * (optional + 1)
    assert len(made) == len(set(made)) == count(mold) == expected


def test_a_short_prefix_already_uses_every_value_evenly() -> None:
    mold = _mold("A.one", 1, (8, 9, 5), 0)
    prefix = list(itertools.islice(fillings(mold, 3), 72))
    for slot, least in (("s0", 7), ("s1", 5), ("s2", 11)):
        assert min(Counter(filling[slot] for filling in prefix).values()) >= least
