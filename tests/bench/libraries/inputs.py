"""tests/bench/libraries/inputs.py - requests for each tool, made from a seed: no two are the same.

INPUTS[name](dice, size) is a request; size is SMALL, TYPICAL or LARGE. LARGE is near the limit of
64 KB, or near the tool's own limit where that is lower.
"""

import base64
import hmac
import json
import string

SMALL, TYPICAL, LARGE = range(3)
SIZES = ("small", "typical", "large")

WORDS = """about account after again always amount answer area around authority balance basket because before begin
better between board bread bridge bright business button butter campaign candle careful center certain change charge
checkout cheese chicken children city clean clear client coffee color common company complete condition contact corner
country course customer daily damage december delivery department design detail different dinner direct discount
document double early east effect email empty energy enough evening every example expect express family february field
figure final flour follow forest friday friend garden general gentle ghent glass green ground group guide harbor heavy
history holiday honey house important include income inside invoice island january journey kitchen language late letter
level library license light limit listen local lunch machine market matter meadow measure meeting member message metal
middle minute mirror modern monday money month morning mother mountain museum music nature nearby network night normal
north notice number object october offer office often online open orange order other outside page paper parcel partner
people period picture place plain planet please pocket point policy popular possible postal power present price print
private problem process product project proper public quality quarter question quick quiet reader reason receipt record
regular remain report request result return river road round saturday school season second section service shadow share
shipping shop short silver simple single small snow special spring square station still stone store story street strong
student summer sunday supply support surface table teacher thousand thursday ticket today together tomorrow total town
travel tuesday under unit update useful valley value village visit voice water weather wednesday welcome west window
winter wonder work world yellow yesterday young""".split()
SYLLABLES = [first + second + last for first in "bdfgklmnprstvz" for second in "aeiou" for last in ("", "n", "r", "l")]
ZONES = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "UTC"]
COUNTRIES = ["FRA", "DEU", "USA", "JPN", "BRA", "SWE", "IND", "ZAF"]
PERMISSIONS = """ViewChannel SendMessages EmbedLinks AttachFiles AddReactions ManageMessages ManageRoles KickMembers
BanMembers Connect Speak MuteMembers MoveMembers UseVAD ChangeNickname ManageNicknames ManageWebhooks CreateInstantInvite
ReadMessageHistory MentionEveryone UseExternalEmojis ManageChannels ManageGuild ViewAuditLog PrioritySpeaker
Stream""".split()
INTENTS = """Guilds GuildMembers GuildModeration GuildWebhooks GuildInvites GuildVoiceStates GuildPresences GuildMessages
GuildMessageReactions GuildMessageTyping DirectMessages DirectMessageReactions MessageContent""".split()
INSULTS = ["shit", "f u c k", "b1tch", "asshole", "you idiot", "sh1t", "free nitro at http://dlscord-gift.example/x",
           "kill yourself", "discord.gg/abcdef", "@everyone"]


def word(dice):
    """Mostly from the list, often with another ending, sometimes invented, so that caches of words
    do not help."""
    kind = dice.random()
    if kind < 0.7:
        return dice.choice(WORDS)
    if kind < 0.9:
        return dice.choice(WORDS) + dice.choice(["s", "ing", "ed", "er", "ness", "ly", "like", "less"])
    return "".join(dice.choice(SYLLABLES) for _ in range(dice.randint(2, 4)))


def words(dice, count):
    return " ".join(word(dice) for _ in range(count))


def text(dice, size):
    """Sentences with numbers, signs and some letters beyond ASCII, in about this many bytes."""
    parts, length = [], 0
    while length < size:
        sentence = words(dice, dice.randint(4, 12)).capitalize()
        sentence += dice.choice([".", ".", "!", "?", f", {dice.randint(1, 99999)}.", " – café.", f" ({dice.random():.3f})."])
        parts.append(sentence)
        length += len(sentence.encode()) + 1
    return " ".join(parts).encode()[:size].decode(errors="ignore")


def token_text(dice, length):
    return "".join(dice.choices(string.ascii_letters + string.digits, k=length))


def snowflake(dice):
    return str(dice.randrange(10**17, 10**18))


# ---- utils ----

