"""Exit statuses of tollgate-cli, which error means which, and what to do."""

OK, FAILED, USAGE, NO_CREDITS, NOT_LOGGED_IN, NO_RESPONSE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

OF_CODE = {
    "insufficient_credits": NO_CREDITS,
    "spending_cap_daily": NO_CREDITS,
    "spending_cap_total": NO_CREDITS,
    "account_closed": NOT_LOGGED_IN,
    "account_suspended": NOT_LOGGED_IN,
    "auth_expired": NOT_LOGGED_IN,
    "auth_invalid": NOT_LOGGED_IN,
    "auth_malformed": NOT_LOGGED_IN,
    "auth_revoked": NOT_LOGGED_IN,
    "email_unverified": NOT_LOGGED_IN,
    "invalid_account_id": NOT_LOGGED_IN,
    "ip_not_allowed": NOT_LOGGED_IN,
}
ADVICE = {
    NO_CREDITS: "Buy credits, or raise the token's cap, in the portal.",
    NOT_LOGGED_IN: "Check account and token, then run tollgate-cli login.",
    NO_RESPONSE: "Check the network and the server's address. A private certificate needs login --ca-file.",
}


class UsageError(Exception):
    """Wrong arguments or input; nothing was charged."""

    def __init__(self, message, status=USAGE):
        super().__init__(message)
        self.status = status


def status_of(error):
    """Of a TollgateError."""
    if error.status is None:
        return NO_RESPONSE
    return next((OF_CODE[code] for code in error.codes if code in OF_CODE), FAILED)


def is_unknown(error):
    """Whether the call may have been charged."""
    return error.status is None or not {"outcome_unknown", "idempotency_in_progress"}.isdisjoint(error.codes)
