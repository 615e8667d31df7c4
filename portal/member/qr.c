/* portal/member/qr.c - see qr.h. Dark modules are one path. portal.css makes it dark on light in
 * both color schemes. */
#include "portal/member/qr.h"

#include <qrencode.h>

enum { QUIET_MODULES = 4 /* ISO/IEC 18004 section 6.3.8 */ };

/* Each run of dark modules in a row is one rectangle of the path. */
static void draw_row(const QRcode *code, int y, struct buf *svg)
{
    const unsigned char *row = code->data + (size_t)y * (size_t)code->width;
    for (int x = 0; x < code->width; x++) {
        int first = x;
        while (x < code->width && row[x] & 1)
            x++;
        if (x > first)
            buf_format(svg, "M%d %dh%dv1h-%dz", first + QUIET_MODULES, y + QUIET_MODULES, x - first,
                       x - first);
    }
}

bool qr_svg(const char *text, const char *label, struct buf *svg)
{
    QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
    if (!code)
        return false;
    int side = code->width + 2 * QUIET_MODULES;
    buf_format(svg,
               "<svg class=\"qr\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\""
               " shape-rendering=\"crispEdges\"><path d=\"",
               label, side, side);
    for (int y = 0; y < code->width; y++)
        draw_row(code, y, svg);
    buf_add_str(svg, "\"/></svg>");
    QRcode_free(code);
    return !svg->full;
}
