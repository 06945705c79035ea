"""Weights as a job: `python -m gyeol.weights get URI --output DIR`.

Says what it does as JSON lines on standard output.
Exit status: 0 done, 2 the address or what is there is wrong (do not retry), 1 anything else (retry).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.weights.address import address
from gyeol.weights.cache import cache_folder
from gyeol.weights.job import get, source

_FINAL = (Meaning.INVALID, Meaning.DENIED, Meaning.NOT_FOUND)


def main(arguments: list[str] | None = None) -> int:
    """Runs the job and returns its exit status."""
    parser = argparse.ArgumentParser(prog="gyeol-weights", description=__doc__, allow_abbrev=False)
    jobs = parser.add_subparsers(dest="job", required=True)
    fetch = jobs.add_parser("get", help="turn an address into a folder of verified safetensors", allow_abbrev=False)
    fetch.add_argument("uri", help="builtin:tiny-ko, hf://OWNER/NAME@REVISION, file://, gguf:, pvc://, s3://, oci://")
    fetch.add_argument("--output", type=Path, required=True, help="folder for the weights")
    fetch.add_argument("--cache", type=Path, help="folder shared by all runs (default: below GYEOL_CACHE or ~/.cache)")
    fetch.add_argument("--seed-address", default="", help="seed service, for builtin:")
    fetch.add_argument("--policy-address", default="", help="policy service, for builtin:")
    given = parser.parse_args(arguments)
    # Progress bars of libraries would stand between the lines.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        wanted = address(given.uri)
        origin = source(wanted, given.seed_address, given.policy_address)
        made = get(wanted, origin, given.output, cache_folder(given.cache), say)
    except GyeolError as error:
        say("failed", meaning=error.meaning.value, error=str(error))
        sys.stderr.write(f"gyeol-weights: {error}\n")
        return 2 if error.meaning in _FINAL else 1
    except OSError as error:
        say("failed", meaning=Meaning.INTERNAL.value, error=str(error))
        sys.stderr.write(f"gyeol-weights: {given.uri}: {error}\n")
        return 1
    say("done", uri=given.uri, digest=made["digest"], parameters=made["parameters"], output=str(given.output))
    return 0


def say(event: str, **fields: object) -> None:
    """One line for whoever waits."""
    sys.stdout.write(json.dumps({"event": event, **fields}, ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
