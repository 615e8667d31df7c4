/* svc-email/message/mail-date.c - split a date into words. Each word shows its kind: a month, a
 * time, a zone. The order distinguishes days from years. */
#include "message/mail-date.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "base/scoped.h"
#include "text/time/datetime.h"

enum {
    WORDS_MAX = 12,
    NUMBER_MAX = 99999,
    ZONE_HOURS_MAX = 14,
    ZONE_NAME_MAX_BYTES = 6,
    YEAR_MIN = 1900, /* RFC 5322 section 3.3 */
};

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
                                      "jul", "aug", "sep", "oct", "nov", "dec" };
static const char *const long_months[] = { "january",   "february", "march",    "april",
                                           "may",       "june",     "july",     "august",
                                           "september", "october",  "november", "december" };
static const char *const weekdays[] = { "mon",      "tue",    "wed",      "thu",     "fri",
                                        "sat",      "sun",    "monday",   "tuesday", "wednesday",
                                        "thursday", "friday", "saturday", "sunday",  "tues",
                                        "thur",     "thurs" };

/* RFC 5322 section 4.3, and common names beyond it that name one zone. All others are unknown, such
 * as IST, which names three, and the military letters, which many servers wrote with the wrong
 * sign. */
static const struct zone_name {
    const char *name;
    int hours;
} zone_names[] = {
    { "UT", 0 },   { "UTC", 0 },  { "GMT", 0 },  { "EST", -5 }, { "EDT", -4 },
    { "CST", -6 }, { "CDT", -5 }, { "MST", -7 }, { "MDT", -6 }, { "PST", -8 },
    { "PDT", -7 }, { "CET", 1 },  { "CEST", 2 }, { "MSK", 3 },  { "BST", 1 },
    { "WET", 0 },  { "WEST", 1 }, { "EET", 2 },  { "EEST", 3 }, { "Z", 0 },
};

struct reading {
    int day, month, year; /* month 0: not read yet */
    bool has_year;
    int numbers; /* how many numbers had a word alone */
    bool has_time;
    int hour, minute, second;
    bool has_zone;
    bool has_numeric_zone;
    bool is_zone_unknown;
    int32_t zone_s;
};

/* ---- parts ---- */

/* Take up to `most` digits off the text. Returns false if it has none. */
static bool take_digits(struct text *text, size_t most, int *value)
{
    size_t count = 0;
    *value = 0;
    while (count < text->size && count < most && ascii_is_digit(text->bytes[count]))
        *value = *value * 10 + (text->bytes[count++] - '0');
    *text = text_skip(*text, count);
    return count > 0;
}

static int month_of(struct text word)
{
    for (int i = 0; i < (int)countof(months); i++)
        if (text_is_any_case(word, months[i]) || text_is_any_case(word, long_months[i]))
            return i + 1;
    return text_is_any_case(word, "sept") ? 9 : 0;
}

bool mail_date_is_weekday(struct text word)
{
    word = text_strip(word, "", ",.");
    return text_is_among(word, weekdays, countof(weekdays));
}

/* "+0530", "-05:30", "+530". */
static bool read_offset(struct text word, int32_t *seconds)
{
    bool is_west = word.bytes[0] == '-';
    struct text rest = text_skip(word, 1);
    int value;
    int minutes = 0;
    size_t digits = rest.size;
    if (!take_digits(&rest, 4, &value))
        return false;
    digits -= rest.size;
    if (text_take_byte(&rest, ":")) {
        if (digits > 2 || !take_digits(&rest, 2, &minutes))
            return false;
    } else if (digits >= 3) {
        minutes = value % 100;
        value /= 100;
    }
    if (rest.size > 0 || minutes > 59 || value * 60 + minutes > ZONE_HOURS_MAX * 60)
        return false;
    *seconds = (is_west ? -60 : 60) * (value * 60 + minutes);
    return true;
}

