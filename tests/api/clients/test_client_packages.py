"""The packages that scripts/client-packages builds work where they are installed, and their types
are right."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from kit.check import ROOT

PYTHON = "/usr/bin/python3"
DRIVERS = ROOT / "tests" / "api" / "clients" / "drivers"
CLIENTS = ROOT / "clients"
WHEEL = "tollgate_client-1.0.0-py3-none-any.whl"
ARCHIVE = "tollgate-client-1.0.0.tgz"
PLAIN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "npm_config_cache": "/nonexistent"}


def command(*argv, **how):
    done = subprocess.run(list(map(str, argv)), capture_output=True, text=True, timeout=300, **how)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    command(ROOT / "scripts" / "client-packages", folder)
    return folder


def test_wheel_is_whole(packages):
    with zipfile.ZipFile(packages / WHEEL) as wheel:
        names = {Path(name).name for name in wheel.namelist()}
        [metadata] = [wheel.read(name).decode() for name in wheel.namelist() if name.endswith("METADATA")]
    assert {file.name for file in (CLIENTS / "python" / "tollgate").iterdir() if file.is_file()} <= names
    assert "LICENSE" in names and "Requires-Dist" not in metadata and "# tollgate-client" in metadata


def test_wheel_in_a_virtual_environment(packages, tmp_path, edge, account, ledger):
    command(PYTHON, "-m", "venv", tmp_path / "venv")
    command(tmp_path / "venv/bin/pip", "install", "--no-index", packages / WHEEL)
    login = {"TOLLGATE_URL": edge.url, "TOLLGATE_ACCOUNT": account.id, "TOLLGATE_TOKEN": account.token,
             "TOLLGATE_CA_FILE": edge.ca_file, "XDG_CONFIG_HOME": str(tmp_path)}
    assert command(tmp_path / "venv/bin/tollgate-cli", "--version") == "tollgate-cli 1.0.0\n"
    called = command(tmp_path / "venv/bin/tollgate-cli", "call", "hash-generate", '{"input": "hello"}', env=login)
    assert json.loads(called)["hash"].startswith("2cf24dba") and ledger.charged(account) == 1


def test_package_of_node(tmp_path, edge, account, ledger):
    """Only what package.json publishes."""
    published = json.loads((CLIENTS / "typescript" / "package.json").read_text())["files"]
    folder = tmp_path / "node_modules" / "tollgate-client"
    folder.mkdir(parents=True)
    for name in ["package.json", *published]:
        shutil.copy(CLIENTS / "typescript" / name, folder)
    assert hash_by_node(tmp_path, edge, account).startswith("2cf24dba") and ledger.charged(account) == 1


def hash_by_node(folder, edge, account):
    """What a program in this folder prints, which calls a tool with the package there."""
    program = ('import { Tollgate } from "tollgate-client";\nconst [, baseUrl, account, token] = process.argv;\n'
               'const tollgate = new Tollgate({ baseUrl, account, token });\n'
               'console.log((await tollgate.call("hash-generate", { input: "hello" })).hash);\n')
    return command("node", "--input-type=module", "--eval", program, edge.url, account.id, account.token, cwd=folder,
                   env=PLAIN | {"NODE_EXTRA_CA_CERTS": edge.ca_file})


def test_one_version():
    files = {"typescript/package.json": r'"version": "(.+)"', "typescript/index.js": r'version = "(.+)"',
             "python/tollgate/client.py": r'VERSION = "(.+)"'}
    assert {re.search(pattern, (CLIENTS / name).read_text())[1] for name, pattern in files.items()} == {"1.0.0"}


def test_pages_name_the_files():
    pages = ROOT / "docs" / "clients"
    assert WHEEL in (pages / "python.md").read_text() and ARCHIVE in (pages / "typescript.md").read_text()


def test_license():
    assert {(CLIENTS / name / "LICENSE").read_bytes() for name in ("python", "typescript")} == {
        (ROOT / "LICENSE").read_bytes()}


@pytest.mark.parametrize("name", ["client", "cli", "jobs", "status", "tools", "__init__"])
def test_syntax_of_the_oldest_python(name):
    import ast
    ast.parse((CLIENTS / "python" / "tollgate" / f"{name}.py").read_text(), feature_version=(3, 9))


# -- with tools that only `make check` installs --


@pytest.mark.check
def test_archive_of_npm(packages, tmp_path, edge, account, ledger):
    with tarfile.open(packages / ARCHIVE) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "package").rename(tmp_path / "node_modules" / "tollgate-client")
    assert {"LICENSE", "README.md", "index.d.ts", "tools.d.ts"} <= {
        file.name for file in (tmp_path / "node_modules" / "tollgate-client").iterdir()}
    assert hash_by_node(tmp_path, edge, account).startswith("2cf24dba") and ledger.charged(account) == 1


@pytest.mark.check
def test_types_of_typescript(tmp_path):
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "tollgate-client").symlink_to(CLIENTS / "typescript")
    shutil.copy(DRIVERS / "typed.ts", tmp_path / "typed.mts")
    complaints = command("tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "node16",
                         "--moduleResolution", "node16", "typed.mts", cwd=tmp_path)
    assert complaints == ""


@pytest.mark.check
def test_types_of_python(tmp_path):
    said = command(sys.executable, "-m", "mypy", "--strict", "--python-version", "3.9", "--cache-dir", tmp_path,
                   DRIVERS / "typed.py", env=PLAIN | {"MYPYPATH": str(CLIENTS / "python")})
    assert said.startswith("Success: no issues found")
