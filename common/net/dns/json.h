/*
 * common/net/dns/json.h - answers of resolvers that speak JSON: the shape that Google and
 * Cloudflare document (Status, TC, AD, Question, Answer, Authority; each record a name, type, TTL
 * and data).
 *
 * They are made into DNS messages, so that dns_message_read() judges all that resolvers send.
 */
#pragma once

#include "base/buf.h"

/*
 * Append the message in wire format that a JSON answer stands for. Records of types that struct
 * dns_record does not take apart are left out; so is Comment, which is for people. Data is in
 * presentation form (TXT also without quotes), or "\# size digits" (RFC 3597 section 5). False for
 * anything that is not of the shape, or does not fit.
 */
bool dns_json_to_wire(struct text json, struct buf *out) must_check;
