"""The operator, and the two other things its image does.

python -m gyeol.cluster                       run the operator
python -m gyeol.cluster crds DIR              write the CustomResourceDefinitions
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gyeol.reconcile.crd.definition import files

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def crds(folder: Annotated[Path, typer.Argument(help="Folder of the chart's templates.")]) -> None:
    """Write the CustomResourceDefinitions, made from the models."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    app()
