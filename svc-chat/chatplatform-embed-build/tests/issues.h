/* svc-chat/chatplatform-embed-build/tests/issues.h - rows of tests that expect an issue, or none.
 */
#pragma once

#include "expect.h"
#define X10   "xxxxxxxxxx"
#define X50   X10 X10 X10 X10 X10
#define X250  X50 X50 X50 X50 X50
#define X1000 X250 X250 X250 X250
#define X2000 X1000 X1000
#define X4000 X2000 X2000

/* One issue at a place: its list, path and code. No other error. */
#define ERROR_AT(name, body, path, code)                                                       \
    {                                                                                          \
        name, body, NULL,                                                                      \
            "{'/valid':false,'/errors#':1,'/errors/0/path':'" path "','/errors/0/code':'" code \
            "'}"                                                                               \
    }
/* The first of several errors. */
#define FIRST_ERROR_AT(name, body, path, code)                                         \
    {                                                                                  \
        name, body, NULL,                                                              \
            "{'/valid':false,'/errors/0/path':'" path "','/errors/0/code':'" code "'}" \
    }
#define WARNS_AT(name, body, path, code)                                                  \
    {                                                                                     \
        name, body, NULL,                                                                 \
            "{'/valid':true,'/warnings/0/path':'" path "','/warnings/0/code':'" code "'}" \
    }
#define LIMIT_AT(name, body, path, code, limit, actual)                                         \
    {                                                                                           \
        name, body, NULL,                                                                       \
            "{'/errors/0/path':'" path "','/errors/0/code':'" code "','/errors/0/limit':" limit \
            ",'/errors/0/actual':" actual "}"                                                   \
    }
#define VALID(name, body)                                               \
    {                                                                   \
        name, body, NULL, "{'/valid':true,'/errors#':0,'/warnings#':0}" \
    }
