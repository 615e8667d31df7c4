/* svc-utils/json-to-code/model/keys.h - which names of members are data, and of which class. */
#pragma once

#include "base/buf.h"

enum key_class {
    KEY_DIGITS = 1 << 0,
    KEY_UUID = 1 << 1,
    KEY_DATE = 1 << 2, /* a day, month or quarter, also with a time */
    KEY_HEX = 1 << 3,
    KEY_VERSION = 1 << 4, /* 1.2.0, v2.1 */
    KEY_ADDRESS = 1 << 5, /* of mail, IPv4 or a network card; a host, URL or path */
    KEY_TOKEN = 1 << 6,   /* an id of letters and digits, such as cus_9s6XKzkNRiz8i3 */
    KEY_LOCALE = 1 << 7,  /* en-US, pt_BR */
    KEY_CURRENCY = 1 << 8,
    KEY_COUNTRY = 1 << 9,
    KEY_LANGUAGE = 1 << 10,
    KEY_TICKER = 1 << 11,        /* AAPL, BTC-USD */
    KEY_COUNTED = 1 << 12,       /* user_1: a word and a number */
    KEY_PHRASE = 1 << 13,        /* has a blank or slash: New York, text/html */
    KEY_PACKAGE = 1 << 14,       /* react-dom, @types/node */
    KEY_SYMBOL = 1 << 15,        /* emoji and other signs, no letters */
    KEY_PLACE = 1 << 16,         /* us-east-1, Europe/Berlin */
    KEY_COIN = 1 << 17,          /* a currency in small letters: usd, btc */
    KEY_NUMBERED = 1 << 18,      /* P31, Q42: one or two capitals and a number */
    KEY_PROGRAMMING = 1 << 19,   /* TypeScript, C++ */
    KEY_SMALL_COUNTRY = 1 << 20, /* us */
    KEY_LONG_COUNTED = 1 << 21,  /* customfield_10010: a word and a number of 3 digits or more */

    /* Classes that are data whatever the values are. */
    KEYS_CERTAIN = KEY_DIGITS | KEY_UUID | KEY_DATE | KEY_HEX | KEY_VERSION | KEY_ADDRESS |
                   KEY_TOKEN | KEY_LOCALE | KEY_SYMBOL | KEY_PLACE,
};

/* The classes that a name fits, as bits; 0: none. */
unsigned key_classes(struct text key);
