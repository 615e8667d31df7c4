/* svc-email/email-header-analyzer/tests/flags.c - each flag, once raised and once nearly. */
#include <string.h>

#include "base/os/clock.h"
#include "email-header-analyzer/analysis.h"
#include "rows.h"
#include "text/json.h"

#define NOW_MS INT64_C(1795262400000) /* 2026-11-21T12:00:00Z */

/* A message without flags: two hops of one owner, both encrypted, all results pass. */
#define ID   "Message-ID: <1@a.com>\n"
#define DATE "Date: Sat, 21 Nov 2026 10:44:00 +0000\n"
#define FROM "From: Joe <joe@a.com>\n"
#define HOP(d) \
    "Received: from m.a.com (m.a.com [93.184.216.34]) by mx.b.net with ESMTPS id 1; " d "\n"
#define FIRST(d) \
    "Received: from h.a.com (h.a.com [93.184.216.35]) by m.a.com with ESMTPS id 1; " d "\n"
#define T(time)  "Sat, 21 Nov 2026 " time " +0000"
#define AR(rest) "Authentication-Results: mx.b.net; " rest "\n"
#define PASSES   AR("spf=pass smtp.mailfrom=a.com; dkim=pass header.d=a.com; dmarc=pass")
#define HOPS     HOP(T("10:44:09")) FIRST(T("10:44:02"))
#define REST     "To: b@b.net\nSubject: x\n" ID
#define GOOD     PASSES HOPS FROM DATE REST

