#!/bin/sh
# examples/curl.sh - call Tollgate with curl 7.76 or newer and jq. It reads the file that `make run`
# writes:
#     examples/curl.sh [var/demo.json]
set -eu
demo=${1:-var/demo.json}
read_demo() { jq -er ".$1" "$demo"; }
base="$(read_demo base_url)/v1/client/$(read_demo account)"
ca_file=$(read_demo ca_file)
response=$(mktemp)
trap 'rm -f "$response"' EXIT

# curl reads the token from standard input: every user of the machine can read command lines.
request() {
    printf 'header = "Authorization: Bearer %s"\n' "$(read_demo token)" |
        curl --config - --silent --show-error --cacert "$ca_file" --max-time 60 "$@"
}

# One call, charged at most once: each attempt has the same key. --retry waits Retry-After seconds
# after 429 and 503, and retries after a broken connection. --output keeps only the last response.
call() {
    request --output "$response" --retry 4 --retry-all-errors \
        --header 'Content-Type: application/json' \
        --header "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" \
        --data "$2" "$base/tools/$1"
    cat "$response"
}

call hash-generate '{"input":"hello"}' | jq -r '"hash: \(.result.hash)"'

call hash-generate '{"algorithm":"MD5"}' | jq -r '.errors[] | "error: \(.code): \(.message)"'

request "$base/account/credits" | jq -r '"credits: \(.result.credits)"'
