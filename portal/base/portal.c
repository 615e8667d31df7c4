/* portal/base/portal.c - settings of the process that pages use. */
#include "portal/base/portal.h"

#include <string.h>

bool portal_sends_mail(const struct portal *portal)
{
    return conf_str(portal->conf, "mail.url")[0] != '\0';
}

const char *portal_provider(const struct portal *portal)
{
    return conf_str(portal->conf, "payments.provider");
}

bool portal_sells(const struct portal *portal)
{
    return strcmp(portal_provider(portal), "none") != 0;
}

bool portal_adds_tax(const struct portal *portal)
{
    return strcmp(portal_provider(portal), "stripe") == 0 &&
           conf_bool(portal->conf, "payments.stripe_tax");
}

const char *portal_contact(const struct portal *portal)
{
    return portal->contact[0] ? portal->contact : "the operator";
}
