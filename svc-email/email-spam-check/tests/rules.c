/* svc-email/email-spam-check/tests/rules.c - each rule, once where it fires and once where it
 * nearly does. */
#include <string.h>

#include "email-spam-check/check.h"
#include "expect.h"

#define TEXT20                                                                                  \
    "The meeting moved to the room beside the library, because the other one gets new windows " \
    "this week and is closed. "
#define TEXT40 \
    TEXT20 "Bring the plans for the garden with you, and the list of plants that you made. "
#define TEXT120 TEXT40 TEXT40 "Then we can walk over the field before it gets dark again outside. "

enum part { IN_SUBJECT, IN_BODY, IN_HTML, IN_LINK, IN_FROM, IN_REPLY, IN_RAW };

static const struct row {
    const char *name; /* of the rule */
    enum part part;
    bool fires;
    const char *text;
} rows[] = {
    /* clang-format off */
    { "SUBJECT_MISSING", IN_SUBJECT, true, " " },
    { "SUBJECT_MISSING", IN_SUBJECT, false, "x" },
    { "SUBJECT_ALL_CAPS", IN_SUBJECT, true, "READ THIS NOW" },
    { "SUBJECT_ALL_CAPS", IN_SUBJECT, false, "NATO SUMMIT in spring" },
    { "SUBJECT_CAPS_WORDS", IN_SUBJECT, true, "The NATO and UNESCO papers of this year" },
    { "SUBJECT_CAPS_WORDS", IN_SUBJECT, false, "The NATO papers of this year" },
    { "SUBJECT_EXCLAMATIONS", IN_SUBJECT, true, "Hello! you!" },
    { "SUBJECT_EXCLAMATIONS", IN_SUBJECT, false, "Hello you!" },
    { "SUBJECT_EXCLAMATION", IN_SUBJECT, true, "Hello you!" },
    { "SUBJECT_EXCLAMATION", IN_SUBJECT, false, "Hello you" },
    { "SUBJECT_BANG_QUESTION", IN_SUBJECT, true, "Really?!" },
    { "SUBJECT_BANG_QUESTION", IN_SUBJECT, false, "Really?" },
    { "SUBJECT_MONEY", IN_SUBJECT, true, "The $1,000 question" },
    { "SUBJECT_MONEY", IN_SUBJECT, true, "5 million reasons" },
    { "SUBJECT_MONEY", IN_SUBJECT, false, "The 1,000 questions" },
    { "SUBJECT_PERCENT", IN_SUBJECT, true, "20% more" },
    { "SUBJECT_PERCENT", IN_SUBJECT, false, "20 more" },
    { "SUBJECT_LONG", IN_SUBJECT, true, "1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 12345" },
    { "SUBJECT_LONG", IN_SUBJECT, false, "1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 123" },
    { "SUBJECT_VERY_LONG", IN_SUBJECT, true, TEXT40 },
    { "SUBJECT_VERY_LONG", IN_SUBJECT, false, TEXT20 },
    { "SUBJECT_FAKE_REPLY", IN_SUBJECT, true, "Re: our talk" },
    { "SUBJECT_FAKE_REPLY", IN_SUBJECT, true, "AW[2]: our talk" },
    { "SUBJECT_FAKE_REPLY", IN_SUBJECT, false, "Regarding: our talk" },
    { "SUBJECT_FAKE_REPLY", IN_RAW, false, "From: a@b.c\nTo: d\nSubject: Re: x\nIn-Reply-To: <1@b>\n\nYes.\n" },
    { "SUBJECT_FAKE_REPLY", IN_RAW, false, "From: a@b.c\nTo: d\nSubject: Re: x\n\nYes.\n\n> Did you?\n" },
    { "SUBJECT_GAPPY", IN_SUBJECT, true, "H e l l o there" },
    { "SUBJECT_GAPPY", IN_SUBJECT, false, "H e l p there" },
    { "SUBJECT_DISGUISED_WORD", IN_SUBJECT, true, "Cheap v1agra" },
    { "SUBJECT_DISGUISED_WORD", IN_SUBJECT, false, "Room v1ag2" },
    { "SUBJECT_MIXED_SCRIPT", IN_SUBJECT, true, "P\xD0\xB0ypal" },
    { "SUBJECT_MIXED_SCRIPT", IN_SUBJECT, false, "Письмо from Joe" },
    { "SUBJECT_STYLED_LETTERS", IN_SUBJECT, true, "\U0001D400\U0001D401\U0001D402 x" },
    { "SUBJECT_STYLED_LETTERS", IN_SUBJECT, false, "\U0001D400\U0001D401 x" },
    { "SUBJECT_EMOJI_HEAVY", IN_SUBJECT, true, "\U0001F600 a \U0001F600 b \U0001F600" },
    { "SUBJECT_EMOJI_HEAVY", IN_SUBJECT, false, "\U0001F600 a \U0001F600 b" },
    { "SUBJECT_URL", IN_SUBJECT, true, "See http://a.example/b" },
    { "SUBJECT_URL", IN_SUBJECT, false, "See a.example" },
    { "SUBJECT_TOPIC", IN_SUBJECT, true, "Work from home" },
    { "SUBJECT_TOPIC", IN_SUBJECT, false, "Work at the office" },
    { "SUBJECT_HYPE", IN_SUBJECT, true, "Last chance to see it" },
    { "SUBJECT_HYPE", IN_SUBJECT, false, "The last one to see it, in freedom" },
    { "SUBJECT_ACCOUNT_ALARM", IN_SUBJECT, true, "Your account is suspended" },
    { "SUBJECT_ACCOUNT_ALARM", IN_SUBJECT, false, "Your account statement" },
    { "SUBJECT_TRACKING_CODE", IN_SUBJECT, true, "See you on the weekend x7k2pq9" },
    { "SUBJECT_TRACKING_CODE", IN_SUBJECT, true, "See you soon      qkdj" },
    { "SUBJECT_TRACKING_CODE", IN_SUBJECT, false, "See you soon      42" },
    { "SUBJECT_TRACKING_CODE", IN_SUBJECT, false, "News about windows11" },
    { "SUBJECT_PUNCTUATION_RUN", IN_SUBJECT, true, "Wait...." },
    { "SUBJECT_PUNCTUATION_RUN", IN_SUBJECT, false, "Wait..." },
    { "SUBJECT_ADV_TAG", IN_SUBJECT, true, "ADV: something" },
    { "SUBJECT_ADV_TAG", IN_SUBJECT, true, "(광고) 소식" },
    { "SUBJECT_ADV_TAG", IN_SUBJECT, false, "ADVENT calendar" },
    { "SUBJECT_RECIPIENT_TOKEN", IN_SUBJECT, true, "For joe@example.com" },
    { "SUBJECT_RECIPIENT_TOKEN", IN_SUBJECT, false, "For joe at example.com" },

    { "GTUBE", IN_BODY, true, "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X" },
    { "GTUBE", IN_BODY, false, "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE" },
    { "TOPIC_ADVANCE_FEE", IN_BODY, true, "I am the next of kin of the beneficiary and a barrister." },
    { "TOPIC_ADVANCE_FEE", IN_BODY, false, "I am the next of kin and a barrister." },
    { "TOPIC_LOTTERY", IN_BODY, true, "Here are the winning numbers." },
    { "TOPIC_LOTTERY", IN_BODY, false, "The winning side had bigger numbers." },
    { "TOPIC_PHARMACY", IN_BODY, true, "Buy cialis here." },
    { "TOPIC_PHARMACY", IN_BODY, false, "Ask a specialist here." },
    { "TOPIC_ENHANCEMENT", IN_BODY, true, "The best male enhancement." },
    { "TOPIC_ENHANCEMENT", IN_BODY, false, "The best image enhancement." },
    { "TOPIC_ADULT", IN_BODY, true, "Watch hot girls." },
    { "TOPIC_ADULT", IN_BODY, false, "Watch hot pans." },
    { "TOPIC_REPLICA", IN_BODY, true, "Sells replica watches." },
    { "TOPIC_REPLICA", IN_BODY, false, "Sells watches; the database has a replica." },
    { "TOPIC_MAKE_MONEY", IN_BODY, true, "You can make $5,000 there." },
    { "TOPIC_MAKE_MONEY", IN_BODY, false, "You can make 5,000 there." },
    { "TOPIC_CREDIT", IN_BODY, true, "A payday loan for you." },
    { "TOPIC_CREDIT", IN_BODY, false, "The payday is on Friday." },
    { "TOPIC_INSURANCE", IN_BODY, true, "Compare auto insurance and get a quote." },
    { "TOPIC_INSURANCE", IN_BODY, false, "Your car insurance ends in May." },
    { "TOPIC_WEIGHT_LOSS", IN_BODY, true, "You will lose 20 pounds." },
    { "TOPIC_WEIGHT_LOSS", IN_BODY, false, "You will lose nothing." },
    { "TOPIC_STOCKS", IN_BODY, true, "A penny stock to watch." },
    { "TOPIC_STOCKS", IN_BODY, false, "Not a penny; the stock is empty." },
    { "TOPIC_DIPLOMA", IN_BODY, true, "A diploma with no exams." },
    { "TOPIC_DIPLOMA", IN_BODY, false, "A diploma after the exams." },
    { "TOPIC_BULK_MAIL", IN_BODY, true, "We sell bulk email." },
    { "TOPIC_BULK_MAIL", IN_BODY, false, "We sell flour in bulk." },
    { "TOPIC_GAMBLING", IN_BODY, true, "Get free spins." },
    { "TOPIC_GAMBLING", IN_BODY, false, "The wheel spins freely." },
    { "TOPIC_CRYPTO", IN_BODY, true, "Bitcoin brings you a profit." },
    { "TOPIC_CRYPTO", IN_BODY, false, "Bitcoin is a protocol." },
    { "TOPIC_SEO_OUTREACH", IN_BODY, true, "You will be on the first page of Google." },
    { "TOPIC_SEO_OUTREACH", IN_BODY, false, "It is on the first page of the book." },
    { "TOPIC_ODD_GOODS", IN_BODY, true, "A cable descrambler." },
    { "TOPIC_ODD_GOODS", IN_BODY, false, "A cable for the scanner." },
    { "TOPIC_JOB_BAIT", IN_BODY, true, "No experience needed for this." },
    { "TOPIC_JOB_BAIT", IN_BODY, false, "Some experience needed for this." },
    { "TOPIC_DELIVERY_BAIT", IN_BODY, true, "Your parcel is held, see https://a.example/x" },
    { "TOPIC_DELIVERY_BAIT", IN_BODY, false, "Your parcel is held." },
    { "PHISH_VERIFY", IN_BODY, true, "Please verify your account." },
    { "PHISH_VERIFY", IN_BODY, false, "You signed up; please verify your account." },
    { "PHISH_SUSPENSION", IN_BODY, true, "Your account has been suspended." },
    { "PHISH_SUSPENSION", IN_BODY, false, "We will answer within 24 hours." },
    { "PHISH_SENSITIVE_DATA", IN_BODY, true, "Tell us your card number." },
    { "PHISH_SENSITIVE_DATA", IN_BODY, false, "We never ask for your card number." },
    { "PHISH_COMBO", IN_BODY, true, "Verify your account or it will be suspended: https://z.example/" },
    { "PHISH_COMBO", IN_BODY, false, "Verify your account: https://z.example/" },
    { "EXTORTION", IN_BODY, true, "I recorded you. Pay in bitcoin." },
    { "EXTORTION", IN_BODY, false, "I recorded you at the concert." },
    { "EXEC_FRAUD", IN_BODY, true, "Are you available? I need gift cards." },
    { "EXEC_FRAUD", IN_BODY, false, "Are you available on Monday?" },
    { "SCAM_BANK_CHANGE", IN_BODY, true, "Our bank details have changed. Send payments there." },
    { "SCAM_BANK_CHANGE", IN_BODY, false, "Our bank details have not changed. Beware of fraud with payments." },
    { "SCAM_SEED_PHRASE", IN_BODY, true, "Enter your recovery phrase to go on." },
    { "SCAM_SEED_PHRASE", IN_BODY, false, "Keep your recovery phrase on paper." },
    { "SCAM_GIFT_CARDS", IN_BODY, true, "Buy gift cards and send me the codes." },
    { "SCAM_GIFT_CARDS", IN_BODY, false, "Buy gift cards; we send the codes." },
    { "INVOICE_BAIT", IN_BODY, true, "See attached invoice at https://a.example/i" },
    { "INVOICE_BAIT", IN_BODY, false, "See attached invoice." },
    { "EXCUSE_NOT_SPAM", IN_BODY, true, "This is not spam." },
    { "EXCUSE_NOT_SPAM", IN_BODY, false, "This is spam." },
    { "REMOVE_BY_REPLY", IN_BODY, true, "To be removed please reply." },
    { "REMOVE_BY_REPLY", IN_BODY, false, "The old rule is removed." },
    { "PARTNER_CLAIM", IN_BODY, true, "From our marketing partners." },
    { "PARTNER_CLAIM", IN_BODY, false, "From our partners in Rome." },
    { "HYPE_URGENCY", IN_BODY, true, "Act now." },
    { "HYPE_URGENCY", IN_BODY, false, "The act is now law." },
    { "HYPE_GUARANTEE", IN_BODY, true, "Your money back." },
    { "HYPE_GUARANTEE", IN_BODY, false, "The money went back." },
    { "HYPE_FREE", IN_BODY, true, "A free gift." },
    { "HYPE_FREE", IN_BODY, false, "The freedom of gifts." },
    { "HYPE_CLICK", IN_BODY, true, "Click here." },
    { "HYPE_CLICK", IN_BODY, false, "It clicks here." },
    { "HYPE_WORDS", IN_BODY, true, "An amazing thing." },
    { "HYPE_WORDS", IN_BODY, false, "A maze of things." },
    { "HYPE_PRICE", IN_BODY, true, "For just $5." },
    { "HYPE_PRICE", IN_BODY, false, "It was $5." },
    { "HYPE_CALL_NOW", IN_BODY, true, "Call now." },
    { "HYPE_CALL_NOW", IN_BODY, false, "Call me when you know." },
    { "GREETING_GENERIC", IN_BODY, true, "Dear friend, how are you?" },
    { "GREETING_GENERIC", IN_BODY, false, TEXT20 "She is a dear friend." },
    { "SELF_INTRODUCTION", IN_BODY, true, "I am Mr Jones." },
    { "SELF_INTRODUCTION", IN_BODY, false, TEXT40 TEXT20 "I am Mr Jones." },
    { "BIG_SUM", IN_BODY, true, "The sum of $1,000,000.00" },
    { "BIG_SUM", IN_BODY, false, "The sum of $10,000.00" },

    { "LINK_IP", IN_LINK, true, "http://93.184.216.34/x" },
    { "LINK_IP", IN_LINK, true, "http://[2606:2800:220:1::1]/x" },
    { "LINK_IP", IN_LINK, false, "http://a93.example/x" },
    { "LINK_IP_DISGUISED", IN_LINK, true, "http://0x5db8d822/x" },
    { "LINK_IP_DISGUISED", IN_LINK, true, "http://1572395042/" },
    { "LINK_IP_DISGUISED", IN_LINK, false, "http://93.184.216.34/x" },
    { "LINK_CREDENTIALS", IN_LINK, true, "https://bank.example@evil.example/" },
    { "LINK_CREDENTIALS", IN_LINK, false, "https://bank.example/@joe" },
    { "LINK_ENCODED_HOST", IN_LINK, true, "https://%62ank.example/" },
    { "LINK_ENCODED_HOST", IN_LINK, false, "https://bank.example/%62" },
    { "LINK_SCRIPT", IN_HTML, true, "<p><a href='javascript:x()'>a</a></p><br></p>" },
    { "LINK_SCRIPT", IN_HTML, false, "<p><a href='https://a.example/javascript:'>a</a></p><br></p>" },
    { "LINK_BRAND_LOOKALIKE", IN_LINK, true, "https://paypal.login.example/" },
    { "LINK_BRAND_LOOKALIKE", IN_LINK, false, "https://www.paypal.com/" },
    { "LINK_TEXT_MISMATCH_BRAND", IN_HTML, true, "<p><a href='https://z.example/'>www.paypal.com</a></p><br></p>" },
    { "LINK_TEXT_MISMATCH_BRAND", IN_HTML, false, "<p><a href='https://www.paypal.com/x'>paypal.com</a></p><br></p>" },
    { "LINK_TEXT_MISMATCH", IN_HTML, true, "<p><a href='https://z.example/'>www.shop.example</a></p><br></p>" },
    { "LINK_TEXT_MISMATCH", IN_HTML, false, "<p><a href='https://click.shop.example/'>www.shop.example</a></p><br></p>" },
    { "LINK_HTTP_BEHIND_HTTPS", IN_HTML, true, "<p><a href='http://a.example/'>https://a.example</a></p><br></p>" },
    { "LINK_HTTP_BEHIND_HTTPS", IN_HTML, false, "<p><a href='https://a.example/'>https://a.example</a></p><br></p>" },
    { "LINK_MIXED_SCRIPT", IN_LINK, true, "https://www.\xD0\xB0pple.com/" },
    { "LINK_MIXED_SCRIPT", IN_LINK, false, "https://www.bücher.example/" },
    { "LINK_IDN", IN_LINK, true, "https://www.bücher.example/" },
    { "LINK_IDN", IN_LINK, false, "https://www.buecher.example/" },
    { "LINK_ZERO_WIDTH", IN_LINK, true, "https://a.example/b\xE2\x80\x8B" "c" },
    { "LINK_ZERO_WIDTH", IN_LINK, false, "https://a.example/bc" },
    { "LINK_SHORTENER", IN_LINK, true, "https://bit.ly/x" },
    { "LINK_SHORTENER", IN_LINK, false, "https://rabbit.ly/x" },
    { "LINK_BAD_TLD", IN_LINK, true, "https://a.xyz/" },
    { "LINK_BAD_TLD", IN_LINK, false, "https://xyz.example/" },
    { "LINK_ODD_PORT", IN_LINK, true, "https://a.example:81/" },
    { "LINK_ODD_PORT", IN_LINK, false, "https://a.example:8443/" },
    { "LINK_ONLY", IN_BODY, true, "Look: https://a.example/" },
    { "LINK_ONLY", IN_BODY, false, TEXT20 "https://a.example/" },
    { "LINK_DEEP_SUBDOMAIN", IN_LINK, true, "https://a.b.c.d.site.example/" },
    { "LINK_DEEP_SUBDOMAIN", IN_LINK, false, "https://a.b.c.site.example/" },
    { "LINK_REDIRECT_PARAM", IN_LINK, true, "https://a.example/?u=http://b.example" },
    { "LINK_REDIRECT_PARAM", IN_LINK, true, "https://a.example/?u=https%3A%2F%2Fb.example" },
    { "LINK_REDIRECT_PARAM", IN_LINK, false, "https://a.example/?u=/http/" },
    { "LINK_DANGEROUS_FILE", IN_LINK, true, "https://a.example/b.EXE?x=1" },
    { "LINK_DANGEROUS_FILE", IN_LINK, false, "https://a.com" },
    { "LINK_ARCHIVE_FILE", IN_LINK, true, "https://a.example/b.zip" },
    { "LINK_ARCHIVE_FILE", IN_LINK, false, "https://a.example/zip" },
    { "LINK_FREE_HOSTING", IN_LINK, true, "https://a.web.app/" },
    { "LINK_FREE_HOSTING", IN_LINK, true, "https://ipfs.io/ipfs/a" },
    { "LINK_FREE_HOSTING", IN_LINK, false, "https://myweb.example/" },
    { "LINK_PLAIN_HTTP", IN_LINK, true, "http://a.example/" },
    { "LINK_PLAIN_HTTP", IN_LINK, false, "https://a.example/" },
    { "LINK_LONG", IN_LINK, true, "https://a.example/aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb" },
    { "LINK_LONG", IN_LINK, false, "https://a.example/aaaaaaaaaabbbbbbbbbb" },

    { "HTML_IMAGE_ONLY", IN_HTML, true, "<p><img src=a></p><br></p>" },
    { "HTML_IMAGE_ONLY", IN_HTML, false, "<p>" TEXT40 "<img src=a></p><br></p>" },
    { "HTML_LOW_TEXT_RATIO", IN_HTML, true, "<p>" TEXT40 "<img src=a><img src=b><img src=c></p><br>" },
    { "HTML_LOW_TEXT_RATIO", IN_HTML, false, "<p>" TEXT120 "<img src=a><img src=b></p><br>" },
    { "HTML_NO_TEXT_PART", IN_RAW, true, "From: a@b.c\nTo: d\nSubject: e\nContent-Type: text/html\n\n<p>" TEXT20 "</p>" },
    { "HTML_NO_TEXT_PART", IN_HTML, false, "<p>" TEXT20 "</p><br></p>" },
    { "HTML_PARTS_DIFFER", IN_RAW, true, "From: a@b.c\nTo: d\nSubject: e\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\none two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty alpha beta gamma delta epsilon zeta eta theta iota kappa lambda\n--x\nContent-Type: text/html\n\n<p>" TEXT40 "</p>\n--x--\n" },
    { "HTML_PARTS_DIFFER", IN_RAW, false, "From: a@b.c\nTo: d\nSubject: e\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\n" TEXT40 "\n--x\nContent-Type: text/html\n\n<p>" TEXT40 "</p>\n--x--\n" },
    { "HTML_HIDDEN_TEXT", IN_HTML, true, "<p>a</p><div style='display:none'>more than twenty characters</div><br>" },
    { "HTML_HIDDEN_TEXT", IN_HTML, false, "<div style='display:none'>more than twenty characters</div><p>a</p><br>" },
    { "HTML_INVISIBLE_INK", IN_HTML, true, "<p style='color:#fefefe'>more than twenty characters</p><br></p>" },
    { "HTML_INVISIBLE_INK", IN_HTML, false, "<p style='color:#fefefe;background:#000'>more than twenty characters</p><br></p>" },
    { "HTML_TINY_FONT", IN_HTML, true, "<p style='font-size:2px'>a</p><br></p>" },
    { "HTML_TINY_FONT", IN_HTML, false, "<p style='font-size:9px'>a</p><br></p>" },
    { "HTML_HUGE_FONT", IN_HTML, true, "<p style='font-size:40px'>a</p><br></p>" },
    { "HTML_HUGE_FONT", IN_HTML, false, "<h1 style='font-size:40px'>a</h1><br></p>" },
    { "HTML_MANY_COLORS", IN_HTML, true, "<p><b style='color:#100'>a</b><b style='color:#200'>a</b><b style='color:#300'>a</b><b style='color:#400'>a</b><b style='color:#500'>a</b><b style='color:#600'>a</b></p><br>" },
    { "HTML_MANY_COLORS", IN_HTML, false, "<p><b style='color:#100'>a</b><b style='color:#100'>a</b></p><br>" },
    { "HTML_FORM", IN_HTML, true, "<form><p>a</p><br></form>" },
    { "HTML_FORM", IN_HTML, false, "<format><p>a</p><br></format>" },
    { "HTML_PASSWORD_INPUT", IN_HTML, true, "<p><input type=password></p><br>" },
    { "HTML_PASSWORD_INPUT", IN_HTML, false, "<p><input type=text name=city></p><br>" },
    { "HTML_SCRIPT", IN_HTML, true, "<p onclick='x()'>a</p><br>" },
    { "HTML_SCRIPT", IN_HTML, false, "<p one='x()'>a</p><br>" },
    { "HTML_EMBED", IN_HTML, true, "<p><iframe src=a></iframe></p><br>" },
    { "HTML_EMBED", IN_HTML, false, "<p><video src=a></video></p><br>" },
    { "HTML_META_REFRESH", IN_HTML, true, "<meta http-equiv=refresh content='0;url=a'><p>a</p><br>" },
    { "HTML_META_REFRESH", IN_HTML, false, "<meta http-equiv=content-type content='text/html'><p>a</p><br>" },
    { "HTML_BASE", IN_HTML, true, "<base href='https://a.example'><p>a</p><br>" },
    { "HTML_BASE", IN_HTML, false, "<p>base</p><br></p>" },
    { "HTML_SPLIT_WORDS", IN_HTML, true, "<p>Vi<!-- a -->ag<x></x>ra</p><br>" },
    { "HTML_SPLIT_WORDS", IN_HTML, false, "<p>Vi<b>ag</b>ra <!-- a --> is</p><br>" },
    { "HTML_ENTITY_ABUSE", IN_HTML, true, "<p>&#97;&#97;&#97;&#97;&#97;&#97;&#97;&#97;&#97;&#97;&#x61;&#x61;&#x61;&#x61;&#x61;&#x61;&#x61;&#x61;&#x61;&#x61;</p><br>" },
    { "HTML_ENTITY_ABUSE", IN_HTML, false, "<p>&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;&#228;</p><br>" },
    { "HTML_BROKEN", IN_HTML, true, "<p>a</b></b></b></b></b></b></b></b></b></p><br>" },
    { "HTML_BROKEN", IN_HTML, false, "<p>a</b></b></p><br>" },
    { "HTML_NO_ALT", IN_HTML, true, "<p><img src=a><img src=b><img src=c alt=c></p><br>" },
    { "HTML_NO_ALT", IN_HTML, false, "<p><img src=a><img src=b alt=b><img src=c alt=c></p><br>" },
    { "HTML_TRACKING_PIXEL", IN_HTML, true, "<p><img src=a width=1 height=1></p><br>" },
    { "HTML_TRACKING_PIXEL", IN_HTML, false, "<p><img src=a width=10 height=1></p><br>" },
    { "HTML_MARQUEE", IN_HTML, true, "<marquee><p>a</p><br></marquee>" },
    { "HTML_MARQUEE", IN_HTML, false, "<p>marquee</p><br></p>" },
    { "HTML_HEAVY_MARKUP", IN_HTML, true, "<table style='border:0'><tr style='border:0'><td style='border:0'><b>a</b></td></tr></table>" },
    { "HTML_HEAVY_MARKUP", IN_HTML, false, "<p>" TEXT20 "</p><br>" },
    { "HTML_ALL_CENTERED", IN_HTML, true, "<center><p>a</p><br></center>" },
    { "HTML_ALL_CENTERED", IN_HTML, false, "<p align=center>a</p><br>" },

    { "TEXT_ZERO_WIDTH", IN_BODY, true, "a\xE2\x80\x8B" "b c\xE2\x80\x8B" "d e\xE2\x80\x8B" "f" },
    { "TEXT_ZERO_WIDTH", IN_BODY, false, "a \xE2\x80\x8B b \xE2\x80\x8B c \xE2\x80\x8B d" },
    { "TEXT_MIXED_SCRIPT", IN_BODY, true, "p\xD0\xB0ypal b\xD0\xB0nk" },
    { "TEXT_MIXED_SCRIPT", IN_BODY, false, "Привет, Joe! Как дела?" },
    { "TEXT_BIDI_OVERRIDE", IN_BODY, true, "abc\xE2\x80\xAE" "def" },
    { "TEXT_BIDI_OVERRIDE", IN_BODY, false, "abc\xE2\x80\x8F" "def" },
    { "TEXT_STYLED_LETTERS", IN_BODY, true, "\U0001D400\U0001D401\U0001D402\U0001D403\U0001D404\U0001D405" },
    { "TEXT_STYLED_LETTERS", IN_BODY, false, "\U0001D400\U0001D401\U0001D402" },
    { "TEXT_GAPPY", IN_BODY, true, "V.i.a.g.r.a" },
    { "TEXT_GAPPY", IN_BODY, false, "U.S.A. and e.g. this" },
    { "TEXT_DISGUISED_WORD", IN_BODY, true, "Get c@sh today" },
    { "TEXT_DISGUISED_WORD", IN_BODY, false, "Get cash today" },
    { "TEXT_HASH_TAIL", IN_BODY, true, "Good bye. xkcdqwrt zx7y9q2w" },
    { "TEXT_HASH_TAIL", IN_BODY, false, "Good bye. Yours, Strč" },
    { "TEXT_BLOB", IN_BODY, true, "aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbccccccccccccccccccccddddddddddddddddddddeeeee" },
    { "TEXT_BLOB", IN_BODY, false, "https://a.example/aaaaaaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbbbbbccccccccccccccccccccdddddddddddd" },

    { "BODY_EMPTY", IN_BODY, true, "..." },
    { "BODY_EMPTY", IN_BODY, false, "Yes." },
    { "BODY_SHORT", IN_BODY, true, "Yes." },
    { "BODY_SHORT", IN_BODY, false, TEXT40 },
    { "BODY_CAPS", IN_BODY, true, "READ ALL OF IT. THE MEETING MOVED TO THE ROOM BESIDE THE LIBRARY, BECAUSE THE OTHER ONE GETS NEW WINDOWS THIS WEEK AND IS CLOSED NOW. THANK YOU." },
    { "BODY_CAPS", IN_BODY, false, TEXT40 "NATO" },
    { "BODY_CAPS_LINES", IN_BODY, true, "READ THIS TEXT\nAND THAT TEXT\nAND ALL TEXTS\n" },
    { "BODY_CAPS_LINES", IN_BODY, false, "READ THIS TEXT\nand that text\nAND ALL TEXTS\n" },
    { "BODY_EXCLAMATIONS", IN_BODY, true, "a! b! c! d! e!" },
    { "BODY_EXCLAMATIONS", IN_BODY, false, "a! b! c! d!" },
    { "BODY_EXCLAMATION_RUN", IN_BODY, true, "Hey!!" },
    { "BODY_EXCLAMATION_RUN", IN_BODY, false, "Hey!" },
    { "BODY_DOLLAR_RUN", IN_BODY, true, "Make $$ now" },
    { "BODY_DOLLAR_RUN", IN_BODY, false, "It is $5" },
    { "BODY_MANY_AMOUNTS", IN_BODY, true, "$1 $2 $3 $4 5€" },
    { "BODY_MANY_AMOUNTS", IN_BODY, false, "$1 $2 $3 $4" },
    { "BODY_MERGE_TAGS", IN_BODY, true, "Hello {{first_name}}," },
    { "BODY_MERGE_TAGS", IN_BODY, true, "Hello *|FNAME|*," },
    { "BODY_MERGE_TAGS", IN_BODY, true, "Hello [FIRST NAME]," },
    { "BODY_MERGE_TAGS", IN_BODY, false, "int main(void) { { return 0; } }" },
    { "BODY_LOREM_IPSUM", IN_BODY, true, "Lorem ipsum dolor" },
    { "BODY_LOREM_IPSUM", IN_BODY, false, "Lorena" },
    { "BODY_ORNAMENT_LINES", IN_BODY, true, "a\n*****\nb" },
    { "BODY_ORNAMENT_LINES", IN_BODY, false, "a\n***\nb" },
    { "BODY_EMOJI_HEAVY", IN_BODY, true, "\U0001F600 \U0001F600 \U0001F600 \U0001F600 \U0001F600 hi" },
    { "BODY_EMOJI_HEAVY", IN_BODY, false, "\U0001F600 \U0001F600 \U0001F600 hi" },
    { "BODY_BLANK_LINES", IN_BODY, true, "a\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nb" },
    { "BODY_BLANK_LINES", IN_BODY, false, "a\n\n\n\n\nb" },
    { "UNSUBSCRIBE_MISSING", IN_HTML, true, "<p><a href='https://a.example'>a</a><a href='https://b.example'>b</a><a href='https://c.example'>c</a></p>" },
    { "UNSUBSCRIBE_MISSING", IN_HTML, false, "<p><a href='https://a.example'>a</a> <a href='https://b.example'>b</a> <a href='https://c.example/'>unsubscribe</a></p>" },
    { "UNSUBSCRIBE_NOT_LINKED", IN_BODY, true, "You may unsubscribe at our office." },
    { "UNSUBSCRIBE_NOT_LINKED", IN_BODY, false, "You may unsubscribe at https://a.example/u" },
    { "POSTAL_ADDRESS_MISSING", IN_BODY, true, TEXT20 "You may unsubscribe at https://a.example/u" },
    { "POSTAL_ADDRESS_MISSING", IN_BODY, false, TEXT20 "You may unsubscribe at https://a.example/u - 12 Mill Lane, Oxford" },
    { "FROM_BRAND_SPOOF", IN_FROM, true, "PayPal <a@z.example>" },
    { "FROM_BRAND_SPOOF", IN_FROM, false, "PayPal <a@mail.paypal.com>" },
    { "FROM_NAME_IS_OTHER_ADDRESS", IN_FROM, true, "\"ceo@a.example\" <x@z.example>" },
    { "FROM_NAME_IS_OTHER_ADDRESS", IN_FROM, false, "\"x@z.example\" <x@z.example>" },
    { "FROM_FREEMAIL_BULK", IN_RAW, true, "From: a@gmail.com\nTo: d\nSubject: e\nList-Unsubscribe: <https://a.example>\n\n" TEXT20 },
    { "FROM_FREEMAIL_BULK", IN_FROM, false, "a@gmail.com" },
    { "FROM_NOREPLY", IN_FROM, true, "no-reply@z.example" },
    { "FROM_NOREPLY", IN_FROM, false, "reply@z.example" },
    { "FROM_DIGITS", IN_FROM, true, "joe12345@gmail.com" },
    { "FROM_DIGITS", IN_FROM, false, "joe1234@gmail.com" },
    { "FROM_DIGITS", IN_FROM, false, "news-12345@z.example" },
    { "FROM_REPLYTO_DIFFERS", IN_REPLY, true, "x@gmail.com" },
    { "FROM_REPLYTO_DIFFERS", IN_REPLY, false, "x@shop.example" },
    /* clang-format on */
};

