"""The dataset card: a README that the Hugging Face tools read as well as people do."""

from __future__ import annotations

from gyeol.ledger.domain.manifest import Tally


def card(tally: Tally, digest: str, run_name: str) -> bytes:
    """The README of a sealed dataset; equal for equal rows of the same run."""
    strata = "\n".join(f"| {name} | {rows} |" for name, rows in sorted(tally.strata.items()))
    writers = "\n".join(
        f"| {source.name} | {source.model} | {rows} |" for source, rows in sorted(tally.writers.items())
    )
    languages = sorted({culture.split("-")[0] for culture, _ in tally.packs})
    return f"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
language: [{", ".join(languages)}]
task_categories: [text-generation]
tags: [preference, dpo, cultural-alignment]
---
# Preference triplets of run {run_name}

{tally.rows} triplets, {tally.benign} of them benign pairs against over-refusal.
`rejected` holds unsafe answers (for benign pairs: needless refusals): for training, not for reading aloud.
Digest (Merkle root over rows): `{digest}`. Law as of {max(tally.law_as_of, default="")}.
Licence notes, models and policies are in `manifest.json`.

| stratum | rows |
|---|---|
{strata}

| writer of `chosen` | model | rows |
|---|---|---|
{writers}
""".encode()
