/* tests/unit/text/time/zone.c - names, offsets, gaps, repeated times, far years, broken files. */
#include "text/time/zone.h"

#include <string.h>

#include "rows.h"
#include "text/time/datetime.h"

static int64_t seconds_of(const char *text)
{
    struct datetime datetime;
    assert_true(datetime_parse(text_of(text), &datetime));
    return datetime.local_ms / 1000 - datetime.offset_s;
}

static const struct name_row {
    const char *name;
    const char *wanted;
    const char *spelled; /* NULL: unknown */
} name_rows[] = {
    { "as it is", "Europe/Paris", "Europe/Paris" },
    { "another case", "eUROPE/pARIS", "Europe/Paris" },
    { "three parts", "america/argentina/buenos_aires", "America/Argentina/Buenos_Aires" },
    { "a link", "us/eastern", "US/Eastern" },
    { "UTC", "utc", "UTC" },
    { "with a sign", "etc/gmt+5", "Etc/GMT+5" },
    { "an offset", "+05:30", "+05:30" },
    { "west", "-03:00", "-03:00" },
    { "minus nothing", "-00:00", "+00:00" },
    { "nowhere", "Europe/Atlantis", NULL },
    { "nothing", "", NULL },
    { "a folder", "Europe", NULL },
    { "a folder with a slash", "Europe/", NULL },
    { "upwards", "../zoneinfo/UTC", NULL },
    { "upwards inside", "Europe/../Europe/Paris", NULL },
    { "from the root", "/etc/localtime", NULL },
    { "an empty part", "Europe//Paris", NULL },
    { "no zone but a file", "zone1970.tab", NULL },
    { "the machine's choice", "localtime", NULL },
    { "leap seconds", "right/Europe/Paris", NULL },
    { "leap seconds in another case", "RIGHT/europe/paris", NULL },
    { "a blank", "Europe/Paris ", NULL },
    { "an offset of a day", "+24:00", NULL },
    { "a short offset", "+5:30", NULL },
    { "a letter of another script", "Europe/P\u00e0ris", NULL },
    { "too long", "A123456789/B123456789/C123456789/D123456789/E123456789/F123456789", NULL },
};

static void check_name(void **state)
{
    const struct name_row *row = *state;
    scoped(zone_free) struct zone *zone = NULL;
    struct err err = { 0 };
    assert_int_equal(zone_load(row->wanted, &zone, &err), row->spelled != NULL);
    if (row->spelled)
        assert_string_equal(zone_name(zone), row->spelled);
    else
        assert_int_equal(err.kind, ERR_INVALID_TIMEZONE);
}

static const struct local_row {
    const char *name;
    const char *zone;
    const char *local;
    enum zone_fit fit;
    const char *instant;
} local_rows[] = {
    { "an ordinary time", "America/New_York", "2026-07-01T12:00", ZONE_ONCE, "2026-07-01T16:00Z" },
    { "last before a gap", "America/New_York", "2026-03-08T01:59:59", ZONE_ONCE,
      "2026-03-08T06:59:59Z" },
    { "first of a gap", "America/New_York", "2026-03-08T02:00", ZONE_GAP, "2026-03-08T07:00Z" },
    { "last of a gap", "America/New_York", "2026-03-08T02:59:59", ZONE_GAP,
      "2026-03-08T07:59:59Z" },
    { "first after a gap", "America/New_York", "2026-03-08T03:00", ZONE_ONCE, "2026-03-08T07:00Z" },
    { "first that comes twice", "America/New_York", "2026-11-01T01:00", ZONE_TWICE,
      "2026-11-01T05:00Z" },
    { "last that comes twice", "America/New_York", "2026-11-01T01:59:59", ZONE_TWICE,
      "2026-11-01T05:59:59Z" },
    { "after it", "America/New_York", "2026-11-01T02:00", ZONE_ONCE, "2026-11-01T07:00Z" },
    { "by the footer's rule", "America/New_York", "9999-07-01T12:00", ZONE_ONCE,
      "9999-07-01T16:00Z" },
    { "a gap by the footer's rule", "America/New_York", "2099-03-08T02:30", ZONE_GAP,
      "2099-03-08T07:30Z" },
    { "the summer of the south", "Australia/Sydney", "2080-01-01T00:00", ZONE_ONCE,
      "2079-12-31T13:00Z" },
    { "half an hour", "Australia/Lord_Howe", "2026-10-04T02:15", ZONE_GAP, "2026-10-03T15:45Z" },
    { "a date that was left out", "Pacific/Apia", "2011-12-30T12:00", ZONE_GAP,
      "2011-12-30T22:00Z" },
    { "a gap at midnight", "America/Sao_Paulo", "2018-11-04T00:30", ZONE_GAP, "2018-11-04T03:30Z" },
    { "a winter that is the change", "Europe/Dublin", "2090-01-01T00:00", ZONE_ONCE,
      "2090-01-01T00:00Z" },
    { "a rule with negative hours", "America/Nuuk", "2090-07-01T00:00", ZONE_ONCE,
      "2090-07-01T01:00Z" },
    { "a rule with more than a day", "Asia/Gaza", "2099-07-01T00:00", ZONE_ONCE,
      "2099-06-30T21:00Z" },
    { "before there were zones", "Europe/Paris", "1800-01-01T00:00", ZONE_ONCE,
      "1799-12-31T23:50:39Z" },
    { "no change at all", "UTC", "2026-01-01T00:00", ZONE_ONCE, "2026-01-01T00:00Z" },
    { "a fixed offset", "-03:30", "2026-01-01T00:00", ZONE_ONCE, "2026-01-01T03:30Z" },
};

