"""tests/kit/database/margins.py - usage_margin for rows that tests write directly into usage_day,
without usage_roll_up()."""

# A format string: `rows` is where those rows are.
MARGINS = """
    insert into usage_margin (account_id, day, tool_id, token_id, calls, credits, first_seq, last_seq)
    select account_id, day, tool_id, token_id, sum(calls), sum(credits), min(first_seq), max(last_seq)
      from {rows} group by account_id, day, grouping sets (tool_id, token_id)"""
