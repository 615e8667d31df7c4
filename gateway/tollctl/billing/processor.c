/* gateway/tollctl/billing/processor.c - see processor.h. */
#include "gateway/tollctl/billing/processor.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/os/file.h"
#include "net/egress.h"

#define KEY_FILE "payments.stripe_key_file"

enum { KEY_MAX_BYTES = 4096 };

void processor_close(struct processor *processor)
{
    stripe_client_wipe(&processor->client);
    egress_close(&processor->egress);
}

static bool set_key(struct text key, const char *path, struct processor *processor, struct err *err)
{
    struct stripe_client *client = &processor->client;
    if (!stripe_key_mode(key, &processor->is_live))
        return err_set(err, ERR_INVALID_VALUE,
                       "%s must be one line that begins with rk_live_, rk_test_, sk_live_ or "
                       "sk_test_",
                       path);
    snprintf(client->key, sizeof(client->key), "%.*s", (int)key.size, key.bytes);
    return true;
}

static bool read_key(struct tollctl *ctl, struct processor *processor, struct err *err)
{
    struct buf content = BUF(KEY_MAX_BYTES);
    const char *path = args_text(&ctl->args, "--key-file");
    ctl->status = EX_USAGE;
    if (!path)
        path = conf_str(ctl->conf, KEY_FILE);
    if (!path[0])
        return err_set(err, ERR_INVALID_VALUE, "no key: give --key-file FILE, or set " KEY_FILE);
    ctl->status = EX_CONFIG;
    bool ok = file_read(path, &content, err) &&
              set_key(text_trim(buf_text(&content)), path, processor, err);
    if (content.bytes)
        explicit_bzero(content.bytes, content.size);
    buf_free(&content);
    return ok;
}

bool processor_open(struct tollctl *ctl, struct processor *processor, struct err *err)
{
    int status = ctl->status;
    if (!read_key(ctl, processor, err) || !egress_open(ctl->conf, &processor->egress, err))
        return false;
    processor->client.egress = processor->egress;
    processor->client.url = conf_str(ctl->conf, "payments.stripe_url");
    ctl->status = status;
    return true;
}