def cron(dice, size):
    def some(low, high, count):
        return ",".join(map(str, sorted(dice.sample(range(low, high), count))))
    expression = [f"{dice.randrange(60)} {dice.randrange(24)} * * *",
                  f"*/{dice.choice([5, 10, 15, 20, 30])} {dice.randint(6, 10)}-{dice.randint(15, 20)} * * MON-FRI",
                  f"{some(0, 60, 20)} {some(0, 24, 8)} {some(1, 29, 6)} {some(1, 13, 3)} *"][size]
    return {"expression": expression, "count": [5, 5, 100][size], "timezone": dice.choice(ZONES),
            "from": f"2026-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}T{dice.randrange(24):02}:17:00Z"}


def hashed(dice, size, algorithm="sha256"):
    return {"input": text(dice, [40, 2000, 60000][size]), "algorithm": algorithm}


def sample(dice, size):
    names = dice.sample(WORDS, 40)
    def record(depth):
        made = {}
        for name in dice.sample(names, 8):
            kind = dice.randrange(6 if depth > 0 else 4)
            made[name] = [dice.randint(0, 10**6), words(dice, 4), dice.random() < 0.5, round(dice.random() * 100, 2),
                          None, None][kind] if kind < 4 else record(depth - 1) if kind == 4 else [words(dice, 1) for _ in range(3)]
        return made
    if size == SMALL:
        return {"sample": record(0), "targets": "typescript"}
    rows, limit = [], [0, 4000, 58000][size]
    while len(json.dumps(rows)) < limit:
        rows.append(record(2))
    return {"sample": rows, "targets": "typescript"}


def jwt(dice, size):
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    claims = {"sub": token_text(dice, 12), "iat": 1700000000, "exp": 1800000000, "name": words(dice, 2)}
    claims["note"] = text(dice, [40, 2000, 20000][size])
    key = token_text(dice, 40)
    signed = part(b'{"alg":"HS256","typ":"JWT"}') + "." + part(json.dumps(claims).encode())
    mark = part(hmac.digest(key.encode(), signed.encode(), "sha256"))
    return {"token": f"{signed}.{mark}", "key": key, "at": 1750000000}


def password(dice, size):
    parts = [dice.choice(WORDS).capitalize(), str(dice.randint(1900, 2030)), dice.choice(["!", "qwerty", "p4ssw0rd", "#"])]
    while len("".join(parts)) < [8, 20, 100][size]:
        parts.append(dice.choice([dice.choice(WORDS), token_text(dice, 4), str(dice.randint(0, 9999))]))
    return {"password": "".join(parts)[:[8, 20, 100][size]]}


def placeholder(dice, size):
    return {"width": dice.randint(100, 2000), "height": dice.randint(100, 2000), "text": text(dice, [10, 60, 200][size])}


def qr(dice, size):
    if size == SMALL:
        return {"text": f"https://example.com/{token_text(dice, 12)}", "error_correction": "M"}
    return {"text": text(dice, [0, 300, 2200][size]), "error_correction": "M"}


def qr_best(dice, size):
    made = qr(dice, size)
    del made["error_correction"]
    return made


def counted(dice, size):
    return {"text": text(dice, [100, 3000, 60000][size]), "model": "gpt-4o"}


# ---- chat ----

def invite(dice, size):
    return {"client_id": snowflake(dice), "permissions": dice.sample(PERMISSIONS, [1, 6, 24][size]),
            "scopes": ["bot", "applications.commands"]}


def avatar(dice, _):
    return {"kind": "user_avatar", "user_id": snowflake(dice), "hash": "%032x" % dice.getrandbits(128),
            "size": dice.choice([64, 128, 256, 512])}


def commands(dice, size):
    def name():
        return f"{dice.choice(WORDS)}-{dice.randrange(10**6)}"
    def option(number):
        made = {"type": dice.choice([3, 4]), "name": f"{dice.choice(WORDS)}{number}", "description": words(dice, 5),
                "required": False}
        made["choices"] = [{"name": f"{dice.choice(WORDS)} {n}", "value": n if made["type"] == 4 else f"v{n}"}
                           for n in range([0, 4, 8][size])]
        return made if made["choices"] else {k: v for k, v in made.items() if k != "choices"}
    return {"commands": [{"name": name(), "description": words(dice, 5), "options": [option(n) for n in range([1, 6, 10][size])]}
                         for _ in range([1, 2, 10][size])]}


def embeds(dice, size):
    def embed():
        return {"title": words(dice, 4), "description": text(dice, [60, 600, 200][size]), "url": "https://example.com/",
                "color": dice.randrange(1 << 24),
                "fields": [{"name": words(dice, 2), "value": words(dice, 3), "inline": True} for _ in range([1, 6, 9][size])]}
    return {"embeds": [embed() for _ in range([1, 1, 10][size])]}


