/* svc-chat/platform/platform.h - facts of the chat platform that several tools need. */
#pragma once

/* The day on which the tables of this folder (*.def) were last checked against the platform's
 * developer documentation and OpenAPI description; changes together with them. */
#define PLATFORM_DATA_REVISION "2026-08-06"

/* Guild roles, and so roles of a member. */
enum { PLATFORM_ROLES_MAX = 250 };
