/* svc-utils/cron-explain/tests/paste.c - expressions as people paste them. */
#include "explain.h"

static const struct row {
    const char *name; /* the pasted text */
    const char *want; /* form|expression|command|time zone|others */
} rows[] = {
    /* alone */
    { "0 5 * * 1", "||||" },
    { "  0 5 * * 1\n", "||||" },
    { "@daily", "||||" },
    { "CRON_TZ=Asia/Tokyo 0 5 * * *", "|||Asia/Tokyo|" },
    { "cron(0 10 * * ? *)", "||||" },

    /* quotes */
    { "\"0 5 * * 1\"", "quotes|0 5 * * 1||UTC|0" },
    { "'0 5 * * 1'", "quotes|0 5 * * 1||UTC|0" },
    { "`0 5 * * 1`", "quotes|0 5 * * 1||UTC|0" },
    { "```\n0 5 * * 1\n```", "quotes|0 5 * * 1||UTC|0" },
    { "\u201c0 5 * * 1\u201d", "quotes|0 5 * * 1||UTC|0" },
    { "\u20180 5 * * 1\u2019", "quotes|0 5 * * 1||UTC|0" },
    { "\u00ab0 5 * * 1\u00bb", "quotes|0 5 * * 1||UTC|0" },
    { "<0 5 * * 1>", "quotes|0 5 * * 1||UTC|0" },
    { " '@hourly' ", "quotes|@hourly||UTC|0" },
    { "\"cron(0 10 * * ? *)\"", "quotes|cron(0 10 * * ? *)||UTC|0" },
    { "'TZ=Asia/Tokyo 0 5 * * *'", "quotes|TZ=Asia/Tokyo 0 5 * * *||Asia/Tokyo|0" },

    /* settings */
    { "- cron: '30 5 * * 1,3'", "setting|30 5 * * 1,3||UTC|0" },
    { "- cron: \"30 5 * * 1,3\"  # twice a week", "setting|30 5 * * 1,3||UTC|0" },
    { "- cron: 30 5 * * 1,3 # twice a week", "setting|30 5 * * 1,3||UTC|0" },
    { "cron: 30 5 * * MON#1", "setting|30 5 * * MON#1||UTC|0" },
    { "schedule: \"0 5 * * 1\"", "setting|0 5 * * 1||UTC|0" },
    { "schedule: '@daily'", "setting|@daily||UTC|0" },
    { "schedule:\n  - cron: '0 5 * * 1'\n", "setting|0 5 * * 1||UTC|0" },
    { "on:\n  schedule:\n    - cron: '0 5 * * 1'\n    - cron: '0 6 * * 2'\n",
      "setting|0 5 * * 1||UTC|1" },
    { "on:\n  push:\n    branches: [main]\n  schedule:\n    # nightly\n    - cron: '0 5 * * *'",
      "setting|0 5 * * *||UTC|0" },
    { "spec:\n  schedule: \"0 5 * * 1\"\n  timeZone: \"Europe/Paris\"\n",
      "setting|0 5 * * 1||Europe/Paris|0" },
    { "spec:\n  timeZone: Europe/Paris\n  schedule: 0 5 * * 1\n  concurrencyPolicy: Forbid\n",
      "setting|0 5 * * 1||Europe/Paris|0" },
    { "\"schedule\": \"0 5 * * 1\",", "setting|0 5 * * 1||UTC|0" },
    { "{ \"path\": \"/api/x\", \"schedule\": \"0 5 * * 1\" }", "code|0 5 * * 1||UTC|0" },
    { "{\"cron\":\"0 5 * * 1\"}", "setting|0 5 * * 1||UTC|0" },
    { "crons = [\"*/5 * * * *\", \"0 0 1 * *\"]", "setting|*/5 * * * *||UTC|1" },
    { "schedule_expression = \"cron(0 10 * * ? *)\"", "setting|cron(0 10 * * ? *)||UTC|0" },
    { "ScheduleExpression: rate(5 minutes)", "setting|rate(5 minutes)||UTC|0" },
    { "schedule: cron(0 10 * * ? *)", "setting|cron(0 10 * * ? *)||UTC|0" },
    { "BACKUP_CRON=\"0 3 * * *\"", "setting|0 3 * * *||UTC|0" },
    { "CRON_SCHEDULE=0 3 * * *", "setting|0 3 * * *||UTC|0" },
    { "backup.job.cron=0 0 3 * * *", "setting|0 0 3 * * *||UTC|0" },
    { "schedule_interval='0 3 * * *',", "setting|0 3 * * *||UTC|0" },
    { "'cron' => '0 3 * * *',", "setting|0 3 * * *||UTC|0" },

    /* lines of a crontab */
    { "0 5 * * 1 /usr/local/bin/backup.sh", "crontab|0 5 * * 1|/usr/local/bin/backup.sh|UTC|0" },
    { "17 *\t* * *\troot    cd / && run-parts --report /etc/cron.hourly",
      "crontab|17 *\t* * *|root    cd / && run-parts --report /etc/cron.hourly|UTC|0" },
    { "*/5 * * * * php artisan schedule:run >> /dev/null 2>&1",
      "crontab|*/5 * * * *|php artisan schedule:run >> /dev/null 2>&1|UTC|0" },
    { "0 0 * * * echo \"0 5 * * 1\"", "crontab|0 0 * * *|echo \"0 5 * * 1\"|UTC|0" },
    { "@reboot /usr/bin/start", "crontab|@reboot|/usr/bin/start|UTC|0" },
    { "@every 1h ./run", "crontab|@every 1h|./run|UTC|0" },
    { "0 0 * * SUN [ -x /usr/bin/x ] && /usr/bin/x",
      "crontab|0 0 * * SUN|[ -x /usr/bin/x ] && /usr/bin/x|UTC|0" },
    { "0 0 * * * # at midnight", "crontab|0 0 * * *||UTC|0" },
    { "# m h dom mon dow command\n0 5 * * 1 tar -zcf /b.tgz /home",
      "crontab|0 5 * * 1|tar -zcf /b.tgz /home|UTC|0" },
    { "MAILTO=ops@example.com\nCRON_TZ=Europe/Paris\n0 5 * * 1 backup\n0 6 * * * clean",
      "crontab|0 5 * * 1|backup|Europe/Paris|1" },
    { "0 0 12 * * ? curl https://example.com",
      "crontab|0 0 12 * * ?|curl https://example.com|UTC|0" },

    /* code */
    { "@Scheduled(cron = \"0 0 9 * * MON-FRI\")", "code|0 0 9 * * MON-FRI||UTC|0" },
    { "@Scheduled(cron = \"0 0 9 * * *\", zone = \"Europe/Paris\")",
      "code|0 0 9 * * *||Europe/Paris|0" },
    { "cron.schedule('*/5 * * * *', () => run(), { timezone: \"Asia/Tokyo\" });",
      "code|*/5 * * * *||Asia/Tokyo|0" },
    { "new CronJob('0 30 9 * * 1-5', f)", "code|0 30 9 * * 1-5||UTC|0" },
    { "$schedule->command('mail:send')->cron('0 5 * * 1');", "code|0 5 * * 1||UTC|0" },
    { "[TimerTrigger(\"0 */5 * * * *\")] TimerInfo timer", "code|0 */5 * * * *||UTC|0" },
    { "every '0 0 27-31 * *' do", "code|0 0 27-31 * *||UTC|0" },
    { "c.AddFunc(\"@every 1h30m\", func() {})", "code|@every 1h30m||UTC|0" },

    /* the layout of six fields, told by a name */
    { "0 12 * * MON *", "||||" },
    { "0 12 1 JAN ? 1/2", "||||" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = explain_text(row->name, "", result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    scoped(buf_free) struct buf got = BUF(4096);
    const char *form = json_text(result, "/pasted/form");
    const char *command = json_text(result, "/pasted/command");
    const char *zone = json_text(result, "/timezone");
    if (form)
        buf_format(&got, "%s|%s|%s|%s|%d", form, json_text(result, "/pasted/expression"),
                   command ? command : "", zone,
                   (int)json_integer(json_at(result, "/pasted"), "others"));
    else
        buf_format(&got, "|||%s|", strcmp(zone, "UTC") == 0 ? "" : zone);
    assert_string_equal(buf_str(&got), row->want);
}

static const struct refusal {
    const char *name;
    const char *want; /* a part of the message */
} refusals[] = {
    { "OnCalendar=Mon *-*-* 09:00", "a systemd timer's OnCalendar, which is not cron" },
    { "cron: tomorrow", "it has 1" },
    { "schedule:\n  every: day", "it has" },
    { "0 5 * * 1 FRIDAI", "day_of_week field" },
    { "triggers { cron('H/15 * * * *') }", "H is Jenkins's" },
    { "- cron: '0 25 * * *'", "hour field, character 3: a value must be from 0 to 23" },
    { "''", "it has 0" },
    { "\"", "it has 1" },
    { "every day at nine", "it has 4" },
    { "schedule: '0 5 * * *'\ntimeZone: Mars/Olympus", "timezone" },
    { "* * * * * * * *", "it has more than 7" },
};

static void check_refusal(void **state)
{
    const struct refusal *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(explain_text(row->name, "", result, &err));
    if (!strstr(err.message, row->want))
        assert_string_equal(err.message, row->want);
}

static const struct meaning {
    const char *name; /* the expression */
    const char *format;
    const char *description;
    const char *run; /* the next one after 2026-01-01 */
} meanings[] = {
    { "0 12 * * MON *", "year", "At 12:00 PM, only on Monday", "2026-01-05T12:00:00.000Z" },
    { "0 12 1 JAN * *", "year", "At 12:00 PM, on day 1 of the month, only in January",
      "2026-01-01T12:00:00.000Z" },
    { "0 0 12 * * MON", "seconds", "At 12:00 PM, only on Monday", "2026-01-05T12:00:00.000Z" },
    { "0 0 12 1 JAN *", "seconds", "At 12:00 PM, on day 1 of the month, only in January",
      "2026-01-01T12:00:00.000Z" },
    { "0 0 12 1 1 ? 1/2", "seconds_year",
      "At 12:00 PM, on day 1 of the month, only in January, every 2 years",
      "2027-01-01T12:00:00.000Z" },
    { "0 0 12 1 1 ? 0/4", "seconds_year",
      "At 12:00 PM, on day 1 of the month, only in January, every 4 years",
      "2028-01-01T12:00:00.000Z" },
    { "0 0 12 1 1 ? 1/1", "seconds_year", "At 12:00 PM, on day 1 of the month, only in January",
      "2026-01-01T12:00:00.000Z" },
};

static void check_meaning(void **state)
{
    const struct meaning *row = *state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    bool ok = explain_text(row->name, "'from':'2026-01-01'", result, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    assert_string_equal(json_text(result, "/format"), row->format);
    assert_string_equal(json_text(result, "/description"), row->description);
    assert_string_equal(json_text(result, "/next_runs/0"), row->run);
}

int main(void)
{
    return RUN_ROWS(rows, check) + RUN_ROWS(refusals, check_refusal) +
           RUN_ROWS(meanings, check_meaning);
}
