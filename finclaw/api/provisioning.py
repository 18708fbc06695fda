"""Provisioning by service tokens: organisations, accounts, tokens, and the people an organisation serves."""

from __future__ import annotations

from typing import Any, ClassVar, cast
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.tenant_consents import GivenEvidence, latest_evidence
from finclaw.api.authentication import ServiceTokenAuthentication
from finclaw.api.base import PublicView
from finclaw.api.consents import SCOPES, ConsentOutput, current_consent
from finclaw.api.erasures import DeletionReceiptOutput
from finclaw.api.operations import located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
from finclaw.api.serializers import MomentField, QuerySerializer, StrictSerializer, TimeZoneField
from finclaw.provisioning import (
    add_account,
    add_end_user,
    add_service_token,
    add_tenant,
    end_service_token,
    end_user,
    erase_end_user,
    require_provisioner,
    set_end_user_consent,
    tenant_for,
    tenant_of,
    tenants_of,
    tokens_seen_by,
    withdraw_end_user_consent,
)
from foundation.accounts.managed_accounts import managed_accounts
from foundation.accounts.models import EXTERNAL_ID_CHARS, ServiceToken, Tenant, User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope


class TenantInput(StrictSerializer):
    name = serializers.CharField(max_length=120)


class TenantOutput(serializers.ModelSerializer[Tenant]):
    tenant_id = serializers.UUIDField(source="id")

    class Meta:
        model = Tenant
        fields = ("tenant_id", "name", "created_at")


class AccountInput(StrictSerializer):
    username = serializers.CharField(max_length=60)
    display_name = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    tenant_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    role = serializers.ChoiceField(choices=User.Role.choices, default=User.Role.EDITOR)


class AccountOutput(serializers.Serializer[Any]):
    user_id = serializers.UUIDField()
    username = serializers.CharField()
    recovery_codes = serializers.ListField(
        child=serializers.CharField(), help_text="Shown once: with one of them the person chooses a password."
    )


class ServiceTokenInput(StrictSerializer):
    tenant_id = serializers.UUIDField()
    name = serializers.CharField(max_length=80)


class ServiceTokenOutput(serializers.ModelSerializer[ServiceToken]):
    class Meta:
        model = ServiceToken
        fields = ("id", "tenant_id", "name", "created_at", "expires_at", "last_used_at")


class ServiceTokenIssued(ServiceTokenOutput):
    token = serializers.CharField(help_text="Shown once.")

    class Meta(ServiceTokenOutput.Meta):
        fields = (*ServiceTokenOutput.Meta.fields, "token")  # type: ignore[assignment]


class ServiceTokensQuery(QuerySerializer):
    tenant_id = serializers.UUIDField(
        required=False,
        allow_null=True,
        default=None,
        help_text="An organisation that you added, with a token that provisions; else your own.",
    )


class EndUserInput(StrictSerializer):
    user_id = serializers.CharField(max_length=EXTERNAL_ID_CHARS, help_text="The id the person has with you.")
    display_name = serializers.CharField(max_length=60, required=False, default="", allow_blank=True)
    time_zone = TimeZoneField(max_length=64, required=False, default="UTC")


class EvidenceInput(StrictSerializer):
    agreed_at = MomentField()
    statement = serializers.CharField(max_length=2_000, required=False, default="", allow_blank=True)
    reference = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class EndUserConsentInput(StrictSerializer):
    """What the person agreed to, and the evidence: the ``statement`` they saw, or a ``reference`` to your record."""

    save_to_thread = serializers.BooleanField(default=False)
    save_to_profile = serializers.BooleanField(default=False)
    training_use_allowed = serializers.BooleanField(default=False)
    memory_learning_allowed = serializers.BooleanField(default=False)
    evidence = EvidenceInput()


class EvidenceOutput(serializers.Serializer[Any]):
    agreed_at = serializers.DateTimeField()
    statement = serializers.CharField()
    reference = serializers.CharField()
    recorded_at = serializers.DateTimeField(source="created_at")


