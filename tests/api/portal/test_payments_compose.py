"""tests/api/portal/test_payments_compose.py - a portal with compose.yaml's environment for
PAYMENTS=stripe sells credits, with the two files that docs/operate/payments.md imports.

The test adds only what differs on this machine: addresses, paths, and the processor's URLs, because
the processor is kit/portal/processor.py.
"""

import sys

import pytest

from kit.portal.member import Member
from kit.portal.payments import Hook
from kit.portal.shop import processor  # noqa: F401 - a fixture
from kit.portal.visitor import Visitor
from kit.site import Site
from part import Failure, wait_for
from stack import ROOT

sys.path.append(str(ROOT / "deploy"))

from compose_file import SECRETS, VARIABLE, ComposeFile  # noqa: E402

pytestmark = pytest.mark.xdist_group("portal-payments-compose")

PORTAL = "portal-1"
START = ROOT / "deploy/docker/start"
SETTINGS = {"PAYMENTS": "stripe", "SELLER": "Example Ltd | 1 Example Street"}
FILES = {"stripe.key": "key", "stripe.webhook-secret": "secret"}  # the names in step 5 of docs/operate/payments.md
WAIT_S = 15


def filled(text, settings):
    """Expand variables as Compose does."""
    return VARIABLE.sub(lambda found: settings.get(found[1]) or filled(found[2], settings), text)


class Container:
    """A portal with the environment of compose.yaml, on a stack."""

    def __init__(self, stack, processor, directory):
        self._stack, self._part, self._directory = stack, stack.parts[PORTAL], directory
        here = {name: self._part.env[name] for name in ("TOLLGATE_PORTAL_LISTEN", "TOLLGATE_PORTAL_ADMIN")}
        here |= {"TOLLGATE_CONTRACTS_DIR": str(ROOT), "TOLLGATE_PORTAL_FILES_DIR": str(ROOT / "portal"),
                 "TOLLGATE_GATEWAY_LIMITS_FILE": str(ROOT / "gateway/limits.yaml")}
        self._here = here | {"TOLLGATE_EGRESS_CA_FILE": str(processor.ca_file), "TOLLGATE_EGRESS_ONLY": "127.0.0.0/8,::1",
                             "TOLLGATE_PAYMENTS_STRIPE_URL": processor.url,
                             "TOLLGATE_PAYMENTS_STRIPE_CHECKOUT_ORIGIN": processor.url}
        files = {"portal.secret": "1" * 64, "portal.password": "not asked for"}
        files |= {name: getattr(processor, what) for name, what in FILES.items()}
        for name, text in files.items():
            (directory / name).write_text(text + "\n")
            (directory / name).chmod(0o400)

    def start(self, **settings):
        """Start it with SETTINGS and these settings; Failure if it exits."""
        settings = SETTINGS | {"DATABASE": f"host={self._stack.cluster.socket}", "EDGE_SUBNET": "127.0.0.0/8"} | settings
        environment = {name: filled(text, settings).replace(SECRETS, str(self._directory))
                       for name, text in ComposeFile(ROOT).environment("portal").items()}
        self._part.stop()
        self._part.argv = [str(START), str(self._stack.build / "portal/tollgate-portal")]
        self._part.env = environment | self._here
        self._stack.start_part(PORTAL)


@pytest.fixture(scope="module")
def stack(own_stack):
    return own_stack(gateways=1, daemons=0, portals=1)


@pytest.fixture(scope="module")
def container(stack, processor, tmp_path_factory):
    part = stack.parts[PORTAL]
    before = part.argv, part.env
    yield Container(stack, processor, tmp_path_factory.mktemp("run-tollgate"))
    part.stop()
    part.argv, part.env = before
    stack.start_part(PORTAL)


def test_it_sells(stack, container, processor):
    container.start(PUBLIC_URL=stack.base_url, OAUTH_ENABLED="true")  # as the stack has it
    site = Site.of(stack)
    wait_for(lambda: Visitor(site).get("/portal/sign-in").status_code == 200, WAIT_S, "the edge's sight of it")
    visitor = Member(site, credits=100).sign_in()
    form = visitor.get("/portal/credits").form("/portal/credits/buy", 0)
    order, answer = dict(form.sent())["order"], visitor.submit(form, follow=False)
    assert answer.headers["Location"].startswith(f"{processor.url}/c/pay/"), answer
    told = processor.sign(processor.pay(processor.session_of(order)))
    assert Hook(stack).send(*told).status_code == 200
    wait_for(lambda: "Paid: 250 credits are in your account." in visitor.get(f"/portal/orders/{order}").text, WAIT_S,
             "credits")
    assert "Seller Example Ltd 1 Example Street" in visitor.get(f"/portal/orders/{order}/receipt").text


def test_a_test_key_starts_elsewhere_only_when_that_is_meant(stack, container):
    with pytest.raises(Failure, match="card 4242"):
        container.start(PUBLIC_URL="https://shop.example.com")
    container.start(PUBLIC_URL="https://shop.example.com", PAYMENTS_ALLOW_TEST_KEY="true")
