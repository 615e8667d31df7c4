/*
 * svc-chat/main.c - the worker of the chat-platform tools: pure functions of the platform's
 * published rules. It never connects to the platform.
 */
#include "base/scoped.h"
#include "svc/svc.h"
#include "tools.h"

static const struct tool tools[] = { TOOL_ROWS };

int main(int argc, char **argv)
{
    return svc_main(argc, argv, "chat", tools, countof(tools));
}
