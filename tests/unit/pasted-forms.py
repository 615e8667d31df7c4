"""pasted-forms.py UTILS CHAT - forms in which people paste expressions, tokens, keys, times and
colors: at least 90 % are understood as pasted-forms.yaml says, and those without a meaning are
rejected with the reason. UTILS and CHAT are the programs run-tools-utils and run-tools-chat. Prints
TAP: a line for each tool, with the forms that failed.
"""

import base64
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

FORMS = yaml.safe_load((Path(__file__).parent / "pasted-forms.yaml").read_text())
LEAST_PERCENT = 90


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


TOKEN = ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDI"
         "yfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c")

# For each tool: which program runs it, the request of a form, and what was read, of a result.
TOOLS = {
    "cron-explain": (1, lambda form: {"expression": form, "count": 1}, lambda result: result["normalized"]),
    "jwt-decode": (1, lambda form: {"token": form.replace("{token}", TOKEN)}, lambda result: result["header"]["alg"]),
    "chatplatform-timestamp": (
        2, lambda form: {"timestamp": form, "now": FORMS["chatplatform-timestamp"]["now"]},
        lambda result: result["unix"]),
    "qr-generate": (1, lambda form: {"text": "x", "dark_color": form}, lambda result: result["dark_color"]),
}


def run(program, tool, requests):
    lines = "".join(f"{tool} {json.dumps(request)}\n" for request in requests)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_refused(answer, code, word):
    return not answer["ok"] and answer["code"] == code and word in answer["message"]


def check_tool(tool):
    """(understood, forms, problems)."""
    number, request, read = TOOLS[tool]
    forms = FORMS[tool]
    answers = run(sys.argv[number], tool, [request(form) for form in [*forms["read"], *forms["refused"]]])
    understood, problems = 0, []
    for (form, want), answer in zip(forms["read"].items(), answers):
        got = read(answer["result"]) if answer["ok"] else answer["message"]
        understood += got == want
        problems += [f"{form!r}: {got} instead of {want}"] if got != want else []
    wrong = [f"{form!r} is not rejected with {code}, {word!r}: {answer}"[:300]
             for (form, (code, word)), answer in zip(forms["refused"].items(), answers[len(forms["read"]):])
             if not is_refused(answer, code, word)]
    return understood, len(forms["read"]), problems, wrong


# ---- keys: one RSA key in many forms must verify one signature ----

def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


def make_key(folder):
    """(token, {name of the form: key})."""
    private, public, certificate = (str(folder / name) for name in ("k.pem", "p.pem", "c.pem"))
    openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    openssl("req", "-x509", "-new", "-key", private, "-subj", "/CN=test", "-days", "30", "-out", certificate)
    pem, cert = Path(public).read_text(), Path(certificate).read_text()
    pkcs1 = openssl("rsa", "-in", private, "-RSAPublicKey_out").decode()
    modulus = bytes.fromhex(openssl("rsa", "-in", private, "-noout", "-modulus").decode().split("=")[1])
    jwk = {"kty": "RSA", "n": base64url(modulus), "e": "AQAB", "kid": "a"}
    signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "a"}, {"sub": "x"}))
    signature = openssl("dgst", "-sha256", "-sign", private, data=signed.encode())
    body = "".join(line for line in pem.splitlines() if "-----" not in line)
    cert_body = "".join(line for line in cert.splitlines() if "-----" not in line)
    return f"{signed}.{base64url(signature)}", {
        "PEM": pem,
        "PEM with CR LF": pem.replace("\n", "\r\n"),
        "PEM indented": "".join(f"    {line}\n" for line in pem.splitlines()),
        "PEM on one line": " ".join(pem.splitlines()),
        "PEM with \\n": pem.replace("\n", "\\n"),
        "PEM in quotes": json.dumps(pem),
        "PEM without BEGIN": body,
        "PEM body in lines": "\n".join(re.findall(".{1,64}", body)),
        "PEM after an assignment": f'PUBLIC_KEY="{pem}"',
        "PKCS #1": pkcs1,
        "certificate": cert,
        "certificate with \\n": cert.replace("\n", "\\n"),
        "x5c": cert_body,
        "x5c in a list": json.dumps([cert_body]),
        "JWK": json.dumps(jwk),
        "JWK indented": json.dumps(jwk, indent=4),
        "JWK set": json.dumps({"keys": [jwk]}),
        "JWK set of two": json.dumps({"keys": [jwk | {"kid": "b", "e": "Aw"}, jwk]}),
        "list of JWKs": json.dumps([jwk]),
        "JWK in quotes": json.dumps(json.dumps(jwk)),
        "JWK with x5c": json.dumps({"kty": "RSA", "kid": "a", "x5c": [cert_body], "n": jwk["n"], "e": "AQAB"}),
    }


def check_keys():
    with tempfile.TemporaryDirectory() as folder:
        token, keys = make_key(Path(folder))
    forged = token[:-8] + ("A" if token[-8] != "A" else "B") + token[-7:]
    good = run(sys.argv[1], "jwt-decode", [{"token": token, "key": key} for key in keys.values()])
    bad = run(sys.argv[1], "jwt-decode", [{"token": forged, "key": key} for key in keys.values()])
    problems = [name for name, answer in zip(keys, good)
                if not answer["ok"] or answer["result"]["signature_verified"] is not True]
    wrong = [f"{name} verifies a forged signature" for name, answer in zip(keys, bad)
             if answer["ok"] and answer["result"]["signature_verified"] is True]
    return len(keys) - len(problems), len(keys), problems, wrong


def main():
    results = {tool: check_tool(tool) for tool in TOOLS} | {"keys": check_keys()}
    understood = sum(result[0] for result in results.values())
    count = sum(result[1] for result in results.values())
    print(f"1..{len(results) + 1}")
    for number, (name, (read, forms, problems, wrong)) in enumerate(results.items(), 1):
        print("not ok" if wrong else "ok", number, f"- {name}: {read} of {forms} forms understood")
        print(*(f"# {problem}" for problem in problems + wrong), sep="\n")
    enough = 100 * understood >= LEAST_PERCENT * count
    print("ok" if enough else "not ok", len(results) + 1, f"- {understood} of {count} understood")
    sys.exit(not enough or any(result[3] for result in results.values()))


main()
