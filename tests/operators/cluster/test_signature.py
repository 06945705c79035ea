"""A pack is verified when the owner of the key signed the image whose content is served: built, signed and served for real."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.cluster.client import Cluster
from gyeol.cluster.credential import SECRET
from gyeol.cluster.settings import Settings
from gyeol.cluster.signature import KEY, Signatures
from gyeol.policy.store import image, signature
from gyeol.reconcile.culture import Signature
from gyeol.reconcile.document import parse_culture_pack
from gyeol.reconcile.pack import CulturePack
from support.kube.server import api_server
from support.registry import registry

SERVED = "sha256:" + "5" * 64


@pytest_asyncio.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with api_server() as server, ApiClient(Configuration(host=server.url)) as api:
        yield Cluster(api)


def key(folder: Path, name: str) -> Path:
    path = folder / f"{name}.pem"
    private = Ed25519PrivateKey.generate()
    path.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    path.with_suffix(".pub").write_bytes(public)
    return path


@pytest.fixture
def owner(tmp_path: Path) -> Path:
    return key(tmp_path, "owner")


@pytest.fixture
def built(tmp_path: Path) -> image.Image:
    """An image that nobody has signed yet."""
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "pack.yaml").write_text("name: ko-KR\n")
    return image.build(
        folder, tmp_path / "store" / "ko-kr", name="ko-KR", version="1.0.0", content_digest=SERVED, licence="CC0-1.0"
    )


async def given(cluster: Cluster, content: bytes, name: str = KEY) -> None:
    value = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pack-key", "namespace": "default"}}
    await cluster.create(SECRET, {**value, "data": {name: base64.b64encode(content).decode()}})


def pack(uri: str, ref: str = "pack-key") -> CulturePack:
    text = f"apiVersion: gyeol.dev/v1alpha1\nkind: CulturePack\nmetadata: {{name: ko-kr, namespace: default}}\nspec:\n  culture: ko-KR\n  source: {{uri: '{uri}', publicKeyRef: '{ref}'}}\n"
    return parse_culture_pack(text, "pack.yaml")


async def looked(cluster: Cluster, uri: str, served: str = SERVED, folder: Path = Path("/none")) -> Signature:
    settings = Settings(lease_namespace="default", artifacts_folder=folder)
    found = await Signatures(cluster, settings).look(pack(uri), served)
    assert found is not None
    return found


@pytest.mark.parametrize("refers", [True, False], ids=["lists what refers", "keeps the list under a tag"])
async def test_a_signed_pack_of_a_registry_is_verified(
    cluster: Cluster, built: image.Image, owner: Path, tmp_path: Path, refers: bool
) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    signature.sign(built, key(tmp_path, "somebody-else"))
    identifier = signature.sign(built, owner)
    async with registry(built.layout, refers=refers) as host:
        for reference in (":1.0.0", "", f"@{built.digest}"):
            found = await looked(cluster, f"oci://{host}/packs/ko-kr{reference}")
            assert found == Signature("Verified", f"the image {built.digest} was signed with the key {identifier}")


async def test_a_signed_pack_on_the_claim_is_verified(cluster: Cluster, built: image.Image, owner: Path) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    signature.sign(built, owner)
    store = built.layout.parent
    assert (await looked(cluster, "pvc://gyeol-artifacts/ko-kr", folder=store)).state == "Verified"
    assert (await looked(cluster, "pvc://gyeol-artifacts/ja-jp", folder=store)).state == "Unverified"
    assert (await looked(cluster, "pvc://another/ko-kr", folder=store)).state == "Unverified"
    assert (await looked(cluster, "pvc://gyeol-artifacts/../store/ko-kr", folder=store)).state == "Unverified"


async def test_a_pack_that_only_others_signed_is_invalid(
    cluster: Cluster, built: image.Image, owner: Path, tmp_path: Path
) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    async with registry(built.layout) as host:
        for _ in ("nobody", "somebody else"):
            found = await looked(cluster, f"oci://{host}/ko-kr:1")
            assert found.state == "Invalid"
            assert f"fits the image {built.digest}" in found.message
            signature.sign(built, key(tmp_path, "somebody-else"))


async def test_a_signature_for_another_image_or_other_content_is_invalid(
    cluster: Cluster, built: image.Image, owner: Path
) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    signature.sign(built, owner)
    async with registry(built.layout) as host:
        other = await looked(cluster, f"oci://{host}/ko-kr:1", served="sha256:" + "6" * 64)
        assert other.state == "Invalid"
        assert f"holds {SERVED}, but the policy service has sha256:666" in other.message
        changed = json.loads(image.blob(built.layout, built.digest))
        changed["annotations"]["dev.gyeol.culture.digest"] = "sha256:" + "6" * 64
        pushed_over(built.layout, json.dumps(changed).encode())
        assert (await looked(cluster, f"oci://{host}/ko-kr:1", served="sha256:" + "6" * 64)).state == "Invalid"


def pushed_over(layout: Path, manifest: bytes) -> None:
    """Puts another manifest under the pack's tag; the signatures stay."""
    index = json.loads((layout / "index.json").read_bytes())
    name = hashlib.sha256(manifest).hexdigest()
    (layout / "blobs" / "sha256" / name).write_bytes(manifest)
    index["manifests"][0] |= {"digest": f"sha256:{name}", "size": len(manifest)}
    (layout / "index.json").write_text(json.dumps(index))


