/*
 * svc-chat/chatplatform-snowflake-decode/chatplatform-snowflake-decode.c - decodes ids, or finds
 * the ids of an instant.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "findings/issues.h"
#include "id-text.h"
#include "platform/snowflake.h"
#include "svc/args.h"
#include "text/json.h"
#include "time/instant.h"
#include "tools.h"

enum { AVATARS = 6, FUTURE_TOLERANCE_MS = 60000 };

#define EPOCH_MAX_MS INT64_C(4102444800000) /* the year 2100 */

static const struct epoch {
    const char *name;
    int64_t ms;
} epochs[] = {
    { "discord", SNOWFLAKE_EPOCH_MS },
    { "twitter", INT64_C(1288834974657) },
};

/* Settings for all ids of a request. */
struct scale {
    int64_t epoch_ms;
    int64_t now_ms;
    int64_t shard_count; /* 0: not requested */
};

/* ---- the request ---- */

static bool read_epoch(const cJSON *value, int64_t *epoch_ms, struct err *err)
{
    const char *name = json_text(value, "");
    const struct epoch *epoch = name ? TABLE_FIND(epochs, name) : NULL;

    if (epoch) {
        *epoch_ms = epoch->ms;
        return true;
    }
    *epoch_ms = name ? -1 : (int64_t)value->valuedouble;
    if ((name && num_parse(text_of(name), EPOCH_MAX_MS, epoch_ms)) ||
        (*epoch_ms >= 0 && *epoch_ms <= EPOCH_MAX_MS))
        return true;
    return err_set(err, ERR_INVALID_VALUE,
                   "epoch must be discord, twitter or milliseconds from 0 to %" PRId64,
                   EPOCH_MAX_MS);
}

static bool read_scale(const struct job *job, struct scale *scale, struct err *err)
{
    scale->shard_count = arg_int(job, "shard_count");
    return read_epoch(arg_any(job, "epoch"), &scale->epoch_ms, err) &&
           instant_now(job, &scale->now_ms, err);
}

static bool read_subject(const cJSON *value, const char *field, struct id_text *subject,
                         struct err *err)
{
    const char *text = json_text(value, "");
    if (!text) {
        *subject = (struct id_text){ .form = "id", .count = 1 };
        return snowflake_read(value, field, &subject->ids[0].id, err);
    }
    if (id_text_parse(text, subject))
        return true;
    return err_set(
        err, ERR_INVALID_SNOWFLAKE,
        "%s must be an id (digits without a leading zero, at most "
        "18446744073709551615), a mention, an emoji, a message link or an attachment URL",
        field);
}

/* ---- decoding ---- */

static void add_digits(cJSON *out, uint64_t id)
{
    char binary[64 + 1];
    char hex[2 + 16 + 1];

    for (int i = 0; i < 64; i++)
        binary[i] = id >> (63 - i) & 1 ? '1' : '0';
    binary[64] = '\0';
    json_str(out, "binary", binary);
    snprintf(hex, sizeof(hex), "0x%016" PRIx64, id);
    json_str(out, "hex", hex);
}

static void add_warnings(cJSON *out, const char *path, uint64_t id, int64_t unix_ms,
                         const struct scale *scale)
{
    scoped(issues_free) struct issues warnings = { 0 };

    if (snowflake_is_short(id))
        issues_add(&warnings, path, "short_snowflake", "real ids have %d digits or more",
                   SNOWFLAKE_REAL_DIGITS);
    if (unix_ms > scale->now_ms + FUTURE_TOLERANCE_MS)
        issues_add(&warnings, path, "in_future", "this id cannot exist yet");
    if (id > INT64_MAX)
        issues_add(&warnings, path, "exceeds_int64", "does not fit into a signed 64-bit integer");
    issues_write(&warnings, out, "warnings");
}

static void add_decoded(cJSON *out, const char *path, const char *form, uint64_t id,
                        const struct scale *scale)
{
    int64_t epoch_ms = (int64_t)(id >> SNOWFLAKE_TIME_SHIFT);
    int64_t unix_ms = epoch_ms + scale->epoch_ms;
    char relative[INSTANT_RELATIVE_BYTES];

    instant_relative(relative, unix_ms, scale->now_ms);
    snowflake_add(out, "snowflake", id);
    json_str(out, "form", form);
    json_time(out, "timestamp", unix_ms);
    json_int(out, "unix", instant_seconds(unix_ms));
    json_int(out, "unix_ms", unix_ms);
    json_int(out, "epoch_ms", epoch_ms);
    json_int(out, "worker_id", id >> 17 & 0x1F);
    json_int(out, "process_id", id >> 12 & 0x1F);
    json_int(out, "increment", id & 0xFFF);
    add_digits(out, id);
    json_int(out, "age_seconds", instant_seconds(scale->now_ms - unix_ms));
    json_str(out, "relative", relative);
    json_int(out, "default_avatar_index", epoch_ms % AVATARS);
    if (scale->shard_count > 0)
        json_int(out, "shard_id", epoch_ms % scale->shard_count);
    else
        json_null(out, "shard_id");
    add_warnings(out, path, id, unix_ms, scale);
}

