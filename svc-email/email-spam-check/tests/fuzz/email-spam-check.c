/* svc-email/email-spam-check/tests/fuzz/email-spam-check.c - any text as a message in one of
 * four forms, which its first byte selects, gives a result that matches the contract and can be
 * printed. */
#include <assert.h>

#include "base/codec/utf8.h"
#include "base/mem.h"
#include "email-spam-check/check.h"
#include "message/encoded-word.h"
#include "svc/contract.h"
#include "svc/schema.h"
#include "target.h"
#include "text/json.h"

enum { REPLY_MAX_BYTES = 4 << 20 };

static struct spam_knowledge *knowledge;
static struct contract *contract;

static void score_message(const struct spam_input *input)
{
    scoped(buf_free) struct buf reply = BUF(REPLY_MAX_BYTES);
    scoped(json_free) cJSON *result = json_object();
    struct spam_check *check = mem_new(sizeof(*check));
    struct errs errs = { 0 };

    spam_check_read(input, knowledge, check);
    spam_check_report(check, result);
    assert(schema_check(contract->result, "result", result, &errs));
    assert(json_print(result, &reply) && utf8_is_valid(buf_text(&reply)));
    spam_check_free(check);
    mem_free(&check);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct text nothing = { "", 0 };
    scoped(buf_free) struct buf utf8 = BUF(3 * size + 1);
    if (!knowledge) {
        bool ok = spam_knowledge_load(SOURCE_ROOT "/svc-email", "", &knowledge, NULL) &&
                  contract_load(SOURCE_ROOT "/svc-email/email-spam-check/email-spam-check.yaml",
                                &contract, NULL);
        assert(ok);
    }
    if (size < 2)
        return 0;
    charset_decode((struct text){ (const char *)bytes + 1, size - 1 }, nothing, &utf8);
    struct text text = buf_text(&utf8);
    struct spam_input input = { nothing, text, nothing, nothing, nothing, false, bytes[0] % 4 - 1 };
    if (bytes[0] & 0x10) {
        struct text first = text_cut(&text, '\n');
        input.subject = input.from = input.reply_to = first;
        input.body = text;
    }
    score_message(&input);
    return 0;
}
