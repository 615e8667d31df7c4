"""tests/kit/models/providers.py - providers' files for our workers, and the requests that the stub
received."""

import json

import yaml

KEY = "sk-test-0123456789abcdef-never-in-a-log"

# One provider with all abilities; it forgets what other tests made the stub do.
USUAL = {
    "cooldown_ms": 0,
    "providers": [{"name": "stub", "type": "openai", "base": "/openai/v1", "model": "stub-model",
                   "vision_model": "stub-vision", "moderation_model": "stub-moderation",
                   "image_model": "stub-painter", "timeout_ms": 3000, "max_concurrency": 128}],
}


def write(folder, models, config):
    """Write providers.yaml and its key; `base` of a provider follows the stub's URL; fields with
    None are left out."""
    (folder / "provider.key").write_text(KEY + "\n")
    for provider in config["providers"]:
        provider.setdefault("api_key_file", str(folder / "provider.key"))
    listed = [{name: value for name, value in {**provider, "base_url": models + provider["base"]}.items() if name != "base" and value}
              for provider in config["providers"]]
    fresh = folder / "providers.yaml.new"
    fresh.write_text(yaml.safe_dump({**config, "providers": listed}))
    fresh.rename(folder / "providers.yaml")


def sent(log, mark):
    """The requests with this text anywhere in the body, in order."""
    with open(log) as lines:
        requests = [json.loads(line) for line in lines if mark in line]
    return [request for request in requests if mark in json.dumps(request["body"])]
