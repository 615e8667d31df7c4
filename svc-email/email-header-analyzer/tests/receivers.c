/* svc-email/email-header-analyzer/tests/receivers.c - header shapes of receiving systems: their
 * results are trusted, forged ones never. Shapes from public samples of received mail, November
 * 2026; the names are examples. */
#include <string.h>

#include "email-header-analyzer/analysis.h"
#include "rows.h"

#define NOW_MS INT64_C(1795262400000) /* 2026-11-21T12:00:00Z */
#define D      "; Sat, 21 Nov 2026 10:44:09 +0000\n"
#define TLS    "(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits))"
#define IN     "Received: from mail.a.com (mail.a.com [93.184.216.34]) "
#define PLAIN  "Received: from mail.a.com (93.184.216.34) "
#define AR     "Authentication-Results: "
#define SPF    "spf=pass smtp.mailfrom=joe@a.com"
#define DKIM   "dkim=pass header.d=a.com header.s=s1"
#define DMARC  "dmarc=pass (p=none) header.from=a.com"
#define ALL    SPF "; " DKIM "; " DMARC
#define SENDER                                                                                 \
    "Received: from pc.a.com (pc.a.com [93.184.216.35]) by mail.a.com (Postfix) with ESMTPSA " \
    "id 7" D "DKIM-Signature: v=1; a=rsa-sha256; d=a.com; s=s1; h=From; bh=x; b=y\n"           \
    "From: Joe <joe@a.com>\nSubject: x\n"

