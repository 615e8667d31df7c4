/* svc-email/email-header-analyzer/email-header-analyzer.c - analyze a message's route by its
 * header; makes no lookups. */
#include "email-header-analyzer/analysis.h"
#include "svc/args.h"
#include "tools.h"

static bool load_senders(const struct conf *conf, const char *folder, void **content,
                         struct err *err)
{
    struct senders *senders;
    if (!senders_load(folder, conf_str(conf, "data.psl_file"), &senders, err))
        return false;
    *content = senders;
    return true;
}

const struct data_kind senders_data = {
    .name = "senders",
    .free = senders_free,
    .load_configured = load_senders,
};

bool email_header_analyzer(const struct job *job, cJSON *result, struct err *err)
{
    struct text headers = arg_text(job, "headers");
    scoped(analysis_free) struct analysis analysis;

    if (text_trim(headers).size == 0) {
        analysis = (struct analysis){ 0 };
        return err_set(err, ERR_TOO_SHORT, "headers must not be blank");
    }
    analysis_read(headers, job->data, job->now_ms, &analysis);
    if (analysis.fields.count == 0)
        return err_set(err, ERR_NO_HEADERS_FOUND,
                       "headers must have at least one header field, such as Subject: hello");
    analysis_report(&analysis, result);
    return true;
}
