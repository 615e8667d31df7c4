/* svc-email/email-header-analyzer/analysis.c - parse a message's header. */
#include "email-header-analyzer/analysis.h"

const char *analysis_show(struct analysis *analysis, struct text value)
{
    scoped(buf_free) struct buf out = BUF(DISPLAY_MAX_BYTES);
    words_decode(value, &out, &analysis->faults);
    return arena_copy(&analysis->arena, buf_text(&out));
}

static void read_sender(struct analysis *analysis)
{
    const struct fields *fields = &analysis->fields;
    struct arena *arena = &analysis->arena;
    analysis->from_count =
        mailboxes_read(fields_value(fields, "From"), arena, &analysis->from, &analysis->faults);
    mailboxes_read(fields_value(fields, "Reply-To"), arena, &analysis->reply_to, &analysis->faults);
    mailboxes_read(fields_value(fields, "Return-Path"), arena, &analysis->return_path,
                   &analysis->faults);
    analysis->date_fit = mail_date_read(fields_value(fields, "Date"), &analysis->date_s);
}

static void read_hops(struct analysis *analysis)
{
    const struct fields *fields = &analysis->fields;
    size_t count = fields_count(fields, "Received");
    analysis->hop = arena_get(&analysis->arena, (count + 1) * sizeof(*analysis->hop));
    analysis->hop_field = arena_get(&analysis->arena, (count + 1) * sizeof(*analysis->hop_field));
    for (size_t i = fields->count; i > 0; i--) {
        if (!text_is_any_case(fields->at[i - 1].name, "Received"))
            continue;
        analysis->hop_field[analysis->hop_count] = i - 1;
        received_read(fields->at[i - 1].value, &analysis->arena,
                      &analysis->hop[analysis->hop_count++]);
    }
}

static void read_authentication(struct analysis *analysis)
{
    struct auth_hops hops = { analysis->hop, analysis->hop_field, analysis->hop_count };
    authentication_read(&analysis->fields, &hops, analysis->from.domain, analysis->senders,
                        &analysis->arena, &analysis->auth);
}

void analysis_read(struct text headers, const struct senders *senders, int64_t now_ms,
                   struct analysis *analysis)
{
    *analysis = (struct analysis){ .senders = senders, .now_ms = now_ms };
    analysis->fields = fields_split(headers);
    read_sender(analysis);
    read_hops(analysis);
    read_authentication(analysis);
}

void analysis_free(struct analysis *analysis)
{
    fields_free(&analysis->fields);
    arena_free(&analysis->arena);
}

bool analysis_delay(const struct analysis *analysis, size_t hop, int64_t *seconds)
{
    const struct hop *this = &analysis->hop[hop];
    if (!mail_date_is_exact(this->date_fit))
        return false;
    for (size_t i = hop; i > 0; i--) {
        const struct hop *before = &analysis->hop[i - 1];
        if (!mail_date_is_exact(before->date_fit))
            continue;
        *seconds = this->date_s - before->date_s;
        return true;
    }
    return false;
}

bool analysis_span(const struct analysis *analysis, int64_t *first_s, int64_t *last_s)
{
    bool has_any = false;
    for (size_t i = 0; i < analysis->hop_count; i++) {
        if (!mail_date_is_exact(analysis->hop[i].date_fit))
            continue;
        if (!has_any)
            *first_s = analysis->hop[i].date_s;
        *last_s = analysis->hop[i].date_s;
        has_any = true;
    }
    return has_any;
}
