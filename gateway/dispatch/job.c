/* gateway/dispatch/job.c - frees a reply. */
#include "gateway/dispatch/job.h"

void dispatch_reply_free(struct dispatch_reply *reply)
{
    wire_reply_free(&reply->header);
    buf_free(&reply->body);
    reservation_free(&reply->reservation);
}
