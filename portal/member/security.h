/* portal/member/security.h - the page /portal/security, which forms on it show again. */
#ifndef PORTAL_MEMBER_SECURITY_H
#define PORTAL_MEMBER_SECURITY_H

#include "portal/page/visit.h"

/* Show the page; status 400 and others: with what is wrong in the visit, and the form as typed. */
void security_page(struct visit *visit, int status);

#endif
