"""The layers hold, in imports and in everything that names code by a string."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.migrations.loader import MigrationLoader
from django.urls import get_resolver
from django.utils.module_loading import import_string

from finclaw.jobs import HANDLERS
from finclaw.schedules import SCHEDULES
from foundation.outbox.schedules import DRAIN

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("finclaw", "drift", "personas", "memory", "knowledge", "media", "consent", "foundation")
# From the bottom up; a module may name what stands lower. What is left of finclaw is the roof over all.
LAYERS = (
    ("foundation",),
    ("consent",),
    ("media",),
    ("memory", "knowledge"),  # and neither knows the other
    ("personas",),
    ("drift",),
    ("finclaw.brain",),
    ("finclaw.api", "finclaw.web", "finclaw.console"),
)
OUR_PATH = re.compile(rf"({'|'.join(PACKAGES)})(\.\w+)+")
MODEL_LABEL = re.compile(r"(\w+)\.([A-Z][a-z]\w+)")
ADMIN = r".*\.admin(\.\w+)?|foundation\.(admin|governed_actions)"
ROOF_EDGES = (
    r"finclaw\.(api|oauth|openai_api|web|console|health|server|errors|middleware|program_addresses|urls|wsgi)\b.*"
)
EDGES = rf"{ROOF_EDGES}|foundation\.telemetry\.middleware|{ADMIN}"
# The import linter sees other people's packages as a whole; these are parts of one.
MAY_IMPORT = {
    "django.http": EDGES,
    "django.shortcuts": EDGES,
    "django.template": EDGES,
    "django.views": EDGES,
    "django.contrib.admin": rf"finclaw\.(console|urls|third_parties)\b.*|{ADMIN}",
    "django.dispatch": "nobody: no signals here",
    "django.db.models.signals": "nobody: no signals here",
    "django.core.signals": "nobody: no signals here",
}


def _modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), path


MODULES = dict(_modules())


def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def _layer(module: str) -> int:
    for height, names in enumerate(LAYERS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return height
    return len(LAYERS)


def _may_name(module: str, target: str) -> bool:
    """Down is fine, and so is a module's own part of its layer."""
    if _layer(module) != _layer(target):
        return _layer(target) < _layer(module)
    parts = 2 if module.startswith("finclaw.") else 1
    return module.split(".")[:parts] == target.split(".")[:parts] or _layer(module) == len(LAYERS)


@cache  # of words alone: the trees together are millions of objects
def _imports(module: str) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


@cache
def _strings(module: str) -> frozenset[str]:
    nodes = ast.walk(_tree(module))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _leads_somewhere(path: str) -> bool:
    try:
        resolve_name(path)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_import_contracts_hold() -> None:
    # In a process of its own: the linter sets up logging, and switches every other logger of this one off.
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]

    finished = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stdout


def _loaded_before(module: str) -> set[str]:
    """The modules of ours that a module's own lines import, before it can be used itself."""
    nodes = [node for node in _tree(module).body if isinstance(node, ast.ImportFrom) and node.module]
    named = {(node.module or "", f"{node.module}.{alias.name}") for node in nodes for alias in node.names}
    return {part if part in MODULES else package for package, part in named} & MODULES.keys() - {module}


def test_no_files_import_each_other_in_a_circle() -> None:
    TopologicalSorter({module: _loaded_before(module) for module in MODULES}).prepare()  # raises, and names them


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_parts_of_django_stay_where_they_belong(part: str) -> None:
    allowed = re.compile(MAY_IMPORT[part])
    users = {
        module
        for module in MODULES
        for name in _imports(module)
        if (name == part or name.startswith(f"{part}.")) and not allowed.fullmatch(module)
    }

    assert users == set()


def test_the_walk_would_notice() -> None:
    """The rules above are worth something only if the walk sees such imports where they are allowed."""
    assert any(name.startswith("django.http") for name in _imports("finclaw.console.site"))
    assert any(name.startswith("django.contrib.admin") for name in _imports("memory.admin"))
    assert not _may_name("memory.tasks", "finclaw.brain.turn")
    assert not _may_name("memory.tasks", "knowledge.services")
    assert not _may_name("knowledge.services", "memory.tasks")
    assert not _may_name("finclaw.api.base", "finclaw.web.access")
    assert not _may_name("finclaw.api.base", "finclaw.urls")
    assert _may_name("finclaw.web.access", "consent.services")
    assert not _leads_somewhere("foundation.outbox.tasks.no_such")


