"""tests/api/portal/test_journey.py - a visitor's whole walk through the portal in a real browser.
tests/check/pages.py repeats it without JavaScript and with the keyboard, and checks each page with
axe-core."""

from kit.portal.browser import Browser
from kit.portal.journey import STEPS, Journey


def test_a_visitor_becomes_a_member_pays_for_calls_and_leaves(site):
    with Browser(site) as browser:
        assert Journey(site, browser).walk() == list(STEPS)
