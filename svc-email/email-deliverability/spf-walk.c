/* svc-email/email-deliverability/spf-walk.c - walk an SPF record's tree as if no term matched (RFC
 * 7208 sections 4.6.4, 5 and 6), to find the maximum that a receiver may look up. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "records/near-record.h"

enum {
    MX_HOSTS_MAX = 10, /* RFC 7208 section 4.6.4 */
    RANGES_MAX = 200000,
    IPV4_BITS = 32,
    IPV6_BITS = 128,
};

/* A record in the walk, and the records that include it. */
struct frame {
    const struct frame *outer;
    const char *domain;
    struct spf_node *node;
    bool is_own; /* the domain's record, or one that it redirects to */
    unsigned depth;
};

struct walk {
    const struct subject *subject;
    struct lookups *lookups;
    struct facts *facts;
    struct spf_facts *spf;
};

static bool walk_record(struct walk *walk, const struct frame *frame, struct text text);

/* ---- queries and nodes ---- */

/* NULL: the query limit was reached. */
static const struct lookup *query_name(struct walk *walk, const char *name, uint16_t type)
{
    if (walk->spf->question_count == SPF_QUESTIONS_MAX) {
        walk->spf->is_cut = true;
        return NULL;
    }
    walk->spf->question_count++;
    return lookup_known(walk->lookups, name, type);
}

static struct spf_node *add_node(struct walk *walk, struct spf_node *parent, const char *term,
                                 const char *type)
{
    if (walk->spf->node_count == SPF_NODES_MAX) {
        walk->spf->is_cut = true;
        return NULL;
    }
    struct spf_node *node = arena_get(&walk->facts->arena, sizeof(*node));
    *node = (struct spf_node){ .term = term, .type = type };
    walk->spf->node_count++;
    if (!parent)
        return node;
    if (parent->last_child)
        parent->last_child->next = node;
    else
        parent->child = node;
    parent->last_child = node;
    return node;
}

static void count_void(struct walk *walk, struct spf_node *node)
{
    node->voids++;
    walk->spf->voids++;
}

/* Only the first name of a kind is reported. */
static void note_culprit(const char **who, const char *name)
{
    if (!*who)
        *who = name;
}

/* A server that does not answer makes the result a temperror (RFC 7208 section 5), unless the
 * record is invalid anyway. */
static void fail_for_now(struct walk *walk, struct spf_node *node, const char *error)
{
    node->error = error;
    if (walk->spf->result == SPF_RESULT_VALID)
        walk->spf->result = SPF_RESULT_TEMPERROR;
}

/* ---- networks ---- */

static void add_range(struct spf_facts *spf, const struct spf_term *term)
{
    const uint8_t *octet = &term->address.s6_addr[12];
    uint32_t mask = term->prefix4 == 0 ? 0 : UINT32_MAX << (IPV4_BITS - term->prefix4);
    uint32_t first =
        ((uint32_t)octet[0] << 24 | (uint32_t)octet[1] << 16 | (uint32_t)octet[2] << 8 | octet[3]) &
        mask;
    if (spf->range_count == RANGES_MAX)
        return;
    if ((spf->range_count & (spf->range_count - 1)) == 0)
        spf->range =
            mem_resize(spf->range, MAX(spf->range_count, 1) * 2 * sizeof(struct ip4_range));
    spf->range[spf->range_count++] = (struct ip4_range){ first, first | ~mask };
}

/* Only the domain's own networks cost points, because it cannot change those of others. */
static void add_network(struct walk *walk, const struct frame *frame, const struct spf_term *term)
{
    struct spf_facts *spf = walk->spf;
    bool is_ip4 = term->kind == SPF_IP4;
    *(is_ip4 ? &spf->ip4_networks : &spf->ip6_networks) += 1;
    if (term->qualifier != '+')
        return;
    if (is_ip4)
        add_range(spf, term);
    if (!frame->is_own)
        return;
    bool is_everything = (is_ip4 ? term->prefix4 : term->prefix6) == 0;
    if (!is_everything && !facts_is_public(&term->address))
        spf->has_private = true;
    else if (is_ip4)
        spf->widest4 = MIN(spf->widest4, term->prefix4);
    else
        spf->widest6 = MIN(spf->widest6, term->prefix6);
}

static int by_first(const void *a, const void *b)
{
    const struct ip4_range *left = a;
    const struct ip4_range *right = b;
    return left->first < right->first ? -1 : left->first > right->first;
}

