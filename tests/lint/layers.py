"""Each file includes only layers below its own, and third-party libraries only in their layer.

docs/develop/architecture.md lists the layers.
"""

import fnmatch
import re

import lint

SHARED = {
    "base": ("base/",),
    "text": ("text/", "base/"),
    "jsonschema": ("jsonschema/", "text/", "base/"),
    "bus": ("bus/", "base/"),
    "net": ("net/", "text/", "base/"),
    "probe": ("probe/", "net/", "text/", "base/"),
    "admin": ("admin/", "base/"),
    "web": ("web/", "base/"),
    "db": ("db/", "text/", "base/"),
    "payments": ("payments/", "db/", "net/", "text/", "base/"),
    "server": ("server/", "web/", "admin/", "text/", "base/"),
    "svc": ("svc/", "jsonschema/", "bus/", "admin/", "text/", "base/"),
}
GATEWAY = ("gateway/", "base/", "text/", "bus/", "net/", "admin/", "web/", "server/", "db/",
           "payments/", "svc/contract.h", "svc/groups.h", "svc/limits.h")
PORTAL = ("portal/", "base/", "text/", "net/", "admin/", "web/", "server/", "db/", "payments/", "svc/contract.h",
          "svc/groups.h", "svc/limits.h")
BROWSER = ("browser/", "base/", "text/", "net/", "admin/", "web/", "server/")
SERVICE = ("base/", "text/", "jsonschema/", "net/", "probe/", "admin/", "svc/")

# Within the gateway: a folder, and what it must not include.
FORBIDDEN = {
    "gateway/call/": ("gateway/front.h", "gateway/http/", "gateway/mcp/", "gateway/tollctl/"),
    "gateway/catalog/": ("gateway/call/", "gateway/dispatch/", "gateway/ledger/", "gateway/tollctl/"),
    "gateway/dispatch/": ("gateway/call/", "gateway/ledger/", "gateway/tollctl/"),
    "gateway/http/": ("gateway/front.h", "gateway/mcp/", "gateway/tollctl/"),
    "gateway/ledger/": ("gateway/call/", "gateway/dispatch/", "gateway/tollctl/"),
    "gateway/tollctl/": ("gateway/call/", "gateway/catalog/", "gateway/dispatch/", "gateway/ledger/"),
}

# Header of a third-party library: the files that may include it. Other libraries (cJSON's type,
# EVP, a library of one tool) may be included anywhere.
HOMES = {
    "civetweb.h": ("common/admin/*", "common/web/*"),
    "curl/*": ("common/net/*",),
    "czmq*.h": ("common/bus/*",),
    "gumbo.h": ("common/text/*",),
    "idn2.h": ("common/text/*",),
    "job.pb-c.h": ("common/bus/*",),
    "libpq-fe.h": ("common/db/*",),
    "libpsl.h": ("common/text/*",),
    "openssl/ssl*.h": ("common/net/*",),
    "openssl/x509*.h": ("common/net/*",),
    "pcre2*.h": ("common/text/*",),
    "postgresql/*": (),
    "proto/*": ("common/bus/*",),
    "protobuf-c/*": ("common/bus/*",),
    "uni*.h": ("common/base/*", "common/text/passwords/*", "svc-*"),
    "unistr.h": ("common/base/*",),
    "unistd.h": ("*",),
    "unistring/*": ("common/base/*",),
    "yaml.h": ("common/text/*",),
    "zmq*.h": ("common/bus/*",),
}

GENERATED = "tools.h"  # for each worker, by scripts/groups

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """(folder of the layer, what it may include); path is relative to the root."""
    parts = path.split("/")
    if parts[0] == "common" and parts[1] in SHARED:
        return "common/" + parts[1], SHARED[parts[1]]
    if parts[0] == "gateway":
        return "gateway", GATEWAY
    if parts[0] == "portal":
        return "portal", PORTAL
    if parts[0] == "browser":
        return "browser", BROWSER
    if parts[0].startswith("svc-"):
        return parts[0], SERVICE
    return None, ()


