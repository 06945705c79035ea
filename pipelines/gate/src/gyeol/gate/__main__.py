"""The gate as a job: `python -m gyeol.gate run ...`."""

from gyeol.gate.command import command

if __name__ == "__main__":
    command(prog_name="gyeol-gate")
