/* svc-utils/token-counter/knowledge.c - loads all files, or none. */
#include "knowledge.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/file.h"
#include "tools.h"

enum { FILE_BYTES_MAX = 1 << 24 };

/* The families with a vocabulary file; tiktoken downloads files with these names. */
static const struct source {
    const char *family;
    const char *file;   /* the operator's, which comes first */
    const char *packed; /* ours */
    enum split split;
} sources[VOCABULARIES] = {
    { "o200k", "o200k_base.tiktoken", "o200k_base.tokens", SPLIT_O200K },
    { "cl100k", "cl100k_base.tiktoken", "cl100k_base.tokens", SPLIT_CL100K },
};

/* For other owners' models these tokenizers are only an approximation. */
static const char owner[] = "OpenAI";

const struct vocabulary *knowledge_vocabulary(const struct knowledge *knowledge,
                                              const struct model *model)
{
    const char *family = token_family_name(model->family);
    for (size_t i = 0; i < VOCABULARIES; i++)
        if (strcmp(sources[i].family, family) == 0 && strcmp(model->provider, owner) == 0)
            return knowledge->vocabularies[i];
    return NULL;
}

typedef bool read_vocabulary(struct text content, enum split split, struct vocabulary **vocabulary,
                             struct err *err);

/* Without this file, *vocabulary stays NULL. */
static bool load_file(const char *folder, const char *name, read_vocabulary *read, enum split split,
                      struct vocabulary **vocabulary, struct err *err)
{
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    scoped(buf_free) struct buf content = BUF(FILE_BYTES_MAX);
    struct err why = { 0 };

    if (access(path, F_OK) != 0)
        return true;
    if (!file_read(path, &content, err))
        return false;
    if (!read(buf_text(&content), split, vocabulary, &why))
        return err_set(err, ERR_INVALID_VALUE, "%s: %s", path, why.message);
    return true;
}

static bool load_vocabulary(const char *folder, const struct source *source,
                            struct vocabulary **vocabulary, struct err *err)
{
    return load_file(folder, source->file, vocabulary_read, source->split, vocabulary, err) &&
           (*vocabulary || load_file(folder, source->packed, vocabulary_read_packed, source->split,
                                     vocabulary, err));
}

static void free_content(void *address_of_pointer)
{
    struct knowledge **address = address_of_pointer;
    if (!*address)
        return;
    models_free(&(*address)->models);
    for (size_t i = 0; i < VOCABULARIES; i++)
        vocabulary_free(&(*address)->vocabularies[i]);
    mem_free(address);
}

static bool load_knowledge(const char *folder, void **content, struct err *err)
{
    scoped(mem_free) char *own = str_format("%s/token-counter", folder);
    scoped(free_content) struct knowledge *knowledge = mem_new(sizeof(*knowledge));
    if (!models_load(own, &knowledge->models, err))
        return false;
    for (size_t i = 0; i < VOCABULARIES; i++)
        if (!load_vocabulary(own, &sources[i], &knowledge->vocabularies[i], err))
            return false;
    *content = take(knowledge);
    return true;
}

/* its content is a struct knowledge */
const struct data_kind token_knowledge = { "models and vocabularies", load_knowledge,
                                           free_content };
