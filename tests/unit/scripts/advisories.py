"""tests/unit/scripts/advisories.py - which packages scripts/advisories/check.py lets pass.

tracker.json is a small file in the form of Debian's security tracker. Apart from civetweb's, its
contents are invented."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "advisories" / "check.py"
TRACKER = (Path(__file__).with_name("tracker.json")).read_text(encoding="utf-8")
GOOD = {"glibc": "2.36-9+deb12u13", "zlib": "1:1.2.13.dfsg-1"}
DAY_S = 86400


def package_list(sources):
    """As deploy/docker/release writes it."""
    items = [{"type": "library", "name": f"lib{source}", "version": version,
              "purl": f"pkg:deb/debian/lib{source}@{quote(version)}?arch=amd64&upstream={quote(f'{source}@{version}', '')}"}
             for source, version in sources.items()]
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "components": items})


def run(lists=(), tracker=TRACKER, age_days=0.0, accepted=None):
    """(exit status, errors, output); lists: {source: version} of images"""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        file = folder / "tracker.json"
        file.write_text(tracker)
        os.utime(file, (time.time() - age_days * DAY_S,) * 2)
        command = [sys.executable, SCRIPT]
        if accepted is not None:
            (folder / "accepted.yaml").write_text(accepted)
            command += ["--accepted", folder / "accepted.yaml"]
        command.append(file)
        for number, sources in enumerate(lists):
            command.append(folder / f"image-{number}.cdx.json")
            command[-1].write_text(sources if isinstance(sources, str) else package_list(sources))
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, done.stdout


class Packages(unittest.TestCase):
    def check(self, sources, *problems, accepted="[]"):
        status, said, _ = run([sources], accepted=accepted)
        self.assertEqual(status, 1 if problems else 0, said)
        self.assertEqual(len(said.splitlines()), len(problems), said)
        for problem, line in zip(problems, said.splitlines()):
            self.assertIn(problem, line)

    def test_fixed_not_affected_minor_and_other_releases(self):
        self.check(GOOD)
        _, _, output = run([GOOD])
        self.assertIn("2 source packages: 0 problems, 0 accepted, 3 minor", output)

    def test_older_than_the_fix(self):
        self.check({"glibc": "2.36-9+deb12u6"}, "glibc 2.36-9+deb12u6: CVE-2000-0001: fixed in 2.36-9+deb12u7 (image-0)")
        self.check({"glibc": "2.36-9+deb12u7"})
        self.check({"glibc": "2.36-9+deb12u7~bpo1"}, "CVE-2000-0001")
        self.check({"glibc": "1:1.0"})  # an epoch is newer than any version without one

    def test_not_fixed(self):
        self.check({"openssl": "3.0.17-1"}, "openssl 3.0.17-1: CVE-2000-0007: not fixed by Debian")

    def test_a_package_of_two_images_is_reported_once(self):
        status, said, _ = run([{"openssl": "3.0.17-1"}, {"openssl": "3.0.17-1"}])
        self.assertEqual((status, said.count("\n")), (1, 1))
        self.assertIn("(image-0, image-1)", said)

    def test_civetweb_is_accepted_by_our_own_file(self):
        status, said, output = run([{"civetweb": "1.15+dfsg-4"}])
        self.assertEqual(status, 0, said)
        self.assertIn("1 accepted", output)
        self.check({"civetweb": "1.15+dfsg-4"}, "CVE-2025-55763: not fixed by Debian")

    def test_a_fix_ends_the_exception(self):
        fixed = json.loads(TRACKER)
        fixed["civetweb"]["CVE-2025-55763"]["releases"]["bookworm"] = {"status": "resolved",
                                                                        "fixed_version": "1.15+dfsg-4+deb12u1"}
        status, said, output = run([{"civetweb": "1.15+dfsg-4"}], json.dumps(fixed))
        self.assertEqual(status, 1)
        self.assertIn("fixed in 1.15+dfsg-4+deb12u1", said)
        self.assertIn("CVE-2025-55763 of civetweb no longer needs to be accepted", output)


class Unusable(unittest.TestCase):
    def check(self, words, *arguments, **options):
        status, said, _ = run(*arguments, **options)
        self.assertEqual(status, 2, said)
        self.assertIn(words, said)
        self.assertNotIn("Traceback", said)

    def test_age(self):
        self.assertEqual(run(age_days=29.9)[0], 0)
        self.check("31 days old, more than 30; download it again", age_days=31)
        self.check("in the future", age_days=-2)

    def test_tracker(self):
        for tracker in ("", "[]", "{}", "[1]", '{"glibc": 1}', '{"glibc": {"CVE-1": {}}}',
                        '{"glibc": {"CVE-1": {"releases": {"bookworm": 1}}}}', TRACKER[:-20]):
            self.check("tracker.json: ", tracker=tracker)
        self.check("glibc in bookworm", tracker=TRACKER.replace("bookworm", "bullseye"))

    def test_lists(self):
        for content in ("", "[]", "{}", '{"components": []}', '{"components": [{"purl": "pkg:deb/debian/x@1"}]}'):
            self.check("image-0.cdx.json: ", [content])

    def test_accepted(self):
        for content in ("- cve: CVE-1", "- 1", "- {cve: a, source: b, since: 2026-01-01, reason: }", "{"):
            self.check("accepted.yaml: ", accepted=content)


class Release(unittest.TestCase):
    """deploy/docker/release pushes nothing without a good tracker, and says so before it builds."""

    def check(self, words, age_days=None):
        with tempfile.TemporaryDirectory() as directory:
            variables = {"IMAGE": "registry.example.com/tollgate", "TOLLGATE_VERSION": "1.0", "TRACKER": ""}
            if age_days is not None:
                variables["TRACKER"] = f"{directory}/tracker.json"
                Path(variables["TRACKER"]).write_text(TRACKER)
                os.utime(variables["TRACKER"], (time.time() - age_days * DAY_S,) * 2)
            done = subprocess.run([ROOT / "deploy" / "docker" / "release"], cwd=directory, env=os.environ | variables,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
            self.assertFalse((Path(directory) / "build-release").exists())

    def test_without_one(self):
        self.check("TRACKER is not set")

    def test_an_old_one(self):
        self.check("31 days old", age_days=31)


if __name__ == "__main__":
    unittest.main()
