"""tests/api/portal/test_journey.py - a stranger's whole walk through the portal in a real browser.
tests/check/pages.py has him walk without JavaScript and by keyboard, too, and looks at each page with axe-core."""

from kit.portal.browser import Browser
from kit.portal.journey import STEPS, Journey


def test_a_stranger_becomes_a_member_pays_for_calls_and_leaves(site):
    with Browser(site) as browser:
        assert Journey(site, browser).walk() == list(STEPS)
