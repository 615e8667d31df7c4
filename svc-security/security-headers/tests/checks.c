/* svc-security/security-headers/tests/checks.c - all outcomes of the twelve checks, score and
 * grade. */
#include <unistd.h>

#include "rows.h"
#include "site.h"

static struct knowledge *knowledge;

#define HTTPS  "https https://www.example.com/ 200\n"
#define HTTP   "http http://www.example.com/ 301\n"
#define BOTH   HTTPS HTTP
#define HTML   "Content-Type: text/html\n\n"
#define CSP    "Content-Security-Policy: "
#define COOKIE "Set-Cookie: "
#define HSTS   "Strict-Transport-Security: max-age=31536000\n"
#define SHA    "sha384-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

/* clang-format off */
static const struct row {
    const char *name;
    const char *site;
    const char *want; /* the name of an outcome of any check */
} rows[] = {
    /* Content-Security-Policy */
    { "no policy", "X-A: b", "csp-not-implemented" },
    { "a policy that only reports", "Content-Security-Policy-Report-Only: default-src 'none'", "csp-not-implemented-but-reporting-enabled" },
    { "all from 'none'", CSP "default-src 'none'; script-src 'self'", "csp-implemented-with-no-unsafe-default-src-none" },
    { "default-src with more than 'none'", CSP "default-src 'none' 'self'", "csp-implemented-with-no-unsafe" },
    { "own sources", CSP "default-src 'self'", "csp-implemented-with-no-unsafe" },
    { "names without regard to case", CSP "DEFAULT-SRC 'SELF'", "csp-implemented-with-no-unsafe" },
    { "the value of -src left out is 'none'", CSP "default-src", "csp-implemented-with-no-unsafe-default-src-none" },
    { "inline styles", CSP "default-src 'self'; style-src 'self' 'unsafe-inline'", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "styles from anywhere", CSP "script-src 'self'; object-src 'none'", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "styles of data:", CSP "default-src 'self'; style-src data:", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "styles of a broad scheme", CSP "default-src 'self'; style-src https:", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "inline styles that a nonce switches off", CSP "default-src 'self'; style-src 'nonce-abcdefgh' 'unsafe-inline'", "csp-implemented-with-no-unsafe" },
    { "pictures over HTTP", CSP "default-src 'self'; img-src http:", "csp-implemented-with-insecure-scheme-in-passive-content-only" },
    { "media by FTP", CSP "default-src 'self'; media-src ftp://a.example", "csp-implemented-with-insecure-scheme-in-passive-content-only" },
    { "pictures over HTTP on an HTTP page", "http http://www.example.com/ 200\n" CSP "default-src 'self'; img-src http:", "csp-implemented-with-no-unsafe" },
    { "eval", CSP "default-src 'self'; script-src 'unsafe-eval'", "csp-implemented-with-unsafe-eval" },
    { "eval among styles", CSP "default-src 'self'; style-src 'unsafe-eval'", "csp-implemented-with-unsafe-eval" },
    { "inline scripts", CSP "default-src 'self' 'unsafe-inline'", "csp-implemented-with-unsafe-inline" },
    { "inline scripts that a hash switches off", CSP "default-src 'none'; script-src 'sha256-x' 'unsafe-inline'", "csp-implemented-with-no-unsafe-default-src-none" },
    { "inline scripts that a nonce of nothing leaves on", CSP "default-src 'none'; script-src 'nonce-' 'unsafe-inline'", "csp-implemented-with-unsafe-inline" },
    { "inline styles that a nonce of nothing leaves on", CSP "default-src 'none'; style-src 'nonce-' 'unsafe-inline'", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "strict-dynamic with an invalid hash", CSP "script-src 'sha256-$' 'strict-dynamic'; object-src 'none'", "csp-header-invalid" },
    { "scripts of data:", CSP "default-src 'self'; script-src data:", "csp-implemented-with-unsafe-inline" },
    { "scripts from anywhere", CSP "default-src 'self'; script-src *", "csp-implemented-with-unsafe-inline" },
    { "scripts of http:", CSP "default-src 'self'; script-src http:", "csp-implemented-with-unsafe-inline" },
    { "scripts of https:", CSP "default-src 'self'; script-src https:", "csp-implemented-with-unsafe-inline" },
    { "scripts of ftp:", CSP "default-src 'self'; script-src ftp:", "csp-implemented-with-unsafe-inline" },
    { "scripts of http://*", CSP "default-src 'self'; script-src http://*", "csp-implemented-with-unsafe-inline" },
    { "scripts of https://*", CSP "default-src 'self'; script-src https://*", "csp-implemented-with-unsafe-inline" },
    { "scripts of http://*.*", CSP "default-src 'self'; script-src http://*.*", "csp-implemented-with-unsafe-inline" },
    { "scripts of https://*.*", CSP "default-src 'self'; script-src https://*.*", "csp-implemented-with-unsafe-inline" },
    { "nothing about scripts", CSP "img-src 'self'", "csp-implemented-with-unsafe-inline" },
    { "objects from anywhere", CSP "script-src 'self'", "csp-implemented-with-unsafe-inline" },
    { "objects of https:", CSP "default-src 'self'; object-src https:", "csp-implemented-with-unsafe-inline" },
    { "objects of data: are not broad", CSP "default-src 'self'; object-src data:", "csp-implemented-with-no-unsafe" },
    { "strict-dynamic switches off hosts", CSP "script-src 'nonce-abcdefgh' 'strict-dynamic' https: http: 'unsafe-inline'; object-src 'none'; base-uri 'none'; style-src 'self'", "csp-implemented-with-no-unsafe" },
    { "but only with a nonce or hash", CSP "script-src 'strict-dynamic' https:; object-src 'none'", "csp-header-invalid" },
    { "strict-dynamic alone comes before all else", CSP "script-src 'strict-dynamic' 'unsafe-inline' 'unsafe-eval' http:", "csp-header-invalid" },
    { "inline comes before insecure", CSP "default-src 'self' 'unsafe-inline' http://a.example", "csp-implemented-with-unsafe-inline" },
    { "insecure comes before eval", CSP "default-src 'self' 'unsafe-eval' http://a.example", "csp-implemented-with-insecure-scheme" },
    { "eval comes before pictures", CSP "default-src 'self' 'unsafe-eval'; img-src http:", "csp-implemented-with-unsafe-eval" },
    { "pictures come before styles", CSP "default-src 'self'; img-src http:; style-src 'unsafe-inline'", "csp-implemented-with-insecure-scheme-in-passive-content-only" },
    { "styles come before 'none'", CSP "default-src 'none'; style-src 'unsafe-inline'", "csp-implemented-with-unsafe-inline-in-style-src-only" },
    { "active content over HTTP", CSP "default-src 'self'; connect-src http://a.example", "csp-implemented-with-insecure-scheme" },
    { "active content by FTP", CSP "default-src 'self'; frame-src ftp://a.example", "csp-implemented-with-insecure-scheme" },
    { "active content over HTTP on an HTTP page", "http http://www.example.com/ 200\n" CSP "default-src 'self'; connect-src http://a.example", "csp-implemented-with-no-unsafe" },
    { "a report URL over HTTP is not a source", CSP "default-src 'self'; report-uri http://a.example/r", "csp-implemented-with-no-unsafe" },
    { "a directive twice", CSP "default-src 'self'; default-src 'none'", "csp-header-invalid" },
    { "report-uri twice", CSP "default-src 'self'; report-uri /a; report-uri /b", "csp-implemented-but-duplicate-directives" },
    { "report-to twice where it is unsafe anyway", CSP "default-src *; report-to a; report-to b", "csp-implemented-with-unsafe-inline" },
    { "a directive in two policies is not twice", CSP "default-src 'self'\n" CSP "default-src 'none'", "csp-implemented-with-no-unsafe-default-src-none" },
    { "too short", CSP "a b", "csp-header-invalid" },
    { "empty", CSP, "csp-header-invalid" },
    { "nothing but a comma", CSP ",", "csp-header-invalid" },
    { "a comma at the end", CSP "default-src 'self',", "csp-implemented-with-no-unsafe" },
    { "one good and one short policy", CSP "default-src 'self', x", "csp-header-invalid" },
    { "two policies in one line: both must allow", CSP "script-src 'self' 'unsafe-inline'; object-src 'none'; style-src 'self', script-src 'self'", "csp-implemented-with-no-unsafe" },
    { "a policy that says nothing of scripts takes nothing away", CSP "frame-ancestors 'none'\n" CSP "script-src * 'unsafe-inline'", "csp-implemented-with-unsafe-inline" },
    { "default-src of one limits script-src of another", CSP "default-src 'self'\n" CSP "script-src * 'unsafe-inline'", "csp-implemented-with-no-unsafe" },
    { "a policy in markup", HTML "<head><meta http-equiv=content-security-policy content=\"default-src 'none'\">", "csp-implemented-with-no-unsafe-default-src-none" },
    { "a policy in markup outside of head", HTML "<body><meta http-equiv=content-security-policy content=\"default-src 'none'\">", "csp-not-implemented" },
    { "a policy in a comment", HTML "<head><!--<meta http-equiv=content-security-policy content=\"default-src 'none'\">-->", "csp-not-implemented" },
    { "frame-ancestors alone in markup", HTML "<head><meta http-equiv=content-security-policy content=\"frame-ancestors 'none'\">", "csp-not-implemented" },
    { "nothing that counts in markup", HTML "<head><meta http-equiv=content-security-policy content=\"sandbox; report-uri /r; frame-ancestors 'none'\">", "csp-not-implemented" },
    { "nothing that counts in markup, but one that reports", "Content-Security-Policy-Report-Only: default-src 'none'\n" HTML "<head><meta http-equiv=content-security-policy content=\"frame-ancestors 'none'\">", "csp-not-implemented-but-reporting-enabled" },
    { "an empty policy in markup", HTML "<head><meta http-equiv=content-security-policy content=''>", "csp-not-implemented" },
    { "frame-ancestors in markup and in a header", CSP "default-src 'none'\n" HTML "<head><meta http-equiv=content-security-policy content=\"frame-ancestors 'none'\">", "csp-implemented-with-no-unsafe-default-src-none" },
    { "a policy without directives", CSP ";;;;;;;", "csp-not-implemented" },
    { "a policy in a response that is not HTML", "Content-Type: text/plain\n\n<head><meta http-equiv=content-security-policy content=\"default-src 'none'\">", "csp-not-implemented" },
    { "header and markup together", CSP "default-src 'self' 'unsafe-inline'\n" HTML "<head><meta http-equiv=content-security-policy content=\"default-src 'self'\">", "csp-implemented-with-no-unsafe" },

    /* Strict-Transport-Security */
    { "half a year", HTTPS "Strict-Transport-Security: max-age=15552000", "hsts-implemented-max-age-at-least-six-months" },
    { "a second less", HTTPS "Strict-Transport-Security: max-age=15551999; includeSubDomains", "hsts-implemented-max-age-less-than-six-months" },
    { "quoted, in any case", HTTPS "Strict-Transport-Security: INCLUDESUBDOMAINS ; Max-Age=\"31536000\"", "hsts-implemented-max-age-at-least-six-months" },
    { "longer than any number", HTTPS "Strict-Transport-Security: max-age=99999999999999999999999", "hsts-implemented-max-age-at-least-six-months" },
    { "zero", HTTPS "Strict-Transport-Security: max-age=0", "hsts-implemented-max-age-less-than-six-months" },
    { "no age", HTTPS "Strict-Transport-Security: includeSubDomains", "hsts-header-invalid" },
    { "no number", HTTPS "Strict-Transport-Security: max-age=1y", "hsts-header-invalid" },
    { "negative", HTTPS "Strict-Transport-Security: max-age=-1", "hsts-header-invalid" },
    { "two ages", HTTPS "Strict-Transport-Security: max-age=31536000; max-age=31536000", "hsts-header-invalid" },
    { "another directive twice", HTTPS "Strict-Transport-Security: max-age=31536000; preload; preload", "hsts-implemented-max-age-at-least-six-months" },
    { "a comma behind the age", HTTPS "Strict-Transport-Security: max-age=31536000; includeSubDomains, preload", "hsts-header-invalid" },
    { "a comma", HTTPS "Strict-Transport-Security: max-age=31536000, includeSubDomains", "hsts-header-invalid" },
    { "of two lines the first", HTTPS "Strict-Transport-Security: max-age=1\nStrict-Transport-Security: max-age=31536000", "hsts-implemented-max-age-less-than-six-months" },
    { "no header", HTTPS, "hsts-not-implemented" },
    { "a bad certificate", "https https://www.example.com/ 200 unverified\n" HSTS, "hsts-invalid-cert" },
    { "no HTTPS", "http http://www.example.com/ 200\n" HSTS, "hsts-not-implemented-no-https" },
    { "HTTPS that leads to HTTP", "https https://www.example.com/ 301\n" HSTS "https http://www.example.com/ 200", "hsts-not-implemented-no-https" },
    { "preloaded", "https https://preloaded.example/ 200", "hsts-preloaded" },
    { "below a preloaded name", "https https://a.b.preloaded.example/ 200", "hsts-preloaded" },
    { "below a name that is preloaded alone", "https https://a.alone.example/ 200\n" HSTS, "hsts-implemented-max-age-at-least-six-months" },

    /* redirects */
    { "to HTTPS", BOTH "http https://www.example.com/ 200", "redirection-to-https" },
    { "no HTTP", HTTPS, "redirection-not-needed-no-http" },
    { "HTTP that leads nowhere", HTTPS "http http://www.example.com/ 200", "redirection-missing" },
    { "to HTTP", BOTH "http http://www.example.com/a 200", "redirection-not-to-https" },
    { "in circles", HTTPS "loops", "redirection-not-to-https" },
    { "to HTTPS in the end", BOTH "http http://www.example.com/a 301\nhttp https://www.example.com/ 200", "redirection-not-to-https-on-initial-redirection" },
    { "to another host", BOTH "http https://example.com/ 301\nhttp https://www.example.com/ 200", "redirection-off-host-from-http" },
    { "to a bad certificate", BOTH "http https://www.example.com/ 200 unverified", "redirection-invalid-cert" },
    { "to hosts that are all preloaded", HTTPS "http http://preloaded.example/ 301\nhttp http://a.preloaded.example/ 200", "redirection-all-redirects-preloaded" },

    /* cookies */
    { "no cookies", HTTPS, "cookies-not-found" },
    { "all is well", COOKIE "sessionid=1; Secure; HttpOnly; SameSite=Lax\n" COOKIE "a=1; secure; samesite=strict", "cookies-secure-with-httponly-sessions-and-samesite" },
    { "without SameSite", COOKIE "sessionid=1; Secure; HttpOnly\n" COOKIE "a=1; secure; samesite=strict", "cookies-secure-with-httponly-sessions" },
    { "SameSite=None says it, too", COOKIE "a=1; secure; samesite=none\n" COOKIE "csrf=1; Secure; SameSite=None", "cookies-secure-with-httponly-sessions-and-samesite" },
    { "SameSite=None, and a cookie without SameSite", COOKIE "a=1; secure; samesite=none\n" COOKIE "b=1; Secure", "cookies-secure-with-httponly-sessions" },
    { "refused for its name", COOKIE "__Secure-session=1\n" COOKIE "a=1; Secure; SameSite=Lax", "cookies-secure-with-httponly-sessions-and-samesite" },
    { "nothing but refused", COOKIE "__Host-session=1; Secure; Path=/a\n" COOKIE "a=1; Partitioned; SameSite=x", "cookies-not-found" },
    { "the refused one does not replace the kept one", COOKIE "__Host-a=1; Secure; Path=/\n" COOKIE "__Host-a=1; Path=/", "cookies-secure-with-httponly-sessions" },
    { "not Secure", COOKIE "a=1", "cookies-without-secure-flag" },
    { "not Secure, with HSTS", HSTS COOKIE "a=1", "cookies-without-secure-flag-but-protected-by-hsts" },
    { "not Secure, with too short an HSTS", "Strict-Transport-Security: max-age=1\n" COOKIE "a=1", "cookies-without-secure-flag" },
    { "a session that is not Secure, with HSTS", HSTS COOKIE "PHPSESSID=1; HttpOnly", "cookies-session-without-secure-flag-but-protected-by-hsts" },
    { "a session that is not Secure", COOKIE "LoginToken=1; HttpOnly", "cookies-session-without-secure-flag" },
    { "a session that scripts can read", COOKIE "session=1; Secure", "cookies-session-without-httponly-flag" },
    { "a session that scripts can read, with HSTS", HSTS COOKIE "session=1", "cookies-session-without-httponly-flag" },
    { "against forgery, without SameSite", COOKIE "XSRF=1; Secure\n" COOKIE "myCsrfToken=1; Secure", "cookies-anticsrf-without-samesite-flag" },
    { "SameSite of no value", COOKIE "a=1; Secure; SameSite", "cookies-samesite-flag-invalid" },
    { "SameSite of an unknown value", COOKIE "a=1; Secure; SameSite=maybe", "cookies-samesite-flag-invalid" },
    { "SameSite=None without Secure", HSTS COOKIE "a=1; SameSite=None", "cookies-samesite-flag-invalid" },
    { "the worst decides", COOKIE "a=1\n" COOKIE "session=1; HttpOnly\n" COOKIE "b=1; SameSite=x", "cookies-session-without-secure-flag" },
    { "a load balancer's cookie", COOKIE "heroku-session-affinity=1", "cookies-not-found" },
    { "a cookie of a redirect", "https https://www.example.com/a 302\n" COOKIE "a=1\n" HTTPS, "cookies-without-secure-flag" },
    { "a cookie of the http form", HTTPS HTTP COOKIE "a=1\n", "cookies-without-secure-flag" },
    { "a Secure cookie over HTTP", HTTPS HTTP COOKIE "a=1; Secure\n", "cookies-not-found" },
    { "replaced by HTTPS", "https https://www.example.com/ 200\n" COOKIE "a=1; Secure; Path=/\n" HTTP COOKIE "a=1; Path=/\n", "cookies-secure-with-httponly-sessions" },
    { "expired", COOKIE "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "cookies-not-found" },
    { "removed after it was set", COOKIE "a=1\n" COOKIE "a=; Max-Age=0", "cookies-not-found" },
    { "Max-Age is stronger than Expires", COOKIE "a=1; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "cookies-without-secure-flag" },
    { "a negative Max-Age", COOKIE "a=1; max-age=-5", "cookies-not-found" },
    { "Expires that is not a date", COOKIE "a=1; Expires=never", "cookies-without-secure-flag" },
    { "Expires in the old form", COOKIE "a=1; Expires=Thursday, 01-Jan-70 00:00:00 GMT", "cookies-not-found" },
    { "Expires long from now", COOKIE "a=1; Expires=Wed, 01 Jan 2200 00:00:00 GMT", "cookies-without-secure-flag" },
    { "for a public suffix", COOKIE "a=1; Domain=com", "cookies-not-found" },
    { "for another domain", COOKIE "a=1; Domain=example.org", "cookies-not-found" },
    { "for the domain above", COOKIE "a=1; Domain=.EXAMPLE.com", "cookies-without-secure-flag" },
    { "neither name nor value", COOKIE " = ; Secure", "cookies-not-found" },
    { "no name", COOKIE "=1; Secure", "cookies-secure-with-httponly-sessions" },
    { "empty", COOKIE, "cookies-not-found" },

    /* sharing */
    { "nothing shared", HTTPS, "cross-origin-resource-sharing-not-implemented" },
    { "an answer without it", HTTPS "options 204\nX-A: b", "cross-origin-resource-sharing-not-implemented" },
    { "on the page only", "Access-Control-Allow-Origin: *", "cross-origin-resource-sharing-not-implemented" },
    { "with all", "options 204\nAccess-Control-Allow-Origin: *\nAccess-Control-Allow-Credentials: true", "cross-origin-resource-sharing-implemented-with-public-access" },
    { "with one", "options 204\nAccess-Control-Allow-Origin: https://a.example", "cross-origin-resource-sharing-implemented-with-restricted-access" },
    { "our origin without credentials", "options 204\nAccess-Control-Allow-Origin: " ORIGIN, "cross-origin-resource-sharing-implemented-with-restricted-access" },
    { "our origin with credentials", "options 204\nAccess-Control-Allow-Origin: " ORIGIN "\nAccess-Control-Allow-Credentials: true", "cross-origin-resource-sharing-implemented-with-universal-access" },
    { "credentials that browsers do not see", "options 204\nAccess-Control-Allow-Origin: " ORIGIN "\nAccess-Control-Allow-Credentials: yes", "cross-origin-resource-sharing-implemented-with-restricted-access" },

    /* Referrer-Policy */
    { "no referrer policy", HTTPS, "referrer-policy-not-implemented" },
    { "no-referrer", "Referrer-Policy: no-referrer", "referrer-policy-private" },
    { "same-origin", "Referrer-Policy: Same-Origin", "referrer-policy-private" },
    { "strict-origin", "Referrer-Policy: strict-origin", "referrer-policy-private" },
    { "strict-origin-when-cross-origin", "Referrer-Policy: strict-origin-when-cross-origin", "referrer-policy-private" },
    { "origin", "Referrer-Policy: origin", "referrer-policy-unsafe" },
    { "origin-when-cross-origin", "Referrer-Policy: origin-when-cross-origin", "referrer-policy-unsafe" },
    { "unsafe-url", "Referrer-Policy: unsafe-url", "referrer-policy-unsafe" },
    { "no-referrer-when-downgrade", "Referrer-Policy: no-referrer-when-downgrade", "referrer-policy-unsafe" },
    { "the last that is known", "Referrer-Policy: unsafe-url, no-referrer, new-policy", "referrer-policy-private" },
    { "of two lines", "Referrer-Policy: no-referrer\nReferrer-Policy: unsafe-url", "referrer-policy-unsafe" },
    { "unknown", "Referrer-Policy: never", "referrer-policy-header-invalid" },
    { "in markup by name", HTML "<meta name=Referrer content=no-referrer>", "referrer-policy-private" },
    { "in markup by name, after the header", "Referrer-Policy: unsafe-url\n" HTML "<meta name=referrer content=no-referrer>", "referrer-policy-private" },
    { "in markup as a header, which browsers do not heed", "Referrer-Policy: no-referrer\n" HTML "<meta http-equiv=referrer-policy content=unsafe-url>", "referrer-policy-private" },
    { "in markup as a header alone", HTML "<meta http-equiv=Referrer-Policy content=no-referrer>", "referrer-policy-not-implemented" },

    /* scripts */
    { "no HTML", "Content-Type: text/plain\n\n<script src=http://a.example/></script>", "sri-not-implemented-response-not-html" },
    { "no scripts", HTML "<script>1</script><p>", "sri-not-implemented-but-no-scripts-loaded" },
    { "own scripts", HTML "<script src=/a.js></script><script src=https://cdn.example.com/b.js></script>", "sri-not-implemented-but-all-scripts-loaded-from-secure-origin" },
    { "own scripts with integrity", HTML "<script src=a.js integrity=" SHA "></script><script src=b.js></script>", "sri-implemented-and-all-scripts-loaded-securely" },
    { "scripts of others with integrity", HTML "<script src=https://a.example/b.js integrity='" SHA "'></script><script src=b.js></script>", "sri-implemented-and-external-scripts-loaded-securely" },
    { "one of them without", HTML "<script src=https://a.example/b.js integrity=" SHA "></script><script src=https://a.example/c.js></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "invalid integrity", HTML "<script src=https://a.example/b.js integrity=sha384-AAAA></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "integrity of an unknown digest", HTML "<script src=https://a.example/b.js integrity=md5-AAAAAAAAAAAAAAAAAAAAAA==></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "integrity in several words", HTML "<script src=https://a.example/b.js integrity='x " SHA "?a'></script>", "sri-implemented-and-external-scripts-loaded-securely" },
    { "with integrity over HTTP", HTML "<script src=http://a.example/b.js integrity=" SHA "></script>", "sri-implemented-but-external-scripts-not-loaded-securely" },
    { "by whatever the page came with", HTML "<script src=//a.example/b.js integrity=" SHA "></script>", "sri-implemented-but-external-scripts-not-loaded-securely" },
    { "without integrity over HTTP", HTML "<script src=http://a.example/b.js></script><script src=https://a.example/b.js integrity=" SHA "></script>", "sri-not-implemented-and-external-scripts-not-loaded-securely" },
    { "own scripts over HTTP", HTML "<script src=http://www.example.com/b.js></script>", "sri-not-implemented-and-external-scripts-not-loaded-securely" },
    { "a base elsewhere", HTML "<base href=https://a.example/><script src=b.js></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "scripts of the visitor's own machine", HTML "<script src=https://localhost/b.js integrity=" SHA "></script>", "sri-implemented-and-external-scripts-loaded-securely" },
    { "the same without integrity", HTML "<script src=https://localhost:8443/b.js></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "the same over HTTP", HTML "<script src=http://localhost/b.js></script>", "sri-not-implemented-and-external-scripts-not-loaded-securely" },
    { "scripts of a neighbour without a dot", HTML "<script src=//intranet/b.js integrity=" SHA "></script>", "sri-implemented-but-external-scripts-not-loaded-securely" },
    { "scripts of a private address", HTML "<script src=https://192.168.0.1/b.js integrity=" SHA "></script>", "sri-implemented-and-external-scripts-loaded-securely" },
    { "an address without a host", HTML "<script src=https:///?a></script><script src='https:// a/'></script>", "sri-not-implemented-but-no-scripts-loaded" },
    { "neighbours below a public suffix", "https https://a.github.io/ 200\n" HTML "<script src=https://b.github.io/></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "addresses that end alike", "https https://203.1.113.5/ 200\n" HTML "<script src=https://8.8.113.5/></script>", "sri-not-implemented-but-external-scripts-loaded-securely" },
    { "a script in the page's own words", HTML "<script src=data:text/javascript,1></script>", "sri-not-implemented-but-no-scripts-loaded" },
    { "a script in a template", HTML "<template><script src=http://a.example/></script></template>", "sri-not-implemented-but-no-scripts-loaded" },
    { "a page that broke off", "broken\n" HTML "<p>", "html-not-parseable" },

    /* the rest */
    { "nosniff", "X-Content-Type-Options: NoSniff", "x-content-type-options-nosniff" },
    { "nosniff twice", "X-Content-Type-Options: nosniff, nosniff", "x-content-type-options-nosniff" },
    { "sniff", "X-Content-Type-Options: sniff", "x-content-type-options-header-invalid" },
    { "no type options", HTTPS, "x-content-type-options-not-implemented" },

    { "DENY", "X-Frame-Options: Deny", "x-frame-options-sameorigin-or-deny" },
    { "SAMEORIGIN twice", "X-Frame-Options: SAMEORIGIN\nX-Frame-Options: SAMEORIGIN", "x-frame-options-sameorigin-or-deny" },
    { "ALLOW-FROM", "X-Frame-Options: ALLOW-FROM https://a.example", "x-frame-options-allow-from-origin" },
    { "ALLOWALL", "X-Frame-Options: ALLOWALL", "x-frame-options-header-invalid" },
    { "empty frame options", "X-Frame-Options:", "x-frame-options-header-invalid" },
    { "no frame options", HTTPS, "x-frame-options-not-implemented" },
    { "frame-ancestors", CSP "frame-ancestors *\nX-Frame-Options: x", "x-frame-options-implemented-via-csp" },
    { "frame-ancestors that only reports", "Content-Security-Policy-Report-Only: frame-ancestors 'none'", "x-frame-options-not-implemented" },
    { "frame-ancestors in markup", HTML "<head><meta http-equiv=content-security-policy content=\"frame-ancestors 'none'\">", "x-frame-options-not-implemented" },

    { "CORP same-origin", "Cross-Origin-Resource-Policy: same-origin", "corp-implemented-with-same-origin" },
    { "CORP same-site", "Cross-Origin-Resource-Policy: same-site", "corp-implemented-with-same-site" },
    { "CORP cross-origin", "Cross-Origin-Resource-Policy: cross-origin", "corp-implemented-with-cross-origin" },
    { "CORP with capitals", "Cross-Origin-Resource-Policy: Same-Origin", "corp-header-invalid" },
    { "no CORP", HTTPS, "corp-not-implemented" },
    { "CORP in markup, which browsers do not heed", HTML "<meta http-equiv=cross-origin-resource-policy content=same-site>", "corp-not-implemented" },

    { "COOP same-origin", "Cross-Origin-Opener-Policy: same-origin; report-to=\"x\"", "coop-implemented-with-same-origin" },
    { "COOP same-origin-allow-popups", "Cross-Origin-Opener-Policy: same-origin-allow-popups", "coop-implemented-with-same-origin-allow-popups" },
    { "COOP noopener-allow-popups", "Cross-Origin-Opener-Policy: noopener-allow-popups", "coop-implemented-with-noopener-allow-popups" },
    { "COOP unsafe-none", "Cross-Origin-Opener-Policy: unsafe-none", "coop-implemented-with-unsafe-none" },
    { "COOP with capitals", "Cross-Origin-Opener-Policy: Same-Origin", "coop-header-invalid" },
    { "COOP in quotes", "Cross-Origin-Opener-Policy: \"same-origin\"", "coop-header-invalid" },
    { "COOP with bad parameters", "Cross-Origin-Opener-Policy: same-origin; =", "coop-header-invalid" },
    { "COOP twice", "Cross-Origin-Opener-Policy: same-origin\nCross-Origin-Opener-Policy: same-origin", "coop-header-invalid" },
    { "no COOP", HTTPS, "coop-not-implemented" },

    { "COEP require-corp", "Cross-Origin-Embedder-Policy: require-corp", "coep-implemented-with-require-corp" },
    { "COEP credentialless", "Cross-Origin-Embedder-Policy: credentialless; a=1", "coep-implemented-with-credentialless" },
    { "COEP with a blank where none may be", "Cross-Origin-Embedder-Policy: credentialless ;a", "coep-header-invalid" },
    { "COEP unsafe-none", "Cross-Origin-Embedder-Policy: unsafe-none", "coep-implemented-with-unsafe-none" },
    { "COEP twice in a line", "Cross-Origin-Embedder-Policy: require-corp, require-corp", "coep-header-invalid" },
    { "no COEP", HTTPS, "coep-not-implemented" },
};

static const struct graded {
    const char *name;
    const char *site;
    int score;
    int uncapped;
    const char *grade;
} graded[] = {
    { "nothing at all", HTTPS "http http://www.example.com/ 200", 10, 10, "F" },
    { "a bonus counts from 90 on", HTTPS HSTS CSP "default-src 'none'; frame-ancestors 'none'\nX-Content-Type-Options: nosniff\nReferrer-Policy: no-referrer\n", 100, 120, "A+" },
    { "no bonus below it", HTTPS HSTS CSP "script-src 'unsafe-inline'; frame-ancestors 'none'\nX-Content-Type-Options: nosniff\nReferrer-Policy: no-referrer\nCross-Origin-Opener-Policy: same-origin", 80, 80, "B+" },
    { "at 90 exactly", HTTPS "Strict-Transport-Security: max-age=1\n" CSP "default-src 'none'; frame-ancestors 'none'\nX-Content-Type-Options: nosniff\n", 100, 105, "A+" },
    { "95 is an A", HTTPS HSTS CSP "default-src 'self'; style-src 'unsafe-inline'\nX-Frame-Options: ALLOW-FROM a\n", 95, 95, "A" },
    { "not below nothing", HTTPS "Set-Cookie: session=1\noptions 200\nAccess-Control-Allow-Origin: " ORIGIN "\nAccess-Control-Allow-Credentials: true", 0, 0, "F" },
};
/* clang-format on */

static bool has_result(const struct assessment *assessment, const char *wanted)
{
    for (size_t i = 0; i < CHECKS; i++)
        if (strcmp(result_rows[assessment->result[i]].name, wanted) == 0)
            return true;
    return false;
}

static void check_row(void **state)
{
    const struct row *row = *state;
    scoped(site_free) struct site site = { 0 };
    scoped(assessment_free) struct assessment assessment;
    site_read(text_of(row->site), &site);
    site_assess(&site, knowledge, &assessment);
    if (has_result(&assessment, row->want))
        return;
    for (size_t i = 0; i < CHECKS; i++)
        print_message("%s\n", result_rows[assessment.result[i]].name);
    fail_msg("not %s", row->want);
}

static void check_grade(void **state)
{
    const struct graded *row = *state;
    scoped(site_free) struct site site = { 0 };
    scoped(assessment_free) struct assessment assessment;
    site_read(text_of(row->site), &site);
    site_assess(&site, knowledge, &assessment);
    assert_int_equal(assessment.score_uncapped, row->uncapped);
    assert_int_equal(assessment_score(&assessment), row->score);
    assert_string_equal(assessment_grade(&assessment), row->grade);
}

/* Each grade, by score. */
static void grades_of_scores(void **state)
{
    static const char *const wanted[] = { "F", "F",  "F",  "F",  "F", "D-", "D",
                                          "D", "D+", "C-", "C",  "C", "C+", "B-",
                                          "B", "B",  "B+", "A-", "A", "A",  "A+" };
    (void)state;
    for (int score = 0; score <= 104; score++) {
        const struct assessment assessment = { .score_uncapped = score };
        assert_string_equal(assessment_grade(&assessment), wanted[score > 100 ? 20 : score / 5]);
    }
}

static void each_result_has_a_row(void **state)
{
    (void)state;
    for (size_t r = 0; r < RESULTS; r++) {
        size_t i = 0;
        while (i < countof(rows) && strcmp(rows[i].want, result_rows[r].name) != 0)
            i++;
        if (i == countof(rows))
            fail_msg("%s has no row", result_rows[r].name);
    }
}

static void passing_is_losing_nothing(void **state)
{
    (void)state;
    for (size_t r = 0; r < RESULTS; r++) {
        bool passes = result_rows[r].modifier >= 0 || r == CSP_INSECURE_PASSIVE;
        assert_int_equal(result_passes((enum result)r), passes);
    }
}

/* Load a preload list from a file, as an operator would configure it. */
static void load_knowledge(void)
{
    static const char names[] =
        "# a comment\nalone.example\npreloaded.example include_subdomains\n";
    char path[] = "/tmp/preload-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, names, sizeof(names) - 1), sizeof(names) - 1);
    close(fd);
    setenv("TOLLGATE_SECURITY_HSTS_PRELOAD_FILE", path, 1);
    knowledge = site_knowledge();
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(grades_of_scores),
        cmocka_unit_test(each_result_has_a_row),
        cmocka_unit_test(passing_is_losing_nothing),
    };
    load_knowledge();
    int failed = RUN_ROWS(rows, check_row) + RUN_ROWS(graded, check_grade) +
                 cmocka_run_group_tests(others, NULL, NULL);
    knowledge_free(&knowledge);
    return failed;
}