def test_paths_in_strings_point_down_and_lead_somewhere() -> None:
    lost, upward = [], []
    for module in MODULES:
        for text in _strings(module):
            if not OUR_PATH.fullmatch(text):
                continue
            found = _leads_somewhere(text)
            # Two words may also be a topic or a logger: "memory.end", "finclaw.access".
            if not found and text.count(".") >= 2:
                lost.append((module, text))
            if found and not _may_name(module, text) and text not in HANDLERS:
                upward.append((module, text))

    assert lost == []
    assert upward == []


def test_models_named_by_a_string_exist_and_stand_lower() -> None:
    labels = {config.label: config.name for config in apps.get_app_configs()}
    named = [
        (module, *match.groups())
        for module in MODULES
        for text in _strings(module)
        if (match := MODEL_LABEL.fullmatch(text)) and match.group(1) in labels and ".migrations." not in module
    ]

    assert named
    for module, label, model in named:
        target = apps.get_model(label, model)
        home = target.__module__
        assert not home.startswith(PACKAGES) or _may_name(module, home) or module == "consent.checks", (
            module,
            label,
            model,
        )


def test_foreign_keys_point_down() -> None:
    ours = [model for model in apps.get_models() if model.__module__.startswith(PACKAGES)]
    relations = [
        (model, field.related_model)
        for model in ours
        for field in (*model._meta.concrete_fields, *model._meta.local_many_to_many)
        if field.related_model is not None
    ]

    assert len(relations) > 20
    for model, target in relations:
        assert isinstance(target, type)
        assert not target.__module__.startswith(PACKAGES) or _may_name(model.__module__, target.__module__), model


def test_migrations_depend_on_what_stands_lower() -> None:
    names = {config.label: config.name for config in apps.get_app_configs()}
    migrations = MigrationLoader(None).disk_migrations

    for (label, _), migration in migrations.items():
        if names[label].startswith(PACKAGES):
            for needed, _ in migration.dependencies:
                target = names.get(needed, "")
                assert not target.startswith(PACKAGES) or _may_name(names[label], target), (label, needed)


def _setting_strings(value: object) -> Iterator[str]:
    if type(value) is str:  # a lazy one is no path
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _setting_strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _setting_strings(one)


def test_every_path_in_the_settings_leads_somewhere() -> None:
    values = [getattr(settings, name) for name in dir(settings) if name.isupper()]
    paths = {text for value in values for text in _setting_strings(value) if OUR_PATH.fullmatch(text)}

    assert {"finclaw.jobs.HANDLERS", "finclaw.schedules.SCHEDULES", "finclaw.urls"} <= paths
    assert [path for path in paths if not _leads_somewhere(path)] == []


def test_every_schedule_and_every_wake_up_leads_to_a_function() -> None:
    paths = [DRAIN, *(schedule.function for schedule in SCHEDULES)]

    assert all(callable(import_string(path)) for path in paths)
    assert len({schedule.name for schedule in SCHEDULES}) == len(SCHEDULES)


def test_every_topic_has_a_handler_and_every_handler_a_topic() -> None:
    topics = {
        node.value.value
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        and any(isinstance(target, ast.Name) and target.id.endswith("_TOPIC") for target in node.targets)
    }  # fmt: skip

    assert topics == set(HANDLERS)
    assert settings.OUTBOX_TOPIC_PLACES.keys() <= topics


def test_every_address_resolves_to_a_view() -> None:
    try:
        patterns = get_resolver().url_patterns
    except ImproperlyConfigured as problem:
        pytest.fail(str(problem))

    assert patterns


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

    assert [module for module, path in MODULES.items() if marks.search(path.read_text())] == []


def test_no_page_holds_what_a_merge_left_open() -> None:
    conflict = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "templates").rglob("*.html")]

    assert [str(page) for page in pages if conflict.search(page.read_text(encoding="utf-8"))] == []
    assert conflict.search("<<<<<<< HEAD\n")


def test_a_modules_first_line_says_what_it_does() -> None:
    """CONTRIBUTING sends readers to these lines. Commands have their help, and Django's own files their names."""
    own_names = {"apps.py", "admin.py", "urls.py", "wsgi.py", "__init__.py"}
    silent = [
        module
        for module, path in MODULES.items()
        if path.name not in own_names
        and not {"migrations", "commands", "admin"} & set(path.parts)
        and ast.get_docstring(_tree(module)) is None
    ]
    assert silent == []
