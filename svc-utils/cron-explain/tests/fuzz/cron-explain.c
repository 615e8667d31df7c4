/* svc-utils/cron-explain/tests/fuzz/cron-explain.c - expressions: what is understood is written so
 * that it means the same, has a description, and runs later and later. */
#include <assert.h>
#include <string.h>

#include "cron-explain/describe.h"
#include "cron-explain/expression/parse.h"
#include "cron-explain/expression/paste.h"
#include "cron-explain/runs.h"
#include "target.h"

static void check_written_form(const struct cron *cron)
{
    static const struct cron_wording wording = { .is_24_hour = true, .is_verbose = true };
    scoped(buf_free) struct buf first = BUF(64 * 1024);
    scoped(buf_free) struct buf second = BUF(64 * 1024);
    struct cron again;

    cron_describe(cron, &wording, &first);
    assert(!first.full && first.size > 0);
    buf_clear(&first);
    cron_write(cron, &first);
    if (first.size > CRON_BYTES_MAX || cron->kind != CRON_SCHEDULE)
        return;
    assert(cron_parse(buf_text(&first), CRON_SUNDAY_0, &again, NULL));
    cron_write(&again, &second);
    assert(strcmp(buf_str(&first), buf_str(&second)) == 0);
    for (int field = 0; field < CRON_FIELDS; field++)
        assert(memcmp(&cron->part[field].set, &again.part[field].set, sizeof(struct cron_set)) ==
               0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(zone_free) struct zone *zone = NULL;
    struct cron_paste paste;
    struct cron cron;
    struct cron_run run = { .at_s = 1774000000 };

    if (size < 1 ||
        !cron_find_pasted((struct text){ (const char *)bytes + 1, size - 1 }, &paste, NULL) ||
        !cron_parse(paste.expression, *bytes & 1 ? CRON_SUNDAY_1 : CRON_SUNDAY_0, &cron, NULL))
        return 0;
    check_written_form(&cron);
    assert(zone_load(*bytes & 2 ? "Australia/Lord_Howe" : "UTC", &zone, NULL));
    for (int i = 0; i < 10; i++) {
        int64_t before_s = run.at_s;
        if (!cron_next(&cron, zone, (enum cron_dst)(*bytes >> 2) % 3, before_s, &run))
            break;
        assert(run.at_s > before_s);
    }
    return 0;
}
