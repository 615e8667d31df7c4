# deploy/docker/setting.sh - included by scripts in this folder.

# A setting, in Compose's order: the environment, .env, the default in compose.yaml.
setting() {
    eval "value=\${$1:-}"
    [ -n "$value" ] || [ ! -f .env ] || value=$(sed -n "s/^$1=//p" .env | tail -n 1 | tr -d "\"'")
    [ -n "$value" ] || value=$(sed -n "s/.*\${$1:-\([^}]*\)}.*/\1/p" compose.yaml | head -n 1)
    echo "$value"
}
