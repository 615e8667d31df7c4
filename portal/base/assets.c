/* portal/base/assets.c - see assets.h. */
#include "portal/base/assets.h"

#include <dirent.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/table.h"

enum { ASSETS_MAX = 32, ASSET_MAX_BYTES = 1 << 20, HASH_BYTES = 8 };

static const struct suffix {
    const char *name;
    const char *type;
} suffixes[] = {
    { "css", "text/css; charset=utf-8" },
    { "js", "text/javascript; charset=utf-8" },
    { "svg", "image/svg+xml" },
    { "png", "image/png" },
    { "ico", "image/x-icon" },
    { "txt", "text/plain; charset=utf-8" },
};

struct assets {
    size_t count;
    struct asset item[ASSETS_MAX];
};

static void free_asset(struct asset *asset)
{
    free((void *)(uintptr_t)asset->name);
    free((void *)(uintptr_t)asset->hashed);
    free((void *)(uintptr_t)asset->bytes.bytes);
}

void assets_free(struct assets **assets)
{
    for (size_t i = 0; *assets && i < (*assets)->count; i++)
        free_asset(&(*assets)->item[i]);
    mem_free(assets);
}

/* "portal.css" becomes "portal.0123456789abcdef.css": 64 bits of its SHA-256. */
static char *hashed_name(const char *name, const char *dot, struct text bytes)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char hex[2 * HASH_BYTES + 1];
    EVP_Digest(bytes.bytes, bytes.size, digest, NULL, EVP_sha256(), NULL);
    hex_encode(hex, digest, HASH_BYTES);
    return str_format("%.*s.%s%s", (int)(dot - name), name, hex, dot);
}

static bool add_file(struct assets *assets, const char *folder, const char *name, struct err *err)
{
    scoped(buf_free) struct buf content = BUF(ASSET_MAX_BYTES);
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    const char *dot = strrchr(name, '.');
    const struct suffix *suffix = dot ? TABLE_FIND(suffixes, dot + 1) : NULL;
    if (!suffix)
        return err_set(err, ERR_INVALID_VALUE, "%s: no content type is known for it", path);
    if (assets->count == ASSETS_MAX)
        return err_set(err, ERR_INVALID_VALUE, "%s: more than %d files", folder, ASSETS_MAX);
    if (!file_read(path, &content, err))
        return false;
    struct asset *asset = &assets->item[assets->count++];
    asset->name = str_dup(name);
    asset->hashed = hashed_name(name, dot, buf_text(&content));
    asset->type = suffix->type;
    asset->bytes.size = content.size;
    asset->bytes.bytes = buf_take(&content);
    return true;
}

static void close_folder(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

bool assets_load(const char *path, struct assets **made, struct err *err)
{
    scoped(assets_free) struct assets *assets = mem_new(sizeof(*assets));
    scoped(close_folder) DIR *folder = opendir(path);
    const struct dirent *entry;
    if (!folder)
        return err_set(err, ERR_INVALID_VALUE, "%s: cannot be read", path);
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.' && !add_file(assets, path, entry->d_name, err))
            return false;
    *made = take(assets);
    return true;
}

const struct asset *assets_find(const struct assets *assets, const char *name)
{
    for (size_t i = 0; i < assets->count; i++)
        if (strcmp(assets->item[i].name, name) == 0)
            return &assets->item[i];
    return NULL;
}

const struct asset *assets_find_hashed(const struct assets *assets, const char *hashed)
{
    for (size_t i = 0; i < assets->count; i++)
        if (strcmp(assets->item[i].hashed, hashed) == 0)
            return &assets->item[i];
    return NULL;
}
