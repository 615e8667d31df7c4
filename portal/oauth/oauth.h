/*
 * portal/oauth/oauth.h - the authorization server for connected apps: pages for members, and what
 * all its parts share. docs/develop/portal.md has the flow.
 */
#pragma once

#include "portal/page/visit.h"

/* oauth.enabled; and may apps register themselves? */
bool oauth_is_on(const struct portal *portal);
bool oauth_registers(const struct portal *portal);

/* Register the counter of replays, so that its first increase is seen. */
struct counter *oauth_replays(const struct portal *portal);

/* May a request name this resource (RFC 8707)? "" is ours. */
bool oauth_is_resource(const struct portal *portal, struct text resource);

/* All values of the field `resource`. */
bool oauth_are_resources(const struct portal *portal, const struct form *form);