async def test_content_that_has_not_its_digest_is_invalid(cluster: Cluster, built: image.Image, owner: Path) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    signature.sign(built, owner)
    (built.layout / "blobs" / "sha256" / built.digest.removeprefix("sha256:")).write_bytes(b"{}")
    async with registry(built.layout) as host:
        found = await looked(cluster, f"oci://{host}/ko-kr@{built.digest}")
    assert found.state == "Invalid"
    assert f"what is served as {built.digest} has digest" in found.message


UNREADABLE = [
    ("oci://127.0.0.1:1/ko-kr:1", "cannot be read"),
    ("oci://169.254.169.254/ko-kr:1", "it may not be called"),
    ("oci://Registry/ko-kr", "write oci://host/name:tag"),
    ("configmap:ko-kr", "a ConfigMap carries no signature"),
]


@pytest.mark.parametrize(("uri", "said"), UNREADABLE)
async def test_what_cannot_be_read_is_unverified_with_the_reason(
    cluster: Cluster, owner: Path, uri: str, said: str
) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    found = await looked(cluster, uri)
    assert found.state == "Unverified"
    assert said in found.message


async def test_a_registry_that_lets_only_its_own_in_is_told_apart(
    cluster: Cluster, built: image.Image, owner: Path
) -> None:
    await given(cluster, owner.with_suffix(".pub").read_bytes())
    async with registry(built.layout, closed=True) as host:
        found = await looked(cluster, f"oci://{host}/ko-kr:1")
    assert found.state == "Unverified"
    assert "asks for an account" in found.message


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [(None, b"", "is not there; make it: kubectl create secret generic pack-key --namespace default"),
     ("other", b"x", "holds no Ed25519 public key as pack.pub"),
     (KEY, b"-----BEGIN PUBLIC KEY-----\n", "holds no Ed25519 public key as pack.pub")],
)  # fmt: skip
async def test_a_key_that_is_not_there_is_said_with_the_command_that_makes_it(
    cluster: Cluster, name: str | None, content: bytes, said: str
) -> None:
    if name:
        await given(cluster, content, name)
    found = await looked(cluster, "configmap:ko-kr")
    assert found.state == "Unverified"
    assert said in found.message


async def test_a_pack_that_asks_for_no_signature_is_not_looked_at(cluster: Cluster) -> None:
    nothing: Any = await Signatures(cluster, Settings()).look(pack("oci://127.0.0.1:1/x", ref=""), SERVED)
    assert nothing is None