static const struct row {
    const char *name;
    const char *headers;
    const char *want; /* code:severity, with @hop if it has one, in order */
} rows[] = {
    { "nothing odd", GOOD, "" },
    { "no hop", PASSES FROM DATE REST, "NO_RECEIVED:medium" },
    { "a hop of no sense", PASSES "Received: what " T("10:44:10") "\n" HOPS FROM DATE REST,
      "UNPARSED_HOP:low@2" },
    { "delays",
      PASSES "Received: from mx.b.net (mx.b.net [93.184.216.34]) by c.b.net with ESMTPS; Mon, 23 "
             "Nov 2026 10:44:09 +0000\n" HOP(T("10:44:03")) FIRST(
                 T("09:44:02")) "Received: from a.com (a.com [93.184.216.35]) by h.a.com with "
                                "ESMTPS; " T("09:39:01") "\n" FROM "Date: " T("09:39:01") "\n" REST,
      "LONG_HOP_DELAY:low@1 LONG_HOP_DELAY:medium@2 LONG_HOP_DELAY:high@3" },
    { "300 s are not long", PASSES HOP(T("10:49:02")) FIRST(T("10:44:02")) FROM DATE REST, "" },
    { "a clock behind", PASSES HOP(T("10:44:00")) FIRST(T("10:44:02")) FROM DATE REST,
      "CLOCK_SKEW:low@1" },
    { "one second is ignored", PASSES HOP(T("10:44:01")) FIRST(T("10:44:02")) FROM DATE REST, "" },
    { "a clock far behind", PASSES HOP(T("10:38:00")) FIRST(T("10:44:02")) FROM DATE REST,
      "CLOCK_SKEW:medium@1" },
    { "no date", PASSES HOPS FROM REST, "DATE_MISSING:medium" },
    { "an invalid date", PASSES HOPS FROM "Date: soon\n" REST, "INVALID_DATE:low" },
    { "a hop with an invalid date",
      PASSES HOP("32 Jan 2026 10:00:00 +0000") FIRST(T("10:44:02")) FROM DATE REST,
      "INVALID_DATE:low@1" },
    { "no zone", PASSES HOPS FROM "Date: Sat, 21 Nov 2026 10:44:00\n" REST,
      "MISSING_TIMEZONE:low" },
    { "a hop without zone", PASSES HOP("21 Nov 2026 10:44:09") FIRST(T("10:44:02")) FROM DATE REST,
      "MISSING_TIMEZONE:low@1" },
    { "dated after its first hop", PASSES HOPS FROM "Date: " T("12:44:03") "\n" REST,
      "DATE_FUTURE:medium" },
    { "dated two hours after it", PASSES HOPS FROM "Date: " T("12:44:02") "\n" REST, "" },
    { "dated after tomorrow", FROM "Date: Sun, 22 Nov 2026 12:00:01 +0000\n" REST,
      "NO_RECEIVED:medium DATE_FUTURE:medium AUTH_MISSING:info" },
    { "dated long before", PASSES HOPS FROM "Date: Fri, 20 Nov 2026 10:44:01 +0000\n" REST,
      "DATE_PAST:low" },
    { "all fail", AR("spf=fail; dkim=fail; dmarc=fail") HOPS FROM DATE REST,
      "SPF_FAIL:high DKIM_FAIL:high DMARC_FAIL:critical" },
    { "fails softly", AR("spf=softfail; dkim=pass header.d=a.com") HOPS FROM DATE REST,
      "SPF_SOFTFAIL:medium" },
    { "nothing to check", AR("spf=none; dkim=none; dmarc=none") HOPS FROM DATE REST,
      "SPF_NONE:low DKIM_NONE:low DMARC_NONE:low" },
    { "no results", HOPS FROM DATE REST, "AUTH_MISSING:info" },
    { "only the sender checked", HOPS PASSES FROM DATE REST, "AUTH_UNTRUSTED:medium" },
    { "passes for another owner",
      AR("spf=pass smtp.mailfrom=x.com; dkim=pass header.d=y.com; dmarc=pass") HOPS FROM DATE REST,
      "DMARC_PASS_UNALIGNED:medium" },
    { "the way back is another's, signed", "Return-Path: <x@y.com>\n" GOOD,
      "FROM_RETURN_PATH_DIFFERS:info" },
    { "the way back is another's", "Return-Path: <x@y.com>\n" AR("spf=pass") HOPS FROM DATE REST,
      "FROM_RETURN_PATH_DIFFERS:low" },
    { "the way back is below it", "Return-Path: <x@bounce.a.com>\n" GOOD, "" },
    { "answers go elsewhere", GOOD "Reply-To: joe@y.com\n", "REPLY_TO_DIFFERS:low" },
    { "answers go to a free provider", GOOD "Reply-To: joe@gmail.com\n",
      "REPLY_TO_DIFFERS:medium" },
    { "the name is another address", PASSES HOPS "From: \"ceo@b.net\" <joe@a.com>\n" DATE REST,
      "DISPLAY_NAME_ADDRESS:high" },
    { "the name is the own address", PASSES HOPS "From: \"joe@a.com\" <joe@a.com>\n" DATE REST,
      "" },
    { "the name is a brand's", PASSES HOPS "From: PayPal <joe@a.com>\n" DATE REST,
      "DISPLAY_NAME_BRAND:medium" },
    { "several senders", PASSES HOPS "From: joe@a.com, jim@a.com\n" DATE REST,
      "MULTIPLE_FROM:high" },
    { "From twice", GOOD FROM, "MULTIPLE_FROM:high DUPLICATE_HEADER:medium" },
    { "no sender", PASSES HOPS DATE REST, "FROM_MISSING:high" },
    { "no valid sender", PASSES HOPS "From: Joe\n" DATE REST, "FROM_INVALID:high" },
    { "no id", PASSES HOPS FROM DATE "To: b@b.net\n", "MESSAGE_ID_MISSING:medium" },
    { "an id without brackets", PASSES HOPS FROM DATE "Message-ID: 1@a.com\n",
      "MESSAGE_ID_INVALID:low" },
    { "an id of another owner", PASSES HOPS FROM DATE "Message-ID: <1@z.org>\n",
      "MESSAGE_ID_DOMAIN:info" },
    { "an id of a hop", PASSES HOPS FROM DATE "Message-ID: <1@x.b.net>\n", "" },
    { "a subject twice", GOOD "Subject: y\n", "DUPLICATE_HEADER:medium" },
    { "a comment twice", GOOD "Comments: x\nComments: y\n", "" },
    { "a control in a word", GOOD "X-A: =?utf-8?Q?=0Aa?=\n", "ENCODED_CONTROL:high" },
    { "a control as it is", GOOD "X-A: a\001\n", "ENCODED_CONTROL:high" },
    { "a bad word", GOOD "X-A: =?utf-8?B?!?=\n", "BAD_ENCODED_WORD:low" },
    { "a bounce", "Return-Path: <>\n" GOOD, "NULL_RETURN_PATH:info" },
    { "in the clear",
      PASSES "Received: from m.a.com (m.a.com [93.184.216.34]) by mx.b.net with ESMTP; " T(
          "10:44:09") "\n" FIRST(T("10:44:02")) FROM DATE REST,
      "NO_TLS_HOP:low@1" },
    { "an old TLS",
      PASSES
      "Received: from m.a.com (m.a.com [93.184.216.34]) (using TLSv1 with cipher X-Y-ZZZ) by "
      "mx.b.net with ESMTPS; " T("10:44:09") "\n" FIRST(T("10:44:02")) FROM DATE REST,
      "WEAK_TLS:medium@1" },
    { "a weak cipher",
      PASSES "Received: from m.a.com (m.a.com [93.184.216.34]) (using TLSv1.2 with cipher RC4-SHA) "
             "by mx.b.net with ESMTPS; " T("10:44:09") "\n" FIRST(T("10:44:02")) FROM DATE REST,
      "WEAK_TLS:medium@1" },
    { "another name for itself",
      PASSES "Received: from m.a.com (m.c.com [93.184.216.34]) by mx.b.net with ESMTPS; " T(
          "10:44:09") "\n" FIRST(T("10:44:02")) FROM DATE REST,
      "HELO_MISMATCH:info@1" },
    { "no name",
      PASSES "Received: from m.a.com (unknown [93.184.216.34]) by mx.b.net with ESMTPS; " T(
          "10:44:09") "\n" FIRST(T("10:44:02")) FROM DATE REST,
      "NO_REVERSE_DNS:low@1" },
    { "a hop of a provider that did not send it",
      PASSES HOP(T("10:44:09")) "Received: from h.a.com (h.a.com [93.184.216.35]) by "
                                "mx.google.com with ESMTPS; " T("10:44:02") "\n" FROM DATE REST,
      "FORGED_HOP:medium@0" },
    { "a hop of a provider that sent it by another of its domains",
      PASSES "Received: from m.b.me.com (m.me.com [93.184.216.34]) by mx.b.net with ESMTPS; " T(
          "10:44:09") "\nReceived: from h.a.com (h.a.com [93.184.216.35]) by x.icloud.com with "
                      "ESMTPS; " T("10:44:02") "\n" FROM DATE REST,
      "" },
    { "a server with another name for sending",
      PASSES HOP(T("10:44:09")) "Received: from h.a.com (h.a.com [93.184.216.35]) by mail.bank.com "
                                "with ESMTPS; " T("10:44:02") "\n" FROM DATE REST,
      "" },
    { "a hop of a provider, sent again by its reader",
      PASSES HOP(T("10:44:09")) "Received: from h.a.com (h.a.com [93.184.216.35]) by "
                                "mx.google.com with ESMTPS; " T(
                                    "10:44:02") "\nResent-From: b@b.net\n" FROM DATE REST,
      "" },
    { "the next server looked up no name",
      PASSES "Received: from m.a.com ([93.184.216.34]) by mx.b.net with ESMTPS; " T(
          "10:44:09") "\nReceived: from h.a.com (h.a.com [93.184.216.35]) by mx.google.com with "
                      "ESMTPS; " T("10:44:02") "\n" FROM DATE REST,
      "" },
    { "an unknown zone", PASSES HOPS FROM "Date: Sat, 28 Nov 2026 10:44:00 AEDT\n" REST,
      "MISSING_TIMEZONE:low" },
    { "a hop with an unknown zone",
      PASSES HOP("Sat, 21 Nov 2026 20:44:09 AEDT") FIRST(T("10:44:02")) FROM DATE REST,
      "MISSING_TIMEZONE:low@1" },
    { "a year that is no year of mail",
      PASSES HOP(T("10:44:09")) FIRST("Sat, 21 Nov 0102 10:44:02 +0000") FROM DATE REST,
      "INVALID_DATE:low@0" },
    { "a private beginning",
      PASSES HOP(T("10:44:09")) "Received: from pc ([10.0.0.7]) by m.a.com with ESMTPSA; " T(
          "10:44:02") "\n" FROM DATE REST,
      "PRIVATE_ORIGIN:info@0" },
    { "a list", GOOD "List-Id: <l.a.com>\nPrecedence: list\n", "MAILING_LIST:info" },
    { "a program", GOOD "Auto-Submitted: auto-generated\n", "AUTO_GENERATED:info" },
    { "no program", GOOD "Auto-Submitted: no\n", "" },
    { "to many", GOOD "Precedence: bulk\n", "BULK:info" },
    { "called spam", GOOD "X-Spam-Flag: YES\n", "SPAM_HEADER:medium" },
    { "called spam by SpamAssassin", GOOD "X-Spam-Status: Yes, score=7\n", "SPAM_HEADER:medium" },
    { "called spam by Exchange", GOOD "X-Forefront-Antispam-Report: CIP:1.2.3.4;SCL:5;\n",
      "SPAM_HEADER:medium" },
    { "called bulk by Exchange", GOOD "X-Microsoft-Antispam: BCL:7;\n", "SPAM_HEADER:medium" },
    { "not called spam",
      GOOD "X-Spam-Flag: NO\nX-Spam-Status: No\nX-Forefront-Antispam-Report: SCL:1;SFV:NSPM\n"
           "X-Microsoft-Antispam: BCL:6;\n",
      "" },
    { "a short signature",
      GOOD "DKIM-Signature: v=1; a=rsa-sha1; d=a.com; s=s; l=10; x=1; h=to; bh=a; b=b\n",
      "DKIM_L_TAG:medium DKIM_SHA1:medium DKIM_EXPIRED:low DKIM_FROM_UNSIGNED:high "
      "DKIM_WEAK_HEADERS:info" },
    { "a good signature",
      GOOD
      "DKIM-Signature: v=1; a=rsa-sha256; d=a.com; s=s; x=1795257849; h=From: Subject:Date:To; "
      "bh=a; b=b\n",
      "" },
    { "half an ARC set", GOOD "ARC-Seal: i=1; cv=none\n", "ARC_BROKEN:medium" },
#define ARC(i, cv)                          \
    "ARC-Seal: i=" i "; cv=" cv "; b=x\n"   \
    "ARC-Message-Signature: i=" i "; b=y\n" \
    "ARC-Authentication-Results: i=" i "; x.org; spf=pass\n"
    { "two ARC sets", GOOD ARC("2", "pass") ARC("1", "none"), "" },
    { "two ARC sets, the older on top", GOOD ARC("1", "none") ARC("2", "pass"),
      "ARC_BROKEN:medium" },
    { "an ARC set twice", GOOD ARC("1", "none") ARC("1", "none"), "ARC_BROKEN:medium" },
    { "a gap in ARC", GOOD ARC("3", "pass") ARC("1", "none"), "ARC_BROKEN:medium" },
    { "a first ARC seal that passes", GOOD ARC("1", "pass"), "ARC_BROKEN:medium" },
    { "a later ARC seal that has none", GOOD ARC("2", "none") ARC("1", "none"),
      "ARC_BROKEN:medium" },
    { "an ARC seal that fails", GOOD ARC("2", "fail") ARC("1", "none"), "ARC_BROKEN:medium" },
    { "an ARC seal without cv",
      GOOD "ARC-Seal: i=1; b=x\nARC-Message-Signature: i=1; b=y\n"
           "ARC-Authentication-Results: i=1; x.org; spf=pass\n",
      "ARC_BROKEN:medium" },
    { "an ARC number that is no number", GOOD ARC("one", "none"), "ARC_BROKEN:medium" },
    { "a whole ARC set",
      GOOD "ARC-Seal: i=1; cv=none; b=x\nARC-Message-Signature: i=1; b=y\n"
           "ARC-Authentication-Results: i=1; x.org; spf=pass\n",
      "" },
    { "folding lost", GOOD "X-A: b\nand more\n", "LOST_FOLDING:info" },
    { "a line that is not a field", GOOD ": a\nX-B: c\n", "MALFORMED_LINE:info" },
};