static uint64_t count_addresses(struct spf_facts *spf)
{
    uint64_t count = 0;
    uint64_t next = 0; /* the first address that is not counted */
    if (spf->range_count > 0)
        qsort(spf->range, spf->range_count, sizeof(spf->range[0]), by_first);
    for (size_t i = 0; i < spf->range_count; i++) {
        uint64_t first = MAX(spf->range[i].first, next);
        uint64_t end = (uint64_t)spf->range[i].last + 1;
        if (end > first)
            count += end - first;
        next = MAX(next, end);
    }
    return count;
}

/* ---- a, mx, exists ---- */

/* A void name has neither an A nor an AAAA record. A receiver queries only one of the two, so a
 * single missing one is not void. */
static bool check_addresses(struct walk *walk, struct spf_node *node, const char *name)
{
    const struct lookup *a = query_name(walk, name, DNS_A);
    const struct lookup *aaaa = query_name(walk, name, DNS_AAAA);
    if (!a || !aaaa)
        return true;
    if (lookup_is_void(a) && lookup_is_void(aaaa)) {
        count_void(walk, node);
        return false;
    }
    walk->spf->family_voids += lookup_is_void(a) || lookup_is_void(aaaa);
    if (lookup_is_temporary(a) || (lookup_is_void(a) && lookup_is_temporary(aaaa)))
        fail_for_now(walk, node, "its addresses could not be looked up");
    return true;
}

static bool check_mx(struct walk *walk, struct spf_node *node, const char *name)
{
    const struct lookup *mx = query_name(walk, name, DNS_MX);
    if (!mx)
        return true;
    if (lookup_is_void(mx)) {
        count_void(walk, node);
        return false;
    }
    if (lookup_is_temporary(mx))
        fail_for_now(walk, node, "its mail exchangers could not be looked up");
    if (mx->count > MX_HOSTS_MAX) {
        node->error = "it has more than 10 mail exchangers";
        note_culprit(&walk->spf->mx_hosts, name);
        walk->spf->result = SPF_RESULT_PERMERROR;
    }
    for (size_t i = 0; i < MIN(mx->count, MX_HOSTS_MAX); i++) {
        const char *host = lookup_record(mx, i)->target;
        if (strcmp(host, ".") != 0)
            check_addresses(walk, node, host);
    }
    return true;
}

static void check_exists(struct walk *walk, struct spf_node *node, const char *name)
{
    const struct lookup *a = query_name(walk, name, DNS_A);
    if (a && lookup_is_void(a))
        count_void(walk, node);
    else if (a && lookup_is_temporary(a))
        fail_for_now(walk, node, "its address could not be looked up");
}

/* ---- include, redirect ---- */

/* Find the SPF records of a name. Returns their number; *text is the last one. */
static size_t find_record(struct walk *walk, const struct lookup *answer, struct text *record)
{
    size_t count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        struct text text = facts_text(walk->facts, answer, i);
        if (!spf_is_record(text))
            continue;
        *record = text;
        count++;
    }
    return count;
}

static bool is_ancestor(const struct frame *frame, const char *name)
{
    for (; frame; frame = frame->outer)
        if (strcasecmp(frame->domain, name) == 0)
            return true;
    return false;
}

static void fail_node(struct walk *walk, struct spf_node *node, const char **who, const char *error)
{
    node->error = error;
    note_culprit(who, node->target);
    walk->spf->result = SPF_RESULT_PERMERROR;
}

static void follow_record(struct walk *walk, const struct frame *frame, struct spf_node *node,
                          enum spf_kind kind)
{
    struct spf_facts *spf = walk->spf;
    bool is_redirect = kind == SPF_REDIRECT;
    const char **who_lacks = is_redirect ? &spf->redirect_none : &spf->include_none;
    const char **who_is_bad = is_redirect ? &spf->redirect_none : &spf->include_invalid;
    struct text text;
    if (is_ancestor(frame, node->target))
        return fail_node(walk, node, &spf->loop, "it leads back to itself");
    if (frame->depth == SPF_DEPTH_MAX)
        return fail_node(walk, node, &spf->loop, "it is nested too deeply");
    const struct lookup *answer = query_name(walk, node->target, DNS_TXT);
    if (!answer || answer->status == LOOKUP_OPEN)
        return;
    if (lookup_is_temporary(answer))
        return fail_for_now(walk, node, "its record could not be looked up");
    if (lookup_is_void(answer))
        count_void(walk, node);
    size_t count = find_record(walk, answer, &text);
    if (count == 0)
        return fail_node(walk, node, who_lacks, "it has no SPF record");
    node->record = facts_shown(&walk->facts->arena, text);
    if (count > 1)
        return fail_node(walk, node, who_is_bad, "it has several SPF records");
    struct frame inner = { frame, node->target, node, frame->is_own && is_redirect,
                           frame->depth + 1 };
    if (!walk_record(walk, &inner, text))
        fail_node(walk, node, who_is_bad, node->error);
}

