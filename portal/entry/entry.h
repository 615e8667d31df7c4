/*
 * portal/entry/entry.h - the way in and out: pages for whoever is not signed in.
 *
 * What a stranger is told never depends on whether an address belongs to a member: both write the
 * same rows, wait for the same hash and read the same words.
 */
#pragma once

#include "portal/page/visit.h"

/* /portal/sign-up: an e-mail address, to which a link goes. */
visit_handler sign_up_show, sign_up;

/* /portal/verify/{link}: name and password; only now there are account, member and credits. */
visit_handler verify_show, verify;

/* /portal/sign-in and /portal/sign-in/code, /portal/sign-out. */
visit_handler sign_in_show, sign_in;
void sign_in_page(struct visit *visit, int status); /* the form, with what was refused */
visit_handler code_show, code_check;
visit_handler sign_out;

/* /portal/forgot and /portal/reset/{link}. */
visit_handler forgot_show, forgot;
visit_handler reset_show, reset;
