/*
 * common/net/dns/json.h - replies of resolvers in JSON, in the format that Google and Cloudflare
 * document (Status, TC, AD, Question, Answer, Authority; each record a name, type, TTL and data).
 *
 * They are converted to DNS messages, so that dns_message_read() checks all replies.
 */
#pragma once

#include "base/buf.h"

/*
 * Append the wire format of a JSON reply. Records of types that struct dns_record does not parse
 * are omitted, and so is Comment, which is for people. Data is in presentation form (TXT also
 * without quotes), or "\# size digits" (RFC 3597 section 5). False for any other format, or if it
 * does not fit.
 */
bool dns_json_to_wire(struct text json, struct buf *out) must_check;
