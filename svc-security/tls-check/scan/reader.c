/* svc-security/tls-check/scan/reader.c - read numbers and vectors from untrusted bytes. */
#include "reader.h"

struct text read_bytes(struct reader *reader, size_t size)
{
    if (reader->is_short || size > reader->rest.size) {
        reader->is_short = true;
        reader->rest = (struct text){ 0 };
        return (struct text){ 0 };
    }
    struct text bytes = { reader->rest.bytes, size };
    if (size > 0) /* adding to NULL is undefined */
        reader->rest = text_skip(reader->rest, size);
    return bytes;
}

uint32_t read_number(struct reader *reader, unsigned bytes)
{
    struct text text = read_bytes(reader, bytes);
    uint32_t number = 0;
    for (size_t i = 0; i < text.size; i++)
        number = number << 8 | (unsigned char)text.bytes[i];
    return number;
}

struct text read_vector(struct reader *reader, unsigned length_bytes)
{
    return read_bytes(reader, read_number(reader, length_bytes));
}
