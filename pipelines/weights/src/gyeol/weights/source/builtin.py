"""The model that is trained here, from the culture pack that the services hand out."""

from __future__ import annotations

import asyncio
import hashlib
from importlib.metadata import version
from pathlib import Path

from gyeol.weights.errors import AddressError, PeerError
from gyeol.weights.source.port import Origin, Say
from gyeol.weights.tiny.gathering import material
from gyeol.weights.tiny.material import Material
from gyeol.weights.tiny.phrasebook import phrasebook
from gyeol.weights.tiny.recipe import Recipe

NAME = "tiny-ko"
CULTURE = "ko-KR"
LICENCE = "apache-2.0"


class BuiltinSource:
    """`builtin:tiny-ko`.

    Args:
      name: What follows `builtin:`.
      seed_address: Where the seed service listens.
      policy_address: Where the policy service listens.
      recipe: The numbers it is made by.
    """

    def __init__(self, name: str, seed_address: str, policy_address: str, recipe: Recipe | None = None) -> None:
        if name != NAME:
            raise AddressError(f"builtin:{name} is not known: the built-in model is builtin:{NAME}")
        if not seed_address or not policy_address:
            raise PeerError(
                f"builtin:{NAME} is trained from the culture pack: name running services with --seed-address and "
                "--policy-address"
            )
        self._addresses = seed_address, policy_address
        self._recipe = recipe or Recipe()
        self._material: Material | None = None

    def revision(self) -> str:
        """Hash of everything the model depends on, the library that computes it included."""
        book = hashlib.sha256(phrasebook().source).hexdigest()
        parts = (self._recipe.digest(), self._gathered().digest(), book, version("torch"), version("tokenizers"))
        return "sha256:" + hashlib.sha256(" ".join(parts).encode()).hexdigest()

    def fetch(self, folder: Path, say: Say) -> Origin:
        from gyeol.weights.tiny.card import card
        from gyeol.weights.tiny.corpus import corpus
        from gyeol.weights.tiny.training import train

        gathered = self._gathered()
        talks = corpus(gathered, phrasebook(), self._recipe)
        say("training", conversations=len(talks), harmful=len(gathered.harmful), benign=len(gathered.benign))
        train(talks, self._recipe, folder, lambda at: say("trained", step=at.step, steps=at.steps, loss=at.loss))
        (folder / "README.md").write_text(card(self._recipe, gathered), encoding="utf-8")
        made_from = {
            "culture": CULTURE,
            "pack_digest": gathered.pack_digest,
            "recipe_digest": self._recipe.digest(),
            "conversations": len(talks),
        }
        return Origin(self.revision(), LICENCE, made_from)

    def _gathered(self) -> Material:
        if self._material is None:
            self._material = asyncio.run(self._gather())
        return self._material

    async def _gather(self) -> Material:
        from gyeol.chassis.rpc import channel

        seed, policy = (channel(address) for address in self._addresses)
        try:
            return await material(seed, policy, CULTURE, self._recipe.random_seed)
        finally:
            await asyncio.gather(seed.close(), policy.close())
