/*
 * gateway/mcp/progress.h - progress of a long tools/call, as events of one response.
 *
 * Hosts stop waiting after a minute, unless they hear of progress. A call is streamed if the client
 * accepts text/event-stream and sent a progressToken, the tool may take 20 s, and mcp.progress_ms
 * have passed: then all rejections are over, and only the tool is waited for. Each mcp.progress_ms
 * an event has the seconds so far, of the tool's budget. The last event is the response.
 */
#pragma once

#include "gateway/mcp/answer.h"

/* Stream this call, if the client wants to. Call it before call_buy(). */
void progress_offer(struct mcp *mcp);

/* The response is complete: if the stream has begun, make it the last event. */
void progress_end(struct mcp *mcp);