static void check_local(void **state)
{
    const struct local_row *row = *state;
    scoped(zone_free) struct zone *zone = NULL;
    struct err err;
    int64_t instant_s = 0;
    assert_true(zone_load(row->zone, &zone, &err));
    assert_int_equal(zone_instant(zone, seconds_of(row->local), &instant_s), row->fit);
    assert_int_equal(instant_s, seconds_of(row->instant));
}

/* A version 2 file without changes, with this footer. */
static bool parse_footer(const char *footer, struct zone **zone)
{
    scoped(buf_free) struct buf file = BUF(1024);
    for (int i = 0; i < 2; i++) {
        buf_add(&file, "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
        buf_add(&file, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4", 24);
        buf_add(&file, "\0\0\0\0\0\0ABC\0", 10);
    }
    buf_format(&file, "\n%s\n", footer);
    return zone_parse(buf_text(&file), "Test", zone);
}

static const struct footer_row {
    const char *name;
    const char *footer;
    const char *instant; /* NULL: rejected */
    int32_t offset_s;
} footer_rows[] = {
    { "none: the last offset stays", "", "2026-07-01", 0 },
    { "no summer", "CET-1", "2026-07-01", 3600 },
    { "quoted, with minutes", "<+0530>-5:30", "2026-07-01", 19800 },
    { "summer is an hour more", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01", 7200 },
    { "winter", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-12-01", 3600 },
    { "just before summer", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600 },
    { "just in summer", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00Z", 7200 },
    { "just before winter", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:59:59Z", 7200 },
    { "just in winter", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00Z", 3600 },
    { "summer's own offset", "A0B-2,M3.5.0,M10.5.0", "2026-07-01", 7200 },
    { "day 60 of Julian days is March 1", "A0B,J60/0,J300", "2024-02-29T12:00Z", 0 },
    { "also then", "A0B,J60/0,J300", "2024-03-01T00:00Z", 3600 },
    { "day 59 counts February 29", "A0B,59/0,300", "2024-02-29T00:00Z", 3600 },
    { "a summer that lasts all year", "XXX3EDT4,0/0,J365/23", "2026-01-01T04:30Z", -14400 },
    { "all year, in July", "XXX3EDT4,0/0,J365/23", "2026-07-01", -14400 },
    { "days before the day named", "A0B,M3.1.0/-48,M10.5.0", "2026-02-27T12:00Z", 3600 },
    { "summer without a rule", "CET-1CEST", NULL, 0 },
    { "half a rule", "CET-1CEST,M3.5.0", NULL, 0 },
    { "month 13", "CET-1CEST,M13.5.0,M10.5.0", NULL, 0 },
    { "week 0", "CET-1CEST,M3.0.0,M10.5.0", NULL, 0 },
    { "weekday 7", "CET-1CEST,M3.5.7,M10.5.0", NULL, 0 },
    { "Julian day 0", "CET-1CEST,J0,J300", NULL, 0 },
    { "no offset", "CET", NULL, 0 },
    { "no name", "-1", NULL, 0 },
    { "an open bracket", "<CET-1", NULL, 0 },
    { "an offset of days", "CET-26", NULL, 0 },
    { "something behind", "CET-1CEST,M3.5.0,M10.5.0/3,", NULL, 0 },
};

static void check_footer(void **state)
{
    const struct footer_row *row = *state;
    scoped(zone_free) struct zone *zone = NULL;
    struct zone_span span;
    assert_int_equal(parse_footer(row->footer, &zone), row->instant != NULL);
    if (!row->instant)
        return;
    zone_span_at(zone, seconds_of(row->instant), &span);
    assert_int_equal(span.offset_s, row->offset_s);
    assert_true(span.begin_s <= seconds_of(row->instant) && seconds_of(row->instant) < span.end_s);
}

/* Each span begins where the previous one ends, and has its offset. */
static void spans_follow_each_other(void **state)
{
    (void)state;
    static const char *const names[] = { "Europe/London", "Africa/Casablanca", "America/Caracas",
                                         "Asia/Tehran", "Antarctica/Troll" };
    for (size_t i = 0; i < countof(names); i++) {
        scoped(zone_free) struct zone *zone = NULL;
        struct zone_span before;
        struct zone_span span;
        struct err err;
        assert_true(zone_load(names[i], &zone, &err));
        zone_span_at(zone, seconds_of("1800-01-01"), &before);
        assert_true(before.begin_s == INT64_MIN);
        assert_int_equal(before.offset_s, before.offset_before_s);
        for (int n = 0; n < 1000 && before.end_s != INT64_MAX; n++, before = span) {
            zone_span_at(zone, before.end_s, &span);
            assert_int_equal(span.begin_s, before.end_s);
            assert_int_equal(span.offset_before_s, before.offset_s);
        }
    }
}

/* Cut anywhere, a file is rejected. */
static void a_cut_file_is_refused(void **state)
{
    (void)state;
    static const char whole[] = "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4"
                                "\0\0\0\0\0\0ABC\0"
                                "TZif2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\4"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0ABC\0\nABC0\n";
    scoped(zone_free) struct zone *zone = NULL;
    assert_true(zone_parse((struct text){ whole, sizeof(whole) - 1 }, "Test", &zone));
    for (size_t size = 0; size < sizeof(whole) - 1; size++) {
        scoped(mem_free) char *cut = mem_dup(whole, size);
        struct zone *none = NULL;
        assert_false(zone_parse((struct text){ cut, size }, "Test", &none));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(spans_follow_each_other),
        cmocka_unit_test(a_cut_file_is_refused),
    };
    return RUN_ROWS(name_rows, check_name) + RUN_ROWS(local_rows, check_local) +
           RUN_ROWS(footer_rows, check_footer) + cmocka_run_group_tests(singles, NULL, NULL);
}
