"""The gRPC door."""

from __future__ import annotations

from typing import Any

from grpc.aio import ServicerContext
from typing_extensions import override

from gyeol.api.policy.v1 import pack_pb2, policy_pb2
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceServicer
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceServicer
from gyeol.policy import convert
from gyeol.policy.service import Policies

Context = ServicerContext[Any, Any]


class PackServicer(PackServiceServicer):
    """Serves what the packs hold."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    @override
    async def GetPack(self, request: pack_pb2.GetPackRequest, context: Context) -> pack_pb2.GetPackResponse:
        return pack_pb2.GetPackResponse(pack=convert.pack_to_pb(self._policies.pack(request.culture)))

    @override
    async def ListMolds(self, request: pack_pb2.ListMoldsRequest, context: Context) -> pack_pb2.ListMoldsResponse:
        pack = self._policies.pack(request.culture)
        return convert.molds_to_pb(pack, pack.mold_set(request.category), pack.probes.get(request.category, ()))

    @override
    async def ListQuestions(
        self, request: pack_pb2.ListQuestionsRequest, context: Context
    ) -> pack_pb2.ListQuestionsResponse:
        return convert.questions_to_pb(self._policies.pack(request.culture))


class PolicyServicer(PolicyServiceServicer):
    """Serves policies, citation checks and articles."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    @override
    async def RenderPolicy(
        self, request: policy_pb2.RenderPolicyRequest, context: Context
    ) -> policy_pb2.RenderPolicyResponse:
        question = convert.question_from_pb(request.seed)
        rendered = self._policies.render(question)
        policy = convert.rendered_to_pb(self._policies.pack(question.culture), rendered)
        return policy_pb2.RenderPolicyResponse(policy=policy)

    @override
    async def VerifyCitations(
        self, request: policy_pb2.VerifyCitationsRequest, context: Context
    ) -> policy_pb2.VerifyCitationsResponse:
        report = self._policies.check(convert.normal(request.text), culture=request.culture, on=request.on)
        return convert.report_to_pb(report)

    @override
    async def GetArticle(
        self, request: policy_pb2.GetArticleRequest, context: Context
    ) -> policy_pb2.GetArticleResponse:
        article, finding = self._policies.article(
            convert.normal(request.law), convert.normal(request.article), culture=request.culture, on=request.on
        )
        return convert.article_to_pb(finding, article)
