"""What a bearer may ask: the rules of the roles that were bound to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from support.kube.call import Call
from support.kube.refusal import RefusalError

Rule = dict[str, Any]
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}


@dataclass(frozen=True)
class Rights:
    """Of an account: rules that hold in one namespace, and rules that hold everywhere."""

    account: str
    namespace: str
    local: Sequence[Rule]
    anywhere: Sequence[Rule] = ()

    def check(self, call: Call, exists: bool) -> None:
        """Raises RefusalError where no rule allows the call; an apply that makes its object is a `create` as well."""
        for verb in _verbs(call, exists):
            here = call.target.namespace == self.namespace
            if not any(_allows(rule, verb, call) for rule in (*self.anywhere, *(self.local if here else ()))):
                raise RefusalError(403, "Forbidden", self._told(verb, call), call.name)

    def _told(self, verb: str, call: Call) -> str:
        target = call.target
        where = f'in the namespace "{target.namespace}"' if target.namespace else "at the cluster scope"
        name = f' "{target.name}"' if target.name else ""
        return (
            f'{target.resource.qualified}{name} is forbidden: User "{self.account}" cannot {verb} resource '
            f'"{_resource(call)}" in API group "{target.resource.group}" {where}'
        )


def _verbs(call: Call, exists: bool) -> Iterator[str]:
    match call.verb:
        case "GET":
            yield "watch" if call.watches else "get" if call.target.name else "list"
        case "DELETE":
            yield "delete" if call.target.name else "deletecollection"
        case verb:
            yield _VERBS[verb]
    if call.verb == "PATCH" and not exists:
        yield "create"


def _allows(rule: Rule, verb: str, call: Call) -> bool:
    asked = (("apiGroups", call.target.resource.group), ("resources", _resource(call)), ("verbs", verb))
    named = rule.get("resourceNames") or [call.target.name]
    # The name of what is made is not known when the rules are read.
    known = verb != "create" or "resourceNames" not in rule
    return known and call.target.name in named and all({"*", one} & set(rule[field]) for field, one in asked)


def _resource(call: Call) -> str:
    plural = call.target.resource.plural
    return f"{plural}/{call.target.subresource}" if call.target.subresource else plural