def intents(dice, size):
    return {"intents": dice.sample(INTENTS, [1, 5, 13][size])}


def moderated(dice, size):
    parts = []
    while len(" ".join(parts)) < [60, 400, 3900][size]:
        parts.append(words(dice, dice.randint(4, 12)).capitalize() + ".")
        if dice.random() < 0.1:
            parts.append(dice.choice(INSULTS))
    return {"text": " ".join(parts)[:[60, 400, 3900][size]]}


def permissions(dice, size):
    return {"permissions": dice.sample(PERMISSIONS, [1, 6, 24][size]), "required": dice.sample(PERMISSIONS, [1, 3, 12][size])}


def snowflakes(dice, _):
    return {"snowflake": snowflake(dice)}


def sanitized(dice, size):
    parts = []
    while len(" ".join(parts)) < [60, 1500, 9000][size]:
        word = dice.choice(WORDS)
        parts.append(dice.choice([word, word, word, f"*{word}*", f"__{word}__", f"`{word}`", f"~~{word}~~", f"||{word}||",
                                  "@everyone", f"[{word}](https://example.com)", f"<@{snowflake(dice)}>", f"snake_{word}_case"]))
    return {"text": " ".join(parts)[:[60, 1500, 9000][size]]}


def timestamp(dice, _):
    return {"timestamp": f"2026-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}T{dice.randrange(24):02}:{dice.randrange(60):02}:30Z"}


# ---- ai ----

def model_answer(dice, size):
    """JSON as models write it: in a fence, with words of Python and commas at the end."""
    items = ",\n".join(f"  {{'name': '{words(dice, 2)}', 'price': {dice.randint(1, 9999)}, in_stock: {dice.choice(['True', 'None'])},"
                       f" 'tags': ['{word(dice)}', '{word(dice)}',]}}" for _ in range([1, 30, 600][size]))
    return {"answer": f"```json\n{{'items': [\n{items},\n]}}\n```"}


# ---- email ----

def mail_headers(dice, size):
    lines = [f"From: {words(dice, 2).title()} <{dice.choice(WORDS)}@example.com>", "To: you@example.net",
             f"Subject: {words(dice, 6)}", "Date: Mon, 23 Nov 2026 10:00:00 +0000",
             f"Message-ID: <{token_text(dice, 20)}@example.com>", "MIME-Version: 1.0",
             "Authentication-Results: mx.example.net; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com;"
             " dmarc=pass header.from=example.com"]
    for hop in range([2, 8, 60][size]):
        lines.append(f"Received: from h{hop}.{dice.choice(WORDS)}.example (h{hop}.example.org [93.184.{dice.randrange(250)}."
                     f"{dice.randrange(250)}])\r\n\tby h{hop + 1}.example.com (Postfix) with ESMTPS id {token_text(dice, 10)}\r\n"
                     f"\tfor <you@example.net>; Mon, 23 Nov 2026 09:{59 - hop % 60:02}:{dice.randrange(60):02} +0000 (UTC)")
    while len("\r\n".join(lines)) < [0, 4000, 45000][size]:
        lines.append(f"X-{dice.choice(WORDS).title()}-{dice.randrange(1000)}: {token_text(dice, 60)}")
    return {"headers": "\r\n".join(lines)}


def spam(dice, size):
    return {"subject": dice.choice(["Your account is LIMITED!!", words(dice, 5), "You have WON $1,000,000"]),
            "from": f"{words(dice, 2).title()} <{dice.choice(WORDS)}@example.com>",
            "body": "\n".join(text(dice, [250, 500, 500][size]) + dice.choice(["", " Act now at http://win.example/x"])
                              for _ in range([1, 8, 100][size]))}


# ---- reports and security ----

def view(dice, _):
    return {"bytes": dice.randint(10**4, 10**8), "country": dice.choice(COUNTRIES), "green": dice.random() < 0.5}


