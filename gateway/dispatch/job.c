/* gateway/dispatch/job.c - the end of a reply. */
#include "gateway/dispatch/job.h"

#include "base/mem.h"

void dispatch_reply_free(struct dispatch_reply *reply)
{
    wire_reply_free(&reply->header);
    mem_free(&reply->body);
}
