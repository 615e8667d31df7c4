/* svc-email/email-header-analyzer/tests/authentication.c - which results are trusted. */
#include <string.h>

#include "email-header-analyzer/analysis.h"
#include "expect.h"

#define FROM "From: Joe <joe@a.com>\n"
#define HOPS                                                                          \
    "Received: from m.a.com (m.a.com [93.184.216.34]) by mx.b.net with ESMTPS id 1; " \
    "Sat, 21 Nov 2026 10:44:09 +0000\n"                                               \
    "Received: from h.a.com (h.a.com [93.184.216.35]) by m.a.com with ESMTPS id 1; "  \
    "Sat, 21 Nov 2026 10:44:02 +0000\n"
#define AR(text) "Authentication-Results: " text "\n"

static const struct row {
    const char *name;
    const char *headers;
    const char *want; /* pointers below /authentication, or from the root with // */
} rows[] = {
    { "all pass",
      AR("mx.b.net; spf=pass smtp.mailfrom=x@a.com; dkim=pass header.d=a.com; dmarc=pass (p=REJECT "
         "sp=NONE) header.from=a.com") HOPS FROM,
      "{'/spf':'pass','/dkim':'pass','/dmarc':'pass','/source':'authentication-results',"
      "'/authserv_id':'mx.b.net','/trusted':true,'/spf_domain':'a.com','/dkim_domains':['a.com'],"
      "'/dmarc_policy':'reject','/alignment/spf':'strict','/alignment/dkim':'strict',"
      "'/alignment/organizational_domain':'a.com','/all_results#':3,"
      "'/all_results/0/properties/smtp.mailfrom':'x@a.com','/all_results/0/header_index':0}" },
    { "capital letters, commas and no semicolons",
      AR("mx.b.net SPF=Pass smtp.mailfrom=a.com, DKIM=PASS header.d=a.com dmarc=fail") HOPS FROM,
      "{'/spf':'pass','/dkim':'pass','/dmarc':'fail'}" },
    { "Exchange: no name of the server",
      AR("spf=pass (sender IP is 93.184.216.34) smtp.mailfrom=a.com; dkim=none (message not "
         "signed) header.d=none;dmarc=bestguesspass action=none header.from=a.com;compauth=pass "
         "reason=109") HOPS FROM,
      "{'/spf':'pass','/dkim':'none','/dmarc':'bestguesspass','/compauth':'pass',"
      "'/authserv_id':null,'/trusted':true,'/all_results#':4,'/all_results/3/reason':'109'}" },
    { "Gmail",
      AR("mx.b.net; dkim=pass header.i=@a.com header.s=s1 header.b=\"a/b+c\"; spf=pass (b.net: "
         "domain of x@a.com designates 93.184.216.34 as permitted sender) "
         "smtp.mailfrom=x@bounces.a.com; dmarc=pass (p=NONE dis=NONE) header.from=a.com") HOPS FROM,
      "{'/dkim_domains':['a.com'],'/spf_domain':'bounces.a.com','/alignment/spf':'relaxed',"
      "'/dmarc_policy':'none','/all_results/0/properties/header.b':'a/b+c'}" },
    { "a version and comments everywhere",
      AR("mx.b.net (a (b)) 1 (c) ; (d) spf/1 (e) = (f) pass (g) smtp.mailfrom=a.com") HOPS FROM,
      "{'/spf':'pass','/spf_domain':'a.com'}" },
    { "a quoted reason", AR("mx.b.net; dkim=fail reason=\"bad; key\" header.d=a.com") HOPS FROM,
      "{'/dkim':'fail','/all_results/0/reason':'bad; key',"
      "'/all_results/0/properties/header.d':'a.com'}" },
    { "other words", AR("mx.b.net; spf=hardfail; dkim=invalid; dmarc=error; iprev=magic") HOPS FROM,
      "{'/spf':'fail','/dkim':'permerror','/dmarc':'temperror','/iprev':'unknown'}" },
    { "none", AR("mx.b.net; none") HOPS FROM, "{'/spf':'unknown','/source':'none'}" },
    { "an empty quoted string before a letter beyond ASCII",
      AR("mx.b.net; spf=pass \"\"\xC3\xA9=x") HOPS FROM,
      "{'/spf':'pass','/all_results#':1,'/all_results/0/properties/é':'x'}" },
    { "empty", AR("") HOPS FROM, "{'/spf':'unknown','/all_results#':0}" },
    { "four signatures, one aligned",
      AR("mx.b.net; dkim=fail header.d=a.com; dkim=pass header.d=x.com; dkim=pass "
         "header.d=m.a.com; dkim=pass header.d=y.com") HOPS FROM,
      "{'/dkim':'pass','/alignment/dkim':'relaxed','/dkim_domains#':3}" },
    { "forged below the border", HOPS AR("mx.b.net; spf=pass; dkim=pass; dmarc=pass") FROM,
      "{'/spf':'unknown','/dmarc':'unknown','/trusted':false,'/all_results/0/trusted':false}" },
    { "forged above none, another below",
      AR("mx.b.net; spf=fail") HOPS AR("mx.b.net; spf=pass; dmarc=pass") FROM,
      "{'/spf':'fail','/dmarc':'unknown','/all_results/1/trusted':false}" },
    { "two of one server", AR("mx.b.net; spf=pass") AR("mx.b.net; dkim=pass") HOPS FROM,
      "{'/spf':'pass','/dkim':'pass'}" },
    { "a stranger on top, the receiver below it",
      AR("filter.z.org; spf=fail") AR("mx.b.net; spf=pass") HOPS FROM,
      "{'/spf':'pass','/authserv_id':'mx.b.net','/all_results/0/trusted':false}" },
    { "a stranger alone", AR("filter.z.org; spf=fail") HOPS FROM,
      "{'/spf':'fail','/authserv_id':'filter.z.org','/trusted':true}" },
    { "inner hops of the receiver are above the border",
      "Received: from mx.b.net (mx.b.net [10.0.0.1]) by store.b.net with LMTP; Sat, 21 Nov 2026 "
      "10:44:10 +0000\n" AR("mx.b.net; spf=pass") HOPS FROM,
      "{'/spf':'pass','/trusted':true}" },
    { "an address as the first server",
      "Received: by 2002:a05:1:0:0:0:0:0 with SMTP id 1; Sat, 21 Nov 2026 10:44:10 +0000\n" AR(
          "mx.b.net; spf=pass") HOPS FROM,
      "{'/spf':'pass'}" },
    { "Received-SPF",
      "Received-SPF: Pass (mx.b.net: x) client-ip=1.2.3.4; "
      "envelope-from=\"x@a.com\"; helo=h.a.com;\n" HOPS FROM,
      "{'/spf':'pass','/source':'received-spf','/spf_domain':'a.com','/alignment/spf':'strict',"
      "'/trusted':true}" },
    { "Received-SPF below the border", HOPS "Received-SPF: pass\n" FROM, "{'/spf':'unknown'}" },
    { "ARC",
      HOPS "ARC-Seal: i=1; cv=none\nARC-Message-Signature: i=1; d=z.org\n"
           "ARC-Authentication-Results: i=1; z.org; spf=pass smtp.mailfrom=a.com; "
           "dkim=fail\n" FROM,
      "{'/spf':'pass','/dkim':'fail','/source':'arc','/authserv_id':'z.org','/trusted':false,"
      "'/arc_chain/instances':1,'/arc_chain/valid_structure':true,'/arc_chain/last_cv':'none'}" },
    { "the highest of ARC",
      "ARC-Authentication-Results: i=2; z.org; spf=fail\n"
      "ARC-Authentication-Results: i=1; y.org; spf=pass\n" HOPS FROM,
      "{'/spf':'fail','/arc_chain/instances':2,'/arc_chain/valid_structure':false}" },
    { "a gap in ARC",
      "ARC-Seal: i=3; cv=pass\nARC-Message-Signature: i=3\nARC-Authentication-Results: i=3; "
      "z\n" FROM,
      "{'/arc_chain/instances':3,'/arc_chain/valid_structure':false,'/arc_chain/last_cv':'pass'}" },
    { "invalid ARC numbers", "ARC-Seal: i=0; cv=pass\nARC-Seal: i=51\nARC-Seal: i=x\n" FROM,
      "{'/arc_chain/instances':0,'/arc_chain/valid_structure':false,'/arc_chain/last_cv':null}" },
    { "not aligned",
      AR("mx.b.net; spf=pass smtp.mailfrom=z.org; dkim=pass header.d=y.org") HOPS FROM,
      "{'/alignment/spf':'none','/alignment/dkim':'none'}" },
    { "no sender to align with", AR("mx.b.net; spf=pass smtp.mailfrom=z.org") HOPS "To: x\n",
      "{'/alignment/spf':null,'/alignment/organizational_domain':null}" },
    { "a public suffix has no owner",
      AR("mx.b.net; spf=pass smtp.mailfrom=b.co.uk") HOPS "From: x@a.co.uk\n",
      "{'/alignment/spf':'none','/alignment/organizational_domain':'a.co.uk'}" },
    { "a signature",
      "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=a.com; s=k1; t=1; x=2; l=3; "
      "i=@m.a.com;"
      " h=From : Sub\n ject; bh=AA\n AA=; b=B\n B\n" FROM,
      "{'/dkim_signatures#':1,'/dkim_signatures/0/domain':'a.com',"
      "'/dkim_signatures/0/signed_headers':['from','subject'],'/dkim_signatures/0/timestamp':1,"
      "'/dkim_signatures/0/expires':2,'/dkim_signatures/0/body_length':3,"
      "'/dkim_signatures/0/canonicalization':'relaxed/simple',"
      "'/dkim_signatures/0/identity':'@m.a.com','/dkim_signatures/0/valid_syntax':true}" },
    { "a signature that lacks its hash",
      "DKIM-Signature: v=1; a=x; d=a.com; s=k; h=from; b=B\n" FROM,
      "{'/dkim_signatures/0/valid_syntax':false,'/dkim_signatures/0/timestamp':null}" },
    { "a tag twice", "DKIM-Signature: v=1; a=x; d=a.com; d=b.com; s=k; h=from; b=B; bh=C\n" FROM,
      "{'/dkim_signatures/0/valid_syntax':false,'/dkim_signatures/0/domain':'a.com'}" },
    { "no name=value among tags",
      "DKIM-Signature: v=1; a=x; d=a.com; s=k; h=from; b=B; bh=C; q\n" FROM,
      "{'/dkim_signatures/0/valid_syntax':false}" },
    { "an empty tag", "DKIM-Signature: v=1; a=x; d=a.com; s=k; h=from; b=B;; bh=C\n" FROM,
      "{'/dkim_signatures/0/valid_syntax':false}" },
    { "a semicolon last", "DKIM-Signature: v=1; a=x; d=a.com; s=k; h=from; b=B; bh=C;\n" FROM,
      "{'/dkim_signatures/0/valid_syntax':true}" },
    { "times: lying clocks are not wrapped",
      "Received: from a by b.net with SMTP; Fri, 20 Nov 2026 11:44:00 +0000\n"
      "Received: from c by a.net with SMTP; Sat, 21 Nov 2026 10:44:00 +0000\n" FROM
      "Date: Sat, 21 Nov 2026 10:43:00 +0000\n",
      "{'//hops/1/delay_seconds':-82800,'//total_delivery_seconds':-82800,'//transit_seconds':0,"
      "'//submission_delay_seconds':60,'//hop_count':2}" },
    { "times: two zones, one instant",
      "Received: from a by b.net with SMTP; Sat, 21 Nov 2026 19:44:00 +0900\n"
      "Received: nothing\n"
      "Received: from c by a.net with SMTP; Sat, 21 Nov 2026 10:44:00 +0000\n" FROM,
      "{'//hops/2/delay_seconds':0,'//hops/1/delay_seconds':null,'//hops/0/delay_seconds':null,"
      "'//hops/2/timestamp':'2026-11-21T10:44:00.000Z','//submission_delay_seconds':null}" },
    { "the body is not read", HOPS "Subject: y\n\nReceived: from x by y\n",
      "{'//hop_count':2,'//body_bytes':22,'//header_count':3}" },
    { "a summary",
      "From: \"Doe, J\" <j@a.com>\nSubject: =?gb18030?B?xOO6ww==?=\nX-Mailer: M 1\n"
      "List-Unsubscribe: <https://a.com/u>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n"
      "X-Other: =?utf-8?Q?=C3=A9?=\n",
      "{'//summary/from':'\\'Doe, J\\' <j@a.com>','//summary/from_name':'Doe, J',"
      "'//summary/subject':'你好','//summary/mailer':'M 1',"
      "'//summary/list_unsubscribe_one_click':true,'//summary/to':null,"
      "'//other_headers/3/name':'X-Other','//other_headers/3/value':'é'}" },
};

static struct senders *senders;

static void check(void **state)
{
    const struct row *row = *state;
    scoped(json_free) cJSON *result = json_object();
    scoped(json_free) cJSON *wants = quoted_tree(row->want);
    struct analysis *analysis = mem_new(sizeof(*analysis));
    const cJSON *want;

    analysis_read(text_of(row->headers), senders, INT64_C(1795262400000), analysis);
    analysis_report(analysis, result);
    cJSON_ArrayForEach(want, wants) {
        bool is_root = strncmp(want->string, "//", 2) == 0;
        scoped(mem_free) char *pointer =
            is_root ? str_dup(want->string + 1) : str_format("/authentication%s", want->string);
        assert_equal_at(result, pointer, want);
    }
    analysis_free(analysis);
    mem_free(&analysis);
}

int main(void)
{
    if (!senders_load(SOURCE_ROOT "/svc-email", "", &senders, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check);
    senders_free(&senders);
    return failed;
}
