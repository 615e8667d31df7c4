"""tests/kit/contracts.py - the contracts svc-<group>/<tool>/<tool>.yaml as the tests read them;
common/svc/contract.h documents their content."""

import re
import shutil
import urllib.parse

import yaml

from kit.check import ROOT, STATUS_OF_CODE

PATIENT_MS = 100_000


def contracts():
    """{tool: contract}, each with its `folder` and its `group`."""
    folders = [file.parent for file in sorted(ROOT.glob("svc-*/*/*.yaml")) if file.stem == file.parent.name]
    return {folder.name: yaml.safe_load((folder / f"{folder.name}.yaml").read_text()) |
            {"folder": folder, "group": folder.parent.name.removeprefix("svc-")} for folder in folders}


CONTRACTS = contracts()


def groups_of(group):
    """The group and the groups whose tools it calls; None for None, which means all."""
    if group is None:
        return None
    called = {tool for contract in CONTRACTS.values() if contract["group"] == group for tool in contract.get("calls", [])}
    return {group, *(CONTRACTS[tool]["group"] for tool in called)}


def copy_contracts(folder, patient=()):
    """Copy what contracts_dir needs; these tools get a budget that a busy machine does not use
    up."""
    for group in ROOT.glob("svc-*"):
        shutil.copytree(group, folder / group.name)
    for tool in patient:
        file = folder / f"svc-{CONTRACTS[tool]['group']}" / tool / f"{tool}.yaml"
        file.write_text(re.sub(r"^budget_ms: .*", f"budget_ms: {PATIENT_MS}", file.read_text(), flags=re.MULTILINE))


def is_get(contract):
    return contract.get("method") == "GET"


def goes_out(contract):
    """Whether the tool contacts others: sites, services, providers, other tools."""
    return "calls" in contract or any(STATUS_OF_CODE[code] == 502 for code in contract.get("errors", []))


def send(api, account, contract, request, headers=None):
    """One call with a request in the form of the contract's examples, or with the query of a GET
    tool as text."""
    if is_get(contract):
        query = request if isinstance(request, str) else urllib.parse.urlencode(request or {})
        return api.read(account, f"tools/{contract['tool']}?{query}", headers)
    return api.call(account, contract["tool"], request, headers)


def without_numbers(value):
    return re.sub(r"\d+(\.\d+)?", "0", str(value))


class Excerpt(dict):
    """Some members of an object."""
    def __init__(self, whole, names):
        super().__init__({name: whole[name] for name in names})
        self.omitted = len(whole) - len(self)


def shown(schema, value):
    """A response's value with everything that differs between calls (times, durations,
    certificates) replaced by the example in its schema; also durations in findings.

    An object becomes the excerpt that has the example's members. If there are several examples, one
    that differs from the value only in numbers replaces it. Nothing of a part that was skipped
    differs."""
    examples = schema.get("examples", []) if value is not None else []
    if isinstance(value, dict) and examples and value.keys() > examples[0].keys():
        return Excerpt(value, examples[0])
    if len(examples) > 1:
        return next((example for example in examples if without_numbers(example) == without_numbers(value)), value)
    if examples:
        return examples[0]
    if isinstance(value, dict) and value.get("status") == "skipped":
        return value
    if isinstance(value, str) and re.fullmatch(r"\d+ ms", value):
        return "180 ms"
    if isinstance(value, list):
        return [shown(schema.get("items", {}), item) for item in value]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {name: shown(properties.get(name, {}), item) for name, item in value.items()}
    return value

