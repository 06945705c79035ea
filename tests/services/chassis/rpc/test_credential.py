"""Mutual TLS between services."""

import datetime
import ipaddress
from pathlib import Path

import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from gyeol.api.judge.v1.judge_pb2 import CheckRegisterRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.chassis.errors import InvalidError
from gyeol.chassis.rpc import Server, channel
from gyeol.chassis.rpc.credential import channel_credentials, server_credentials
from gyeol.chassis.settings import ServiceSettings

from .servicer import judge_door

PEM = serialization.Encoding.PEM


def certificate(folder: Path) -> ServiceSettings:
    """A self-signed certificate that is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gyeol")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number(), now, now.replace(year=now.year + 1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(exist_ok=True)
    (folder / "tls.crt").write_bytes(made.public_bytes(PEM))
    (folder / "tls.key").write_bytes(
        key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return ServiceSettings(tls_ca=folder / "tls.crt", tls_certificate=folder / "tls.crt", tls_key=folder / "tls.key")


async def test_only_services_with_a_certificate_of_the_authority_are_answered(tmp_path: Path) -> None:
    ours, foreign = certificate(tmp_path / "ours"), certificate(tmp_path / "foreign")
    server = Server("127.0.0.1", 0, [judge_door()], credentials=server_credentials(ours))
    address = f"127.0.0.1:{await server.start()}"
    known = channel(address, channel_credentials(ours))
    assert await JudgeServiceStub(known).CheckRegister(CheckRegisterRequest(), timeout=5)
    for stranger in (channel(address), channel(address, channel_credentials(foreign))):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await JudgeServiceStub(stranger).CheckRegister(CheckRegisterRequest(), timeout=2)
        assert caught.value.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
        await stranger.close()
    await known.close()
    await server.stop()


def test_half_of_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="tls_ca, tls_key and tls_certificate belong together"):
        server_credentials(ServiceSettings(tls_ca=tmp_path / "ca"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "ca"
    with pytest.raises(InvalidError, match="No such file"):
        channel_credentials(ServiceSettings(tls_ca=missing, tls_key=missing, tls_certificate=missing))


def test_without_files_there_is_no_tls() -> None:
    assert server_credentials(ServiceSettings()) is None
    assert channel_credentials(ServiceSettings()) is None
