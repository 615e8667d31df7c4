/* tests/fuzz/same-pairs.h - a query with its pairs in the reverse order, which must mean the same.
 */
#pragma once

#include "base/buf.h"

static inline void pairs_reverse(struct text query, struct buf *out)
{
    size_t end = query.size;
    for (size_t at = query.size; at-- > 0;) {
        if (query.bytes[at] != '&')
            continue;
        buf_add(out, query.bytes + at + 1, end - at - 1);
        buf_add_byte(out, '&');
        end = at;
    }
    buf_add(out, query.bytes, end);
}
