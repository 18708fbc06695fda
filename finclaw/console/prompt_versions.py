"""Admin page of versions of the prompt: writes one, compares it with others, and previews it on the evaluation set."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from consent.admin.person_rows import username_of
from consent.models import PromptGuide, PromptVersion
from consent.prompt_versions import MAY_WRITE
from finclaw.brain.prompt.guides import SHIPPED_VERSION
from finclaw.console.governed_forms import GovernedAddAdmin, GovernedForm
from finclaw.console.refusals import show_refusal
from finclaw.prompt_drafts import compare_prompts, draft_prompt_version, prompt_texts, prompt_wording
from finclaw.prompt_previews import preview_prompt
from foundation.admin import shortened_id
from foundation.exceptions import FinClawError, NotFound
from foundation.sanitization.operator_instructions import REFERABLE_TAGS

_TAGS: Final = format_html_join(", ", "<code>{{{}}}</code>", ((tag,) for tag in sorted(REFERABLE_TAGS)))


class PromptVersionForm(GovernedForm):
    """All guides of a new version. Validating the form also stores the version, so that it shows refusals."""

    based_on = forms.CharField(label=_("written from version"), widget=forms.HiddenInput, max_length=20, required=False)

    class Meta:
        model = PromptVersion
        fields = ("note",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        based_on = self.get_initial_for_field(self.fields["based_on"], "based_on") or SHIPPED_VERSION
        try:
            texts = prompt_texts(based_on)
        except NotFound:
            texts = prompt_texts(SHIPPED_VERSION)
        for guide in PromptGuide:
            self.fields[guide.value] = forms.CharField(
                label=guide.label,
                initial=texts[guide.value],
                max_length=10_000,
                widget=forms.Textarea(attrs={"rows": min(12, 2 + len(texts[guide.value]) // 90), "cols": 90}),
            )
        self.fields[PromptGuide.ANSWER.value].help_text = gettext(
            "Plain words, in English. Tags are named in braces: %(tags)s. The safety policy stands before all of this,"
            " and no version changes it."
        ) % {"tags": _TAGS}

    def clean(self) -> dict[str, Any]:
        given = dict(super().clean() or {})
        if self.errors:
            return given
        texts = {guide.value: given[guide.value] for guide in PromptGuide}
        try:
            self.instance = draft_prompt_version(
                self.operator, texts, note=given["note"], based_on=given["based_on"] or SHIPPED_VERSION
            )
        except FinClawError as refusal:
            show_refusal(self, refusal)
        return given


@admin.register(PromptVersion)
class PromptVersionAdmin(GovernedAddAdmin):
    """Every version that operators wrote, how it differs, and what it would change. An experiment tries it."""

    new_form, new_fields, may_add = PromptVersionForm, ("note", *PromptGuide.values, "based_on"), MAY_WRITE
    fields = readonly_fields = (
        "number", "note", "author", "created_at", "based_on", "shipped", "beside_shipped", "beside_its_base",
        "previewed", "another",
    )  # fmt: skip
    list_display = ("number", "note", "author", "created_at", "based_on")
    search_fields = ("=number", "note")
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        named: QuerySet[Any] = super().get_queryset(request).annotate(author_name=username_of("created_by"))
        return named

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else self.readonly_fields

    @admin.display(description=_("written by"))
    def author(self, row: Any) -> str:
        """The operator who wrote it, or their UUID once the account is gone."""
        return row.author_name or shortened_id(row.created_by)

    @admin.display(description=_("beside the shipped guides"))
    def beside_shipped(self, row: PromptVersion) -> SafeString:
        """What differs from the guides that are shipped now."""
        return _diff(SHIPPED_VERSION, str(row.number))

    @admin.display(description=_("beside the version it was written from"))
    def beside_its_base(self, row: PromptVersion) -> SafeString:
        """What differs from the version from which it was written."""
        return _diff(row.based_on, str(row.number))

    @admin.display(description=_("preview on the evaluation set"))
    def previewed(self, row: PromptVersion) -> SafeString | str:
        """The figures of prompts in its words beside those in the shipped ones."""
        try:
            preview = preview_prompt(prompt_wording(SHIPPED_VERSION), prompt_wording(str(row.number)))
        except ValueError:
            return gettext("It cannot be read any more: everybody gets the shipped guides.")
        before, after = preview.before, preview.after
        lines = (
            (gettext("tokens of all guides"), before.guides, after.guides),
            (gettext("tokens of a prompt, on average"), round(before.mean_tokens), round(after.mean_tokens)),
            (gettext("tokens of the longest prompt"), before.most_tokens, after.most_tokens),
            (gettext("tokens left for memories, on average"), round(before.mean_room), round(after.mean_room)),
            (gettext("memories shown in all"), before.memories, after.memories),
        )
        heading = gettext("%(prompts)s prompts, shipped and then in these words:") % {"prompts": preview.prompts}
        return format_html("{}<ul>{}</ul>", heading, format_html_join("", "<li>{}: {} → {}</li>", lines))

    @admin.display(description=_("go on from here"))
    def another(self, row: PromptVersion) -> SafeString:
        """A link to the form with these texts."""
        address = reverse("admin:consent_promptversion_add")
        return format_html(
            '<a href="{}?based_on={}">{}</a>', address, row.number, gettext("Write a version from this one")
        )


def _diff(before: str, after: str) -> SafeString:
    """The guides that differ, each as the lines of a diff."""
    parts = (
        (found.guide.label, "\n".join(found.lines))
        for found in compare_prompts(prompt_texts(before), prompt_texts(after))
    )
    return format_html_join("", "<p>{}</p><pre>{}</pre>", parts)