/* ---- terms ---- */

static bool has_include(const struct spf_node *node, const char *target)
{
    for (const struct spf_node *child = node->child; child; child = child->next)
        if ((strcmp(child->type, "include") == 0 && child->target &&
             strcasecmp(child->target, target) == 0) ||
            has_include(child, target))
            return true;
    return false;
}

/* The name of a term; NULL: it depends on the mail, or it is too long. */
static const char *target_of(struct walk *walk, const struct frame *frame,
                             const struct spf_term *term)
{
    scoped(buf_free) struct buf name = BUF(4 * DNS_NAME_BYTES);
    if (term->spec.size == 0)
        return frame->domain;
    if (!spf_expand(term->spec, frame->domain, NULL, &name))
        return NULL;
    return arena_copy(&walk->facts->arena, buf_text(&name));
}

static void look_up_term(struct walk *walk, const struct frame *frame, const struct spf_term *term)
{
    struct spf_facts *spf = walk->spf;
    spf->lookups++;
    spf->has_ptr |= term->kind == SPF_PTR;
    struct spf_node *node = add_node(
        walk, frame->node, facts_shown(&walk->facts->arena, term->text), spf_kind_name(term->kind));
    if (!node)
        return;
    const char *target = target_of(walk, frame, term);
    node->lookups = 1;
    if (!target) {
        node->depends_on_mail = true;
        spf->has_macro = true;
        return;
    }
    if (term->kind == SPF_INCLUDE && has_include(spf->tree, target))
        spf->has_duplicate_includes = true;
    node->target = target;
    if (term->kind == SPF_INCLUDE || term->kind == SPF_REDIRECT)
        node->vendor = mail_providers_find(walk->subject->providers, MAIL_SPF, target);
    if (term->kind == SPF_INCLUDE || term->kind == SPF_REDIRECT)
        follow_record(walk, frame, node, term->kind);
    else if (term->kind == SPF_EXISTS)
        check_exists(walk, node, target);
    else if (term->kind == SPF_A)
        spf->has_unused |= !check_addresses(walk, node, target) && frame->is_own;
    else if (term->kind == SPF_MX)
        spf->has_unused |= !check_mx(walk, node, target) && frame->is_own;
}

/* Receivers look up the explanation only for rejected mail, so it does not count as one of the ten
 * lookups. */
static void check_explanation(struct walk *walk, const struct frame *frame,
                              const struct spf_term *term)
{
    const char *target = target_of(walk, frame, term);
    if (!target || !frame->is_own)
        return;
    const struct lookup *answer = query_name(walk, target, DNS_TXT);
    if (answer && (lookup_is_void(answer) || answer->count > 1))
        walk->spf->has_no_explanation = true;
}

static void note_own_terms(struct walk *walk, const struct spf_record *record, size_t end)
{
    struct spf_facts *spf = walk->spf;
    for (size_t i = 0; i < record->count; i++) {
        const struct spf_term *term = &record->term[i];
        spf->has_unknown_modifier |= term->kind == SPF_UNKNOWN_MODIFIER;
        spf->has_terms_after_all |= i > end && term->kind < SPF_REDIRECT;
        spf->ignores_redirect |= term->kind == SPF_REDIRECT && end < record->count;
    }
}

static int by_text(const void *a, const void *b)
{
    const struct spf_term *left = *(const struct spf_term *const *)a;
    const struct spf_term *right = *(const struct spf_term *const *)b;
    int order =
        strncasecmp(left->text.bytes, right->text.bytes, MIN(left->text.size, right->text.size));
    if (order != 0)
        return order;
    return left->text.size < right->text.size ? -1 : left->text.size > right->text.size;
}

static bool has_duplicates(const struct spf_record *record)
{
    scoped(mem_free) const struct spf_term **order = mem_array(record->count + 1, sizeof(*order));
    for (size_t i = 0; i < record->count; i++)
        order[i] = &record->term[i];
    qsort(order, record->count, sizeof(*order), by_text);
    for (size_t i = 1; i < record->count; i++)
        if (by_text(&order[i - 1], &order[i]) == 0)
            return true;
    return false;
}