def document(dice, count):
    schemas = {f"{dice.choice(WORDS).title()}{n}": {
        "type": "object", "required": ["id"], "description": words(dice, 5),
        "properties": {"id": {"type": "string", "format": "uuid"}} | {
            word: dice.choice([{"type": "string", "maxLength": dice.randint(5, 500)}, {"type": "integer", "minimum": 0},
                               {"type": "array", "items": {"type": "string"}}, {"type": "boolean"}])
            for word in dice.sample(WORDS, 5)}} for n in range(count)}
    names = list(schemas)
    def content():
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{dice.choice(names)}"}}}
    paths = {f"/{dice.choice(WORDS)}{n}/{{id}}": {
        "get": {"operationId": f"get{n}", "summary": words(dice, 4), "tags": ["a"], "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": dice.choice(WORDS), "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "OK", "content": content()}, "404": {"description": "Not found"}}},
        "put": {"operationId": f"put{n}", "summary": words(dice, 4), "requestBody": {"content": content()},
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"204": {"description": "Stored"}}}} for n in range(count)}
    return {"openapi": "3.0.3", "info": {"title": words(dice, 2), "version": "1.0"}, "paths": paths,
            "servers": [{"url": "https://api.example.com"}], "components": {"schemas": schemas}}


def specification(dice, size):
    return {"spec": json.dumps(document(dice, [1, 15, 50][size]))}


def compared(dice, size):
    before = document(dice, [1, 12, 24][size])
    after = json.loads(json.dumps(before))
    for operations in list(after["paths"].values())[::3]:
        operations["get"]["parameters"][1]["required"] = True
    for schema in list(after["components"]["schemas"].values())[::3]:
        schema["required"].append(list(schema["properties"])[1])
    return {"previous": json.dumps(before), "spec": json.dumps(after)}


def response(dice, size):
    """Headers and a page, in the form of svc-security/security-headers/tests/site.h."""
    hosts = [f"https://{dice.choice(WORDS)}{dice.randrange(1000)}.example" for _ in range([1, 6, 60][size])]
    policy = f"default-src 'self'; script-src 'self' 'unsafe-inline' {' '.join(hosts)}; img-src * data:; object-src 'none'"
    lines = ["https https://www.example.com/ 200", "Content-Type: text/html; charset=utf-8", "Server: nginx/1.22.1",
             "Strict-Transport-Security: max-age=31536000; includeSubDomains", "X-Content-Type-Options: nosniff",
             f"Content-Security-Policy: {policy}", f"Set-Cookie: session={token_text(dice, 20)}; Secure; HttpOnly; SameSite=Lax"]
    return {"answer": "\n".join(lines) + "\n\n" + html(dice, [2000, 30000, 300000][size])}


def html(dice, size):
    scripts = dice.sample(["jquery-3.6.0.min.js", "bootstrap.min.js", "vue.global.js", "react.production.min.js", "app.js"], 2)
    parts = [f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{words(dice, 6)}</title>'
             f'<meta name="description" content="{words(dice, 14)}"><meta name="generator" content="WordPress 6.4">'
             f'<link rel="canonical" href="https://www.example.com/">'
             + "".join(f'<script src="/js/{name}"></script>' for name in scripts) + f"</head><body><h1>{words(dice, 4)}</h1>"]
    length = 600
    while length < size:
        parts.append(f'<h2>{words(dice, 4)}</h2><p class="{dice.choice(WORDS)}">{text(dice, 300)} '
                     f'<a href="/{dice.choice(WORDS)}/{dice.randrange(1000)}">{words(dice, 2)}</a></p>'
                     f'<img src="/i/{dice.randrange(1000)}.png" alt="{words(dice, 2)}" width="10" height="10">')
        length += len(parts[-1])
    return "".join(parts) + "</body></html>"


INPUTS = {
    "cron-explain": cron, "hash-generate": hashed, "json-to-code": sample, "jwt-decode": jwt, "password-strength": password,
    "placeholder-image": placeholder, "qr-generate": qr, "token-counter": counted, "chatplatform-bot-invite": invite,
    "chatplatform-cdn-resolve": avatar, "chatplatform-command-validate": commands, "chatplatform-embed-build": embeds,
    "chatplatform-intents-calc": intents, "chatplatform-moderate": moderated, "chatplatform-permissions-calc": permissions,
    "chatplatform-snowflake-decode": snowflakes, "chatplatform-text-sanitize": sanitized, "chatplatform-timestamp": timestamp,
    "email-header-analyzer": mail_headers, "email-spam-check": spam, "carbon-footprint": view,
    "ai-extract answer": model_answer, "openapi-validate": specification, "security-headers": response, "seo-analyze": response, "tech-detect": response,
    "qr-generate best": qr_best, "openapi-validate compared": compared,
}