static bool decode_one(const struct job *job, const struct scale *scale, cJSON *result,
                       struct err *err)
{
    struct id_text subject;
    if (!read_subject(arg_any(job, "snowflake"), "snowflake", &subject, err))
        return false;

    uint64_t id = subject.ids[subject.count - 1].id;
    add_decoded(result, "snowflake", subject.form, id, scale);
    cJSON *related = json_list(result, "related");
    for (size_t i = 0; i < subject.count && subject.ids[i].role; i++) {
        cJSON *item = json_item(related);
        json_str(item, "role", subject.ids[i].role);
        add_decoded(item, "snowflake", subject.form, subject.ids[i].id, scale);
    }
    scoped(mem_free) char *tag =
        str_format("<t:%" PRId64 ":F>",
                   instant_seconds((int64_t)(id >> SNOWFLAKE_TIME_SHIFT) + scale->epoch_ms));
    json_str(result, "discord_tag", tag);
    return true;
}

/* ---- several ids ---- */

static bool add_item(cJSON *item, const cJSON *value, const char *path, const struct scale *scale)
{
    struct id_text subject;
    struct err err = { 0 };
    bool ok = read_subject(value, path, &subject, &err);

    /* a number that lost digits is another number: do not return it */
    if (json_text(value, "") || (json_is_integer(value) && err.kind != ERR_PRECISION_LOSS))
        json_add(item, "input", json_copy(value));
    else
        json_null(item, "input");
    json_bool(item, "valid", ok);
    if (ok) {
        json_null(item, "error");
        add_decoded(json_map(item, "decoded"), path, subject.form,
                    subject.ids[subject.count - 1].id, scale);
    } else {
        cJSON *error = json_map(item, "error");
        json_str(error, "code", err_code(err.kind));
        json_str(error, "message", err.message);
        json_null(item, "decoded");
    }
    return ok;
}

static bool decode_many(const struct job *job, const struct scale *scale, cJSON *result)
{
    scoped(json_free) cJSON *items = json_array();
    const cJSON *value;
    int64_t count = 0;
    int64_t valid_count = 0;

    cJSON_ArrayForEach(value, arg_any(job, "snowflakes")) {
        scoped(mem_free) char *path = str_format("snowflakes[%" PRId64 "]", count);
        valid_count += add_item(json_item(items), value, path, scale);
        count++;
    }
    json_int(result, "count", count);
    json_int(result, "valid_count", valid_count);
    json_add(result, "items", take(items));
    return true;
}

/* ---- encoding ---- */

static bool encode_instant(const struct job *job, const struct scale *scale, cJSON *result,
                           struct err *err)
{
    struct instant instant;
    if (!instant_read(arg_any(job, "timestamp"), "timestamp", NULL, scale->now_ms, &instant, err))
        return false;
    int64_t epoch_ms = instant.unix_ms - scale->epoch_ms;
    if (epoch_ms < 0 || epoch_ms >= SNOWFLAKE_MS_END)
        return err_set(err, ERR_TIMESTAMP_OUT_OF_RANGE,
                       "timestamp must be at most 139 years after the epoch, and not before it");

    uint64_t first = (uint64_t)epoch_ms << SNOWFLAKE_TIME_SHIFT;
    uint64_t last = first | ((UINT64_C(1) << SNOWFLAKE_TIME_SHIFT) - 1);
    json_time(result, "timestamp", instant.unix_ms);
    json_int(result, "unix_ms", instant.unix_ms);
    json_int(result, "epoch", scale->epoch_ms);
    snowflake_add(result, "min_snowflake", first);
    snowflake_add(result, "max_snowflake", last);
    if (last < UINT64_MAX)
        snowflake_add(result, "before", last + 1);
    else
        json_null(result, "before");
    snowflake_add(result, "after", first > 0 ? first - 1 : 0);
    return true;
}

bool chatplatform_snowflake_decode(const struct job *job, cJSON *result, struct err *err)
{
    bool is_one = arg_has(job, "snowflake");
    bool is_many = arg_has(job, "snowflakes");
    struct scale scale;

    if (is_one + is_many + arg_has(job, "timestamp") > 1)
        return err_set(err, ERR_CONFLICTING_FIELDS,
                       "send only one of snowflake, snowflakes and timestamp");
    if (!read_scale(job, &scale, err))
        return false;
    if (is_one)
        return decode_one(job, &scale, result, err);
    return is_many ? decode_many(job, &scale, result) : encode_instant(job, &scale, result, err);
}
