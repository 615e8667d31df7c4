"""C code does not make banned calls, and makes some calls only in one place."""

import fnmatch
import re

import lint

# Call: (files that may make it, replacement).
CALLS = {
    "strcpy": ((), "struct buf or snprintf"),
    "strcat": ((), "struct buf"),
    "sprintf": ((), "snprintf or buf_format"),
    "vsprintf": ((), "vsnprintf"),
    "strtok": ((), "strcspn, which does not change its argument"),
    "atoi": ((), "num_parse"),
    "gmtime": ((), "clock_format or gmtime_r"),
    "localtime": ((), "UTC"),
    "system": ((), "a library"),
    "time": ((), "clock_wall_ms"),
    "sleep": ((), "a wait for an event, with a deadline"),
    "usleep": ((), "a wait for an event, with a deadline"),
    "malloc": (("common/base/mem.c",), "mem_new"),
    "calloc": (("common/base/mem.c",), "mem_array"),
    "realloc": (("common/base/mem.c",), "mem_resize"),
    "strdup": (("common/base/mem.c",), "str_dup"),
    "strndup": (("common/base/mem.c",), "mem_dup"),
    "asprintf": (("common/base/mem.c",), "str_format"),
    "cJSON_*": (("common/text/*", "tests/fuzz/mutate-json.c"), "text/json.h"),
    # civetweb: whatever it answers itself, and its parser of forms
    "mg_send_*": ((), "a response of the handler (docs/decisions/004-http-server.md)"),
    "mg_set_*": ((), "the callback begin_request (docs/decisions/004-http-server.md)"),
    "mg_handle_form_request": ((), "portal/page/form.h"),
}
ALLOWED = {"cJSON_ArrayForEach"}

# A name and an opening parenthesis, unless it is a member of something.
CALL = re.compile(r"(?<![\w.])(?<!->)(\w+)\s*\(")

# MIN and MAX of base/num.h evaluate an argument twice, and a clock changes in between.
CLOCK_TWICE = re.compile(r"\b(?:MIN|MAX)\s*\((?:[^()]|\([^()]*\))*\bclock_\w+\(")


# Settings by which civetweb would serve files, or answer before our callback.
FILES_SERVED = re.compile(r'"(document_root|cgi_interpreter|lua_\w+|put_delete_auth_file|url_rewrite_patterns)"')


def rule_of(name):
    return next((rule for call, rule in CALLS.items() if fnmatch.fnmatchcase(name, call)), None)


def check(root):
    for file in lint.c_files(root):
        path = str(file.relative_to(root))
        text = file.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            for setting in FILES_SERVED.findall(line):
                yield f"{path}:{number}: civetweb must not have {setting} (docs/decisions/004-http-server.md)"
        code = lint.without_comments_and_strings(text)
        for number, line in enumerate(code.splitlines(), 1):
            if CLOCK_TWICE.search(line):
                yield f"{path}:{number}: MIN and MAX read the clock twice: use base/os/deadline.h"
            for name in CALL.findall(line):
                rule = rule_of(name)
                if not rule or name in ALLOWED:
                    continue
                if not any(fnmatch.fnmatchcase(path, home) for home in rule[0]):
                    yield f"{path}:{number}: {name}() is banned here: use {rule[1]}"


EXAMPLES = [
    ("a clock in MAX", {"common/a.c": "x = MAX(0, (y - z) - clock_ms());\n"}, 1),
    ("a clock outside of it", {"common/a.c": "x = MAX(y, z) + clock_ms();\n"}, 0),
    ("nothing banned", {"common/base/a.c": "x = mem_new(1);\n"}, 0),
    ("each on its line", {"svc-utils/a.c": "strcpy(a, b);\nstrcat (a, b);\n"}, 2),
    ("two in a line", {"svc-utils/a.c": "x = atoi(getenv(strtok(a, b)));\n"}, 2),
    ("time", {"gateway/a.c": "seed = time(NULL);\n"}, 1),
    ("time as part of a name", {"gateway/a.c": "json_time(o); time_of(x); run.time(1);\n"}, 0),
    ("time as a member", {"gateway/a.c": "x->time(1);\n"}, 0),
    ("reentrant forms", {"common/base/a.c": "gmtime_r(&s, &tm); snprintf(a, 1, b);\n"}, 0),
    ("in a comment", {"common/base/a.c": "/* sleep(1)\n sleep(2) */ // sleep(3)\n"}, 0),
    ("in a text", {"common/base/a.c": 'puts("\\"system(1)");\n'}, 0),
    ("behind a text", {"common/base/a.c": "puts(\"'\"); system(x);\n"}, 1),
    ("the heap at home", {"common/base/mem.c": "malloc(1); asprintf(a, b, c);\n"}, 0),
    ("the heap elsewhere", {"common/base/buf.c": "malloc(1);\n"}, 1),
    ("cJSON at home", {"common/text/json.c": "cJSON_CreateObject();\n"}, 0),
    ("cJSON elsewhere", {"gateway/a.c": "cJSON_CreateObject();\n"}, 1),
    ("cJSON's loop and constants", {"gateway/a.c": "cJSON_ArrayForEach(i, a) (cJSON_Array);\n"}, 0),
    ("tests too", {"tests/unit/a.c": "sleep(1);\n"}, 1),
    ("civetweb answers a file", {"common/web/a.c": "mg_send_file(c, name); mg_handle_form_request(c, f);\n"}, 2),
    ("civetweb has a second handler", {"common/admin/a.c": "mg_set_request_handler(c, path, f, x);\n"}, 1),
    ("civetweb has a folder of files", {"common/web/a.c": '{ "document_root", "/srv" }\n'}, 1),
    ("civetweb as it is used", {"common/web/a.c": 'mg_start(&callbacks, x, settings); mg_write(c, "x", 1);\n'}, 0),
    ("headers too", {"common/base/a.h": "static inline f(void) { sleep(1); }\n"}, 1),
]

if __name__ == "__main__":
    lint.run(check, EXAMPLES, "use the replacement that the line names; add an exception to CALLS in tests/lint/banned.py.")
