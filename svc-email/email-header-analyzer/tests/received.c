/* svc-email/email-header-analyzer/tests/received.c - Received fields of many mail servers. */
#include "email-header-analyzer/received.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "rows.h"

#define DATE "Sat, 21 Nov 2026 10:44:00 +0000"

static const struct row {
    const char *name;
    const char *value; /* "; D" at its end is a date */
    const char *want;  /* from, by, protocol, and other members by name; ! after rdns: no reverse
                        * name  found */
    const char *form;
} rows[] = {
    /* clang-format off */
    { "postfix",
      "from mail.a.com (mail.a.com [93.184.216.34]) by mx.b.net (Postfix) with ESMTP id 4F2 for <joe@b.net>; D",
      "mail.a.com mx.b.net ESMTP helo=mail.a.com ip=93.184.216.34 rdns=mail.a.com id=4F2 for=joe@b.net sw=Postfix clear", "postfix" },
    { "postfix, no reverse name",
      "from mail.a.com (unknown [93.184.216.34]) by mx.b.net (Postfix) with SMTP id 4F2; D",
      "mail.a.com mx.b.net SMTP helo=mail.a.com ip=93.184.216.34 rdns=-! id=4F2 sw=Postfix clear", "postfix" },
    { "an address as HELO, private",
      "from [192.168.1.5] (host.a.com [93.184.216.34]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "192.168.1.5 mx.b.net ESMTP helo=192.168.1.5 ip=93.184.216.34 rdns=host.a.com id=1 sw=Postfix clear", "postfix" },
    { "an address as HELO, another's",
      "from [8.8.8.8] (evil.example [45.9.9.9]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "8.8.8.8 mx.b.net ESMTP helo=8.8.8.8 ip=45.9.9.9 rdns=evil.example id=1 sw=Postfix clear", "postfix" },
    { "an address as HELO, of this machine",
      "from [127.0.0.1] (evil.example [45.9.9.9]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "127.0.0.1 mx.b.net ESMTP helo=127.0.0.1 ip=45.9.9.9 rdns=evil.example id=1 sw=Postfix clear", "postfix" },
    { "an address as HELO, IPv6",
      "from [IPv6:2001:db8::5] (unknown [IPv6:2a00:1450::7]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "2001:db8::5 mx.b.net ESMTP helo=2001:db8::5 ip=2a00:1450::7 rdns=-! id=1 sw=Postfix clear", "postfix" },
    { "an address without brackets as HELO",
      "from 10.1.2.3 (r.a.com [93.184.216.34]) by mx.b.net with ESMTP id 1; D",
      "10.1.2.3 mx.b.net ESMTP helo=10.1.2.3 ip=93.184.216.34 rdns=r.a.com id=1 clear", "generic" },
    { "an address as HELO, in Exchange's form",
      "from [10.1.2.3] (93.184.216.34) by mx.b.net (10.0.0.1) with Microsoft SMTP Server id 15.2; D",
      "10.1.2.3 mx.b.net MICROSOFT SMTP SERVER helo=10.1.2.3 ip=93.184.216.34 rdns=- id=15.2 byip=10.0.0.1 clear", "exchange" },
    { "an address as HELO, the connection in a later comment",
      "from [10.1.2.3] (using TLSv1.3 with cipher X-Y-ZZ) (r.a.com [93.184.216.34]) by mx.b.net with ESMTPS id 1; D",
      "10.1.2.3 mx.b.net ESMTPS helo=10.1.2.3 ip=93.184.216.34 rdns=r.a.com id=1 v=TLSv1.3 c=X-Y-ZZ tls", "generic" },
    { "qmail, an address as HELO",
      "from r.a.com (HELO [192.168.1.5]) (93.184.216.34) by mx.b.net with SMTP; D",
      "r.a.com mx.b.net SMTP helo=192.168.1.5 ip=93.184.216.34 rdns=r.a.com clear", "qmail" },
    { "exim, an address as HELO",
      "from [93.184.216.34] (port=4567 helo=[192.168.1.5]) by mx.b.net with esmtp (Exim 4.96) id 1; D",
      "93.184.216.34 mx.b.net ESMTP helo=192.168.1.5 ip=93.184.216.34 rdns=- id=1 clear", "exim" },
    { "the name localhost from elsewhere",
      "from localhost (evil.example [45.9.9.9]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "localhost mx.b.net ESMTP helo=localhost ip=45.9.9.9 rdns=evil.example id=1 sw=Postfix clear", "postfix" },
    { "a protocol with TLS in its name",
      "from h.a.com (r.a.com [93.184.216.34]) by mx.b.net with ESMTP-TLS id 1; D",
      "h.a.com mx.b.net ESMTPS helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=1 tls", "generic" },
    { "exim, local, encrypted",
      "from h.a.com ([93.184.216.34]) by mx.b.net with local-esmtps (Exim 4.96) id 1; D",
      "h.a.com mx.b.net ESMTPS helo=h.a.com ip=93.184.216.34 rdns=- id=1 tls", "exim" },
    { "exim, local",
      "from h.a.com ([93.184.216.34]) by mx.b.net with local-smtp (Exim 4.96) id 1; D",
      "h.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 clear", "exim" },
    { "postfix, TLS",
      "from h.a.com (r.a.com [93.184.216.34]) (using TLSv1.2 with cipher ECDHE-RSA-AES256-GCM-SHA384 (256/256 bits)) (No client certificate requested) by mx.b.net (Postfix) with ESMTPS id 4F2; D",
      "h.a.com mx.b.net ESMTPS helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=4F2 sw=Postfix v=TLSv1.2 c=ECDHE-RSA-AES256-GCM-SHA384 tls", "postfix" },
    { "postfix, a user",
      "from laptop (r.a.com [93.184.216.34]) (Authenticated sender: joe) by mx.b.net (Postfix) with ESMTPSA id 4F2; D",
      "laptop mx.b.net ESMTPSA helo=laptop ip=93.184.216.34 rdns=r.a.com id=4F2 sw=Postfix user=joe tls auth", "postfix" },
    { "postfix, IPv6",
      "from h.a.com (unknown [IPv6:2a00:1450:4864:20::0001]) by mx.b.net (Postfix) with ESMTP id 1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=2a00:1450:4864:20::1 rdns=-! id=1 sw=Postfix clear", "postfix" },
    { "postfix, envelope behind for",
      "from h.a.com (r.a.com[93.184.216.34]) by mx.b.net with ESMTP id 1 for <a@b.net> from <c@d.com>; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=1 for=a@b.net env=c@d.com clear", "generic" },
    { "sendmail",
      "from h.a.com (r.a.com [93.184.216.34]) by mx.b.net (8.15.2/8.15.2) with ESMTP id x1 for <joe@b.net>; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=x1 for=joe@b.net sw=8.15.2/8.15.2 clear", "sendmail" },
    { "sendmail, may be forged",
      "from h.a.com (r.a.com [93.184.216.34] (may be forged)) by mx.b.net (8.15.2/8.15.2) with ESMTP id x1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=x1 sw=8.15.2/8.15.2 clear", "sendmail" },
    { "sendmail, identd",
      "from h.a.com (IDENT:root@r.a.com [93.184.216.34]) by mx.b.net (8.9.3/8.9.3) with SMTP id x1; D",
      "h.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=x1 sw=8.9.3/8.9.3 clear", "sendmail" },
    { "sendmail, softdnserr",
      "from h.a.com (softdnserr [93.184.216.34]) by mx.b.net with ESMTP id x1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=-! id=x1 clear", "generic" },
    { "sendmail, user at an address",
      "from h.a.com (joe@[93.184.216.34]) by mx.b.net with ESMTP id x1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=x1 clear", "generic" },
    { "sendmail, submission",
      "(from joe@h.a.com) by h.a.com (8.15.2/8.15.2/Submit) id x1; D",
      "joe@h.a.com h.a.com - helo=- ip=- rdns=- id=x1 sw=8.15.2/8.15.2/Submit", "sendmail" },
    { "sendmail, a home user",
      "(joe@localhost) by h.a.com (8.9.3/8.9.3) id x1; D",
      "joe@localhost h.a.com - helo=- ip=- rdns=- id=x1 sw=8.9.3/8.9.3", "sendmail" },
    { "exim, an address first",
      "from [93.184.216.34] (helo=h.a.com) by mx.b.net with esmtp (Exim 4.94.2) id 1abc; D",
      "93.184.216.34 mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1abc clear", "exim" },
    { "exim, with a port",
      "from [93.184.216.34]:4567 (helo=h.a.com) by mx.b.net with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384 (Exim 4.94.2) (envelope-from <c@a.com>) id 1abc for joe@b.net; D",
      "93.184.216.34 mx.b.net ESMTPS helo=h.a.com ip=93.184.216.34 rdns=- id=1abc for=joe@b.net v=TLSv1.3 c=TLS_AES_256_GCM_SHA384 env=c@a.com tls", "exim" },
    { "exim, a name first",
      "from r.a.com ([93.184.216.34] helo=h.a.com ident=joe) by mx.b.net with smtp (Exim 4.72) id 1abc; D",
      "r.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=1abc clear", "exim" },
    { "exim, a name and a port",
      "from r.a.com ([93.184.216.34]:4567) by mx.b.net with esmtp id 1abc; D",
      "r.a.com mx.b.net ESMTP helo=r.a.com ip=93.184.216.34 rdns=- id=1abc clear", "generic" },
    { "exim, local",
      "from joe by h.a.com with local (Exim 4.72) (envelope-from <joe@a.com>) id 1abc; D",
      "joe h.a.com LOCAL helo=joe ip=- rdns=- id=1abc env=joe@a.com", "exim" },
    { "exim, TLS with its cipher",
      "from r.a.com ([93.184.216.34]) by mx.b.net with esmtps (TLSv1.2:ECDHE-RSA-AES256-GCM-SHA384:256) (Exim 4.90) id 1; D",
      "r.a.com mx.b.net ESMTPS helo=r.a.com ip=93.184.216.34 rdns=- id=1 v=TLSv1.2 c=ECDHE-RSA-AES256-GCM-SHA384 tls", "exim" },
    { "exim, TLS with a hyphen",
      "from r.a.com ([93.184.216.34]) by mx.b.net with esmtps (TLS-1.0:RSA_AES_256_CBC_SHA1:32) (Exim 4.30) id 1; D",
      "r.a.com mx.b.net ESMTPS helo=r.a.com ip=93.184.216.34 rdns=- id=1 v=TLSv1.0 c=RSA_AES_256_CBC_SHA1 tls", "exim" },
    { "exim, port and helo",
      "from [93.184.216.34] (port=1234 helo=h.a.com) by mx.b.net with esmtp id 1; D",
      "93.184.216.34 mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 clear", "exim" },
    { "qmail",
      "from r.a.com (HELO h.a.com) (93.184.216.34) by mx.b.net with SMTP; D",
      "r.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com clear", "qmail" },
    { "qmail, unknown name",
      "from unknown (HELO h.a.com) ([93.184.216.34]) by mx.b.net with SMTP; D",
      "unknown mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=-! clear", "qmail" },
    { "qmail, a user",
      "from r.a.com (HELO h.a.com) (joe@93.184.216.34) by mx.b.net with ESMTPA; D",
      "r.a.com mx.b.net ESMTPA helo=h.a.com ip=93.184.216.34 rdns=r.a.com clear auth", "qmail" },
    { "qmail, EHLO",
      "from r.a.com (EHLO h.a.com) (93.184.216.34) by mx.b.net with SMTP; D",
      "r.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com clear", "qmail" },
    { "qmail, encrypted",
      "from r.a.com (HELO h.a.com) (93.184.216.34) by mx.b.net with (AES256-GCM-SHA384 encrypted) SMTP; D",
      "r.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=r.a.com c=AES256-GCM-SHA384 tls", "qmail" },
    { "qmail, a program",
      "(qmail 1234 invoked by uid 500); D",
      "- - - helo=- ip=- rdns=- internal", "qmail" },
    { "qmail, the network",
      "(qmail 1234 invoked from network); D",
      "- - - helo=- ip=- rdns=- internal", "qmail" },
    { "qmail, an address alone",
      "from r.a.com (93.184.216.34) by mx.b.net with SMTP; D",
      "r.a.com mx.b.net SMTP helo=r.a.com ip=93.184.216.34 rdns=- clear", "generic" },
    { "exchange",
      "from AM0.eurprd05.prod.outlook.com (2603:10a6:208:ac::17) by VI1.eurprd05.prod.outlook.com (2603:10a6:800:b2::12) with Microsoft SMTP Server (version=TLS1_2, cipher=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) id 15.20.4755.22; D",
      "AM0.eurprd05.prod.outlook.com VI1.eurprd05.prod.outlook.com MICROSOFT SMTP SERVER helo=AM0.eurprd05.prod.outlook.com ip=2603:10a6:208:ac::17 rdns=- id=15.20.4755.22 byip=2603:10a6:800:b2::12 v=TLSv1.2 c=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 tls", "exchange" },
    { "exchange, mapi",
      "from SRV1.a.local ([fe80::1%6]) by SRV1.a.local ([fe80::1%6]) with mapi id 14.03.0123.003; D",
      "SRV1.a.local SRV1.a.local MAPI helo=SRV1.a.local ip=fe80::1 rdns=- id=14.03.0123.003 byip=fe80::1 internal", "exchange" },
    { "exchange, front end",
      "from h.a.com (93.184.216.34) by mx.b.net (10.152.18.7) with Microsoft SMTP Server id 15.20.1.1 via Frontend Transport; D",
      "h.a.com mx.b.net MICROSOFT SMTP SERVER helo=h.a.com ip=93.184.216.34 rdns=- id=15.20.1.1 via=Frontend Transport byip=10.152.18.7 clear", "exchange" },
    { "exchange, SMTPSVC",
      "from h.a.com ([93.184.216.34]) by mx.b.net with Microsoft SMTPSVC(6.0.3790.4675); D",
      "h.a.com mx.b.net MICROSOFT SMTP SERVER helo=h.a.com ip=93.184.216.34 rdns=- clear", "exchange" },
    { "exchange, unverified",
      "from h.a.com ([93.184.216.34] unverified) by mx.b.net with Microsoft SMTPSVC(5.0); D",
      "h.a.com mx.b.net MICROSOFT SMTP SERVER helo=h.a.com ip=93.184.216.34 rdns=-! clear", "exchange" },
    { "exchange, RDNS failed",
      "from h.a.com ([93.184.216.34] RDNS failed) by mx.b.net with Microsoft SMTPSVC(6.0); D",
      "h.a.com mx.b.net MICROSOFT SMTP SERVER helo=h.a.com ip=93.184.216.34 rdns=-! clear", "exchange" },
    { "exchange, pickup",
      "from mail pickup service by h.a.com with Microsoft SMTPSVC; D",
      "mail pickup service h.a.com MICROSOFT SMTP SERVER helo=- ip=- rdns=- clear internal", "exchange" },
    { "outlook.com",
      "from AM0.eurprd05.prod.outlook.com (2603:10a6:208::1) by AM9.eurprd05.prod.outlook.com with HTTPS via AS8.eurprd05.prod.outlook.com; D",
      "AM0.eurprd05.prod.outlook.com AM9.eurprd05.prod.outlook.com HTTPS helo=AM0.eurprd05.prod.outlook.com ip=2603:10a6:208::1 rdns=- via=AS8.eurprd05.prod.outlook.com tls", "outlook" },
    { "gmail, inside",
      "by 2002:a05:6a10:1234:0:0:0:0 with SMTP id a12csp123; D",
      "- 2002:a05:6a10:1234:0:0:0:0 SMTP helo=- ip=- rdns=- id=a12csp123 internal", "gmail" },
    { "gmail",
      "from h.a.com (h.a.com. [93.184.216.34]) by mx.google.com with ESMTPS id z1si2 for <joe@gmail.com> (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256); D",
      "h.a.com mx.google.com ESMTPS helo=h.a.com ip=93.184.216.34 rdns=h.a.com id=z1si2 for=joe@gmail.com v=TLSv1.3 c=TLS_AES_256_GCM_SHA384 tls", "gmail" },
    { "gmail, by its interface",
      "from named unknown by gmailapi.google.com with HTTPREST; D",
      "named gmailapi.google.com HTTPREST helo=named ip=- rdns=- auth", "gmail-api" },
    { "gmail, without from",
      "by mail-a1.google.com with SMTP id a1so2 for <joe@b.net>; D",
      "- mail-a1.google.com SMTP helo=- ip=- rdns=- id=a1so2 for=joe@b.net internal", "generic" },
    { "yahoo, web",
      "from [93.184.216.34] by web1.mail.yahoo.com via HTTP; D",
      "93.184.216.34 web1.mail.yahoo.com - helo=- ip=93.184.216.34 rdns=- via=HTTP auth", "yahoo" },
    { "yahoo, inside",
      "from 127.0.0.1 by smtp1.mail.yahoo.com with NNFMP; D",
      "127.0.0.1 smtp1.mail.yahoo.com NNFMP helo=- ip=127.0.0.1 rdns=- internal", "yahoo" },
    { "yahoo, in",
      "from 93.184.216.34 (EHLO h.a.com) (93.184.216.34) by mta1.mail.yahoo.com with SMTP; D",
      "93.184.216.34 mta1.mail.yahoo.com SMTP helo=h.a.com ip=93.184.216.34 rdns=- clear", "yahoo" },
    { "squirrelmail",
      "from 93.184.216.34 (SquirrelMail authenticated user joe) by webmail.a.com with HTTP; D",
      "93.184.216.34 webmail.a.com HTTP helo=- ip=93.184.216.34 rdns=- user=joe auth", "squirrelmail" },
    { "horde",
      "from r.a.com ([93.184.216.34]) by webmail.a.com (Horde Framework) with HTTP; D",
      "r.a.com webmail.a.com HTTP helo=r.a.com ip=93.184.216.34 rdns=- sw=Horde Framework auth", "horde" },
    { "roundcube",
      "from r.a.com ([93.184.216.34]) by webmail.a.com with HTTP (HTTP/1.1 POST); D",
      "r.a.com webmail.a.com HTTP helo=r.a.com ip=93.184.216.34 rdns=- auth", "roundcube" },
    { "fetchmail",
      "from pop.a.com [93.184.216.34] by localhost with POP3 (fetchmail-6.3.26) for <joe@localhost> (single-drop); D",
      "pop.a.com localhost POP3 helo=pop.a.com ip=93.184.216.34 rdns=- for=joe@localhost", "fetchmail" },
    { "getmail",
      "from pop.a.com (93.184.216.34) by laptop with POP3 (getmail 5.5); D",
      "pop.a.com laptop POP3 helo=pop.a.com ip=93.184.216.34 rdns=-", "getmail" },
    { "xmail",
      "from h.a.com (93.184.216.34:4567) by mx.b.net with [XMail 1.27 ESMTP Server] id <S1> for <joe@b.net>; D",
      "h.a.com mx.b.net - helo=h.a.com ip=93.184.216.34 rdns=- id=S1 for=joe@b.net", "xmail" },
    { "momentum",
      "from [93.184.216.34] ([93.184.216.34:4567] helo=h.a.com) by mx.b.net (envelope-from <c@a.com>) (ecelerity 3.6.1 r(1)) with ESMTP id 1; D",
      "93.184.216.34 mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 sw=ecelerity 3.6.1 r(1) env=c@a.com clear", "momentum" },
    { "mdaemon",
      "from h.a.com [93.184.216.34] by mx.b.net (MDaemon PRO v20.0.0) with ESMTP id md1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=md1 sw=MDaemon PRO v20.0.0 clear", "mdaemon" },
    { "smap",
      "from r.a.com(93.184.216.34, HELO h.a.com) by mx.b.net via smap (V2.0) id x1; D",
      "r.a.com mx.b.net - helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=x1 via=smap", "smap" },
    { "powermta",
      "from h.a.com (93.184.216.34) by mx.b.net (PowerMTA(TM) v4.5) id h1 for <joe@b.net>; D (envelope-from <c@a.com>)",
      "h.a.com mx.b.net - helo=h.a.com ip=93.184.216.34 rdns=- id=h1 for=joe@b.net sw=PowerMTA(TM) v4.5 env=c@a.com", "powermta" },
    { "domino",
      "from h.a.com ([93.184.216.34]) by mx.b.net (Lotus Domino Release 8.5.3) with ESMTP id 2026; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=2026 sw=Lotus Domino Release 8.5.3 clear", "domino" },
    { "communigate",
      "from [93.184.216.34] (account joe@b.net HELO h.a.com) by mx.b.net (CommuniGate Pro SMTP 6.2) with ESMTPSA id 1; D",
      "93.184.216.34 mx.b.net ESMTPSA helo=h.a.com ip=93.184.216.34 rdns=- id=1 sw=CommuniGate Pro SMTP 6.2 user=joe@b.net tls auth", "communigate" },
    { "communigate, verified",
      "from r.a.com ([93.184.216.34] verified) by mx.b.net (CommuniGate Pro SMTP 5.4) with ESMTP id 1; D",
      "r.a.com mx.b.net ESMTP helo=r.a.com ip=93.184.216.34 rdns=- id=1 sw=CommuniGate Pro SMTP 5.4 clear", "communigate" },
    { "haraka",
      "from h.a.com (r.a.com [93.184.216.34]) by mx.b.net (Haraka/2.8.25) with ESMTPSA id 1 envelope-from <c@a.com> (authenticated bits=0); D",
      "h.a.com mx.b.net ESMTPSA helo=h.a.com ip=93.184.216.34 rdns=r.a.com id=1 sw=Haraka/2.8.25 env=c@a.com tls auth", "haraka" },
    { "zimbra",
      "from localhost (LHLO zimbra.a.com) (127.0.0.1) by zimbra.a.com with LMTP; D",
      "localhost zimbra.a.com LMTP helo=zimbra.a.com ip=127.0.0.1 rdns=localhost clear internal", "zimbra" },
    { "scalix",
      "from h.a.com ( 93.184.216.34) by mx.b.net (Scalix SMTP Relay 11.4) via ESMTP; D",
      "h.a.com mx.b.net - helo=h.a.com ip=93.184.216.34 rdns=- via=ESMTP sw=Scalix SMTP Relay 11.4", "scalix" },
    { "barracuda",
      "from h.a.com (h.a.com [93.184.216.34]) by barracuda.b.net with ESMTP id x1; D",
      "h.a.com barracuda.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=h.a.com id=x1 clear", "barracuda" },
    { "ironport",
      "from unknown (HELO h.a.com) ([93.184.216.34]) by ironport.b.net with ESMTP; D",
      "unknown ironport.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=-! clear", "ironport" },
    { "proofpoint",
      "from pps.filterd (m1.ppops.net [127.0.0.1]) by m1.ppops.net (8.17.1/8.17.1) with ESMTP id 1; D",
      "pps.filterd m1.ppops.net ESMTP helo=pps.filterd ip=127.0.0.1 rdns=m1.ppops.net id=1 sw=8.17.1/8.17.1 clear internal", "proofpoint" },
    { "sophos",
      "from h.a.com (93.184.216.34) by mx.b.net (Sophos PureMessage) with smtp id 1; D",
      "h.a.com mx.b.net SMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 sw=Sophos PureMessage clear", "sophos" },
    { "ses",
      "from a1-2.smtp-out.amazonses.com (a1-2.smtp-out.amazonses.com [54.240.1.2]) by mx.b.net with ESMTPS id 1; D",
      "a1-2.smtp-out.amazonses.com mx.b.net ESMTPS helo=a1-2.smtp-out.amazonses.com ip=54.240.1.2 rdns=a1-2.smtp-out.amazonses.com id=1 tls", "ses" },
    { "sendgrid, no semicolon",
      "by recvd-1-canary with SMTP id recvd-1-abc-20-2 D (UTC)",
      "- recvd-1-canary SMTP helo=- ip=- rdns=- id=recvd-1-abc-20-2 internal", "sendgrid" },
    { "listserv",
      "by LISTSERV.A.COM (LISTSERV-TCP/IP release 16.5) with spool id 123 for JOE@A.COM; D",
      "- LISTSERV.A.COM SPOOL helo=- ip=- rdns=- id=123 for=JOE@A.COM sw=LISTSERV-TCP/IP release 16.5 internal", "listserv" },
    { "amavis",
      "from mx.b.net ([127.0.0.1]) by localhost (mx.b.net [127.0.0.1]) (amavisd-new, port 10024) with ESMTP id 1; D",
      "mx.b.net localhost ESMTP helo=mx.b.net ip=127.0.0.1 rdns=- id=1 byip=127.0.0.1 sw=amavisd-new, port 10024 clear internal", "amavis" },
    { "spamassassin",
      "from localhost by mx.b.net with SpamAssassin (version 3.4.6); D",
      "localhost mx.b.net - helo=localhost ip=- rdns=- internal", "spamassassin" },
    { "address with a port",
      "from [93.184.216.34.63559] by mx.b.net with SMTP; D",
      "93.184.216.34 mx.b.net SMTP helo=- ip=93.184.216.34 rdns=- clear", "generic" },
    { "a mapped address",
      "from h.a.com ([::ffff:93.184.216.34]) by mx.b.net with ESMTP id 1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 clear", "generic" },
    { "no such address",
      "from h.a.com ([93.184.216.340]) by mx.b.net with ESMTP id 1; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=- rdns=- id=1 clear", "generic" },
    { "clauses in another order",
      "by mx.b.net id 1 with ESMTP from h.a.com ([93.184.216.34]); D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 clear", "generic" },
    { "with inside a comment",
      "from a.com (with cipher x by y id z) by mx.b.net; D",
      "a.com mx.b.net - helo=a.com ip=- rdns=-", "generic" },
    { "Go's time",
      "from h.a.com (93.184.216.34) by mx.b.net with ESMTP id 1; 2026-11-21 10:44:00.123 +0000 UTC m=+0.1",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- id=1 clear", "generic" },
    { "a date alone",
      "D",
      "- - - helo=- ip=- rdns=- internal", "unparsed" },
    { "words",
      "complete nonsense",
      "- - - helo=- ip=- rdns=- internal undated", "unparsed" },
    { "a bracket without end",
      "from h.a.com (r.a.com [93.184.216.34] by mx.b.net with ESMTP; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=93.184.216.34 rdns=- clear", "generic" },
    { "a bracket too much",
      "from h.a.com) by mx.b.net) with ESMTP; D",
      "h.a.com mx.b.net ESMTP helo=h.a.com ip=- rdns=- clear", "generic" },
    /* clang-format on */
};

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

static void describe(const struct hop *hop, struct buf *out)
{
    const struct {
        const char *name;
        const char *value;
    } values[] = {
        { "id", hop->id },        { "for", hop->recipient },  { "via", hop->via },
        { "byip", hop->by_ip },   { "sw", hop->software },    { "v", hop->tls_version },
        { "c", hop->tls_cipher }, { "user", hop->auth_user }, { "env", hop->envelope_from },
    };
    static const char *const tls[] = { "", " clear", " tls" };
    buf_format(out, "%s %s %s helo=%s ip=%s rdns=%s%s", or_dash(hop->from), or_dash(hop->by),
               or_dash(hop->protocol), or_dash(hop->helo), or_dash(hop->from_ip),
               or_dash(hop->from_rdns), hop->has_no_reverse ? "!" : "");
    for (size_t i = 0; i < countof(values); i++)
        if (values[i].value)
            buf_format(out, " %s=%s", values[i].name, values[i].value);
    buf_format(out, "%s%s%s%s", tls[hop->tls], hop->authenticated ? " auth" : "",
               hop->internal ? " internal" : "",
               hop->date_fit == MAIL_DATE_WHOLE ? "" : " undated");
}

/* Append the row's value with its dates. */
static void add_value(const char *value, struct buf *out)
{
    for (; *value; value++) {
        bool is_date = value[0] == 'D' && (value[1] == '\0' || value[1] == ' ') &&
                       (out->size == 0 || buf_str(out)[out->size - 1] == ' ');
        if (is_date)
            buf_add_str(out, DATE);
        else
            buf_add_byte(out, *value);
    }
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(arena_free) struct arena arena = { 0 };
    scoped(buf_free) struct buf value = BUF(4096);
    scoped(buf_free) struct buf got = BUF(4096);
    struct hop hop;

    add_value(row->value, &value);
    received_read(buf_text(&value), &arena, &hop);
    describe(&hop, &got);
    assert_string_equal(buf_str(&got), row->want);
    assert_string_equal(hop.form, row->form);
    if (hop.date_fit == MAIL_DATE_WHOLE)
        assert_int_equal(hop.date_s, 1795257840);
}

int main(void)
{
    return RUN_ROWS(rows, check);
}
