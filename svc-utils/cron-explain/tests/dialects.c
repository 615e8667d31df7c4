/* svc-utils/cron-explain/tests/dialects.c - what other programs make of a line. */
#include "explain.h"

static const struct row {
    const char *name; /* the expression */
    const char *dialect;
    bool is_accepted;
    const char *meaning;   /* "": none */
    const char *reason;    /* a part of it; "": none */
    const char *rewritten; /* "": none */
} rows[] = {
    /* weekday numbers */
    { "0 9 * * 1-5", "debian-cron", true, "", "", "0 9 * * 1-5" },
    { "0 9 * * 1-5", "kubernetes", true, "", "", "0 9 * * 1-5" },
    { "0 9 * * 1-5", "cloudflare", true, "At 09:00 AM, Sunday through Thursday", "",
      "0 9 * * MON-FRI" },
    { "0 9 * * 1-5", "apscheduler", true, "At 09:00 AM, Tuesday through Saturday", "",
      "0 9 * * MON-FRI" },
    { "0 9 * * 1-5", "eventbridge", false, "", "requires cron(...) with 6 fields",
      "cron(0 9 ? * MON-FRI *)" },
    { "0 9 * * 1-5", "quartz", false, "", "requires 6 or 7 fields, the first being seconds",
      "0 0 9 ? * MON-FRI" },
    { "0 9 * * 1-5", "spring", false, "", "requires 6 fields", "0 0 9 * * 1-5" },
    { "0 9 * * 1-5", "systemd", false, "", "its own syntax",
      "OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 9:0:0" },
    { "0 0 9 ? * 2-6", "quartz", true, "At 09:00 AM, Monday through Friday", "",
      "0 0 9 ? * TUE-SAT" },
    { "cron(0 9 ? * 2-6 *)", "eventbridge", true, "", "", "cron(0 9 ? * MON-FRI *)" },
    { "cron(0 9 ? * 2-6 *)", "kubernetes", false, "", "requires 5 fields", "0 9 * * 1-5" },
    { "0 9 * * 0", "cloudflare", false, "", "must be from 1 to 7", "0 9 * * SUN" },

    /* 7 */
    { "0 9 * * 7", "cronie", true, "", "", "0 9 * * 0" },
    { "0 9 * * 7", "kubernetes", false, "", "7 for Sunday", "0 9 * * 0" },
    { "0 9 * * 7", "github-actions", false, "", "7 for Sunday", "0 9 * * 0" },
    { "0 9 * * 7", "apscheduler", false, "", "from Monday = 0 must be from 0 to 6", "0 9 * * SUN" },
    { "0 9 * * 7", "cloudflare", true, "At 09:00 AM, only on Saturday", "", "0 9 * * SUN" },
    { "0 9 * * 7", "jenkins", true, "", "", "0 9 * * 0" },
    { "0 9 * * 5-7", "kubernetes", false, "", "7 for Sunday", "0 9 * * 0,5,6" },

    /* steps of weekdays */
    { "0 0 9 * * */2", "spring", true,
      "At 09:00 AM, every 2 days of the week, Monday through Sunday", "", "0 0 9 * * 0,2,4,6" },
    { "0 0 9 * * 1-5/2", "spring", true, "", "", "0 0 9 * * 1,3,5" },
    { "0 9 * * */2", "kubernetes", true, "", "", "0 9 * * */2" },

    /* macros */
    { "@daily", "debian-cron", true, "", "", "0 0 * * *" },
    { "@daily", "github-actions", false, "", "does not support @daily", "0 0 * * *" },
    { "@daily", "jenkins", true, "Once a day, at a time derived from the job's name", "",
      "0 0 * * *" },
    { "@DAILY", "debian-cron", false, "", "Macros are in lower case", "0 0 * * *" },
    { "@daily", "quartz", false, "", "does not support @daily", "0 0 0 * * ?" },
    { "@daily", "eventbridge", false, "", "does not support @daily", "cron(0 0 * * ? *)" },
    { "@midnight", "cron-parser", false, "", "does not support @midnight", "0 0 * * *" },
    { "@every_minute", "kubernetes", false, "", "does not support @every_minute", "* * * * *" },
    { "@reboot", "cronie", true, "", "", "@reboot" },
    { "@reboot", "kubernetes", false, "", "does not support @reboot; it has no @reboot", "" },
    { "@reboot", "systemd", false, "", "does not support @reboot", "OnBootSec=0" },
    { "@every 90m", "kubernetes", true, "", "", "@every 5400s" },
    { "@every 90m", "eventbridge", false, "", "does not support @every", "rate(90 minutes)" },
    { "@every 90m", "cronie", false, "", "does not support @every; it has no intervals", "" },
    { "@every 90m", "systemd", false, "", "does not support @every",
      "OnActiveSec=5400s\nOnUnitActiveSec=5400s" },
    { "rate(1 day)", "kubernetes", false, "", "requires 5 fields", "@every 86400s" },

    /* both day fields */
    { "0 9 13 * 5", "debian-cron", true, "", "", "0 9 13 * 5" },
    { "0 9 13 * 5", "spring", false, "", "6 fields", "0 0 9 13 * *\n0 0 9 * * 5" },
    { "0 0 9 13 * 5", "spring", true, "At 09:00 AM, on day 13 of the month, only on Friday", "",
      "0 0 9 13 * *\n0 0 9 * * 5" },
    { "0 9 13 * 5", "jenkins", true, "At 09:00 AM, on day 13 of the month, only on Friday", "",
      "0 9 13 * *\n0 9 * * 5" },
    { "0 9 13 * 5", "node-cron", true, "At 09:00 AM, on day 13 of the month, only on Friday", "",
      "0 9 13 * *\n0 9 * * 5" },
    { "0 9 13 * 5", "eventbridge", false, "", "requires cron(...)",
      "cron(0 9 13 * ? *)\ncron(0 9 ? * FRI *)" },
    { "0 9 13 * 5", "systemd", false, "", "its own syntax",
      "OnCalendar=*-*-13 9:0:0\nOnCalendar=Fri *-*-* 9:0:0" },
    { "0 9 */2 * 5", "debian-cron", true, "At 09:00 AM, every 2 days in a month, only on Friday",
      "", "0 9 1-31/2 * 5" },
    { "0 9 */2 * 5", "kubernetes", true, "", "", "0 9 */2 * 5" },
    { "0 9 13 * +5", "croner", true, "", "", "0 9 13 * +5" },
    { "0 9 13 * +5", "kubernetes", false, "", "does not support +; it cannot require both", "" },
    { "0 9 13 * +5", "node-cron", false, "", "does not support +", "0 9 13 * 5" },
    { "0 0 9 13 * 5", "quartz", false, "", "must be ?", "0 0 9 13 * ?\n0 0 9 ? * FRI" },
    { "0 0 9 * * *", "quartz", false, "", "Exactly one of day of month and day of week must be ?",
      "0 0 9 * * ?" },

    /* seconds and years */
    { "30 0 9 * * *", "kubernetes", false, "", "requires 5 fields; it has no seconds", "" },
    { "30 0 9 * * *", "croner", true, "", "", "30 0 9 * * *" },
    { "30 0 9 * * *", "systemd", false, "", "its own syntax", "OnCalendar=*-*-* 9:0:30" },
    { "0 0 9 * * *", "kubernetes", false, "", "requires 5 fields", "0 9 * * *" },
    { "0 9 1 1 * 2030", "kubernetes", false, "", "requires 5 fields; it has no years", "" },
    { "0 9 1 1 * 2030", "spring", false, "", "day_of_week field", "" },
    { "0 9 1 1 ? 2030", "eventbridge", false, "", "requires cron(...)", "cron(0 9 1 1 ? 2030)" },
    { "0 9 1 1 ? 2030", "quartz", false, "", "It reads another field", "0 0 9 1 1 ? 2030" },
    { "0 9 ? 1 2 *", "spring", true,
      "At 9 minutes past the hour, on day 1 of the month, only in February", "", "0 0 9 * 1 2" },

    /* features */
    { "0 9 * * FRI-SUN", "croner", true, "", "", "0 9 * * 0,5,6" },
    { "0 9 * * 5-0", "croner", false, "", "ends on Sunday (5-0)", "0 9 * * 0,5,6" },
    { "0 9 * * 5-0", "cronie", true, "", "", "0 9 * * 0,5,6" },
    { "0 9 * * 5L,1", "cron-parser", true, "", "", "0 9 * * 1,5L" },
    { "0 9 * * 5#1,1", "cron-parser", false, "", "does not support # or L in a list", "" },
    { "0 9 16,LW * *", "croner", false, "", "does not support LW in a list", "" },
    { "5,5 * * * *", "cron-parser", false, "", "a value that occurs twice", "5 * * * *" },
    { "5/20 * * * *", "debian-cron", false, "", "a step after a single value", "5-59/20 * * * *" },
    { "5/20 * * * *", "kubernetes", true, "", "", "5/20 * * * *" },
    { "0 22-2 * * *", "kubernetes", false, "", "a range across the end", "0 0-2,22,23 * * *" },
    { "0 22-2 * * *", "debian-cron", true,
      "Never: it accepts the range across the end of its field, but reads it as empty", "",
      "0 0-2,22,23 * * *" },
    { "0 9 * * FRI-MON", "quartz", false, "", "requires 6 or 7", "0 0 9 ? * FRI-MON" },
    { "0 9 * * 5#2", "debian-cron", true, "At 09:00 AM, only on Friday", "cannot express", "" },
    { "0 9 * * 5#2", "cronie", false, "", "does not support #", "" },
    { "0 9 * * 5#2", "cloudflare", true, "At 09:00 AM, on the second Thursday of the month", "",
      "0 9 * * FRI#2" },
    { "0 9 * * 5#2", "systemd", false, "", "its own syntax", "OnCalendar=Fri *-*-8..14 9:0:0" },
    { "0 9 * * FRIL", "systemd", false, "", "its own syntax", "OnCalendar=Fri *-*~07/1 9:0:0" },
    { "0 9 L * *", "systemd", false, "", "its own syntax", "OnCalendar=*-*~01 9:0:0" },
    { "0 9 L * *", "apscheduler", false, "", "does not support L", "0 9 last * *" },
    { "0 9 L * *", "jenkins", false, "", "does not support L; it cannot express such a day", "" },
    { "0 9 15W * *", "systemd", false, "", "no weekday nearest to a day", "" },
    { "0 9 ? * 1", "cronie", false, "", "does not support ?", "0 9 * * 1" },
    { "0 9 * JAN MON", "jenkins", false, "", "does not support names", "0 9 * 1 1" },
    { "0 9 * * */2", "apscheduler", true,
      "At 09:00 AM, every 2 days of the week, Monday through Sunday", "",
      "0 9 * * TUE,THU,SAT,SUN" },
    { "0 9 * * 4-6", "apscheduler", true, "At 09:00 AM, Friday through Sunday", "",
      "0 9 * * THU-SAT" },
    { "TZ=Asia/Tokyo 0 9 * * *", "kubernetes", false, "", "time zone is not part of the line",
      "0 9 * * *" },
    { "TZ=Asia/Tokyo 0 9 * * *", "systemd", false, "", "time zone is not part",
      "OnCalendar=*-*-* 9:0:0 Asia/Tokyo" },
};

