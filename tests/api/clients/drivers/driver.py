"""driver.py JSON - run one method of the Python client, and print its value or its error."""

import json
import sys

from tollgate import Response, Tollgate, TollgateError

asked = json.loads(sys.argv[1])


def plain(value):
    if isinstance(value, Response):
        return {"result": plain(value.result), "content_type": value.content_type, "charged": value.credits_charged,
                "remaining": value.credits_remaining, "request_id": value.request_id, "is_replayed": value.is_replayed}
    return {"bytes": value.decode("latin-1")} if isinstance(value, bytes) else value


def run():
    tollgate = Tollgate(ca_file=asked["ca_file"], **asked["options"])
    key = {"idempotency_key": asked["key"]} if asked["key"] else {}
    return plain(getattr(tollgate, asked["method"])(*asked["arguments"], **key))


try:
    print(json.dumps({"value": run()}))
except TollgateError as error:
    print(json.dumps({"error": {"status": error.status, "codes": error.codes, "message": error.message,
                                "request_id": error.request_id, "retry_after_s": error.retry_after_s,
                                "help_url": error.help_url, "key": error.idempotency_key}}))
except ValueError as error:
    print(json.dumps({"error": {"wrong": str(error)}}))
