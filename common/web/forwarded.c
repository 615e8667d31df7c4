/* common/web/forwarded.c - see forwarded.h. */
#include "web/forwarded.h"

#include <string.h>

bool forwarded_read(const struct http_request *request, const struct cidrs *trusted,
                    struct forwarded *from, struct err *err)
{
    const char *address = http_header(request, "X-Forwarded-For");
    const char *scheme = http_header(request, "X-Forwarded-Proto");

    *from = (struct forwarded){ .address = request->peer };
    if (request->fault.kind != ERR_NONE)
        return err_set(err, request->fault.kind, "%s", request->fault.message);
    if (!cidrs_have(trusted, &request->peer))
        return true;
    if (!address || !scheme || !address_parse(text_of(address), &from->address) ||
        http_header_differs(request, "X-Forwarded-For") ||
        http_header_differs(request, "X-Forwarded-Proto"))
        return err_set(err, ERR_BAD_REQUEST,
                       "X-Forwarded-For and X-Forwarded-Proto are not those of the edge");
    from->is_https = strcmp(scheme, "https") == 0;
    return true;
}
