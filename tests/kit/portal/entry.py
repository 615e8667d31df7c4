"""tests/kit/portal/entry.py - sign-up and sign-in step by step, by visitors and by attackers who
guess."""

from concurrent.futures import ThreadPoolExecutor


def sign_up(visitor, email):
    return visitor.submit(visitor.get("/portal/sign-up").form("/portal/sign-up"), email=email)


def forget(visitor, email):
    return visitor.submit(visitor.get("/portal/forgot").form("/portal/forgot"), email=email)


def guess(visitor, email, password="not the password"):
    page = visitor.get("/portal/sign-in")
    return visitor.submit(page.form("/portal/sign-in"), follow=False, email=email, password=password)


def link_to(cast, email, template):
    return "/portal/" + cast.letter(email, template).link.split("/portal/")[1]


def at_once(count, work):
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))
