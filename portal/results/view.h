/*
 * portal/results/view.h - the result of a tool as people read it: images, pairs of name and value,
 * a table for each list of objects, and texts with their lines. Pages show the JSON next to it,
 * which has everything.
 *
 * A result has texts of other sites, so all of it is untrusted. It becomes text only. Images are
 * those that the tool makes: of properties with `contentMediaType`, or `agent: image`, and of a
 * type that browsers show without scripts.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "svc/contract.h"

enum {
    VIEW_PAGE_BYTES = 6 << 20, /* a view in a page is smaller, without its images */
};

/*
 * Add `view` to a model, for pages/results/view.html: {images: [{src, alt}], sections: [{heading,
 * label, pairs: [{name, value}], lines, columns: [{name}], rows: [{cells: [{name, value}]}],
 * more_rows}], is_cut}. What is too long is cut. An empty
 * result has no view.
 */
void result_view_add(const struct contract *contract, const cJSON *result, cJSON *model);
