/*
 * portal/page/confirm-page.h - a page that asks for the password once more, and holds all that was
 * typed before: for forms whose own page cannot be shown again.
 */
#ifndef PORTAL_PAGE_CONFIRM_PAGE_H
#define PORTAL_PAGE_CONFIRM_PAGE_H

#include "portal/page/visit.h"

void confirm_page(struct visit *visit);

#endif
