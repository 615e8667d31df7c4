/* tests/fuzz/svc-ai/picture.c - any bytes as a picture: within its bounds, or
 * none. */
#include "facts/picture.h"

#include <assert.h>

#include "../target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct picture picture;
    struct err err = { 0 };
    if (!picture_read((struct text){ (const char *)bytes, size }, &picture, &err)) {
        assert(err_status(err.kind) == 400);
        return 0;
    }
    assert(picture.format && picture.mime);
    assert(picture.width >= 1 && picture.width <= PICTURE_SIDE_MAX);
    assert(picture.height >= 1 && picture.height <= PICTURE_SIDE_MAX);
    return 0;
}
