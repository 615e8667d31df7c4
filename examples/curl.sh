#!/bin/sh
# examples/curl.sh - calls of Tollgate by curl 7.76 and jq. `make run` writes the file that it reads:
#     examples/curl.sh [var/demo.json]
set -eu
demo=${1:-var/demo.json}
read_demo() { jq -er ".$1" "$demo"; }
base="$(read_demo base_url)/v1/client/$(read_demo account)"
ca_file=$(read_demo ca_file)
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# The token stands in no argument, where everybody on the machine could read it.
ask() {
    printf 'header = "Authorization: Bearer %s"\n' "$(read_demo token)" |
        curl --config - --silent --show-error --cacert "$ca_file" --max-time 60 "$@"
}

# One call, whatever happens on the way: --retry waits for as long as Retry-After says after 429 and 503, and
# repeats what broke off; --output forgets the answers before the last. The same key in each attempt is paid once at
# most.
call() {
    ask --output "$answer" --retry 4 --retry-all-errors \
        --header 'Content-Type: application/json' \
        --header "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" \
        --data "$2" "$base/tools/$1"
    cat "$answer"
}

call hash-generate '{"input":"hello"}' | jq -r '"hash: \(.result.hash)"'

call hash-generate '{"algorithm":"MD5"}' | jq -r '.errors[] | "refused: \(.code): \(.message)"'

ask "$base/account/credits" | jq -r '"credits: \(.result.credits)"'
