"""Training as a job: the container of a PyTorchJob, or a process on one machine.

Exit status: 0 done, 2 the input is wrong (do not retry), 1 anything else (retry).
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from gyeol.chassis.errors import GyeolError, InvalidError
from gyeol.dpo import job
from gyeol.dpo.group import group
from gyeol.dpo.parameter import parameters
from gyeol.dpo.report import Report


def main(arguments: list[str] | None = None) -> int:
    """Runs one job and returns its exit status."""
    # `torchrun` takes abbreviations of its own options from the script; ours are written out and never shortened.
    parser = argparse.ArgumentParser(prog="gyeol-dpo", description=__doc__, allow_abbrev=False)
    parser.add_argument("job", choices=["preflight", "train"], help="look at the data, or train")
    parser.add_argument("--dataset", type=Path, required=True, help="folder of a sealed dataset")
    parser.add_argument("--base", type=Path, required=True, help="folder of the base model's weights")
    parser.add_argument(
        "--output", type=Path, required=True, help="folder for checkpoints, metrics, model and manifest"
    )
    parser.add_argument("--parameters", type=Path, required=True, help="the training section of the run, as JSON")
    parser.add_argument("--ledger-address", default="", help="where metrics are recorded; empty: in the folder only")
    parser.add_argument("--run-id", default="", help="run that the metrics belong to")
    parser.add_argument("--attempt", type=int, default=0, help="greater than 0: go on from a checkpoint, or fail")
    told = parser.parse_args(arguments)
    leads = os.environ.get("RANK", "0") == "0"
    report = Report(told.output, told.run_id, told.ledger_address, speaks=leads)
    try:
        chosen = parameters(told.parameters)
        if told.job == "preflight":
            job.examine(told.dataset, told.base, chosen, told.output, report)
        else:
            job.train(told.dataset, told.base, chosen, told.output, group(os.environ), report, told.attempt)
    except (GyeolError, OSError) as error:
        report.say("error", message=str(error))
        print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, InvalidError) else 1
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # an orderly exit would free what must not be freed: see `trainer._ENDED`
