"""tests/kit/database/attacker/catalog.py - what a role may call and write, read from the catalog of
a database."""

import itertools
import re
from collections import namedtuple

# base: the element's type of an array, else the type; parts: the fields, if that is a composite
# type.
Field = namedtuple("Field", "name is_optional type base is_array parts")
Function = namedtuple("Function", "name fields")
Table = namedtuple("Table", "name rights fields")  # rights: {"insert": {column, ...}, ...}; "delete" has no columns

TYPE = """format_type(t.oid, null), format_type(case when t.typcategory = 'A' then t.typelem else t.oid end, null),
          t.typcategory = 'A',
          case when t.typcategory = 'A' then (select e.typrelid from pg_type e where e.oid = t.typelem)
               else t.typrelid end"""
FUNCTIONS = f"""
    select p.oid, p.proname, coalesce(i.name, ''), i.n > p.pronargs - p.pronargdefaults, {TYPE}
      from pg_proc p
      left join lateral (
           select a.type, a.n,
                  (case when p.proargmodes is null then p.proargnames
                        else array(select m.name from unnest(p.proargnames, p.proargmodes)
                                          with ordinality m (name, mode, n)
                                    where m.mode in ('i', 'b', 'v') order by m.n) end)[a.n] as name
             from unnest(p.proargtypes::oid[]) with ordinality a (type, n)) i on true
      left join pg_type t on t.oid = i.type
     where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
       and has_function_privilege(%s, p.oid, 'execute')
     order by p.oid, i.n"""
COLUMNS = f"""
    select a.attname, not a.attnotnull or a.atthasdef or a.attidentity <> '', {TYPE}
      from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = %s and a.attnum > 0 and not a.attisdropped order by a.attnum"""
TABLES = """select c.oid, c.relname from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') order by c.relname"""
RIGHTS = """
    select p.privilege, a.attname
      from unnest(array['select', 'insert', 'update']) p (privilege), pg_attribute a
     where a.attrelid = %(table)s and a.attnum > 0 and not a.attisdropped
       and has_column_privilege(%(role)s, a.attrelid, a.attnum, p.privilege)
    union all
    select 'delete', null where has_table_privilege(%(role)s, %(table)s::oid, 'delete')"""
CHECKS = """
    select a.attname, pg_get_constraintdef(c.oid)
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'c' and cardinality(c.conkey) = 1 order by 1, 2"""


class Catalog:
    def __init__(self, sql):
        self._sql = sql

    def functions(self, role):
        rows = self._sql(FUNCTIONS, role)
        for (_, name), group in itertools.groupby(rows, lambda row: row[:2]):
            yield Function(name, [self._field(*row[2:]) for row in group if row[4] is not None])

    def tables(self, role="postgres"):
        for oid, name in self._sql(TABLES):
            rights = {}
            for privilege, column in self._sql(RIGHTS, {"table": oid, "role": role}):
                rights.setdefault(privilege, set()).add(column)
            yield Table(name, rights, self._columns(oid))

    def options(self):
        """{column: values in its check constraints}, of all tables together."""
        options = {}
        for column, text in self._sql(CHECKS):
            words = re.findall(r"'([^']*)'::text", text) if "~" not in text else []
            numbers = [int(n) for n in re.findall(r"\b\d\b", text)]
            span = range(min(numbers), max(numbers) + 1) if numbers and not words else ()
            options[column] = [*options.get(column, []), *words, *span]
        return options

    def _columns(self, relation):
        return [self._field(*row) for row in self._sql(COLUMNS, relation)]

    def _field(self, name, is_optional, type_name, base, is_array, relation):
        return Field(name, is_optional, type_name, base, is_array, self._columns(relation) if relation else None)
