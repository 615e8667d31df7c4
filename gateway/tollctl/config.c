/* gateway/tollctl/config.c - prints a sample tollgate.yaml. */
#include <stdio.h>

#include "base/mem.h"
#include "gateway/tollctl/tollctl.h"

enum { SAMPLE_MAX_BYTES = 64 << 10 };

static bool config_sample(struct tollctl *ctl, cJSON *answer, struct err *err)
{
    scoped(buf_free) struct buf sample = BUF(SAMPLE_MAX_BYTES);
    if (!conf_describe(&sample))
        return err_set(err, ERR_INTERNAL, "the sample is larger than %d bytes", SAMPLE_MAX_BYTES);
    if (ctl->is_json)
        json_str(answer, "sample", buf_str(&sample));
    else
        fputs(buf_str(&sample), stdout);
    ctl->is_silent = !ctl->is_json;
    return true;
}

/* clang-format off */
const struct command config_commands[] = {
    { "config sample", "Print a sample tollgate.yaml with the meaning and default of every key.",
      config_sample, true, { { 0 } } },
    { 0 },
};
/* clang-format on */
