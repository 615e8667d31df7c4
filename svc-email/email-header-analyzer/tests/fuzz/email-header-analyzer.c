/* svc-email/email-header-analyzer/tests/fuzz/email-header-analyzer.c - any bytes as a header give a
 * result that matches the contract and can be printed. */
#include <assert.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "email-header-analyzer/analysis.h"
#include "message/encoded-word.h"
#include "svc/contract.h"
#include "svc/schema.h"
#include "target.h"
#include "text/json.h"

enum { REPLY_MAX_BYTES = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct senders *senders;
    static struct contract *contract;
    struct errs errs = { 0 };
    scoped(buf_free) struct buf utf8 = BUF(3 * size + 1);
    scoped(buf_free) struct buf reply = BUF(REPLY_MAX_BYTES);
    scoped(json_free) cJSON *result = json_object();

    if (!senders) {
        bool ok =
            senders_load(SOURCE_ROOT "/svc-email", "", &senders, NULL) &&
            contract_load(SOURCE_ROOT "/svc-email/email-header-analyzer/email-header-analyzer.yaml",
                          &contract, NULL);
        assert(ok);
    }
    charset_decode((struct text){ (const char *)bytes, size }, (struct text){ "", 0 }, &utf8);
    struct analysis *analysis = mem_new(sizeof(*analysis));
    analysis_read(buf_text(&utf8), senders, INT64_C(1795262400000), analysis);
    analysis_report(analysis, result);
    assert(schema_check(contract->result, "result", result, &errs));
    assert(json_print(result, &reply) && utf8_is_valid(buf_text(&reply)));
    analysis_free(analysis);
    mem_free(&analysis);
    return 0;
}
