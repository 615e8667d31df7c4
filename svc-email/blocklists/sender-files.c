/* svc-email/blocklists/sender-files.c - mail providers and blocklists, loaded together. */
#include "blocklists/sender-files.h"

#include "base/mem.h"

static void free_files(void *address_of_pointer)
{
    struct sender_files **address = address_of_pointer;
    struct sender_files *files = *address;
    if (!files)
        return;
    mail_providers_free(&files->providers);
    dnsbls_free(&files->lists);
    mem_free(address);
}

static bool load_files(const struct conf *conf, const char *folder, void **content, struct err *err)
{
    scoped(mem_free) char *providers = str_format("%s/senders/mail-providers.yaml", folder);
    scoped(free_files) struct sender_files *files = mem_new(sizeof(*files));
    if (!mail_providers_load(providers, &files->providers, err) ||
        !dnsbls_load(conf, folder, &files->lists, err))
        return false;
    *content = take(files);
    return true;
}

const struct data_kind sender_files_data = {
    .name = "senders",
    .load_configured = load_files,
    .free = free_files,
};
