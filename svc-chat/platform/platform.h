/* svc-chat/platform/platform.h - facts about the chat platform that several tools use. */
#pragma once

/*
 * The date on which the tables of this folder (*.def) were last checked against the platform's
 * developer documentation and OpenAPI description. Change it together with them.
 */
#define PLATFORM_DATA_REVISION "2026-08-06"

/* Roles of a guild, and so of a member. */
enum { PLATFORM_ROLES_MAX = 250 };
