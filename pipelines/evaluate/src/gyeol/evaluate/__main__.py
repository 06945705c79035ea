"""Evaluation as a job: `python -m gyeol.evaluate run ...`."""

from gyeol.evaluate.command import command

if __name__ == "__main__":
    command(prog_name="gyeol-evaluate")