def find_local(root, path, folder, name):
    """A file of the same layer, relative to the including file or to the layer's folder."""
    own = (root / folder).resolve()
    for start in ((root / path).parent, own):
        target = (start / name).resolve()
        if target.is_file() and own in target.parents:
            return str(target.relative_to(root.resolve()))
    return None


def is_forbidden(path, target):
    """Is it a file that the including file's folder must not include?"""
    return any(path.startswith(folder) and target.startswith(others) for folder, others in FORBIDDEN.items())


def home_of(name):
    """The longest pattern of HOMES that matches."""
    fitting = [pattern for pattern in HOMES if fnmatch.fnmatchcase(name, pattern)]
    return max(fitting, key=len, default=None)


def check_include(root, path, quoted, name):
    """The problem with one #include, or None."""
    home = home_of(name)
    if home and not any(fnmatch.fnmatchcase(path, place) for place in HOMES[home]):
        return f"{name} is included outside its layer"
    if home or not quoted:
        return None
    folder, allowed = layer_of(path)
    if folder is None:
        return f"{path} is in no layer"
    local = find_local(root, path, folder, name)
    if not local and name != GENERATED and not name.startswith(allowed):
        return f"{folder} must not include {name}"
    if is_forbidden(path, local or name):
        return f"{path} must not include {name}"
    return None


def check(root):
    for file in lint.c_files(root, ("common", "gateway", "portal", "browser", "svc-*")):
        path = str(file.relative_to(root))
        for number, line in lint.numbered(file):
            found = INCLUDE.match(line)
            problem = found and check_include(root, path, found[1] == '"', found[2])
            if problem:
                yield f"{path}:{number}: {problem}"


