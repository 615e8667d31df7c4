/* svc-security/security-headers/tests/fuzz/security-headers.c - grade any responses (format:
 * site.h); the result matches the contract. */
#include <assert.h>

#include "security-headers/report.h"
#include "security-headers/tests/site.h"
#include "svc/contract.h"
#include "svc/schema.h"
#include "target.h"
#include "text/json.h"

static struct knowledge *knowledge;
static struct contract *contract;

static void load(void)
{
    bool ok = contract_load(SOURCE_ROOT "/svc-security/security-headers/security-headers.yaml",
                            &contract, NULL);
    assert(ok);
    knowledge = site_knowledge();
}

/* Header values have neither NUL nor CR. */
static struct text clean(const uint8_t *bytes, size_t size, struct buf *out)
{
    for (size_t i = 0; i < size; i++)
        buf_add_byte(out, bytes[i] == '\0' || bytes[i] == '\r' ? ' ' : (char)bytes[i]);
    return buf_text(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(buf_free) struct buf text = BUF(1 << 20);
    scoped(buf_free) struct buf printed = BUF(4 << 20);
    scoped(json_free) cJSON *result = json_object();
    scoped(site_free) struct site site = { 0 };
    struct errs errs = { 0 };
    if (!contract)
        load();
    site_read(clean(bytes, size, &text), &site);
    if (!site.responses.https && !site.responses.http)
        return 0;
    scoped(assessment_free) struct assessment assessment;
    site_assess(&site, knowledge, &assessment);
    assert(assessment_score(&assessment) >= 0 && assessment_score(&assessment) <= 100);
    assessment_print(&assessment, "https://www.example.com/", 0, result);
    bool fits = schema_check(contract->result, "result", result, &errs);
    assert(fits);
    bool is_whole = json_print(result, &printed);
    assert(is_whole && json_check(buf_text(&printed), JSON_DEPTH, NULL));
    return 0;
}
