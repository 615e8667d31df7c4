/* svc-email/email-spam-check/judge-sender.c - rules about the sender, and duties of bulk mail. */
#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "dns/domain.h"
#include "email-spam-check/check.h"

enum { BULK_LINKS = 3, BULK_HYPE = 3, DIGITS = 5, NEAR_BYTES = 200 };

/* ---- bulk mail ---- */

static size_t hype_rules(const struct spam_check *check)
{
    size_t count = 0;
    for (int rule = RULE_HYPE_URGENCY; rule <= RULE_HYPE_CALL_NOW; rule++)
        count += check->found[rule].is_found;
    return count;
}

static bool mentions_way_out(const struct spam_check *check)
{
    return text_view_has(&check->body, SET_UNSUBSCRIBE) ||
           text_view_has(&check->alternative, SET_UNSUBSCRIBE);
}

static bool has_way_out_link(const struct spam_check *check)
{
    static const char *const words[] = { "unsubscribe", "optout",   "opt-out",  "opt_out",
                                         "preferences", "abmelden", "desabonn", "desinscr",
                                         "/unsub",      "abbestell" };
    for (size_t i = 0; i < check->link_count; i++)
        for (size_t j = 0; j < countof(words); j++)
            if (text_has_any_case(check->link[i].url, words[j]))
                return true;
    return false;
}

/* Whether a link or an address is near the unsubscribe words. In HTML any link counts. */
static bool is_way_out_linked(const struct spam_check *check)
{
    if (check->html.link_count > 0 || has_way_out_link(check))
        return true;
    struct text norm = buf_text(&check->body.norm);
    struct text word = check->body.first[SET_UNSUBSCRIBE];
    size_t at = word.bytes ? (size_t)(word.bytes - norm.bytes) : 0;
    size_t from = at > NEAR_BYTES ? at - NEAR_BYTES : 0;
    struct text near = { norm.bytes + from, MIN(norm.size - from, 2U * NEAR_BYTES) };
    return text_has(near, "http") || text_has(near, "www.") || text_has(near, "@");
}

/* A street word next to a number, a post office box, or a code of four or five digits and a town,
 * in the last third. */
static bool has_postal_address(const struct spam_check *check)
{
    const struct text_view *view = &check->body;
    const struct names *streets = &check->knowledge->list[LIST_STREET_WORDS];
    for (size_t i = view->words.count * 2 / 3; i < view->words.count; i++) {
        const struct word *word = &view->words.at[i];
        struct text text = text_view_word(view, i);
        char name[40] = "";
        memcpy(name, text.bytes, MIN(text.size, sizeof(name) - 1));
        bool has_number = (i > 0 && view->words.at[i - 1].kind == WORD_NUMBER) ||
                          (i > 1 && view->words.at[i - 2].kind == WORD_NUMBER) ||
                          (i > 2 && view->words.at[i - 3].kind == WORD_NUMBER) ||
                          (i + 1 < view->words.count && view->words.at[i + 1].kind == WORD_NUMBER);
        bool is_street = names_have(streets, text) || text_has(text, "straße") ||
                         text_has(text, "strasse") || text_has(text, "gasse") ||
                         text_has(text, "platz") || text_has(text, "allee");
        bool is_code = word->kind == WORD_NUMBER && text.size >= 4 && text.size <= 5 &&
                       text_is_digits(text) && i + 1 < view->words.count &&
                       view->words.at[i + 1].kind == WORD_PLAIN && strcmp(name, "2026") > 0;
        if ((is_street && has_number) || is_code || text_is(text, "box"))
            return true;
    }
    return false;
}

static void judge_bulk(struct spam_check *check)
{
    check->is_bulk = (check->has_html && check->link_count >= BULK_LINKS) ||
                     hype_rules(check) >= BULK_HYPE || check->has_list_unsubscribe ||
                     mentions_way_out(check);
    if (!check->is_bulk)
        return;
    bool has_any =
        mentions_way_out(check) || check->has_list_unsubscribe || has_way_out_link(check);
    if (!has_any)
        spam_find(check, RULE_UNSUBSCRIBE_MISSING, 1, 1, TEXT(""));
    else if (mentions_way_out(check) && !is_way_out_linked(check) && !check->has_list_unsubscribe)
        spam_find(check, RULE_UNSUBSCRIBE_NOT_LINKED, 1, 1, check->body.first[SET_UNSUBSCRIBE]);
    find_if(check, !has_postal_address(check), RULE_POSTAL_ADDRESS_MISSING, TEXT(""));
}

/* ---- the address ---- */

static struct text local_part(const struct mailbox *mailbox)
{
    const char *at = mailbox->address ? strrchr(mailbox->address, '@') : NULL;
    return at ? (struct text){ mailbox->address, (size_t)(at - mailbox->address) } : TEXT("");
}

static bool is_no_reply(const struct spam_check *check, struct text local)
{
    const struct names *names = &check->knowledge->list[LIST_NO_REPLY];
    for (uint32_t i = 0; i < names->count; i++)
        if (text_begins_any_case(local, names_at(names, i).bytes))
            return true;
    return false;
}

static void judge_name(struct spam_check *check)
{
    const struct mailbox *from = &check->from;
    const struct senders *senders = check->knowledge->senders;
    if (!from->name || !from->domain)
        return;
    struct text name = text_of(from->name);
    const struct brand *brand = senders_brand_in_name(senders, from->name);
    find_if(check, brand && !brand_owns(senders, brand, from->domain), RULE_FROM_BRAND_SPOOF, name);
    while (name.size > 0) {
        struct text word = text_cut(&name, ' ');
        if (word.size < 5 || !memchr(word.bytes, '@', word.size))
            continue;
        const char *domain = address_domain(word, &check->arena);
        if (domain && strchr(domain, '.') && !senders_related(senders, domain, from->domain))
            spam_find(check, RULE_FROM_NAME_IS_OTHER_ADDRESS, 1, 1, text_of(from->name));
    }
}

static void judge_address(struct spam_check *check)
{
    const struct mailbox *from = &check->from;
    const struct mailbox *reply = &check->reply_to;
    const struct senders *senders = check->knowledge->senders;
    struct text local = local_part(from);
    size_t digits = 0;
    for (size_t i = 0; i < local.size; i++)
        digits += ascii_is_digit(local.bytes[i]);
    /* newsletters number the recipients in their own addresses */
    if (digits >= DIGITS && from->domain && senders_is_free(senders, from->domain))
        spam_find(check, RULE_FROM_DIGITS, 1, digits, text_of(from->address));
    find_if(check, is_no_reply(check, local), RULE_FROM_NOREPLY, text_of(from->address));
    find_if(check, from->domain && check->is_bulk && senders_is_free(senders, from->domain),
            RULE_FROM_FREEMAIL_BULK, text_of(from->address));
    if (from->domain && reply->domain && !senders_related(senders, from->domain, reply->domain) &&
        senders_is_free(senders, reply->domain))
        spam_find(check, RULE_FROM_REPLYTO_DIFFERS, 1, 1, text_of(reply->address));
}

void judge_sender(struct spam_check *check)
{
    judge_bulk(check);
    if (!check->has_from)
        return;
    judge_name(check);
    judge_address(check);
}