class EndUserOutput(serializers.Serializer[Any]):
    """One of your people: your id for them, ours, and the name that confirms an erasure."""

    user_id = serializers.CharField(source="external_id")
    id = serializers.UUIDField()
    username = serializers.CharField()
    display_name = serializers.CharField()
    time_zone = serializers.CharField()
    created_at = serializers.DateTimeField(source="date_joined")


class EndUserConsentOutput(serializers.Serializer[Any]):
    consent = ConsentOutput(allow_null=True)
    evidence = EvidenceOutput(allow_null=True)


class ProvisioningView(PublicView):
    """Acts for whoever holds a service token, in the request's transaction."""

    authentication_classes = (ServiceTokenAuthentication,)

    @property
    def token(self) -> ServiceToken:
        """The token the request is signed with; others were refused before."""
        return cast(ServiceToken, self.request.auth)

    def answer_consent(self, user: User, status: int = 200) -> Response:
        """The consent in force for a person, and the evidence recorded last."""
        with acting_as(user.pk):
            found = {"consent": current_consent(user), "evidence": latest_evidence(user.pk)}
            return Response(EndUserConsentOutput(found).data, status)


class ProvisionedTenantsView(ProvisioningView):
    @raises("permission_denied")
    @extend_schema(operation_id="tenant_list", parameters=PAGE, responses=page_of(TenantOutput))
    def get(self, request: Request) -> Response:
        """The organisations you added, latest first. Needs a token that provisions."""
        return self.page(tenants_of(self.token), TenantOutput, ordering="-created_at")

    @raises("permission_denied", "not_found", "sensitive_input")
    @extend_schema(operation_id="tenant_add", request=TenantInput, responses={201: TenantOutput})
    def post(self, request: Request) -> Response:
        """Add an organisation. Needs a token that provisions."""
        return Response(TenantOutput(add_tenant(self.valid(TenantInput)["name"], self.token)).data, 201)


class ProvisionedAccountsView(ProvisioningView):
    @raises("permission_denied", "not_found", "sensitive_input")
    @extend_schema(operation_id="account_add", request=AccountInput, responses={201: AccountOutput})
    def post(self, request: Request) -> Response:
        """Add an account that its person signs in to. Needs a token that provisions."""
        given = self.valid(AccountInput)
        require_provisioner(self.token)
        tenant = tenant_for(self.token, given["tenant_id"]) if given["tenant_id"] else None
        user, codes = add_account(
            given["username"], tenant, given["role"], self.token, display_name=given["display_name"]
        )
        made = {"user_id": user.pk, "username": user.username, "recovery_codes": codes}
        return Response(AccountOutput(made).data, 201)


class ServiceTokensView(ProvisioningView):
    query_inputs: ClassVar = {"GET": ServiceTokensQuery}

    @raises("permission_denied", "not_found")
    @extend_schema(
        operation_id="service_token_list",
        parameters=[ServiceTokensQuery, *PAGE],
        responses=page_of(ServiceTokenOutput),
    )
    def get(self, request: Request) -> Response:
        """The live tokens of your organisation, latest first."""
        seen = tokens_seen_by(self.token, self.query["tenant_id"])
        return self.page(seen, ServiceTokenOutput, ordering="-created_at")

    @raises("permission_denied", "not_found", "sensitive_input")
    @extend_schema(operation_id="service_token_issue", request=ServiceTokenInput, responses={201: ServiceTokenIssued})
    def post(self, request: Request) -> Response:
        """Issue a token for the application of an organisation you added. Needs a token that provisions."""
        given = self.valid(ServiceTokenInput)
        token, plain = add_service_token(tenant_for(self.token, given["tenant_id"]), given["name"], self.token)
        return Response({**ServiceTokenOutput(token).data, "token": plain}, 201)


class OneServiceTokenView(ProvisioningView):
    @raises("permission_denied")
    @extend_schema(operation_id="service_token_revoke", responses=NO_CONTENT)
    def delete(self, request: Request, token_id: UUID) -> Response:
        """Revoke a token of your organisation at once, this one included."""
        end_service_token(token_id, self.token)
        return Response(status=204)