static const struct row {
    const char *name;
    const char *trace; /* the receiver's fields */
    const char *want;  /* SPF, DKIM and DMARC */
    const char *ids;   /* authserv-ids that a forger uses, separated by blanks */
} rows[] = {
    { "Microsoft 365",
      "Received: from AM0PR01MB1.eurprd01.prod.exchangelabs.com (2603:10a6:208:c6::31) by "
      "DB9PR01MB1.eurprd01.prod.exchangelabs.com with HTTPS" D
      "Received: from AS9PR04CA0050.eurprd04.prod.outlook.com (2603:10a6:20b:46a::35) by "
      "AM0PR01MB1.eurprd01.prod.exchangelabs.com (2603:10a6:208:c6::31) with Microsoft SMTP "
      "Server (version=TLS1_3, cipher=TLS_AES_256_GCM_SHA384) id 15.20" D
      "Received: from AM7EUR06FT023.eop-eur06.prod.protection.outlook.com "
      "(2603:10a6:20b:46a:cafe::92) by AS9PR04CA0050.outlook.office365.com "
      "(2603:10a6:20b:46a::35) with Microsoft SMTP Server id 15.20 via Frontend Transport" D AR
      "spf=pass (sender IP is 93.184.216.34)\n smtp.mailfrom=a.com; dkim=pass (signature was "
      "verified)\n header.d=a.com;dmarc=pass action=none header.from=a.com;compauth=pass "
      "reason=100\nReceived-SPF: Pass (protection.outlook.com: domain of a.com designates "
      "93.184.216.34 as permitted sender) receiver=protection.outlook.com; "
      "client-ip=93.184.216.34; helo=mail.a.com;\n" PLAIN
      "by AM7EUR06FT023.mail.protection.outlook.com (10.233.255.91) with Microsoft SMTP Server "
      "id 15.20 via Frontend Transport" D,
      "pass pass pass", "outlook.com protection.outlook.com" },
    { "Outlook.com",
      "Received: from SN1NAM02FT0012.eop-nam02.prod.protection.outlook.com (10.152.72.59) by "
      "SN1NAM02HT031.eop-nam02.prod.protection.outlook.com (10.152.73.105) with Microsoft SMTP "
      "Server id 15.20" D AR
      "spf=pass (sender IP is 93.184.216.34) smtp.mailfrom=a.com; hotmail.com; dkim=none (message "
      "not signed) header.d=none;hotmail.com; dmarc=fail action=none header.from=a.com;\n" PLAIN
      "by SN1NAM02FT0012.mail.protection.outlook.com (10.152.72.111) with Microsoft SMTP Server "
      "id 15.20" D,
      "pass none fail", "hotmail.com outlook.com" },
    { "Exchange Online, older",
      "Received: from DB6PR0701CA0029.eurprd07.prod.outlook.com (10.168.7.167) by "
      "DB6PR0701MB2952.eurprd07.prod.outlook.com (10.168.84.14) with Microsoft SMTP Server id "
      "15.1" D "Received: from DB3FFO11FD049.protection.gbl (2a01:111:f400:7e04::164) by "
      "DB6PR0701CA0029.outlook.office365.com (2603:10a6:4:3::39) with Microsoft SMTP Server id "
      "15.1 via Frontend Transport" D AR "spf=pass (sender IP is 93.184.216.34) "
      "smtp.mailfrom=a.com; b.com; dkim=none (message not signed) header.d=none;b.com; "
      "dmarc=pass action=none header.from=a.com;\n" PLAIN
      "by DB3FFO11FD049.mail.protection.outlook.com (10.47.217.80) with Microsoft SMTP Server id "
      "15.1" D,
      "pass none pass", "b.com protection.outlook.com" },
    { "iCloud",
      "Received: from ci74p00im-qukt09072702.me.com by p42-mailgateway-smtp-5f8 (mailgateway "
      "2116B139) with SMTP id 6e0f for <b@icloud.com>" D "X-Apple-MoveToFolder: INBOX\n" IN
      "by ci74p00im-qukt09072702.me.com (Postfix) with ESMTPS id 11C7" D
      "X-ICL-SCORE: 3.3\nX-ICL-INFO: GAtb\n" AR
      "bimi.icloud.com; bimi=skipped reason=\"insufficient dmarc\"\nX-ARC-Info: policy=fail\n" AR
      "arc.icloud.com; arc=none\n" AR "dmarc.icloud.com; dmarc=pass header.from=a.com\n"
      "X-DMARC-Info: pass=pass; dmarc-policy=reject\n" AR
      "dkim-verifier.icloud.com; dkim=pass (1024-bit key) header.d=a.com header.i=@a.com\n" AR
      "spf.icloud.com; spf=pass (spf.icloud.com: domain of joe@a.com designates 93.184.216.34 as "
      "permitted sender) smtp.mailfrom=joe@a.com\nReceived-SPF: pass receiver=spf.icloud.com\n",
      "pass pass pass", "dmarc.icloud.com spf.icloud.com dkim-verifier.icloud.com" },
    { "iCloud, hosts without a domain",
      "Received: from p00-icloudmta-smtpin-us-1a-60-percent-6 by p01-mailgateway-smtp-7d "
      "(mailgateway 2526) with SMTP id 1" D IN "by p00-icloudmta-smtpin-us-1a-60-percent-6 "
      "(Postfix) with ESMTPS id 2" D AR "dmarc.icloud.com; dmarc=fail header.from=a.com\n" AR
      "dkim-verifier.icloud.com; dkim=none\n" AR "spf.icloud.com; spf=softfail "
      "smtp.mailfrom=joe@a.com\n",
      "softfail none fail", "dmarc.icloud.com spf.icloud.com dkim-verifier.icloud.com" },
    { "Fastmail",
      "Received: from phl-compute-05.internal (phl-compute-05.internal [10.202.2.45]) by "
      "sloti22d1t06 (Cyrus 3.13) with LMTPA" D "X-Sieve: CMU Sieve 3.0\n"
      "Received: from phl-mx-01.messagingengine.com ([10.202.2.200]) by phl-compute-05.internal "
      "(LMTPProxy)" D "Received: from phl-mx-01.messagingengine.com (localhost [127.0.0.1]) by "
      "mailmx.phl.internal (Postfix) with ESMTP id 6" D "Received: from mx4.messagingengine.com "
      "(localhost [127.0.0.1]) by mx4.messagingengine.com (Authentication Milter) with ESMTP id "
      "7" D AR "mx4.messagingengine.com; x-csa=none; x-me-sender=none; x-ptr=pass "
      "smtp.helo=mail.a.com\n" AR "mx4.messagingengine.com; bimi=skipped (DMARC Policy is not at "
      "enforcement)\n" AR "mx4.messagingengine.com; arc=none (no signatures found)\n" AR
      "mx4.messagingengine.com; " DKIM "; " DMARC "; iprev=pass smtp.remote-ip=93.184.216.34; " SPF
      "\nX-ME-VSCategory: clean\n" IN TLS " by mx4.messagingengine.com (Postfix) with ESMTPS "
      "id 8" D,
      "pass pass pass", "mx4.messagingengine.com" },
    { "Fastmail, results below",
      "Received: from mx5.internal (mx5.internal [10.202.2.47]) by store (Cyrus) with LMTPA" D
      "X-Resolved-to: b@b.com\n" IN TLS
      " by mx5.messagingengine.com (Postfix) with ESMTPS id 5" D AR
      "mx5.messagingengine.com; x-ptr=pass smtp.helo=mail.a.com\n" AR
      "mx5.messagingengine.com; " ALL "\n",
      "pass pass pass", "mx5.messagingengine.com" },
    { "Gmail",
      "Delivered-To: b@gmail.com\nReceived: by 2002:a05:6402:1234:b0:5cf:1 with SMTP id 1" D
      "X-Google-Smtp-Source: AGHT\nX-Received: by 2002:a17:907:9490 with SMTP id 2" D
      "ARC-Seal: i=1; cv=none; d=google.com\nARC-Message-Signature: i=1; d=google.com\n"
      "ARC-Authentication-Results: i=1; mx.google.com; " ALL "\nReturn-Path: <joe@a.com>\n"
      "Received: from mail.a.com (mail.a.com. [93.184.216.34]) by mx.google.com with ESMTPS id 3 "
      "for <b@gmail.com> (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256)" D
      "Received-SPF: pass (google.com: domain of joe@a.com designates 93.184.216.34 as permitted "
      "sender) client-ip=93.184.216.34;\n" AR "mx.google.com; " ALL "\n",
      "pass pass pass", "mx.google.com" },
    { "Yahoo",
      "Received: from 127.0.0.1 by atlas-production.v2-mail-prod1-bf1.omega.yahoo.com pod-id "
      "atlas--production-bf1 with HTTP" D "X-Originating-Ip: [93.184.216.34]\nReceived-SPF: pass "
      "(domain of a.com designates 93.184.216.34 as permitted sender)\n" AR
      "atlas-production.v2-mail-prod1-bf1.omega.yahoo.com; dkim=pass header.i=@a.com "
      "header.s=s1; spf=pass smtp.mailfrom=a.com; dmarc=pass(p=NONE) header.from=a.com;\n"
      "X-Apparently-To: b@yahoo.com\nReceived: from 93.184.216.34 (EHLO mail.a.com) by "
      "10.197.39.141 with SMTPs (version=TLS1_3 cipher=TLS_AES_128_GCM_SHA256)" D,
      "pass pass pass", "mta1.mail.bf1.yahoo.com" },
    { "AOL",
      "Received: from 10.222.142.150 by atlas206.aol.mail.ne1.yahoo.com with HTTPS" D AR
      "atlas206.aol.mail.ne1.yahoo.com; dkim=unknown; spf=none smtp.mailfrom=a.com; "
      "dmarc=unknown header.from=a.com;\nReceived: from 93.184.216.34 (EHLO mail.a.com) by "
      "10.222.138.3 with SMTP" D,
      "none unknown unknown", "atlas206.aol.mail.ne1.yahoo.com" },
    { "Proton Mail",
      "X-Original-To: b@proton.me\n" IN TLS " by mailin006.protonmail.ch (Postfix) with ESMTPS id "
      "4" D AR "mail.protonmail.ch; " DMARC "\n" AR "mail.protonmail.ch; " SPF "\n" AR
      "mail.protonmail.ch; arc=none smtp.remote-ip=93.184.216.34\n" AR "mail.protonmail.ch; " DKIM
      "\n",
      "pass pass pass", "mail.protonmail.ch" },
    { "GMX",
      AR " gmx.net; dkim=pass header.i=@a.com\nReceived: from mail.a.com ([93.184.216.34]) by "
         "mx-ha.gmx.net (mxgmx114 [212.227.15.9]) with ESMTPS (Nemesis) id 1Ma" D,
      "unknown pass unknown", "gmx.net" },
    { "IONOS, the name of the customer's exchanger",
      AR "kundenserver.de; " DKIM "\nReceived: from mail.a.com ([93.184.216.34]) by mx.b.de "
         "(mxeue109 [217.72.192.67]) with ESMTPS (Nemesis) id 1Mm" D,
      "unknown pass unknown", "kundenserver.de" },
    { "Mail.ru",
      "Received: by mx112.m.smailru.net with local (envelope-from <joe@a.com>) id 1r" D
      "Received: from mail.a.com ([93.184.216.34]:45678) by mx112.m.smailru.net with esmtps "
      "(envelope-from <joe@a.com>) id 1q" D AR "mxs.mail.ru; " ALL "\n",
      "pass pass pass", "mxs.mail.ru" },
    { "Yandex",
      "Received: from mxfront10j.mail.yandex.net (localhost [127.0.0.1]) by "
      "mxfront10j.mail.yandex.net with LMTP id 9" D IN
      "by mxfront10j.mail.yandex.net (nwsmtp/Yandex) with ESMTPS id 8" D "X-Yandex-Front: m\n" AR
      "mxfront10j.mail.yandex.net; spf=pass (mxfront10j.mail.yandex.net: domain of a.com "
      "designates 93.184.216.34 as permitted sender) smtp.mail=joe@a.com; dkim=pass "
      "header.i=@a.com\n",
      "pass pass unknown", "mxfront10j.mail.yandex.net" },
    { "Zoho Mail",
      "Delivered-To: b@b.com\nReceived-SPF: pass (zohomail.com: domain of a.com designates "
      "93.184.216.34 as permitted sender) client-ip=93.184.216.34;\n" AR
      "mx.zohomail.com; dkim=pass; spf=pass smtp.mailfrom=joe@a.com; dmarc=pass(p=none) "
      "header.from=a.com\nReceived: from mail.a.com (mail.a.com [93.184.216.34]) by "
      "mx.zohomail.com with SMTPS id 17 (version=TLSv1.3)" D,
      "pass pass pass", "mx.zohomail.com" },
    { "Amazon SES",
      IN "by inbound-smtp.us-east-1.amazonaws.com with SMTP id s08 for b@b.com" D
         "X-SES-Spam-Verdict: PASS\nReceived-SPF: pass (spfCheck: domain of a.com designates "
         "93.184.216.34) client-ip=93.184.216.34;\n" AR "amazonses.com; " ALL
         "\nX-SES-RECEIPT: A\n",
      "pass pass pass", "amazonses.com" },
    { "Tuta",
      "Received: from mail.w13.tutanota.de ([10.0.0.13]) by w4.tutanota.de with LMTP" D AR
      "w4.tutanota.de (dis=neutral; info=dmarc default policy); dmarc=pass (p=none) "
      "header.from=a.com\n" AR "w10.tutanota.de; " SPF "; " DKIM "\n" IN
      "by mail.w13.tutanota.de (Postfix) with ESMTPS id 1" D,
      "pass pass pass", "w4.tutanota.de" },
    { "Mimecast",
      IN TLS " by relay.mimecast.com with ESMTP id us-mta-1" D AR "relay.mimecast.com; " ALL "\n",
      "pass pass pass", "relay.mimecast.com" },
    { "Proofpoint",
      "Received: from pps.filterd (m0001.ppops.net [127.0.0.1]) by mx0a-0001.pphosted.com "
      "(8.17.1/8.17.1) with ESMTP id 4" D IN "by mx0a-0001.pphosted.com (PPS) with ESMTPS id 3" D AR
      "ppops.net; " ALL "\n",
      "pass pass pass", "ppops.net" },
    { "Rackspace",
      "Received: from smtp22.gate.iad3a.rsapps.net ([172.27.1.9]) by "
      "director4.mail.ord1d.rsapps.net with LMTP id 1" D AR "smtp22.gate.iad3a.rsapps.net; "
      "iprev=pass policy.iprev=\"93.184.216.34\"; spf=pass smtp.mailfrom=\"joe@a.com\"; dkim=pass "
      "header.d=a.com; dmarc=pass (p=none) header.from=a.com\n" IN
      "by smtp22.gate.iad3a.rsapps.net (Postfix) with ESMTPS id 2" D,
      "pass pass pass", "smtp22.gate.iad3a.rsapps.net" },
    { "OVHcloud",
      "Received: from localhost (HELO queue) (127.0.0.1) by localhost with SMTP" D
      "Received: from unknown (HELO output3.mail.ovh.net) (10.108.101.49) by "
      "mx10.mail.ovh.net with SMTP" D AR "vr27.mail.ovh.net; " ALL "\nReceived: from mail.a.com "
      "(mail.a.com [93.184.216.34]) by vr27.mail.ovh.net (Postfix) with ESMTPS id 4" D,
      "pass pass pass", "vr27.mail.ovh.net" },
    { "Free.fr",
      "Received: from mx26-g26.priv.proxad.net (mx26-g26.priv.proxad.net [172.20.243.96]) by "
      "zimbra9-e2.priv.proxad.net (Postfix) with ESMTP id 1" D IN
      "by mx26-g26.priv.proxad.net (MXproxy) for b@free.fr" D AR "mx26-g26.free.fr; " SPF "; " DKIM
      "\n",
      "pass pass unknown", "mx26-g26.free.fr" },
    { "Seznam",
      "Received: from email-smtpc1b.ng.seznam.cz (10.23.13.15) by email-smtpd17.ng.seznam.cz "
      "(Seznam SMTPD 1.3) with ESMTP" D AR "email-smtpd17.ng.seznam.cz; " ALL "\n" IN
      "by email-smtpc1b.ng.seznam.cz (Seznam SMTPD 1.3) with ESMTPS" D,
      "pass pass pass", "email-smtpd17.ng.seznam.cz" },
    { "QQ Mail",
      "X-QQ-mid: mx1\nReceived: from mail.a.com ([93.184.216.34]) by newxmmxszb17-2.qq.com (NewMX) "
      "with SMTP id 1" D "X-QQ-XMAILINFO: M\n" AR "mx.qq.com; " ALL "\n",
      "pass pass pass", "mx.qq.com" },
    { "Cloudflare Email Routing",
      IN "by email.cloudflare.net (unknown) id 1 for <b@b.com>" D
         "ARC-Seal: i=1; cv=none; d=cloudflare-email.net\n" AR "mx.cloudflare.net; " ALL
         "\nReceived-SPF: pass (mx.cloudflare.net)\n",
      "pass pass pass", "mx.cloudflare.net" },
    { "kernel.org",
      "Received: from smtp.subspace.kernel.org (relay2.subspace.kernel.org [10.30.226.201]) by "
      "smtp.subspace.kernel.org (Postfix) with ESMTPS id 1" D AR "smtp.subspace.kernel.org; " DMARC
      "\n" AR "smtp.subspace.kernel.org; " SPF "\n" AR "smtp.subspace.kernel.org; " DKIM "\n"
      "X-Original-To: b@kernel.org\n" IN TLS " by smtp.subspace.kernel.org (Postfix) with ESMTPS "
      "id 2" D,
      "pass pass pass", "smtp.subspace.kernel.org" },
    { "Postfix, OpenDKIM and OpenDMARC",
      "Received: from localhost (localhost [127.0.0.1]) by mx.b.net (Postfix) with ESMTP id 1" D IN
      "by mx.b.net (Postfix) with ESMTPS id 2" D "DMARC-Filter: OpenDMARC Filter v1.4 mx.b.net "
      "2\n" AR "mx.b.net; " DMARC "\n" AR "mx.b.net; " SPF
      "\nDKIM-Filter: OpenDKIM Filter v2.11 mx.b.net 2\n" AR "mx.b.net; " DKIM "\n",
      "pass pass pass", "mx.b.net" },
    { "Postfix and Rspamd",
      "Received: from mx.b.net ([192.168.1.4]) by mail.b.net with LMTP id 1" D IN
      "by mx.b.net (Postcow) with ESMTPS id 2" D AR "mx.b.net; " ALL "\nX-Rspamd-Queue-Id: 2\n",
      "pass pass pass", "mx.b.net" },
    { "Exim",
      AR "mx.b.net; iprev=pass; " ALL "\nReceived: from mail.a.com ([93.184.216.34]:4567) by "
         "mx.b.net with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384 (Exim 4.96) (envelope-from "
         "<joe@a.com>) id 1" D,
      "pass pass pass", "mx.b.net" },
    { "Exchange behind an edge server with a public address",
      "Received: from edge.b.net (198.41.0.4) by mbx.b.net (10.0.0.5) with Microsoft SMTP Server "
      "id "
      "15.2" D AR "edge.b.net; " SPF "\n" PLAIN "by edge.b.net (198.41.0.4) with Microsoft SMTP "
      "Server id 15.2" D,
      "pass unknown unknown", "edge.b.net" },
    { "Cisco Secure Email",
      "Received: from esa1.b.net ([10.1.1.1]) by mail.b.net with ESMTP" D AR
      "esa1.b.net; spf=Pass smtp.mailfrom=joe@a.com; dkim=pass (signature verified) "
      "header.i=@a.com; dmarc=pass (p=none dis=none) d=a.com\nReceived: from mail.a.com "
      "([93.184.216.34]) by esa1.b.net with ESMTP/TLS/ECDHE-RSA-AES256-GCM-SHA384" D,
      "pass pass pass", "esa1.b.net" },
    { "a mailbox of Gmail, fetched",
      "Received: from pop.gmail.com [142.250.102.108] by localhost with POP3 (fetchmail-6.4.37) "
      "for <b@localhost> (single-drop)" D "Received: by 2002:a05:6402:1234 with SMTP id 1" D IN
      "by mx.google.com with ESMTPS id 3" D AR "mx.google.com; " ALL "\n",
      "pass pass pass", "mx.google.com" },
};

