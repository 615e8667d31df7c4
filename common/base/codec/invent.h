/* common/base/codec/invent.h - random names that do not exist, for requests about unknown names. */
#pragma once

enum { INVENTED_BYTES = 17 };

/* 16 random hexadecimal digits and a NUL. */
void invent_digits(char out[static INVENTED_BYTES]);
