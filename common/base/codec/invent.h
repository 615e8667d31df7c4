/* common/base/codec/invent.h - names that nobody has, to see what is said of those. */
#ifndef BASE_CODEC_INVENT_H
#define BASE_CODEC_INVENT_H

enum { INVENTED_BYTES = 17 };

/* 16 random hexadecimal digits and a NUL. */
void invent_digits(char out[static INVENTED_BYTES]);

#endif
