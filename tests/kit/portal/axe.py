"""tests/kit/portal/axe.py - axe-core on a page in a browser: violations of its rules up to WCAG 2.2
AA.

tests/check/axe/package-lock.json pins its hash; npm fetches it into the build folder. It is not in
the tree.
"""

import shutil
import subprocess

from kit.site import ROOT

PINNED = ROOT / "tests" / "check" / "axe"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { runOnly: { type: 'tag', values: arguments[0] }, resultTypes: ['violations'] })
   .then(found => done(found.violations.map(v => ({
            rule: v.id, help: v.help, targets: v.nodes.map(n => n.html + ' ' + n.failureSummary) }))),
         problem => done([{ rule: 'axe itself', help: String(problem), targets: [] }]));
"""


def source(build):
    """The script, fetched once."""
    home = build / "axe"
    script = home / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        home.mkdir(exist_ok=True)
        for file in PINNED.iterdir():
            shutil.copy(file, home)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=home,
                       check=True)
    return script.read_text()


def violations(browser, script):
    """Each as one line."""
    browser.driver.set_script_timeout(60)
    if not browser.driver.execute_script("return typeof axe === 'object'"):
        browser.driver.execute_script(script)
    return [f"{found['rule']}: {found['help']}: {'; '.join(found['targets'])[:600]}"
            for found in browser.driver.execute_async_script(RUN, TAGS)]
