/* tests/fuzz/portal/links.c - any text as an emailed link: accepted only as it was made, for its
 * kind. The same bytes are also the id of a link, whose text is changed by one bit. */
#include "portal/base/links.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../target.h"
#include "base/mem.h"

/* Two lines: links of the older secret are valid, too. */
static const char lines[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
                            "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeffe0e1e2e3e4e5e6e7e8e9eaebecedeeef\n";

static struct secrets *load(void)
{
    char path[] = "/tmp/fuzz-links-XXXXXX";
    struct conf *conf = NULL;
    struct secrets *secrets = NULL;
    struct err err = { 0 };
    int fd = mkstemp(path);
    bool ok =
        sodium_init() >= 0 && fd >= 0 && write(fd, lines, strlen(lines)) == (ssize_t)strlen(lines);
    close(fd);
    setenv("TOLLGATE_PORTAL_SECRET_FILE", path, 1);
    ok = ok && conf_load(NULL, &conf, &err) && secrets_load(conf, &secrets, &err);
    unlink(path);
    conf_free(&conf);
    assert(ok);
    return secrets;
}

/* The number of kinds for which it is a link. */
static int count_kinds(struct secrets *secrets, const char *text, char id[static UUID_TEXT_BYTES])
{
    int count = 0;
    for (enum link_kind kind = LINK_SIGNUP; kind <= LINK_UNDO; kind++)
        count += link_read(secrets, kind, text, id);
    return count;
}

static void check_made(struct secrets *secrets, const uint8_t bytes[static UUID_BYTES + 2])
{
    char text[LINK_TEXT_BYTES];
    char made[UUID_TEXT_BYTES];
    char id[UUID_TEXT_BYTES];
    struct uuid uuid;
    enum link_kind kind = bytes[UUID_BYTES] % (LINK_UNDO + 1);
    size_t at = bytes[UUID_BYTES + 1] % (LINK_TEXT_BYTES - 1);
    memcpy(uuid.bytes, bytes, UUID_BYTES);
    uuid_format(made, &uuid);
    link_text(secrets, kind, made, text);
    bool is_link = link_read(secrets, kind, text, id);
    assert(is_link && strcmp(id, made) == 0 && count_kinds(secrets, text, id) == 1);
    text[at] ^= 1;
    assert(count_kinds(secrets, text, id) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct secrets *secrets;
    scoped(mem_free) char *text = mem_dup(bytes, size);
    char id[UUID_TEXT_BYTES];
    if (!secrets)
        secrets = load();
    int count = count_kinds(secrets, text, id);
    assert(count == 0 || (count == 1 && strlen(text) == LINK_TEXT_BYTES - 1));
    if (size >= UUID_BYTES + 2)
        check_made(secrets, bytes);
    return 0;
}