static bool read_zone_name(struct text word, int32_t *seconds)
{
    for (size_t i = 0; i < countof(zone_names); i++) {
        if (!text_is_any_case(word, zone_names[i].name))
            continue;
        *seconds = zone_names[i].hours * 3600;
        return true;
    }
    return false;
}

static bool is_zone_word(struct text word)
{
    static const char *const never[] = { "AM", "PM", "J" /* no military zone */ };
    size_t letters = 0;
    while (letters < word.size && ascii_is_letter(word.bytes[letters]))
        letters++;
    return letters == word.size && word.size <= ZONE_NAME_MAX_BYTES &&
           !text_is_among(word, never, countof(never));
}

/* "10:18", "10:18:12.345"; the rest stays in *word. */
static bool read_time(struct text *word, struct reading *reading)
{
    int ignored;
    if (!take_digits(word, 2, &reading->hour) || !text_take_byte(word, ":") ||
        !take_digits(word, 2, &reading->minute))
        return false;
    reading->second = 0;
    if (text_take_byte(word, ":") && !take_digits(word, 2, &reading->second))
        return false;
    if (text_take_byte(word, ".,"))
        while (take_digits(word, 6, &ignored))
            ;
    reading->has_time = true;
    return reading->hour < 24 && reading->minute < 60 && reading->second <= 60;
}

static int whole_year(int year, size_t digits)
{
    if (digits > 3)
        return year;
    if (digits == 3)
        return 1900 + year;
    return year < 50 ? 2000 + year : 1900 + year;
}

static void set_year(struct reading *reading, int year, size_t digits)
{
    reading->year = whole_year(year, digits);
    reading->has_year = true;
}

/* ---- words ---- */

/* "2003-02-07", "2/7/2003", "2-7-2003", "7-Feb-03": a whole date in one word. */
static bool read_joined(struct text word, struct reading *reading)
{
    struct text part[3];
    struct text rest = word;
    for (int i = 0; i < 3; i++) {
        part[i] = text_before(rest, "-/");
        rest = text_skip(rest, MIN(part[i].size + 1, rest.size));
        if (part[i].size == 0 || part[i].size > 9)
            return false;
    }
    int value[3] = { 0 };
    int month = month_of(part[1]);
    for (int i = 0; i < 3; i++) {
        struct text digits = part[i];
        if (!(i == 1 && month > 0) && (!take_digits(&digits, 4, &value[i]) || digits.size > 0))
            return false;
    }
    bool is_year_first = part[0].size == 4;
    reading->month = month > 0 ? month : is_year_first ? value[1] : value[0];
    reading->day = is_year_first ? value[2] : month > 0 ? value[0] : value[1];
    if (is_year_first)
        set_year(reading, value[0], 4);
    else
        set_year(reading, value[2], part[2].size);
    reading->numbers = 2;
    return rest.size == 0;
}

/* A single number: the day, then the year, unless it is too long for a day. */
static bool read_number(struct text word, struct reading *reading)
{
    size_t digits = word.size;
    int value;
    if (digits > 4 || !take_digits(&word, 4, &value) || word.size > 0)
        return false;
    if (reading->day == 0 && digits <= 2 && !(reading->has_year))
        reading->day = value;
    else if (!reading->has_year)
        set_year(reading, value, digits);
    else if (reading->day == 0 && digits <= 2)
        reading->day = value;
    else
        return false;
    reading->numbers++;
    return value > 0 || reading->has_year;
}

static bool read_half_day(struct text word, struct reading *reading)
{
    bool is_pm = text_is_any_case(word, "PM");
    if (!reading->has_time || (!is_pm && !text_is_any_case(word, "AM")) || reading->hour > 12 ||
        reading->hour == 0)
        return false;
    reading->hour = reading->hour % 12 + (is_pm ? 12 : 0);
    return true;
}

