/*
 * portal/oauth/consent.h - the pages on which a member decides about an app: handlers for
 * portal/routes.c.
 *
 * 1. GET /oauth/authorize shows who asks, and a form. It stores nothing.
 * 2. POST stores what the member agreed to (oauth_consent() in gateway/sql/009-apps.sql).
 * 3. /oauth/done/{id} leads back to the app, with the code. It is a page, and not a redirect of the
 *    POST, because Chromium applies form-action of the Content-Security-Policy to redirects.
 */
#pragma once

#include "portal/page/visit.h"

visit_handler oauth_authorize_show;
visit_handler oauth_authorize;
visit_handler oauth_authorize_again; /* with the errors of the form */
visit_handler oauth_done_show;
