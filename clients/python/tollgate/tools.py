"""Generated from the gateway's OpenAPI document: see clients/generate.py. Do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from .client import Client

if TYPE_CHECKING:  # typing has NotRequired from Python 3.11 on; type checkers know this module
    from typing_extensions import NotRequired


class AiAltTextRequest(TypedDict):
    image_url: NotRequired[str]
    """http or https, port 80 or 443, at most 5 MiB. Never sent to a model"""
    image_base64: NotRequired[str]
    """Base64 or data URI, instead of image_url"""
    context: NotRequired[str]
    """What the page is about"""
    language: NotRequired[str]
    """Of the result: BCP 47 tag or English name. Default: "en" """
    max_length: NotRequired[int]
    """Limit of alt_text, in characters. Default: 125"""
    style: NotRequired[Literal['concise', 'descriptive']]
    """Level of detail. Default: "concise" """
    decorative_hint: NotRequired[bool]
    """The image may be decorative. Default: false"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiAltTextResultImage(TypedDict):
    format: Literal['png', 'jpeg', 'gif', 'webp']
    """Detected from the data, not from the file name"""
    width: int
    """In pixels"""
    height: int
    """In pixels"""
    bytes: int
    """Size in bytes"""
    animated: bool
    """Whether it has more than one frame"""
    source: Literal['url', 'base64']
    """Which field the image came from"""


class AiAltTextResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiAltTextResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiAltTextResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiAltTextResult(TypedDict):
    alt_text: str
    """One sentence of at most max_length characters, without a lead-in such as "image of"; empty if the image is decorative"""
    long_description: str
    """A longer description of at most 800 characters; may be empty"""
    decorative: bool
    """Whether the image is decorative"""
    contains_text: bool
    """Whether the image contains text"""
    text_in_image: str
    """The text in the image, at most 500 characters of it"""
    subjects: list[str]
    """What the image shows: at most 8, in one or two words each"""
    language: str
    """BCP 47 tag"""
    length: int
    """Length of alt_text, in characters"""
    image: AiAltTextResultImage
    """Properties read from the image data"""
    input_length: int
    """Length of context, in characters"""
    generated_at: str
    """When the result was produced, in UTC"""
    meta: AiAltTextResultMeta
    """How the result was produced"""


class AiChatRequestMessages(TypedDict):
    role: Literal['system', 'user', 'assistant']
    """Author"""
    content: str
    """At most 4,000 characters in all messages together"""


class AiChatRequest(TypedDict):
    messages: NotRequired[list[AiChatRequestMessages]]
    """The conversation, instead of prompt. At most one system message, first; the last is from the user"""
    prompt: NotRequired[str]
    """User message, instead of messages"""
    system: NotRequired[str]
    """System instructions; only with prompt, and at most 4,000 characters together"""
    temperature: NotRequired[float]
    """Randomness of the answer. Default: 0.7"""
    max_tokens: NotRequired[int]
    """Longer answers are cut. Default: 1024"""
    stop: NotRequired[list[str]]
    """The answer stops before any of these"""
    seed: NotRequired[int]
    """For repeatable answers, if the model supports it"""
    response_format: NotRequired[Literal['text', 'json']]
    """json: a JSON object or array. Default: "text" """
    json_schema: NotRequired[dict[str, Any]]
    """JSON Schema in ai-extract's subset; sets response_format json"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiChatResultMessage(TypedDict):
    role: Literal['assistant']
    """Always assistant"""
    content: str
    """The answer"""


class AiChatResultUsage(TypedDict):
    input_tokens: int | None
    """Tokens of the input"""
    output_tokens: int | None
    """Tokens of the answer"""
    total_tokens: int | None
    """Sum of both"""


class AiChatResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiChatResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiChatResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiChatResult(TypedDict):
    message: AiChatResultMessage
    """Append it to messages to continue the conversation"""
    content: str
    """The answer, as in message"""
    json: dict[str, Any] | list[Any] | None
    """The answer as parsed JSON; null unless JSON was requested"""
    finish_reason: Literal['stop', 'length']
    """stop: complete; length: cut at max_tokens"""
    usage: AiChatResultUsage
    """Token counts of the provider; null if it does not report them"""
    input_length: int
    """Length of all input texts, in characters"""
    output_length: int
    """Length of the answer, in characters"""
    created_at: str
    """When the result was produced, in UTC"""
    meta: AiChatResultMeta
    """How the result was produced"""


class AiCodeReviewRequest(TypedDict):
    code: str
    """Code in any language; lines count from 1"""
    language: NotRequired[str]
    """1 to 40 letters, digits, spaces and + # . _ / -; auto detects it. Default: "auto" """
    focus: NotRequired[list[Literal['security', 'bug', 'performance', 'error-handling', 'concurrency', 'maintainability', 'style', 'documentation', 'testing', 'compatibility', 'other']]]
    """Only these categories; all if absent or empty"""
    max_issues: NotRequired[int]
    """Keeps the most severe. Default: 20"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiCodeReviewResultAnalysisIssues(TypedDict):
    severity: Literal['critical', 'high', 'medium', 'low', 'info']
    """Severity"""
    category: Literal['security', 'bug', 'performance', 'error-handling', 'concurrency', 'maintainability', 'style', 'documentation', 'testing', 'compatibility', 'other']
    """Kind of problem"""
    line: str
    """Line "12" or lines "12-15"; empty for the code as a whole"""
    description: str
    """What is wrong, in at most 600 characters"""
    fix: str
    """How to fix it, in at most 1,200 characters"""


class AiCodeReviewResultAnalysis(TypedDict):
    issues: list[AiCodeReviewResultAnalysisIssues]
    """At most max_issues, sorted by severity, then by line"""
    summary: str
    """Assessment of the code as a whole, in at most 800 characters"""
    score: int
    """Quality; 100 means nothing to improve. At most 40 with a critical problem, 70 with a high one, 90 with a medium one; at least 80 without problems. Only problems in focus count"""


class AiCodeReviewResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiCodeReviewResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiCodeReviewResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiCodeReviewResult(TypedDict):
    language: str
    """As given, by its usual name; with auto the detected language, or unknown"""
    analysis: AiCodeReviewResultAnalysis
    """The review"""
    input_length: int
    """Length of the code, in characters"""
    analyzed_at: str
    """When the result was produced, in UTC"""
    meta: AiCodeReviewResultMeta
    """How the result was produced"""


class AiContentSummarizeRequest(TypedDict):
    text: str
    """Text in any language"""
    language: NotRequired[str]
    """Of the summary: BCP 47 tag or English name; the text's if absent"""
    max_sentences: NotRequired[int]
    """Requested length of the summary. Default: 4"""
    max_key_points: NotRequired[int]
    """Limit of key points. Default: 5"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiContentSummarizeResultAnalysis(TypedDict):
    summary: str
    """The summary, at most 1,200 characters; the text itself if it has fewer than 20 words"""
    key_points: list[str]
    """At most max_key_points of at most 240 characters each, in the order of the text"""
    keywords: list[str]
    """At most 10 words and phrases of the text, of at most 40 characters each, in lower case except proper nouns. Includes words that are not in the text only if fewer than three are"""
    word_count: int
    """Words that have a letter or digit, separated by white space; each Han, Hiragana or Katakana character counts as a word"""
    reading_time_seconds: int
    """At 200 words a minute, rounded up"""
    tone: Literal['neutral', 'formal', 'informal', 'informative', 'technical', 'persuasive', 'promotional', 'positive', 'negative', 'critical', 'optimistic', 'pessimistic', 'humorous', 'sarcastic', 'urgent', 'emotional', 'inspirational', 'academic', 'conversational']
    """Tone of the text"""


class AiContentSummarizeResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiContentSummarizeResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiContentSummarizeResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiContentSummarizeResult(TypedDict):
    analysis: AiContentSummarizeResultAnalysis
    """The analysis"""
    input_length: int
    """Length of the text, in characters"""
    summarized_at: str
    """When the result was produced, in UTC"""
    meta: AiContentSummarizeResultMeta
    """How the result was produced"""


class AiExtractRequestFields(TypedDict):
    name: str
    """Letters, digits, _; at most 64, no digit first"""
    type: Literal['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'email', 'url', 'phone', 'currency', 'array', 'object']
    """An object may have any members"""
    description: NotRequired[str]
    """What is meant"""
    required: NotRequired[bool]
    """data is invalid without it. Default: false"""
    enum: NotRequired[list[str]]
    """Allowed values of a string"""
    items: NotRequired[Literal['string', 'integer', 'number', 'boolean', 'date', 'datetime', 'email', 'url', 'phone', 'currency']]
    """Of an array; string if absent"""


class AiExtractRequest(TypedDict):
    text: str
    """Text in any language"""
    schema: NotRequired[dict[str, Any]]
    """JSON Schema of an object or list of objects; at most 8 KiB, 5 levels, 100 properties. Only type, properties, required, items, enum, const, title, description, format (date, date-time, time, email, uri, uuid, ipv4, ipv6), minimum, maximum, minLength, maxLength, minItems, maxItems, additionalProperties false, $ref to definitions or $defs. Annotations are ignored"""
    fields: NotRequired[list[AiExtractRequestFields]]
    """Fields to extract, instead of schema"""
    preset: NotRequired[Literal['contact', 'invoice', 'receipt', 'event', 'product', 'resume', 'address', 'job_posting', 'recipe']]
    """Predefined list of fields"""
    evidence: NotRequired[bool]
    """Quote the text for each value. Default: true"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiExtractResultValidationErrors(TypedDict):
    path: str
    """Where in data, such as items[0].price"""
    message: str
    """What is wrong"""


class AiExtractResultEvidence(TypedDict):
    path: str
    """Path of the value"""
    quote: str | None
    """Words of the text; null if the model quoted words that the text does not have"""
    start: int | None
    """Start of the quote in the text, in characters"""
    end: int | None
    """End of the quote"""
    grounded: bool
    """Whether the quote is in the text and supports the value"""


class AiExtractResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiExtractResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiExtractResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiExtractResult(TypedDict):
    data: dict[str, Any]
    """The extracted values; null for a value that was not found"""
    valid: bool
    """Whether data has all required values and fits the schema"""
    validation_errors: list[AiExtractResultValidationErrors]
    """Why data is invalid"""
    found: list[str]
    """Paths of the values that were found"""
    missing: list[str]
    """Paths of the values that were not found"""
    evidence: list[AiExtractResultEvidence]
    """One entry for each value; empty if evidence is false"""
    grounded_ratio: float
    """Share of found values that are grounded; 1 if nothing was found"""
    schema_source: Literal['schema', 'fields', 'preset']
    """Which field described what to find"""
    input_length: int
    """Length of the text, in characters"""
    extracted_at: str
    """When the result was produced, in UTC"""
    meta: AiExtractResultMeta
    """How the result was produced"""


class AiImageGenerateRequest(TypedDict):
    prompt: str
    """What to draw. Rejected: sexual content with children, threats to people, keys, tokens"""
    negative_prompt: NotRequired[str]
    """What not to draw. With prompt, at most 4,000 characters together"""
    size: NotRequired[Literal['auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536']]
    """In pixels; a model may use another size. Default: "1024x1024" """
    quality: NotRequired[Literal['auto', 'low', 'medium', 'high']]
    """Image quality. Default: "auto" """
    format: NotRequired[Literal['png', 'jpeg', 'webp']]
    """A model may use another format. Default: "png" """
    background: NotRequired[Literal['auto', 'opaque', 'transparent']]
    """transparent requires png or webp. Default: "auto" """
    seed: NotRequired[int]
    """For repeatable images, if the model supports it"""
    response: NotRequired[Literal['base64', 'url']]
    """url gives Base64 and the warning url_unavailable. Default: "base64" """
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiImageGenerateResultImages(TypedDict):
    b64_json: str
    """The image in Base64"""
    url: None
    """Always null"""
    mime_type: Literal['image/png', 'image/jpeg', 'image/webp']
    """Detected from the image data"""
    width: int
    """In pixels, read from the image data"""
    height: int
    """In pixels, read from the image data"""
    bytes: int
    """Size in bytes"""
    sha256: str
    """SHA-256 digest in lower-case hex"""


class AiImageGenerateResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiImageGenerateResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiImageGenerateResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiImageGenerateResult(TypedDict):
    images: list[AiImageGenerateResultImages]
    """The image"""
    prompt: str
    """The prompt of the request"""
    revised_prompt: str | None
    """The prompt as the model changed it; null if it does not report one"""
    size: str
    """Width x height, read from the image data, such as 1024x1024"""
    quality: Literal['auto', 'low', 'medium', 'high']
    """The quality of the request"""
    format: Literal['png', 'jpeg', 'webp']
    """Detected from the image data"""
    seed: int | None
    """The seed of the request"""
    input_length: int
    """Length of prompt and negative_prompt, in characters"""
    generated_at: str
    """When the result was produced, in UTC"""
    meta: AiImageGenerateResultMeta
    """How the result was produced"""


class AiModerationRequest(TypedDict):
    text: str
    """Text in any language"""
    threshold: NotRequired[float]
    """Score from which a category counts. Default: 0.5"""
    categories: NotRequired[list[Literal['hate', 'hate/threatening', 'harassment', 'harassment/threatening', 'self-harm', 'self-harm/intent', 'self-harm/instructions', 'sexual', 'sexual/minors', 'violence', 'violence/graphic', 'illicit', 'illicit/violent']]]
    """Categories that count; all if absent"""
    context: NotRequired[str]
    """Where it was written, such as a forum for nurses; not scored. With text, at most 4,000 characters together"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


AiModerationResultCategories = TypedDict('AiModerationResultCategories', {
    'hate': 'bool',
    'hate/threatening': 'bool',
    'harassment': 'bool',
    'harassment/threatening': 'bool',
    'self-harm': 'bool',
    'self-harm/intent': 'bool',
    'self-harm/instructions': 'bool',
    'sexual': 'bool',
    'sexual/minors': 'bool',
    'violence': 'bool',
    'violence/graphic': 'bool',
    'illicit': 'bool',
    'illicit/violent': 'bool',
})


AiModerationResultCategoryScores = TypedDict('AiModerationResultCategoryScores', {
    'hate': 'float',
    'hate/threatening': 'float',
    'harassment': 'float',
    'harassment/threatening': 'float',
    'self-harm': 'float',
    'self-harm/intent': 'float',
    'self-harm/instructions': 'float',
    'sexual': 'float',
    'sexual/minors': 'float',
    'violence': 'float',
    'violence/graphic': 'float',
    'illicit': 'float',
    'illicit/violent': 'float',
})


class AiModerationResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiModerationResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiModerationResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiModerationResult(TypedDict):
    flagged: bool
    """Whether any category counts, or the language model declined to score the text"""
    action: Literal['allow', 'review', 'block']
    """block if sexual/minors, hate/threatening, self-harm/instructions or illicit/violent counts, or another category counts with a score of at least 0.85; review if any counts or the language model declined; otherwise allow"""
    severity: Literal['none', 'low', 'medium', 'high', 'critical']
    """By the highest score of the requested categories: low from 0.2, medium from 0.5, high from 0.7, critical from 0.85"""
    categories: AiModerationResultCategories
    """Whether each category counts"""
    category_scores: AiModerationResultCategoryScores
    """Confidence from 0 to 1; never below the score of a subcategory, such as hate/threatening of hate"""
    top_category: str | None
    """The requested category with the highest score; null if all of them score 0"""
    reason: str
    """The reason, in English, in at most 300 characters"""
    language: str
    """Language of the text as a BCP 47 tag; und if unknown"""
    source: Literal['moderation_api', 'model']
    """Origin of the scores: a moderation model or a language model"""
    input_length: int
    """Length of text and context, in characters"""
    moderated_at: str
    """When the result was produced, in UTC"""
    meta: AiModerationResultMeta
    """How the result was produced"""


class AiSeoGenerateRequest(TypedDict):
    content: str
    """Text of the page"""
    url: NotRequired[str]
    """Page URL, http or https; not fetched"""
    language: NotRequired[str]
    """BCP 47 tag or English name; the content's if absent"""
    brand: NotRequired[str]
    """Name that may end the title"""
    keywords: NotRequired[list[str]]
    """Search terms to target"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiSeoGenerateResultSeo(TypedDict):
    title: str
    """For the title element, 10 to 60 characters; fewer with the warning title_too_short"""
    meta_description: str
    """For the meta description, 50 to 160 characters; fewer with the warning meta_description_too_short"""
    og_title: str
    """For og:title, at most 70 characters"""
    og_description: str
    """For og:description, at most 200 characters"""
    h1_suggestion: str
    """For the main heading, at most 70 characters"""
    slug_suggestion: str
    """Last part of the page's URL, at most 75 characters, made from the title. If the title has no ASCII letters, made from url; otherwise page"""
    content_type: Literal['article', 'blog_post', 'news', 'product', 'category', 'landing_page', 'homepage', 'documentation', 'tutorial', 'faq', 'recipe', 'event', 'job_posting', 'review', 'video', 'profile', 'about', 'contact', 'portfolio', 'forum', 'legal', 'other']
    """Kind of page"""
    keywords: list[str]
    """5 to 10 search terms of at most 40 characters each; fewer with the warning too_few_keywords"""
    seo_tips: list[str]
    """3 to 8 improvements for the page, of at most 200 characters each; fewer with the warning too_few_seo_tips"""


class AiSeoGenerateResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiSeoGenerateResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiSeoGenerateResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiSeoGenerateResult(TypedDict):
    url: str
    """The URL in canonical form; empty if absent"""
    seo: AiSeoGenerateResultSeo
    """Texts for the page"""
    input_length: int
    """Length of the content, in characters"""
    generated_at: str
    """When the result was produced, in UTC"""
    meta: AiSeoGenerateResultMeta
    """How the result was produced"""


class AiTranslateRequest(TypedDict):
    text: str
    """Text to translate"""
    target_language: str
    """BCP 47 tag or English name"""
    source_language: NotRequired[str]
    """As target_language; auto detects it. Default: "auto" """
    formality: NotRequired[Literal['default', 'formal', 'informal']]
    """Form of address. Default: "default" """
    context: NotRequired[str]
    """Subject or place; not translated. With text, at most 4,000 characters together"""
    glossary: NotRequired[dict[str, Any]]
    """At most 30 terms with translations, each at most 60 characters"""
    preserve: NotRequired[bool]
    """Keep {x}, {{x}}, ${x}, %s and similar, :name:, tags, URLs, email addresses, @mentions, `code`, number of lines. Default: true"""
    stream: NotRequired[bool]
    """Must be false. Default: false"""


class AiTranslateResultPlaceholders(TypedDict):
    found: int
    """Number of such parts in the text"""
    preserved: int
    """Number of parts that the translation has"""
    missing: list[str]
    """Parts that the translation does not have, as in the text"""


class AiTranslateResultMetaRepairs(TypedDict):
    path: str
    """Place in the answer"""
    kind: str
    """Kind of change"""


class AiTranslateResultMeta(TypedDict):
    model: str | None
    """Name of the model; null if no model was called"""
    prompt_version: str | None
    """Version of the prompt"""
    attempts: int
    """Number of model calls"""
    repaired: bool
    """Whether a malformed answer of the model was corrected"""
    repairs: NotRequired[list[AiTranslateResultMetaRepairs]]
    """If repaired: what was changed, at most 50"""
    injection_suspected: bool
    """Hint: known forms of instructions to the model; most are not detected"""
    input_tokens: int | None
    """Sum over all calls; null if the provider does not report it"""
    output_tokens: int | None
    """As input_tokens"""
    latency_ms: int
    """Duration of the model calls, in milliseconds"""
    warnings: list[str]
    """At most 16 codes, listed on the tool's page"""


class AiTranslateResult(TypedDict):
    translated_text: str
    """The translation; at most three times as long as the text, plus 200 characters"""
    source_language: str
    """BCP 47 tag; und if unknown"""
    target_language: str
    """BCP 47 tag"""
    detected: bool
    """Whether source_language was auto"""
    confidence: float
    """Confidence in the detected language; 1 if source_language was given"""
    formality: Literal['default', 'formal', 'informal']
    """The formality of the request"""
    glossary_applied: list[str]
    """Glossary terms of the text whose translation is in translated_text"""
    placeholders: AiTranslateResultPlaceholders
    """Placeholders and other parts that must not be translated"""
    alternatives: list[str]
    """Other translations, only for a text of at most 120 characters"""
    input_length: int
    """Length of text and context, in characters"""
    output_length: int
    """Length of the translation, in characters"""
    translated_at: str
    """When the result was produced, in UTC"""
    meta: AiTranslateResultMeta
    """How the result was produced"""


class CarbonFootprintRequestGridIntensity(TypedDict):
    data_center: NotRequired[float]
    """Data center"""
    network: NotRequired[float]
    """Network"""
    device: NotRequired[float]
    """Visitor's device"""


class CarbonFootprintRequest(TypedDict):
    url: NotRequired[str]
    """Page to measure; default scheme https, or http if https is rejected"""
    bytes: NotRequired[int]
    """Bytes per view, instead of fetching the page"""
    green: NotRequired[bool]
    """Whether the hosting is green; default by lookup of the host"""
    green_hosting_factor: NotRequired[float]
    """Share of green electricity in the data center; overrides green (1)"""
    monthly_views: NotRequired[int]
    """Views per month. Default: 10000"""
    country: NotRequired[str]
    """Visitors' country (network, device), ISO 3166-1 alpha-2 or alpha-3"""
    hosting_country: NotRequired[str]
    """Data center's country, ISO 3166-1 alpha-2 or alpha-3"""
    grid_intensity: NotRequired[CarbonFootprintRequestGridIntensity]
    """Grams of CO2e per kWh; overrides the countries"""
    new_visitor_ratio: NotRequired[float]
    """Share of first visits; default 1 - return_visitor_ratio, or 1"""
    return_visitor_ratio: NotRequired[float]
    """Share of return visits; default 1 - new_visitor_ratio. Together at most 1"""
    data_cache_ratio: NotRequired[float]
    """Share of bytes cached by return visitors. Default: 0"""
    format: NotRequired[Literal['json', 'html']]
    """html: a self-contained report page. Default: "json" """


class CarbonFootprintResultSegmentsDataCenter(TypedDict):
    operational_g: float
    """Emissions of operation"""
    embodied_g: float
    """Emissions of manufacturing"""
    total_g: float
    """Sum of both"""


class CarbonFootprintResultSegmentsNetwork(TypedDict):
    operational_g: float
    """Emissions of operation"""
    embodied_g: float
    """Emissions of manufacturing"""
    total_g: float
    """Sum of both"""


class CarbonFootprintResultSegmentsDevice(TypedDict):
    operational_g: float
    """Emissions of operation"""
    embodied_g: float
    """Emissions of manufacturing"""
    total_g: float
    """Sum of both"""


class CarbonFootprintResultSegments(TypedDict):
    data_center: CarbonFootprintResultSegmentsDataCenter
    """Data center that serves the page"""
    network: CarbonFootprintResultSegmentsNetwork
    """Network between data center and device"""
    device: CarbonFootprintResultSegmentsDevice
    """Visitor's device"""


class CarbonFootprintResultVisits(TypedDict):
    first_visit_g: float
    """Grams of a first visit"""
    return_visit_g: float
    """Grams of a return visit; 0 without return visits"""
    new_visitor_ratio: float
    """Share of first visits"""
    return_visitor_ratio: float
    """Share of return visits"""
    data_cache_ratio: float
    """Share of the bytes that a return visitor has cached"""


class CarbonFootprintResultMonthly(TypedDict):
    views: int
    """Views per month"""
    co2_kg: float
    """Kilograms of CO2e"""
    energy_kwh: float
    """Electricity in kWh"""


class CarbonFootprintResultYearly(TypedDict):
    views: int
    """Views per year"""
    co2_kg: float
    """Kilograms of CO2e"""
    energy_kwh: float
    """Electricity in kWh"""


class CarbonFootprintResultEquivalents(TypedDict):
    car_km: float
    """Kilometers in an average car"""
    smartphone_charges: float
    """Smartphones charged"""
    tree_years: float
    """Mature trees that absorb it in a year"""
    kettle_boils: float
    """Kettles boiled"""


