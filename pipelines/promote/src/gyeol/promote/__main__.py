"""Promotion as a job: `python -m gyeol.promote run ...`."""

from gyeol.promote.command import command

if __name__ == "__main__":
    command(prog_name="gyeol-promote")
