/* examples/tollgate.c - calls of Tollgate with libcurl and cJSON. `make run` writes the file that
 * it reads: cc -o tollgate examples/tollgate.c -lcurl -lcjson && ./tollgate [var/demo.json] */
#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 5, TIMEOUT_S = 60, ANSWER_MAX_BYTES = 8 << 20 };

struct answer {
    char *bytes;
    size_t size;
};

static const char *text(const cJSON *object, const char *name)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return value ? value : "";
}

static size_t take(char *bytes, size_t one, size_t count, void *to)
{
    struct answer *answer = to;
    (void)one;
    if (answer->size + count > ANSWER_MAX_BYTES)
        return 0;
    answer->bytes = realloc(answer->bytes, answer->size + count + 1);
    memcpy(answer->bytes + answer->size, bytes, count);
    answer->bytes[answer->size += count] = '\0';
    return count;
}

/* One call, paid once at most: each attempt has the same key. Without a body it is a GET. */
static cJSON *ask(const cJSON *demo, const char *path, const char *body)
{
    char url[500], token[100], key[60];
    CURL *curl = curl_easy_init();
    struct answer answer = { NULL, 0 };
    snprintf(url, sizeof(url), "%s/v1/client/%s/%s", text(demo, "base_url"), text(demo, "account"),
             path);
    snprintf(token, sizeof(token), "Authorization: Bearer %s", text(demo, "token"));
    snprintf(key, sizeof(key), "Idempotency-Key: %lx-%x-%p", time(NULL), getpid(), (void *)body);
    struct curl_slist *headers = curl_slist_append(NULL, token);
    headers = curl_slist_append(headers, key);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_CAINFO, text(demo, "ca_file"));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TIMEOUT_S);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        curl_off_t wait_s = 0; /* 409, 429 and 503 say how long */
        answer.size = 0;
        if (curl_easy_perform(curl) == CURLE_OK)
            curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait_s);
        else /* it timed out or broke off: nobody knows whether it was done, so ask again */
            wait_s = 1;
        if (wait_s == 0 || sleep((unsigned)wait_s) > 0)
            break;
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    cJSON *tree = cJSON_Parse(answer.size ? answer.bytes : "");
    free(answer.bytes);
    return tree;
}

int main(int argc, char **argv)
{
    char bytes[4096] = "";
    FILE *file = fopen(argc > 1 ? argv[1] : "var/demo.json", "r");
    if (!file || !fread(bytes, 1, sizeof(bytes) - 1, file))
        return perror("demo.json"), 1;
    cJSON *demo = cJSON_Parse(bytes);
    cJSON *good = ask(demo, "tools/hash-generate", "{\"input\":\"hello\"}");
    cJSON *bad = ask(demo, "tools/hash-generate", "{\"algorithm\":\"MD5\"}");
    cJSON *balance = ask(demo, "account/credits", NULL);
    const cJSON *error = cJSON_GetArrayItem(cJSON_GetObjectItem(bad, "errors"), 0);
    printf("hash: %s\n", text(cJSON_GetObjectItem(good, "result"), "hash"));
    printf("refused: %s: %s\n", text(error, "code"), text(error, "message"));
    const cJSON *credits = cJSON_GetObjectItem(cJSON_GetObjectItem(balance, "result"), "credits");
    printf("credits: %.0f\n", cJSON_GetNumberValue(credits));
    return 0;
}
