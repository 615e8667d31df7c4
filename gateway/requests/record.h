/*
 * gateway/requests/record.h - one record of the request log: what is known of a request after its
 * response. Of a fixed size, without pointers to the request: it is copied, and outlives it.
 *
 * It never has a body, a header, a field's name or a whole address.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/codec/uuid.h"

enum {
    RECORD_CLIENT_ID_BYTES = 64, /* of a client's X-Request-Id */
    RECORD_DIGEST_BYTES = 32,    /* SHA-256 of a token */
};

enum record_surface { RECORD_REST = 1, RECORD_MCP = 2 };

struct request_record {
    int64_t sent_ms; /* when the response was sent, by clock_ms() */
    struct uuid id;
    struct uuid account;
    uint8_t token[RECORD_DIGEST_BYTES];
    struct in6_addr address; /* of the client; only its network is written */
    const char *route;       /* a static text; NULL: a call of the tool */
    const char *code;        /* a static text; NULL: success */
    int32_t credits;
    int32_t total_us;
    int32_t queue_us; /* -1: the tool did not run; same for tool_us */
    int32_t tool_us;
    int32_t bytes_in;
    int32_t bytes_out;
    int16_t tool_id; /* 0: not a tool */
    int16_t status;
    int16_t ignored; /* unknown fields */
    uint8_t surface; /* enum record_surface */
    bool is_replayed;
    char client_id[RECORD_CLIENT_ID_BYTES + 1]; /* "": the client sent none */
};