static struct senders *senders;

static void describe(const struct analysis *analysis, struct buf *out)
{
    for (size_t i = 0; i < analysis->flag_count; i++) {
        const struct flag *flag = &analysis->flag[i];
        buf_format(out, "%s%s:%s", i > 0 ? " " : "", flag_name(flag->code), flag->severity);
        if (flag->hop != FLAG_NO_HOP)
            buf_format(out, "@%d", flag->hop);
    }
}

static void analyze_headers(struct text headers, struct buf *out)
{
    scoped(json_free) cJSON *result = json_object();
    struct analysis *analysis = mem_new(sizeof(*analysis));
    analysis_read(headers, senders, NOW_MS, analysis);
    analysis_report(analysis, result);
    describe(analysis, out);
    analysis_free(analysis);
    mem_free(&analysis);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf got = BUF(16384);
    analyze_headers(text_of(row->headers), &got);
    assert_string_equal(buf_str(&got), row->want);
}

/* Flags that depend on many fields, and the limit of 20 for one code. */
static void check_many(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 20);
    scoped(buf_free) struct buf got = BUF(1 << 16);
    for (int i = 0; i < 250; i++)
        buf_add_str(&text, "Received: by x\n");
    analyze_headers(buf_text(&text), &got);
    assert_non_null(strstr(buf_str(&got), "TOO_MANY_HOPS:low"));
    assert_non_null(strstr(buf_str(&got), "TOO_MANY_HEADERS:info"));
    assert_non_null(strstr(buf_str(&got), "INVALID_DATE:low@19"));
    assert_null(strstr(buf_str(&got), "INVALID_DATE:low@20"));
}

/* Every code has a row. */
static void check_all_named(void **state)
{
    (void)state;
    static const char *const others[] = { "TOO_MANY_HOPS", "TOO_MANY_HEADERS" };
    for (int code = 0; code < FLAG_CODES; code++) {
        const char *name = flag_name((enum flag_code)code);
        bool is_named = strcmp(name, others[0]) == 0 || strcmp(name, others[1]) == 0;
        for (size_t i = 0; i < countof(rows); i++)
            is_named |= strstr(rows[i].want, name) != NULL;
        if (!is_named)
            fail_msg("%s is not tested", name);
    }
}

int main(void)
{
    static const struct {
        const char *name;
    } many[] = { { "many hops" } }, named[] = { { "all flags have a row" } };
    if (!senders_load(SOURCE_ROOT "/svc-email", "", &senders, NULL))
        return 1;
    int failed =
        RUN_ROWS(rows, check) + RUN_ROWS(many, check_many) + RUN_ROWS(named, check_all_named);
    senders_free(&senders);
    return failed;
}