class CarbonFootprintResultBreakdown(TypedDict):
    html: NotRequired[dict[str, Any]]
    """Pages: {bytes, co2_g, percent}"""
    css: NotRequired[dict[str, Any]]
    """Style sheets"""
    javascript: NotRequired[dict[str, Any]]
    """Scripts"""
    image: NotRequired[dict[str, Any]]
    """Images"""
    font: NotRequired[dict[str, Any]]
    """Fonts"""
    media: NotRequired[dict[str, Any]]
    """Video and audio; only the headers are requested"""
    json: NotRequired[dict[str, Any]]
    """Data"""
    other: NotRequired[dict[str, Any]]
    """Everything else"""


class CarbonFootprintResultModelGridIntensity(TypedDict):
    data_center: float
    """Data center"""
    network: float
    """Network"""
    device: float
    """Visitor's device"""
    embodied: float
    """Manufacturing"""


class CarbonFootprintResultModelEquivalents(TypedDict):
    car_km: float
    """One kilometer in an average car"""
    smartphone_charge: float
    """One smartphone charge"""
    tree_year: float
    """Absorbed by one mature tree in a year"""
    kettle_boil: float
    """One kettle boiled"""


class CarbonFootprintResultModel(TypedDict):
    name: str
    """Name of the model"""
    version: str
    """Version of the model"""
    data_date: str
    """Date of the data"""
    grid_intensity: CarbonFootprintResultModelGridIntensity
    """Grams of CO2e per kWh"""
    green_hosting_factor: float
    """Share of the data center that counts as green"""
    equivalents: CarbonFootprintResultModelEquivalents
    """Kilograms of CO2e per unit"""
    sources: list[str]
    """Sources of the model and the data"""


class CarbonFootprintResultHosting(TypedDict):
    checked: bool
    """Whether the host was looked up"""
    host: str | None
    """The host that was looked up"""
    provider: str | None
    """Hosting provider; null if unknown"""
    source: Literal['request', 'green-web-dataset', 'unknown']
    """Origin of the value"""
    error: str | None
    """Why the lookup failed"""


class CarbonFootprintResultSuggestions(TypedDict):
    id: str
    """Stable name; the tool's page lists all"""
    title: str
    """What to do"""
    saving_bytes: int
    """Estimated bytes saved per view"""
    saving_g_per_view: float
    """Estimated grams of CO2e saved per view"""
    how: str
    """How the saving is estimated"""


class CarbonFootprintResult(TypedDict):
    url: str | None
    """The requested URL in canonical form; null without a url"""
    final_url: str | None
    """URL after redirects; null without a url"""
    bytes: int
    """Bytes per view used in the calculation"""
    green_hosting: bool | None
    """Null if unknown, which counts as not green"""
    co2_grams_per_view: float
    """Grams of CO2e per view, to six decimals"""
    rating: str
    """Highest grams per view: A+ 0.040, A 0.079, B 0.145, C 0.209, D 0.278, E 0.359; F above"""
    cleaner_than_percent: int
    """Percentage of sites that emit more; estimated from the ratings"""
    energy_kwh_per_view: float
    """Electricity of all segments in kWh"""
    segments: CarbonFootprintResultSegments
    """Emissions by segment; the totals add up to co2_grams_per_view"""
    visits: CarbonFootprintResultVisits
    """First and return visits"""
    monthly: CarbonFootprintResultMonthly
    """Totals for monthly_views"""
    yearly: CarbonFootprintResultYearly
    """Totals for twelve months"""
    equivalents: CarbonFootprintResultEquivalents
    """Activities with the same emissions as a year of views"""
    breakdown: CarbonFootprintResultBreakdown | None
    """Emissions by resource type; null if nothing was measured"""
    model: CarbonFootprintResultModel
    """The calculation"""
    hosting: CarbonFootprintResultHosting
    """Source of green_hosting"""
    suggestions: list[CarbonFootprintResultSuggestions]
    """Largest savings, sorted by size"""
    summary: str
    """The result in a paragraph"""
    measured_requests: int
    """Requests made to measure the page; 0 if it was not fetched"""
    truncated: bool
    """Whether the page loads more than was measured: over 40 resources, 30 hosts or 10 MiB"""
    warnings: list[str]
    """Limits of the measurement"""
    scanned_at: str
    """Start of the measurement, in UTC"""


class ChatplatformBotInviteRequest(TypedDict):
    link: NotRequired[str]
    """Invite URL to parse; other fields override it"""
    client_id: NotRequired[str | int]
    """Application id, as a string"""
    permissions: NotRequired[str | int | list[str | int]]
    """As in chatplatform-permissions-calc. Default: 0"""
    scopes: NotRequired[str | list[str]]
    """OAuth2 scopes, as list or text. Default: bot and applications.commands"""
    allow_unknown_scopes: NotRequired[bool]
    """Allow undocumented scopes. Default: false"""
    guild_id: NotRequired[str | int]
    """Preselected guild"""
    disable_guild_select: NotRequired[bool]
    """Do not let the user change guild_id. Default: false"""
    integration_type: NotRequired[Literal[0, 1, 'guild', 'user']]
    """Install for a guild (0) or user (1)"""
    redirect_uri: NotRequired[str]
    """Absolute ASCII URL without fragment"""
    response_type: NotRequired[Literal['code', 'token']]
    """Authorization code or implicit grant"""
    state: NotRequired[str]
    """Returned unchanged"""
    prompt: NotRequired[Literal['consent', 'none']]
    """Whether to ask for consent again"""
    default_install: NotRequired[bool]
    """Let the app's settings define scopes. Default: false"""


class ChatplatformBotInviteResultLinks(TypedDict):
    guild_install: str
    """With the scopes bot and applications.commands"""
    user_install: str
    """With the scope applications.commands"""
    default_install: str
    """As defined in the app's settings"""


