/* tests/fuzz/common/contract-query.c - any bytes as the query of a GET tool: rejected, or a JSON
 * object whose values the contract checks, but never the types. */
#include <assert.h>

#include "../target.h"
#include "svc/contract.h"
#include "text/json.h"

static struct contract *load(void)
{
    struct contract *contract = NULL;
    bool ok = contract_load(SOURCE_ROOT "/svc-utils/placeholder-image/placeholder-image.yaml",
                            &contract, NULL);
    assert(ok);
    return contract;
}

static void check_body(const struct contract *contract, struct text body)
{
    scoped(json_free) cJSON *args = NULL;
    struct errs errs = { 0 };

    if (contract_check(contract, body, &args, NULL, &errs))
        return;
    assert(errs.count > 0);
    for (size_t i = 0; i < errs.count; i++)
        assert(errs.item[i].kind == ERR_INVALID_VALUE || errs.item[i].kind == ERR_TOO_LONG);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct contract *contract;
    scoped(buf_free) struct buf body = BUF(1 << 20);
    struct err err;

    if (!contract)
        contract = load();
    if (contract_query(contract, (struct text){ (const char *)bytes, size }, &body, NULL, &err))
        check_body(contract, buf_text(&body));
    else
        assert(err.kind == ERR_INVALID_QUERY || err.kind == ERR_INVALID_VALUE);
    return 0;
}
