/* common/base/codec/invent.h - names that nobody has, to see what is said of those. */
#pragma once

enum { INVENTED_BYTES = 17 };

/* 16 random hexadecimal digits and a NUL. */
void invent_digits(char out[static INVENTED_BYTES]);
