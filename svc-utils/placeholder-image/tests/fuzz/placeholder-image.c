/* svc-utils/placeholder-image/tests/fuzz/placeholder-image.c - any bytes as the query of
 * placeholder-image: refused, or an image of the elements that we draw and no others. */
#include <assert.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "svc/job.h"
#include "target.h"
#include "text/json.h"
#include "tools.h"

static struct contract *load(void)
{
    struct contract *contract = NULL;
    bool ok = contract_load(SOURCE_ROOT "/svc-utils/placeholder-image/placeholder-image.yaml",
                            &contract, NULL);
    assert(ok);
    return contract;
}

static bool is_our_tag(const char *at)
{
    static const char *const tags[] = { "<svg ", "<rect ", "<text ", "</text>", "</svg>" };
    for (size_t i = 0; i < countof(tags); i++)
        if (strncmp(at, tags[i], strlen(tags[i])) == 0)
            return true;
    return false;
}

static void check_image(struct text svg)
{
    assert(utf8_is_valid(svg) && strlen(svg.bytes) == svg.size);
    for (const char *at = svg.bytes; (at = strchr(at, '<')); at++)
        assert(is_our_tag(at));
    for (const char *at = svg.bytes; *at; at++)
        assert((unsigned char)*at >= 0x20);
}

static void draw(const struct contract *contract, const cJSON *args)
{
    scoped(answer_free) struct answer answer = { 0 };
    struct job job = { .contract = contract, .args = args, .answer = &answer };
    struct err err;

    if (placeholder_image(&job, NULL, &err))
        check_image(buf_text(&answer.body));
    else
        assert(err_status(err.kind) == 400);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct contract *contract;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    scoped(json_free) cJSON *args = NULL;
    struct errs errs = { 0 };

    if (!contract)
        contract = load();
    if (contract_query(contract, (struct text){ (const char *)bytes, size }, &body, NULL, NULL) &&
        contract_check(contract, buf_text(&body), &args, NULL, &errs))
        draw(contract, args);
    return 0;
}
