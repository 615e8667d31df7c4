/* portal/member/account.h - the page /portal/account, which the forms on it show again. */
#ifndef PORTAL_MEMBER_ACCOUNT_H
#define PORTAL_MEMBER_ACCOUNT_H

#include "portal/page/visit.h"

/* Show the page; status 400 and others: with what is wrong in the visit, and the form as typed. */
void account_page(struct visit *visit, int status);

#endif
