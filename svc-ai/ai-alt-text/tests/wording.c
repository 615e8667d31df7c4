/* svc-ai/ai-alt-text/tests/wording.c - the form of alternative texts. */
#include "ai-alt-text/wording.h"

#include "rows.h"

static const struct row {
    const char *name; /* the model's text */
    const char *want;
} rows[] = {
    { "A loaf of bread on a table", "A loaf of bread on a table" },
    { "Image of a loaf", "A loaf" },
    { "An image of a loaf", "A loaf" },
    { "a photo of a loaf", "a loaf" },
    { "The picture showing a loaf", "A loaf" },
    { "Image: a photo of a loaf", "A loaf" },
    { "Alt text: \"a loaf\"", "A loaf\"" },
    { "Ein Bild von einem Brot", "Einem Brot" },
    { "Une photo d'un pain", "Un pain" },
    { "Imagen de un pan", "Un pan" },
    { "Foto di un pane", "Un pane" },
    { "Фото хлеба", "Хлеба" },
    { "Images of bread are popular", "Images of bread are popular" },
    { "Photographer at work", "Photographer at work" },
    { "bread.png A loaf IMG_2031.JPG", "A loaf" },
    { "A loaf. It is brown.", "A loaf." },
    { "Dr. Smith bakes bread", "Dr. Smith bakes bread" },
    { "A sign says Open! People wait.", "A sign says Open!" },
    { "パンです。茶色です。", "パンです。" },
    { "A loaf…", "A loaf" },
    { "A loaf...", "A loaf" },
    { "A loaf.", "A loaf." },
    { "A\nloaf\tof <b>bread</b>", "A loaf of bread" },
    { "<script>alert(1)</script>", "" },
    { "image.png", "" },
    { "", "" },
    { "A long brown loaf of bread on a wooden table in a kitchen",
      "A long brown loaf of bread on a wooden" },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf out = BUF(1 << 10);
    wording_alt(text_of(row->name), 40, &out);
    assert_string_equal(buf_str(&out), row->want);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