/* The entry of a dialect. */
static const cJSON *dialect_of(const cJSON *result, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result, "dialects")) {
        if (strcmp(json_text(item, "/dialect"), name) == 0)
            return item;
    }
    fail_msg("no such dialect");
    return NULL;
}

static const char *member(const cJSON *item, const char *pointer)
{
    const char *text = json_text(item, pointer);
    return text ? text : "";
}

static cJSON *explained(const char *expression)
{
    cJSON *result = json_object();
    struct err err = { 0 };
    bool ok =
        explain_text(expression, "'dialects':true,'count':100,'from':'2026-01-01'", result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = explained(row->name);
    const cJSON *item = dialect_of(result, row->dialect);
    const char *reason = member(item, "/reason");
    assert_string_equal(member(item, "/rewritten"), row->rewritten);
    assert_string_equal(member(item, "/meaning"), row->meaning);
    if (*row->reason ? !strstr(reason, row->reason) : *reason)
        assert_string_equal(reason, row->reason);
    assert_int_equal(json_is(json_get(item, "accepted"), cJSON_True), row->is_accepted);
}

/* A rewritten line means the same to the program that it is written for. */
static const struct line {
    const char *name;
} lines[] = {
    { "*/15 9-17 * * MON-FRI" },
    { "0 9 * * 0" },
    { "0 9 * * 7" },
    { "0 9 * * 5-7" },
    { "0 9 * * 1,3,5" },
    { "0 9 * * 1-5/2" },
    { "0 9 * * */3" },
    { "0 9 * * SAT-TUE" },
    { "0 0 1 */3 *" },
    { "5/20 * * * *" },
    { "0 22-2 * * *" },
    { "55-5 * * * *" },
    { "0 9 28-3 * *" },
    { "0 9 * NOV-FEB *" },
    { "0 9 L * *" },
    { "0 9 L-3 * *" },
    { "0 9 LW * *" },
    { "0 9 15W * *" },
    { "0 9 * * 5#2" },
    { "0 9 * * 5L" },
    { "0 9 13 * +5" },
    { "*/10 * * * * *" },
    { "30 0 12 * * MON" },
    { "0 0 12 1 1 ? 2030-2032" },
    { "0 9 ? * 2" },
    { "@weekly" },
    { "@monthly" },
    { "cron(0/5 8-17 ? * 2-6 *)" },
    { "0 9 1,15 * *" },
    { "0 9 */2 * *" },
    { "0 9 10-20/3 6-8 *" },
    { "0 0 * * 6,0" },
    { "*/7 */5 * * *" },
};

static void check_line(void **state)
{
    const struct line *row = *state;
    scoped(json_free) cJSON *result = explained(row->name);
    const cJSON *item;
    int checked = 0;
    cJSON_ArrayForEach(item, json_get(result, "dialects")) {
        const char *line = json_text(item, "/rewritten");
        const char *dialect = json_text(item, "/dialect");
        if (!line || strchr(line, '\n') || strcmp(dialect, "systemd") == 0 || strstr(line, "last"))
            continue;
        scoped(json_free) cJSON *again = explained(line);
        const cJSON *there = dialect_of(again, dialect);
        const char *meaning = json_text(there, "/meaning");
        assert_true(json_is(json_get(there, "accepted"), cJSON_True));
        if (meaning)
            assert_string_equal(meaning, json_text(result, "/description"));
        else
            assert_true(json_equal(json_get(again, "next_runs"), json_get(result, "next_runs")));
        checked++;
    }
    assert_true(checked > 0);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(lines, check_line);
}
