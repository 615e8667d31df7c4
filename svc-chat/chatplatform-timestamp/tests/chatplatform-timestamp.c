/* svc-chat/chatplatform-timestamp/tests/chatplatform-timestamp.c - forms of input, zones, previews,
 * relative text. */
#include "expect.h"
#include "tools.h"

#define AT(text)     "{'timestamp':" text ",'now':1618953630}"
#define IN(text, tz) "{'timestamp':'" text "','timezone':'" tz "','now':1618953630}"
#define SAID(text, iso, reading)                                                                  \
    {                                                                                             \
        text, "{'timestamp':'" text "','timezone':'Europe/Berlin','now':'2026-11-25T12:00:00Z'}", \
            NULL, "{'/iso':'" iso "','/reading':'" reading "'}"                                   \
    }
#define UNSAID(text)                                                             \
    {                                                                            \
        "refused: " text, "{'timestamp':'" text "','timezone':'Europe/Berlin'}", \
            "invalid_timestamp", NULL                                            \
    }
#define AGO(text, in)                                                                   \
    {                                                                                   \
        in, "{'timestamp':'" text "','now':1618953630}", NULL, "{'/relative':'" in "'}" \
    }

static const struct answer_row rows[] = {
    { "all of it",
      "{'timestamp':'2021-04-20T21:20:30Z','timezone':'America/"
      "Chicago','now':'2021-04-20T23:20:30Z'}",
      NULL,
      "{'/unix':1618953630,'/unix_ms':1618953630000,'/iso':'2021-04-20T21:20:30.000Z',"
      "'/local':'2021-04-20T16:20:30.000-05:00','/timezone':'America/Chicago','/"
      "utc_offset':'-05:00',"
      "'/style':'f','/tag':'<t:1618953630:f>','/default_tag':'<t:1618953630>',"
      "'/preview':'April 20, 2021 at 16:20','/relative':'2 hours ago','/relative_seconds':-7200,"
      "'/is_past':true,'/weekday':'Tuesday','/day_of_year':110,'/iso_week':'2021-W16',"
      "'/min_snowflake':'834176727121920000','/dst':null,'/styles':["
      "{'style':'t','name':'short_time','tag':'<t:1618953630:t>','preview':'16:20'},"
      "{'style':'T','name':'medium_time','tag':'<t:1618953630:T>','preview':'16:20:30'},"
      "{'style':'d','name':'short_date','tag':'<t:1618953630:d>','preview':'20/04/2021'},"
      "{'style':'D','name':'long_date','tag':'<t:1618953630:D>','preview':'April 20, 2021'},"
      "{'style':'f','name':'long_date_short_time','tag':'<t:1618953630:f>',"
      "'preview':'April 20, 2021 at 16:20'},"
      "{'style':'F','name':'full_date_short_time','tag':'<t:1618953630:F>',"
      "'preview':'Tuesday, April 20, 2021 at 16:20'},"
      "{'style':'s','name':'short_date_short_time','tag':'<t:1618953630:s>',"
      "'preview':'20/04/2021, 16:20'},"
      "{'style':'S','name':'short_date_medium_time','tag':'<t:1618953630:S>',"
      "'preview':'20/04/2021, 16:20:30'},"
      "{'style':'R','name':'relative','tag':'<t:1618953630:R>','preview':'2 hours ago'}]}" },
    { "American looks",
      "{'timestamp':1618953630,'timezone':'America/Chicago','locale':'en-US','style':'F'}", NULL,
      "{'/preview':'Tuesday, April 20, 2021 at 4:20 PM','/styles/0/preview':'4:20 PM',"
      "'/styles/1/preview':'4:20:30 PM','/styles/2/preview':'04/20/2021',"
      "'/styles/3/preview':'April 20, 2021','/styles/4/preview':'April 20, 2021 at 4:20 PM',"
      "'/styles/6/preview':'04/20/2021, 4:20 PM','/styles/7/preview':'04/20/2021, 4:20:30 PM'}" },
    { "British looks",
      "{'timestamp':1618953630,'timezone':'America/Chicago','locale':'en-GB','style':'F'}", NULL,
      "{'/preview':'Tuesday 20 April 2021 at 16:20','/styles/0/preview':'16:20',"
      "'/styles/3/preview':'20 April 2021','/styles/4/preview':'20 April 2021 at 16:20',"
      "'/styles/7/preview':'20/04/2021, 16:20:30'}" },
    { "midnight is 12 AM", "{'timestamp':'2021-04-05T00:05Z','locale':'en-US','style':'t'}", NULL,
      "{'/preview':'12:05 AM','/styles/3/preview':'April 5, "
      "2021','/styles/2/preview':'04/05/2021'}" },
    { "noon is 12 PM", "{'timestamp':'2021-04-05T12:00Z','locale':'en-US','style':'t'}", NULL,
      "{'/preview':'12:00 PM'}" },
    { "another locale", "{'locale':'de'}", "invalid_value", NULL },

    { "now by default", "{'now':1618953630.5}", NULL,
      "{'/unix':1618953630,'/unix_ms':1618953630500,'/relative_seconds':0,'/is_past':true}" },
    { "seconds", AT("1618953630"), NULL, "{'/unix_ms':1618953630000}" },
    { "seconds with a fraction", AT("1618953630.123"), NULL, "{'/unix_ms':1618953630123}" },
    { "seconds as text", AT("'1618953630.1239'"), NULL, "{'/unix_ms':1618953630123}" },
    { "negative seconds", AT("-1.5"), NULL, "{'/unix_ms':-1500,'/unix':-2}" },
    { "negative seconds as text are floored", AT("'-1.5009'"), NULL, "{'/unix_ms':-1501}" },
    { "the last second", AT("99999999999"), NULL, "{'/unix':99999999999}" },
    { "the first millisecond", AT("100000000000"), NULL, "{'/unix':100000000}" },
    { "the same as text", AT("'100000000000'"), NULL, "{'/unix':100000000}" },
    { "milliseconds", AT("1618953630123"), NULL,
      "{'/unix_ms':1618953630123,'/local':'2021-04-20T21:20:30.123+00:00'}" },
    { "negative milliseconds as text are floored", AT("'-100000000000.1'"), NULL,
      "{'/unix_ms':-100000000001}" },
    { "the last millisecond", AT("99999999999999"), NULL, "{'/unix':99999999999}" },
    { "too large for milliseconds", AT("100000000000000"), "invalid_timestamp", NULL },
    { "the same as text is not an id", AT("'100000000000000'"), "invalid_timestamp", NULL },
    { "sixteen digits are no id", AT("'1000000000000000'"), "invalid_timestamp", NULL },
    { "an id", AT("'175928847299117063'"), NULL, "{'/iso':'2016-04-30T11:18:25.796Z'}" },
    { "an id as a number", AT("175928847299117063"), "precision_loss", NULL },
    { "an id above 64 bits", AT("'18446744073709551616'"), "invalid_timestamp", NULL },
    { "a plus before digits", AT("'+5'"), "invalid_timestamp", NULL },
    { "an exponent", AT("'1e9'"), "invalid_timestamp", NULL },
    { "a fraction without digits", AT("'1.'"), "invalid_timestamp", NULL },
    { "nothing", AT("''"), "invalid_timestamp", NULL },
    { "a word", AT("'someday'"), "invalid_timestamp", NULL },
    { "a word and more", AT("'tomorrow 25:00'"), "invalid_timestamp", NULL },
    { "tomorrow", AT("'tomorrow 18:00'"), NULL, "{'/iso':'2021-04-21T18:00:00.000Z'}" },
    { "yesterday of a zone", IN("yesterday", "America/Chicago"), NULL,
      "{'/iso':'2021-04-19T05:00:00.000Z'}" },
    { "an offset without a sign", AT("'2h'"), NULL, "{'/unix':1618960830}" },
    { "a time of a letter", AT("'Tue, 20 Apr 2021 16:20:30 -0500'"), NULL, "{'/unix':1618953630}" },
    { "a time of a header", AT("'20 Apr 2021 21:20:30 GMT'"), NULL, "{'/unix':1618953630}" },
    { "a letter of no day", AT("'31 Feb 2021 21:20:30 GMT'"), "invalid_timestamp", NULL },
    { "true", AT("true"), "invalid_type", NULL },

    { "a fraction of nine digits", AT("'2021-04-20T21:20:30.123999999Z'"), NULL,
      "{'/unix_ms':1618953630123}" },
    { "and of more", AT("'2021-04-20T21:20:30.1239999999999999999999999Z'"), NULL,
      "{'/unix_ms':1618953630123}" },
    { "a blank and small letters", AT("'2021-04-20 21:20:30z'"), NULL, "{'/unix':1618953630}" },
    { "an offset", AT("'2021-04-20T16:20:30-05:00'"), NULL, "{'/unix':1618953630}" },
    { "an offset to the east", AT("'2021-04-21T02:50:30+05:30'"), NULL, "{'/unix':1618953630}" },
    { "an offset of a day", AT("'2021-04-20T16:20:30-24:00'"), "invalid_timestamp", NULL },
    { "an offset without a colon", AT("'2021-04-20T16:20:30-0500'"), NULL, "{'/unix':1618953630}" },
    { "an offset of hours", AT("'2021-04-20T16:20:30-05'"), NULL, "{'/unix':1618953630}" },
    { "an offset of three digits", AT("'2021-04-20T16:20:30-050'"), "invalid_timestamp", NULL },
    { "a leap second", AT("'2016-12-31T23:59:60Z'"), NULL, "{'/iso':'2017-01-01T00:00:00.000Z'}" },
    { "second 61", AT("'2016-12-31T23:59:61Z'"), "invalid_timestamp", NULL },
    { "hour 24", AT("'2016-12-31T24:00:00Z'"), "invalid_timestamp", NULL },
    { "minute 60", AT("'2016-12-31T23:60:00Z'"), "invalid_timestamp", NULL },
    { "29 February", AT("'2024-02-29'"), NULL, "{'/day_of_year':60}" },
    { "29 February of another year", AT("'2021-02-29'"), "invalid_timestamp", NULL },
    { "month 13", AT("'2021-13-01'"), "invalid_timestamp", NULL },
    { "month 0", AT("'2021-00-01'"), "invalid_timestamp", NULL },
    { "day 0", AT("'2021-01-00'"), "invalid_timestamp", NULL },
    { "a date and a letter", AT("'2021-01-01T'"), "invalid_timestamp", NULL },
    { "a date and an offset", AT("'2021-01-01Z'"), NULL, "{'/unix':1609459200}" },
    { "something behind", AT("'2021-04-20T21:20:30Z!'"), "invalid_timestamp", NULL },
    { "the year 0", AT("'0000-01-01T00:00:00Z'"), NULL,
      "{'/iso':'0000-01-01T00:00:00.000Z','/unix':-62167219200,'/min_snowflake':null}" },
    { "the year 9999", AT("'9999-12-31T23:59:59.999Z'"), NULL,
      "{'/iso':'9999-12-31T23:59:59.999Z','/min_snowflake':null}" },
    { "before the year 0", AT("-62167219201"), "timestamp_out_of_range", NULL },
    { "before it by an offset", AT("'0000-01-01T00:00:00+00:01'"), "timestamp_out_of_range", NULL },
    { "before it on the clock", IN("0000-01-01T00:00:00Z", "-00:01"), "timestamp_out_of_range",
      NULL },
    { "behind the year 9999", AT("'<t:253402300800>'"), "timestamp_out_of_range", NULL },
    { "behind it on the clock", IN("9999-12-31T23:59:59Z", "+00:01"), "timestamp_out_of_range",
      NULL },
    { "ISO week of the year before", AT("'2021-01-03'"), NULL,
      "{'/iso_week':'2020-W53','/weekday':'Sunday'}" },
    { "ISO week of the next year", AT("'2019-12-30'"), NULL,
      "{'/iso_week':'2020-W01','/weekday':'Monday'}" },

    { "a tag", AT("'<t:1618953630:R>'"), NULL, "{'/style':'R','/unix':1618953630}" },
    { "a tag without a style", AT("'<t:1618953630>'"), NULL, "{'/style':'f'}" },
    { "a negative tag", AT("'<t:-5:t>'"), NULL, "{'/unix':-5,'/tag':'<t:-5:t>'}" },
    { "a tag's style gives way", "{'timestamp':'<t:5:R>','style':'d'}", NULL, "{'/style':'d'}" },
    { "a tag takes seconds only", AT("'<t:1618953630000>'"), "timestamp_out_of_range", NULL },
    { "a tag of 14 digits", AT("'<t:16189536300000>'"), "invalid_timestamp", NULL },
    { "a tag of an unknown style", AT("'<t:5:x>'"), "invalid_timestamp", NULL },
    { "a tag of no style", AT("'<t:5:>'"), "invalid_timestamp", NULL },
    { "a tag without an end", AT("'<t:5:R'"), "invalid_timestamp", NULL },

    { "an offset from now", AT("'+1w2d3h4m5s'"), NULL, "{'/relative_seconds':788645}" },
    { "backwards", AT("'-90m'"), NULL, "{'/relative_seconds':-5400,'/is_past':true}" },
    { "in the wrong order", AT("'+1h1d'"), "invalid_timestamp", NULL },
    { "a unit twice", AT("'+1h1h'"), "invalid_timestamp", NULL },
    { "an unknown unit", AT("'+1q'"), "invalid_timestamp", NULL },
    { "without a unit", AT("'+1h5'"), "invalid_timestamp", NULL },
    { "a sign alone", AT("'+'"), "invalid_timestamp", NULL },
    { "centuries", AT("'+999999999999w999999999999d'"), "timestamp_out_of_range", NULL },
    { "centuries back", AT("'-999999999999w'"), "timestamp_out_of_range", NULL },

    { "style s", "{'style':'s','timestamp':0}", NULL, "{'/preview':'01/01/1970, 00:00'}" },
    { "an unknown style", "{'style':'x'}", "invalid_style", NULL },
    { "case matters", "{'style':'r'}", "invalid_style", NULL },
    { "two styles", "{'style':'tT'}", "invalid_style", NULL },
    { "no style", "{'style':''}", "invalid_style", NULL },

    { "local time in winter", IN("2021-01-20T12:00", "America/Chicago"), NULL,
      "{'/iso':'2021-01-20T18:00:00.000Z','/utc_offset':'-06:00','/dst':null}" },
    { "local time in summer", IN("2021-07-20 12:00:00", "America/Chicago"), NULL,
      "{'/iso':'2021-07-20T17:00:00.000Z','/utc_offset':'-05:00','/dst':null}" },
    { "a local date", IN("2021-07-20", "Asia/Kolkata"), NULL,
      "{'/iso':'2021-07-19T18:30:00.000Z','/local':'2021-07-20T00:00:00.000+05:30'}" },
    { "in a gap", IN("2021-03-14T02:30", "America/Chicago"), NULL,
      "{'/iso':'2021-03-14T08:30:00.000Z','/local':'2021-03-14T03:30:00.000-05:00',"
      "'/dst':{'kind':'gap','chosen_offset':'-06:00','other_offset':'-05:00'}}" },
    { "just before a gap", IN("2021-03-14T01:59:59", "America/Chicago"), NULL,
      "{'/iso':'2021-03-14T07:59:59.000Z','/dst':null}" },
    { "just behind a gap", IN("2021-03-14T03:00", "America/Chicago"), NULL,
      "{'/iso':'2021-03-14T08:00:00.000Z','/dst':null}" },
    { "in an overlap", IN("2021-11-07T01:30", "America/Chicago"), NULL,
      "{'/iso':'2021-11-07T06:30:00.000Z',"
      "'/dst':{'kind':'overlap','chosen_offset':'-05:00','other_offset':'-06:00'}}" },
    { "just behind an overlap", IN("2021-11-07T02:00", "America/Chicago"), NULL,
      "{'/iso':'2021-11-07T08:00:00.000Z','/dst':null}" },
    { "a gap of a whole day", IN("2011-12-30T12:00", "Pacific/Apia"), NULL,
      "{'/local':'2011-12-31T12:00:00.000+14:00','/dst/kind':'gap'}" },
    { "an overlap of half an hour", IN("2021-04-04T01:45", "Australia/Lord_Howe"), NULL,
      "{'/iso':'2021-04-03T14:45:00.000Z',"
      "'/dst':{'kind':'overlap','chosen_offset':'+11:00','other_offset':'+10:30'}}" },
    { "far in the future, winter", IN("2500-01-20T12:00", "America/Chicago"), NULL,
      "{'/iso':'2500-01-20T18:00:00.000Z'}" },
    { "far in the future, summer", IN("2500-07-20T12:00", "America/Chicago"), NULL,
      "{'/iso':'2500-07-20T17:00:00.000Z'}" },
    { "far in the future, in a gap", IN("2500-03-14T02:30", "America/Chicago"), NULL,
      "{'/dst/kind':'gap'}" },
    { "far in the future, south", IN("2500-01-20T12:00", "Australia/Sydney"), NULL,
      "{'/utc_offset':'+11:00'}" },
    { "far in the future, winter is the summer time", IN("2500-01-20T12:00", "Europe/Dublin"), NULL,
      "{'/utc_offset':'+00:00'}" },
    { "far in the future, without summer time", IN("2500-07-20T12:00", "America/Sao_Paulo"), NULL,
      "{'/utc_offset':'-03:00'}" },
    { "before standard time", IN("1850-01-01T00:00", "America/Chicago"), NULL,
      "{'/utc_offset':'-05:50:36','/iso':'1850-01-01T05:50:36.000Z'}" },
    { "a name of three parts", IN("2021-01-01", "America/Argentina/Ushuaia"), NULL,
      "{'/utc_offset':'-03:00'}" },
    { "a name with a sign", IN("2021-01-01", "Etc/GMT+5"), NULL, "{'/utc_offset':'-05:00'}" },
    { "an offset as zone", IN("2021-01-01", "+05:45"), NULL,
      "{'/timezone':'+05:45','/local':'2021-01-01T00:00:00.000+05:45'}" },
    { "a negative offset as zone", IN("2021-01-01", "-09:30"), NULL, "{'/utc_offset':'-09:30'}" },
    { "an offset out of range", IN("2021-01-01", "+24:00"), "invalid_timezone", NULL },
    { "an offset of odd minutes", IN("2021-01-01", "+05:60"), "invalid_timezone", NULL },
    { "an offset without minutes", IN("2021-01-01", "+05"), "invalid_timezone", NULL },
    { "an unknown zone", IN("2021-01-01", "Mars/Phobos"), "invalid_timezone", NULL },
    { "no zone", IN("2021-01-01", ""), "invalid_timezone", NULL },
    { "out of the directory", IN("2021-01-01", "../../etc/passwd"), "invalid_timezone", NULL },
    { "from the root", IN("2021-01-01", "/etc/localtime"), "invalid_timezone", NULL },
    { "a directory", IN("2021-01-01", "America"), "invalid_timezone", NULL },
    { "a slash at the end", IN("2021-01-01", "America/"), "invalid_timezone", NULL },
    { "four parts", IN("2021-01-01", "a/b/c/d"), "invalid_timezone", NULL },
    { "a zone with leap seconds", IN("2021-01-01", "right/UTC"), "invalid_timezone", NULL },
    { "the server's own zone", IN("2021-01-01", "localtime"), "invalid_timezone", NULL },
    { "a file that is not a zone", IN("2021-01-01", "leapseconds"), "invalid_timezone", NULL },

    /* English; it is Wednesday, 13:00 in Berlin */
    SAID("in 2 hours", "2026-11-25T14:00:00.000Z", "2 hours after now"),
    SAID("5 minutes ago", "2026-11-25T11:55:00.000Z", "5 minutes before now"),
    SAID("an hour and a half from now", "2026-11-25T13:30:00.000Z", "1.5 hours after now"),
    SAID("In half an hour", "2026-11-25T12:30:00.000Z", "0.5 hours after now"),
    SAID("1 day, 2 hours and 3 min ago", "2026-11-24T09:57:00.000Z",
         "1 day, 2 hours, 3 minutes before now"),
    SAID("2 days", "2026-11-27T12:00:00.000Z", "2 days after now"),
    SAID("in 3 months", "2027-02-25T12:00:00.000Z",
         "3 months after now, by the calendar of Europe/Berlin"),
    SAID("a year ago", "2025-11-25T12:00:00.000Z",
         "1 year before now, by the calendar of Europe/Berlin"),
    SAID("+1y", "2027-11-25T12:00:00.000Z", "1 year after now, by the calendar of Europe/Berlin"),
    SAID("next week", "2026-12-02T12:00:00.000Z", "1 week after now"),
    SAID("in 2 days at 18:00", "2026-11-27T17:00:00.000Z",
         "Friday 2026-11-27 18:00 in Europe/Berlin"),
    SAID("18:00", "2026-11-25T17:00:00.000Z",
         "Wednesday 2026-11-25 18:00 in Europe/Berlin; no day: today"),
    SAID("6:30 p.m.", "2026-11-25T17:30:00.000Z",
         "Wednesday 2026-11-25 18:30 in Europe/Berlin; no day: today"),
    SAID("6.30pm", "2026-11-25T17:30:00.000Z",
         "Wednesday 2026-11-25 18:30 in Europe/Berlin; no day: today"),
    SAID("noon", "2026-11-25T11:00:00.000Z",
         "Wednesday 2026-11-25 12:00 in Europe/Berlin; no day: today"),
    SAID("midnight", "2026-11-25T23:00:00.000Z",
         "Thursday 2026-11-26 00:00 in Europe/Berlin; midnight: the next one"),
    SAID("tonight at 8", "2026-11-25T19:00:00.000Z", "Wednesday 2026-11-25 20:00 in Europe/Berlin"),
    SAID("tomorrow at 6pm", "2026-11-26T17:00:00.000Z",
         "Thursday 2026-11-26 18:00 in Europe/Berlin"),
    SAID("5pm tomorrow", "2026-11-26T16:00:00.000Z", "Thursday 2026-11-26 17:00 in Europe/Berlin"),
    SAID("tomorrow 18:00", "2026-11-26T17:00:00.000Z",
         "Thursday 2026-11-26 18:00 in Europe/Berlin"),
    SAID("the day after tomorrow at noon", "2026-11-27T11:00:00.000Z",
         "Friday 2026-11-27 12:00 in Europe/Berlin"),
    SAID("next friday 5pm", "2026-11-27T16:00:00.000Z",
         "Friday 2026-11-27 17:00 in Europe/Berlin; next: the first one after today"),
    SAID("next wednesday", "2026-12-01T23:00:00.000Z",
         "Wednesday 2026-12-02 00:00 in Europe/Berlin; next: the first one after today"),
    SAID("wednesday 18:00", "2026-11-25T17:00:00.000Z",
         "Wednesday 2026-11-25 18:00 in Europe/Berlin; weekday: the first one that is not past"),
    SAID("wed 12:00", "2026-12-02T11:00:00.000Z",
         "Wednesday 2026-12-02 12:00 in Europe/Berlin; weekday: the first one that is not past"),
    SAID("last wed 12:00", "2026-11-18T11:00:00.000Z",
         "Wednesday 2026-11-18 12:00 in Europe/Berlin; last: before today"),
    SAID("24.12.2026 18:00", "2026-12-24T17:00:00.000Z",
         "Thursday 2026-12-24 18:00 in Europe/Berlin; read as day, month"),
    SAID("03.04.2026", "2026-04-02T22:00:00.000Z",
         "Friday 2026-04-03 00:00 in Europe/Berlin; read as day, month"),
    SAID("24.12. 18:00", "2026-12-24T17:00:00.000Z",
         "Thursday 2026-12-24 18:00 in Europe/Berlin; read as day, month; no year: the next such "
         "date"),
    SAID("12/24/2026, 6:00:00 PM", "2026-12-24T17:00:00.000Z",
         "Thursday 2026-12-24 18:00 in Europe/Berlin; read as month, day"),
    SAID("2026/12/24 6 PM", "2026-12-24T17:00:00.000Z",
         "Thursday 2026-12-24 18:00 in Europe/Berlin"),
    SAID("Dec 24th, 2026 at 6:00 PM", "2026-12-24T17:00:00.000Z",
         "Thursday 2026-12-24 18:00 in Europe/Berlin"),
    SAID("24 December", "2026-12-23T23:00:00.000Z",
         "Thursday 2026-12-24 00:00 in Europe/Berlin; no year: the next such date"),
    SAID("Feb 29", "2028-02-28T23:00:00.000Z",
         "Tuesday 2028-02-29 00:00 in Europe/Berlin; no year: the next such date"),
    SAID("5pm EST", "2026-11-25T22:00:00.000Z",
         "Wednesday 2026-11-25 17:00 in UTC-05:00; no day: today"),
    SAID("18:00 UTC+2", "2026-11-25T16:00:00.000Z",
         "Wednesday 2026-11-25 18:00 in UTC+02:00; no day: today"),
    SAID("Thu Dec 24 2026 18:00:00 GMT+0100 (Central European Standard Time)",
         "2026-12-24T17:00:00.000Z", "Thursday 2026-12-24 18:00 in UTC+01:00"),
    SAID("Thu Dec 24 18:00:00 UTC 2026", "2026-12-24T18:00:00.000Z",
         "Thursday 2026-12-24 18:00 in UTC+00:00"),
    { "the American order", "{'timestamp':'03/04/2026','locale':'en-US'}", NULL,
      "{'/iso':'2026-03-04T00:00:00.000Z'}" },
    { "the British order", "{'timestamp':'03/04/2026','locale':'en-GB'}", NULL,
      "{'/iso':'2026-04-03T00:00:00.000Z'}" },
    { "the end of a shorter month", "{'timestamp':'in 1 month','now':'2026-01-31T12:00:00Z'}", NULL,
      "{'/iso':'2026-02-28T12:00:00.000Z'}" },
    { "spring forward", IN("28.03.2027 02:30", "Europe/Berlin"), NULL, "{'/dst/kind':'gap'}" },
    UNSAID("03/04/2026"),
    UNSAID("03/04"),
    UNSAID("31.02.2026"),
    UNSAID("tomorrow at 5"),
    UNSAID("tonight"),
    UNSAID("13pm"),
    UNSAID("Friday 24 December 2026"),
    UNSAID("in 2 hours ago"),
    UNSAID("in half a month"),
    UNSAID("in 2 hours at 18:00"),
    UNSAID("tomorrow friday"),
    UNSAID("soon"),
    UNSAID("in a bit"),
    UNSAID("18:00 19:00"),
    { "years beyond", "{'timestamp':'in 999999999 years'}", "timestamp_out_of_range", NULL },
    { "weeks beyond", "{'timestamp':'999999999 weeks ago'}", "timestamp_out_of_range", NULL },

    AGO("-0s", "a few seconds ago"),
    AGO("+44s", "in a few seconds"),
    AGO("-45s", "a minute ago"),
    AGO("+89s", "in a minute"),
    AGO("+90s", "in 2 minutes"),
    AGO("-149s", "2 minutes ago"),
    AGO("-150s", "3 minutes ago"),
    AGO("-44m59s", "45 minutes ago"),
    AGO("-45m", "an hour ago"),
    AGO("+89m59s", "in an hour"),
    AGO("+90m", "in 2 hours"),
    AGO("-21h59m", "22 hours ago"),
    AGO("-22h", "a day ago"),
    AGO("-35h59m", "a day ago"),
    AGO("-36h", "2 days ago"),
    AGO("+25d23h", "in 26 days"),
    AGO("+26d", "in a month"),
    AGO("+45d", "in a month"),
    AGO("+46d", "in 2 months"),
    AGO("-319d", "10 months ago"),
    AGO("-320d", "a year ago"),
    AGO("-547d", "a year ago"),
    AGO("-548d", "2 years ago"),
    AGO("-1000d", "3 years ago"),
};

static void check(void **state)
{
    assert_answers(chatplatform_timestamp, "chatplatform-timestamp", *state);
}

/* Their answers keep their shape. */
static void exact_forms_are_not_told(void **state)
{
    (void)state;
    static const char *const exact[] = { "2021-04-20 21:20:30Z", "1618953630", "+1d12h", "now" };
    for (size_t i = 0; i < countof(exact); i++) {
        scoped(json_free) cJSON *result = json_object();
        scoped(mem_free) char *body = str_format("{'timestamp':'%s'}", exact[i]);
        struct err err = { 0 };
        assert_true(
            run_tool(chatplatform_timestamp, "chatplatform-timestamp", body, result, NULL, &err));
        assert_null(json_at(result, "/reading"));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(exact_forms_are_not_told) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