/* Rules that check_lengths() fires by lengths and counts. */
static const char *const by_length[] = { "LINK_MANY", "LINK_MANY_DOMAINS", "HTML_DATA_IMAGE",
                                         "HTML_LARGE", "BODY_LONG_LINES" };

static struct spam_knowledge *knowledge;

static const char *const names[] = {
#define RULE(id, category, strength, p1, p2, p3, when, fix) #id,
#include "email-spam-check/rules.def"
#undef RULE
};

static enum rule_id rule_of(const char *name)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(names[i], name) == 0)
            return (enum rule_id)i;
    fail_msg("%s is no rule", name);
    return RULES;
}

static bool fires(const struct spam_input *input, const char *name)
{
    struct spam_check *check = mem_new(sizeof(*check));
    spam_check_read(input, knowledge, check);
    bool is_found = check->found[rule_of(name)].is_found;
    spam_check_free(check);
    mem_free(&check);
    return is_found;
}

static struct spam_input input_of(enum part part, struct text text)
{
    const struct text nothing = { "", 0 };
    struct spam_input input = {
        TEXT("Our meeting"), TEXT(TEXT40), nothing, nothing, nothing, false, INPUT_TEXT,
    };
    switch (part) {
    case IN_SUBJECT:
        input.subject = text;
        break;
    case IN_BODY:
    case IN_LINK:
        input.body = text;
        break;
    case IN_HTML:
        input.body = text;
        input.format = INPUT_HTML;
        break;
    case IN_FROM:
        input.from = text;
        break;
    case IN_REPLY:
        input.from = (struct text)TEXT("Joe <joe@shop.example>");
        input.reply_to = text;
        break;
    case IN_RAW:
        input.subject = nothing;
        input.body = text;
        input.format = INPUT_RAW;
        break;
    }
    return input;
}

