"""Jobs that work in the delivery repository: they propose a model, and the way back."""

from __future__ import annotations

from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.name import tag
from gyeol.reconcile.manifest.pod import Container, container, resources
from gyeol.reconcile.manifest.promotion import environment_service, local_pod, part_name, promotion_job
from gyeol.reconcile.manifest.site import Site, Value
from gyeol.reconcile.promotion import ModelPromotion
from gyeol.reconcile.spec.training import Resources

_SECONDS = 3600


def proposal_name(promotion: ModelPromotion, attempt: int) -> str:
    return part_name(promotion.metadata.name, f"-{tag(promotion.metadata.uid)}-propose-{attempt}")


def proposal_job(promotion: ModelPromotion, site: Site, attempt: int, evidence: str) -> Value:
    """Proposes the change in the delivery repository.

    Args:
      promotion: The promotion.
      site: The cluster.
      attempt: From 0.
      evidence: Folder of the verdict, below the root of the artifact store.

    Raises:
      ValueError: The model is not in the artifact store, so that its manifest cannot be read.
    """
    root, spec = place.address(site.store, ""), promotion.spec
    if not spec.model.uri.startswith(root):
        raise ValueError(
            f"spec.model.uri: {spec.model.uri} is not in the artifact store {root}, so its manifest cannot be checked; "
            "copy the model there, or use strategy Direct"
        )
    model = spec.model.uri.removeprefix(root)
    folder = f"promotions/{tag(promotion.metadata.uid)}/proposal"
    argv = ["python", "-m", "gyeol.promote", "run", "--environment", spec.environment, "--strategy", "PullRequest"]
    argv += ["--name", environment_service(promotion), "--uri", spec.model.uri, "--model", place.mounted(model)]
    argv += ["--verdict", place.mounted(evidence) + "/verdict.json", "--output", place.mounted(folder)]
    made = _pod(promotion, site, argv, folder, (model, evidence))
    return promotion_job(promotion, proposal_name(promotion, attempt), "promote", attempt, made, _SECONDS)


def revert_name(promotion: ModelPromotion, attempt: int) -> str:
    return part_name(promotion.metadata.name, f"-{tag(promotion.metadata.uid)}-revert-{attempt}")


def revert_job(promotion: ModelPromotion, site: Site, attempt: int, why: str) -> Value:
    """Proposes the way back in the delivery repository, or closes what nobody has merged yet."""
    spec, folder = promotion.spec, f"promotions/{tag(promotion.metadata.uid)}/revert"
    argv = ["python", "-m", "gyeol.promote", "rollback", "--environment", spec.environment, "--why", why]
    argv += ["--digest", spec.model.digest, "--output", place.mounted(folder)]
    made = _pod(promotion, site, argv, folder, ())
    return promotion_job(promotion, revert_name(promotion, attempt), "revert", attempt, made, _SECONDS)


def _pod(promotion: ModelPromotion, site: Site, argv: list[str], folder: str, read: tuple[str, ...]) -> Value:
    """The work, and a witness that looks at what it left; what is read is fetched first where the store is no volume."""
    witness = ["python", "-m", "gyeol.cluster", "witness", "promote", folder]
    witness += ["--run-id", promotion.spec.model.run or promotion.metadata.name]
    witness += ["--ledger-address", site.addresses["ledger"], "--location", place.address(site.store, folder)]
    first: list[Value] = []
    if site.store.kind == "s3":
        witness += ["--store", site.store.url]
        fetch = ["python", "-m", "gyeol.cluster", "fetch", site.store.url, *read]
        small = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
        one = Container("fetch", site.images["cluster"], fetch, resources=small, secret=site.store.secret)
        first = [container(one, site)] if read else []
    asked = resources(Resources(), {"cpu": "100m", "memory": "256Mi"})
    work = Container("work", site.images["promote"], argv, resources=asked, secret=site.git_secret)
    return local_pod(site, witness, work, (), first=first)
