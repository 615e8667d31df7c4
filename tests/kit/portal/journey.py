"""tests/kit/portal/journey.py - a visitor becomes a member, pays for calls, and leaves: one walk
through the whole portal in a browser (kit/portal/browser.py). After each step the console is empty
and no other host was contacted."""

import csv
import json
import subprocess
import time

from kit.portal.mailbox import Mailbox
from kit.portal.member import PASSWORD, STEP_S, Member, fresh_email, totp
from kit.portal.visitor import Visitor

LOOK_S, LOOKS = 2, 20  # of a person who waits

STEPS = ("look_around", "sign_up", "open_the_account", "make_a_token", "call_with_it", "try_a_tool", "take_the_csv",
         "buy_credits", "buy_and_pay_later", "revoke_the_token", "turn_on_two_factor", "come_back_with_a_code", "move_to_another_address", "leave")


def wait_for_payment(browser, words):
    """The order's page updates itself; without JavaScript, a reload shows the state."""
    for _ in range(LOOKS if browser.way == "plain" else 0):
        if words in browser.text:
            break
        time.sleep(LOOK_S)
        browser.press("Refresh")
    browser.wait_for_text(words)


class Journey:
    def __init__(self, site, browser):
        self.site = site
        self.browser = browser
        self.mailbox = Mailbox(site.mail_directory)
        self.email = fresh_email("traveller")
        self.curl = self.secret = None

    def walk(self, steps=STEPS):
        """Returns what was done."""
        done = []
        for step in steps:
            try:
                getattr(self, step)()
                self.browser.check_silence()
            except AssertionError as problem:
                raise AssertionError(f"{step}: {problem}") from None
            done.append(step)
        return done

    def look_around(self):
        self.browser.open("/")
        self.browser.press("Pricing")
        self.browser.wait_for_path("/pricing")

    def sign_up(self):
        self.browser.press("Sign up")
        self.browser.fill("email", self.email)
        self.browser.press("Send a link")
        self.browser.wait_for_text(f"If {self.email} can receive email, you will get a link.")

    def open_the_account(self):
        self.browser.open(self.mailbox.wait(self.email)[-1].link)
        self.browser.fill("name", "Tara Traveller")
        self.browser.fill("password", PASSWORD)
        self.browser.press("Create account")
        self.browser.wait_for_path("/portal")
        self.browser.wait_for_text("100 available")

    # -- a member --

    def make_a_token(self):
        self.browser.press("Create a token")
        self.browser.wait_for_path("/portal/security")
        self.browser.fill("name", "laptop")
        self.browser.press("Create token")
        self.browser.wait_for_text("Your new token")
        lines = [block.text for block in self.browser.all("main pre code")]
        [self.curl] = [line for line in lines if line.startswith("curl ")]
        assert [line for line in lines if line.startswith("tg_live_") and line in self.curl], lines

    def call_with_it(self):
        """The line as shown, run in a shell."""
        answer = self._run_the_line()
        assert answer["success"] and answer["result"]["hash"], answer
        self.browser.open("/portal")
        self.browser.wait_for_text("99 available")
        self.browser.wait_for_text("charged")

    def _run_the_line(self):
        done = subprocess.run(["sh", "-c", f"{self.curl} -sS"], capture_output=True, text=True, timeout=30)
        assert done.stdout, f"{self.curl}: {done.stderr}"
        return json.loads(done.stdout)

    def try_a_tool(self):
        self.browser.press("Tools")
        self.browser.press("Token counter")
        self.browser.fill("v-text", "How many tokens is this?")
        self.browser.press("Run for 1 credit (99 left)")
        self.browser.wait_for_text("Charged 1 credit, 98 left")

    def take_the_csv(self):
        """The file behind a link, requested as the browser requests it."""
        self.browser.press("Usage")
        link = self.browser.link("These calls as CSV")
        visitor = Visitor(self.site)
        visitor.cookies = self.browser.cookies()
        answer = visitor.get(link)
        rows = list(csv.DictReader(answer.body.decode().splitlines()))
        charged = [(row["tool"], row["credits"]) for row in rows]
        assert charged == [("hash-generate", "-1"), ("token-counter", "-1")], rows
        assert answer.headers["Content-Disposition"].startswith("attachment;")

    def buy_credits(self):
        self.browser.press("Credits")
        self.browser.wait_for_text("98 credits available.")
        self.browser.press("Buy 250 credits")
        self.browser.wait_for_text("TEST: no money moves")
        self.browser.press("Pay")
        self.browser.wait_for_text("Paid: 250 credits are in your account.")
        self.browser.press("Receipt")
        self.browser.wait_for_text("250 Tollgate credits (Starter)")
        self.mailbox.wait(self.email, "Your payment was received")
        self.browser.press("Credits")
        self.browser.wait_for_text("348 credits available.")

    def buy_and_pay_later(self):
        self.browser.press("Buy 1,500 credits")
        self.browser.press("Pay later")
        self.browser.wait_for_text("Your payment is processing.")
        wait_for_payment(self.browser, "Paid: 1,500 credits are in your account.")

    def revoke_the_token(self):
        self.browser.press("Security")
        self.browser.press("Revoke")
        self.browser.wait_for_path("/portal/security")
        answer = self._run_the_line()
        assert [error["code"] for error in answer["errors"]] == ["auth_revoked"], answer

    def turn_on_two_factor(self):
        self.browser.press("Turn on")
        self.browser.wait_for_path("/portal/two-factor")
        self.secret = self.browser.find("#secret").text.replace(" ", "")
        self.browser.fill("code", self._code(0))
        self.browser.fill("confirm_password", PASSWORD)
        self.browser.press("Turn on")
        self.recovery = [item.text for item in self.browser.all("#codes li")]
        assert len(self.recovery) == 10, self.browser.text

    def _confirm(self):
        """Actions that lose the account require the password, and a code, each time."""
        self.browser.wait_for_text("Confirm your password")
        self.browser.fill("confirm_password", PASSWORD)
        self.browser.fill("confirm_code", self.recovery.pop())
        self.browser.press("Continue")

    def _code(self, later):
        """Each code counts once: uses the current one first, then the next one."""
        return totp(self.secret, int(time.time()) // STEP_S + later)

    def come_back_with_a_code(self):
        self.browser.press("Sign out")
        self.browser.wait_for_text("You are signed out.")
        self.browser.fill("email", self.email)
        self.browser.fill("password", PASSWORD)
        self.browser.press("Sign in", within="main")
        self.browser.wait_for_path("/portal/sign-in/code")
        self.browser.fill("code", self._code(1))
        self.browser.press("Sign in", within="main")
        self.browser.wait_for_path("/portal")
        self.mailbox.wait(self.email, "Two-factor")

    def move_to_another_address(self):
        self.browser.press("Account")
        moved = fresh_email("moved")
        self.browser.fill("email", moved, within="main form[action='/portal/account/email']")
        self.browser.press("Change email address")
        self._confirm()
        self.browser.wait_for_text("Check the new mailbox.")
        self.browser.open(self.mailbox.wait(moved)[-1].link)
        self.browser.press(self.browser.find("main form button").text)
        self.browser.open("/portal/account")
        self.browser.wait_for_text(moved)
        assert self.mailbox.wait(self.email)[-1].link, "no way to undo it"
        self.email = moved

    def leave(self):
        self._delete()
        self.browser.press("Keep account")
        self.browser.wait_for_text("Delete account")
        self._delete()

    def _delete(self):
        self.browser.fill("typed_email", self.email)
        self.browser.press("Delete account")
        self._confirm()
        self.browser.wait_for_text("This account will be deleted")


class Shopping:
    """A member pays on a processor's page (kit/portal/processor.py), and leaves it without
    paying."""

    def __init__(self, site, browser, processor):
        self.browser = browser
        self.processor = processor
        self.member = Member(site, credits=100)

    def walk(self):
        self._sign_in()
        self._leave_without_paying()
        self._pay_after_all()
        self._take_the_receipt()

    def _sign_in(self):
        self.browser.open("/portal/sign-in?next=/portal/credits")
        self.browser.fill("email", self.member.email)
        self.browser.fill("password", self.member.password)
        self.browser.press("Sign in", within="main")
        self.browser.wait_for_path("/portal/credits")

    def _leave_without_paying(self):
        self.browser.press("Buy 1,500 credits")
        assert self.browser.text.startswith("open: 1500 usd"), self.browser.text
        self.browser.press("Back", within="body")
        self.browser.wait_for_text("The payment is not confirmed yet.")

    def _pay_after_all(self):
        self.browser.press("Pay")
        self.browser.press("Pay", within="body")
        wait_for_payment(self.browser, "Paid: 1,500 credits are in your account.")

    def _take_the_receipt(self):
        self.browser.press("Receipt")
        self.browser.wait_for_text("Receipt from Stripe")
        self.browser.check_silence(statuses=(404,))  # the processor has no icon
        self.browser.press("Credits")
        self.browser.wait_for_text("1,600 credits available.")