static void check(void **state)
{
    const struct row *row = *state;
    scoped(buf_free) struct buf text = BUF(1 << 16);
    buf_format(&text, row->part == IN_LINK ? TEXT20 "See %s of today." : "%s", row->text);
    struct spam_input input = input_of(row->part, buf_text(&text));
    if (fires(&input, row->name) != row->fires)
        fail_msg("%s %s: %s", row->name, row->fires ? "does not fire" : "fires", row->text);
}

static void add_many(struct buf *text, const char *format, int count)
{
    for (int i = 0; i < count; i++) {
        buf_add_str(text, "https://");
        buf_format(text, "a%d", i);
        buf_add_str(text, format);
    }
}

static void check_length(const char *name, enum part part, const struct buf *text, bool wanted)
{
    struct spam_input input = input_of(part, buf_text(text));
    if (fires(&input, name) != wanted)
        fail_msg("%s %s", name, wanted ? "does not fire" : "fires");
}

static void check_lengths(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 18);
    add_many(&text, ".one.example ", 20);
    check_length("LINK_MANY", IN_BODY, &text, false);
    add_many(&text, ".two.example ", 1);
    check_length("LINK_MANY", IN_BODY, &text, true);
    check_length("LINK_MANY_DOMAINS", IN_BODY, &text, false);
    add_many(&text, ".example ", 10);
    check_length("LINK_MANY_DOMAINS", IN_BODY, &text, true);
    buf_clear(&text);
    buf_add_str(&text, "<p>a</p><br><img src='data:image/png;base64,");
    check_length("HTML_DATA_IMAGE", IN_HTML, &text, false);
    for (int i = 0; i < 60000; i++)
        buf_add_byte(&text, 'A');
    buf_add_str(&text, "'>");
    check_length("HTML_DATA_IMAGE", IN_HTML, &text, true);
    check_length("HTML_LARGE", IN_HTML, &text, true);
    buf_clear(&text);
    buf_add_str(&text, "From: a@b.c\nTo: d\nSubject: e\n\n");
    check_length("BODY_LONG_LINES", IN_RAW, &text, false);
    for (int i = 0; i < 250; i++)
        buf_add_str(&text, "and ");
    check_length("BODY_LONG_LINES", IN_RAW, &text, true);
}