static struct senders *senders;

/* Add forged fields, as if a host of the receiver had written them earlier. */
static void add_forged(const struct row *row, struct buf *out)
{
    struct text ids = text_of(row->ids);
    while (ids.size > 0) {
        struct text id = text_cut(&ids, ' ');
        buf_format(out,
                   "Received: from mx.bank.example (mx.bank.example [93.184.216.40]) by %.*s with "
                   "ESMTPS id 9" D "Received-SPF: permerror (%.*s: forged)\n",
                   (int)id.size, id.bytes, (int)id.size, id.bytes);
        buf_format(out,
                   AR "%.*s; spf=permerror smtp.mailfrom=bank.example; dkim=permerror "
                      "header.d=bank.example; dmarc=permerror header.from=bank.example\n",
                   (int)id.size, id.bytes);
    }
}

/* Add the trace without results. */
static void add_without_results(const char *trace, struct buf *out)
{
    struct text rest = text_of(trace);
    struct text line;
    bool skips = false;
    while (fields_take_line(&rest, &line)) {
        if (line.size > 0 && line.bytes[0] != ' ')
            skips = text_has(line, "Authentication-Results") || text_begins(line, "Received-SPF");
        if (!skips) {
            buf_add(out, line.bytes, line.size);
            buf_add_byte(out, '\n');
        }
    }
}

