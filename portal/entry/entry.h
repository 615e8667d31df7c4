/*
 * portal/entry/entry.h - pages for visitors who are not signed in: sign-up, sign-in, password
 * reset.
 *
 * No response shows whether an address has an account. In both cases these pages write the same
 * rows, compute the same hash, take the same time and show the same text.
 */
#pragma once

#include "portal/page/visit.h"

/* /portal/sign-up: sends a link to an email address. */
visit_handler sign_up_show, sign_up;

/* /portal/verify/{link}: name and password. This creates account, member and credits. */
visit_handler verify_show, verify;

/* /portal/sign-in and /portal/sign-in/code, /portal/sign-out. */
visit_handler sign_in_show, sign_in;
void sign_in_page(struct visit *visit, int status); /* the form with its errors */
visit_handler code_show, code_check;
visit_handler sign_out;

/* /portal/forgot and /portal/reset/{link}. */
visit_handler forgot_show, forgot;
visit_handler reset_show, reset;