/* Index of the first `all`, or the number of terms. */
static size_t find_all(const struct spf_record *record)
{
    size_t i = 0;
    while (i < record->count && record->term[i].kind != SPF_ALL)
        i++;
    return i;
}

static void walk_terms(struct walk *walk, const struct frame *frame,
                       const struct spf_record *record)
{
    size_t end = find_all(record);
    const struct spf_term *redirect = NULL;
    if (frame->is_own) {
        note_own_terms(walk, record, end);
        walk->spf->all = end < record->count ? record->term[end].qualifier : '\0';
    }
    for (size_t i = 0; i < record->count; i++) {
        const struct spf_term *term = &record->term[i];
        if (term->kind == SPF_REDIRECT)
            redirect = term;
        else if (term->kind == SPF_EXP)
            check_explanation(walk, frame, term);
        else if (i < end && (term->kind == SPF_IP4 || term->kind == SPF_IP6))
            add_network(walk, frame, term);
        else if (i < end && spf_kind_looks_up(term->kind))
            look_up_term(walk, frame, term);
    }
    if (redirect && end == record->count)
        look_up_term(walk, frame, redirect);
}

/* Returns false and sets the node's error if the syntax is invalid. */
static bool walk_record(struct walk *walk, const struct frame *frame, struct text text)
{
    struct spf_record record;
    struct spf_error error;
    if (!spf_read(text, &record, &error)) {
        const char *term = facts_shown(&walk->facts->arena, error.term);
        frame->node->error =
            facts_format(&walk->facts->arena, "its term \"%.200s\" %s", term, error.why);
        if (frame->outer)
            return false;
        walk->spf->error = error.why;
        walk->spf->error_term = term;
        walk->spf->error_position = error.position;
        return false;
    }
    walk_terms(walk, frame, &record);
    if (frame->is_own)
        walk->spf->has_duplicate_terms |= has_duplicates(&record);
    spf_record_free(&record);
    return true;
}

/* ---- totals ---- */

static unsigned sum_lookups(struct spf_node *node)
{
    node->subtree_lookups = node->lookups;
    for (struct spf_node *child = node->child; child; child = child->next)
        node->subtree_lookups += sum_lookups(child);
    return node->subtree_lookups;
}

static void note_other_texts(struct walk *walk, const struct lookup *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        struct text text = facts_text(walk->facts, answer, i);
        enum near_record near =
            spf_is_record(text) ? NEAR_NOTHING : near_record_of(text, "v=spf1", ' ');
        walk->spf->has_sender_id |= text_begins_any_case(text, "spf2.0/");
        walk->spf->has_leading_space |= near == NEAR_AFTER_BLANKS;
        walk->spf->is_quoted |= near == NEAR_QUOTED;
        walk->spf->is_glued |= near == NEAR_GLUED;
    }
}

static void walk_own_record(struct walk *walk, struct text text)
{
    struct spf_facts *spf = walk->spf;
    spf->record = facts_shown(&walk->facts->arena, text);
    spf->length = text.size;
    spf->is_upper_case = !text_begins(text, "v=spf1");
    spf->tree = add_node(walk, NULL, "v=spf1", "record");
    spf->tree->target = walk->subject->domain;
    spf->tree->record = spf->record;
    if (spf->candidates > 1) {
        spf->result = SPF_RESULT_PERMERROR;
        return;
    }
    struct frame frame = { NULL, walk->subject->domain, spf->tree, true, 0 };
    spf->result = SPF_RESULT_VALID;
    if (!walk_record(walk, &frame, text))
        spf->result = SPF_RESULT_PERMERROR;
    sum_lookups(spf->tree);
    spf->ipv4_addresses = count_addresses(spf);
}

void collect_spf(const struct subject *subject, struct lookups *lookups, struct facts *facts)
{
    struct spf_facts *spf = &facts->spf;
    struct walk walk = { subject, lookups, facts, spf };
    const struct lookup *answer = lookup_known(lookups, subject->domain, DNS_TXT);
    struct text text;
    spf->status = answer->status;
    spf->widest4 = IPV4_BITS;
    spf->widest6 = IPV6_BITS;
    spf->result = lookup_is_temporary(answer) ? SPF_RESULT_TEMPERROR : SPF_RESULT_NONE;
    note_other_texts(&walk, answer);
    spf->candidates = find_record(&walk, answer, &text);
    if (spf->candidates > 0)
        walk_own_record(&walk, text);
}