class ChatplatformBotInviteResultAdjustments(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The adjustment in English"""


class ChatplatformBotInviteResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class ChatplatformBotInviteResult(TypedDict):
    url: str
    """The invite link"""
    length: int
    """Length of url in characters"""
    client_id: str
    """The application's id"""
    scopes: list[str]
    """In the order given, without duplicates"""
    permissions: str
    """Requested permissions, decimal"""
    permission_names: list[str]
    """Names of the permissions, in bit order"""
    requires_2fa: bool
    """True if the bot's owner needs two-factor authentication in guilds that enforce it"""
    guild_id: str | None
    """The guild that the link preselects; null if it preselects no guild"""
    integration_type: int | None
    """0 for a guild, 1 for a user; null if not requested"""
    parameters: dict[str, Any]
    """Decoded parameters of the URL, in order"""
    restricted_scopes: list[str]
    """Scopes that need the platform's approval"""
    links: ChatplatformBotInviteResultLinks
    """The usual ways to install this app"""
    adjustments: list[ChatplatformBotInviteResultAdjustments]
    """Fields that were added or dropped"""
    warnings: list[ChatplatformBotInviteResultWarnings]
    """What is probably not intended"""
    data_revision: str
    """Date on which the platform data was last checked"""


class ChatplatformCdnResolveRequest(TypedDict):
    url: NotRequired[str]
    """URL to parse"""
    kind: NotRequired[Literal['emoji', 'guild_icon', 'guild_splash', 'guild_discovery_splash', 'guild_banner', 'user_banner', 'default_avatar', 'user_avatar', 'member_avatar', 'member_banner', 'avatar_decoration', 'app_icon', 'app_cover', 'achievement_icon', 'sticker_pack_banner', 'store_asset', 'app_asset', 'team_icon', 'sticker', 'role_icon', 'channel_icon', 'event_cover', 'guild_tag_badge', 'soundboard_sound']]
    """Build a URL of this kind from the fields below"""
    id: NotRequired[str | int]
    """Emoji, sticker or sound"""
    guild_id: NotRequired[str | int]
    """For guild_* and member_*"""
    user_id: NotRequired[str | int]
    """For user_*, member_* and default_avatar"""
    application_id: NotRequired[str | int]
    """For app_*, achievement_icon, store_asset"""
    asset_id: NotRequired[str | int]
    """Id or hash"""
    achievement_id: NotRequired[str | int]
    """For achievement_icon"""
    team_id: NotRequired[str | int]
    """For team_icon"""
    role_id: NotRequired[str | int]
    """For role_icon"""
    channel_id: NotRequired[str | int]
    """For channel_icon"""
    event_id: NotRequired[str | int]
    """For event_cover"""
    hash: NotRequired[str]
    """Image hash, or asset of a decoration"""
    index: NotRequired[int]
    """Default avatar, 0 to 5"""
    discriminator: NotRequired[str | int]
    """Four digits of a legacy or bot name, for default_avatar; 0 for none"""
    animated: NotRequired[bool]
    """The emoji is animated"""
    format_type: NotRequired[int]
    """Sticker: PNG, APNG, Lottie, GIF"""
    format: NotRequired[str]
    """png, jpg, jpeg, webp, gif, json or lottie. Default: webp if available"""
    size: NotRequired[int]
    """Power of two, 16 to 4096"""
    force_static: NotRequired[bool]
    """Prefer a still image. Default: false"""
    now: NotRequired[str | float]
    """Reference for expired. Default: server clock"""


class ChatplatformCdnResolveResultVariants(TypedDict):
    format: str
    """png, jpg, webp, gif or json"""
    url: str
    """URL in this format"""


class ChatplatformCdnResolveResultSignature(TypedDict):
    expires_at: str
    """Time when the URL expires, ISO 8601 in UTC"""
    issued_at: str | None
    """Time when the URL was signed, ISO 8601 in UTC; null if the URL does not contain it"""
    expired: bool
    """True if expires_at is before now"""
    hm_present: bool
    """True if the URL contains the signature itself, which is not verified"""


class ChatplatformCdnResolveResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class ChatplatformCdnResolveResult(TypedDict):
    kind: str
    """One of the kinds of the request, or attachment, external_proxy, unknown"""
    url: str
    """As built, or as sent"""
    animated: bool
    """True if the image is animated"""
    format: str | None
    """File extension"""
    size: int | None
    """As requested"""
    ids: dict[str, Any]
    """Ids in the path besides the hash, as strings; for a default avatar its index"""
    hash: str | None
    """Image hash, with the prefix a_ if the image is animated and its kind supports that; null if the path has none"""
    static_url: str | None
    """URL of a still image; null for an asset without one"""
    animated_url: str | None
    """URL of the animation; null if the image is not animated"""
    variants: list[ChatplatformCdnResolveResultVariants]
    """The image in every available format, in the same size"""
    sizes: list[int]
    """Available sizes; empty if there is only one"""
    created_at: dict[str, Any]
    """Creation time of each id, by the name of the id"""
    file: str | None
    """File name of an attachment, as in the URL"""
    signature: ChatplatformCdnResolveResultSignature | None
    """Signature of an attachment URL"""
    warnings: list[ChatplatformCdnResolveResultWarnings]
    """What is unusual, ambiguous or ignored"""
    data_revision: str
    """Date on which the platform data was last checked"""


class ChatplatformCommandValidateRequest(TypedDict):
    command: NotRequired[dict[str, Any] | str]
    """One command, as object or JSON text. Or send commands, or its members at the top level"""
    commands: NotRequired[list[Any]]
    """Commands of one scope"""
    name: NotRequired[Any]
    """Command member"""
    type: NotRequired[Any]
    """Command member"""
    description: NotRequired[Any]
    """Command member"""
    name_localizations: NotRequired[Any]
    """Command member"""
    description_localizations: NotRequired[Any]
    """Command member"""
    options: NotRequired[Any]
    """Command member"""
    default_member_permissions: NotRequired[Any]
    """Command member"""
    nsfw: NotRequired[Any]
    """Command member"""
    contexts: NotRequired[Any]
    """Command member"""
    integration_types: NotRequired[Any]
    """Command member"""
    handler: NotRequired[Any]
    """Command member"""
    scope: NotRequired[Literal['global', 'guild']]
    """Where they are registered. Default: "global" """
    strict: NotRequired[bool]
    """Treat warnings as errors. Default: false"""


class ChatplatformCommandValidateResultErrors(TypedDict):
    path: str
    """Such as commands[1].options[0].name; empty for the whole request"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The error in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""
    suggestion: NotRequired[str]
    """What to send instead; present only if known"""


class ChatplatformCommandValidateResultWarnings(TypedDict):
    path: str
    """Such as commands[1].options[0].name; empty for the whole request"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""


class ChatplatformCommandValidateResultCommandsSize(TypedDict):
    characters: int
    """Names, descriptions and choices, each in its longest language"""
    limit: int
    """The platform's limit, 8000"""
    remaining: int
    """Negative if above the limit"""


class ChatplatformCommandValidateResultCommandsStats(TypedDict):
    options: int
    """Without subcommands and groups"""
    subcommands: int
    """Including those in groups"""
    groups: int
    """Subcommand groups"""
    choices: int
    """Choices of all options"""
    depth: int
    """Levels of options"""


class ChatplatformCommandValidateResultCommands(TypedDict):
    name: str
    """As in normalized; empty if missing"""
    type: int
    """0 if invalid"""
    valid: bool
    """True if the command has no errors; duplicates and quotas do not count"""
    size: ChatplatformCommandValidateResultCommandsSize
    """Characters used of the limit for a command"""
    stats: ChatplatformCommandValidateResultCommandsStats
    """Number of parts"""
    usage: list[str]
    """One line for each command or subcommand that can be called"""
    mention_template: str | None
    """Mention of the first one; replace ID with its id"""


class ChatplatformCommandValidateResultLimitsChatInput(TypedDict):
    count: int
    """Number of commands checked"""
    limit: int
    """Maximum number of this type in a scope"""


class ChatplatformCommandValidateResultLimitsUser(TypedDict):
    count: int
    """Number of commands checked"""
    limit: int
    """Maximum number of this type in a scope"""


class ChatplatformCommandValidateResultLimitsMessage(TypedDict):
    count: int
    """Number of commands checked"""
    limit: int
    """Maximum number of this type in a scope"""


class ChatplatformCommandValidateResultLimitsPrimaryEntryPoint(TypedDict):
    count: int
    """Number of commands checked"""
    limit: int
    """Maximum number of this type in a scope"""


class ChatplatformCommandValidateResultLimits(TypedDict):
    scope: str
    """As requested: global or guild"""
    chat_input: ChatplatformCommandValidateResultLimitsChatInput
    """Slash commands, type 1"""
    user: ChatplatformCommandValidateResultLimitsUser
    """User context menu commands, type 2"""
    message: ChatplatformCommandValidateResultLimitsMessage
    """Message context menu commands, type 3"""
    primary_entry_point: ChatplatformCommandValidateResultLimitsPrimaryEntryPoint
    """The command that opens an activity, type 4"""


class ChatplatformCommandValidateResult(TypedDict):
    valid: bool
    """True if the platform would accept the commands"""
    errors: list[ChatplatformCommandValidateResultErrors]
    """Every violated rule"""
    warnings: list[ChatplatformCommandValidateResultWarnings]
    """What the platform accepts but is probably not intended"""
    count: int
    """Number of commands checked"""
    commands: list[ChatplatformCommandValidateResultCommands]
    """One item for each command, in order"""
    normalized: dict[str, Any] | list[dict[str, Any]]
    """Cleaned: trimmed, with defaults, without null, unknown and platform-owned members; an object for one command, a list for commands"""
    limits: ChatplatformCommandValidateResultLimits
    """Number of commands of each type, and the limit"""
    data_revision: str
    """Date on which the rules were last checked"""


class ChatplatformEmbedBuildRequest(TypedDict):
    embed: NotRequired[Any]
    """One embed. Or send embeds, an embed's members at the top level, a modal, or a message without embeds. Errors are reported, not rejected"""
    embeds: NotRequired[Any]
    """Up to 10"""
    title: NotRequired[Any]
    """Embed member"""
    description: NotRequired[Any]
    """Embed member"""
    url: NotRequired[Any]
    """Embed member"""
    timestamp: NotRequired[Any]
    """ISO 8601, true, now or a number"""
    color: NotRequired[Any]
    """Number up to 16777215, #rrggbb, 0xrrggbb, rgb(r, g, b), three numbers, name or random"""
    colour: NotRequired[Any]
    """Alias of color"""
    footer: NotRequired[Any]
    """Embed member"""
    image: NotRequired[Any]
    """Embed member"""
    imageURL: NotRequired[Any]
    """Alias of image"""
    thumbnail: NotRequired[Any]
    """Embed member"""
    author: NotRequired[Any]
    """Embed member"""
    fields: NotRequired[Any]
    """Embed member"""
    content: NotRequired[Any]
    """Message text"""
    username: NotRequired[Any]
    """Webhook's name"""
    avatar_url: NotRequired[Any]
    """Webhook's avatar"""
    tts: NotRequired[Any]
    """Read the message aloud"""
    flags: NotRequired[Any]
    """Sum of 4, 64, 4096, 8192, 32768"""
    allowed_mentions: NotRequired[Any]
    """Allowed pings"""
    components: NotRequired[Any]
    """Buttons, selects, version 2 components"""
    thread_name: NotRequired[Any]
    """Webhook: thread to open"""
    applied_tags: NotRequired[Any]
    """Webhook: up to 5 forum thread tags"""
    poll: NotRequired[Any]
    """Question of up to 300 characters, 1 to 10 answers of up to 55, emoji, up to 768 hours"""
    sticker_ids: NotRequired[Any]
    """Bot only: up to 3"""
    attachments: NotRequired[Any]
    """Up to 10: id, filename, title, description"""
    message_reference: NotRequired[Any]
    """Bot only: message to reply to, or to forward with type 1"""
    nonce: NotRequired[Any]
    """Bot only: up to 25 characters, or an integer"""
    enforce_nonce: NotRequired[Any]
    """Do not send the same nonce twice"""
    shared_client_theme: NotRequired[Any]
    """Bot only: up to 5 colors"""
    modal: NotRequired[Any]
    """custom_id, title of up to 45 characters, 1 to 5 components; or its members at the top level"""
    custom_id: NotRequired[Any]
    """Modal member: title and components are the modal's"""
    target: NotRequired[Literal['bot', 'webhook', 'interaction']]
    """Sender. Default: "bot" """
    on_overflow: NotRequired[Literal['error', 'truncate']]
    """truncate shortens texts, none below 32 characters, then drops fields and embeds. Default: "error" """
    now: NotRequired[str | float]
    """Reference for timestamps. Default: server clock"""


class ChatplatformEmbedBuildResultErrors(TypedDict):
    path: str
    """Such as embeds[0].fields[3].name; empty for the whole request"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The error in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""
    suggestion: NotRequired[str]
    """What to send instead; present only if known"""


class ChatplatformEmbedBuildResultWarnings(TypedDict):
    path: str
    """Such as embeds[0].fields[3].name; empty for the whole request"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""


ChatplatformEmbedBuildResultAdjustments = TypedDict('ChatplatformEmbedBuildResultAdjustments', {
    'path': 'str',
    'action': "Literal['truncated', 'dropped']",
    'from': 'int',
    'to': 'int',
})


class ChatplatformEmbedBuildResultLengthsEmbeds(TypedDict):
    title: int
    """0 if missing"""
    description: int
    """0 if missing"""
    fields: int
    """Names and values"""
    footer: int
    """The footer's text; 0 if missing"""
    author: int
    """The author's name; 0 if missing"""
    total: int
    """All of these together"""


class ChatplatformEmbedBuildResultLengths(TypedDict):
    total: int
    """Characters that count toward limit"""
    limit: int
    """6000, for all embeds of a message together"""
    remaining: int
    """Negative if above the limit"""
    content: int
    """The message's own text, which does not count toward limit"""
    embeds: list[ChatplatformEmbedBuildResultLengthsEmbeds]
    """One item for each embed, in order"""


class ChatplatformEmbedBuildResultColor(TypedDict):
    integer: int
    """0 to 16777215, as the platform expects it"""
    hex: str
    """As #rrggbb, in lowercase"""
    rgb: list[int]
    """Red, green and blue, 0 to 255 each"""


class ChatplatformEmbedBuildResultCounts(TypedDict):
    embeds: int
    """Embeds kept, at most 10"""
    fields: int
    """Fields of all embeds"""
    components: int
    """Including nested ones"""


class ChatplatformEmbedBuildResult(TypedDict):
    valid: bool
    """True if the platform would accept it"""
    errors: list[ChatplatformEmbedBuildResultErrors]
    """Every violated rule"""
    warnings: list[ChatplatformEmbedBuildResultWarnings]
    """What the platform accepts but is probably not intended"""
    adjustments: list[ChatplatformEmbedBuildResultAdjustments]
    """What was shortened or dropped, with the length or count before and after"""
    embed: dict[str, Any] | None
    """The first embed as the platform stores it"""
    lengths: ChatplatformEmbedBuildResultLengths
    """Characters (code points)"""
    color: ChatplatformEmbedBuildResultColor | None
    """Color of the first embed"""
    counts: ChatplatformEmbedBuildResultCounts
    """Number of parts of the message"""
    embeds: list[dict[str, Any]]
    """All embeds as the platform stores them"""
    payload: dict[str, Any]
    """The whole message or modal; best effort if it is not valid"""
    payload_bytes: int
    """Size of payload as compact JSON"""
    data_revision: str
    """Date on which the limits were last checked"""


class ChatplatformIntentsCalcRequest(TypedDict):
    intents: NotRequired[str | int | list[str | int]]
    """Number (also as decimal, 0x or 0b text), name, group (ALL, NONE, DEFAULT, PRIVILEGED), or several in a list or text"""
    events: NotRequired[list[str]]
    """Gateway events to cover with the fewest intents"""
    scope: NotRequired[Literal['both', 'guild', 'dm']]
    """For events that occur in guilds and in DMs. Default: "both" """
    add: NotRequired[str | int | list[str | int]]
    """Intents to add"""
    remove: NotRequired[str | int | list[str | int]]
    """Intents to remove, after add"""
    exclude_privileged: NotRequired[bool]
    """Remove intents that need approval. Default: false"""
    message_content: NotRequired[bool]
    """Add MESSAGE_CONTENT if messages are requested. Default: false"""


class ChatplatformIntentsCalcResultDetails(TypedDict):
    name: str
    """The platform's name"""
    bit: int
    """Bit number, from 0"""
    value: int
    """Number of this intent alone"""
    privileged: bool
    """True if it needs approval"""
    events: list[str]
    """Events that it delivers, sorted"""


class ChatplatformIntentsCalcResultCode(TypedDict):
    raw: str
    """A member of the Identify message, which opens a gateway connection"""
    discord_js: str
    """An option of the Client of discord.js, without unknown bits"""
    discord_py: str
    """A statement for discord.py, without unknown bits"""


class ChatplatformIntentsCalcResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class ChatplatformIntentsCalcResult(TypedDict):
    intents: int
    """Number to send to the gateway"""
    hex: str
    """The number with 0x"""
    binary: str
    """The number with 0b"""
    names: list[str]
    """In bit order"""
    details: list[ChatplatformIntentsCalcResultDetails]
    """One item for each name"""
    privileged: list[str]
    """Names of the intents that need approval"""
    requires_approval: bool
    """True if any intent needs approval"""
    unknown_bits: list[int]
    """Bit numbers without a name"""
    events: list[str]
    """All events that these intents deliver, sorted"""
    events_not_covered: list[str]
    """Requested events that remove or exclude_privileged dropped"""
    always_sent: list[str]
    """Events that the gateway sends without any intent"""
    code: ChatplatformIntentsCalcResultCode
    """The intents in code"""
    warnings: list[ChatplatformIntentsCalcResultWarnings]
    """What the gateway may reject, or is probably not intended"""
    data_revision: str
    """Date on which the platform data was last checked"""


class ChatplatformModerateRequestContext(TypedDict):
    mention_limit: NotRequired[int]
    """Users and roles per message. Default: 5"""
    link_limit: NotRequired[int]
    """Links per message. Default: 3"""
    allowed_invites: NotRequired[list[str]]
    """Invite codes"""
    allowed_domains: NotRequired[list[str]]
    """Safe domains, with subdomains"""
    blocked_domains: NotRequired[list[str]]
    """Scam domains, with subdomains"""
    allowed_words: NotRequired[list[str]]
    """Never flagged; wildcards as in blocked_words"""
    blocked_words: NotRequired[list[str]]
    """cat is a whole word or phrase, cat* a beginning, *cat an end, *cat* any part"""


class ChatplatformModerateRequest(TypedDict):
    text: str
    """Message; not only blanks"""
    categories: NotRequired[list[Literal['profanity', 'slur', 'sexual', 'harassment', 'threat', 'self_harm', 'scam', 'invite', 'link_spam', 'mention_spam', 'caps', 'flood', 'obfuscation', 'personal_data', 'credential_leak', 'illegal_goods']]]
    """Default: all"""
    threshold: NotRequired[int]
    """Score that flags a message or category. Default: 40"""
    block_threshold: NotRequired[int]
    """Score that blocks; at least threshold. Default: 80"""
    strictness: NotRequired[Literal['low', 'medium', 'high']]
    """low multiplies points by 0.8, high by 1.2. Default: "medium" """
    redact: NotRequired[bool]
    """Return the text with matches masked. Default: false"""
    context: NotRequired[ChatplatformModerateRequestContext]
    """Local rules. Default: {}"""


class ChatplatformModerateResultCategoriesProfanity(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesSlur(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesSexual(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesHarassment(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesThreat(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesSelfHarm(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesScam(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesInvite(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesLinkSpam(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesMentionSpam(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesCaps(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesFlood(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesObfuscation(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesPersonalData(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesCredentialLeak(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesIllegalGoods(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategoriesCustom(TypedDict):
    flagged: bool
    """True if score is at least the threshold and not 0"""
    score: float
    """The worst match plus a quarter of the others"""


class ChatplatformModerateResultCategories(TypedDict):
    profanity: ChatplatformModerateResultCategoriesProfanity
    """Swear words"""
    slur: ChatplatformModerateResultCategoriesSlur
    """Words against groups of people"""
    sexual: ChatplatformModerateResultCategoriesSexual
    """Explicit words and offers"""
    harassment: ChatplatformModerateResultCategoriesHarassment
    """Insults"""
    threat: ChatplatformModerateResultCategoriesThreat
    """Threats of violence or exposure, also veiled"""
    self_harm: ChatplatformModerateResultCategoriesSelfHarm
    """Encouraging self-harm, or speaking of it"""
    scam: ChatplatformModerateResultCategoriesScam
    """Lures, and links that are blocked, disguised or risky"""
    invite: ChatplatformModerateResultCategoriesInvite
    """Invites that are not in allowed_invites"""
    link_spam: ChatplatformModerateResultCategoriesLinkSpam
    """More links than link_limit, or the same link repeatedly"""
    mention_spam: ChatplatformModerateResultCategoriesMentionSpam
    """More mentions than mention_limit, the same mention repeatedly, @everyone and @here"""
    caps: ChatplatformModerateResultCategoriesCaps
    """Mostly capital letters"""
    flood: ChatplatformModerateResultCategoriesFlood
    """Repeated characters, words or lines, too many lines or emoji, overlong words, only blanks"""
    obfuscation: ChatplatformModerateResultCategoriesObfuscation
    """Invisible characters, direction controls, look-alikes, styled letters, stacked marks"""
    personal_data: ChatplatformModerateResultCategoriesPersonalData
    """Email addresses, phone, card, IBAN and social security numbers, public IPv4 addresses"""
    credential_leak: ChatplatformModerateResultCategoriesCredentialLeak
    """Bot tokens, webhooks, API keys, private keys, JWTs, URLs with a server password"""
    illegal_goods: ChatplatformModerateResultCategoriesIllegalGoods
    """Trade in drugs, weapons, forged documents, stolen cards and accounts"""
    custom: NotRequired[ChatplatformModerateResultCategoriesCustom]
    """Words in blocked_words"""


class ChatplatformModerateResultMatches(TypedDict):
    rule: str
    """Rule that matched"""
    category: str
    """Category of the rule"""
    severity: Literal['none', 'low', 'medium', 'high', 'critical']
    """Of points: low from 1, medium from 25, high from 50, critical from 80"""
    points: int
    """Points, including disguise and strictness"""
    match: str
    """Matched part of the text as sent"""
    start: int
    """Position of the first character (code point), from 0"""
    end: int
    """Position after the last character"""
    normalized: str
    """The match without disguise"""
    obfuscation: list[Literal['invisible', 'fullwidth', 'styled_letters', 'confusable', 'diacritics', 'leet', 'repetition', 'separators', 'wildcard', 'mixed_case']]
    """Disguises that were removed"""


class ChatplatformModerateResultSignals(TypedDict):
    length: int
    """Characters (code points)"""
    letters: int
    """Letters that have two cases"""
    caps_ratio: float
    """Share of capitals among letters, to three decimals; 0 without letters"""
    mentions: int
    """Users, roles, @everyone and @here, including repeated ones"""
    unique_mentions: int
    """Distinct users and roles"""
    everyone: bool
    """True if it mentions @everyone or @here"""
    links: int
    """With or without http://, including repeated ones; at most 500 are counted"""
    invites: int
    """Invites that are not allowed"""
    emojis: int
    """Unicode and custom emoji"""
    lines: int
    """Including blank lines"""
    invisible: int
    """Invisible characters"""
    bidi_controls: int
    """Text direction controls"""
    max_combining: int
    """Maximum number of marks on one letter"""
    longest_run: int
    """Maximum number of equal characters in a row"""
    mixed_script_tokens: int
    """Words that contain look-alikes"""


class ChatplatformModerateResult(TypedDict):
    flagged: bool
    """True if the score, or that of a heavily weighted category, reaches the threshold"""
    action: Literal['allow', 'flag', 'block']
    """block from block_threshold, else flag if flagged"""
    score: int
    """All categories combined by weight"""
    severity: Literal['none', 'low', 'medium', 'high', 'critical']
    """Of score: low from 1, medium from 25, high from 50, critical from 80"""
    categories: ChatplatformModerateResultCategories
    """Score of each category; custom only with blocked_words"""
    matches: list[ChatplatformModerateResultMatches]
    """The first 50 matches, by position"""
    normalized_text: str
    """The text without disguise"""
    signals: ChatplatformModerateResultSignals
    """Counts in the text"""
    redacted_text: NotRequired[str]
    """Present only with redact"""
    support_recommended: bool
    """True if the author speaks of harming themself: offer help. This alone never blocks"""
    ruleset: str
    """Version of the rules"""


class ChatplatformPermissionsCalcRequestMember(TypedDict):
    id: str | int
    """User id"""
    roles: list[str | int]
    """Role ids"""
    timed_out: NotRequired[bool]
    """In a timeout. Default: false"""
    communication_disabled_until: NotRequired[str]
    """End of the timeout"""


class ChatplatformPermissionsCalcRequestGuild(TypedDict):
    id: str | int
    """Also the id of the everyone role"""
    owner_id: NotRequired[str | int]
    """May do everything"""


class ChatplatformPermissionsCalcRequestRoles(TypedDict):
    id: str | int
    """Role id"""
    permissions: str | int | list[str | int]
    """As permissions"""


class ChatplatformPermissionsCalcRequestChannelPermissionOverwrites(TypedDict):
    id: str | int
    """Role or member id"""
    type: Literal[0, 1, 'role', 'member']
    """Role (0) or member (1)"""
    allow: NotRequired[str | int | list[str | int]]
    """As permissions"""
    deny: NotRequired[str | int | list[str | int]]
    """As permissions"""


class ChatplatformPermissionsCalcRequestChannelParentPermissionOverwrites(TypedDict):
    id: str | int
    """Role or member id"""
    type: Literal[0, 1, 'role', 'member']
    """Role (0) or member (1)"""
    allow: NotRequired[str | int | list[str | int]]
    """As permissions"""
    deny: NotRequired[str | int | list[str | int]]
    """As permissions"""


class ChatplatformPermissionsCalcRequestChannelParent(TypedDict):
    permission_overwrites: NotRequired[list[ChatplatformPermissionsCalcRequestChannelParentPermissionOverwrites]]
    """They apply to the thread"""


class ChatplatformPermissionsCalcRequestChannel(TypedDict):
    type: NotRequired[int]
    """Platform's number. Default: 0"""
    permission_overwrites: NotRequired[list[ChatplatformPermissionsCalcRequestChannelPermissionOverwrites]]
    """For threads, parent's count instead"""
    parent: NotRequired[ChatplatformPermissionsCalcRequestChannelParent]
    """Of a thread (types 10, 11, 12)"""


class ChatplatformPermissionsCalcRequest(TypedDict):
    permissions: NotRequired[str | int | list[str | int]]
    """Number as text (decimal, 0x or 0b), name, group (ALL, NONE, ALL_TEXT, ALL_VOICE, ALL_STAGE, ALL_CHANNEL, ELEVATED), or several in a list or text"""
    add: NotRequired[str | int | list[str | int]]
    """Permissions to add"""
    remove: NotRequired[str | int | list[str | int]]
    """Permissions to remove, after add"""
    required: NotRequired[str | int | list[str | int]]
    """Permissions to check, for has_all and missing"""
    member: NotRequired[ChatplatformPermissionsCalcRequestMember]
    """Compute for this member from guild, roles and channel"""
    guild: NotRequired[ChatplatformPermissionsCalcRequestGuild]
    """With member"""
    roles: NotRequired[list[ChatplatformPermissionsCalcRequestRoles]]
    """With member: the guild's roles, with everyone"""
    channel: NotRequired[ChatplatformPermissionsCalcRequestChannel]
    """With member. Default: guild level"""
    now: NotRequired[str | float]
    """Reference for communication_disabled_until. Default: server clock"""


class ChatplatformPermissionsCalcResultDetails(TypedDict):
    name: str
    """The platform's name"""
    bit: int
    """Bit number, from 0"""
    value: str
    """Number of this permission alone, decimal"""
    hex: str
    """The number with 0x"""
    label: str
    """Label in the client"""
    description: str
    """What it allows"""
    category: Literal['general', 'membership', 'text', 'voice', 'stage', 'events', 'apps', 'advanced']
    """Category by subject, defined by this tool"""
    channel_types: list[Literal['text', 'voice', 'stage']]
    """Where it applies; empty if only to the guild"""
    requires_2fa: bool
    """True if a bot's owner needs two-factor authentication for it in guilds that enforce it"""


class ChatplatformPermissionsCalcResultSteps(TypedDict):
    step: str
    """everyone, roles, owner, administrator, channel_everyone, channel_roles, channel_member or a reason of implicit_denied"""
    allow: str
    """Allowed permissions, decimal"""
    deny: str
    """Denied permissions, decimal"""
    value: str
    """All permissions after the step, decimal"""


class ChatplatformPermissionsCalcResultImplicitDenied(TypedDict):
    name: str
    """Name of the permission"""
    reason: Literal['timed_out', 'no_view_channel', 'no_connect', 'no_send_messages', 'thread', 'not_applicable']
    """Why it was lost; thread is for SEND_MESSAGES, which threads do not inherit"""


class ChatplatformPermissionsCalcResultHints(TypedDict):
    code: Literal['ineffective', 'split_permission']
    """Stable code; the tool's page lists all"""
    name: str
    """For ineffective the useless permission, for split_permission the missing one"""
    message: str
    """The hint in English"""


class ChatplatformPermissionsCalcResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""
    limit: NotRequired[int]
    """Most warnings listed; present only with issues_truncated"""
    actual: NotRequired[int]
    """Number of warnings found; present only with limit"""


class ChatplatformPermissionsCalcResult(TypedDict):
    permissions: str
    """The final value, decimal; in member mode the effective one"""
    hex: str
    """The value with 0x"""
    binary: str
    """The value with 0b"""
    names: list[str]
    """Names of the permissions, in bit order"""
    count: int
    """Number of names"""
    details: list[ChatplatformPermissionsCalcResultDetails]
    """One item for each name"""
    unknown_bits: list[int]
    """Bit numbers without a name"""
    administrator: bool
    """True if ADMINISTRATOR is included, which allows everything"""
    requires_2fa: bool
    """True if a bot's owner needs two-factor authentication in guilds that enforce it"""
    base: str | None
    """Member mode: permissions from roles"""
    computed: str | None
    """Member mode: after the channel's overwrites, by the documented algorithm"""
    effective: str | None
    """Member mode: computed, without permissions that depend on missing ones"""
    applicable_mask: str | None
    """Permissions that apply to this type of channel"""
    steps: list[ChatplatformPermissionsCalcResultSteps]
    """Member mode: each step, what it allowed and denied, and the value after it"""
    implicit_denied: list[ChatplatformPermissionsCalcResultImplicitDenied]
    """Member mode: permissions lost for a reason other than an overwrite"""
    hints: list[ChatplatformPermissionsCalcResultHints]
    """Permissions that have no effect, or that may be missing"""
    has_all: bool | None
    """True if all of required are included; null if not requested"""
    missing: list[str]
    """Names of the required permissions that are not included"""
    warnings: list[ChatplatformPermissionsCalcResultWarnings]
    """Member mode: problems of roles and overwrites"""
    data_revision: str
    """Date on which the platform data was last checked"""


class ChatplatformSnowflakeDecodeRequest(TypedDict):
    snowflake: NotRequired[str | int]
    """Id as text, or a text with one: mention, emoji, link, webhook or attachment URL"""
    snowflakes: NotRequired[list[Any]]
    """Several; an invalid one fails only its item"""
    timestamp: NotRequired[str | float]
    """Encode instead: first and last id of this instant. Forms as in chatplatform-timestamp"""
    epoch: NotRequired[str | int]
    """discord (1420070400000), twitter (1288834974657) or milliseconds up to 4102444800000. Default: "discord" """
    shard_count: NotRequired[int]
    """Gateway shards, for shard_id"""
    now: NotRequired[str | float]
    """Reference for age_seconds, relative, in_future. Default: server clock"""


class ChatplatformSnowflakeDecodeResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class ChatplatformSnowflakeDecodeResultRelated(TypedDict):
    role: Literal['guild', 'channel', 'message', 'attachment', 'user', 'event', 'webhook']
    """What the id identifies"""
    snowflake: str
    """The id"""
    form: str
    """Form of the text"""
    timestamp: str
    """When the id was created"""
    unix: int
    """Whole seconds since 1970"""
    unix_ms: int
    """Milliseconds since 1970"""
    epoch_ms: int
    """Milliseconds since the epoch, bits 63 to 22"""
    worker_id: int
    """Bits 21 to 17"""
    process_id: int
    """Bits 16 to 12"""
    increment: int
    """Bits 11 to 0"""
    binary: str
    """64 binary digits"""
    hex: str
    """0x and 16 digits"""
    age_seconds: int
    """Negative for an id in the future"""
    relative: str
    """Such as 3 years ago"""
    default_avatar_index: int
    """Default avatar of a user with this id"""
    shard_id: int | None
    """With shard_count: the shard for a guild with this id"""
    warnings: list[dict[str, Any]]
    """Warnings about this id, as in warnings above"""


class ChatplatformSnowflakeDecodeResultItemsError(TypedDict):
    code: NotRequired[str]
    """invalid_snowflake or precision_loss"""
    message: NotRequired[str]
    """The error in English"""


class ChatplatformSnowflakeDecodeResultItemsDecoded(TypedDict):
    snowflake: str
    """The id; for a link with several, the last"""
    form: str
    """Form of the text"""
    timestamp: str
    """When the id was created"""
    unix: int
    """Whole seconds since 1970"""
    unix_ms: int
    """Milliseconds since 1970"""
    epoch_ms: int
    """Milliseconds since the epoch, bits 63 to 22"""
    worker_id: int
    """Bits 21 to 17"""
    process_id: int
    """Bits 16 to 12"""
    increment: int
    """Bits 11 to 0"""
    binary: str
    """64 binary digits"""
    hex: str
    """0x and 16 digits"""
    age_seconds: int
    """Negative for an id in the future"""
    relative: str
    """Such as 3 years ago"""
    default_avatar_index: int
    """Default avatar of a user with this id"""
    shard_id: int | None
    """With shard_count: the shard for a guild with this id"""
    warnings: list[dict[str, Any]]
    """Warnings about this id, as in warnings above"""


class ChatplatformSnowflakeDecodeResultItems(TypedDict):
    input: str | int | None
    """As sent; null if it cannot be returned exactly"""
    valid: bool
    """True if the id was decoded"""
    error: ChatplatformSnowflakeDecodeResultItemsError | None
    """Why it was not decoded; null if it was"""
    decoded: ChatplatformSnowflakeDecodeResultItemsDecoded | None
    """The fields above, without related and discord_tag"""


class ChatplatformSnowflakeDecodeResult(TypedDict):
    snowflake: NotRequired[str]
    """The id; for a link with several, the last"""
    form: NotRequired[Literal['id', 'user_mention', 'channel_mention', 'role_mention', 'command_mention', 'emoji', 'animated_emoji', 'linked_role', 'channel_link', 'message_link', 'user_link', 'event_link', 'webhook_link', 'attachment_url']]
    """Form of the text"""
    timestamp: NotRequired[str]
    """When the id was created; in encode mode, the instant"""
    unix: NotRequired[int]
    """Whole seconds since 1970"""
    unix_ms: NotRequired[int]
    """Milliseconds since 1970"""
    epoch_ms: NotRequired[int]
    """Milliseconds since the epoch, bits 63 to 22"""
    worker_id: NotRequired[int]
    """Bits 21 to 17"""
    process_id: NotRequired[int]
    """Bits 16 to 12"""
    increment: NotRequired[int]
    """Bits 11 to 0"""
    binary: NotRequired[str]
    """64 binary digits"""
    hex: NotRequired[str]
    """0x and 16 digits"""
    age_seconds: NotRequired[int]
    """Negative for an id in the future"""
    relative: NotRequired[str]
    """Such as 3 years ago"""
    default_avatar_index: NotRequired[int]
    """Default avatar of a user with this id"""
    shard_id: NotRequired[int | None]
    """With shard_count: the shard for a guild with this id"""
    warnings: NotRequired[list[ChatplatformSnowflakeDecodeResultWarnings]]
    """What is unusual about the id"""
    related: NotRequired[list[ChatplatformSnowflakeDecodeResultRelated]]
    """One decoded object for each id of a link, with its role"""
    discord_tag: NotRequired[str]
    """The instant as a timestamp tag"""
    count: NotRequired[int]
    """With snowflakes: number of ids sent"""
    valid_count: NotRequired[int]
    """With snowflakes: number of ids decoded"""
    items: NotRequired[list[ChatplatformSnowflakeDecodeResultItems]]
    """With snowflakes: one item for each, in order"""
    epoch: NotRequired[int]
    """Encode mode: the epoch in Unix milliseconds"""
    min_snowflake: NotRequired[str]
    """The first id of that millisecond"""
    max_snowflake: NotRequired[str]
    """The last id of that millisecond"""
    before: NotRequired[str | None]
    """max_snowflake + 1: as `before`, it finds this millisecond and older; null if it exceeds 64 bits"""
    after: NotRequired[str]
    """min_snowflake - 1: as `after`, it finds this millisecond and newer; 0 at the epoch"""


class ChatplatformTextSanitizeRequestMarkdown(TypedDict):
    escape: NotRequired[bool]
    """Existing backslashes"""
    inline_code: NotRequired[bool]
    """One or two backticks"""
    code_block: NotRequired[bool]
    """Three backticks"""
    italic: NotRequired[bool]
    """* and _"""
    bold: NotRequired[bool]
    """**"""
    underline: NotRequired[bool]
    """__"""
    strikethrough: NotRequired[bool]
    """~~"""
    spoiler: NotRequired[bool]
    """||"""
    heading: NotRequired[bool]
    """# to ### at line start"""
    bulleted_list: NotRequired[bool]
    """- or * at line start"""
    numbered_list: NotRequired[bool]
    """1. at line start"""
    masked_link: NotRequired[bool]
    """[ of a link's text"""
    quote: NotRequired[bool]
    """> at line start"""
    block_quote: NotRequired[bool]
    """>>> at line start"""
    code_block_content: NotRequired[bool]
    """In code blocks"""
    inline_code_content: NotRequired[bool]
    """In inline code"""


class ChatplatformTextSanitizeRequest(TypedDict):
    text: str
    """Text to sanitize"""
    target: NotRequired[Literal['message', 'embed_title', 'embed_description', 'field_name', 'field_value', 'footer', 'code_block', 'inline_code', 'username', 'nickname', 'webhook_username', 'channel_name', 'thread_name', 'log', 'plain']]
    """Where the text goes; sets other defaults. Default: "message" """
    markdown: NotRequired[str | ChatplatformTextSanitizeRequestMarkdown]
    """escape, keep, strip, or an object that turns kinds of escapes off. Default: escape; keep for footers, code, names and logs; strip for plain"""
    strict: NotRequired[bool]
    """With escape: a backslash before every character with a possible meaning. Default: false"""
    mentions: NotRequired[Literal['zero_width', 'text', 'remove', 'keep']]
    """zero_width inserts U+200B, text shows names. Default: zero_width; remove for names, keep for logs, text for plain"""
    mention_types: NotRequired[list[Literal['everyone', 'here', 'users', 'roles', 'channels', 'commands', 'navigation']]]
    """Default: everyone, here, users, roles"""
    names: NotRequired[dict[str, Any]]
    """Display names by id, for mentions as text"""
    invisible: NotRequired[Literal['remove', 'keep']]
    """Invisible characters outside emoji and words. Default: "remove" """
    bidi: NotRequired[Literal['remove', 'isolate', 'keep']]
    """Direction controls; isolate closes open ones and wraps the line. Default: "remove" """
    normalize: NotRequired[Literal['nfc', 'nfkc', 'none']]
    """Unicode normal form. Default: "nfc" """
    confusables: NotRequired[Literal['flag', 'replace', 'keep']]
    """Letters that look like ASCII, also fullwidth, circled or mathematical; flag lists them. Default: "flag" """
    combining_limit: NotRequired[int]
    """Marks on a letter; scripts that need marks may have 8. Default: 4"""
    control: NotRequired[Literal['remove', 'keep']]
    """Controls and ANSI sequences, except line feeds and tabs. Default: "remove" """
    urls: NotRequired[Literal['keep', 'suppress', 'defang', 'remove']]
    """suppress stops previews with <>, defang writes hxxps://host[.]tld. Default: "keep" """
    custom_emoji: NotRequired[Literal['keep', 'name', 'remove']]
    """name leaves :name:. Default: "keep" """
    newlines: NotRequired[int]
    """Line feeds in a row; 0 joins lines. Default: 3; 0 for one-line targets, 10 for code blocks and logs"""
    collapse_spaces: NotRequired[bool]
    """Collapse runs of spaces. Default: only for names"""
    max_length: NotRequired[int]
    """Default: the target's limit"""
    truncate: NotRequired[Literal['ellipsis', 'hard', 'none']]
    """How to shorten; none only reports. Default: "ellipsis" """


class ChatplatformTextSanitizeResultChanges(TypedDict):
    type: Literal['control', 'ansi', 'invisible', 'bidi', 'normalized', 'combining', 'confusable', 'whitespace', 'newline', 'mention', 'url', 'emoji', 'markdown', 'target_rule', 'truncated']
    """What was changed; target_rule is a requirement of the target alone"""
    count: int
    """Number of changes; for markdown, characters added or removed"""


class ChatplatformTextSanitizeResultMentions(TypedDict):
    type: Literal['everyone', 'here', 'user', 'role', 'channel', 'command', 'navigation']
    """What it mentions; navigation is <id:browse> and similar"""
    id: str | None
    """null if the mention has none"""
    raw: str
    """As sent"""
    start: int
    """Position of the first character, from 0"""
    end: int
    """Position after the last character"""


class ChatplatformTextSanitizeResultUrls(TypedDict):
    url: str
    """As sent"""
    start: int
    """Position of the first character, from 0"""
    end: int
    """Position after the last character"""


class ChatplatformTextSanitizeResultConfusables(TypedDict):
    char: str
    """The letter, in the requested normal form"""
    codepoint: str
    """U+ and hex digits"""
    ascii: str
    """The ASCII letter that it resembles"""
    start: int
    """Position in the text sent"""


class ChatplatformTextSanitizeResultErrors(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The error in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""


class ChatplatformTextSanitizeResultWarnings(TypedDict):
    path: str
    """The field concerned"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""
    limit: NotRequired[int]
    """The violated limit; present only if there is one"""
    actual: NotRequired[int]
    """The actual value; present only with limit"""


class ChatplatformTextSanitizeResultAllowedMentions(TypedDict):
    parse: list[str]
    """Always empty: no kind of mention is allowed"""


class ChatplatformTextSanitizeResult(TypedDict):
    text: str
    """The sanitized text"""
    changed: bool
    """True if it differs from the text sent"""
    length: int
    """Characters (code points) of text"""
    original_length: int
    """Characters of the text sent"""
    utf8_bytes: int
    """Bytes of text in UTF-8"""
    truncated: bool
    """True if the text was shortened"""
    target: str
    """The target used"""
    max_length: int
    """The limit used"""
    changes: list[ChatplatformTextSanitizeResultChanges]
    """Kinds of changes and their number"""
    mentions: list[ChatplatformTextSanitizeResultMentions]
    """Mentions found, with positions in the text sent (characters, end exclusive)"""
    urls: list[ChatplatformTextSanitizeResultUrls]
    """Links found, with positions in the text sent"""
    confusables: list[ChatplatformTextSanitizeResultConfusables]
    """The first 50 look-alikes found"""
    scripts: list[str]
    """Unicode names of the scripts in the text sent"""
    errors: list[ChatplatformTextSanitizeResultErrors]
    """Why the target rejects the text"""
    warnings: list[ChatplatformTextSanitizeResultWarnings]
    """What was lost from the text"""
    allowed_mentions: ChatplatformTextSanitizeResultAllowedMentions
    """Send it with the message so that the text pings nobody"""


class ChatplatformTimestampRequest(TypedDict):
    timestamp: NotRequired[str | float]
    """now, Unix seconds or milliseconds, an id of 17 to 20 digits as text, RFC 3339 (in timezone if without offset), RFC 2822, a date, a tag, an offset (+1d12h), or English: in 2 hours, 18:00, next friday 5pm, 24.12.2026 18:00. Default: "now" """
    style: NotRequired[str]
    """t, T, d, D, f, F, s, S or R. Default: from a given tag, else f"""
    timezone: NotRequired[str]
    """IANA name or offset such as -05:00. Default: "UTC" """
    locale: NotRequired[Literal['docs', 'en-US', 'en-GB']]
    """Preview format; en-US or en-GB also decides 03/04/2026. Default: "docs" """
    now: NotRequired[str | float]
    """Reference for now and relative times. Default: server clock"""


class ChatplatformTimestampResultDst(TypedDict):
    kind: Literal['gap', 'overlap']
    """Whether the local time is skipped or occurs twice"""
    chosen_offset: str
    """Offset used for the local time"""
    other_offset: str
    """The offset on the other side of the change"""


class ChatplatformTimestampResultStyles(TypedDict):
    style: str
    """Letter of the style"""
    name: str
    """The platform's name"""
    tag: str
    """The tag in this style"""
    preview: str
    """Approximate display of the tag"""


class ChatplatformTimestampResult(TypedDict):
    unix: int
    """Whole seconds since 1970"""
    unix_ms: int
    """Milliseconds since 1970"""
    iso: str
    """In UTC with milliseconds"""
    local: str
    """In the time zone, with its offset"""
    timezone: str
    """As requested"""
    utc_offset: str
    """Such as -05:00; for times before standard time it may have seconds"""
    style: str
    """The style's letter"""
    tag: str
    """The tag to send, with the style"""
    default_tag: str
    """The tag without a style, which displays as f"""
    preview: str
    """Approximate display of the tag"""
    relative: str
    """Such as 3 hours ago, in a day"""
    relative_seconds: int
    """Seconds from now; negative for the past"""
    is_past: bool
    """True if the time is not later than now"""
    weekday: str
    """In the time zone"""
    day_of_year: int
    """In the time zone, from 1"""
    iso_week: str
    """In the time zone, ISO 8601, such as 2021-W16"""
    min_snowflake: str | None
    """The first id of that millisecond; null before 2015"""
    dst: ChatplatformTimestampResultDst | None
    """null unless the local time does not exist (gap: moved by the length of the gap) or occurs twice (overlap: the first is used)"""
    styles: list[ChatplatformTimestampResultStyles]
    """All nine styles"""
    preview_note: str
    """How exact the previews are"""
    reading: NotRequired[str]
    """How English words or a numeric date were understood; only then"""


CronExplainRequest = TypedDict('CronExplainRequest', {
    'expression': 'str',
    'count': 'NotRequired[int]',
    'previous': 'NotRequired[int]',
    'timezone': 'NotRequired[str]',
    'from': 'NotRequired[str | int]',
    'day_match': "NotRequired[Literal['or', 'and']]",
    'dst': "NotRequired[Literal['run_after', 'shift', 'skip']]",
    'weekday_numbering': "NotRequired[Literal['sunday0', 'sunday1']]",
    'use_24_hour': 'NotRequired[bool]',
    'verbose': 'NotRequired[bool]',
    'dialects': 'NotRequired[bool]',
})


class CronExplainResultFieldsSecond(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsMinute(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsHour(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsDayOfMonth(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsMonth(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsDayOfWeek(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFieldsYear(TypedDict):
    raw: str | None
    """As written, or as the macro expands; null if not given"""
    description: str
    """The field in English"""
    values: list[int] | None
    """null if there are more than 60, or if they depend on the month"""


class CronExplainResultFields(TypedDict):
    second: CronExplainResultFieldsSecond
    """Seconds of the minute, 0 to 59; only 0 if not given"""
    minute: CronExplainResultFieldsMinute
    """Minutes of the hour, 0 to 59"""
    hour: CronExplainResultFieldsHour
    """Hours of the day, 0 to 23"""
    day_of_month: CronExplainResultFieldsDayOfMonth
    """Days of the month, 1 to 31"""
    month: CronExplainResultFieldsMonth
    """Months of the year, 1 to 12"""
    day_of_week: CronExplainResultFieldsDayOfWeek
    """Days of the week; in values 0 is Sunday, whatever weekday_numbering is"""
    year: CronExplainResultFieldsYear
    """Years, 1970 to 9999; every year if not given"""


class CronExplainResultRuns(TypedDict):
    utc: str
    """The time in next_runs"""
    local: str
    """Local time with its offset from UTC"""
    weekday: str
    """English name of the weekday of the local date"""
    note: Literal['dst_gap', 'dst_overlap_first', 'dst_overlap_second', None]
    """How a clock change affects this run"""


class CronExplainResultDialects(TypedDict):
    dialect: Literal['debian-cron', 'cronie', 'kubernetes', 'github-actions', 'eventbridge', 'quartz', 'spring', 'cloudflare', 'apscheduler', 'jenkins', 'systemd', 'croner', 'cron-parser', 'node-cron']
    """The program"""
    accepted: bool
    """Does it accept the line as it is?"""
    meaning: str | None
    """What the line means there, if that differs"""
    reason: str | None
    """Why it is not accepted or not rewritten"""
    rewritten: str | None
    """The schedule in its syntax; lines that each run, if one line cannot express it; null if it cannot be expressed"""
    note: str
    """Its time zone and limits"""


class CronExplainResultPasted(TypedDict):
    form: Literal['quotes', 'setting', 'crontab', 'code']
    """In quotes, as a setting such as cron: '...', as a line of a crontab, or in code"""
    expression: str
    """What was explained"""
    command: str | None
    """What the crontab line runs, with its user if it has one"""
    others: int
    """More expressions in the text, which are ignored"""


class CronExplainResultWarnings(TypedDict):
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""
    suggestion: NotRequired[str]
    """An expression for what was probably meant"""


CronExplainResult = TypedDict('CronExplainResult', {
    'expression': 'str',
    'description': 'str',
    'next_runs': 'list[str]',
    'timezone': 'str',
    'from': 'str',
    'format': "Literal['standard', 'seconds', 'year', 'seconds_year', 'macro']",
    'normalized': 'str',
    'fields': 'CronExplainResultFields | None',
    'runs': 'list[CronExplainResultRuns]',
    'interval_seconds': 'int | None',
    'runs_per_day': 'float',
    'never': 'bool',
    'previous_runs': 'NotRequired[list[str]]',
    'next_dst_change': 'NotRequired[str]',
    'dialects': 'NotRequired[list[CronExplainResultDialects]]',
    'pasted': 'NotRequired[CronExplainResultPasted]',
    'warnings': 'list[CronExplainResultWarnings]',
})


class DnsLookupRequest(TypedDict):
    domain: str
    """Domain name, TLD or the root (.)"""
    types: NotRequired[list[str]]
    """Record types; all nine if empty"""


class DnsLookupResultRecordsA(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """IPv4 address"""
    ttl: int
    """Remaining time to live in seconds"""


class DnsLookupResultRecordsAaaa(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """IPv6 address in the form of RFC 5952"""
    ttl: int
    """Remaining time to live in seconds"""


class DnsLookupResultRecordsMx(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """Priority and host, such as 10 mail.example.com; 0 . means that the domain accepts no mail"""
    ttl: int
    """Remaining time to live in seconds"""
    priority: int
    """0 to 65535; clients try the lowest first"""
    exchange: str
    """Mail server; a dot means that the domain accepts no mail"""


class DnsLookupResultRecordsTxt(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """The strings joined; a byte that is not UTF-8 is a backslash and three digits"""
    ttl: int
    """Remaining time to live in seconds"""
    strings: list[str]
    """The strings of at most 255 bytes each, in the same notation as data"""


class DnsLookupResultRecordsCname(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """Target name, without the final dot"""
    ttl: int
    """Remaining time to live in seconds"""


class DnsLookupResultRecordsNs(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """Host name of a name server of the zone, without the final dot"""
    ttl: int
    """Remaining time to live in seconds"""


class DnsLookupResultRecordsSoa(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """The seven fields in zone file order"""
    ttl: int
    """Remaining time to live in seconds"""
    mname: str
    """Primary name server of the zone"""
    rname: str
    """Mailbox of the zone's administrator, with a dot instead of the @"""
    serial: int
    """Serial number of the zone"""
    refresh: int
    """Seconds between a secondary server's checks for a newer version"""
    retry: int
    """Seconds until a secondary server retries a failed check"""
    expire: int
    """Seconds after which a secondary server drops the zone if every check fails"""
    minimum: int
    """Maximum seconds that resolvers cache a negative response"""


class DnsLookupResultRecordsSrv(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """Priority, weight, port, target"""
    ttl: int
    """Remaining time to live in seconds"""
    priority: int
    """0 to 65535; clients try the lowest first"""
    weight: int
    """Relative share of clients among records of equal priority, 0 to 65535"""
    port: int
    """Port of the service on the target"""
    target: str
    """Host of the service; a dot means that the service is not available"""


class DnsLookupResultRecordsCaa(TypedDict):
    type: str
    """Record type, the same as the list's"""
    name: str
    """Owner name: the domain, or the end of its alias chain"""
    data: str
    """Flags, tag and value: 0 issue "ca.example.net" """
    ttl: int
    """Remaining time to live in seconds"""
    flags: int
    """0 to 255; 128 (critical) forbids an authority that does not know the tag to issue"""
    tag: str
    """Property name, such as issue, issuewild or iodef"""
    value: str
    """Usually an authority's domain; a byte that is not UTF-8 is a backslash and three digits"""


class DnsLookupResultRecords(TypedDict):
    A: NotRequired[list[DnsLookupResultRecordsA]]
    """IPv4 addresses, in the order of the DNS response"""
    AAAA: NotRequired[list[DnsLookupResultRecordsAaaa]]
    """IPv6 addresses, in the order of the DNS response"""
    MX: NotRequired[list[DnsLookupResultRecordsMx]]
    """Sorted by priority"""
    TXT: NotRequired[list[DnsLookupResultRecordsTxt]]
    """Texts, in the order of the DNS response"""
    CNAME: NotRequired[list[DnsLookupResultRecordsCname]]
    """The domain's own alias; cname_chain has the whole chain"""
    NS: NotRequired[list[DnsLookupResultRecordsNs]]
    """Name servers, in the order of the DNS response; empty unless the name is a zone apex"""
    SOA: NotRequired[list[DnsLookupResultRecordsSoa]]
    """Start of authority; empty unless the name is a zone apex"""
    SRV: NotRequired[list[DnsLookupResultRecordsSrv]]
    """Sorted by priority"""
    CAA: NotRequired[list[DnsLookupResultRecordsCaa]]
    """Authorities that may issue certificates, in the order of the DNS response"""


class DnsLookupResultCnameChain(TypedDict):
    name: str
    """The alias"""
    target: str
    """The name that it points to"""
    ttl: int
    """Remaining time to live in seconds"""


class DnsLookupResultExtendedErrors(TypedDict):
    type: str
    """Record type that was queried"""
    code: int
    """Info code of RFC 8914, such as 6 for a bogus DNSSEC signature"""
    text: str
    """The resolver's explanation, truncated to 75 bytes; may be empty"""


class DnsLookupResult(TypedDict):
    domain: str
    """The name in lower-case A-labels, without the final dot; a dot for the root"""
    records: DnsLookupResultRecords
    """A list for each requested type, in the order of the request; empty when the name has no such record"""
    queried_types: list[str]
    """The types looked up, in the order of the request, without duplicates"""
    scanned_at: str
    """Start of the scan, in UTC"""
    unicode_domain: str
    """The name in Unicode"""
    status: Literal['NOERROR', 'NXDOMAIN', 'FORMERR', 'NOTIMP', 'REFUSED', 'SERVFAIL', 'TIMEOUT', 'ERROR']
    """NOERROR if the name exists, NXDOMAIN if it does not, otherwise the worst of statuses"""
    statuses: dict[str, Any]
    """One status per type: NOERROR (records exist), NODATA (no records of this type), NXDOMAIN, another response code's name, TIMEOUT, or ERROR for an invalid DNS response"""
    dnssec_authenticated: bool
    """Whether the resolver validated every successful response with DNSSEC"""
    cname_chain: list[DnsLookupResultCnameChain]
    """CNAME records from the domain to canonical_name, in order"""
    canonical_name: str
    """The last name of the alias chain; the domain if it has no alias; in a loop, the first name that recurs"""
    cname_loop: NotRequired[Literal[True]]
    """Present if the aliases form a loop, so the name has no records"""
    extended_errors: list[DnsLookupResultExtendedErrors]
    """Extended DNS errors from the resolver (RFC 8914)"""
    resolver: str
    """URL of the resolver that sent the first response in the list"""
    soa_negative_ttl: int | None
    """Seconds that resolvers may cache a negative response; null if unknown"""
    partial: bool
    """Whether some queries got no response"""
    truncated: bool
    """Whether a type has more than 500 records; the first 500 are shown"""


class EmailBlacklistCheckRequest(TypedDict):
    domain: NotRequired[str]
    """Domain, URL, email address or IP address"""
    ip: NotRequired[str]
    """Public IPv4 or IPv6 address, without brackets; 127.0.0.2 is the test address, which every list has"""
    include_ipv6: NotRequired[bool]
    """Also check IPv6 addresses. Default: false"""
    include_mx: NotRequired[bool]
    """Also check IPv4 addresses of up to 3 mail servers. Default: false"""


class EmailBlacklistCheckResultIpListings(TypedDict):
    ip: str
    """The address"""
    list: str
    """Name of the list"""
    zone: str
    """DNS zone of the list"""
    status: Literal['listed', 'clean', 'blocked', 'error']
    """blocked: the list rejects queries from this service, so the status is unknown; error: the list did not answer, or its answer is invalid"""
    codes: list[str]
    """Addresses in the list's answer"""
    reason: str | None
    """listed: the text of the list, at most 300 bytes; blocked, error: why"""
    meaning: str | None
    """Meaning of the codes"""
    category: str
    """Subject of the list: spam, exploit, policy, network, backscatter or new-domain"""
    delist_url: str | None
    """Page for removal requests"""


class EmailBlacklistCheckResultDomainListings(TypedDict):
    domain: str
    """The domain"""
    list: str
    """Name of the list"""
    zone: str
    """DNS zone of the list"""
    status: Literal['listed', 'clean', 'blocked', 'error']
    """As in ip_listings"""
    codes: list[str]
    """Addresses in the list's answer"""
    reason: str | None
    """As in ip_listings"""
    meaning: str | None
    """Meaning of the codes"""
    category: str
    """Subject of the list"""
    delist_url: str | None
    """Page for removal requests"""


class EmailBlacklistCheckResult(TypedDict):
    target: str
    """The address, or the domain in A-labels and lower case"""
    type: Literal['domain', 'ip']
    """Kind of target"""
    checked_ips: list[str]
    """The address, or at most 10 public addresses of the domain: its IPv4 addresses in numeric order, then the requested IPv6 and mail server addresses"""
    listed_count: int
    """Number of listed entries in ip_listings and domain_listings"""
    clean: bool
    """Whether nothing is listed, and at least half of the queried lists answered"""
    ip_listings: list[EmailBlacklistCheckResultIpListings]
    """One entry for each address and each list that supports its kind; for each address, the lists that list it come first"""
    lists_checked: int
    """Number of queried lists"""
    domain_listings: list[EmailBlacklistCheckResultDomainListings]
    """As ip_listings, for the domain"""
    lists_answered: int
    """Number of lists that answered for every target"""
    blocked_count: int
    """Number of blocked entries"""
    error_count: int
    """Number of entries with status error"""
    truncated_ips: bool
    """Whether the domain has more addresses than were checked"""
    exists: bool
    """Whether the domain exists in the DNS"""
    partial: bool
    """Whether time ran out before all lists were queried"""
    scanned_at: str
    """Start of the check, in UTC"""


class EmailDeliverabilityRequest(TypedDict):
    domain: str
    """Domain, URL or email address; any script"""
    dkim_selectors: NotRequired[list[str]]
    """DKIM selectors besides nine of the providers seen, as s= of a signature"""
    ip: NotRequired[str]
    """Public address to check as a sender: SPF, reverse name, blocklists"""
    smtp: NotRequired[bool]
    """Connect to 3 mail servers: greeting, STARTTLS, certificate. Default: false"""


class EmailDeliverabilityResultChecksFindings(TypedDict):
    code: str
    """Name of the finding, such as SPF_SOFTFAIL"""
    severity: Literal['critical', 'high', 'medium', 'low', 'info']
    """Severity"""
    message: str
    """Description of the finding"""
    points: int
    """Points lost"""


class EmailDeliverabilityResultChecks(TypedDict):
    name: Literal['MX', 'SPF', 'DKIM', 'DMARC', 'MTA-STS', 'TLS-RPT', 'BIMI', 'DNSSEC', 'DANE', 'Sender', 'SMTP']
    """Name of the check"""
    status: Literal['pass', 'warn', 'fail', 'info', 'error']
    """A scored check passes from 80 % of its points and fails below 40 %. It never passes with a high finding, and always fails with a critical one. error: it could not be tested"""
    detail: str
    """The record or the reason, at most 500 characters"""
    points: int | None
    """Null if it is not scored or could not be tested"""
    max_points: int | None
    """20 for MX and DKIM, 30 for SPF and DMARC; null if not scored"""
    findings: list[EmailDeliverabilityResultChecksFindings]
    """Sorted by severity, then in the order of the table of findings"""
    data: dict[str, Any]
    """Details, different for each check: records and addresses of MX, the SPF tree with the DNS lookups of each include, DKIM keys, DMARC tags and report destinations"""


EmailDeliverabilityResultSummary = TypedDict('EmailDeliverabilityResultSummary', {
    'pass': 'int',
    'warn': 'int',
    'fail': 'int',
    'info': 'int',
    'error': 'int',
})


class EmailDeliverabilityResultRecommendations(TypedDict):
    priority: int
    """1 is the most important"""
    check: str
    """Name of the check"""
    code: str
    """Code of the finding"""
    action: str
    """What to do"""


class EmailDeliverabilityResult(TypedDict):
    domain: str
    """In A-labels and lower case, without a final dot"""
    score: int
    """Points of MX, SPF, DKIM and DMARC, as a percentage of the possible points"""
    grade: Literal['A+', 'A', 'B', 'C', 'D', 'F']
    """A+ from 95, A from 85, B from 70, C from 55, D from 40. A+ also requires that none of the four checks failed, an MTA-STS policy in mode enforce that names all mail servers, and TLS-RPT. A domain closed to mail needs neither MTA-STS nor TLS-RPT"""
    checks: list[EmailDeliverabilityResultChecks]
    """The scored checks MX, SPF, DKIM and DMARC, then the others, which are not scored; at the end Sender with ip, and SMTP with smtp"""
    scanned_at: str
    """Start of the scan, in UTC"""
    domain_unicode: NotRequired[str]
    """The domain in Unicode; present only if it differs"""
    partial: bool
    """Whether some lookups were left out because of the time or count limit"""
    org_domain: str
    """Organizational domain: one label below the public suffix; its DMARC record applies to all its subdomains"""
    mail_provider: str | None
    """Operator of the first mail server; null if unknown"""
    receives_mail: bool
    """Whether the domain has a mail server, or an address that serves as one"""
    sends_mail: bool | None
    """False if the SPF record is exactly v=spf1 -all; null without a valid SPF record"""
    summary: EmailDeliverabilityResultSummary
    """Number of checks with each status"""
    recommendations: list[EmailDeliverabilityResultRecommendations]
    """What to fix, at most 12, sorted by the points gained"""


class EmailHeaderAnalyzerRequest(TypedDict):
    headers: str
    """Header or raw message; may be quoted, indented or HTML-escaped"""


EmailHeaderAnalyzerResultSummary = TypedDict('EmailHeaderAnalyzerResultSummary', {
    'from': 'str | None',
    'subject': 'str | None',
    'message_id': 'str | None',
    'to': 'str | None',
    'cc': 'str | None',
    'reply_to': 'str | None',
    'return_path': 'str | None',
    'date': 'str | None',
    'date_raw': 'str | None',
    'from_address': 'str | None',
    'from_name': 'str | None',
    'from_domain': 'str | None',
    'mailer': 'str | None',
    'list_id': 'str | None',
    'list_unsubscribe': 'str | None',
    'list_unsubscribe_one_click': 'bool',
    'x_originating_ip': 'str | None',
    'content_type': 'str | None',
})


class EmailHeaderAnalyzerResultAuthenticationAlignment(TypedDict):
    spf: Literal['strict', 'relaxed', 'none', None]
    """strict: same domain; relaxed: same owner; null if unknown"""
    dkim: Literal['strict', 'relaxed', 'none', None]
    """As spf"""
    organizational_domain: str | None
    """Organizational domain of From, by the public suffix list"""


class EmailHeaderAnalyzerResultAuthenticationAllResults(TypedDict):
    header_index: int
    """Index of the field in the message, from 0"""
    authserv_id: str | None
    """Server that checked"""
    method: str
    """spf, dkim, dmarc, …"""
    result: str
    """pass, fail, …; unknown for other words"""
    reason: str | None
    """Why"""
    properties: dict[str, Any]
    """smtp.mailfrom, header.d, …"""
    trusted: bool
    """Whether the results above use it"""


class EmailHeaderAnalyzerResultAuthenticationDkimSignatures(TypedDict):
    domain: str | None
    """d tag"""
    selector: str | None
    """s tag"""
    algorithm: str | None
    """a tag"""
    canonicalization: str | None
    """c tag"""
    signed_headers: list[str]
    """h tag, in lower case"""
    timestamp: int | None
    """t tag, in seconds since 1970"""
    expires: int | None
    """x tag, in seconds since 1970"""
    body_length: int | None
    """l tag: number of signed body bytes"""
    identity: str | None
    """i tag"""
    valid_syntax: bool
    """Whether it has all that RFC 6376 requires"""


class EmailHeaderAnalyzerResultAuthenticationArcChain(TypedDict):
    instances: int
    """Highest instance number"""
    valid_structure: bool
    """Whether each instance has its three fields once, newer ones above, with cv=none first, then cv=pass"""
    last_cv: str | None
    """cv tag of the last seal"""
    detail: str
    """What was not checked"""


class EmailHeaderAnalyzerResultAuthentication(TypedDict):
    spf: Literal['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror', 'bestguesspass', 'unknown']
    """SPF result; unknown if the header has none"""
    dkim: Literal['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror', 'bestguesspass', 'unknown']
    """DKIM result; pass if any signature passes"""
    dmarc: Literal['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror', 'bestguesspass', 'unknown']
    """DMARC result; never derived from the others"""
    source: Literal['authentication-results', 'received-spf', 'arc', 'none']
    """Field that the results come from"""
    authserv_id: str | None
    """Name of the server that checked, as it calls itself"""
    trusted: bool
    """Whether the receiver wrote the field: above the Received field by which the message came in, or directly below it. The sender can forge any other"""
    spf_domain: str | None
    """Domain that SPF was checked for"""
    dkim_domains: list[str]
    """Domains with a passing signature"""
    dmarc_policy: str | None
    """Policy of the sender's domain, in lower case"""
    arc: str | None
    """ARC result"""
    compauth: str | None
    """Composite authentication of Exchange Online"""
    bimi: str | None
    """BIMI result"""
    iprev: str | None
    """Reverse DNS result of the address"""
    alignment: EmailHeaderAnalyzerResultAuthenticationAlignment
    """Whether the checked domains belong to the owner of From"""
    all_results: list[EmailHeaderAnalyzerResultAuthenticationAllResults]
    """Every result of every field, in order"""
    dkim_signatures: list[EmailHeaderAnalyzerResultAuthenticationDkimSignatures]
    """Signatures as written; they are not verified"""
    arc_chain: EmailHeaderAnalyzerResultAuthenticationArcChain
    """ARC seals of forwarders (RFC 8617)"""


EmailHeaderAnalyzerResultHops = TypedDict('EmailHeaderAnalyzerResultHops', {
    'index': 'int',
    'from': 'str',
    'by': 'str',
    'delay_seconds': 'int | None',
    'timestamp': 'str | None',
    'timestamp_raw': 'str | None',
    'protocol': 'str | None',
    'id': 'str | None',
    'for': 'str | None',
    'via': 'str | None',
    'helo': 'str | None',
    'from_ip': 'str | None',
    'from_rdns': 'str | None',
    'by_ip': 'str | None',
    'software': 'str | None',
    'tls': 'bool | None',
    'tls_version': 'str | None',
    'tls_cipher': 'str | None',
    'authenticated': 'bool',
    'auth_user': 'str | None',
    'envelope_from': 'str | None',
    'internal': 'bool',
    'form': 'str',
    'parse_ok': 'bool',
    'raw': 'str',
})


class EmailHeaderAnalyzerResultFlags(TypedDict):
    code: str
    """Kind of anomaly, for programs"""
    severity: Literal['info', 'low', 'medium', 'high', 'critical']
    """Severity"""
    message: str
    """Description, in English"""
    hop: NotRequired[int]
    """Index of the hop; present only if the anomaly concerns one"""


class EmailHeaderAnalyzerResultOtherHeaders(TypedDict):
    name: str
    """As written"""
    value: str
    """Decoded, at most 1,000 characters"""


class EmailHeaderAnalyzerResult(TypedDict):
    summary: EmailHeaderAnalyzerResultSummary
    """Main fields, decoded for display; control and direction control characters become U+FFFD"""
    authentication: EmailHeaderAnalyzerResultAuthentication
    """Results of the receiving side, if they can be trusted"""
    hop_count: int
    """Number of Received fields, including unreadable ones"""
    total_delivery_seconds: int
    """From the first dated hop to the last; negative if clocks disagree"""
    hops: list[EmailHeaderAnalyzerResultHops]
    """The route, from the first server to the last"""
    flags: list[EmailHeaderAnalyzerResultFlags]
    """Anomalies, in the order of the table of flags; at most 20 of one code"""
    header_count: int
    """Number of fields read, at most 1,000"""
    other_headers: list[EmailHeaderAnalyzerResultOtherHeaders]
    """The first 100 fields that are not reported above"""
    body_bytes: int
    """Bytes after the header"""
    submission_delay_seconds: int | None
    """From Date to the first hop"""
    transit_seconds: int | None
    """Sum of all delays that are not negative"""


EmailSpamCheckRequest = TypedDict('EmailSpamCheckRequest', {
    'subject': 'NotRequired[str]',
    'body': 'NotRequired[str]',
    'html': 'NotRequired[str]',
    'from': 'NotRequired[str]',
    'reply_to': 'NotRequired[str]',
    'format': "NotRequired[Literal['auto', 'text', 'html', 'raw']]",
})


class EmailSpamCheckResultFindings(TypedDict):
    rule: str
    """Name of the rule, for programs"""
    severity: Literal['info', 'low', 'medium', 'high', 'critical']
    """By points: low from 1, medium from 5, high from 10, critical from 18"""
    points: int
    """Before the caps"""
    message: str
    """Description, with the count if more than one"""
    fix: str
    """What to change"""
    category: Literal['subject', 'phrases', 'links', 'html', 'obfuscation', 'style', 'compliance', 'sender']
    """Category of the rule"""
    evidence: str | None
    """The text that matched, at most 120 characters"""
    count: int
    """Count or size"""
    strength: Literal['strong', 'weak']
    """Weak findings count in full only together with strong ones"""


class EmailSpamCheckResultCategoryScores(TypedDict):
    subject: int
    """Subject"""
    phrases: int
    """Wording"""
    links: int
    """Links"""
    html: int
    """Markup"""
    obfuscation: int
    """Hidden or disguised text"""
    style: int
    """Style"""
    compliance: int
    """Duties of bulk mail"""
    sender: int
    """Sender"""


class EmailSpamCheckResultStats(TypedDict):
    words: int
    """Words"""
    characters: int
    """Characters"""
    links: int
    """Number of different links"""
    unique_domains: int
    """Number of different link domains"""
    images: int
    """Images without tracking pixels"""
    uppercase_percent: int
    """Capital letters, in percent of all letters that have case"""
    exclamation_marks: int
    """Exclamation marks"""
    html_text_percent: int | None
    """Visible characters, in percent of the bytes of the HTML"""
    subject_length: int
    """Length of the subject without Re: and tags, in characters"""


class EmailSpamCheckResult(TypedDict):
    spam_score: int
    """Higher is worse"""
    spam_risk: Literal['low', 'medium', 'high', 'critical']
    """By spam_score: medium from 15, high from 30, critical from 60"""
    inbox_likelihood: int
    """Estimate from spam_score alone"""
    grade: Literal['A+', 'A', 'B', 'C', 'D', 'F']
    """By spam_score: A+ up to 4, A up to 9, B up to 19, C up to 29, D up to 44"""
    findings: list[EmailSpamCheckResultFindings]
    """Rules that matched, sorted by points"""
    category_scores: EmailSpamCheckResultCategoryScores
    """Points of each category after the caps"""
    counted_points: int
    """Sum before the limit of 100. Weak findings together count at most 14, 24 or 45, by the number of strong ones; in a body of more than 400 words 8, 16 or 30"""
    input_kind: Literal['text', 'html', 'raw']
    """Format that body was read as"""
    stats: EmailSpamCheckResultStats
    """Counts of the visible content"""
    rules_checked: int
    """Number of rules that apply to this input"""


class EmailValidatorRequest(TypedDict):
    email: str
    """Also Name <address> or mailto:address; trimmed. An invalid address gets a verdict, not an error"""
    refresh: NotRequired[bool]
    """Do not use DNS results cached by earlier calls. Default: false"""


class EmailValidatorResultSignals(TypedDict):
    code: str
    """Name in the table of signals"""
    weight: int
    """Added to the score; negative if it speaks for the address"""
    message: str
    """Meaning"""


class EmailValidatorResultSyntax(TypedDict):
    valid: bool
    """Whether the syntax is valid for sending mail"""
    category: Literal['valid', 'rfc5321', 'cfws', 'deprecated', 'rfc5322', 'error']
    """rfc5321: unusual, but mail servers must accept it; cfws: has comments or blanks, valid in headers only; deprecated: obsolete form of RFC 5322; rfc5322: valid in a header, but not for mail servers; error: invalid"""
    diagnosis: str
    """Code of the worst problem"""
    message: str
    """Meaning of the diagnosis"""
    position: int | None
    """Index of the character with the worst problem, from 0; null if the address has no problem"""
    local_part: str | None
    """The part before the @, without quotes; null if invalid"""
    quoted: bool
    """Whether the local part needs quotes"""
    smtputf8: bool
    """Whether the local part is not ASCII, so that mail servers must support SMTPUTF8 (RFC 6531)"""
    display_name: str | None
    """Name before an address in angle brackets"""


class EmailValidatorResultDeliverability(TypedDict):
    mx: bool | None
    """Whether the domain has MX records; null if this was not queried or not answered"""
    null_mx: bool
    """Whether the domain declares that it accepts no mail (RFC 7505)"""
    implicit_mx: bool
    """Whether the domain has no MX record and its address is the mail server (RFC 5321)"""
    mx_hosts: list[str]
    """The first mail servers, at most 5, in order of preference"""
    provider: str | None
    """Mail provider, if known"""


class EmailValidatorResultFlags(TypedDict):
    disposable: bool
    """Whether the mailbox is disposable"""
    role: bool
    """Whether the local part names a role, not a person"""
    free_provider: bool
    """Whether a free mail provider hosts the mailbox"""
    relay_alias: bool
    """Whether it is a forwarding alias that its owner can turn off"""
    subaddressed: bool
    """Whether the local part has a tag"""
    typo: bool
    """Whether the domain looks like a typo"""
    gibberish: bool
    """Whether the local part looks random"""


class EmailValidatorResult(TypedDict):
    email: str
    """The email of the request, without white space around it"""
    domain: str
    """The domain in A-labels and lower case; for an invalid address, the text after the last @, or empty"""
    verdict: Literal['disposable', 'suspicious', 'legitimate']
    """disposable: a throwaway mailbox; otherwise suspicious from a score of 40, which includes undeliverable addresses"""
    score: int
    """Risk: the sum of the signals' weights, limited to 0 to 100"""
    signals: list[EmailValidatorResultSignals]
    """Reasons for and against the address, the heaviest first"""
    cached: bool
    """Whether the DNS results come from an earlier call, up to 6 hours ago, or 1 hour if the domain accepts no mail. False if no DNS query was needed"""
    normalized: str | None
    """The address without comments and unneeded quotes, its domain in A-labels; null if invalid"""
    canonical: str | None
    """Identical for all addresses known to reach the same mailbox: in lower case, without tag, by the provider's rules. Use it for comparison, not for sending; null if invalid"""
    suggestion: str | None
    """The address that was probably intended"""
    syntax: EmailValidatorResultSyntax
    """Syntax of the address"""
    deliverability: EmailValidatorResultDeliverability
    """DNS results"""
    flags: EmailValidatorResultFlags
    """Summary of the signals"""


class EmailValidatorBulkRequest(TypedDict):
    emails: list[str]
    """As email-validator accepts them. An empty one, or one over 1,000 characters, is invalid"""


class EmailValidatorBulkResultResultsSignals(TypedDict):
    code: str
    """Name in the table of signals"""
    weight: int
    """Added to the score"""
    message: str
    """Meaning"""


class EmailValidatorBulkResultResults(TypedDict):
    email: str
    """The address of the request, without white space around it"""
    domain: str
    """The domain in A-labels and lower case; for an invalid address, the text after the last @, or empty"""
    verdict: Literal['disposable', 'suspicious', 'legitimate']
    """As in email-validator"""
    score: int
    """Risk: the sum of the signals' weights, limited to 0 to 100"""
    signal_count: int
    """Number of signals"""
    signals: list[EmailValidatorBulkResultResultsSignals]
    """Reasons for and against the address, the heaviest first; the page of email-validator has the table"""
    suggestion: str | None
    """The address that was probably intended"""
    syntax_valid: bool
    """Whether the syntax is valid for sending mail"""
    cached: bool
    """Whether the DNS results come from an earlier call"""
    duplicate_of: int | None
    """Index of the first address that reaches the same mailbox, from 0; null if this is the first"""


class EmailValidatorBulkResult(TypedDict):
    total: int
    """Number of addresses in the request"""
    disposable: int
    """Number with this verdict"""
    suspicious: int
    """Number with this verdict"""
    legitimate: int
    """Number with this verdict"""
    results: list[EmailValidatorBulkResultResults]
    """One entry for each address, in order"""
    unique_domains: int
    """Number of different domains looked up"""
    partial: bool
    """Whether a domain's name servers did not answer in time, so its addresses were checked without DNS results"""


class ExposedFilesRequest(TypedDict):
    url: str
    """A site that you own; path ignored"""


class ExposedFilesResultSeverityCounts(TypedDict):
    critical: int
    """Critical paths"""
    high: int
    """Paths of high severity"""
    medium: int
    """Paths of medium severity"""
    low: int
    """Paths of low severity"""


class ExposedFilesResultExposed(TypedDict):
    path: str
    """Path relative to base_url"""
    status: Literal[200, 206]
    """HTTP status; 206 if the site sent only the requested range"""
    exposed: Literal[True]
    """Always true in this list"""
    severity: Literal['critical', 'high', 'medium', 'low']
    """Severity of the path, raised if the content has a secret such as a password"""
    type: str
    """environment, repository, credentials, backup, config, debug, database, server-status, log or metadata"""
    confidence: Literal['high', 'medium']
    """medium if the site returns 200 for every path"""
    evidence: str
    """How the file was recognized; never quotes its content"""
    content_type: str
    """Content-Type header; empty if missing"""
    size: int | None
    """Size of the whole file in bytes; null if the site does not send it"""


class ExposedFilesResultChecked(TypedDict):
    path: str
    """Path relative to base_url"""
    status: int | None
    """HTTP status; null if the site sent no response"""
    outcome: Literal['exposed', 'absent', 'blocked', 'soft_404', 'no_match', 'error', 'redirect']
    """blocked: 401 or 403; soft_404: similar to the site's responses for paths that cannot exist; no_match: a file exists, but not the sensitive content expected there; error: no response, 429 or 5xx"""


class ExposedFilesResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    checked_paths: int
    """Number of paths requested"""
    exposed_count: int
    """Number of entries in exposed"""
    severity_counts: ExposedFilesResultSeverityCounts
    """Exposed paths by severity"""
    soft_404_detected: bool
    """Whether the site returns 200 for paths that cannot exist; pages similar to those responses count as absent"""
    exposed: list[ExposedFilesResultExposed]
    """Files that anyone can read, the most severe first"""
    checked: list[ExposedFilesResultChecked]
    """Every path requested"""
    base_url: str
    """The scanned site"""
    tls_verified: bool | None
    """Whether the certificate is trusted and matches the host; null for http"""
    waf_suspected: bool
    """Whether the site also returns 403 for paths that cannot exist"""
    partial: bool
    """Whether some paths were skipped: time ran out, or five requests in a row got no response"""
    scanned_at: str
    """Start of the scan, in UTC"""


class HashGenerateRequest(TypedDict):
    input: str
    """Hashed byte for byte; may be empty"""
    algorithm: NotRequired[str]
    """MD5, SHA-1, SHA-224/256/384/512, SHA-512/224, SHA-512/256, SHA3-224/256/384/512, BLAKE2b-512, BLAKE2s-256, RIPEMD-160, Keccak-256, CRC-32, CRC-32C, xxHash32 or xxHash64. Default: SHA-256"""
    algorithms: NotRequired[list[str]]
    """More algorithms, each computed once"""
    expected: NotRequired[str]
    """Hash to compare with, in hex or Base64, also as sha256:… or with a file name"""
    key: NotRequired[str]
    """Key for HMAC; may be empty"""
    key_encoding: NotRequired[Literal['utf8', 'hex', 'base64']]
    """Of key. Default: "utf8" """
    input_encoding: NotRequired[Literal['utf8', 'hex', 'base64']]
    """Of input; base64 in either alphabet. Default: "utf8" """


class HashGenerateResultWarnings(TypedDict):
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class HashGenerateResultHashes(TypedDict):
    algorithm: str
    """Name of the algorithm"""
    hash: str
    """Lowercase hex digits"""
    hash_base64: str
    """The hash in Base64 with padding"""
    matches: NotRequired[bool]
    """Whether it is the expected one"""


class HashGenerateResult(TypedDict):
    algorithm: str
    """Name of the algorithm used, such as SHA-256 or HMAC-SHA-256"""
    hash: str
    """Lowercase hex digits"""
    input_length: int
    """Characters (code points) of input as received"""
    input_bytes: int
    """Number of bytes hashed"""
    hash_base64: str
    """The hash in Base64 with padding"""
    matches: NotRequired[bool]
    """Whether the hash is the expected one; present if expected was given"""
    warnings: list[HashGenerateResultWarnings]
    """Weaknesses of an algorithm or the key, and an expected hash of the wrong length"""
    hashes: NotRequired[list[HashGenerateResultHashes]]
    """One hash for each algorithm, in the order requested; present if algorithms was given"""


class JsonToCodeRequest(TypedDict):
    sample: NotRequired[Any]
    """Any JSON value, or JSON as text"""
    samples: NotRequired[list[Any]]
    """Several values of one type, instead of sample"""
    targets: NotRequired[str | list[str]]
    """json-schema, typescript, go, python, rust, kotlin, zod, java, csharp, php. Default: the first six"""
    enums: NotRequired[bool]
    """Enums for texts with 2 to 12 values of up to 32 characters, each used twice on average; not in Go. Default: false"""
    date_times: NotRequired[bool]
    """Date types for RFC 3339 times in Go, Python, Java and Zod. Default: false"""
    maps: NotRequired[list[str]]
    """JSON pointers to objects whose names are data: /rates, /users/*/scores"""
    package_name: NotRequired[str]
    """Package of Go (last part), Java and Kotlin; namespace of C# and PHP"""
    root_name: NotRequired[str]
    """Outermost type; converted to PascalCase. Default: "Root" """


class JsonToCodeResultTypes(TypedDict):
    name: str
    """Name in the code, equal for all targets"""
    path: str
    """First occurrence, such as $.orders[].customer"""
    fields: int
    """Number of fields"""


class JsonToCodeResultNotes(TypedDict):
    path: str
    """Place in the sample, such as $.orders[].customer; .* for the values of a map, … for what is cut"""
    code: str
    """Stable code; the tool's page lists all"""
    message: str
    """The note in English"""


class JsonToCodeResult(TypedDict):
    root_name: str
    """Name used for the outermost type"""
    targets: list[str]
    """Names of the targets, in the order listed in the request's description"""
    types_generated: int
    """Number of named types, equal for all targets: each object, and always the outermost type"""
    code: dict[str, Any]
    """Source code by target name; JSON for json-schema"""
    types: list[JsonToCodeResultTypes]
    """The named types, in the order of the sample"""
    notes: list[JsonToCodeResultNotes]
    """What the code cannot express or expresses in an unexpected way"""
    truncated: bool
    """True if there were more than 200 notes"""


class JwtDecodeRequest(TypedDict):
    token: str
    """JWS, JWE or SD-JWT, also as pasted"""
    at: NotRequired[int | str]
    """Time to check at, Unix seconds or ISO 8601. Default: now"""
    key: NotRequired[str]
    """To verify: HMAC secret, PEM, JWK, JWK set or OpenSSH public key"""
    key_encoding: NotRequired[Literal['utf8', 'base64', 'base64url', 'hex']]
    """Of an HMAC secret"""
    payload: NotRequired[str]
    """Detached payload, as signed"""
    payload_encoding: NotRequired[Literal['utf8', 'base64']]
    """Of payload; base64 in either alphabet. Default: "utf8" """


class JwtDecodeResultWarnings(TypedDict):
    code: str
    """Stable code; the tool's page lists all"""
    severity: Literal['critical', 'high', 'medium', 'low', 'info']
    """From critical down to info"""
    message: str
    """The warning in English"""
    claim: str | None
    """The parameter or claim concerned"""


class JwtDecodeResultDisclosures(TypedDict):
    name: str | None
    """The claim; null for an item of a list"""
    value: Any
    """The value; null if the disclosure is invalid"""
    digest: str
    """In base64url"""
    signed: bool
    """True if the digest is in the token"""


class JwtDecodeResultKeyBinding(TypedDict):
    header: dict[str, Any]
    """Of the binding token"""
    payload: dict[str, Any]
    """Of the binding token"""
    sd_hash_valid: bool
    """True if sd_hash is the digest of what precedes"""


class JwtDecodeResultPasted(TypedDict):
    form: Literal['quotes', 'header', 'parameter', 'json', 'text']
    """What is around the token"""
    name: str | None
    """Name of the header field, parameter or member"""
    others: int
    """More tokens, which are ignored; access_token is preferred"""


class JwtDecodeResultSegments(TypedDict):
    header: str
    """In base64url; for a token in JSON its protected header, which may be empty"""
    payload: str
    """In base64url, unless b64 is false; empty for a JWE and if detached"""
    signature: str
    """In base64url; empty for a JWE and for an unsigned token"""


class JwtDecodeResultEncryptedParts(TypedDict):
    encrypted_key_bytes: int
    """Encrypted content key; 0 if the token has no key"""
    iv_bytes: int
    """Initialization vector"""
    ciphertext_bytes: int
    """Encrypted content"""
    tag_bytes: int
    """Authentication tag"""


class JwtDecodeResultNested(TypedDict):
    header: dict[str, Any]
    """As in the inner token"""
    payload: dict[str, Any]
    """As in the inner token; empty if it is encrypted, detached or not a JSON object"""


class JwtDecodeResultSignatures(TypedDict):
    header: dict[str, Any]
    """Protected and unprotected members together; empty if it cannot be read"""
    signature_bytes: int
    """Decoded length"""
    signature_verified: bool | None
    """null if not checked"""


class JwtDecodeResult(TypedDict):
    header: dict[str, Any]
    """As in the token; for a token in JSON, its protected and unprotected members together"""
    payload: dict[str, Any]
    """As in the token, or as sent separately; empty if it is encrypted, detached and not sent, or not a JSON object"""
    expired: bool
    """True if exp has passed"""
    warnings: list[JwtDecodeResultWarnings]
    """Sorted by severity, then code; at most 20 of one code"""
    risk: Literal['critical', 'high', 'medium', 'low', 'info', 'none']
    """The highest severity"""
    disclosures: NotRequired[list[JwtDecodeResultDisclosures]]
    """Of an SD-JWT; the first 100"""
    key_binding: NotRequired[JwtDecodeResultKeyBinding | None]
    """The token at the end of an SD-JWT; its signature is not checked"""
    pasted: NotRequired[JwtDecodeResultPasted]
    """Where in the text the token was found; present if the text has more"""
    truncated: NotRequired[bool]
    """Present if there were more warnings"""
    type: Literal['JWS', 'JWE', 'unsecured']
    """JWE if encrypted; unsecured with alg none and an empty signature; else JWS"""
    algorithm: str | None
    """alg"""
    algorithm_description: str | None
    """null for an unknown algorithm"""
    key_id: str | None
    """kid"""
    token_type: str | None
    """typ"""
    issuer: str | None
    """iss"""
    subject: str | None
    """sub"""
    audience: list[str]
    """aud, always as a list"""
    jwt_id: str | None
    """jti"""
    issued_at: str | None
    """iat; null if it is missing or not a time in the years 1 to 9999"""
    not_before: str | None
    """nbf; null as for issued_at"""
    expires_at: str | None
    """exp; null as for issued_at"""
    expires_in_seconds: float | None
    """Negative once the token has expired"""
    age_seconds: float | None
    """Since iat"""
    lifetime_seconds: float | None
    """From iat, else nbf, to exp"""
    active: bool | None
    """True if the time is within nbf and exp; null if the claims cannot be read"""
    signature: str
    """As in the token, in base64url"""
    signature_bytes: int
    """Length of the decoded signature; 0 without a signature and for a JWE"""
    signature_verified: bool | None
    """null if not checked. With several signatures, true if one of them is valid; `signatures` says which. No other field says whether the token is genuine"""
    segments: JwtDecodeResultSegments
    """The parts as in the token"""
    payload_detached: NotRequired[bool]
    """Present if the payload is not in the token"""
    payload_text: NotRequired[str]
    """The payload, if it is text but not a JSON object"""
    payload_base64: NotRequired[str]
    """The payload, if it is not text"""
    encrypted: NotRequired[bool]
    """Present for a JWE"""
    enc: NotRequired[str | None]
    """Content encryption algorithm of a JWE"""
    encrypted_parts: NotRequired[JwtDecodeResultEncryptedParts]
    """Decoded lengths of the other parts of a JWE; present for a JWE"""
    nested: NotRequired[JwtDecodeResultNested]
    """The token inside the token"""
    signature_count: NotRequired[int]
    """Number of signatures or recipients of a token in JSON"""
    signatures: NotRequired[list[JwtDecodeResultSignatures]]
    """The first 16 signatures; present if there are several"""


class OpenapiValidateRequestIgnore(TypedDict):
    rule: NotRequired[str]
    """Rule or change id"""
    path: NotRequired[str]
    """JSON pointer"""
    until: NotRequired[str]
    """Last day"""
    reason: NotRequired[str]
    """Your note"""


class OpenapiValidateRequest(TypedDict):
    spec: NotRequired[str | dict[str, Any]]
    """JSON or YAML text, or an object; wins over url"""
    url: NotRequired[str]
    """URL of the document, or with spec, the base for resolve"""
    resolve: NotRequired[bool]
    """Also check referenced documents of the same origin. Default: false"""
    previous: NotRequired[str | dict[str, Any]]
    """Earlier version to compare with"""
    previous_url: NotRequired[str]
    """Its URL, instead of previous"""
    ignore: NotRequired[list[OpenapiValidateRequestIgnore]]
    """Findings and changes to leave out; they still count"""
    severity: NotRequired[dict[str, Any]]
    """Level by rule or change id: error, warning or info"""
    accepted: NotRequired[list[str]]
    """Fingerprints of changes to leave out; []: return them"""
    changelog: NotRequired[bool]
    """Return Markdown too. Default: false"""


class OpenapiValidateResultErrors(TypedDict):
    path: str
    """JSON pointer; empty for the whole document"""
    message: str
    """The finding, in a sentence"""
    rule: str
    """Stable name of the rule"""
    line: int
    """Line in the submitted text, from 1; 0 if it has none"""
    column: int
    """Column in characters, from 1"""
    document: NotRequired[str]
    """Only with resolve: URL of the document, if it is not the first one"""


class OpenapiValidateResultWarnings(TypedDict):
    path: str
    """JSON pointer; empty for the whole document"""
    message: str
    """The finding, in a sentence"""
    rule: str
    """Stable name of the rule"""
    line: int
    """Line in the submitted text, from 1; 0 if it has none"""
    column: int
    """Column in characters, from 1"""
    document: NotRequired[str]
    """Only with resolve: URL of the document, if it is not the first one"""


class OpenapiValidateResultStats(TypedDict):
    paths: int
    """Entries of paths, without extensions (x-)"""
    operations: int
    """Operations under paths"""
    schemas: int
    """Named schemas"""
    servers: int
    """Servers of the root; for Swagger 2.0, the schemes of its host, at least 1"""
    operations_by_method: dict[str, Any]
    """Number of operations by lower-case method, without additionalOperations"""
    has_security: bool
    """Whether a security scheme or a security requirement exists"""
    webhooks: int
    """Entries of webhooks, without extensions (x-)"""
    callbacks: int
    """Callback definitions; a $ref does not count"""
    parameters: int
    """Parameter definitions; a $ref does not count"""
    responses: int
    """Response definitions; a $ref does not count"""
    tags: int
    """Tags declared at the root"""
    security_schemes: int
    """Security scheme definitions"""
    deprecated_operations: int
    """Deprecated operations under paths"""
    refs: int
    """Every $ref and $dynamicRef, including those into other documents"""
    external_refs: int
    """References into other documents that were not read"""


class OpenapiValidateResultHints(TypedDict):
    path: str
    """JSON pointer; empty for the whole document"""
    message: str
    """The finding, in a sentence"""
    rule: str
    """Stable name of the rule"""
    line: int
    """Line in the submitted text, from 1; 0 if it has none"""
    column: int
    """Column in characters, from 1"""
    document: NotRequired[str]
    """Only with resolve: URL of the document, if it is not the first one"""


OpenapiValidateResultBreakingChanges = TypedDict('OpenapiValidateResultBreakingChanges', {
    'id': 'str',
    'level': "Literal['error', 'warning']",
    'method': 'str',
    'path': 'str',
    'location': 'str',
    'message': 'str',
    'operation_id': 'str',
    'from': 'str | None',
    'to': 'str | None',
    'witness': 'NotRequired[str | None]',
    'witness_note': 'NotRequired[str]',
    'fingerprint': 'NotRequired[str]',
})


OpenapiValidateResultNonBreakingChanges = TypedDict('OpenapiValidateResultNonBreakingChanges', {
    'id': 'str',
    'level': "Literal['info']",
    'method': 'str',
    'path': 'str',
    'location': 'str',
    'message': 'str',
    'operation_id': 'str',
    'from': 'str | None',
    'to': 'str | None',
    'fingerprint': 'NotRequired[str]',
})


class OpenapiValidateResultDiffSummary(TypedDict):
    breaking: bool
    """Whether errors or warnings are left, after accepted and ignored ones"""
    errors: int
    """Changes of level error, including those beyond the first 500"""
    warnings: int
    """Changes of level warning, including those beyond the first 500"""
    infos: int
    """Changes of level info, including those beyond the first 500"""
    previous_version: str
    """The api_version of previous; empty if missing"""
    current_version: str
    """The api_version of the document; empty if missing"""
    accepted: NotRequired[int]
    """Present with accepted; number of accepted changes"""
    ignored: NotRequired[int]
    """Present with ignore; number of ignored changes"""
    truncated: bool
    """Whether a list was cut, or some parts could not be compared"""


class OpenapiValidateResultIgnored(TypedDict):
    errors: int
    """Ignored errors"""
    warnings: int
    """Ignored warnings"""
    hints: int
    """Ignored hints"""
    expired: int
    """Entries of ignore that no longer apply"""


class OpenapiValidateResult(TypedDict):
    source: Literal['inline', 'url']
    """Source of the document: inline for spec, url if it was fetched"""
    format: Literal['json', 'yaml']
    """Format that it was parsed as"""
    version: str
    """Value of "openapi" or "swagger"; empty if missing"""
    valid: bool
    """False if there are errors, also those that ignore or severity change"""
    error_count: int
    """Total number of errors, including those beyond the first 500"""
    warning_count: int
    """Total number of warnings, including those beyond the first 500"""
    errors: list[OpenapiValidateResultErrors]
    """The first 500, in document order"""
    warnings: list[OpenapiValidateResultWarnings]
    """The first 500, in document order"""
    stats: OpenapiValidateResultStats
    """All 0 or false if the document cannot be parsed or its version is unknown"""
    title: str
    """Title in info; empty if missing"""
    api_version: str
    """API version in info; empty if missing"""
    specification: Literal['openapi', 'swagger', '']
    """Which of the two keys the document has; empty if it has neither"""
    source_url: str
    """The URL in canonical form; empty for spec"""
    info_count: int
    """Number of hints"""
    hints: list[OpenapiValidateResultHints]
    """Suggestions, the first 500; they never make a document invalid"""
    truncated: bool
    """Whether a list was cut at 500, or the document was too large to be checked in full"""
    documents: NotRequired[list[str]]
    """Only with resolve: URLs of the other documents that were read, in reading order"""
    breaking_changes: NotRequired[list[OpenapiValidateResultBreakingChanges]]
    """Only with previous or previous_url: changes that break callers, sorted by path, method and id, the first 500. A request that requires less, or a response that guarantees more, is not breaking"""
    non_breaking_changes: NotRequired[list[OpenapiValidateResultNonBreakingChanges]]
    """Only with previous or previous_url: all other changes, the first 500"""
    diff_summary: NotRequired[OpenapiValidateResultDiffSummary]
    """Only with previous or previous_url: number of changes by level"""
    changelog: NotRequired[str]
    """Present with changelog: listed changes in Markdown, at most 256 KiB"""
    ignored: NotRequired[OpenapiValidateResultIgnored]
    """Present with ignore; these findings are included in the counts"""


class PasswordStrengthRequest(TypedDict):
    password: str
    """Not stored or logged. The first 128 characters are rated"""
    user_inputs: NotRequired[list[str]]
    """Names, addresses and the like that make it weaker, likeliest first"""


class PasswordStrengthResultCrackTimesDisplay(TypedDict):
    online_throttled: str
    """At a sign-in that limits attempts, 100 guesses an hour"""
    online_unthrottled: str
    """At a sign-in without a limit, 10 guesses a second"""
    offline_slow: str
    """With a stolen slow hash such as bcrypt, 10^4 guesses a second"""
    offline_fast: str
    """With a stolen fast hash, 10^10 guesses a second"""


class PasswordStrengthResultCrackTimesSeconds(TypedDict):
    online_throttled: float
    """At a sign-in that limits attempts, 100 guesses an hour"""
    online_unthrottled: float
    """At a sign-in without a limit, 10 guesses a second"""
    offline_slow: float
    """With a stolen slow hash such as bcrypt, 10^4 guesses a second"""
    offline_fast: float
    """With a stolen fast hash, 10^10 guesses a second"""


class PasswordStrengthResultCharacterClasses(TypedDict):
    lowercase: int
    """a to z"""
    uppercase: int
    """A to Z"""
    digits: int
    """0 to 9"""
    symbols: int
    """Other ASCII characters"""
    unicode: int
    """Characters outside ASCII"""


class PasswordStrengthResultPatterns(TypedDict):
    type: Literal['bruteforce', 'dictionary', 'spatial', 'repeat', 'sequence', 'recent_year', 'date']
    """Kind of part: spatial is a path on a keyboard, bruteforce fits no other kind"""
    start: int
    """Position of its first character (code point), from 0"""
    length: int
    """Characters (code points)"""
    guesses_log10: float
    """Guesses for this part as a power of ten, to two decimals"""
    dictionary: NotRequired[Literal['passwords', 'english', 'female_names', 'surnames', 'tv_and_film', 'male_names', 'other_languages', 'user_inputs']]
    """The list that contains the word; present if type is dictionary. other_languages are Arabic, Chinese, French, German, Indonesian, Italian, Japanese, Portuguese, Russian and Spanish, also without accents, in Latin letters or typed with the wrong keyboard layout"""
    rank_band: NotRequired[Literal['top 10', 'top 100', 'top 1000', 'top 10000', 'beyond 10000']]
    """Rank of the word in that list; present if type is dictionary"""


class PasswordStrengthResult(TypedDict):
    score: int
    """0 to 4: fewer than about 10^3, 10^6, 10^8, 10^10 guesses, or more; at most 1 with score_limit"""
    label: Literal['very weak', 'weak', 'fair', 'strong', 'very strong']
    """The score in words: very weak is 0, very strong 4"""
    entropy_bits: float
    """Guesses as a power of two"""
    crack_time_display: str
    """With a stolen slow hash, 10^4 guesses a second"""
    suggestions: list[str]
    """Empty from score 3"""
    warning: str
    """What weakens the longest part, or empty"""
    guesses: float
    """Estimated number of guesses"""
    guesses_log10: float
    """Guesses as a power of ten, to two decimals"""
    crack_times_display: PasswordStrengthResultCrackTimesDisplay
    """At 100 guesses an hour, 10 a second, 10^4 a second and 10^10 a second"""
    crack_times_seconds: PasswordStrengthResultCrackTimesSeconds
    """The same times in seconds, not rounded"""
    length: int
    """Characters (code points)"""
    character_classes: PasswordStrengthResultCharacterClasses
    """Characters of each kind in the whole password"""
    patterns: list[PasswordStrengthResultPatterns]
    """The parts that an attacker would combine; never their text"""
    score_limit: NotRequired[Literal['user_inputs', 'names', 'common', 'street', 'repeat']]
    """Present if score is at most 1, whatever guesses is: the password is only made of user_inputs, names, a common password, a street or a repeated word, with digits and marks"""


class PerformanceAuditRequest(TypedDict):
    url: str
    """Page to measure; default scheme https, or http if https is rejected"""
    max_resources: NotRequired[int]
    """Resources to fetch; 0 for the page only. Default: 60"""
    samples: NotRequired[int]
    """Timed fetches of the page, each over a new connection. Default: 3"""
    browser: NotRequired[bool]
    """Whether to also load the page in a browser, for a screenshot, Web Vitals and accessibility, with more connections to the site. The visit has up to 15 seconds within the time limit; the other measurements end 8 seconds earlier. Default: false"""
    format: NotRequired[Literal['json', 'html']]
    """html: a self-contained report page. Default: "json" """


class PerformanceAuditResultTimings(TypedDict):
    dns_ms: float
    """DNS lookup"""
    tcp_ms: float
    """TCP connect"""
    tls_ms: float | None
    """TLS handshake; null for plain http"""
    server_wait_ms: float
    """From the request to the first byte"""
    download_ms: float
    """From the first byte to the last"""
    total_ms: float
    """Everything, including redirects"""
    redirect_ms: float
    """All redirects before the page"""
    ttfb_ms: float
    """Time to first byte without redirects: DNS, TCP, TLS and server wait"""
    samples: list[dict[str, Any]]
    """One per sample: {dns_ms, tcp_ms, tls_ms, server_wait_ms, download_ms, total_ms, redirect_ms, ttfb_ms}; redirects are measured once"""


class PerformanceAuditResultHttp(TypedDict):
    version: Literal['1.0', '1.1', '2', '3']
    """HTTP version"""
    tls_version: str | None
    """Such as TLSv1.3; null for plain http"""
    alpn: str | None
    """Negotiated ALPN protocol: h2 or http/1.1"""
    h3_advertised: bool
    """Whether Alt-Svc offers HTTP/3"""
    content_encoding: str | None
    """Compression of the page; null if uncompressed"""
    server: str | None
    """The Server header"""
    keep_alive: bool
    """Whether the connection can be reused"""
    status: int
    """HTTP status of the page"""
    early_hints: bool
    """Whether a 103 response came first"""
    tls_verified: bool
    """Whether the page came over HTTPS with a trusted certificate"""


class PerformanceAuditResultPageByType(TypedDict):
    html: NotRequired[dict[str, Any]]
    """Pages"""
    css: NotRequired[dict[str, Any]]
    """Style sheets"""
    javascript: NotRequired[dict[str, Any]]
    """Scripts"""
    image: NotRequired[dict[str, Any]]
    """Images"""
    font: NotRequired[dict[str, Any]]
    """Fonts"""
    media: NotRequired[dict[str, Any]]
    """Video and audio; only the headers are requested"""
    json: NotRequired[dict[str, Any]]
    """Data"""
    other: NotRequired[dict[str, Any]]
    """Everything else"""


class PerformanceAuditResultPageThirdParty(TypedDict):
    requests: int
    """Number of requests"""
    transfer_bytes: int
    """Headers and bodies as sent"""
    domains: list[str]
    """Third-party domains, at most 50"""


class PerformanceAuditResultPageHtml(TypedDict):
    transfer_bytes: int
    """Headers and body as sent, including redirects"""
    decoded_bytes: int
    """Body after decompression"""
    elements: int
    """Number of start tags"""
    max_depth: int
    """Nesting depth; elements with an optional end tag, such as p and li, do not count"""
    inline_script_bytes: int
    """Scripts in the markup"""
    inline_style_bytes: int
    """Styles in the markup"""


class PerformanceAuditResultPage(TypedDict):
    transfer_bytes: int
    """Headers and bodies as sent"""
    decoded_bytes: int
    """Bodies after decompression"""
    requests: int
    """Requests that a browser would make for the markup and style sheets"""
    failed_requests: int
    """Measured requests without a response or with a status of 400 or more"""
    measured_requests: int
    """Requests made by this tool"""
    lazy_images: int
    """Images after the fifth with loading=lazy; not fetched and not in the totals"""
    by_type: PerformanceAuditResultPageByType
    """Totals by resource type: {requests, transfer_bytes, decoded_bytes}"""
    third_party: PerformanceAuditResultPageThirdParty
    """Resources from domains of other owners than the page's"""
    html: PerformanceAuditResultPageHtml
    """The page itself"""
    truncated: bool
    """Whether the page loads more than was measured: over max_resources, 40 hosts or 15 MiB, or a resource over 2 MiB as sent or 8 MiB decompressed"""


class PerformanceAuditResultChecksItems(TypedDict):
    url: str
    """URL of the resource"""
    value: str
    """Measured value; may be empty"""
    note: str | None
    """Remark"""


class PerformanceAuditResultChecks(TypedDict):
    id: str
    """Stable name; the tool's page lists all"""
    name: str
    """Its title"""
    category: Literal['server', 'weight', 'transfer', 'rendering', 'images']
    """Group of the check"""
    status: Literal['pass', 'warn', 'fail', 'info']
    """pass: score of 90 or more; warn: 50 or more; fail: below 50; info: not applicable to the page"""
    severity: Literal['info', 'low', 'medium', 'high']
    """By the points that it costs in the total score: high from 6, medium from 2.5"""
    score: int
    """Score of the check"""
    weight: int
    """Weight in percent"""
    detail: str
    """What was found"""
    fix: str
    """What to do"""
    items: list[PerformanceAuditResultChecksItems]
    """Resources concerned, at most 10"""


class PerformanceAuditResultOpportunities(TypedDict):
    id: str
    """Stable name; the tool's page lists all"""
    title: str
    """What to do"""
    savings_bytes: int
    """Estimated bytes saved per view; for caching, per return visit"""
    savings_ms: int
    """Estimated milliseconds saved at 10 Mbit/s"""
    how: str
    """How the saving is estimated"""


class PerformanceAuditResultRedirects(TypedDict):
    url: str
    """URL that redirects"""
    status: int
    """HTTP status"""
    location: str
    """Target of the redirect"""
    ms: float
    """Duration in milliseconds"""


class PerformanceAuditResultResources(TypedDict):
    url: str
    """URL in canonical form, truncated to 1,000 characters"""
    type: Literal['html', 'css', 'javascript', 'image', 'font', 'media', 'json', 'other']
    """Resource type"""
    status: int | None
    """HTTP status; null without a response"""
    transfer_bytes: int
    """Headers and body as sent, including redirects"""
    decoded_bytes: int
    """Body after decompression"""
    content_encoding: str | None
    """Compression; null if uncompressed"""
    mime_type: str | None
    """Media type"""
    cache_control: str | None
    """Cache-Control header"""
    cache_ttl_seconds: int | None
    """Seconds that browsers cache it; null if the headers do not say"""
    render_blocking: bool
    """Whether it blocks rendering"""
    third_party: bool
    """Whether its domain has another owner than the page's"""
    lazy: bool
    """Whether it is an image that loads on demand; such images are not fetched"""
    http_version: str | None
    """HTTP version"""
    ms: float | None
    """Duration in milliseconds"""
    error: str | None
    """Why no response came"""


class PerformanceAuditResultBrowserMetrics(TypedDict):
    id: Literal['largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time', 'first-contentful-paint', 'time-to-first-byte', 'load']
    """Stable name"""
    name: str
    """Its title"""
    value: float | None
    """Measured value; null if it did not happen before the measurement"""
    unit: Literal['ms', 'score']
    """ms: milliseconds; score: without a unit"""
    rating: Literal['good', 'needs-improvement', 'poor', None]
    """By the limits of web.dev, and of Lighthouse for total blocking time; null for load"""


class PerformanceAuditResultBrowserAccessibilityViolations(TypedDict):
    id: str | None
    """Rule of axe-core"""
    impact: Literal['minor', 'moderate', 'serious', 'critical', None]
    """How much it hinders people"""
    help: str | None
    """What the rule requires"""
    help_url: str | None
    """Page that explains the rule"""
    nodes: int
    """Elements that violate it"""
    examples: list[str]
    """Markup of the first elements, at most 3"""


class PerformanceAuditResultBrowserAccessibility(TypedDict):
    axe_version: str | None
    """Version of axe-core"""
    passed: int
    """Rules that the page follows"""
    unclear: int
    """Rules that only a person can check"""
    violation_count: int
    """Rules that the page violates"""
    violations: list[PerformanceAuditResultBrowserAccessibilityViolations]
    """The violated rules, at most 50"""


class PerformanceAuditResultBrowser(TypedDict):
    status: Literal['ok', 'failed', 'not_set_up']
    """not_set_up: this server has no browser service"""
    reason: str | None
    """Why the page could not be measured"""
    final_url: str | None
    """URL that the browser showed"""
    http_status: int | None
    """HTTP status of that document"""
    duration_ms: int
    """Duration of the visit in milliseconds"""
    metrics: list[PerformanceAuditResultBrowserMetrics]
    """Metrics of one visit, always in the same order; empty without measurements"""
    largest_element: str | None
    """Tag of the element of the largest contentful paint"""
    accessibility: PerformanceAuditResultBrowserAccessibility | None
    """Rules of axe-core for WCAG 2.2 up to level AA; null without a result"""
    warnings: list[str]
    """Limits of the measurements"""


class PerformanceAuditResultScreenshot(TypedDict):
    b64_json: str
    """The image in Base64, at most 300 KB before encoding"""
    mime_type: Literal['image/webp']
    """Media type"""
    width: int
    """In pixels"""
    height: int
    """In pixels"""


class PerformanceAuditResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    final_url: str
    """URL after redirects"""
    score: int
    """Weighted mean of the checks, minus 2 for each resource that fails to load (at most 10); at most 49 for a page with an error status or an untrusted certificate, and 69 if more than half of the requests fail"""
    grade: Literal['A+', 'A', 'B', 'C', 'D', 'F']
    """Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below. A+ also requires that no check fails"""
    summary: str
    """The result in a paragraph"""
    timings: PerformanceAuditResultTimings
    """Milliseconds, each the median of all samples"""
    http: PerformanceAuditResultHttp
    """The HTTP response of the page"""
    page: PerformanceAuditResultPage
    """What a view loads, including the page and its redirects, without lazy images"""
    checks: list[PerformanceAuditResultChecks]
    """The twelve checks, always in the same order"""
    opportunities: list[PerformanceAuditResultOpportunities]
    """Byte savings, the largest first; no byte is counted twice"""
    redirects: list[PerformanceAuditResultRedirects]
    """Redirects before the page, at most 10"""
    resources: list[PerformanceAuditResultResources]
    """Resources of the markup in document order, then those of the style sheets, at most 60"""
    method: Literal['static-crawl']
    """How the score is measured: reads the markup and style sheets; runs no scripts"""
    browser: PerformanceAuditResultBrowser | None
    """The page in Chromium, in a window of 1366 by 768 pixels, without throttling; null if not requested. It does not count in the score"""
    screenshot: list[PerformanceAuditResultScreenshot]
    """What the browser showed; empty without a browser"""
    partial: bool
    """Whether the measurement is incomplete: time ran out, or the site closed the connection"""
    warnings: list[str]
    """Limits of the measurement"""
    scanned_at: str
    """Start of the measurement, in UTC"""


class PlaceholderImageRequest(TypedDict):
    width: NotRequired[int]
    """Pixels. Default: from size, else height, else 600"""
    height: NotRequired[int]
    """Pixels. Default: from size, else width, else 400"""
    size: NotRequired[str]
    """600x400, or 300 for a square; sides 1 to 4000; @2x doubles the pixels"""
    bg_color: NotRequired[str]
    """#rgb, #rrggbb, #rgba, #rrggbbaa (# is optional), rgb(r,g,b), hsl(h,s%,l%), CSS name or transparent. Default: "#cccccc" """
    text_color: NotRequired[str]
    """Opaque. Default: one that is easy to read"""
    text: NotRequired[str]
    """Up to 10 lines, separated by newline or \\n; wraps; may be empty. Default: width × height"""
    font_size: NotRequired[int]
    """Pixels. Default: fits the image, at least 10"""
    font: NotRequired[Literal['sans', 'serif', 'mono']]
    """Font family. Default: "sans" """
    format: NotRequired[Literal['svg']]
    """Image format. Default: "svg" """


class QrGenerateRequest(TypedDict):
    text: NotRequired[str]
    """At most 7089 digits, 4296 capitals and digits, or 2953 bytes"""
    wifi: NotRequired[dict[str, Any]]
    """Instead of text: ssid, password, security (WPA, WEP, nopass), hidden"""
    vcard: NotRequired[dict[str, Any]]
    """name, first_name, last_name, organization, title, phone, email, url, note, street, city, region, postal_code, country"""
    epc: NotRequired[dict[str, Any]]
    """SEPA transfer: name, iban, amount, text or reference, bic"""
    geo: NotRequired[dict[str, Any]]
    """latitude, longitude"""
    tel: NotRequired[str]
    """Phone number"""
    otpauth: NotRequired[dict[str, Any]]
    """account, secret (Base32), issuer, type (totp, hotp), algorithm, digits, period, counter"""
    encoding: NotRequired[Literal['utf8', 'utf8-unmarked', 'iso-8859-1']]
    """utf8-unmarked omits the ECI header. Default: "utf8" """
    logo_area: NotRequired[bool]
    """Leaves the middle free, at error correction H. Default: false"""
    size: NotRequired[int]
    """Width and height in pixels, margin included. Default: 256"""
    format: NotRequired[str]
    """json, or svg or png for the image itself. Default: "json" """
    dark_color: NotRequired[str]
    """Opaque: #rgb, #rrggbb, rgb(r,g,b), hsl(h,s%,l%) or CSS name. Default: "#000000" """
    light_color: NotRequired[str]
    """As dark_color, #rgba, #rrggbbaa, transparent or none. Default: "#ffffff" """
    error_correction: NotRequired[str]
    """L, M, Q or H. Default: M, higher at the same code size, L if only that fits"""
    margin: NotRequired[int]
    """Quiet zone in modules; the standard requires 4. Default: 4"""


class QrGenerateResultLogoArea(TypedDict):
    x: float
    """Distance from the left"""
    y: float
    """Distance from the top"""
    side: float
    """Width and height"""


class QrGenerateResultWarnings(TypedDict):
    code: Literal['low_contrast', 'inverted', 'small_modules', 'quiet_zone_small', 'dense']
    """Stable code; the tool's page lists all"""
    message: str
    """The warning in English"""


class QrGenerateResult(TypedDict):
    svg: str
    """The image as SVG markup"""
    svg_base64: str
    """The SVG in Base64 with padding"""
    data_uri: str
    """The SVG as a data URI"""
    text: str
    """The encoded text"""
    size: int
    """Width and height in pixels"""
    version: int
    """QR version, which sets the number of modules; X-QR-Version with an image"""
    modules: int
    """Modules on each side, without the quiet zone"""
    error_correction: Literal['L', 'M', 'Q', 'H']
    """Level used; X-QR-Error-Correction with an image"""
    margin: int
    """Quiet zone in modules"""
    dark_color: str
    """As #rrggbb"""
    light_color: str
    """As #rrggbb or #rrggbbaa, or transparent"""
    module_size_px: float
    """Width of one module in pixels"""
    logo_area: NotRequired[QrGenerateResultLogoArea]
    """The free square in pixels; present if requested"""
    warnings: list[QrGenerateResultWarnings]
    """What may keep readers from scanning the code; with an image, X-QR-Warnings has the codes, separated by commas, if there are any"""


class SecurityHeadersRequest(TypedDict):
    url: str
    """Page to grade; default scheme https"""


class SecurityHeadersResultHeaders(TypedDict):
    header: str
    """Header name in its usual spelling"""
    present: bool
    """Whether the site sent it; redirects count for cookies, and preflight responses for Access-Control-Allow-Origin"""
    value: str
    """All lines as one list, truncated to 2048 bytes; cookies without their values"""
    rating: Literal['good', 'weak', 'bad', 'missing', 'info']
    """missing: the site should send it; info: not rated, or not needed"""
    recommendation: str
    """What to do; empty if the header is good"""


class SecurityHeadersResultRedirects(TypedDict):
    url: str
    """The URL that redirects"""
    status: int
    """Its HTTP status: 301, 302, 303, 307 or 308"""


SecurityHeadersResultChecks = TypedDict('SecurityHeadersResultChecks', {
    'name': "Literal['content-security-policy', 'strict-transport-security', 'redirection', 'cookies', 'cross-origin-resource-sharing', 'referrer-policy', 'subresource-integrity', 'x-content-type-options', 'x-frame-options', 'cross-origin-resource-policy', 'cross-origin-opener-policy', 'cross-origin-embedder-policy']",
    'result': 'str',
    'pass': 'bool',
    'score_modifier': 'int',
    'description': 'str',
})


class SecurityHeadersResultCspFindings(TypedDict):
    id: str
    """Name of the rule"""
    severity: Literal['high', 'medium', 'low', 'info', 'syntax']
    """syntax: browsers expect another syntax"""
    directive: str
    """The directive concerned, present or missing"""
    value: str
    """The source concerned; empty for the whole directive"""
    message: str
    """Meaning and remedy, in a sentence"""


class SecurityHeadersResultCsp(TypedDict):
    policies: list[str]
    """Each policy as received, in the order of the response, truncated to 2048 bytes"""
    directives: dict[str, Any]
    """For each directive, the sources that all policies together allow"""
    findings: list[SecurityHeadersResultCspFindings]
    """Weaknesses, without duplicates, at most 200"""


class SecurityHeadersResultCspReportOnlyFindings(TypedDict):
    id: str
    """Name of the rule"""
    severity: Literal['high', 'medium', 'low', 'info', 'syntax']
    """syntax: browsers expect another syntax"""
    directive: str
    """The directive concerned, present or missing"""
    value: str
    """The source concerned; empty for the whole directive"""
    message: str
    """Meaning and remedy, in a sentence"""


class SecurityHeadersResultCspReportOnly(TypedDict):
    policies: list[str]
    """Each policy as received, in the order of the response, truncated to 2048 bytes"""
    directives: dict[str, Any]
    """For each directive, the sources that all policies together allow"""
    findings: list[SecurityHeadersResultCspReportOnlyFindings]
    """Weaknesses, without duplicates, at most 200"""


class SecurityHeadersResultCookies(TypedDict):
    name: str
    """Cookie name; may be empty"""
    secure: bool
    """Whether browsers send it over HTTPS only"""
    http_only: bool
    """Whether scripts cannot read it"""
    same_site: Literal['', 'Lax', 'Strict', 'None', 'invalid']
    """SameSite attribute; empty if missing, invalid also for None without Secure"""
    domain: str
    """Domain attribute without a leading dot, or the host that set it; in lower case"""
    path: str
    """Browsers send it to this path and below"""
    findings: list[Literal['cookie-prefix-violated', 'cookie-domain-rejected', 'cookie-too-large', 'cookie-control-character', 'cookie-partitioned-without-secure']]
    """Why browsers reject it: it breaks the rules of its prefix (__Host-, __Secure-), the host may not set its domain, name and value exceed 4096 bytes or have control characters, or it is Partitioned but not Secure. A rejected cookie costs no points"""


class SecurityHeadersResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    grade: Literal['A+', 'A', 'A-', 'B+', 'B', 'B-', 'C+', 'C', 'C-', 'D+', 'D', 'D-', 'F']
    """Lowest scores, A+ to D-: 100, 90, 85, 80, 70, 65, 60, 50, 45, 40, 30 and 25; F below"""
    score: int
    """100 plus the points of the checks that count, clamped to 0 to 100"""
    headers: list[SecurityHeadersResultHeaders]
    """One entry per header, always the same headers in the same order"""
    scanned_at: str
    """Start of the scan, in UTC"""
    final_url: str
    """The graded page, the HTTPS one if available"""
    status_code: int
    """HTTP status of that page; error pages are graded too"""
    tls_verified: bool
    """Whether the page came over HTTPS with a trusted certificate"""
    redirects: list[SecurityHeadersResultRedirects]
    """Redirects of the http URL, then of the https URL, without duplicates"""
    checks: list[SecurityHeadersResultChecks]
    """The twelve checks of the score"""
    tests_passed: int
    """Checks with pass true"""
    tests_failed: int
    """Checks with pass false"""
    score_uncapped: int
    """The score before it is limited to 100"""
    csp: SecurityHeadersResultCsp
    """Content Security Policies in headers and meta tags"""
    csp_report_only: SecurityHeadersResultCspReportOnly
    """The same for report-only policies"""
    cookies: list[SecurityHeadersResultCookies]
    """Cookies set by the http and the https URL and not expired, at most 300, without their values. Browsers reject a cookie that has findings"""
    truncated: bool
    """Whether the page, the findings or the cookies exceeded their limit"""
    partial: bool
    """Whether the page arrived incomplete"""


class SeoAnalyzeRequest(TypedDict):
    url: str
    """Page to analyze; default scheme https"""
    pages: NotRequired[list[str]]
    """Pages of the site to compare with"""


class SeoAnalyzeResultFindings(TypedDict):
    name: str
    """Name of the factor, such as meta_description"""
    content: str
    """What was found; at most 300 characters and an ellipsis"""
    status: Literal['pass', 'warn', 'fail', 'info']
    """info is not scored"""
    recommendation: str
    """Empty for pass and info"""
    weight: int
    """Weight in the score, 0 to 10; 0 is never scored"""
    category: Literal['crawl', 'content', 'social', 'structured-data', 'technical']
    """Group of the factor; crawl: how search engines find the page; technical: how it is built and served"""


class SeoAnalyzeResultComparisonPages(TypedDict):
    url: str
    """URL in canonical form"""
    outcome: Literal['compared', 'disallowed', 'redirect', 'error', 'not_html', 'no_response', 'not_fetched']
    """disallowed: by robots.txt, or it cannot be read; error: status is not 200; not_fetched: time ran out"""
    status_code: int | None
    """HTTP status; null without a response"""
    title: str
    """Title; empty if missing"""


class SeoAnalyzeResultComparisonDuplicateTitles(TypedDict):
    title: str
    """The title"""
    urls: list[str]
    """Pages with this title"""


SeoAnalyzeResultComparisonMissingReturns = TypedDict('SeoAnalyzeResultComparisonMissingReturns', {
    'from': 'str',
    'to': 'str',
    'hreflang': 'str',
})


class SeoAnalyzeResultComparison(TypedDict):
    pages: list[SeoAnalyzeResultComparisonPages]
    """The analyzed page, then those of the request"""
    duplicate_titles: list[SeoAnalyzeResultComparisonDuplicateTitles]
    """Titles of several pages"""
    missing_returns: list[SeoAnalyzeResultComparisonMissingReturns]
    """hreflang links whose target does not link back, so search engines ignore them"""
    unchecked_versions: int
    """hreflang links to pages that were not compared"""


class SeoAnalyzeResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    grade: Literal['A+', 'A', 'B', 'C', 'D', 'F']
    """Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below"""
    score: int
    """Weighted mean of pass (1), warn (0.5) and fail (0); at most 39 for a page that must not be indexed, at most 19 for an error status"""
    findings: list[SeoAnalyzeResultFindings]
    """All factors, always in the same order"""
    scanned_at: str
    """Start of the scan, in UTC"""
    final_url: str
    """URL after redirects"""
    status_code: int
    """HTTP status of that page; error pages are scored too"""
    tls_verified: bool
    """Whether the page came over HTTPS with a trusted certificate"""
    word_count: int
    """Number of words of visible text"""
    response_time_ms: int
    """Time to the first byte of the page"""
    size_bytes: int
    """Size of the decoded page"""
    truncated: bool
    """Whether the page exceeded 2 MiB as sent or 8 MiB decoded"""
    partial: bool
    """Whether a response is incomplete: time ran out, or the site closed the connection"""
    comparison: NotRequired[SeoAnalyzeResultComparison]
    """Present with pages; does not change the score"""


class SubdomainFinderRequest(TypedDict):
    domain: str
    """Registered domain or a name below it"""
    resolve: NotRequired[bool]
    """Resolve up to 50 of the names. Default: true"""


class SubdomainFinderResultSubdomains(TypedDict):
    name: str
    """Name in lower-case A-labels"""
    resolves: bool
    """Whether it has an address; false if it was not looked up"""
    resolved: bool
    """Whether it was looked up and DNS responded"""
    addresses: list[str]
    """IPv4 first; includes private addresses, which should not be in public DNS"""
    wildcard: bool
    """Whether certificates have it only as *.name"""
    sources: list[str]
    """Services that reported it"""
    first_seen: str | None
    """Start of validity of its first certificate; null if unknown"""
    last_seen: str | None
    """Start of validity of its newest certificate; null if unknown"""


class SubdomainFinderResultSourceErrors(TypedDict):
    source: str
    """Name of the service"""
    error: str
    """Reason for the last failure"""


class SubdomainFinderResult(TypedDict):
    domain: str
    """Name in lower-case A-labels"""
    total: int
    """Number of distinct names found"""
    live_count: int
    """Number of names with resolves true"""
    subdomains: list[SubdomainFinderResultSubdomains]
    """At most 2000 names, sorted by their labels from right to left"""
    sources: list[str]
    """Certificate transparency services that responded"""
    source_errors: list[SubdomainFinderResultSourceErrors]
    """Failures of sources; names received before a failure are kept"""
    resolved_count: int
    """Number of names that were looked up and for which DNS responded"""
    resolve_limit: int
    """Maximum number of names looked up, the fewest labels first, then the newest certificate"""
    wildcard_dns: bool
    """Whether random names have addresses too; resolves then means little"""
    truncated: bool
    """Whether there are more names than are shown or were read"""
    partial: bool
    """Whether a source failed or a DNS lookup timed out"""
    scanned_at: str
    """Start of the scan, in UTC"""


class TechDetectRequest(TypedDict):
    url: str
    """Page to analyze; default scheme https"""
    dns: NotRequired[bool]
    """Also the mail provider (MX). Default: false"""


class TechDetectResultTechnologiesReleaseVulnerabilities(TypedDict):
    id: str
    """CVE id"""
    severity: Literal['low', 'medium', 'high', 'critical']
    """CVSS severity"""
    fixed_in: str
    """First version without it"""


class TechDetectResultTechnologiesRelease(TypedDict):
    newest: str | None
    """Newest version; null if unknown"""
    newest_in_series: str | None
    """Newest version of its series; null if unknown"""
    end_of_life: str | None
    """Last day of maintenance; null if none is set"""
    ended: bool | None
    """Whether maintenance has ended; null for an unknown series"""
    vulnerabilities: list[TechDetectResultTechnologiesReleaseVulnerabilities]
    """Well-known vulnerabilities of this version; not all, and none for a version without a dot"""


class TechDetectResultTechnologies(TypedDict):
    name: str
    """Product name"""
    category: str
    """The first of its categories"""
    version: str
    """Version; empty if unknown"""
    confidence: int
    """Percent; the evidence adds up, and results below 50 are left out"""
    categories: list[str]
    """All of its categories, the main one first"""
    implied: bool
    """Whether the only evidence is another detected technology"""
    evidence: list[str]
    """Where it was found, such as header:server or script:/wp-includes/js/"""
    party: NotRequired[Literal['first', 'third']]
    """third: only references to other sites show it, such as a script from a CDN"""
    release: NotRequired[TechDetectResultTechnologiesRelease]
    """Present if the version is known and release data exists. A distribution may fix a vulnerability without a new version"""


class TechDetectResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    technologies: list[TechDetectResultTechnologies]
    """Sorted by category, then name; one entry per name"""
    count: int
    """Number of technologies"""
    scanned_at: str
    """Start of the scan, in UTC"""
    final_url: str
    """URL after redirects"""
    status_code: int
    """HTTP status of that page; error pages are analyzed too"""
    tls_verified: bool
    """Whether the page came over HTTPS with a trusted certificate"""
    truncated: bool
    """Whether the page exceeded 2 MiB as sent or 8 MiB decoded, or had more match candidates than are tried"""
    partial: bool
    """Whether the page is incomplete: time ran out, or the site closed the connection"""
    signatures: str
    """Version of the signature data"""
    release_data: str
    """Date of the release data"""


class TlsCheckRequest(TypedDict):
    host: str
    """Host name or IP address"""
    port: NotRequired[int]
    """261, 443, 448, 465, 563, 614, 636, 684, 695, 832, 853, 989, 990, 992 to 995, 1024 and up, or with STARTTLS 25, 110, 143, 587. Default: 443"""
    starttls: NotRequired[Literal['auto', 'none', 'smtp', 'imap', 'pop3']]
    """auto: by the port. Default: "auto" """
    all_addresses: NotRequired[bool]
    """Compare up to 3 more addresses. Default: false"""


class TlsCheckResultIssues(TypedDict):
    id: str
    """Name of the issue, such as weak-dh"""
    severity: Literal['critical', 'high', 'medium', 'low', 'info']
    """Severity; info does not limit the grade"""
    title: str
    """Short description"""
    detail: str
    """What was measured, why it matters, or what to do"""
    certificates: NotRequired[list[int]]
    """Indexes into certificates, if the server has several"""


class TlsCheckResultGradeLimits(TypedDict):
    grade: str
    """Best permitted grade: A-, B, C or F; T or M for the certificate"""
    issue: str
    """Id of the issue"""


class TlsCheckResultScores(TypedDict):
    protocol: int
    """Mean of the best and the worst version; 100 for TLS 1.2 and 1.3, 0 for SSL 2.0"""
    key_exchange: int
    """Strength of the weakest among the certificate's key, DHE primes and groups; 0 without authentication"""
    cipher: int
    """Mean of the longest and the shortest cipher key; 100 for 256 bits and more, 0 for no encryption"""


TlsCheckResultProtocols = TypedDict('TlsCheckResultProtocols', {
    'SSLv2': 'bool',
    'SSLv3': 'bool',
    'TLSv1.0': 'bool',
    'TLSv1.1': 'bool',
    'TLSv1.2': 'bool',
    'TLSv1.3': 'bool',
})


class TlsCheckResultCipherSuites(TypedDict):
    protocol: str
    """Protocol version"""
    name: str
    """IANA name; for SSL 2.0, the name in its specification"""
    id: str
    """Two bytes such as 0xC02F; three bytes for SSL 2.0"""
    bits: int
    """Strength of the cipher in bits; 0 for no encryption, 112 for 3DES"""
    kx: str
    """Key exchange and authentication"""
    aead: bool
    """Authenticated encryption: GCM, CCM or ChaCha20-Poly1305"""
    forward_secrecy: bool
    """Whether recorded traffic stays secret if the certificate's key leaks"""
    strength: Literal['insecure', 'weak', 'acceptable', 'strong']
    """strong: AEAD and forward secrecy; acceptable: one of the two; weak: neither, or an old cipher"""


class TlsCheckResultCertificate(TypedDict):
    subject: str
    """Distinguished name by RFC 2253, such as CN=example.com,O=Example; at most 300 characters"""
    issuer: str
    """Distinguished name of the issuer, in the same notation"""
    sans: list[str]
    """DNS names and addresses, at most 500"""
    serial: str
    """Serial number as lower-case hex digits"""
    not_before: str
    """Start of validity, in UTC"""
    not_after: str
    """End of validity, in UTC"""
    days_remaining: int
    """Days until it expires; negative after that"""
    lifetime_days: int
    """Whole days from not_before to not_after, both included"""
    key_type: str
    """RSA, RSA-PSS, EC, DSA, ED25519, ED448 or similar; unknown if it cannot be read"""
    key_bits: int
    """Size of the public key in bits; 0 if it cannot be read"""
    signature: str
    """Signature algorithm, such as sha256WithRSAEncryption; ? if unknown"""
    fingerprint_sha256: str
    """SHA-256 of the certificate in DER, as lower-case hex digits"""
    is_wildcard: bool
    """Whether one of sans is a wildcard such as *.example.com"""
    must_staple: bool
    """Whether it requires a stapled OCSP response (RFC 7633)"""
    ct_scts: int
    """Number of signed certificate timestamps: embedded, in the handshake and in the OCSP response"""
    truncated: NotRequired[bool]
    """Present and true if there are more names"""


class TlsCheckResultChain(TypedDict):
    subject: str
    """Distinguished name by RFC 2253, such as CN=example.com,O=Example; at most 300 characters"""
    issuer: str
    """Distinguished name of the issuer, in the same notation"""
    not_after: str
    """End of validity, in UTC"""
    key: str
    """Type and bits, such as RSA 2048"""
    signature: str
    """Signature algorithm, such as sha256WithRSAEncryption; ? if unknown"""


class TlsCheckResultOcsp(TypedDict):
    stapled: bool
    """Whether the server sent an OCSP response in the handshake"""
    status: Literal['good', 'revoked', 'unknown', 'not_checked']
    """unknown: no conclusive response; not_checked: no OCSP responder to query"""


class TlsCheckResultHsts(TypedDict):
    present: bool
    """Whether the server sent the header"""
    max_age: int
    """Seconds for which browsers require HTTPS; 0 if missing"""
    include_subdomains: bool
    """Whether it also applies to all subdomains"""
    preload: bool
    """Whether it asks for inclusion in the browsers' preload lists"""


class TlsCheckResultAttacks(TypedDict):
    id: Literal['heartbleed', 'robot', 'ccs-injection', 'ticketbleed']
    """Name of the vulnerability"""
    status: Literal['not_tried', 'not_possible']
    """not_tried: the server may be vulnerable; not_possible: it lacks what the attack needs"""
    detail: str
    """Reason"""


class TlsCheckResultCertificates(TypedDict):
    subject: str
    """Distinguished name"""
    issuer: str
    """Distinguished name of the issuer"""
    key_type: str
    """As in certificate, like the next fields"""
    key_bits: int
    """Size of the public key in bits"""
    signature: str
    """Signature algorithm"""
    not_after: str
    """End of validity, in UTC"""
    days_remaining: int
    """Days until it expires"""
    fingerprint_sha256: str
    """SHA-256 of the certificate in DER"""
    must_staple: bool
    """Whether it requires a stapled OCSP response"""
    chain: list[dict[str, Any]]
    """As the field chain"""
    chain_complete: bool
    """As the field chain_complete, like the next fields"""
    chain_order_ok: bool
    """Whether the chain is in order"""
    trusted: bool
    """Whether the chain leads to a trusted root"""
    trust_error: str | None
    """Why not"""
    hostname_match: bool
    """Whether it is for the host"""
    ocsp: dict[str, Any]
    """Revocation status"""


class TlsCheckResultAddresses(TypedDict):
    address: str
    """IP address"""
    protocol: str | None
    """Version negotiated with a current client; null if that failed"""
    fingerprint_sha256: str | None
    """SHA-256 of its certificate in DER"""
    not_after: str | None
    """End of the certificate's validity, in UTC"""
    trusted: bool
    """Whether the chain leads to a trusted root"""
    hostname_match: bool
    """Whether the certificate is for the host"""
    differences: list[str]
    """What differs from the first: unreachable, protocol, certificate, trust or alpn"""


class TlsCheckResultClients(TypedDict):
    name: str
    """Client with version, such as Java 8u161"""
    connects: bool
    """Whether both sides agree on all parameters"""
    reason: Literal['version', 'cipher_suite', 'group', 'dh_bits', None]
    """What they do not agree on; dh_bits: the prime is too long for the client"""
    protocol: str | None
    """Version that they agree on, like the next fields"""
    cipher_suite: str | None
    """IANA name of the cipher suite"""
    fingerprint_sha256: str | None
    """The certificate that the client gets; null if unknown"""
    trusted: bool | None
    """False if the certificate is invalid for everyone, or the client does not have the root; null if its roots are not documented"""


class TlsCheckResult(TypedDict):
    host: str
    """Host in canonical form"""
    port: int
    """Checked port"""
    protocol: Literal['SSLv2', 'SSLv3', 'TLSv1.0', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']
    """Version negotiated with a current client"""
    tls_version: Literal['SSLv2', 'SSLv3', 'TLSv1.0', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']
    """Highest version that the server supports"""
    grade: Literal['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F', 'T', 'M']
    """Grade by the SSL Labs rating guide 2009r. T: the certificate is not trusted, not valid now, not meant for servers or signed with SHA-1. M: it is for another name. An incomplete chain limits the grade to B"""
    issues: list[TlsCheckResultIssues]
    """Sorted by severity, then id"""
    scanned_at: str
    """Start of the scan, in UTC"""
    score: int
    """30 % protocol, 30 % key exchange, 40 % cipher"""
    grade_ignoring_trust: Literal['A+', 'A', 'A-', 'B', 'C', 'D', 'E', 'F']
    """The grade without T and M"""
    grade_limits: list[TlsCheckResultGradeLimits]
    """Issues that limit the grade, each with the best grade that it permits"""
    scores: TlsCheckResultScores
    """The parts of score, each 0 to 100; if one part is 0, the score is 0"""
    protocols: TlsCheckResultProtocols
    """Versions that the server supports"""
    cipher_suites: list[TlsCheckResultCipherSuites]
    """All accepted suites, sorted by version (newest first), then strength (strongest first)"""
    cipher_order: Literal['server', 'client', None]
    """Side that chooses the suite; null if the test did not find out"""
    groups: list[str]
    """Accepted key exchange groups"""
    post_quantum: bool
    """Whether one of the groups resists quantum computers"""
    dh_bits: int | None
    """Bits of the shortest DHE prime; null without DHE suites"""
    alpn: str
    """Negotiated ALPN protocol: h2, http/1.1 or empty"""
    certificate: TlsCheckResultCertificate | None
    """The certificate that a current client gets; null if the server sent none"""
    chain: list[TlsCheckResultChain]
    """Certificates in the order sent, at most 10"""
    chain_complete: bool
    """False if the server sent no certificate, or did not send the issuer's but it can be fetched"""
    chain_order_ok: bool
    """Whether each certificate is followed by its issuer's, without extra ones; a root is allowed"""
    trusted: bool
    """Whether the chain leads to a trusted root, regardless of the host name"""
    trust_error: Literal['expired', 'self_signed', 'chain_incomplete', 'unknown_authority', 'invalid_chain', 'revoked', 'no_certificate', None]
    """Why trusted is false, otherwise null; expired includes not yet valid, for any certificate in the chain"""
    hostname_match: bool
    """Whether one of sans matches the host, wildcards included; the common name does not count"""
    ocsp: TlsCheckResultOcsp
    """Revocation status of the server's certificate"""
    hsts: TlsCheckResultHsts | None
    """Strict-Transport-Security; null for an IP address and if the port does not respond to HTTP"""
    secure_renegotiation: bool | None
    """Secure renegotiation (RFC 5746); null if only TLS 1.3 is supported"""
    compression: bool
    """Whether TLS compression is on, which leaks secrets (CRIME)"""
    fallback_scsv: bool | None
    """Downgrade protection (RFC 7507); null with one version only or if unknown"""
    heartbeat_extension: bool
    """Whether the server supports heartbeats (RFC 6520); does not test for Heartbleed"""
    attacks: list[TlsCheckResultAttacks]
    """Vulnerabilities that only an attack would reveal, and so are not tested"""
    starttls: Literal['smtp', 'imap', 'pop3', None]
    """STARTTLS protocol used; null for implicit TLS"""
    address: str
    """Checked IP address"""
    certificates: NotRequired[list[TlsCheckResultCertificates]]
    """Present if the server has several certificates, such as RSA and ECDSA: all of them, the one of a current client first. The grade is that of the worst. Only the first is checked with its OCSP responder"""
    addresses: NotRequired[list[TlsCheckResultAddresses]]
    """Present with all_addresses: the checked address, then up to 3 others"""
    clients: NotRequired[list[TlsCheckResultClients]]
    """Whether well-known clients can connect, worked out from the tests. Browsers, Java, .NET, OpenSSL, Go and Android, old and new"""
    partial: NotRequired[bool]
    """Present and true if some tests have no result: time or connections ran out, or the server was silent"""


class TokenCounterRequest(TypedDict):
    text: str
    """May be empty. Special tokens count as text"""
    model: NotRequired[str]
    """Model name, also with provider, date or -latest. Default: a common set"""
    models: NotRequired[list[str]]
    """More names, each counted once"""
    output_tokens: NotRequired[int]
    """Output tokens to add to the cost. Default: 0"""


class TokenCounterResultModelsPricingPer1m(TypedDict):
    input: float
    """For input tokens"""
    output: float
    """For output tokens"""


class TokenCounterResultModels(TypedDict):
    model: str
    """Canonical name"""
    provider: str
    """Company, such as OpenAI"""
    estimated_input_tokens: int
    """Tokens of text; an estimate unless method is exact"""
    estimated_output_tokens: int
    """output_tokens as given"""
    input_cost_usd: float | None
    """Rounded to 10 decimals; null if the price is unknown"""
    output_cost_usd: float | None
    """Cost of output_tokens, rounded to 10 decimals; null if the price is unknown"""
    total_cost_usd: float | None
    """Sum of both, rounded to 10 decimals; null if the price is unknown"""
    pricing_per_1m: TokenCounterResultModelsPricingPer1m | None
    """USD per million tokens; null if the model's family is known but published price lists do not agree on a price"""
    method: Literal['exact', 'heuristic']
    """exact for OpenAI's models, whose vocabularies are public; else an estimate"""
    tokenizer: str
    """Tokenizer family whose token lengths were used"""
    name_given: str
    """The name in the request"""
    context_window: int | None
    """Maximum of input and output tokens together; null if unknown"""
    fits_context: bool | None
    """True if the text and output_tokens fit in context_window; null if unknown"""
    deprecated: bool | None
    """True if the provider has announced its retirement; null if we do not know"""


class TokenCounterResult(TypedDict):
    text_length: int
    """Characters (code points)"""
    text_bytes: int
    """Bytes of UTF-8"""
    word_count: int
    """Words separated by white space"""
    models: list[TokenCounterResultModels]
    """In the order of the request"""
    unknown_models: list[str]
    """Names as given that match neither a known model nor a known family"""
    pricing_as_of: str
    """Month of the prices"""
    note: str
    """What the numbers do not include"""


class WebsiteAuditRequest(TypedDict):
    url: str
    """Page to start from; default scheme https, or http if https is rejected"""
    sections: NotRequired[list[Literal['security_headers', 'tls', 'seo', 'performance', 'email', 'carbon', 'dns', 'technologies', 'exposed_files']]]
    """Default all but exposed_files, which requests about two dozen sensitive paths; use it only on your own sites"""
    browser: NotRequired[bool]
    """Whether to also load the page in a browser, for a screenshot, Web Vitals and accessibility, with more connections to the site. The visit has up to 15 seconds within the time limit; performance and carbon end 8 seconds earlier. Default: false"""
    format: NotRequired[Literal['json', 'html']]
    """html: a self-contained report page. Default: "json" """
    previous: NotRequired[str]
    """fingerprint of an earlier report, to compare with"""


class WebsiteAuditResultSummary(TypedDict):
    critical: int
    """Issues of critical severity"""
    high: int
    """Issues of high severity"""
    medium: int
    """Issues of medium severity"""
    low: int
    """Issues of low severity"""
    passed: int
    """Passed checks of all sections"""
    sections_ok: int
    """Sections with status ok"""
    sections_failed: int
    """Sections that failed or timed out"""
    duration_ms: int
    """Duration of the audit in milliseconds"""
    text: str
    """Summary in one paragraph, generated by rules"""


class WebsiteAuditResultSectionsSecurityHeadersError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsSecurityHeaders(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsSecurityHeadersError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsTlsError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsTls(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsTlsError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsSeoError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsSeo(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsSeoError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsPerformanceError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsPerformance(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsPerformanceError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsEmailError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsEmail(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsEmailError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsCarbonError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsCarbon(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsCarbonError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsDnsError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsDns(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsDnsError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsTechnologiesError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsTechnologies(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsTechnologiesError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSectionsExposedFilesError(TypedDict):
    code: str
    """Error code of the tool"""
    message: str
    """Error message"""


class WebsiteAuditResultSectionsExposedFiles(TypedDict):
    status: Literal['ok', 'failed', 'timeout', 'skipped']
    """skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email"""
    score: int | None
    """Score in the total; null if the section has none"""
    grade: str | None
    """Grade given by the tool; null if the tool gives none"""
    weight: int
    """Weight among the sections with status ok"""
    duration_ms: int
    """Duration in milliseconds"""
    error: WebsiteAuditResultSectionsExposedFilesError | None
    """Reason for the failure; null if it succeeded"""
    truncated: bool
    """Whether lists were cut at 50 entries"""
    result: dict[str, Any] | None
    """Complete result of the tool; null unless status is ok"""


class WebsiteAuditResultSections(TypedDict):
    security_headers: WebsiteAuditResultSectionsSecurityHeaders
    """By security-headers"""
    tls: WebsiteAuditResultSectionsTls
    """By tls-check; the score is at most 40 if the certificate is untrusted or for another name, and 0 for grade F"""
    seo: WebsiteAuditResultSectionsSeo
    """By seo-analyze"""
    performance: WebsiteAuditResultSectionsPerformance
    """By the checks of performance-audit"""
    email: WebsiteAuditResultSectionsEmail
    """By email-deliverability, for the registrable domain"""
    carbon: WebsiteAuditResultSectionsCarbon
    """By the model of carbon-footprint; A+ scores 100, A 92, B 82, C 72, D 60, E 50, F less with every gram"""
    dns: WebsiteAuditResultSectionsDns
    """By dns-lookup, for the registrable domain; 100 minus 25 without CAA, 15 with one name server, 20 without AAAA, 20 if all name servers are in one network, 20 without SOA"""
    technologies: WebsiteAuditResultSectionsTechnologies
    """By tech-detect; has no score"""
    exposed_files: WebsiteAuditResultSectionsExposedFiles
    """By exposed-files; 100 minus 60 for each critical path, 30 for each high and 10 for each medium one"""


class WebsiteAuditResultTopIssues(TypedDict):
    section: str
    """Section that rates it most severe"""
    severity: Literal['critical', 'high', 'medium', 'low']
    """Severity of the issue"""
    title: str
    """Short description"""
    detail: str
    """What was found, or why it matters"""
    fix: str
    """What to do; empty if detail says it"""
    seen_by: list[str]
    """All sections that report it"""


class WebsiteAuditResultIssuesConfig(TypedDict):
    nginx: NotRequired[str]
    """For nginx"""
    apache: NotRequired[str]
    """For Apache httpd"""
    caddy: NotRequired[str]
    """For Caddy"""
    dns: NotRequired[str]
    """A record for the zone"""
    html: NotRequired[str]
    """Markup for the page"""


class WebsiteAuditResultIssues(TypedDict):
    id: str
    """Its name in the section; the tool's page has a table"""
    section: str
    """Section that rates it most severe"""
    severity: Literal['critical', 'high', 'medium', 'low']
    """Severity of the issue"""
    title: str
    """Short description"""
    detail: str
    """The evidence: what was found"""
    fix: str
    """What to do; empty if detail says it"""
    seen_by: list[str]
    """All sections that report it"""
    why: str
    """Why it matters"""
    config: WebsiteAuditResultIssuesConfig
    """Texts to copy, if the fix is configuration or markup; adapt them to the site"""


class WebsiteAuditResultChangesNew(TypedDict):
    id: str
    """Section and id, such as tls/cert-expired"""
    severity: Literal['critical', 'high', 'medium', 'low']
    """Severity now"""
    title: str
    """Short description"""


class WebsiteAuditResultChangesFixed(TypedDict):
    id: str
    """Section and id"""
    severity: Literal['critical', 'high', 'medium', 'low']
    """Severity at that time"""


class WebsiteAuditResultChanges(TypedDict):
    since: str
    """Time of the earlier report"""
    score_before: int | None
    """Its score"""
    new: list[WebsiteAuditResultChangesNew]
    """Issues that it did not have"""
    fixed: list[WebsiteAuditResultChangesFixed]
    """Its issues that are gone"""


class WebsiteAuditResultBrowserMetrics(TypedDict):
    id: Literal['largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time', 'first-contentful-paint', 'time-to-first-byte', 'load']
    """Stable name"""
    name: str
    """Its title"""
    value: float | None
    """Measured value; null if it did not happen before the measurement"""
    unit: Literal['ms', 'score']
    """ms: milliseconds; score: without a unit"""
    rating: Literal['good', 'needs-improvement', 'poor', None]
    """By the limits of web.dev, and of Lighthouse for total blocking time; null for load"""


class WebsiteAuditResultBrowserAccessibilityViolations(TypedDict):
    id: str | None
    """Rule of axe-core"""
    impact: Literal['minor', 'moderate', 'serious', 'critical', None]
    """How much it hinders people"""
    help: str | None
    """What the rule requires"""
    help_url: str | None
    """Page that explains the rule"""
    nodes: int
    """Elements that violate it"""
    examples: list[str]
    """Markup of the first elements, at most 3"""


class WebsiteAuditResultBrowserAccessibility(TypedDict):
    axe_version: str | None
    """Version of axe-core"""
    passed: int
    """Rules that the page follows"""
    unclear: int
    """Rules that only a person can check"""
    violation_count: int
    """Rules that the page violates"""
    violations: list[WebsiteAuditResultBrowserAccessibilityViolations]
    """The violated rules, at most 50"""


class WebsiteAuditResultBrowser(TypedDict):
    status: Literal['ok', 'failed', 'not_set_up']
    """not_set_up: this server has no browser service"""
    reason: str | None
    """Why the page could not be measured"""
    final_url: str | None
    """URL that the browser showed"""
    http_status: int | None
    """HTTP status of that document"""
    duration_ms: int
    """Duration of the visit in milliseconds"""
    metrics: list[WebsiteAuditResultBrowserMetrics]
    """Metrics of one visit, always in the same order; empty without measurements"""
    largest_element: str | None
    """Tag of the element of the largest contentful paint"""
    accessibility: WebsiteAuditResultBrowserAccessibility | None
    """Rules of axe-core for WCAG 2.2 up to level AA; null without a result"""
    warnings: list[str]
    """Limits of the measurements"""


class WebsiteAuditResultScreenshot(TypedDict):
    b64_json: str
    """The image in Base64, at most 300 KB before encoding"""
    mime_type: Literal['image/webp']
    """Media type"""
    width: int
    """In pixels"""
    height: int
    """In pixels"""


class WebsiteAuditResult(TypedDict):
    url: str
    """The requested URL in canonical form"""
    final_url: str | None
    """URL after redirects, from the sections performance and carbon; null if neither fetched the page"""
    score: int | None
    """Weighted mean of the sections with status ok; null if none of them has a score"""
    grade: Literal['A+', 'A', 'B', 'C', 'D', 'F', None]
    """Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below. A+ also requires that every requested section succeeds with 70 or more"""
    summary: WebsiteAuditResultSummary
    """The report in numbers and in words"""
    sections: WebsiteAuditResultSections
    """The sections, each with the result of its tool"""
    top_issues: list[WebsiteAuditResultTopIssues]
    """Issues to fix first, at most 15, sorted by severity, then by the weight of the section. An issue that several sections report appears once"""
    issues: list[WebsiteAuditResultIssues]
    """All issues, in the order of top_issues, at most 400"""
    fingerprint: str
    """The report in at most 8,192 bytes, for previous"""
    changes: NotRequired[WebsiteAuditResultChanges]
    """Only with previous: what changed, by sections that succeeded both times"""
    browser: WebsiteAuditResultBrowser | None
    """The page in Chromium, in a window of 1366 by 768 pixels, without throttling; null if not requested. It does not count in the score"""
    screenshot: list[WebsiteAuditResultScreenshot]
    """What the browser showed; empty without a browser"""
    partial: bool
    """Whether a section failed or timed out"""
    scanned_at: str
    """Start of the audit, in UTC"""


class AccountCreditsPlan(TypedDict):
    name: str
    since: str


class AccountCreditsToken(TypedDict):
    name: str
    scopes: list[str]
    expires_at: str | None
    cap_daily: int | None
    spent_today: int | None
    cap_total: int | None
    spent_total: int | None


class AccountCredits(TypedDict):
    credits: int
    held: int
    granted: int
    purchased: int
    used: int
    as_of: str
    plan: NotRequired[AccountCreditsPlan]
    token: AccountCreditsToken


class ToolsListPacks(TypedDict):
    credits: int
    usd: NotRequired[str]


class ToolsListToolsLimits(TypedDict):
    endpoint_per_minute: NotRequired[int]
    class_per_minute: NotRequired[int]
    daily: NotRequired[int]


class ToolsListTools(TypedDict):
    name: str
    title: str
    summary: str
    group: str
    method: Literal['GET', 'POST']
    credits: int
    limits: ToolsListToolsLimits
    budget_ms: int
    retryable: bool
    open_world: bool


class ToolsList(TypedDict):
    api_version: str
    buy_url: str | None
    signup_credits: int
    packs: list[ToolsListPacks]
    tools: list[ToolsListTools]


class Tollgate(Client):
    """See Client for the arguments."""

    get_tools = frozenset(['placeholder-image'])

    def credits(self) -> AccountCredits:
        """The balance, and what this token can spend."""
        found: AccountCredits = self.get(f"{self.account_path}/account/credits")
        return found

    def tools(self) -> ToolsList:
        """All tools of the server with prices and limits, and the credit packs."""
        found: ToolsList = self.get("/v1/tools")
        return found

    @overload
    def call(self, tool: Literal['ai-alt-text'], request: AiAltTextRequest, *,
             idempotency_key: str | None = None) -> AiAltTextResult:
        """AI alt text: 6 credits."""

    @overload
    def call(self, tool: Literal['ai-chat'], request: AiChatRequest, *,
             idempotency_key: str | None = None) -> AiChatResult:
        """AI chat: 10 credits."""

    @overload
    def call(self, tool: Literal['ai-code-review'], request: AiCodeReviewRequest, *,
             idempotency_key: str | None = None) -> AiCodeReviewResult:
        """AI code review: 10 credits."""

    @overload
    def call(self, tool: Literal['ai-content-summarize'], request: AiContentSummarizeRequest, *,
             idempotency_key: str | None = None) -> AiContentSummarizeResult:
        """AI summarizer: 10 credits."""

    @overload
    def call(self, tool: Literal['ai-extract'], request: AiExtractRequest, *,
             idempotency_key: str | None = None) -> AiExtractResult:
        """AI structured data extraction: 8 credits."""

    @overload
    def call(self, tool: Literal['ai-image-generate'], request: AiImageGenerateRequest, *,
             idempotency_key: str | None = None) -> AiImageGenerateResult:
        """AI image generator: 12 credits."""

    @overload
    def call(self, tool: Literal['ai-moderation'], request: AiModerationRequest, *,
             idempotency_key: str | None = None) -> AiModerationResult:
        """AI content moderation: 5 credits."""

    @overload
    def call(self, tool: Literal['ai-seo-generate'], request: AiSeoGenerateRequest, *,
             idempotency_key: str | None = None) -> AiSeoGenerateResult:
        """AI SEO generator: 10 credits."""

    @overload
    def call(self, tool: Literal['ai-translate'], request: AiTranslateRequest, *,
             idempotency_key: str | None = None) -> AiTranslateResult:
        """AI translator: 10 credits."""

    @overload
    def call(self, tool: Literal['carbon-footprint'], request: CarbonFootprintRequest, *,
             idempotency_key: str | None = None) -> CarbonFootprintResult | bytes:
        """Carbon footprint: 2 credits."""

    @overload
    def call(self, tool: Literal['chatplatform-bot-invite'], request: ChatplatformBotInviteRequest, *,
             idempotency_key: str | None = None) -> ChatplatformBotInviteResult:
        """Bot invite link: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-cdn-resolve'], request: ChatplatformCdnResolveRequest, *,
             idempotency_key: str | None = None) -> ChatplatformCdnResolveResult:
        """Content network resolver: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-command-validate'], request: ChatplatformCommandValidateRequest, *,
             idempotency_key: str | None = None) -> ChatplatformCommandValidateResult:
        """Command validator: 2 credits."""

    @overload
    def call(self, tool: Literal['chatplatform-embed-build'], request: ChatplatformEmbedBuildRequest, *,
             idempotency_key: str | None = None) -> ChatplatformEmbedBuildResult:
        """Embed builder: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-intents-calc'], request: ChatplatformIntentsCalcRequest, *,
             idempotency_key: str | None = None) -> ChatplatformIntentsCalcResult:
        """Gateway intent calculator: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-moderate'], request: ChatplatformModerateRequest, *,
             idempotency_key: str | None = None) -> ChatplatformModerateResult:
        """Message moderation: 3 credits."""

    @overload
    def call(self, tool: Literal['chatplatform-permissions-calc'], request: ChatplatformPermissionsCalcRequest, *,
             idempotency_key: str | None = None) -> ChatplatformPermissionsCalcResult:
        """Permission calculator: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-snowflake-decode'], request: ChatplatformSnowflakeDecodeRequest, *,
             idempotency_key: str | None = None) -> ChatplatformSnowflakeDecodeResult:
        """Snowflake decoder: 1 credit."""

    @overload
    def call(self, tool: Literal['chatplatform-text-sanitize'], request: ChatplatformTextSanitizeRequest, *,
             idempotency_key: str | None = None) -> ChatplatformTextSanitizeResult:
        """Text sanitizer: 2 credits."""

    @overload
    def call(self, tool: Literal['chatplatform-timestamp'], request: ChatplatformTimestampRequest, *,
             idempotency_key: str | None = None) -> ChatplatformTimestampResult:
        """Timestamp tag: 1 credit."""

    @overload
    def call(self, tool: Literal['cron-explain'], request: CronExplainRequest, *,
             idempotency_key: str | None = None) -> CronExplainResult:
        """Cron explainer: 1 credit."""

    @overload
    def call(self, tool: Literal['dns-lookup'], request: DnsLookupRequest, *,
             idempotency_key: str | None = None) -> DnsLookupResult:
        """DNS lookup: 5 credits."""

    @overload
    def call(self, tool: Literal['email-blacklist-check'], request: EmailBlacklistCheckRequest, *,
             idempotency_key: str | None = None) -> EmailBlacklistCheckResult:
        """Blacklist check: 4 credits."""

    @overload
    def call(self, tool: Literal['email-deliverability'], request: EmailDeliverabilityRequest, *,
             idempotency_key: str | None = None) -> EmailDeliverabilityResult:
        """Email deliverability: 5 credits."""

    @overload
    def call(self, tool: Literal['email-header-analyzer'], request: EmailHeaderAnalyzerRequest, *,
             idempotency_key: str | None = None) -> EmailHeaderAnalyzerResult:
        """Email header analyzer: 3 credits."""

    @overload
    def call(self, tool: Literal['email-spam-check'], request: EmailSpamCheckRequest, *,
             idempotency_key: str | None = None) -> EmailSpamCheckResult:
        """Email spam check: 3 credits."""

    @overload
    def call(self, tool: Literal['email-validator'], request: EmailValidatorRequest, *,
             idempotency_key: str | None = None) -> EmailValidatorResult:
        """Email address check: 2 credits."""

    @overload
    def call(self, tool: Literal['email-validator-bulk'], request: EmailValidatorBulkRequest, *,
             idempotency_key: str | None = None) -> EmailValidatorBulkResult:
        """Email address check, up to ten at once: 15 credits."""

    @overload
    def call(self, tool: Literal['exposed-files'], request: ExposedFilesRequest, *,
             idempotency_key: str | None = None) -> ExposedFilesResult:
        """Exposed files: 5 credits."""

    @overload
    def call(self, tool: Literal['hash-generate'], request: HashGenerateRequest, *,
             idempotency_key: str | None = None) -> HashGenerateResult:
        """Hash generator: 1 credit."""

    @overload
    def call(self, tool: Literal['json-to-code'], request: JsonToCodeRequest, *,
             idempotency_key: str | None = None) -> JsonToCodeResult:
        """JSON to code: 1 credit."""

    @overload
    def call(self, tool: Literal['jwt-decode'], request: JwtDecodeRequest, *,
             idempotency_key: str | None = None) -> JwtDecodeResult:
        """JWT decoder: 1 credit."""

    @overload
    def call(self, tool: Literal['openapi-validate'], request: OpenapiValidateRequest, *,
             idempotency_key: str | None = None) -> OpenapiValidateResult:
        """OpenAPI validator: 5 credits."""

    @overload
    def call(self, tool: Literal['password-strength'], request: PasswordStrengthRequest, *,
             idempotency_key: str | None = None) -> PasswordStrengthResult:
        """Password strength: 1 credit."""

    @overload
    def call(self, tool: Literal['performance-audit'], request: PerformanceAuditRequest, *,
             idempotency_key: str | None = None) -> PerformanceAuditResult | bytes:
        """Performance audit: 10 credits."""

    @overload
    def call(self, tool: Literal['placeholder-image'], request: PlaceholderImageRequest, *,
             idempotency_key: str | None = None) -> bytes:
        """Placeholder image: 1 credit."""

    @overload
    def call(self, tool: Literal['qr-generate'], request: QrGenerateRequest, *,
             idempotency_key: str | None = None) -> QrGenerateResult | bytes:
        """QR code generator: 1 credit."""

    @overload
    def call(self, tool: Literal['security-headers'], request: SecurityHeadersRequest, *,
             idempotency_key: str | None = None) -> SecurityHeadersResult:
        """Security headers: 5 credits."""

    @overload
    def call(self, tool: Literal['seo-analyze'], request: SeoAnalyzeRequest, *,
             idempotency_key: str | None = None) -> SeoAnalyzeResult:
        """SEO analysis: 5 credits."""

    @overload
    def call(self, tool: Literal['subdomain-finder'], request: SubdomainFinderRequest, *,
             idempotency_key: str | None = None) -> SubdomainFinderResult:
        """Subdomain finder: 5 credits."""

    @overload
    def call(self, tool: Literal['tech-detect'], request: TechDetectRequest, *,
             idempotency_key: str | None = None) -> TechDetectResult:
        """Technology detection: 5 credits."""

    @overload
    def call(self, tool: Literal['tls-check'], request: TlsCheckRequest, *,
             idempotency_key: str | None = None) -> TlsCheckResult:
        """TLS check: 5 credits."""

    @overload
    def call(self, tool: Literal['token-counter'], request: TokenCounterRequest, *,
             idempotency_key: str | None = None) -> TokenCounterResult:
        """Token counter: 1 credit."""

    @overload
    def call(self, tool: Literal['website-audit'], request: WebsiteAuditRequest, *,
             idempotency_key: str | None = None) -> WebsiteAuditResult | bytes:
        """Website audit: 20 credits."""

    def call(self, tool: Any, request: Any, *, idempotency_key: str | None = None) -> Any:
        """The result of a tool. Each attempt has the same key, so it is charged at most once."""
        return self.send(tool, request, idempotency_key=idempotency_key).result
