/*
 * svc-email/records/near-record.h - TXT records that receivers ignore because of how they begin.
 */
#pragma once

#include "base/text.h"

enum near_record {
    NEAR_NOTHING,
    NEAR_AFTER_BLANKS, /* white space in front */
    NEAR_QUOTED,       /* quotation marks in front, straight or typographic */
    NEAR_GLUED,        /* no separator after the version: v=spf1include:…, v=DMARC1 p=none */
};

/*
 * What keeps a text from being a record of this version, "v=spf1" or "v=DMARC1", whose case is
 * ignored, and which the separator must follow, or the end. A higher version, such as v=spf10, is
 * another kind of record: NEAR_NOTHING. So is a record itself.
 */
enum near_record near_record_of(struct text text, const char *version, char separator);
