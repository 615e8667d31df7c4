"""gateway/sql/embed.py - writes the migrations as C, so that tollctl contains them.

    embed.py OUT.c COLUMNS 001-NAME.sql 002-NAME.sql ...

It replaces "@KIND@" in a migration by the columns of this kind in the file COLUMNS
(gateway/ledger/columns.def).
"""

import hashlib
import re
import sys
from pathlib import Path


def c_string(text):
    """A C string literal for each line; escapes are octal, because a hex escape in C has no end."""
    def escape(byte):
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        return chr(byte) if plain else f"\\{byte:03o}"

    lines = text.splitlines(keepends=True)
    return "\n".join('        "' + "".join(map(escape, line)) + '"' for line in lines)


def read_columns(file):
    """{kind: [column and type, as SQL has them]}"""
    columns = {}
    for kind, name, sql_type in re.findall(r"^([A-Z]+)\((\w+), (\w+)", file.read_text(), re.M):
        columns.setdefault(kind, []).append(f"{name} {sql_type}")
    return columns


def expand(sql, columns):
    return re.sub(r"@([A-Z]+)@", lambda kind: ",\n    ".join(columns[kind[1]]), sql)


def main():
    out, columns, *files = map(Path, sys.argv[1:])
    columns = read_columns(columns)
    rows = []
    for number, file in enumerate(files, 1):
        name = re.fullmatch(r"(\d{3})-([a-z0-9-]+)\.sql", file.name)
        if not name or int(name[1]) != number:
            sys.exit(f"{file}: migration {number} must be named {number:03}-NAME.sql")
        sql = expand(file.read_text(), columns).encode()
        rows.append(f'    {{ "{name[2]}", "{hashlib.sha256(sql).hexdigest()}",\n{c_string(sql)} }},\n')
    out.write_text('#include "gateway/tollctl/migrate.h"\n\n'
                   f"const struct migration migrations[] = {{\n{''.join(rows)}}};\n"
                   f"const size_t migration_count = {len(rows)};\n")


if __name__ == "__main__":
    main()
