"""tests/check/carbon.py - compares carbon-footprint with the npm package @tgwf/co2, which
carbon/package-lock.json pins by its hash: 200 views at random from a fixed seed, and every country
of both.

Its reload ratio is the share that is not cached. Run by `make check`; needs npm and its registry.
"""

import argparse
import json
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER = Path(__file__).resolve().parent / "carbon"
DATA = ROOT / "svc-reports/carbon-footprint/carbon.yaml"
VIEWS, SEED = 200, 1
DIGITS = 1e-4
THEIRS = """
const { co2, averageIntensity } = require("@tgwf/co2");
const model = new co2({ model: "swd", version: 4 });
const answers = JSON.parse(require("fs").readFileSync(0)).map((row) => {
  const value = averageIntensity.data[row.country];
  const options = {
    greenHostingFactor: row.green, firstVisitPercentage: row.fresh, returnVisitPercentage: row.back,
    dataReloadRatio: 1 - row.cached, gridIntensity: { device: value, dataCenter: value, network: value },
  };
  return [model.perVisitTrace(row.bytes, false, options).co2, value];
});
console.log(JSON.stringify(answers));
"""


def rows():
    countries = [line.split('"')[1] for line in DATA.read_text().splitlines() if line.startswith('  "')]
    dice = random.Random(SEED)
    for number in range(max(VIEWS, len(countries))):
        fresh, back = (lambda share: (share, 1 - share))(round(dice.random(), 3))
        yield {"country": countries[number % len(countries)], "bytes": int(10 ** dice.uniform(0, 9)),
               "green": round(dice.choice([0, 1, dice.random()]), 3), "fresh": fresh, "back": round(back, 3),
               "cached": round(dice.random(), 3)}


def theirs(views, folder):
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PEER / name, folder)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    done = subprocess.run(["node", "-e", THEIRS], cwd=folder, input=json.dumps(views), capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def ours(views, build):
    lines = [f"{v['country']} {v['bytes']} {v['green']} {v['fresh']} {v['back']} {v['cached']}\n" for v in views]
    done = subprocess.run([build / "tests/check/run-carbon", DATA], input="".join(lines), capture_output=True,
                          text=True, check=True)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    build = parser.parse_args().build.resolve()
    views = list(rows())
    with tempfile.TemporaryDirectory() as folder:
        pairs = list(zip(views, ours(views, build), theirs(views, folder), strict=True))
    bad = [pair for pair in pairs for mine, other in zip(pair[1], pair[2], strict=True)
           if abs(mine - other) > DIGITS * abs(other)]
    for pair in bad:
        print(*pair)
    print(f"carbon-footprint: {len(pairs)} views, {len(bad)} differ")
    raise SystemExit(1 if bad else 0)


main()