EXAMPLES = [
    ("a layer includes itself", {"common/text/a.c": '#include "text/a.h"\n'}, 0),
    ("a layer includes one below", {"common/net/a.c": '#include "base/err.h"\n'}, 0),
    ("a layer includes one above", {"common/base/a.c": '#include "text/json.h"\n'}, 1),
    ("admin does not use JSON", {"common/admin/a.c": '#include "text/json.h"\n'}, 1),
    ("JSON Schema does not use contracts", {"common/jsonschema/a.c": '#include "svc/contract.h"\n'}, 1),
    ("svc may use the bus", {"common/svc/a.c": '#include "bus/sock.h"\n'}, 0),
    ("a server uses HTTP", {"common/server/a.c": '#include "web/http.h"\n'}, 0),
    ("but not the database", {"common/server/a.c": '#include "db/sql.h"\n'}, 1),
    ("a worker may not", {"svc-utils/a.c": '#include "bus/sock.h"\n'}, 1),
    ("a worker includes its files", {"svc-utils/a.c": '#include "tools.h"\n#include "c.h"\n',
                                    "svc-utils/c.h": ""}, 0),
    ("also from a tool's folder", {"svc-utils/tool/a.c": '#include "c.h"\n#include "b.h"\n',
                                  "svc-utils/c.h": "", "svc-utils/tool/b.h": ""}, 0),
    ("a file that does not exist", {"svc-utils/a.c": '#include "nowhere.h"\n'}, 1),
    ("workers do not use each other", {"svc-utils/a.c": '#include "svc-email/spam.h"\n',
                                         "svc-email/spam.h": ""}, 1),
    ("not by a relative path either", {"svc-utils/a.c": '#include "../svc-email/spam.h"\n',
                              "svc-email/spam.h": ""}, 1),
    ("the gateway reads contracts", {"gateway/a.c": '#include "svc/contract.h"\n'}, 0),
    ("but not jobs", {"gateway/a.c": '#include "svc/job.h"\n'}, 1),
    ("the gateway does not probe", {"gateway/a.c": '#include "probe/page.h"\n'}, 1),
    ("a folder of the gateway includes itself", {"gateway/ledger/a.c": '#include "gateway/ledger/b.h"\n'}, 0),
    ("calls include the ledger", {"gateway/call/a.c": '#include "gateway/ledger/b.h"\n'}, 0),
    ("the ledger does not use calls", {"gateway/ledger/a.c": '#include "gateway/call/b.h"\n'}, 1),
    ("not by a relative path either", {"gateway/ledger/a.c": '#include "../call/b.h"\n', "gateway/call/b.h": ""}, 1),
    ("the dispatcher does not use calls", {"gateway/dispatch/a.c": '#include "gateway/call/b.h"\n'}, 1),
    ("the catalog does not use the ledger", {"gateway/catalog/a.c": '#include "gateway/ledger/b.h"\n'}, 1),
    ("tollctl uses neither", {"gateway/tollctl/a.c": '#include "gateway/catalog/b.h"\n'}, 1),
    ("the portal reads contracts", {"portal/a.c": '#include "svc/contract.h"\n'}, 0),
    ("but not the bus", {"portal/a.c": '#include "bus/sock.h"\n'}, 1),
    ("the portal does not use the gateway", {"portal/a.c": '#include "gateway/catalog/b.h"\n'}, 1),
    ("nor the gateway the portal", {"gateway/a.c": '#include "portal/b.h"\n', "portal/b.h": ""}, 1),
    ("nor curl", {"portal/a.c": "#include <curl/curl.h>\n"}, 1),
    ("the browser service uses the guard", {"browser/a.c": '#include "net/dial.h"\n'}, 0),
    ("but no tools", {"browser/a.c": '#include "svc/job.h"\n'}, 1),
    ("a folder without a layer", {"common/new/a.c": '#include "base/err.h"\n'}, 1),
    ("cJSON's type is everywhere", {"svc-utils/a.c": "#include <cjson/cJSON.h>\n"}, 0),
    ("libyaml is not", {"gateway/a.c": "#include <yaml.h>\n"}, 1),
    ("libyaml in its layer", {"common/text/yaml.c": "#include <yaml.h>\n"}, 0),
    ("text/yaml.h is another header", {"gateway/a.c": '#include "text/yaml.h"\n'}, 0),
    ("civetweb in its layers", {"common/web/http.c": "#include <civetweb.h>\n",
                          "common/admin/admin.c": "#include <civetweb.h>\n"}, 0),
    ("civetweb elsewhere", {"gateway/main.c": "#include <civetweb.h>\n"}, 1),
    ("libpq in its layer", {"common/db/sql.c": "#include <libpq-fe.h>\n"}, 0),
    ("libpq elsewhere", {"gateway/ledger/ledger.c": "#include <libpq-fe.h>\n"}, 1),
    ("zmq elsewhere", {"common/svc/svc.c": "  #  include <zmq.h>\n"}, 1),
    ("curl elsewhere", {"svc-security/a.c": "#include <curl/curl.h>\n"}, 1),
    ("curl in quotes", {"svc-security/a.c": '#include "curl/curl.h"\n'}, 1),
    ("pcre2 elsewhere", {"svc-email/a.c": "#include <pcre2.h>\n"}, 1),
    ("TLS elsewhere", {"svc-security/a.c": "#include <openssl/ssl.h>\n"}, 1),
    ("digests anywhere", {"svc-utils/a.c": "#include <openssl/evp.h>\n"}, 0),
    ("properties of characters in tools", {"svc-chat/a.c": "#include <unictype.h>\n"}, 0),
    ("but not UTF-8 itself", {"svc-chat/a.c": "#include <unistr.h>\n"}, 1),
    ("POSIX is not libunistring", {"gateway/a.c": "#include <unistd.h>\n"}, 0),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "move the code into a layer that may include it (docs/develop/architecture.md), or pass it what it needs.")
