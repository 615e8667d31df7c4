/*
 * portal/page/obstacle.h - why the account of a visit may neither buy nor get a token: it is
 * suspended or closed, or its member asked for its deletion. account_obstacle() in
 * gateway/sql/006-members.sql decides; these are its sentences.
 */
#pragma once

#include "portal/page/visit.h"

/* The sentence for an outcome of account_obstacle(); NULL: the outcome is another one. what: "buy
 * credits". Lives as long as the visit. */
const char *obstacle_sentence(struct visit *visit, const char *outcome, const char *what);

/* The sentence for the state that the session has read, without a query; NULL: nothing prevents
 * it. */
const char *obstacle_of(struct visit *visit, const char *what);