/* The finding of a rule in a text; not found if it is silent. */
static struct spam_finding finding_in(struct text body, enum rule_id rule)
{
    struct spam_input input = input_of(IN_BODY, body);
    struct spam_check *check = mem_new(sizeof(*check));
    spam_check_read(&input, knowledge, check);
    struct spam_finding found = check->found[rule];
    spam_check_free(check);
    mem_free(&check);
    return found;
}

static void check_backed(void **state)
{
    static const struct {
        const char *text;
        enum rule_id rule;
        bool is_strong;
    } texts[] = {
        { "The sum of $1,000,000", RULE_BIG_SUM, false },
        { "Buy viagra for the sum of $1,000,000", RULE_BIG_SUM, true },
        { "See https://paypal.shop.example/help", RULE_LINK_BRAND_LOOKALIKE, false },
        { "See https://paypal.shop.example/login", RULE_LINK_BRAND_LOOKALIKE, true },
        { "See https://paypal-shop.example/help", RULE_LINK_BRAND_LOOKALIKE, true },
        { "Viagra: https://paypal.shop.example/", RULE_LINK_BRAND_LOOKALIKE, true },
    };
    (void)state;
    for (size_t i = 0; i < countof(texts); i++) {
        struct spam_finding found = finding_in(text_of(texts[i].text), texts[i].rule);
        if (!found.is_found || found.is_strong != texts[i].is_strong)
            fail_msg("%s: %d, strong %d", texts[i].text, found.is_found, found.is_strong);
    }
}

