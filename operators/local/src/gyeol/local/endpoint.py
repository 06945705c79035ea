"""Whether the model endpoints of a run can be used, asked before anything is started and when nothing moves."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import httpx

from gyeol.chassis.chat import Endpoint, GarbledError, load_endpoints, probe
from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.local.errors import InputError
from gyeol.local.home import Home
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.spec.data import BUILTIN, BUILTIN_JUDGES, BUILTIN_WRITERS

SECONDS = 10.0
_LASTING = frozenset({Meaning.DENIED, Meaning.INVALID, Meaning.EXHAUSTED})
"""What an endpoint would say again to the same question."""
ROLES = frozenset({"filler", "plausibility"})
"""What a model may do beside writing and judging; it is asked without being named by the run."""


def endpoints_of(run: AlignmentRun, home: Home, places: Iterable[Path]) -> dict[str, Endpoint]:
    """The endpoints that the run names or that have a role, none for built-in providers. The models file is copied into the state folder.

    Args:
      run: The run.
      home: Where services look models files up.
      places: Folders to look in for a file that the state folder does not have yet; earlier ones first.

    Raises:
      InputError: The file is missing, does not define a name that the run uses, or gives a role that there is not.
      InvalidError: The file is wrong; the message names the field.
    """
    data = run.spec.data
    name = data.endpoints_ref.name
    if name == BUILTIN:
        return {}
    looked = [place / f"{name}.yaml" for place in places]
    source = next((path for path in looked if path.is_file()), None)
    if source is None and not (home.models / f"{name}.yaml").is_file():
        raise InputError(
            f"spec.data.endpointsRef.name: {name} needs a models file; write one at {looked[0] if looked else home.models}"
        )
    known = load_endpoints(source.parent if source is not None else home.models, name)
    used = {*data.writers} - {*BUILTIN_WRITERS} | {*data.judges} - {*BUILTIN_JUDGES} | {data.target_model} - {"base"}
    missing = sorted(used - set(known))
    if missing:
        raise InputError(
            f"the models file {name} does not define {', '.join(missing)}; it defines {', '.join(known)}. Add what is "
            "missing, or correct spec.data.writers, judges or targetModel"
        )
    unknown = sorted({role for one in known.values() for role in one.roles} - ROLES)
    if unknown:
        raise InputError(
            f"the models file {name} gives the roles {', '.join(unknown)}; use {' or '.join(sorted(ROLES))}"
        )
    if source is not None:  # only now: a faulty file must not take the place of the one that services use
        home.models.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, home.models / source.name)
    used |= {one.name for one in known.values() if one.roles}
    return {one: known[one] for one in sorted(used)}


async def troubles(endpoints: Iterable[Endpoint]) -> list[str]:
    """What is wrong with the endpoints, each with the remedy; empty when all answer."""
    found = await asyncio.gather(*(_trouble(one) for one in endpoints))
    return [trouble for trouble in found if trouble]


@dataclass(frozen=True)
class Refusal:
    """Why a model gives no answer."""

    why: str
    """Names the endpoint, and the remedy where there is one."""
    lasting: bool
    """It would say so again: a person has to mend something."""


async def refusals(endpoints: Iterable[Endpoint]) -> list[Refusal]:
    """What the models say to a real question, of those that do not answer it.

    An endpoint may list its models to everybody and answer nobody, so each model is asked something short. That may cost a few tokens.
    """
    found = await asyncio.gather(*(_refusal(one) for one in endpoints))
    return [refusal for refusal in found if refusal is not None]


async def _refusal(endpoint: Endpoint) -> Refusal | None:
    try:
        async with asyncio.timeout(SECONDS):
            await probe(endpoint)
    except TimeoutError:
        return Refusal(f"endpoint {endpoint.name} gives no answer within {SECONDS:g} s", lasting=False)
    except GyeolError as error:
        return Refusal(str(error), lasting=error.meaning in _LASTING or isinstance(error, GarbledError))
    return None


async def _trouble(endpoint: Endpoint) -> str:
    where = f"model endpoint {endpoint.name} at {endpoint.base_url}"
    headers = {"Authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
    try:
        async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
            answer = await client.get(f"{endpoint.base_url.rstrip('/')}/models", headers=headers)
    except httpx.TimeoutException:
        return f"{where} does not answer within {SECONDS:g} s; check that it is up and not overloaded"
    except httpx.HTTPError as error:
        return f"{where} cannot be reached ({type(error).__name__}); start it, or correct baseUrl in the models file"
    if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        key = (
            f"the key in {endpoint.api_key_env}"
            if endpoint.api_key_env
            else "a call without a key; name one in apiKeyEnv"
        )
        return f"{where} refuses {key} (HTTP {answer.status_code})"
    if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
        return f"{where} answers HTTP {answer.status_code}; see its own log"
    return ""
