/* svc-security/tls-check/tests/peers.c - run tls-check once for peers.py: the request is on the
 * command line, the result or the error is JSON on standard output. The environment configures the
 * egress. */
#include <stdio.h>

#include "net/egress.h"
#include "tool.h"
#include "tools.h"

int main(int argc, char **argv)
{
    scoped(conf_free) struct conf *conf = NULL;
    scoped(egress_close) struct egress *egress = NULL;
    scoped(json_free) cJSON *result = json_object();
    scoped(buf_free) struct buf out = BUF(4 << 20);
    struct err err = { 0 };

    if (argc != 2 || !conf_load(NULL, &conf, &err) || !egress_open(conf, &egress, &err)) {
        fprintf(stderr, "usage: %s REQUEST; %s\n", argv[0], err.message);
        return 1;
    }
    scoped(job_free) struct job *job = job_of("tls-check", argv[1]);
    job->egress = egress;
    if (tls_check(job, result, &err))
        assert_fits(job, result);
    else
        json_str(result, "error", err_code(err.kind));
    json_int(result, "strays", (int64_t)egress_stray_count(egress));
    json_print(result, &out);
    puts(buf_str(&out));
    return 0;
}
