"""Model endpoints: where a model is, what it costs, how hard it may be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from gyeol.chassis.chat.address import check_url
from gyeol.chassis.errors import NotFoundError


@dataclass(frozen=True)
class Price:
    input_per_million: Decimal
    output_per_million: Decimal
    currency: str

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """Money for one call."""
        return (self.input_per_million * prompt_tokens + self.output_per_million * completion_tokens) / 1_000_000


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible URL.

    Raises:
      InvalidError: `base_url` is not an address that may be called.
    """

    name: str
    """Name used in run files, records and reports."""
    base_url: str
    """For example `http://127.0.0.1:9000/v1`."""
    model: str
    """Model name sent in the request."""
    revision: str = ""
    """Digest or revision of the weights, when known; part of the cache key."""
    api_key_env: str = ""
    """Environment variable that holds the key."""
    api_key: str = field(default="", repr=False)
    price: Price | None = None
    """None: unknown."""
    concurrency: int = 16
    """Most calls at once."""
    requests_per_minute: int | None = None
    """Most calls per minute; None: no limit of ours."""
    timeout_seconds: float = 60.0
    """Seconds one attempt may take."""
    temperature: Decimal | None = None
    """Used when a call gives none."""
    roles: tuple[str, ...] = ()
    """What the model does beside what runs name it for; the services that have a role to give know its name."""

    def __post_init__(self) -> None:
        check_url(self.base_url)


def load_endpoints(folder: Path, name: str, environ: Mapping[str, str] = os.environ) -> dict[str, Endpoint]:
    """The endpoints of one models file by name; none for `builtin`, which needs no file.

    Raises:
      NotFoundError: There is no such file.
      InvalidError: Names the file, the field, the value and the remedy.
    """
    if name == "builtin":
        return {}
    from gyeol.chassis.chat import modelsfile

    path = folder / f"{name}.yaml"
    if Path(name).name != name or not path.is_file():
        raise NotFoundError(f"models file {path} does not exist: create it, or use the endpoints `builtin`")
    return modelsfile.endpoints(path, environ)
