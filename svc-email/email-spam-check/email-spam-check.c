/* svc-email/email-spam-check/email-spam-check.c - score a message as spam filters may, by rules,
 * with advice. */
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/table.h"
#include "email-spam-check/check.h"
#include "svc/args.h"
#include "tools.h"

enum { CONTENT_MAX_CHARS = 60000 }; /* of body and html together */

static bool load_knowledge(const struct conf *conf, const char *folder, void **content,
                           struct err *err)
{
    struct spam_knowledge *knowledge;
    if (!spam_knowledge_load(folder, conf_str(conf, "data.psl_file"), &knowledge, err))
        return false;
    *content = knowledge;
    return true;
}

const struct data_kind spam_data = {
    .name = "spam phrases",
    .free = spam_knowledge_free,
    .load_configured = load_knowledge,
};

static int format_of(const char *name)
{
    static const struct {
        const char *name;
        int format;
    } formats[] = {
        { "auto", -1 },
        { "text", INPUT_TEXT },
        { "html", INPUT_HTML },
        { "raw", INPUT_RAW },
    };
    return TABLE_FIND(formats, name)->format;
}

static bool check_size(const struct spam_input *input, struct err *err)
{
    size_t chars = utf8_length(input->body) + utf8_length(input->html);
    if (chars <= CONTENT_MAX_CHARS)
        return true;
    return err_set(err, ERR_TOO_LONG,
                   "body and html together must have at most %d characters; they have %zu",
                   CONTENT_MAX_CHARS, chars);
}

bool email_spam_check(const struct job *job, cJSON *result, struct err *err)
{
    struct spam_input input = {
        .subject = arg_text(job, "subject"),
        .body = arg_text(job, "body"),
        .html = arg_text(job, "html"),
        .from = arg_text(job, "from"),
        .reply_to = arg_text(job, "reply_to"),
        .has_html = text_trim(arg_text(job, "html")).size > 0,
        .format = format_of(arg_str(job, "format")),
    };
    if (text_trim(input.subject).size == 0 && text_trim(input.body).size == 0 && !input.has_html)
        return err_set(err, ERR_MISSING_FIELD, "subject or body must not be blank");
    if (!check_size(&input, err))
        return false;
    struct spam_check *check = mem_new(sizeof(*check));
    spam_check_read(&input, job->data, check);
    spam_check_report(check, result);
    spam_check_free(check);
    mem_free(&check);
    return true;
}
