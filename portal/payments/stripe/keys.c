/* portal/payments/stripe/keys.c - see keys.h. */
#include "portal/payments/stripe/keys.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "portal/payments/stripe/signature.h"

#define SECRET_FILE "payments.stripe_webhook_secret_file"

/* The contents of the files. A reload replaces all of it. */
struct files {
    char key[STRIPE_KEY_BYTES];
    bool is_live;
    char *lines; /* secrets points into it */
    struct signing_secrets secrets;
};

struct stripe_keys {
    bool is_live;          /* as at start: a reload keeps the mode */
    pthread_rwlock_t lock; /* guards files */
    struct files files;
};

static void wipe_files(struct files *files)
{
    if (files->lines)
        explicit_bzero(files->lines, strlen(files->lines));
    mem_free(&files->lines);
    explicit_bzero(files, sizeof(*files));
}

/* ---- reading ---- */

static bool set_key(const char *text, struct files *files, struct err *err)
{
    if (!stripe_key_mode(text_of(text), &files->is_live))
        return err_set(err, ERR_INVALID_VALUE,
                       STRIPE_KEY_FILE ": must be one line that begins with rk_live_, rk_test_, "
                                       "sk_live_ or sk_test_");
    snprintf(files->key, sizeof(files->key), "%s", text);
    return true;
}

static bool read_key(const struct conf *conf, struct files *files, struct err *err)
{
    char *text = NULL;
    if (!conf_secret(conf, STRIPE_KEY_FILE, &text, err))
        return false;
    bool ok = set_key(text, files, err);
    explicit_bzero(text, strlen(text));
    mem_free(&text);
    return ok;
}

static bool read_secrets(const struct conf *conf, struct files *files, struct err *err)
{
    struct err why = { 0 };
    return conf_secret(conf, SECRET_FILE, &files->lines, err) &&
           (signing_secrets_read(text_of(files->lines), &files->secrets, &why) ||
            err_set(err, ERR_INVALID_VALUE, SECRET_FILE ": %s", why.message));
}

static bool read_files(const struct conf *conf, struct files *files, struct err *err)
{
    return read_key(conf, files, err) && read_secrets(conf, files, err);
}

/* A base URL: paths are appended to it. */
static bool check_url(const struct conf *conf, const char *key, struct err *err)
{
    struct text url = text_of(conf_str(conf, key));
    return (text_begins(url, "https://") && url.size > strlen("https://") &&
            url.bytes[url.size - 1] != '/' && !strpbrk(url.bytes, "?# \"<>\\")) ||
           err_set(err, ERR_INVALID_VALUE, "%s must begin with https:// and end without a slash",
                   key);
}

/* ---- start, reload, end ---- */

void stripe_keys_free(struct stripe_keys **keys)
{
    if (!*keys)
        return;
    wipe_files(&(*keys)->files);
    pthread_rwlock_destroy(&(*keys)->lock);
    mem_free(keys);
}

bool stripe_keys_load(const struct conf *conf, struct stripe_keys **made, struct err *err)
{
    scoped(stripe_keys_free) struct stripe_keys *keys = mem_new(sizeof(*keys));
    pthread_rwlock_init(&keys->lock, NULL);
    if (!check_url(conf, "payments.stripe_url", err) ||
        !check_url(conf, "payments.stripe_checkout_origin", err) ||
        !read_files(conf, &keys->files, err))
        return false;
    keys->is_live = keys->files.is_live;
    *made = take(keys);
    return true;
}

bool stripe_keys_reload(struct stripe_keys *keys, const struct conf *conf, struct err *err)
{
    scoped(wipe_files) struct files files = { 0 };
    if (!read_files(conf, &files, err))
        return false;
    if (files.is_live != keys->is_live)
        return err_set(err, ERR_INVALID_VALUE,
                       STRIPE_KEY_FILE ": to change between live and test keys, restart");
    pthread_rwlock_wrlock(&keys->lock);
    struct files old = keys->files;
    keys->files = files;
    pthread_rwlock_unlock(&keys->lock);
    files = old;
    return true;
}

/* ---- use ---- */

bool stripe_keys_are_live(const struct stripe_keys *keys)
{
    return keys->is_live;
}

void stripe_key(struct stripe_keys *keys, char key[static STRIPE_KEY_BYTES])
{
    pthread_rwlock_rdlock(&keys->lock);
    memcpy(key, keys->files.key, STRIPE_KEY_BYTES);
    pthread_rwlock_unlock(&keys->lock);
}

bool stripe_check_signature(struct stripe_keys *keys, const char *header, struct text body,
                            int64_t now_s, struct err *err)
{
    pthread_rwlock_rdlock(&keys->lock);
    bool ok = signature_check(header, body, &keys->files.secrets, now_s, err);
    pthread_rwlock_unlock(&keys->lock);
    return ok;
}
