/*
 * portal/oauth/clients/client.h - a client: who asks for a connection, and where its codes may be
 * sent.
 *
 * The id of a client with a metadata document is an https URL: portal/oauth/clients/document.h
 * reads it. Any other client registers itself (RFC 7591), and its id is the registration: "tgc_"
 * and base64url of a MAC, its name and its redirects. Nothing is stored (RFC 7591 appendix A.5.2),
 * so that an unknown client writes no rows. The same registration always gives the same id.
 */
#pragma once

#include "net/host.h"
#include "portal/base/secret.h"
#include "portal/oauth/clients/client-name.h"
#include "portal/oauth/clients/redirect.h"

#define CLIENT_PREFIX "tgc_"

enum {
    CLIENT_ID_MAX_BYTES = 1000,
    CLIENT_REDIRECTS_MAX = 10, /* of a registration */
    CLIENT_DOCUMENT_REDIRECTS_MAX = 20,
    CLIENT_TEXT_BYTES = 10 << 10, /* of a document; a registration is shorter */
    CLIENT_KEY_BYTES = 32,
};

/* By value, and not moved: the redirects point into it. */
struct client {
    uint8_t key[CLIENT_KEY_BYTES]; /* names the client in the database; outlives a new secret */
    char name[CLIENT_NAME_BYTES];  /* as it calls itself; nobody has checked it */
    char host[HOST_BYTES];         /* of its document, which it controls; "": registered itself */
    bool needs_key;                /* must sign its requests for tokens */
    bool is_web;                   /* no program on a computer: also its loopback ports are fixed */
    size_t count;                  /* 0: no client */
    struct redirect redirects[CLIENT_DOCUMENT_REDIRECTS_MAX];
    char text[CLIENT_TEXT_BYTES]; /* of the redirects */
};

/* Is it the id of a client with a document? */
bool client_is_url(const char *id);

/* Write the id of a client with this name, already cleaned, and these redirects; the port of a
 * loopback host is left out. False: it would be longer than 1,000 bytes. */
bool client_id_write(struct secrets *secrets, const char *name, const struct redirect *redirects,
                     size_t count, struct buf *id);

/* Read the id of a registration. False: no line of portal.secret_file made it. */
bool client_read(struct secrets *secrets, const struct conf *conf, const char *id,
                 struct client *client) must_check;

/* The key of an id of either kind, which need not be ours. False: it has another form. */
bool client_key(const char *id, uint8_t key[static CLIENT_KEY_BYTES]) must_check;

/* May a code of this client be sent to this URI? */
bool client_has_redirect(const struct client *client, const struct redirect *requested);

/* oauth.client_hosts: may a client ask for a connection whose document is on this host; NULL: one
 * that has registered itself? */
bool client_is_admitted(const struct conf *conf, const char *host);

/* Are all items of oauth.client_hosts host names, as documents have them? */
bool client_hosts_check(const struct conf *conf, struct err *err) must_check;
