/* portal/session/browser.c - see browser.h. */
#include "portal/session/browser.h"

#include <stdio.h>
#include <string.h>

#include "base/codec/utf8.h"
#include "base/scoped.h"
#include "text/json.h"

/* The first match counts: most browsers also claim to be Chrome and Safari (MDN, "Browser detection
 * using the user agent string"). */
struct sign {
    const char *part;
    const char *name;
};

static const struct sign browsers[] = {
    { "Edg", "Edge" },           { "OPR/", "Opera" },     { "SamsungBrowser/", "Samsung Internet" },
    { "Firefox/", "Firefox" },   { "FxiOS/", "Firefox" }, { "CriOS/", "Chrome" },
    { "Chromium/", "Chromium" }, { "Chrome/", "Chrome" }, { "Safari/", "Safari" },
    { "curl/", "curl" },
};

static const struct sign systems[] = {
    { "Windows", "Windows" }, { "Android", "Android" }, { "iPhone", "iPhone" }, { "iPad", "iPad" },
    { "Mac OS", "Mac OS" },   { "CrOS", "ChromeOS" },   { "Linux", "Linux" },
};

static const char *find_sign(const char *agent, const struct sign *signs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(agent, signs[i].part))
            return signs[i].name;
    return NULL;
}

static void copy_cut(const char *agent, char name[static BROWSER_BYTES])
{
    struct text cut = utf8_cut(text_of(agent), BROWSER_BYTES - 1);
    memcpy(name, cut.bytes, cut.size);
    name[cut.size] = '\0';
}

void browser_name(const char *agent, char name[static BROWSER_BYTES])
{
    const char *browser = find_sign(agent ? agent : "", browsers, countof(browsers));
    const char *system = find_sign(agent ? agent : "", systems, countof(systems));
    if (!agent)
        name[0] = '\0';
    else if (!browser)
        copy_cut(agent, name);
    else
        snprintf(name, BROWSER_BYTES, "%s%s%s", browser, system ? " on " : "",
                 system ? system : "");
}

void browser_add(cJSON *object, const char *agent)
{
    char name[BROWSER_BYTES];
    browser_name(agent, name);
    json_str(object, "browser", name);
    json_str(object, "agent", agent);
}
