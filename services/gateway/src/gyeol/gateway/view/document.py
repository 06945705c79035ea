"""The root of all views: immutable, documented by the docstrings below their fields."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class View(BaseModel):
    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)
