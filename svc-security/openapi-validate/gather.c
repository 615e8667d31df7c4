/* svc-security/openapi-validate/gather.c - fetch in rounds: each round gets the documents that the
 * previous round references. */
#include "gather.h"

#include "base/mem.h"
#include "base/num.h"
#include "openapi-validate/check/fields.h"

const char *const document_headers[] = {
    "Accept: application/json, application/yaml, text/yaml, */*;q=0.8", NULL
};

void gathering_free(struct gathering **gathering)
{
    for (size_t i = 0; *gathering && i < LIBRARY_MAX; i++)
        if ((*gathering)->item[i].ok)
            fetch_free(&(*gathering)->item[i].fetch);
    mem_free(gathering);
}

bool reserve_trees(const struct job *job, size_t text_bytes, struct reservation *reservation,
                   struct err *err)
{
    size_t bytes = MIN(text_bytes * TREE_BYTES_PER_BYTE, (size_t)WORK_ROOM_BYTES);
    return memory_budget_reserve(egress_work_budget(job->egress), bytes, job->deadline_ms,
                                 reservation, err);
}

/* ---- one document ---- */

static void set_missing_reason(struct library_entry *entry, const struct fetch *fetch)
{
    int status = fetch_last(fetch)->status;
    if (status < 200 || status > 299)
        library_set_missing(entry, true, "the server returned status %d", status);
    else if (fetch->end == FETCH_CUT)
        library_set_missing(entry, false, "it is larger than 2 MiB");
    else if (fetch->end != FETCH_WHOLE)
        library_set_missing(entry, true, "the server closed the connection early");
}

/* Store the text of a document, within the limit of all texts. */
static void store_text(struct library *library, struct library_entry *entry,
                       const struct fetch_item *item)
{
    size_t bytes = 0;
    for (size_t i = 0; i < library->count; i++)
        bytes += library->entry[i].text.size;
    if (!item->is_begun)
        library_set_missing(entry, false, "time ran out");
    else if (!item->ok)
        library_set_missing(entry, true, "%s", item->err.message);
    else if (bytes + item->fetch.body.size > LIBRARY_BYTES_MAX)
        library_set_missing(entry, false, "all documents together exceed 8 MiB");
    else
        set_missing_reason(entry, &item->fetch);
    if (!entry->why[0])
        entry->text = buf_text(&item->fetch.body);
}

/* Parse a document only to find its references. */
static bool find_references(const struct job *job, struct library *library, size_t number,
                            struct err *err)
{
    scoped(reservation_free) struct reservation reservation = { 0 };
    scoped(document_free) struct document document = { 0 };
    if (!reserve_trees(job, library->entry[number].text.size, &reservation, err))
        return false;
    if (!library_peek(library, number, &document))
        return true;
    if (number == 0)
        library->has_ids = (version_of(document.root) & V31_UP) != 0;
    library_want(library, document.root);
    return true;
}

/* ---- rounds ---- */

static void fetch_round(struct egress_session *session, struct library *library,
                        struct fetch_item *items, size_t from)
{
    enum { DOCUMENT_MS = 5000 };
    static const struct fetch_options options = {
        .headers = document_headers,
        .max_wire_bytes = LIBRARY_ENTRY_BYTES_MAX,
        .max_body_bytes = LIBRARY_ENTRY_BYTES_MAX,
        .reuses_connections = true,
    };
    const struct fetch_plan plan = { .at_once = 4 };
    for (size_t i = from; i < library->count; i++)
        items[i] = (struct fetch_item){ .target = &library->entry[i].target,
                                        .options = &options,
                                        .limit_ms = DOCUMENT_MS };
    fetch_all(session, items + from, library->count - from, &plan);
    for (size_t i = from; i < library->count; i++)
        store_text(library, &library->entry[i], &items[i]);
}

bool gather_documents(const struct job *job, struct egress_session *session,
                      struct library *library, struct gathering **gathering, struct err *err)
{
    *gathering = mem_new(sizeof(**gathering));
    if (!find_references(job, library, 0, err))
        return false;
    for (size_t from = 1, to; from < library->count; from = to) {
        to = library->count;
        fetch_round(session, library, (*gathering)->item, from);
        for (size_t i = from; i < to; i++)
            if (!library->entry[i].why[0] && !find_references(job, library, i, err))
                return false;
    }
    return true;
}
