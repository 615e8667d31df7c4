/* common/net/email.c - email addresses, and the keys of their mailboxes. */
#include "net/email.h"

#include <string.h>

#include "base/ascii.h"
#include "base/scoped.h"
#include "net/host.h"

/* RFC 5322 section 3.2.3, atext. */
static const char ATEXT[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "!#$%&'*+-/=?^_`{|}~";

/*
 * Spellings of one mailbox, from the providers' public documentation, read 2026-11-26:
 *
 *   Gmail        support.google.com/mail/answer/7436150
 *   iCloud       support.apple.com/118230
 *   Proton Mail  proton.me/support/change-username (the bytes . - and _) and
 *                proton.me/support/addresses-and-aliases (the domains)
 *   Yandex       yandex.com/support/domain/additional/mailbox-alias.xml (the domains reach one
 *                mailbox), yandex.ru/dev/direct/doc/dg-v4/concepts/finance-token.html (a dot in a
 *                login is a hyphen); the list of domains as Yandex's support gave it in
 *                github.com/bitwarden/mobile/pull/1044
 *   Yahoo        help.yahoo.com/kb/SLN28815.html: nickname-keyword, one nickname per account; also
 *                for Yahoo Japan
 *   Fastmail     fastmail.help/hc/en-us/articles/360060591053; the list of domains as in MaxMind's
 *                github.com/maxmind/minfraud-api-ruby
 *   mailbox.org  kb.mailbox.org/en/private/e-mail/ensuring-emails-are-sent-securely
 *   Runbox       help.runbox.com/usernames-and-passwords
 *
 * Each list of domains ends with NULL. "yahoo.*" matches the provider's domain in every country.
 */
/* clang-format off */
static const char *const gmail[] = {
    "gmail.com", "googlemail.com", NULL,
};
static const char *const icloud[] = {
    "icloud.com", "me.com", "mac.com", NULL,
};
static const char *const proton[] = {
    "proton.me", "protonmail.com", "protonmail.ch", "pm.me", NULL,
};
static const char *const yandex[] = {
    "yandex.ru", "ya.ru", "yandex.com", "yandex.by", "yandex.kz", "yandex.ua", "yandex.uz",
    "yandex.az", "yandex.kg", "yandex.lt", "yandex.lv", "yandex.md", "yandex.tj", "yandex.tm",
    "yandex.ee", "yandex.fi", "yandex.fr", "yandex.pl", "yandex.co.il", "yandex.com.am",
    "yandex.com.ge", "yandex.com.tr", NULL,
};
static const char *const yahoo[] = {
    "yahoo.*", "ymail.com", "rocketmail.com", NULL,
};
static const char *const fastmail[] = {
    "fastmail.com", "fastmail.fm", "fastmail.cn", "fastmail.co.uk", "fastmail.com.au",
    "fastmail.de", "fastmail.es", "fastmail.fr", "fastmail.im", "fastmail.in", "fastmail.jp",
    "fastmail.mx", "fastmail.net", "fastmail.nl", "fastmail.org", "fastmail.se", "fastmail.to",
    "fastmail.tw", "fastmail.uk", "fastmail.us", "123mail.org", "150mail.com", "150ml.com",
    "16mail.com", "2-mail.com", "4email.net", "50mail.com", "airpost.net", "allmail.net",
    "bestmail.us", "cluemail.com", "elitemail.org", "emailcorner.net", "emailengine.net",
    "emailengine.org", "emailgroups.net", "emailplus.org", "emailuser.net", "eml.cc", "f-m.fm",
    "fast-email.com", "fast-mail.org", "fastem.com", "fastemail.us", "fastemailer.com",
    "fastest.cc", "fastimap.com", "fastmailbox.net", "fastmessaging.com", "fea.st", "fmail.co.uk",
    "fmailbox.com", "fmgirl.com", "fmguy.com", "ftml.net", "h-mail.us", "hailmail.net",
    "imap-mail.com", "imap.cc", "imapmail.org", "inoutbox.com", "internet-e-mail.com",
    "internet-mail.org", "internetemails.net", "internetmailing.net", "jetemail.net",
    "justemail.net", "letterboxes.org", "mail-central.com", "mail-page.com", "mailandftp.com",
    "mailas.com", "mailbolt.com", "mailc.net", "mailcan.com", "mailforce.net", "mailftp.com",
    "mailhaven.com", "mailingaddress.org", "mailite.com", "mailmight.com", "mailnew.com",
    "mailsent.net", "mailservice.ms", "mailup.net", "mailworks.org", "ml1.net", "mm.st",
    "myfastmail.com", "mymacmail.com", "nospammail.net", "ownmail.net", "petml.com",
    "postinbox.com", "postpro.net", "proinbox.com", "promessage.com", "realemail.net",
    "reallyfast.biz", "reallyfast.info", "rushpost.com", "sent.as", "sent.at", "sent.com",
    "speedpost.net", "speedymail.org", "ssl-mail.com", "swift-mail.com", "the-fastest.net",
    "the-quickest.com", "theinternetemail.com", "veryfast.biz", "veryspeedy.net", "warpmail.net",
    "xsmail.com", "yepmail.net", "your-mail.com", NULL,
};
static const char *const mailbox_org[] = {
    "mailbox.org", "secure.mailbox.org", NULL,
};
static const char *const runbox[] = {
    "runbox.com", "runbox.no", "rbx.run", "rbx.email", "offshore.rocks", "mailhouse.biz", NULL,
};

static const struct provider {
    const char *const *domains;
    const char *main_domain; /* in keys; the shortest, so that a key always fits; NULL: each domain has its own mailboxes */
    const char *ignored;     /* bytes of a local part that are ignored */
    const char *equal;       /* bytes of a local part that count as the first of them */
    char tag;                /* separator before a tag, like + */
    bool has_user_domains;   /* anything@user.domain is user@domain */
} providers[] = {
    /* domains      main_domain     ignored equal tag  has_user_domains */
    { gmail,        "gmail.com",    ".",    "",   '+', false },
    { icloud,       "me.com",       "",     "",   '+', false },
    { proton,       "pm.me",        ".-_",  "",   '+', false },
    { yandex,       "ya.ru",        "",     "-.", '+', false },
    { yahoo,        NULL,           "",     "",   '-', false },
    { fastmail,     NULL,           "",     "",   '+', true },
    { mailbox_org,  "mailbox.org",  "",     "",   '+', false },
    { runbox,       "rbx.run",      "",     "",   '+', false },
};
static const struct provider other_provider = { NULL, NULL, "", "", '+', false };
/* clang-format on */

/* Atoms with single dots between them. */
static bool is_local_part(struct text local)
{
    bool is_in_atom = false;
    if (local.size > EMAIL_LOCAL_MAX_BYTES)
        return false;
    for (size_t i = 0; i < local.size; i++) {
        bool is_dot = local.bytes[i] == '.';
        if (is_dot ? !is_in_atom : local.bytes[i] == '\0' || !strchr(ATEXT, local.bytes[i]))
            return false;
        is_in_atom = !is_dot;
    }
    return is_in_atom;
}

/* "yahoo.*" has yahoo.fr, yahoo.co.uk and yahoo.com.br, but not yahoo.example.com. */
static bool domain_fits(const char *domain, const char *pattern)
{
    size_t size = strlen(pattern) - 1;
    if (pattern[size] != '*')
        return strcmp(domain, pattern) == 0;
    if (strncmp(domain, pattern, size) != 0)
        return false;
    struct text rest = text_of(domain + size);
    struct text label = text_cut(&rest, '.');
    if (text_is(label, "co") || text_is(label, "com"))
        text_cut(&rest, '.');
    return rest.size == 0;
}

static const struct provider *find_provider(const char *domain)
{
    for (size_t i = 0; i < countof(providers); i++)
        for (const char *const *pattern = providers[i].domains; *pattern; pattern++)
            if (domain_fits(domain, *pattern))
                return &providers[i];
    return &other_provider;
}

/* Turn anything@user.fastmail.com into user@fastmail.com. */
static void move_user_domain(struct text *local, const char **domain)
{
    const char *dot = strchr(*domain, '.');
    if (!dot || !find_provider(dot + 1)->has_user_domains)
        return;
    *local = (struct text){ *domain, (size_t)(dot - *domain) };
    *domain = dot + 1;
}

/* The local part without its tag. A tag with nothing before it is a name. */
static struct text cut_tag(struct text local, char separator)
{
    size_t size = 1;
    while (size < local.size && local.bytes[size] != '+' && local.bytes[size] != separator)
        size++;
    return (struct text){ local.bytes, size };
}

/* Append "@domain" after the first `size` bytes; the caller has checked that it fits. */
static void add_domain(char address[static EMAIL_BYTES], size_t size, const char *domain)
{
    address[size] = '@';
    memcpy(address + size + 1, domain, strlen(domain) + 1);
}

/* A local part with only ignored bytes keeps them. */
static void make_key(struct text local, const char *domain, char key[static EMAIL_BYTES])
{
    move_user_domain(&local, &domain);
    const struct provider *provider = find_provider(domain);
    local = cut_tag(local, provider->tag);
    bool keeps_all = text_is_made_of(local, provider->ignored);
    size_t size = 0;
    for (size_t i = 0; i < local.size; i++) {
        char byte = ascii_lower(local.bytes[i]);
        if (!keeps_all && strchr(provider->ignored, byte))
            continue;
        key[size++] = strchr(provider->equal, byte) ? provider->equal[0] : byte;
    }
    add_domain(key, size, provider->main_domain ? provider->main_domain : domain);
}

bool email_parse(struct text text, struct email *email, struct err *err)
{
    char domain[HOST_BYTES];
    text = text_trim(text);
    const char *at = text.size > 0 ? memrchr(text.bytes, '@', text.size) : NULL;
    struct text local = { text.bytes, at ? (size_t)(at - text.bytes) : 0 };

    if (!at || !is_local_part(local) ||
        !domain_parse((struct text){ at + 1, text.size - local.size - 1 }, DOMAIN_PLAIN, domain,
                      NULL) ||
        local.size + 1 + strlen(domain) > EMAIL_MAX_BYTES)
        return err_set(err, ERR_INVALID_EMAIL, "Enter an email address like name@example.com.");
    memcpy(email->address, local.bytes, local.size);
    add_domain(email->address, local.size, domain);
    make_key(local, domain, email->key);
    return true;
}
