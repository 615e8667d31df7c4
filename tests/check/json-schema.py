"""tests/check/json-schema.py - runs the schema validator over the JSON Schema test suite.

The suite, by the JSON Schema organization, is not part of the project. It is a folder with tests/
and remotes/, by default ../shared/data/json-schema-test-suite next to the project; without it the
check is skipped. Every required test of the drafts below counts. At most 2 % may be listed as
missed, with the reason; a listed test that passes is also an error, so the list stays current.
Metaschemas are not part of the suite: they come from Debian's python3-jsonschema.

Run by `make check`; all it needs is in Debian 12 (scripts/packages check).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT.parent / "shared/data/json-schema-test-suite"
METASCHEMAS = Path(jsonschema.__file__).parent / "schemas"
DRAFTS = {"draft2020-12": "2020-12", "draft7": "draft-7"}
PROGRAM = "tests/check/run-json-schema"
MISSED_MAX = 0.02
REMOTE_URI = "http://localhost:1234/"

# (folder, file, group, test): why it is missed
MISSED = {
    ("draft2020-12", "vocabulary.json", "schema that uses custom metaschema with with no validation vocabulary",
     "no validation: invalid number, but it still validates"):
        "$vocabulary is not read: every schema is judged by all keywords of its draft",
}


def documents(suite, folder, scratch):
    """URI and path of the documents that schemas may refer to: the suite's remotes, and the
    metaschemas."""
    for path in sorted((suite / "remotes").rglob("*.json")):
        name = path.relative_to(suite / "remotes")
        if not name.parts[0].startswith("draft") or name.parts[0] == folder:
            yield REMOTE_URI + str(name), path
    metaschemas = {} if folder == "draft7" else json.loads((METASCHEMAS / "vocabularies.json").read_text())
    for name in ("draft7.json", "draft2020-12.json"):
        metaschema = json.loads((METASCHEMAS / name).read_text())
        metaschemas[metaschema["$id"].rstrip("#")] = metaschema
    for number, (uri, metaschema) in enumerate(metaschemas.items()):
        path = scratch / f"{number}.json"
        path.write_text(json.dumps(metaschema))
        yield uri, path


def run(program, draft, path, others):
    """A line for each test of the file."""
    arguments = [program, draft, path, *(str(word) for pair in others for word in pair)]
    return subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=120).stdout.splitlines()


def score(program, suite, folder, scratch):
    """Yield of each test: its name, whether it passed, and the message."""
    others = list(documents(suite, folder, scratch))
    for path in sorted((suite / "tests" / folder).glob("*.json")):
        groups = json.loads(path.read_text(encoding="utf-8"))
        tests = [(group["description"], test) for group in groups for test in group["tests"]]
        said = run(program, DRAFTS[folder], path, others)
        assert len(said) == len(tests), path
        for (group, test), line in zip(tests, said):
            yield (folder, path.name, group, test["description"]), line == ("fits" if test["valid"] else "fails"), line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--suite", type=Path, default=SUITE)
    options = parser.parse_args()
    if not options.suite.is_dir():
        print(f"json-schema: skipped, {options.suite} is not there")
        return 0
    ok = True
    for folder in DRAFTS:
        with tempfile.TemporaryDirectory() as scratch:
            results = list(score(Path(options.build) / PROGRAM, options.suite, folder, Path(scratch)))
        missed = [name for name, passed, line in results if not passed]
        for name, passed, line in results:
            if passed == (name in MISSED):
                ok = False
                print(f"json-schema: {' / '.join(name)}: {'passes, but is listed' if passed else line}")
            elif not passed:
                print(f"json-schema: missed: {' / '.join(name)}: {MISSED[name]}")
        ok = ok and len(missed) <= MISSED_MAX * len(results)
        print(f"json-schema: {folder}: {len(results) - len(missed)} of {len(results)} required tests")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
