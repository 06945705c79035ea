"""The definitions themselves: names, columns, and how they are written into the chart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import BaseModel

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.crd.structural import structural
from gyeol.reconcile.pack import CulturePack
from gyeol.reconcile.promotion import ModelPromotion

GROUP = "gyeol.dev"
VERSION = "v1alpha1"
CATEGORY = "alignment"
"""`kubectl get alignment` lists every kind of ours."""
HEADER = (
    "# Generated from the models by `python -m gyeol.cluster crds charts/crds/templates`; change the models instead.\n"
)

Column = tuple[str, str, str]
"""Heading, type and JSONPath."""

_AGE: Column = ("Age", "date", ".metadata.creationTimestamp")


@dataclass(frozen=True)
class Kind:
    """One kind of ours."""

    model: type[BaseModel]
    plural: str
    short: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        return self.model.__name__


KINDS = (
    Kind(
        AlignmentRun,
        "alignmentruns",
        ("ar", "arun"),
        (
            ("State", "string", ".status.state"),
            ("Reason", "string", ".status.reason"),
            ("Progress", "string", ".status.progress"),
            ("Accepted", "integer", ".status.data.accepted"),
            ("Verdict", "string", ".status.verdict"),
            ("Model", "string", ".spec.baseModel.uri"),
            _AGE,
        ),
    ),
    Kind(
        ModelPromotion,
        "modelpromotions",
        ("mp", "mpromo"),
        (
            ("State", "string", ".status.state"),
            ("Reason", "string", ".status.reason"),
            ("Environment", "string", ".spec.environment"),
            ("Strategy", "string", ".spec.strategy"),
            ("Step", "integer", ".status.step"),
            ("Model", "string", ".spec.model.uri"),
            _AGE,
        ),
    ),
    Kind(
        CulturePack,
        "culturepacks",
        ("cpack",),
        (
            ("Culture", "string", ".spec.culture"),
            ("Version", "string", ".status.version"),
            ("Verified", "string", ".status.conditions[?(@.type=='Verified')].status"),
            ("Signature", "string", ".status.signature"),
            ("Current", "string", ".status.conditions[?(@.type=='Current')].status"),
            ("Law as of", "string", ".status.lawAsOf"),
            _AGE,
        ),
    ),
)


def definition(kind: Kind) -> dict[str, Any]:
    """The CustomResourceDefinition of one kind."""
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": structural(kind.model)},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": name, "type": of, "jsonPath": path} for name, of, path in kind.columns],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{kind.plural}.{GROUP}",
            "annotations": {"helm.sh/resource-policy": "keep"},
            "labels": {"app.kubernetes.io/name": "gyeol", "app.kubernetes.io/component": "crds"},
        },
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind.name,
                "listKind": f"{kind.name}List",
                "plural": kind.plural,
                "singular": kind.name.lower(),
                "shortNames": list(kind.short),
                "categories": [CATEGORY],
            },
            "versions": [version],
        },
    }


def files() -> Mapping[str, str]:
    """Name and text of each file of the chart."""
    return {
        f"{kind.plural}.yaml": HEADER + yaml.safe_dump(definition(kind), sort_keys=False, allow_unicode=True, width=120)
        for kind in KINDS
    }
