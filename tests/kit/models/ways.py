"""tests/kit/models/ways.py - a request for each tool of svc-ai, around a text from the customer."""

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGM4kXAMiBggFAAuGwZpO6KVvgAAAABJRU5ErkJggg=="

WAYS = {
    "ai-alt-text": lambda text: {"context": text, "image_base64": PICTURE},
    "ai-chat": lambda text: {"prompt": text},
    "ai-code-review": lambda text: {"code": text},
    "ai-content-summarize": lambda text: {"text": text},
    "ai-extract": lambda text: {"text": text, "fields": [{"name": "number", "type": "string"}]},
    "ai-image-generate": lambda text: {"prompt": text},
    "ai-moderation": lambda text: {"text": text},
    "ai-seo-generate": lambda text: {"content": text},
    "ai-translate": lambda text: {"text": text, "target_language": "de"},
}
