/* common/admin/admin.c - livez, readyz and metrics with civetweb. */
#include "admin/admin.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <stdatomic.h>
#include <string.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/scoped.h"
#include "base/table.h"

enum {
    METRICS_MAX_BYTES = 4 << 20,
    CLIENTS_MAX_BYTES = 64 << 10, /* as text; a list of the configuration has no more */
    LOG_PAUSE_MS = 10000,         /* so that unknown clients cannot fill the log */
};

struct admin {
    struct mg_context *server;
    int port;
    struct admin_options options;
    _Atomic int64_t silent_until_ms; /* no line is logged before this time */
};

struct reply {
    int status;
    const char *reason; /* in the status line */
    const char *content_type;
    struct buf body;
};

static const char text_type[] = "text/plain; charset=utf-8";
static const char json_type[] = "application/json";
static const char metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

static void set_text(struct reply *reply, int status, const char *reason)
{
    reply->status = status;
    reply->reason = reason;
    buf_format(&reply->body, "%s\n", reason);
}

static void answer_livez(const struct admin *admin, struct reply *reply)
{
    (void)admin;
    set_text(reply, 200, "OK");
}

static void answer_ready(const struct admin *admin, struct reply *reply)
{
    char note[ADMIN_NOTE_BYTES] = "";
    if (admin->options.note)
        admin->options.note(admin->options.arg, note);
    buf_add_str(&reply->body, "{\"ready\":true");
    if (*note)
        buf_format(&reply->body, ",\"note\":\"%s\"", note);
    buf_add_str(&reply->body, "}\n");
}

static void answer_readyz(const struct admin *admin, struct reply *reply)
{
    const char *why_not = admin->options.ready(admin->options.arg);
    reply->content_type = json_type;
    if (!why_not) {
        answer_ready(admin, reply);
        return;
    }
    reply->status = 503;
    reply->reason = "Service Unavailable";
    buf_format(&reply->body, "{\"ready\":false,\"reason\":\"%s\"}\n", why_not);
}

static void answer_metrics(const struct admin *admin, struct reply *reply)
{
    reply->content_type = metrics_type;
    if (metrics_write(admin->options.metrics, &reply->body))
        return;
    buf_clear(&reply->body);
    reply->content_type = text_type;
    set_text(reply, 500, "Internal Server Error");
}

static const struct page {
    const char *name;
    void (*answer)(const struct admin *admin, struct reply *reply);
} pages[] = {
    { "/livez", answer_livez },
    { "/readyz", answer_readyz },
    { "/metrics", answer_metrics },
};

static void send_reply(struct mg_connection *connection, const struct reply *reply, bool is_head)
{
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
              "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
              reply->status, reply->reason, reply->content_type, reply->body.size,
              reply->status == 405 ? "Allow: GET, HEAD\r\n" : "");
    if (!is_head)
        mg_write(connection, buf_str(&reply->body), reply->body.size);
}

/*
 * civetweb's callback answers every request, so that no file is ever opened. Its threads have small
 * stacks; the body grows on the heap.
 */
static int answer_request(struct mg_connection *connection)
{
    const struct mg_request_info *request = mg_get_request_info(connection);
    const struct admin *admin = request->user_data;
    struct reply reply = { 200, "OK", text_type, BUF(METRICS_MAX_BYTES) };
    bool is_head = strcmp(request->request_method, "HEAD") == 0;
    const struct page *page = TABLE_FIND(pages, request->local_uri);

    if (!page)
        set_text(&reply, 404, "Not Found");
    else if (!is_head && strcmp(request->request_method, "GET") != 0)
        set_text(&reply, 405, "Method Not Allowed");
    else
        page->answer(admin, &reply);
    send_reply(connection, &reply, is_head);
    buf_free(&reply.body);
    return reply.status;
}

static int log_message(const struct mg_connection *connection, const char *message)
{
    struct admin *admin = mg_get_user_data(mg_get_context(connection));
    int64_t now_ms = clock_ms();
    if (now_ms >= admin->silent_until_ms) {
        admin->silent_until_ms = now_ms + LOG_PAUSE_MS;
        log_line(LOG_WARN, "admin port", log_str("error", message));
    }
    return 1; /* civetweb need not log it */
}

/* Exactly "host:port": civetweb would also accept lists, flags and files. */
static bool is_address(struct text listen)
{
    struct in6_addr host;
    int64_t port;
    const char *colon = memrchr(listen.bytes, ':', listen.size);
    if (!colon)
        return false;
    struct text name = { listen.bytes, (size_t)(colon - listen.bytes) };
    struct text digits = { colon + 1, listen.size - name.size - 1 };
    bool bracketed = name.size > 2 && name.bytes[0] == '[' && name.bytes[name.size - 1] == ']';
    if (bracketed)
        name = (struct text){ name.bytes + 1, name.size - 2 };
    return address_parse(name, &host) && bracketed == !!memchr(name.bytes, ':', name.size) &&
           num_parse(digits, 65535, &port);
}

/* The list in civetweb's format: deny all, then allow these. */
static bool write_clients(const struct cidrs *clients, struct buf *list, struct err *err)
{
    char address[INET_ADDRSTRLEN];
    buf_add_str(list, "-0.0.0.0/0");
    for (size_t i = 0; i < clients->count; i++) {
        const struct cidr *client = &clients->item[i];
        if (!address_is_ipv4(&client->network))
            return err_set(err, ERR_INVALID_VALUE,
                           "admin.clients: item %zu is not IPv4; admin ports do not listen on IPv6",
                           i + 1);
        inet_ntop(AF_INET, &client->network.s6_addr[12], address, sizeof(address));
        buf_format(list, ",+%s/%u", address, client->prefix - 96);
    }
    return true;
}

bool admin_start(const struct admin_options *options, struct admin **started, struct err *err)
{
    scoped(buf_free) struct buf clients = BUF(CLIENTS_MAX_BYTES);
    if (!is_address(text_of(options->listen)))
        return err_set(err, ERR_INVALID_VALUE, "admin address %.80s is not host:port",
                       options->listen);
    if (!write_clients(options->clients, &clients, err))
        return false;
    /* clang-format off */
    const char *settings[] = {
        "listening_ports", options->listen,
        "access_control_list", buf_str(&clients),
        "num_threads", "32",
        "connection_queue", "8",
        "request_timeout_ms", "1000", /* how long a silent client can use a thread */
        "max_request_size", "4096",
        "enable_keep_alive", "no",
        "enable_directory_listing", "no",
        "enable_auth_domain_check", "no",
        "access_control_allow_origin", "",
        "cgi_pattern", "",
        "ssi_pattern", "",
        NULL,
    };
    /* clang-format on */
    const struct mg_callbacks callbacks = { .begin_request = answer_request,
                                            .log_message = log_message };
    struct mg_server_port port = { 0 };

    struct admin *admin = mem_new(sizeof(*admin));
    admin->options = *options;
    mg_init_library(0);
    admin->server = mg_start(&callbacks, admin, settings);
    if (!admin->server || mg_get_server_ports(admin->server, 1, &port) != 1) {
        admin_stop(&admin);
        return err_set(err, ERR_INVALID_VALUE, "cannot listen on admin address %.80s",
                       options->listen);
    }
    admin->port = port.port;
    *started = admin;
    return true;
}

int admin_port(const struct admin *admin)
{
    return admin->port;
}

void admin_stop(struct admin **address_of_admin)
{
    struct admin *admin = *address_of_admin;
    if (!admin)
        return;
    if (admin->server)
        mg_stop(admin->server);
    mg_exit_library();
    mem_free(address_of_admin);
}