/* A phrase counts less in a long text: 8 of 20 points in one of 1,000 words. */
static void check_long_text(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 16);
    buf_add_str(&text, "Buy viagra now. ");
    assert_int_equal(finding_in(buf_text(&text), RULE_TOPIC_PHARMACY).points, 20);
    for (size_t words = 3; words < 1000; words++)
        buf_add_str(&text, "garden ");
    assert_int_equal(finding_in(buf_text(&text), RULE_TOPIC_PHARMACY).points, 8);
    buf_add_str(&text, "cialis, levitra, xanax");
    assert_int_equal(finding_in(buf_text(&text), RULE_TOPIC_PHARMACY).points, 24);
}

/* Each rule has a row where it fires and one where it does not. */
static void check_all_named(void **state)
{
    (void)state;
    for (size_t rule = 0; rule < RULES; rule++) {
        int seen = 0;
        for (size_t i = 0; i < countof(rows); i++)
            if (strcmp(rows[i].name, names[rule]) == 0)
                seen |= rows[i].fires ? 1 : 2;
        for (size_t i = 0; i < countof(by_length); i++)
            if (strcmp(by_length[i], names[rule]) == 0)
                seen = 3;
        if (seen != 3)
            fail_msg("%s is not tested both ways", names[rule]);
    }
}

int main(void)
{
    static const struct {
        const char *name;
    } lengths[] = { { "lengths and counts" } }, named[] = { { "all rules have rows" } },
      backed[] = { { "backed findings" } }, longs[] = { { "long texts" } };
    struct err err = { 0 };
    if (!spam_knowledge_load(SOURCE_ROOT "/svc-email", "", &knowledge, &err)) {
        print_error("%s\n", err.message);
        return 1;
    }
    int failed = RUN_ROWS(rows, check) + RUN_ROWS(lengths, check_lengths) +
                 RUN_ROWS(named, check_all_named) + RUN_ROWS(backed, check_backed) +
                 RUN_ROWS(longs, check_long_text);
    spam_knowledge_free(&knowledge);
    return failed;
}