static bool read_zone(struct text word, struct reading *reading)
{
    int32_t seconds;
    /* "GMT+0200" and "UTC-5" are one word */
    if (word.size > 4 && (text_begins_any_case(word, "GMT") || text_begins_any_case(word, "UTC")))
        word = text_skip(word, 3);
    if (strchr("+-", word.bytes[0])) {
        if (!read_offset(word, &reading->zone_s))
            return false;
        reading->has_numeric_zone = true;
    } else if (!read_zone_name(word, &seconds)) {
        if (!is_zone_word(word) || (reading->has_zone && !reading->has_numeric_zone))
            return false;
        reading->is_zone_unknown = true;
    } else if (!reading->has_numeric_zone) { /* "+0900 JST": the offset takes precedence */
        reading->zone_s = seconds;
    }
    reading->has_zone = true;
    return true;
}

/* A time, with an optional zone at the end: "10:18:12Z", "10:18:12+0200". */
static bool read_time_word(struct text word, struct reading *reading)
{
    return !reading->has_time && read_time(&word, reading) &&
           (word.size == 0 || read_zone(word, reading));
}

static bool read_word(struct text word, struct reading *reading)
{
    const char *mark = memchr(word.bytes, 'T', word.size);
    bool is_number = ascii_is_digit(word.bytes[0]);
    if (is_number && memchr(word.bytes, ':', word.size) && mark && mark > word.bytes + 7) {
        size_t date = (size_t)(mark - word.bytes); /* ISO 8601 */
        return read_joined((struct text){ word.bytes, date }, reading) &&
               read_time_word(text_skip(word, date + 1), reading);
    }
    if (is_number && memchr(word.bytes, ':', word.size))
        return read_time_word(word, reading);
    if (is_number && (memchr(word.bytes, '-', word.size) || memchr(word.bytes, '/', word.size)))
        return read_joined(word, reading);
    if (is_number)
        return read_number(word, reading);
    if (reading->month == 0 && month_of(word) > 0) {
        reading->month = month_of(word);
        return true;
    }
    if (mail_date_is_weekday(word))
        return reading->numbers == 0 && !reading->has_time;
    if (text_begins(word, "m=")) /* Go's monotonic clock */
        return reading->has_time;
    return read_half_day(word, reading) || (reading->has_time && read_zone(word, reading));
}

/* Take the next word, without commas and comments around it. */
static bool take_word(struct text *rest, struct text *word)
{
    size_t depth = 0;
    while (rest->size > 0 && (depth > 0 || strchr(" \t,(", rest->bytes[0]))) {
        depth += rest->bytes[0] == '(';
        depth -= rest->bytes[0] == ')' && depth > 0;
        *rest = text_skip(*rest, 1);
    }
    *word = text_before(*rest, " \t,(");
    *rest = text_skip(*rest, word->size);
    return word->size > 0;
}

enum mail_date_fit mail_date_read(struct text text, int64_t *seconds)
{
    struct reading reading = { 0 };
    struct text word;
    int words = 0;

    text = text_trim(text);
    while (take_word(&text, &word))
        if (++words > WORDS_MAX || !read_word(word, &reading))
            return MAIL_DATE_NONE;
    if (!reading.has_time || !reading.has_year || reading.month < 1 || reading.month > 12 ||
        reading.year < YEAR_MIN || reading.year > DATE_YEAR_MAX || reading.day < 1 ||
        reading.day > date_month_days(reading.year, reading.month))
        return MAIL_DATE_NONE;
    struct date date = { reading.year, reading.month, reading.day };
    *seconds = date_to_days(date) * DAY_SECONDS + reading.hour * 3600 + reading.minute * 60 +
               reading.second - reading.zone_s;
    if (reading.is_zone_unknown && !reading.has_numeric_zone)
        return MAIL_DATE_UNKNOWN_ZONE;
    return reading.has_zone ? MAIL_DATE_WHOLE : MAIL_DATE_NO_ZONE;
}
