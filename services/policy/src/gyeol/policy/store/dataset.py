"""Reads the chosen answers of a sealed dataset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gyeol.policy.domain.citing import Triplet
from gyeol.policy.errors import DatasetInvalidError


def triplets(folder: Path) -> Iterator[Triplet]:
    """Yields every triplet of `data/*.parquet`.

    Raises:
      DatasetInvalidError: There is no data, or a file is no table with triplet_id and chosen.
    """
    import pyarrow.lib
    import pyarrow.parquet as parquet

    files = sorted((folder / "data").glob("*.parquet"))
    if not files:
        raise DatasetInvalidError(f"{folder} holds no dataset: it has no data/*.parquet")
    for file in files:
        try:
            rows: list[dict[str, Any]] = parquet.read_table(file, columns=["triplet_id", "chosen"]).to_pylist()
        except (pyarrow.lib.ArrowException, OSError, KeyError) as error:
            raise DatasetInvalidError(f"{file}: cannot be read as a dataset: {error}") from None
        for row in rows:
            if "triplet_id" not in row or "chosen" not in row:
                raise DatasetInvalidError(f"{file}: has no columns triplet_id and chosen: name a dataset of triplets")
            yield Triplet(row["triplet_id"], "\n".join(message["content"] for message in row["chosen"]))
