"""What clients/generate.py writes matches the OpenAPI document of this build, so that no tool is
forgotten. `make docs` (--write-pages) writes it."""

import importlib.util

import pytest

from kit.check import ROOT
from kit.contracts import CONTRACTS

FOLDER = ROOT / "clients"


def load():
    spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load()


@pytest.fixture(scope="module")
def document(site):
    from kit.client import Client
    return Client(site).get("/openapi.json").json()


@pytest.mark.parametrize("name", GENERATE.FILES)
def test_generated(request, document, name):
    file = FOLDER / name
    wanted = GENERATE.FILES[name](document)
    if request.config.getoption("--write-pages"):
        file.write_text(wanted, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == wanted, f"{file.name} is not what the contracts say: run `make docs`"


def test_each_tool_is_found(document):
    assert {tool.name for tool in GENERATE.tools(document)} == CONTRACTS.keys()
