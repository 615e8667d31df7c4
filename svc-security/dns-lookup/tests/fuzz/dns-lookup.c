/* svc-security/dns-lookup/tests/fuzz/dns-lookup.c - convert any DNS message to a JSON object within
 * the contract's limit. The first byte selects the requested type; its highest bit means that JSON
 * follows. */
#include <assert.h>
#include <string.h>

#include "dns-lookup/dns-lookup.h"
#include "net/dns/json.h"
#include "target.h"
#include "text/json.h"

enum { REPLY_MAX_BYTES = 16 << 20, IS_JSON = 0x80 };

static const uint16_t types[] = { DNS_A,  DNS_AAAA, DNS_MX,  DNS_TXT, DNS_CNAME,
                                  DNS_NS, DNS_SOA,  DNS_SRV, DNS_CAA };

static void check_names(const struct dns_message *message)
{
    for (size_t i = 0; i < message->answer_count; i++) {
        const struct dns_record *record = &message->answer[i];
        assert(strlen(record->name) > 0 && strlen(record->name) < DNS_NAME_BYTES);
        assert(!record->target || strlen(record->target) < DNS_NAME_BYTES);
        assert(record->ttl <= INT32_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    scoped(dns_answer_free) struct dns_answer answer = { .status = DNS_ANSWERED };
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf printed = BUF(REPLY_MAX_BYTES);
    scoped(buf_free) struct buf wire = BUF(DNS_MESSAGE_BYTES);
    struct err err;
    if (size == 0)
        return 0;
    struct text message = { (const char *)bytes + 1, size - 1 };
    struct dns_question question = { "a.com", types[bytes[0] % countof(types)] };
    if (bytes[0] & IS_JSON) {
        if (!dns_json_to_wire(message, &wire))
            return 0;
        message = buf_text(&wire);
    }
    if (!dns_message_read(NULL, message, question.name, question.type, &answer.message, &err))
        return 0;
    check_names(&answer.message);
    dns_report("a.com", &question, &answer, 1, 0, result);
    assert(json_print(result, &printed));
    assert(json_check(buf_text(&printed), JSON_DEPTH, &err));
    return 0;
}