static void expect(const struct buf *headers, const char *want, bool trusted)
{
    struct analysis *analysis = mem_new(sizeof(*analysis));
    scoped(buf_free) struct buf got = BUF(1024);
    analysis_read(buf_text(headers), senders, NOW_MS, analysis);
    buf_format(&got, "%s %s %s", analysis->auth.spf, analysis->auth.dkim, analysis->auth.dmarc);
    assert_string_equal(buf_str(&got), want);
    assert_int_equal(analysis->auth.trusted, trusted);
    analysis_free(analysis);
    mem_free(&analysis);
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf real = BUF(16384);
    scoped(buf_free) struct buf outvoted = BUF(16384);
    scoped(buf_free) struct buf forged = BUF(16384);

    buf_format(&real, "%s" SENDER, row->trace);
    expect(&real, row->want, true);
    buf_add_str(&outvoted, row->trace);
    add_forged(row, &outvoted);
    buf_add_str(&outvoted, SENDER);
    add_forged(row, &outvoted);
    expect(&outvoted, row->want, true);
    add_without_results(row->trace, &forged);
    add_forged(row, &forged);
    buf_add_str(&forged, SENDER);
    add_forged(row, &forged);
    expect(&forged, "unknown unknown unknown", false);
}

/* The last server's own results, then a second field of the same name that came with the message:
 * a method is not taken twice. */
