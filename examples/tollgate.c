/* examples/tollgate.c - call Tollgate with libcurl and cJSON. It reads the file that `make run`
 * writes: cc -o tollgate examples/tollgate.c -lcurl -lcjson && ./tollgate [var/demo.json] */
#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 5, TIMEOUT_S = 60, RESPONSE_MAX_BYTES = 8 << 20 };

struct response {
    char *bytes;
    size_t size;
};

static const char *text(const cJSON *object, const char *name)
{
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItem(object, name));
    return value ? value : "";
}

static size_t append_bytes(char *bytes, size_t one, size_t count, void *to)
{
    struct response *response = to;
    (void)one;
    if (response->size + count > RESPONSE_MAX_BYTES)
        return 0;
    response->bytes = realloc(response->bytes, response->size + count + 1);
    memcpy(response->bytes + response->size, bytes, count);
    response->bytes[response->size += count] = '\0';
    return count;
}

/* One call, charged at most once: each attempt has the same key. Without a body it is a GET. */
static cJSON *request(const cJSON *demo, const char *path, const char *body)
{
    char url[500], token[100], key[60];
    CURL *curl = curl_easy_init();
    struct response response = { NULL, 0 };
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
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
    if (body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        curl_off_t wait_s = 0; /* from Retry-After of 409, 429 and 503 */
        response.size = 0;
        if (curl_easy_perform(curl) == CURLE_OK)
            curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait_s);
        else /* the response got lost: the same key makes the retry safe */
            wait_s = 1;
        if (wait_s == 0 || sleep((unsigned)wait_s) > 0)
            break;
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    cJSON *tree = cJSON_Parse(response.size ? response.bytes : "");
    free(response.bytes);
    return tree;
}

int main(int argc, char **argv)
{
    char bytes[4096] = "";
    FILE *file = fopen(argc > 1 ? argv[1] : "var/demo.json", "r");
    if (!file || !fread(bytes, 1, sizeof(bytes) - 1, file))
        return perror("demo.json"), 1;
    cJSON *demo = cJSON_Parse(bytes);
    cJSON *good = request(demo, "tools/hash-generate", "{\"input\":\"hello\"}");
    cJSON *bad = request(demo, "tools/hash-generate", "{\"algorithm\":\"MD5\"}");
    cJSON *balance = request(demo, "account/credits", NULL);
    const cJSON *error = cJSON_GetArrayItem(cJSON_GetObjectItem(bad, "errors"), 0);
    printf("hash: %s\n", text(cJSON_GetObjectItem(good, "result"), "hash"));
    printf("error: %s: %s\n", text(error, "code"), text(error, "message"));
    const cJSON *credits = cJSON_GetObjectItem(cJSON_GetObjectItem(balance, "result"), "credits");
    printf("credits: %.0f\n", cJSON_GetNumberValue(credits));
    return 0;
}
