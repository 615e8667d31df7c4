/* tests/unit/svc-email/message/mail-date.c - dates of mail, right, old, foreign and impossible. */
#include "message/mail-date.h"

#include "base/os/clock.h"
#include "rows.h"

static const struct row {
    const char *name;
    const char *date;
    enum mail_date_fit fit;
    const char *want; /* NULL: none */
} rows[] = {
    { "RFC 5322", "Fri, 7 Feb 2003 10:18:12 -0800", MAIL_DATE_WHOLE, "2003-02-07T18:18:12" },
    { "a comment behind", "Fri, 7 Feb 2003 10:18:12 -0800 (PST)", MAIL_DATE_WHOLE,
      "2003-02-07T18:18:12" },
    { "comments everywhere", "(a) 7 (b (c)) Feb 2003 (d)10:18 +0000", MAIL_DATE_WHOLE,
      "2003-02-07T10:18:00" },
    { "no weekday", "7 Feb 2003 10:18:12 +0000", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "a wrong weekday", "Mon, 7 Feb 2003 10:18:12 +0000", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "a long weekday, small letters", "friday, 7 feb 2003 10:18:12 gmt", MAIL_DATE_WHOLE,
      "2003-02-07T10:18:12" },
    { "two digits of a year", "7 Feb 49 10:18:12 GMT", MAIL_DATE_WHOLE, "2049-02-07T10:18:12" },
    { "two digits of the last century", "7 Feb 50 10:18:12 GMT", MAIL_DATE_WHOLE,
      "1950-02-07T10:18:12" },
    { "three digits", "7 Feb 103 10:18:12 GMT", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "a leap second", "31 Dec 2016 23:59:60 +0000", MAIL_DATE_WHOLE, "2017-01-01T00:00:00" },
    { "a fraction", "7 Feb 2003 10:18:12.987 +0000", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "no seconds", "7 Feb 2003 10:18 +0000", MAIL_DATE_WHOLE, "2003-02-07T10:18:00" },
    { "a colon in the zone", "7 Feb 2003 10:18:12 +05:30", MAIL_DATE_WHOLE, "2003-02-07T04:48:12" },
    { "three digits in the zone", "7 Feb 2003 10:18:12 +530", MAIL_DATE_WHOLE,
      "2003-02-07T04:48:12" },
    { "EST", "7 Feb 2003 10:18:12 EST", MAIL_DATE_WHOLE, "2003-02-07T15:18:12" },
    { "PDT", "7 Feb 2003 10:18:12 PDT", MAIL_DATE_WHOLE, "2003-02-07T17:18:12" },
    { "CEST", "7 Feb 2003 10:18:12 CEST", MAIL_DATE_WHOLE, "2003-02-07T08:18:12" },
    { "MSK", "7 Feb 2003 10:18:12 MSK", MAIL_DATE_WHOLE, "2003-02-07T07:18:12" },
    { "JST says nothing", "7 Feb 2003 10:18:12 JST", MAIL_DATE_UNKNOWN_ZONE,
      "2003-02-07T10:18:12" },
    { "a number before JST", "7 Feb 2003 10:18:12 +0900 JST", MAIL_DATE_WHOLE,
      "2003-02-07T01:18:12" },
    { "military", "7 Feb 2003 10:18:12 A", MAIL_DATE_UNKNOWN_ZONE, "2003-02-07T10:18:12" },
    { "military, UTC", "7 Feb 2003 10:18:12 Z", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "no military letter", "7 Feb 2003 10:18:12 J", MAIL_DATE_NONE, NULL },
    { "a zone that nobody knows", "7 Feb 2003 10:18:12 AEDT", MAIL_DATE_UNKNOWN_ZONE,
      "2003-02-07T10:18:12" },
    { "a number before an unknown zone", "7 Feb 2003 10:18:12 +1100 AEDT", MAIL_DATE_WHOLE,
      "2003-02-06T23:18:12" },
    { "a number after an unknown zone", "7 Feb 2003 10:18:12 AEDT +1100", MAIL_DATE_WHOLE,
      "2003-02-06T23:18:12" },
    { "two unknown zones", "7 Feb 2003 10:18:12 AEDT ACDT", MAIL_DATE_NONE, NULL },
    { "ctime with an unknown zone inside", "Fri Feb  7 10:18:12 AEDT 2003", MAIL_DATE_UNKNOWN_ZONE,
      "2003-02-07T10:18:12" },
    { "a word that is too long for a zone", "7 Feb 2003 10:18:12 whenever", MAIL_DATE_NONE, NULL },
    { "the year 102", "7 Feb 0102 10:18:12 +0000", MAIL_DATE_NONE, NULL },
    { "the year before the first", "31 Dec 1899 23:59:59 +0000", MAIL_DATE_NONE, NULL },
    { "the first year", "1 Jan 1900 00:00:00 +0000", MAIL_DATE_WHOLE, "1900-01-01T00:00:00" },
    { "the year 0", "0000-01-01T00:00:00Z", MAIL_DATE_NONE, NULL },
    { "GMT+2", "7 Feb 2003 10:18:12 GMT+0200", MAIL_DATE_WHOLE, "2003-02-07T08:18:12" },
    { "no zone", "Fri, 7 Feb 2003 10:18:12", MAIL_DATE_NO_ZONE, "2003-02-07T10:18:12" },
    { "ctime", "Fri Feb 07 10:18:12 2003 -0800", MAIL_DATE_WHOLE, "2003-02-07T18:18:12" },
    { "ctime with a zone inside", "Fri Feb  7 10:18:12 PST 2003", MAIL_DATE_WHOLE,
      "2003-02-07T18:18:12" },
    { "the month first", "Feb 07 2003 10:18:12", MAIL_DATE_NO_ZONE, "2003-02-07T10:18:12" },
    { "American", "2/7/2003 10:18:12 AM -0800", MAIL_DATE_WHOLE, "2003-02-07T18:18:12" },
    { "American at night", "2/7/2003 12:18:12 AM", MAIL_DATE_NO_ZONE, "2003-02-07T00:18:12" },
    { "American in the afternoon", "2/7/2003 1:18:12 PM", MAIL_DATE_NO_ZONE,
      "2003-02-07T13:18:12" },
    { "American with hyphens", "2-7-2003 10:18:12", MAIL_DATE_NO_ZONE, "2003-02-07T10:18:12" },
    { "hyphens and a name", "07-Feb-2003 10:18:12 +0000", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "ISO 8601", "2003-02-07T10:18:12Z", MAIL_DATE_WHOLE, "2003-02-07T10:18:12" },
    { "ISO 8601 with an offset", "2003-02-07T10:18:12.5+02:00", MAIL_DATE_WHOLE,
      "2003-02-07T08:18:12" },
    { "ISO 8601 with a blank", "2003-2-7 10:18:12", MAIL_DATE_NO_ZONE, "2003-02-07T10:18:12" },
    { "Go", "2003-02-07 10:18:12.123456789 +0000 UTC m=+0.5", MAIL_DATE_WHOLE,
      "2003-02-07T10:18:12" },
    { "29 February", "29 Feb 2004 00:00:00 GMT", MAIL_DATE_WHOLE, "2004-02-29T00:00:00" },
    { "29 February of no leap year", "29 Feb 2003 00:00:00 GMT", MAIL_DATE_NONE, NULL },
    { "29 February 1900", "29 Feb 1900 00:00:00 GMT", MAIL_DATE_NONE, NULL },
    { "32 January", "32 Jan 2003 00:00:00 GMT", MAIL_DATE_NONE, NULL },
    { "24:43", "7 Feb 2003 24:43:00 GMT", MAIL_DATE_NONE, NULL },
    { "60 minutes", "7 Feb 2003 10:60:00 GMT", MAIL_DATE_NONE, NULL },
    { "61 seconds", "7 Feb 2003 10:10:61 GMT", MAIL_DATE_NONE, NULL },
    { "a zone too far", "7 Feb 2003 10:18:12 +1401", MAIL_DATE_NONE, NULL },
    { "the farthest zone", "7 Feb 2003 14:18:12 +1400", MAIL_DATE_WHOLE, "2003-02-07T00:18:12" },
    { "minutes of a zone", "7 Feb 2003 10:18:12 +0060", MAIL_DATE_NONE, NULL },
    { "13 o'clock PM", "2/7/2003 13:18:12 PM", MAIL_DATE_NONE, NULL },
    { "month 13", "13/13/2003 13:18:12", MAIL_DATE_NONE, NULL },
    { "words", "once upon a time", MAIL_DATE_NONE, NULL },
    { "a date without time", "7 Feb 2003", MAIL_DATE_NONE, NULL },
    { "a time alone", "10:18:12", MAIL_DATE_NONE, NULL },
    { "more behind it", "7 Feb 2003 10:18:12 GMT and more", MAIL_DATE_NONE, NULL },
    { "two times", "7 Feb 2003 10:18:12 10:18:12", MAIL_DATE_NONE, NULL },
    { "a comment without end", "7 Feb 2003 10:18:12 GMT (", MAIL_DATE_WHOLE,
      "2003-02-07T10:18:12" },
    { "nothing", "", MAIL_DATE_NONE, NULL },
    { "signs", "+ - / : T", MAIL_DATE_NONE, NULL },
};

static void check(void **state)
{
    const struct row *row = *state;
    int64_t seconds = 0;
    char text[CLOCK_TEXT_BYTES];

    enum mail_date_fit fit = mail_date_read(text_of(row->date), &seconds);
    assert_int_equal(fit, row->fit);
    if (!row->want)
        return;
    clock_format(text, seconds * 1000);
    text[19] = '\0';
    assert_string_equal(text, row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