class EndUsersView(ProvisioningView):
    @raises("permission_denied")
    @extend_schema(operation_id="end_user_list", parameters=PAGE, responses=page_of(EndUserOutput))
    def get(self, request: Request) -> Response:
        """The people your organisation serves, latest first."""
        return self.page(managed_accounts(tenant_of(self.token).pk), EndUserOutput, ordering="-date_joined")

    @raises("permission_denied", "not_found", "sensitive_input")
    @located("end_user", "user_id", status=201)
    @extend_schema(
        operation_id="end_user_add", request=EndUserInput, responses={200: EndUserOutput, 201: EndUserOutput}
    )
    def post(self, request: Request) -> Response:
        """Add one of your people by the id they have with you; 200 where they were added before."""
        given = self.valid(EndUserInput)
        user, is_new = add_end_user(self.token, given.pop("user_id"), given)
        return Response(EndUserOutput(user).data, 201 if is_new else 200)


class EndUserView(ProvisioningView):
    @raises("permission_denied")
    @extend_schema(operation_id="end_user_retrieve", responses=EndUserOutput)
    def get(self, request: Request, user_id: str) -> Response:
        """One of your people, by your id for them or ours."""
        return Response(EndUserOutput(end_user(self.token, user_id)).data)

    @raises("permission_denied")
    @located("erasure", "tombstone_id", status=202)
    @extend_schema(operation_id="end_user_erase", responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, user_id: str) -> Response:
        """Erase one of your people with everything kept of them. The receipt leads to the certificate."""
        user, tombstone = erase_end_user(self.token, user_id)
        with acting_as(user.pk):
            return Response(DeletionReceiptOutput(tombstone, context={"request": request}).data, 202)


class EndUserConsentView(ProvisioningView):
    @raises("permission_denied")
    @extend_schema(operation_id="end_user_consent_retrieve", responses=EndUserConsentOutput)
    def get(self, request: Request, user_id: str) -> Response:
        """What one of your people agreed to, and the evidence recorded last."""
        return self.answer_consent(end_user(self.token, user_id))

    @raises("permission_denied", "not_found", "sensitive_input")
    @extend_schema(
        operation_id="end_user_consent_record", request=EndUserConsentInput, responses={200: EndUserConsentOutput}
    )
    def put(self, request: Request, user_id: str) -> Response:
        """Record what one of your people agreed to, with its evidence; adds the person where there is none yet."""
        given = self.valid(EndUserConsentInput)
        evidence = GivenEvidence(**given.pop("evidence"))
        scopes = [ConsentScope(name) for name in SCOPES if given[name]]
        user, _evidence = set_end_user_consent(self.token, user_id, scopes, evidence)
        return self.answer_consent(user)

    @raises("permission_denied")
    @extend_schema(operation_id="end_user_consent_withdraw", responses=EndUserConsentOutput)
    def delete(self, request: Request, user_id: str) -> Response:
        """Withdraw all of it: what was learned is deleted, and nothing is remembered from now on."""
        withdraw_end_user_consent(self.token, user_id)
        return self.answer_consent(end_user(self.token, user_id))


urlpatterns = [
    path("provisioning/tenants", ProvisionedTenantsView.as_view(), name="provisioned_tenants"),
    path("provisioning/accounts", ProvisionedAccountsView.as_view(), name="provisioned_accounts"),
    path("provisioning/service-tokens", ServiceTokensView.as_view(), name="service_tokens"),
    path("provisioning/service-tokens/<uuid:token_id>", OneServiceTokenView.as_view(), name="one_service_token"),
    path("provisioning/users", EndUsersView.as_view(), name="end_users"),
    path("provisioning/users/<str:user_id>", EndUserView.as_view(), name="end_user"),
    path("provisioning/users/<str:user_id>/consent", EndUserConsentView.as_view(), name="end_user_consent"),
]