static void check_adjacent(void **state)
{
    (void)state;
    scoped(buf_free) struct buf headers = BUF(4096);
    buf_add_str(&headers, IN "by mx.b.net (Postfix) with ESMTPS id 2" D AR
                             "mx.b.net; spf=fail smtp.mailfrom=a.com; dkim=none; dmarc=fail\n" AR
                             "mx.b.net; spf=pass smtp.mailfrom=a.com; dkim=pass header.d=a.com; "
                             "dmarc=pass\n" SENDER);
    expect(&headers, "fail none fail", true);
}

/* A client that calls itself a host of the receiver is still outside of it. */
static void check_borrowed_name(void **state)
{
    (void)state;
    static const char *const entries[] = {
        "Received: from x.outlook.com (45.9.9.9) by AM7EUR06FT023.mail.protection.outlook.com "
        "(10.233.255.91) with Microsoft SMTP Server id 15.20",
        "Received: from mx.outlook.com (mx.outlook.com [45.9.9.9] (may be forged)) by "
        "AM7EUR06FT023.mail.protection.outlook.com (8.17/8.17) with ESMTP id 1",
        "Received: from [127.0.0.1] (evil.example [45.9.9.9]) by mx.outlook.com with ESMTP id 1",
    };
    for (size_t i = 0; i < countof(entries); i++) {
        scoped(buf_free) struct buf headers = BUF(4096);
        buf_format(&headers,
                   "%s" D
                   "Received: from a.com (93.184.216.34) by x.outlook.com with ESMTP id 2" D AR
                   "spf=pass smtp.mailfrom=a.com; dkim=pass header.d=a.com; dmarc=pass\n" AR
                   "x.outlook.com; spf=pass; dkim=pass; dmarc=pass\n" SENDER,
                   entries[i]);
        expect(&headers, "unknown unknown unknown", false);
    }
}

int main(void)
{
    static const struct {
        const char *name;
    } adjacent[] = { { "a forged field next to a real one" } },
      borrowed[] = { { "a client with a borrowed name" } };
    if (!senders_load(SOURCE_ROOT "/svc-email", "", &senders, NULL))
        return 1;
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(adjacent, check_adjacent) +
                 RUN_ROWS(borrowed, check_borrowed_name);
    senders_free(&senders);
    return failed;
}
