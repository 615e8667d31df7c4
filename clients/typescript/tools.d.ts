// Generated from the gateway's OpenAPI document: see clients/generate.py. Do not edit.

export interface AiAltTextRequest {
  /** http or https, port 80 or 443, at most 5 MiB. Never sent to a model */
  image_url?: string;
  /** Base64 or data URI, instead of image_url */
  image_base64?: string;
  /** What the page is about */
  context?: string;
  /** Of the result: BCP 47 tag or English name. Default: "en" */
  language?: string;
  /** Limit of alt_text, in characters. Default: 125 */
  max_length?: number;
  /** Level of detail. Default: "concise" */
  style?: "concise" | "descriptive";
  /** The image may be decorative. Default: false */
  decorative_hint?: boolean;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiAltTextResult {
  /** One sentence of at most max_length characters, without a lead-in such as "image of"; empty if the image is decorative */
  alt_text: string;
  /** A longer description of at most 800 characters; may be empty */
  long_description: string;
  /** Whether the image is decorative */
  decorative: boolean;
  /** Whether the image contains text */
  contains_text: boolean;
  /** The text in the image, at most 500 characters of it */
  text_in_image: string;
  /** What the image shows: at most 8, in one or two words each */
  subjects: Array<string>;
  /** BCP 47 tag */
  language: string;
  /** Length of alt_text, in characters */
  length: number;
  /** Properties read from the image data */
  image: {
    /** Detected from the data, not from the file name */
    format: "png" | "jpeg" | "gif" | "webp";
    /** In pixels */
    width: number;
    /** In pixels */
    height: number;
    /** Size in bytes */
    bytes: number;
    /** Whether it has more than one frame */
    animated: boolean;
    /** Which field the image came from */
    source: "url" | "base64";
  };
  /** Length of context, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  generated_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiChatRequest {
  /** The conversation, instead of prompt. At most one system message, first; the last is from the user */
  messages?: Array<{
    /** Author */
    role: "system" | "user" | "assistant";
    /** At most 4,000 characters in all messages together */
    content: string;
  }>;
  /** User message, instead of messages */
  prompt?: string;
  /** System instructions; only with prompt, and at most 4,000 characters together */
  system?: string;
  /** Randomness of the answer. Default: 0.7 */
  temperature?: number;
  /** Longer answers are cut. Default: 1024 */
  max_tokens?: number;
  /** The answer stops before any of these */
  stop?: Array<string>;
  /** For repeatable answers, if the model supports it */
  seed?: number;
  /** json: a JSON object or array. Default: "text" */
  response_format?: "text" | "json";
  /** JSON Schema in ai-extract's subset; sets response_format json */
  json_schema?: Record<string, unknown>;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiChatResult {
  /** Append it to messages to continue the conversation */
  message: {
    /** Always assistant */
    role: "assistant";
    /** The answer */
    content: string;
  };
  /** The answer, as in message */
  content: string;
  /** The answer as parsed JSON; null unless JSON was requested */
  json: Record<string, unknown> | Array<unknown> | null;
  /** stop: complete; length: cut at max_tokens */
  finish_reason: "stop" | "length";
  /** Token counts of the provider; null if it does not report them */
  usage: {
    /** Tokens of the input */
    input_tokens: number | null;
    /** Tokens of the answer */
    output_tokens: number | null;
    /** Sum of both */
    total_tokens: number | null;
  };
  /** Length of all input texts, in characters */
  input_length: number;
  /** Length of the answer, in characters */
  output_length: number;
  /** When the result was produced, in UTC */
  created_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiCodeReviewRequest {
  /** Code in any language; lines count from 1 */
  code: string;
  /** 1 to 40 letters, digits, spaces and + # . _ / -; auto detects it. Default: "auto" */
  language?: string;
  /** Only these categories; all if absent or empty */
  focus?: Array<"security" | "bug" | "performance" | "error-handling" | "concurrency" | "maintainability" | "style" | "documentation" | "testing" | "compatibility" | "other">;
  /** Keeps the most severe. Default: 20 */
  max_issues?: number;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiCodeReviewResult {
  /** As given, by its usual name; with auto the detected language, or unknown */
  language: string;
  /** The review */
  analysis: {
    /** At most max_issues, sorted by severity, then by line */
    issues: Array<{
      /** Severity */
      severity: "critical" | "high" | "medium" | "low" | "info";
      /** Kind of problem */
      category: "security" | "bug" | "performance" | "error-handling" | "concurrency" | "maintainability" | "style" | "documentation" | "testing" | "compatibility" | "other";
      /** Line "12" or lines "12-15"; empty for the code as a whole */
      line: string;
      /** What is wrong, in at most 600 characters */
      description: string;
      /** How to fix it, in at most 1,200 characters */
      fix: string;
    }>;
    /** Assessment of the code as a whole, in at most 800 characters */
    summary: string;
    /** Quality; 100 means nothing to improve. At most 40 with a critical problem, 70 with a high one, 90 with a medium one; at least 80 without problems. Only problems in focus count */
    score: number;
  };
  /** Length of the code, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  analyzed_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiContentSummarizeRequest {
  /** Text in any language */
  text: string;
  /** Of the summary: BCP 47 tag or English name; the text's if absent */
  language?: string;
  /** Requested length of the summary. Default: 4 */
  max_sentences?: number;
  /** Limit of key points. Default: 5 */
  max_key_points?: number;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiContentSummarizeResult {
  /** The analysis */
  analysis: {
    /** The summary, at most 1,200 characters; the text itself if it has fewer than 20 words */
    summary: string;
    /** At most max_key_points of at most 240 characters each, in the order of the text */
    key_points: Array<string>;
    /** At most 10 words and phrases of the text, of at most 40 characters each, in lower case except proper nouns. Includes words that are not in the text only if fewer than three are */
    keywords: Array<string>;
    /** Words that have a letter or digit, separated by white space; each Han, Hiragana or Katakana character counts as a word */
    word_count: number;
    /** At 200 words a minute, rounded up */
    reading_time_seconds: number;
    /** Tone of the text */
    tone: "neutral" | "formal" | "informal" | "informative" | "technical" | "persuasive" | "promotional" | "positive" | "negative" | "critical" | "optimistic" | "pessimistic" | "humorous" | "sarcastic" | "urgent" | "emotional" | "inspirational" | "academic" | "conversational";
  };
  /** Length of the text, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  summarized_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiExtractRequest {
  /** Text in any language */
  text: string;
  /** JSON Schema of an object or list of objects; at most 8 KiB, 5 levels, 100 properties. Only type, properties, required, items, enum, const, title, description, format (date, date-time, time, email, uri, uuid, ipv4, ipv6), minimum, maximum, minLength, maxLength, minItems, maxItems, additionalProperties false, $ref to definitions or $defs. Annotations are ignored */
  schema?: Record<string, unknown>;
  /** Fields to extract, instead of schema */
  fields?: Array<{
    /** Letters, digits, _; at most 64, no digit first */
    name: string;
    /** An object may have any members */
    type: "string" | "integer" | "number" | "boolean" | "date" | "datetime" | "email" | "url" | "phone" | "currency" | "array" | "object";
    /** What is meant */
    description?: string;
    /** data is invalid without it. Default: false */
    required?: boolean;
    /** Allowed values of a string */
    enum?: Array<string>;
    /** Of an array; string if absent */
    items?: "string" | "integer" | "number" | "boolean" | "date" | "datetime" | "email" | "url" | "phone" | "currency";
  }>;
  /** Predefined list of fields */
  preset?: "contact" | "invoice" | "receipt" | "event" | "product" | "resume" | "address" | "job_posting" | "recipe";
  /** Quote the text for each value. Default: true */
  evidence?: boolean;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiExtractResult {
  /** The extracted values; null for a value that was not found */
  data: Record<string, unknown>;
  /** Whether data has all required values and fits the schema */
  valid: boolean;
  /** Why data is invalid */
  validation_errors: Array<{
    /** Where in data, such as items[0].price */
    path: string;
    /** What is wrong */
    message: string;
  }>;
  /** Paths of the values that were found */
  found: Array<string>;
  /** Paths of the values that were not found */
  missing: Array<string>;
  /** One entry for each value; empty if evidence is false */
  evidence: Array<{
    /** Path of the value */
    path: string;
    /** Words of the text; null if the model quoted words that the text does not have */
    quote: string | null;
    /** Start of the quote in the text, in characters */
    start: number | null;
    /** End of the quote */
    end: number | null;
    /** Whether the quote is in the text and supports the value */
    grounded: boolean;
  }>;
  /** Share of found values that are grounded; 1 if nothing was found */
  grounded_ratio: number;
  /** Which field described what to find */
  schema_source: "schema" | "fields" | "preset";
  /** Length of the text, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  extracted_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiImageGenerateRequest {
  /** What to draw. Rejected: sexual content with children, threats to people, keys, tokens */
  prompt: string;
  /** What not to draw. With prompt, at most 4,000 characters together */
  negative_prompt?: string;
  /** In pixels; a model may use another size. Default: "1024x1024" */
  size?: "auto" | "256x256" | "512x512" | "1024x1024" | "1536x1024" | "1024x1536";
  /** Image quality. Default: "auto" */
  quality?: "auto" | "low" | "medium" | "high";
  /** A model may use another format. Default: "png" */
  format?: "png" | "jpeg" | "webp";
  /** transparent requires png or webp. Default: "auto" */
  background?: "auto" | "opaque" | "transparent";
  /** For repeatable images, if the model supports it */
  seed?: number;
  /** url gives Base64 and the warning url_unavailable. Default: "base64" */
  response?: "base64" | "url";
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiImageGenerateResult {
  /** The image */
  images: Array<{
    /** The image in Base64 */
    b64_json: string;
    /** Always null */
    url: null;
    /** Detected from the image data */
    mime_type: "image/png" | "image/jpeg" | "image/webp";
    /** In pixels, read from the image data */
    width: number;
    /** In pixels, read from the image data */
    height: number;
    /** Size in bytes */
    bytes: number;
    /** SHA-256 digest in lower-case hex */
    sha256: string;
  }>;
  /** The prompt of the request */
  prompt: string;
  /** The prompt as the model changed it; null if it does not report one */
  revised_prompt: string | null;
  /** Width x height, read from the image data, such as 1024x1024 */
  size: string;
  /** The quality of the request */
  quality: "auto" | "low" | "medium" | "high";
  /** Detected from the image data */
  format: "png" | "jpeg" | "webp";
  /** The seed of the request */
  seed: number | null;
  /** Length of prompt and negative_prompt, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  generated_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiModerationRequest {
  /** Text in any language */
  text: string;
  /** Score from which a category counts. Default: 0.5 */
  threshold?: number;
  /** Categories that count; all if absent */
  categories?: Array<"hate" | "hate/threatening" | "harassment" | "harassment/threatening" | "self-harm" | "self-harm/intent" | "self-harm/instructions" | "sexual" | "sexual/minors" | "violence" | "violence/graphic" | "illicit" | "illicit/violent">;
  /** Where it was written, such as a forum for nurses; not scored. With text, at most 4,000 characters together */
  context?: string;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiModerationResult {
  /** Whether any category counts, or the language model declined to score the text */
  flagged: boolean;
  /** block if sexual/minors, hate/threatening, self-harm/instructions or illicit/violent counts, or another category counts with a score of at least 0.85; review if any counts or the language model declined; otherwise allow */
  action: "allow" | "review" | "block";
  /** By the highest score of the requested categories: low from 0.2, medium from 0.5, high from 0.7, critical from 0.85 */
  severity: "none" | "low" | "medium" | "high" | "critical";
  /** Whether each category counts */
  categories: {
    /** Hate against a group */
    hate: boolean;
    /** Hate with a threat */
    "hate/threatening": boolean;
    /** Harassment of a person */
    harassment: boolean;
    /** Harassment with a threat */
    "harassment/threatening": boolean;
    /** Self-harm */
    "self-harm": boolean;
    /** The writer intends self-harm */
    "self-harm/intent": boolean;
    /** Instructions for self-harm */
    "self-harm/instructions": boolean;
    /** Sexual content */
    sexual: boolean;
    /** Sexual content with minors */
    "sexual/minors": boolean;
    /** Violence */
    violence: boolean;
    /** Violence in detail */
    "violence/graphic": boolean;
    /** Instructions for illegal acts */
    illicit: boolean;
    /** Illegal acts with violence or weapons */
    "illicit/violent": boolean;
  };
  /** Confidence from 0 to 1; never below the score of a subcategory, such as hate/threatening of hate */
  category_scores: {
    /** Hate against a group */
    hate: number;
    /** Hate with a threat */
    "hate/threatening": number;
    /** Harassment of a person */
    harassment: number;
    /** Harassment with a threat */
    "harassment/threatening": number;
    /** Self-harm */
    "self-harm": number;
    /** The writer intends self-harm */
    "self-harm/intent": number;
    /** Instructions for self-harm */
    "self-harm/instructions": number;
    /** Sexual content */
    sexual: number;
    /** Sexual content with minors */
    "sexual/minors": number;
    /** Violence */
    violence: number;
    /** Violence in detail */
    "violence/graphic": number;
    /** Instructions for illegal acts */
    illicit: number;
    /** Illegal acts with violence or weapons */
    "illicit/violent": number;
  };
  /** The requested category with the highest score; null if all of them score 0 */
  top_category: string | null;
  /** The reason, in English, in at most 300 characters */
  reason: string;
  /** Language of the text as a BCP 47 tag; und if unknown */
  language: string;
  /** Origin of the scores: a moderation model or a language model */
  source: "moderation_api" | "model";
  /** Length of text and context, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  moderated_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiSeoGenerateRequest {
  /** Text of the page */
  content: string;
  /** Page URL, http or https; not fetched */
  url?: string;
  /** BCP 47 tag or English name; the content's if absent */
  language?: string;
  /** Name that may end the title */
  brand?: string;
  /** Search terms to target */
  keywords?: Array<string>;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiSeoGenerateResult {
  /** The URL in canonical form; empty if absent */
  url: string;
  /** Texts for the page */
  seo: {
    /** For the title element, 10 to 60 characters; fewer with the warning title_too_short */
    title: string;
    /** For the meta description, 50 to 160 characters; fewer with the warning meta_description_too_short */
    meta_description: string;
    /** For og:title, at most 70 characters */
    og_title: string;
    /** For og:description, at most 200 characters */
    og_description: string;
    /** For the main heading, at most 70 characters */
    h1_suggestion: string;
    /** Last part of the page's URL, at most 75 characters, made from the title. If the title has no ASCII letters, made from url; otherwise page */
    slug_suggestion: string;
    /** Kind of page */
    content_type: "article" | "blog_post" | "news" | "product" | "category" | "landing_page" | "homepage" | "documentation" | "tutorial" | "faq" | "recipe" | "event" | "job_posting" | "review" | "video" | "profile" | "about" | "contact" | "portfolio" | "forum" | "legal" | "other";
    /** 5 to 10 search terms of at most 40 characters each; fewer with the warning too_few_keywords */
    keywords: Array<string>;
    /** 3 to 8 improvements for the page, of at most 200 characters each; fewer with the warning too_few_seo_tips */
    seo_tips: Array<string>;
  };
  /** Length of the content, in characters */
  input_length: number;
  /** When the result was produced, in UTC */
  generated_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface AiTranslateRequest {
  /** Text to translate */
  text: string;
  /** BCP 47 tag or English name */
  target_language: string;
  /** As target_language; auto detects it. Default: "auto" */
  source_language?: string;
  /** Form of address. Default: "default" */
  formality?: "default" | "formal" | "informal";
  /** Subject or place; not translated. With text, at most 4,000 characters together */
  context?: string;
  /** At most 30 terms with translations, each at most 60 characters */
  glossary?: Record<string, unknown>;
  /** Keep {x}, {{x}}, ${x}, %s and similar, :name:, tags, URLs, email addresses, @mentions, `code`, number of lines. Default: true */
  preserve?: boolean;
  /** Must be false. Default: false */
  stream?: boolean;
}

export interface AiTranslateResult {
  /** The translation; at most three times as long as the text, plus 200 characters */
  translated_text: string;
  /** BCP 47 tag; und if unknown */
  source_language: string;
  /** BCP 47 tag */
  target_language: string;
  /** Whether source_language was auto */
  detected: boolean;
  /** Confidence in the detected language; 1 if source_language was given */
  confidence: number;
  /** The formality of the request */
  formality: "default" | "formal" | "informal";
  /** Glossary terms of the text whose translation is in translated_text */
  glossary_applied: Array<string>;
  /** Placeholders and other parts that must not be translated */
  placeholders: {
    /** Number of such parts in the text */
    found: number;
    /** Number of parts that the translation has */
    preserved: number;
    /** Parts that the translation does not have, as in the text */
    missing: Array<string>;
  };
  /** Other translations, only for a text of at most 120 characters */
  alternatives: Array<string>;
  /** Length of text and context, in characters */
  input_length: number;
  /** Length of the translation, in characters */
  output_length: number;
  /** When the result was produced, in UTC */
  translated_at: string;
  /** How the result was produced */
  meta: {
    /** Name of the model; null if no model was called */
    model: string | null;
    /** Version of the prompt */
    prompt_version: string | null;
    /** Number of model calls */
    attempts: number;
    /** Whether a malformed answer of the model was corrected */
    repaired: boolean;
    /** If repaired: what was changed, at most 50 */
    repairs?: Array<{
      /** Place in the answer */
      path: string;
      /** Kind of change */
      kind: string;
    }>;
    /** Hint: known forms of instructions to the model; most are not detected */
    injection_suspected: boolean;
    /** Sum over all calls; null if the provider does not report it */
    input_tokens: number | null;
    /** As input_tokens */
    output_tokens: number | null;
    /** Duration of the model calls, in milliseconds */
    latency_ms: number;
    /** At most 16 codes, listed on the tool's page */
    warnings: Array<string>;
  };
}

export interface CarbonFootprintRequest {
  /** Page to measure; default scheme https, or http if https is rejected */
  url?: string;
  /** Bytes per view, instead of fetching the page */
  bytes?: number;
  /** Whether the hosting is green; default by lookup of the host */
  green?: boolean;
  /** Share of green electricity in the data center; overrides green (1) */
  green_hosting_factor?: number;
  /** Views per month. Default: 10000 */
  monthly_views?: number;
  /** Visitors' country (network, device), ISO 3166-1 alpha-2 or alpha-3 */
  country?: string;
  /** Data center's country, ISO 3166-1 alpha-2 or alpha-3 */
  hosting_country?: string;
  /** Grams of CO2e per kWh; overrides the countries */
  grid_intensity?: {
    /** Data center */
    data_center?: number;
    /** Network */
    network?: number;
    /** Visitor's device */
    device?: number;
  };
  /** Share of first visits; default 1 - return_visitor_ratio, or 1 */
  new_visitor_ratio?: number;
  /** Share of return visits; default 1 - new_visitor_ratio. Together at most 1 */
  return_visitor_ratio?: number;
  /** Share of bytes cached by return visitors. Default: 0 */
  data_cache_ratio?: number;
  /** html: a self-contained report page. Default: "json" */
  format?: "json" | "html";
}

export interface CarbonFootprintResult {
  /** The requested URL in canonical form; null without a url */
  url: string | null;
  /** URL after redirects; null without a url */
  final_url: string | null;
  /** Bytes per view used in the calculation */
  bytes: number;
  /** Null if unknown, which counts as not green */
  green_hosting: boolean | null;
  /** Grams of CO2e per view, to six decimals */
  co2_grams_per_view: number;
  /** Highest grams per view: A+ 0.040, A 0.079, B 0.145, C 0.209, D 0.278, E 0.359; F above */
  rating: string;
  /** Percentage of sites that emit more; estimated from the ratings */
  cleaner_than_percent: number;
  /** Electricity of all segments in kWh */
  energy_kwh_per_view: number;
  /** Emissions by segment; the totals add up to co2_grams_per_view */
  segments: {
    /** Data center that serves the page */
    data_center: {
      /** Emissions of operation */
      operational_g: number;
      /** Emissions of manufacturing */
      embodied_g: number;
      /** Sum of both */
      total_g: number;
    };
    /** Network between data center and device */
    network: {
      /** Emissions of operation */
      operational_g: number;
      /** Emissions of manufacturing */
      embodied_g: number;
      /** Sum of both */
      total_g: number;
    };
    /** Visitor's device */
    device: {
      /** Emissions of operation */
      operational_g: number;
      /** Emissions of manufacturing */
      embodied_g: number;
      /** Sum of both */
      total_g: number;
    };
  };
  /** First and return visits */
  visits: {
    /** Grams of a first visit */
    first_visit_g: number;
    /** Grams of a return visit; 0 without return visits */
    return_visit_g: number;
    /** Share of first visits */
    new_visitor_ratio: number;
    /** Share of return visits */
    return_visitor_ratio: number;
    /** Share of the bytes that a return visitor has cached */
    data_cache_ratio: number;
  };
  /** Totals for monthly_views */
  monthly: {
    /** Views per month */
    views: number;
    /** Kilograms of CO2e */
    co2_kg: number;
    /** Electricity in kWh */
    energy_kwh: number;
  };
  /** Totals for twelve months */
  yearly: {
    /** Views per year */
    views: number;
    /** Kilograms of CO2e */
    co2_kg: number;
    /** Electricity in kWh */
    energy_kwh: number;
  };
  /** Activities with the same emissions as a year of views */
  equivalents: {
    /** Kilometers in an average car */
    car_km: number;
    /** Smartphones charged */
    smartphone_charges: number;
    /** Mature trees that absorb it in a year */
    tree_years: number;
    /** Kettles boiled */
    kettle_boils: number;
  };
  /** Emissions by resource type; null if nothing was measured */
  breakdown: {
    /** Pages: {bytes, co2_g, percent} */
    html?: Record<string, unknown>;
    /** Style sheets */
    css?: Record<string, unknown>;
    /** Scripts */
    javascript?: Record<string, unknown>;
    /** Images */
    image?: Record<string, unknown>;
    /** Fonts */
    font?: Record<string, unknown>;
    /** Video and audio; only the headers are requested */
    media?: Record<string, unknown>;
    /** Data */
    json?: Record<string, unknown>;
    /** Everything else */
    other?: Record<string, unknown>;
  } | null;
  /** The calculation */
  model: {
    /** Name of the model */
    name: string;
    /** Version of the model */
    version: string;
    /** Date of the data */
    data_date: string;
    /** Grams of CO2e per kWh */
    grid_intensity: {
      /** Data center */
      data_center: number;
      /** Network */
      network: number;
      /** Visitor's device */
      device: number;
      /** Manufacturing */
      embodied: number;
    };
    /** Share of the data center that counts as green */
    green_hosting_factor: number;
    /** Kilograms of CO2e per unit */
    equivalents: {
      /** One kilometer in an average car */
      car_km: number;
      /** One smartphone charge */
      smartphone_charge: number;
      /** Absorbed by one mature tree in a year */
      tree_year: number;
      /** One kettle boiled */
      kettle_boil: number;
    };
    /** Sources of the model and the data */
    sources: Array<string>;
  };
  /** Source of green_hosting */
  hosting: {
    /** Whether the host was looked up */
    checked: boolean;
    /** The host that was looked up */
    host: string | null;
    /** Hosting provider; null if unknown */
    provider: string | null;
    /** Origin of the value */
    source: "request" | "green-web-dataset" | "unknown";
    /** Why the lookup failed */
    error: string | null;
  };
  /** Largest savings, sorted by size */
  suggestions: Array<{
    /** Stable name; the tool's page lists all */
    id: string;
    /** What to do */
    title: string;
    /** Estimated bytes saved per view */
    saving_bytes: number;
    /** Estimated grams of CO2e saved per view */
    saving_g_per_view: number;
    /** How the saving is estimated */
    how: string;
  }>;
  /** The result in a paragraph */
  summary: string;
  /** Requests made to measure the page; 0 if it was not fetched */
  measured_requests: number;
  /** Whether the page loads more than was measured: over 40 resources, 30 hosts or 10 MiB */
  truncated: boolean;
  /** Limits of the measurement */
  warnings: Array<string>;
  /** Start of the measurement, in UTC */
  scanned_at: string;
}

export interface ChatplatformBotInviteRequest {
  /** Invite URL to parse; other fields override it */
  link?: string;
  /** Application id, as a string */
  client_id?: string | number;
  /** As in chatplatform-permissions-calc. Default: 0 */
  permissions?: string | number | Array<string | number>;
  /** OAuth2 scopes, as list or text. Default: bot and applications.commands */
  scopes?: string | Array<string>;
  /** Allow undocumented scopes. Default: false */
  allow_unknown_scopes?: boolean;
  /** Preselected guild */
  guild_id?: string | number;
  /** Do not let the user change guild_id. Default: false */
  disable_guild_select?: boolean;
  /** Install for a guild (0) or user (1) */
  integration_type?: 0 | 1 | "guild" | "user";
  /** Absolute ASCII URL without fragment */
  redirect_uri?: string;
  /** Authorization code or implicit grant */
  response_type?: "code" | "token";
  /** Returned unchanged */
  state?: string;
  /** Whether to ask for consent again */
  prompt?: "consent" | "none";
  /** Let the app's settings define scopes. Default: false */
  default_install?: boolean;
}

export interface ChatplatformBotInviteResult {
  /** The invite link */
  url: string;
  /** Length of url in characters */
  length: number;
  /** The application's id */
  client_id: string;
  /** In the order given, without duplicates */
  scopes: Array<string>;
  /** Requested permissions, decimal */
  permissions: string;
  /** Names of the permissions, in bit order */
  permission_names: Array<string>;
  /** True if the bot's owner needs two-factor authentication in guilds that enforce it */
  requires_2fa: boolean;
  /** The guild that the link preselects; null if it preselects no guild */
  guild_id: string | null;
  /** 0 for a guild, 1 for a user; null if not requested */
  integration_type: number | null;
  /** Decoded parameters of the URL, in order */
  parameters: Record<string, unknown>;
  /** Scopes that need the platform's approval */
  restricted_scopes: Array<string>;
  /** The usual ways to install this app */
  links: {
    /** With the scopes bot and applications.commands */
    guild_install: string;
    /** With the scope applications.commands */
    user_install: string;
    /** As defined in the app's settings */
    default_install: string;
  };
  /** Fields that were added or dropped */
  adjustments: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The adjustment in English */
    message: string;
  }>;
  /** What is probably not intended */
  warnings: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
  }>;
  /** Date on which the platform data was last checked */
  data_revision: string;
}

export interface ChatplatformCdnResolveRequest {
  /** URL to parse */
  url?: string;
  /** Build a URL of this kind from the fields below */
  kind?: "emoji" | "guild_icon" | "guild_splash" | "guild_discovery_splash" | "guild_banner" | "user_banner" | "default_avatar" | "user_avatar" | "member_avatar" | "member_banner" | "avatar_decoration" | "app_icon" | "app_cover" | "achievement_icon" | "sticker_pack_banner" | "store_asset" | "app_asset" | "team_icon" | "sticker" | "role_icon" | "channel_icon" | "event_cover" | "guild_tag_badge" | "soundboard_sound";
  /** Emoji, sticker or sound */
  id?: string | number;
  /** For guild_* and member_* */
  guild_id?: string | number;
  /** For user_*, member_* and default_avatar */
  user_id?: string | number;
  /** For app_*, achievement_icon, store_asset */
  application_id?: string | number;
  /** Id or hash */
  asset_id?: string | number;
  /** For achievement_icon */
  achievement_id?: string | number;
  /** For team_icon */
  team_id?: string | number;
  /** For role_icon */
  role_id?: string | number;
  /** For channel_icon */
  channel_id?: string | number;
  /** For event_cover */
  event_id?: string | number;
  /** Image hash, or asset of a decoration */
  hash?: string;
  /** Default avatar, 0 to 5 */
  index?: number;
  /** Four digits of a legacy or bot name, for default_avatar; 0 for none */
  discriminator?: string | number;
  /** The emoji is animated */
  animated?: boolean;
  /** Sticker: PNG, APNG, Lottie, GIF */
  format_type?: number;
  /** png, jpg, jpeg, webp, gif, json or lottie. Default: webp if available */
  format?: string;
  /** Power of two, 16 to 4096 */
  size?: number;
  /** Prefer a still image. Default: false */
  force_static?: boolean;
  /** Reference for expired. Default: server clock */
  now?: string | number;
}

export interface ChatplatformCdnResolveResult {
  /** One of the kinds of the request, or attachment, external_proxy, unknown */
  kind: string;
  /** As built, or as sent */
  url: string;
  /** True if the image is animated */
  animated: boolean;
  /** File extension */
  format: string | null;
  /** As requested */
  size: number | null;
  /** Ids in the path besides the hash, as strings; for a default avatar its index */
  ids: Record<string, unknown>;
  /** Image hash, with the prefix a_ if the image is animated and its kind supports that; null if the path has none */
  hash: string | null;
  /** URL of a still image; null for an asset without one */
  static_url: string | null;
  /** URL of the animation; null if the image is not animated */
  animated_url: string | null;
  /** The image in every available format, in the same size */
  variants: Array<{
    /** png, jpg, webp, gif or json */
    format: string;
    /** URL in this format */
    url: string;
  }>;
  /** Available sizes; empty if there is only one */
  sizes: Array<number>;
  /** Creation time of each id, by the name of the id */
  created_at: Record<string, unknown>;
  /** File name of an attachment, as in the URL */
  file: string | null;
  /** Signature of an attachment URL */
  signature: {
    /** Time when the URL expires, ISO 8601 in UTC */
    expires_at: string;
    /** Time when the URL was signed, ISO 8601 in UTC; null if the URL does not contain it */
    issued_at: string | null;
    /** True if expires_at is before now */
    expired: boolean;
    /** True if the URL contains the signature itself, which is not verified */
    hm_present: boolean;
  } | null;
  /** What is unusual, ambiguous or ignored */
  warnings: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
  }>;
  /** Date on which the platform data was last checked */
  data_revision: string;
}

export interface ChatplatformCommandValidateRequest {
  /** One command, as object or JSON text. Or send commands, or its members at the top level */
  command?: Record<string, unknown> | string;
  /** Commands of one scope */
  commands?: Array<unknown>;
  /** Command member */
  name?: unknown;
  /** Command member */
  type?: unknown;
  /** Command member */
  description?: unknown;
  /** Command member */
  name_localizations?: unknown;
  /** Command member */
  description_localizations?: unknown;
  /** Command member */
  options?: unknown;
  /** Command member */
  default_member_permissions?: unknown;
  /** Command member */
  nsfw?: unknown;
  /** Command member */
  contexts?: unknown;
  /** Command member */
  integration_types?: unknown;
  /** Command member */
  handler?: unknown;
  /** Where they are registered. Default: "global" */
  scope?: "global" | "guild";
  /** Treat warnings as errors. Default: false */
  strict?: boolean;
}

export interface ChatplatformCommandValidateResult {
  /** True if the platform would accept the commands */
  valid: boolean;
  /** Every violated rule */
  errors: Array<{
    /** Such as commands[1].options[0].name; empty for the whole request */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The error in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
    /** What to send instead; present only if known */
    suggestion?: string;
  }>;
  /** What the platform accepts but is probably not intended */
  warnings: Array<{
    /** Such as commands[1].options[0].name; empty for the whole request */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
  }>;
  /** Number of commands checked */
  count: number;
  /** One item for each command, in order */
  commands: Array<{
    /** As in normalized; empty if missing */
    name: string;
    /** 0 if invalid */
    type: number;
    /** True if the command has no errors; duplicates and quotas do not count */
    valid: boolean;
    /** Characters used of the limit for a command */
    size: {
      /** Names, descriptions and choices, each in its longest language */
      characters: number;
      /** The platform's limit, 8000 */
      limit: number;
      /** Negative if above the limit */
      remaining: number;
    };
    /** Number of parts */
    stats: {
      /** Without subcommands and groups */
      options: number;
      /** Including those in groups */
      subcommands: number;
      /** Subcommand groups */
      groups: number;
      /** Choices of all options */
      choices: number;
      /** Levels of options */
      depth: number;
    };
    /** One line for each command or subcommand that can be called */
    usage: Array<string>;
    /** Mention of the first one; replace ID with its id */
    mention_template: string | null;
  }>;
  /** Cleaned: trimmed, with defaults, without null, unknown and platform-owned members; an object for one command, a list for commands */
  normalized: Record<string, unknown> | Array<Record<string, unknown>>;
  /** Number of commands of each type, and the limit */
  limits: {
    /** As requested: global or guild */
    scope: string;
    /** Slash commands, type 1 */
    chat_input: {
      /** Number of commands checked */
      count: number;
      /** Maximum number of this type in a scope */
      limit: number;
    };
    /** User context menu commands, type 2 */
    user: {
      /** Number of commands checked */
      count: number;
      /** Maximum number of this type in a scope */
      limit: number;
    };
    /** Message context menu commands, type 3 */
    message: {
      /** Number of commands checked */
      count: number;
      /** Maximum number of this type in a scope */
      limit: number;
    };
    /** The command that opens an activity, type 4 */
    primary_entry_point: {
      /** Number of commands checked */
      count: number;
      /** Maximum number of this type in a scope */
      limit: number;
    };
  };
  /** Date on which the rules were last checked */
  data_revision: string;
}

export interface ChatplatformEmbedBuildRequest {
  /** One embed. Or send embeds, an embed's members at the top level, a modal, or a message without embeds. Errors are reported, not rejected */
  embed?: unknown;
  /** Up to 10 */
  embeds?: unknown;
  /** Embed member */
  title?: unknown;
  /** Embed member */
  description?: unknown;
  /** Embed member */
  url?: unknown;
  /** ISO 8601, true, now or a number */
  timestamp?: unknown;
  /** Number up to 16777215, #rrggbb, 0xrrggbb, rgb(r, g, b), three numbers, name or random */
  color?: unknown;
  /** Alias of color */
  colour?: unknown;
  /** Embed member */
  footer?: unknown;
  /** Embed member */
  image?: unknown;
  /** Alias of image */
  imageURL?: unknown;
  /** Embed member */
  thumbnail?: unknown;
  /** Embed member */
  author?: unknown;
  /** Embed member */
  fields?: unknown;
  /** Message text */
  content?: unknown;
  /** Webhook's name */
  username?: unknown;
  /** Webhook's avatar */
  avatar_url?: unknown;
  /** Read the message aloud */
  tts?: unknown;
  /** Sum of 4, 64, 4096, 8192, 32768 */
  flags?: unknown;
  /** Allowed pings */
  allowed_mentions?: unknown;
  /** Buttons, selects, version 2 components */
  components?: unknown;
  /** Webhook: thread to open */
  thread_name?: unknown;
  /** Webhook: up to 5 forum thread tags */
  applied_tags?: unknown;
  /** Question of up to 300 characters, 1 to 10 answers of up to 55, emoji, up to 768 hours */
  poll?: unknown;
  /** Bot only: up to 3 */
  sticker_ids?: unknown;
  /** Up to 10: id, filename, title, description */
  attachments?: unknown;
  /** Bot only: message to reply to, or to forward with type 1 */
  message_reference?: unknown;
  /** Bot only: up to 25 characters, or an integer */
  nonce?: unknown;
  /** Do not send the same nonce twice */
  enforce_nonce?: unknown;
  /** Bot only: up to 5 colors */
  shared_client_theme?: unknown;
  /** custom_id, title of up to 45 characters, 1 to 5 components; or its members at the top level */
  modal?: unknown;
  /** Modal member: title and components are the modal's */
  custom_id?: unknown;
  /** Sender. Default: "bot" */
  target?: "bot" | "webhook" | "interaction";
  /** truncate shortens texts, none below 32 characters, then drops fields and embeds. Default: "error" */
  on_overflow?: "error" | "truncate";
  /** Reference for timestamps. Default: server clock */
  now?: string | number;
}

export interface ChatplatformEmbedBuildResult {
  /** True if the platform would accept it */
  valid: boolean;
  /** Every violated rule */
  errors: Array<{
    /** Such as embeds[0].fields[3].name; empty for the whole request */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The error in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
    /** What to send instead; present only if known */
    suggestion?: string;
  }>;
  /** What the platform accepts but is probably not intended */
  warnings: Array<{
    /** Such as embeds[0].fields[3].name; empty for the whole request */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
  }>;
  /** What was shortened or dropped, with the length or count before and after */
  adjustments: Array<{
    /** Such as embeds[0].fields[3].name; empty for the whole request */
    path: string;
    /** Texts are truncated; fields and embeds are dropped from the end */
    action: "truncated" | "dropped";
    /** Characters or items before */
    from: number;
    /** Characters or items after */
    to: number;
  }>;
  /** The first embed as the platform stores it */
  embed: Record<string, unknown> | null;
  /** Characters (code points) */
  lengths: {
    /** Characters that count toward limit */
    total: number;
    /** 6000, for all embeds of a message together */
    limit: number;
    /** Negative if above the limit */
    remaining: number;
    /** The message's own text, which does not count toward limit */
    content: number;
    /** One item for each embed, in order */
    embeds: Array<{
      /** 0 if missing */
      title: number;
      /** 0 if missing */
      description: number;
      /** Names and values */
      fields: number;
      /** The footer's text; 0 if missing */
      footer: number;
      /** The author's name; 0 if missing */
      author: number;
      /** All of these together */
      total: number;
    }>;
  };
  /** Color of the first embed */
  color: {
    /** 0 to 16777215, as the platform expects it */
    integer: number;
    /** As #rrggbb, in lowercase */
    hex: string;
    /** Red, green and blue, 0 to 255 each */
    rgb: Array<number>;
  } | null;
  /** Number of parts of the message */
  counts: {
    /** Embeds kept, at most 10 */
    embeds: number;
    /** Fields of all embeds */
    fields: number;
    /** Including nested ones */
    components: number;
  };
  /** All embeds as the platform stores them */
  embeds: Array<Record<string, unknown>>;
  /** The whole message or modal; best effort if it is not valid */
  payload: Record<string, unknown>;
  /** Size of payload as compact JSON */
  payload_bytes: number;
  /** Date on which the limits were last checked */
  data_revision: string;
}

export interface ChatplatformIntentsCalcRequest {
  /** Number (also as decimal, 0x or 0b text), name, group (ALL, NONE, DEFAULT, PRIVILEGED), or several in a list or text */
  intents?: string | number | Array<string | number>;
  /** Gateway events to cover with the fewest intents */
  events?: Array<string>;
  /** For events that occur in guilds and in DMs. Default: "both" */
  scope?: "both" | "guild" | "dm";
  /** Intents to add */
  add?: string | number | Array<string | number>;
  /** Intents to remove, after add */
  remove?: string | number | Array<string | number>;
  /** Remove intents that need approval. Default: false */
  exclude_privileged?: boolean;
  /** Add MESSAGE_CONTENT if messages are requested. Default: false */
  message_content?: boolean;
}

export interface ChatplatformIntentsCalcResult {
  /** Number to send to the gateway */
  intents: number;
  /** The number with 0x */
  hex: string;
  /** The number with 0b */
  binary: string;
  /** In bit order */
  names: Array<string>;
  /** One item for each name */
  details: Array<{
    /** The platform's name */
    name: string;
    /** Bit number, from 0 */
    bit: number;
    /** Number of this intent alone */
    value: number;
    /** True if it needs approval */
    privileged: boolean;
    /** Events that it delivers, sorted */
    events: Array<string>;
  }>;
  /** Names of the intents that need approval */
  privileged: Array<string>;
  /** True if any intent needs approval */
  requires_approval: boolean;
  /** Bit numbers without a name */
  unknown_bits: Array<number>;
  /** All events that these intents deliver, sorted */
  events: Array<string>;
  /** Requested events that remove or exclude_privileged dropped */
  events_not_covered: Array<string>;
  /** Events that the gateway sends without any intent */
  always_sent: Array<string>;
  /** The intents in code */
  code: {
    /** A member of the Identify message, which opens a gateway connection */
    raw: string;
    /** An option of the Client of discord.js, without unknown bits */
    discord_js: string;
    /** A statement for discord.py, without unknown bits */
    discord_py: string;
  };
  /** What the gateway may reject, or is probably not intended */
  warnings: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
  }>;
  /** Date on which the platform data was last checked */
  data_revision: string;
}

export interface ChatplatformModerateRequest {
  /** Message; not only blanks */
  text: string;
  /** Default: all */
  categories?: Array<"profanity" | "slur" | "sexual" | "harassment" | "threat" | "self_harm" | "scam" | "invite" | "link_spam" | "mention_spam" | "caps" | "flood" | "obfuscation" | "personal_data" | "credential_leak" | "illegal_goods">;
  /** Score that flags a message or category. Default: 40 */
  threshold?: number;
  /** Score that blocks; at least threshold. Default: 80 */
  block_threshold?: number;
  /** low multiplies points by 0.8, high by 1.2. Default: "medium" */
  strictness?: "low" | "medium" | "high";
  /** Return the text with matches masked. Default: false */
  redact?: boolean;
  /** Local rules. Default: {} */
  context?: {
    /** Users and roles per message. Default: 5 */
    mention_limit?: number;
    /** Links per message. Default: 3 */
    link_limit?: number;
    /** Invite codes */
    allowed_invites?: Array<string>;
    /** Safe domains, with subdomains */
    allowed_domains?: Array<string>;
    /** Scam domains, with subdomains */
    blocked_domains?: Array<string>;
    /** Never flagged; wildcards as in blocked_words */
    allowed_words?: Array<string>;
    /** cat is a whole word or phrase, cat* a beginning, *cat an end, *cat* any part */
    blocked_words?: Array<string>;
  };
}

export interface ChatplatformModerateResult {
  /** True if the score, or that of a heavily weighted category, reaches the threshold */
  flagged: boolean;
  /** block from block_threshold, else flag if flagged */
  action: "allow" | "flag" | "block";
  /** All categories combined by weight */
  score: number;
  /** Of score: low from 1, medium from 25, high from 50, critical from 80 */
  severity: "none" | "low" | "medium" | "high" | "critical";
  /** Score of each category; custom only with blocked_words */
  categories: {
    /** Swear words */
    profanity: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Words against groups of people */
    slur: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Explicit words and offers */
    sexual: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Insults */
    harassment: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Threats of violence or exposure, also veiled */
    threat: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Encouraging self-harm, or speaking of it */
    self_harm: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Lures, and links that are blocked, disguised or risky */
    scam: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Invites that are not in allowed_invites */
    invite: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** More links than link_limit, or the same link repeatedly */
    link_spam: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** More mentions than mention_limit, the same mention repeatedly, @everyone and @here */
    mention_spam: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Mostly capital letters */
    caps: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Repeated characters, words or lines, too many lines or emoji, overlong words, only blanks */
    flood: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Invisible characters, direction controls, look-alikes, styled letters, stacked marks */
    obfuscation: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Email addresses, phone, card, IBAN and social security numbers, public IPv4 addresses */
    personal_data: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Bot tokens, webhooks, API keys, private keys, JWTs, URLs with a server password */
    credential_leak: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Trade in drugs, weapons, forged documents, stolen cards and accounts */
    illegal_goods: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
    /** Words in blocked_words */
    custom?: {
      /** True if score is at least the threshold and not 0 */
      flagged: boolean;
      /** The worst match plus a quarter of the others */
      score: number;
    };
  };
  /** The first 50 matches, by position */
  matches: Array<{
    /** Rule that matched */
    rule: string;
    /** Category of the rule */
    category: string;
    /** Of points: low from 1, medium from 25, high from 50, critical from 80 */
    severity: "none" | "low" | "medium" | "high" | "critical";
    /** Points, including disguise and strictness */
    points: number;
    /** Matched part of the text as sent */
    match: string;
    /** Position of the first character (code point), from 0 */
    start: number;
    /** Position after the last character */
    end: number;
    /** The match without disguise */
    normalized: string;
    /** Disguises that were removed */
    obfuscation: Array<"invisible" | "fullwidth" | "styled_letters" | "confusable" | "diacritics" | "leet" | "repetition" | "separators" | "wildcard" | "mixed_case">;
  }>;
  /** The text without disguise */
  normalized_text: string;
  /** Counts in the text */
  signals: {
    /** Characters (code points) */
    length: number;
    /** Letters that have two cases */
    letters: number;
    /** Share of capitals among letters, to three decimals; 0 without letters */
    caps_ratio: number;
    /** Users, roles, @everyone and @here, including repeated ones */
    mentions: number;
    /** Distinct users and roles */
    unique_mentions: number;
    /** True if it mentions @everyone or @here */
    everyone: boolean;
    /** With or without http://, including repeated ones; at most 500 are counted */
    links: number;
    /** Invites that are not allowed */
    invites: number;
    /** Unicode and custom emoji */
    emojis: number;
    /** Including blank lines */
    lines: number;
    /** Invisible characters */
    invisible: number;
    /** Text direction controls */
    bidi_controls: number;
    /** Maximum number of marks on one letter */
    max_combining: number;
    /** Maximum number of equal characters in a row */
    longest_run: number;
    /** Words that contain look-alikes */
    mixed_script_tokens: number;
  };
  /** Present only with redact */
  redacted_text?: string;
  /** True if the author speaks of harming themself: offer help. This alone never blocks */
  support_recommended: boolean;
  /** Version of the rules */
  ruleset: string;
}

export interface ChatplatformPermissionsCalcRequest {
  /** Number as text (decimal, 0x or 0b), name, group (ALL, NONE, ALL_TEXT, ALL_VOICE, ALL_STAGE, ALL_CHANNEL, ELEVATED), or several in a list or text */
  permissions?: string | number | Array<string | number>;
  /** Permissions to add */
  add?: string | number | Array<string | number>;
  /** Permissions to remove, after add */
  remove?: string | number | Array<string | number>;
  /** Permissions to check, for has_all and missing */
  required?: string | number | Array<string | number>;
  /** Compute for this member from guild, roles and channel */
  member?: {
    /** User id */
    id: string | number;
    /** Role ids */
    roles: Array<string | number>;
    /** In a timeout. Default: false */
    timed_out?: boolean;
    /** End of the timeout */
    communication_disabled_until?: string;
  };
  /** With member */
  guild?: {
    /** Also the id of the everyone role */
    id: string | number;
    /** May do everything */
    owner_id?: string | number;
  };
  /** With member: the guild's roles, with everyone */
  roles?: Array<{
    /** Role id */
    id: string | number;
    /** As permissions */
    permissions: string | number | Array<string | number>;
  }>;
  /** With member. Default: guild level */
  channel?: {
    /** Platform's number. Default: 0 */
    type?: number;
    /** For threads, parent's count instead */
    permission_overwrites?: Array<{
      /** Role or member id */
      id: string | number;
      /** Role (0) or member (1) */
      type: 0 | 1 | "role" | "member";
      /** As permissions */
      allow?: string | number | Array<string | number>;
      /** As permissions */
      deny?: string | number | Array<string | number>;
    }>;
    /** Of a thread (types 10, 11, 12) */
    parent?: {
      /** They apply to the thread */
      permission_overwrites?: Array<{
        /** Role or member id */
        id: string | number;
        /** Role (0) or member (1) */
        type: 0 | 1 | "role" | "member";
        /** As permissions */
        allow?: string | number | Array<string | number>;
        /** As permissions */
        deny?: string | number | Array<string | number>;
      }>;
    };
  };
  /** Reference for communication_disabled_until. Default: server clock */
  now?: string | number;
}

export interface ChatplatformPermissionsCalcResult {
  /** The final value, decimal; in member mode the effective one */
  permissions: string;
  /** The value with 0x */
  hex: string;
  /** The value with 0b */
  binary: string;
  /** Names of the permissions, in bit order */
  names: Array<string>;
  /** Number of names */
  count: number;
  /** One item for each name */
  details: Array<{
    /** The platform's name */
    name: string;
    /** Bit number, from 0 */
    bit: number;
    /** Number of this permission alone, decimal */
    value: string;
    /** The number with 0x */
    hex: string;
    /** Label in the client */
    label: string;
    /** What it allows */
    description: string;
    /** Category by subject, defined by this tool */
    category: "general" | "membership" | "text" | "voice" | "stage" | "events" | "apps" | "advanced";
    /** Where it applies; empty if only to the guild */
    channel_types: Array<"text" | "voice" | "stage">;
    /** True if a bot's owner needs two-factor authentication for it in guilds that enforce it */
    requires_2fa: boolean;
  }>;
  /** Bit numbers without a name */
  unknown_bits: Array<number>;
  /** True if ADMINISTRATOR is included, which allows everything */
  administrator: boolean;
  /** True if a bot's owner needs two-factor authentication in guilds that enforce it */
  requires_2fa: boolean;
  /** Member mode: permissions from roles */
  base: string | null;
  /** Member mode: after the channel's overwrites, by the documented algorithm */
  computed: string | null;
  /** Member mode: computed, without permissions that depend on missing ones */
  effective: string | null;
  /** Permissions that apply to this type of channel */
  applicable_mask: string | null;
  /** Member mode: each step, what it allowed and denied, and the value after it */
  steps: Array<{
    /** everyone, roles, owner, administrator, channel_everyone, channel_roles, channel_member or a reason of implicit_denied */
    step: string;
    /** Allowed permissions, decimal */
    allow: string;
    /** Denied permissions, decimal */
    deny: string;
    /** All permissions after the step, decimal */
    value: string;
  }>;
  /** Member mode: permissions lost for a reason other than an overwrite */
  implicit_denied: Array<{
    /** Name of the permission */
    name: string;
    /** Why it was lost; thread is for SEND_MESSAGES, which threads do not inherit */
    reason: "timed_out" | "no_view_channel" | "no_connect" | "no_send_messages" | "thread" | "not_applicable";
  }>;
  /** Permissions that have no effect, or that may be missing */
  hints: Array<{
    /** Stable code; the tool's page lists all */
    code: "ineffective" | "split_permission";
    /** For ineffective the useless permission, for split_permission the missing one */
    name: string;
    /** The hint in English */
    message: string;
  }>;
  /** True if all of required are included; null if not requested */
  has_all: boolean | null;
  /** Names of the required permissions that are not included */
  missing: Array<string>;
  /** Member mode: problems of roles and overwrites */
  warnings: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
    /** Most warnings listed; present only with issues_truncated */
    limit?: number;
    /** Number of warnings found; present only with limit */
    actual?: number;
  }>;
  /** Date on which the platform data was last checked */
  data_revision: string;
}

export interface ChatplatformSnowflakeDecodeRequest {
  /** Id as text, or a text with one: mention, emoji, link, webhook or attachment URL */
  snowflake?: string | number;
  /** Several; an invalid one fails only its item */
  snowflakes?: Array<unknown>;
  /** Encode instead: first and last id of this instant. Forms as in chatplatform-timestamp */
  timestamp?: string | number;
  /** discord (1420070400000), twitter (1288834974657) or milliseconds up to 4102444800000. Default: "discord" */
  epoch?: string | number;
  /** Gateway shards, for shard_id */
  shard_count?: number;
  /** Reference for age_seconds, relative, in_future. Default: server clock */
  now?: string | number;
}

export interface ChatplatformSnowflakeDecodeResult {
  /** The id; for a link with several, the last */
  snowflake?: string;
  /** Form of the text */
  form?: "id" | "user_mention" | "channel_mention" | "role_mention" | "command_mention" | "emoji" | "animated_emoji" | "linked_role" | "channel_link" | "message_link" | "user_link" | "event_link" | "webhook_link" | "attachment_url";
  /** When the id was created; in encode mode, the instant */
  timestamp?: string;
  /** Whole seconds since 1970 */
  unix?: number;
  /** Milliseconds since 1970 */
  unix_ms?: number;
  /** Milliseconds since the epoch, bits 63 to 22 */
  epoch_ms?: number;
  /** Bits 21 to 17 */
  worker_id?: number;
  /** Bits 16 to 12 */
  process_id?: number;
  /** Bits 11 to 0 */
  increment?: number;
  /** 64 binary digits */
  binary?: string;
  /** 0x and 16 digits */
  hex?: string;
  /** Negative for an id in the future */
  age_seconds?: number;
  /** Such as 3 years ago */
  relative?: string;
  /** Default avatar of a user with this id */
  default_avatar_index?: number;
  /** With shard_count: the shard for a guild with this id */
  shard_id?: number | null;
  /** What is unusual about the id */
  warnings?: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
  }>;
  /** One decoded object for each id of a link, with its role */
  related?: Array<{
    /** What the id identifies */
    role: "guild" | "channel" | "message" | "attachment" | "user" | "event" | "webhook";
    /** The id */
    snowflake: string;
    /** Form of the text */
    form: string;
    /** When the id was created */
    timestamp: string;
    /** Whole seconds since 1970 */
    unix: number;
    /** Milliseconds since 1970 */
    unix_ms: number;
    /** Milliseconds since the epoch, bits 63 to 22 */
    epoch_ms: number;
    /** Bits 21 to 17 */
    worker_id: number;
    /** Bits 16 to 12 */
    process_id: number;
    /** Bits 11 to 0 */
    increment: number;
    /** 64 binary digits */
    binary: string;
    /** 0x and 16 digits */
    hex: string;
    /** Negative for an id in the future */
    age_seconds: number;
    /** Such as 3 years ago */
    relative: string;
    /** Default avatar of a user with this id */
    default_avatar_index: number;
    /** With shard_count: the shard for a guild with this id */
    shard_id: number | null;
    /** Warnings about this id, as in warnings above */
    warnings: Array<Record<string, unknown>>;
  }>;
  /** The instant as a timestamp tag */
  discord_tag?: string;
  /** With snowflakes: number of ids sent */
  count?: number;
  /** With snowflakes: number of ids decoded */
  valid_count?: number;
  /** With snowflakes: one item for each, in order */
  items?: Array<{
    /** As sent; null if it cannot be returned exactly */
    input: string | number | null;
    /** True if the id was decoded */
    valid: boolean;
    /** Why it was not decoded; null if it was */
    error: {
      /** invalid_snowflake or precision_loss */
      code?: string;
      /** The error in English */
      message?: string;
    } | null;
    /** The fields above, without related and discord_tag */
    decoded: {
      /** The id; for a link with several, the last */
      snowflake: string;
      /** Form of the text */
      form: string;
      /** When the id was created */
      timestamp: string;
      /** Whole seconds since 1970 */
      unix: number;
      /** Milliseconds since 1970 */
      unix_ms: number;
      /** Milliseconds since the epoch, bits 63 to 22 */
      epoch_ms: number;
      /** Bits 21 to 17 */
      worker_id: number;
      /** Bits 16 to 12 */
      process_id: number;
      /** Bits 11 to 0 */
      increment: number;
      /** 64 binary digits */
      binary: string;
      /** 0x and 16 digits */
      hex: string;
      /** Negative for an id in the future */
      age_seconds: number;
      /** Such as 3 years ago */
      relative: string;
      /** Default avatar of a user with this id */
      default_avatar_index: number;
      /** With shard_count: the shard for a guild with this id */
      shard_id: number | null;
      /** Warnings about this id, as in warnings above */
      warnings: Array<Record<string, unknown>>;
    } | null;
  }>;
  /** Encode mode: the epoch in Unix milliseconds */
  epoch?: number;
  /** The first id of that millisecond */
  min_snowflake?: string;
  /** The last id of that millisecond */
  max_snowflake?: string;
  /** max_snowflake + 1: as `before`, it finds this millisecond and older; null if it exceeds 64 bits */
  before?: string | null;
  /** min_snowflake - 1: as `after`, it finds this millisecond and newer; 0 at the epoch */
  after?: string;
}

export interface ChatplatformTextSanitizeRequest {
  /** Text to sanitize */
  text: string;
  /** Where the text goes; sets other defaults. Default: "message" */
  target?: "message" | "embed_title" | "embed_description" | "field_name" | "field_value" | "footer" | "code_block" | "inline_code" | "username" | "nickname" | "webhook_username" | "channel_name" | "thread_name" | "log" | "plain";
  /** escape, keep, strip, or an object that turns kinds of escapes off. Default: escape; keep for footers, code, names and logs; strip for plain */
  markdown?: string | {
    /** Existing backslashes */
    escape?: boolean;
    /** One or two backticks */
    inline_code?: boolean;
    /** Three backticks */
    code_block?: boolean;
    /** * and _ */
    italic?: boolean;
    /** ** */
    bold?: boolean;
    /** __ */
    underline?: boolean;
    /** ~~ */
    strikethrough?: boolean;
    /** || */
    spoiler?: boolean;
    /** # to ### at line start */
    heading?: boolean;
    /** - or * at line start */
    bulleted_list?: boolean;
    /** 1. at line start */
    numbered_list?: boolean;
    /** [ of a link's text */
    masked_link?: boolean;
    /** > at line start */
    quote?: boolean;
    /** >>> at line start */
    block_quote?: boolean;
    /** In code blocks */
    code_block_content?: boolean;
    /** In inline code */
    inline_code_content?: boolean;
  };
  /** With escape: a backslash before every character with a possible meaning. Default: false */
  strict?: boolean;
  /** zero_width inserts U+200B, text shows names. Default: zero_width; remove for names, keep for logs, text for plain */
  mentions?: "zero_width" | "text" | "remove" | "keep";
  /** Default: everyone, here, users, roles */
  mention_types?: Array<"everyone" | "here" | "users" | "roles" | "channels" | "commands" | "navigation">;
  /** Display names by id, for mentions as text */
  names?: Record<string, unknown>;
  /** Invisible characters outside emoji and words. Default: "remove" */
  invisible?: "remove" | "keep";
  /** Direction controls; isolate closes open ones and wraps the line. Default: "remove" */
  bidi?: "remove" | "isolate" | "keep";
  /** Unicode normal form. Default: "nfc" */
  normalize?: "nfc" | "nfkc" | "none";
  /** Letters that look like ASCII, also fullwidth, circled or mathematical; flag lists them. Default: "flag" */
  confusables?: "flag" | "replace" | "keep";
  /** Marks on a letter; scripts that need marks may have 8. Default: 4 */
  combining_limit?: number;
  /** Controls and ANSI sequences, except line feeds and tabs. Default: "remove" */
  control?: "remove" | "keep";
  /** suppress stops previews with <>, defang writes hxxps://host[.]tld. Default: "keep" */
  urls?: "keep" | "suppress" | "defang" | "remove";
  /** name leaves :name:. Default: "keep" */
  custom_emoji?: "keep" | "name" | "remove";
  /** Line feeds in a row; 0 joins lines. Default: 3; 0 for one-line targets, 10 for code blocks and logs */
  newlines?: number;
  /** Collapse runs of spaces. Default: only for names */
  collapse_spaces?: boolean;
  /** Default: the target's limit */
  max_length?: number;
  /** How to shorten; none only reports. Default: "ellipsis" */
  truncate?: "ellipsis" | "hard" | "none";
}

export interface ChatplatformTextSanitizeResult {
  /** The sanitized text */
  text: string;
  /** True if it differs from the text sent */
  changed: boolean;
  /** Characters (code points) of text */
  length: number;
  /** Characters of the text sent */
  original_length: number;
  /** Bytes of text in UTF-8 */
  utf8_bytes: number;
  /** True if the text was shortened */
  truncated: boolean;
  /** The target used */
  target: string;
  /** The limit used */
  max_length: number;
  /** Kinds of changes and their number */
  changes: Array<{
    /** What was changed; target_rule is a requirement of the target alone */
    type: "control" | "ansi" | "invisible" | "bidi" | "normalized" | "combining" | "confusable" | "whitespace" | "newline" | "mention" | "url" | "emoji" | "markdown" | "target_rule" | "truncated";
    /** Number of changes; for markdown, characters added or removed */
    count: number;
  }>;
  /** Mentions found, with positions in the text sent (characters, end exclusive) */
  mentions: Array<{
    /** What it mentions; navigation is <id:browse> and similar */
    type: "everyone" | "here" | "user" | "role" | "channel" | "command" | "navigation";
    /** null if the mention has none */
    id: string | null;
    /** As sent */
    raw: string;
    /** Position of the first character, from 0 */
    start: number;
    /** Position after the last character */
    end: number;
  }>;
  /** Links found, with positions in the text sent */
  urls: Array<{
    /** As sent */
    url: string;
    /** Position of the first character, from 0 */
    start: number;
    /** Position after the last character */
    end: number;
  }>;
  /** The first 50 look-alikes found */
  confusables: Array<{
    /** The letter, in the requested normal form */
    char: string;
    /** U+ and hex digits */
    codepoint: string;
    /** The ASCII letter that it resembles */
    ascii: string;
    /** Position in the text sent */
    start: number;
  }>;
  /** Unicode names of the scripts in the text sent */
  scripts: Array<string>;
  /** Why the target rejects the text */
  errors: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The error in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
  }>;
  /** What was lost from the text */
  warnings: Array<{
    /** The field concerned */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
    /** The violated limit; present only if there is one */
    limit?: number;
    /** The actual value; present only with limit */
    actual?: number;
  }>;
  /** Send it with the message so that the text pings nobody */
  allowed_mentions: {
    /** Always empty: no kind of mention is allowed */
    parse: Array<string>;
  };
}

export interface ChatplatformTimestampRequest {
  /** now, Unix seconds or milliseconds, an id of 17 to 20 digits as text, RFC 3339 (in timezone if without offset), RFC 2822, a date, a tag, an offset (+1d12h), or English: in 2 hours, 18:00, next friday 5pm, 24.12.2026 18:00. Default: "now" */
  timestamp?: string | number;
  /** t, T, d, D, f, F, s, S or R. Default: from a given tag, else f */
  style?: string;
  /** IANA name or offset such as -05:00. Default: "UTC" */
  timezone?: string;
  /** Preview format; en-US or en-GB also decides 03/04/2026. Default: "docs" */
  locale?: "docs" | "en-US" | "en-GB";
  /** Reference for now and relative times. Default: server clock */
  now?: string | number;
}

export interface ChatplatformTimestampResult {
  /** Whole seconds since 1970 */
  unix: number;
  /** Milliseconds since 1970 */
  unix_ms: number;
  /** In UTC with milliseconds */
  iso: string;
  /** In the time zone, with its offset */
  local: string;
  /** As requested */
  timezone: string;
  /** Such as -05:00; for times before standard time it may have seconds */
  utc_offset: string;
  /** The style's letter */
  style: string;
  /** The tag to send, with the style */
  tag: string;
  /** The tag without a style, which displays as f */
  default_tag: string;
  /** Approximate display of the tag */
  preview: string;
  /** Such as 3 hours ago, in a day */
  relative: string;
  /** Seconds from now; negative for the past */
  relative_seconds: number;
  /** True if the time is not later than now */
  is_past: boolean;
  /** In the time zone */
  weekday: string;
  /** In the time zone, from 1 */
  day_of_year: number;
  /** In the time zone, ISO 8601, such as 2021-W16 */
  iso_week: string;
  /** The first id of that millisecond; null before 2015 */
  min_snowflake: string | null;
  /** null unless the local time does not exist (gap: moved by the length of the gap) or occurs twice (overlap: the first is used) */
  dst: {
    /** Whether the local time is skipped or occurs twice */
    kind: "gap" | "overlap";
    /** Offset used for the local time */
    chosen_offset: string;
    /** The offset on the other side of the change */
    other_offset: string;
  } | null;
  /** All nine styles */
  styles: Array<{
    /** Letter of the style */
    style: string;
    /** The platform's name */
    name: string;
    /** The tag in this style */
    tag: string;
    /** Approximate display of the tag */
    preview: string;
  }>;
  /** How exact the previews are */
  preview_note: string;
  /** How English words or a numeric date were understood; only then */
  reading?: string;
}

export interface CronExplainRequest {
  /** [second] minute hour day month weekday [year], also with L W # ?; @daily, @every 1h30m; EventBridge cron(), rate(), at(); also after TZ=Zone, or as pasted */
  expression: string;
  /** Next runs. Default: 5 */
  count?: number;
  /** Runs before from. Default: 0 */
  previous?: number;
  /** IANA name or +05:30. Default: UTC */
  timezone?: string;
  /** ISO 8601, in timezone if without offset, or Unix seconds. Default: now */
  from?: string | number;
  /** How day of month and weekday combine. Default: "or" */
  day_match?: "or" | "and";
  /** For times that clocks skip. Default: "run_after" */
  dst?: "run_after" | "shift" | "skip";
  /** crontab's 0 to 7, or Quartz's 1 to 7. Default: "sunday0" */
  weekday_numbering?: "sunday0" | "sunday1";
  /** Times as 17:30. Default: false */
  use_24_hour?: boolean;
  /** Also say "every hour". Default: false */
  verbose?: boolean;
  /** Where the line runs, rewritten. Default: false */
  dialects?: boolean;
}

export interface CronExplainResult {
  /** As received */
  expression: string;
  /** The schedule in English */
  description: string;
  /** UTC times in ascending order; empty for @reboot, and for a schedule without a time until the year 9999 */
  next_runs: Array<string>;
  /** Time zone of the expression's fields */
  timezone: string;
  /** Runs are later than this time */
  from: string;
  /** Five fields (standard), with a second, a year or both, or a macro such as @daily */
  format: "standard" | "seconds" | "year" | "seconds_year" | "macro";
  /** With numbers for names, Sunday as 0, and macros expanded */
  normalized: string;
  /** From second to year; null for @every and @reboot */
  fields: {
    /** Seconds of the minute, 0 to 59; only 0 if not given */
    second: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Minutes of the hour, 0 to 59 */
    minute: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Hours of the day, 0 to 23 */
    hour: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Days of the month, 1 to 31 */
    day_of_month: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Months of the year, 1 to 12 */
    month: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Days of the week; in values 0 is Sunday, whatever weekday_numbering is */
    day_of_week: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
    /** Years, 1970 to 9999; every year if not given */
    year: {
      /** As written, or as the macro expands; null if not given */
      raw: string | null;
      /** The field in English */
      description: string;
      /** null if there are more than 60, or if they depend on the month */
      values: Array<number> | null;
    };
  } | null;
  /** The runs of next_runs with their local times */
  runs: Array<{
    /** The time in next_runs */
    utc: string;
    /** Local time with its offset from UTC */
    local: string;
    /** English name of the weekday of the local date */
    weekday: string;
    /** How a clock change affects this run */
    note: "dst_gap" | "dst_overlap_first" | "dst_overlap_second" | null;
  }>;
  /** Seconds between runs, if the next 50 intervals are equal; else null */
  interval_seconds: number | null;
  /** Average over 400 years, or over the years given */
  runs_per_day: number;
  /** True if the schedule has no run from `from` to the year 9999 */
  never: boolean;
  /** UTC times in descending order; present if previous is not 0 */
  previous_runs?: Array<string>;
  /** The first run within a year of `from` that a clock change moves, drops or repeats; present if there is one */
  next_dst_change?: string;
  /** Present on request */
  dialects?: Array<{
    /** The program */
    dialect: "debian-cron" | "cronie" | "kubernetes" | "github-actions" | "eventbridge" | "quartz" | "spring" | "cloudflare" | "apscheduler" | "jenkins" | "systemd" | "croner" | "cron-parser" | "node-cron";
    /** Does it accept the line as it is? */
    accepted: boolean;
    /** What the line means there, if that differs */
    meaning: string | null;
    /** Why it is not accepted or not rewritten */
    reason: string | null;
    /** The schedule in its syntax; lines that each run, if one line cannot express it; null if it cannot be expressed */
    rewritten: string | null;
    /** Its time zone and limits */
    note: string;
  }>;
  /** Where in the text the expression was found; present if the text has more */
  pasted?: {
    /** In quotes, as a setting such as cron: '...', as a line of a crontab, or in code */
    form: "quotes" | "setting" | "crontab" | "code";
    /** What was explained */
    expression: string;
    /** What the crontab line runs, with its user if it has one */
    command: string | null;
    /** More expressions in the text, which are ignored */
    others: number;
  };
  /** What in the schedule is probably not intended */
  warnings: Array<{
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
    /** An expression for what was probably meant */
    suggestion?: string;
  }>;
}

export interface DnsLookupRequest {
  /** Domain name, TLD or the root (.) */
  domain: string;
  /** Record types; all nine if empty */
  types?: Array<string>;
}

export interface DnsLookupResult {
  /** The name in lower-case A-labels, without the final dot; a dot for the root */
  domain: string;
  /** A list for each requested type, in the order of the request; empty when the name has no such record */
  records: {
    /** IPv4 addresses, in the order of the DNS response */
    A?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** IPv4 address */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
    }>;
    /** IPv6 addresses, in the order of the DNS response */
    AAAA?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** IPv6 address in the form of RFC 5952 */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
    }>;
    /** Sorted by priority */
    MX?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** Priority and host, such as 10 mail.example.com; 0 . means that the domain accepts no mail */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
      /** 0 to 65535; clients try the lowest first */
      priority: number;
      /** Mail server; a dot means that the domain accepts no mail */
      exchange: string;
    }>;
    /** Texts, in the order of the DNS response */
    TXT?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** The strings joined; a byte that is not UTF-8 is a backslash and three digits */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
      /** The strings of at most 255 bytes each, in the same notation as data */
      strings: Array<string>;
    }>;
    /** The domain's own alias; cname_chain has the whole chain */
    CNAME?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** Target name, without the final dot */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
    }>;
    /** Name servers, in the order of the DNS response; empty unless the name is a zone apex */
    NS?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** Host name of a name server of the zone, without the final dot */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
    }>;
    /** Start of authority; empty unless the name is a zone apex */
    SOA?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** The seven fields in zone file order */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
      /** Primary name server of the zone */
      mname: string;
      /** Mailbox of the zone's administrator, with a dot instead of the @ */
      rname: string;
      /** Serial number of the zone */
      serial: number;
      /** Seconds between a secondary server's checks for a newer version */
      refresh: number;
      /** Seconds until a secondary server retries a failed check */
      retry: number;
      /** Seconds after which a secondary server drops the zone if every check fails */
      expire: number;
      /** Maximum seconds that resolvers cache a negative response */
      minimum: number;
    }>;
    /** Sorted by priority */
    SRV?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** Priority, weight, port, target */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
      /** 0 to 65535; clients try the lowest first */
      priority: number;
      /** Relative share of clients among records of equal priority, 0 to 65535 */
      weight: number;
      /** Port of the service on the target */
      port: number;
      /** Host of the service; a dot means that the service is not available */
      target: string;
    }>;
    /** Authorities that may issue certificates, in the order of the DNS response */
    CAA?: Array<{
      /** Record type, the same as the list's */
      type: string;
      /** Owner name: the domain, or the end of its alias chain */
      name: string;
      /** Flags, tag and value: 0 issue "ca.example.net" */
      data: string;
      /** Remaining time to live in seconds */
      ttl: number;
      /** 0 to 255; 128 (critical) forbids an authority that does not know the tag to issue */
      flags: number;
      /** Property name, such as issue, issuewild or iodef */
      tag: string;
      /** Usually an authority's domain; a byte that is not UTF-8 is a backslash and three digits */
      value: string;
    }>;
  };
  /** The types looked up, in the order of the request, without duplicates */
  queried_types: Array<string>;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** The name in Unicode */
  unicode_domain: string;
  /** NOERROR if the name exists, NXDOMAIN if it does not, otherwise the worst of statuses */
  status: "NOERROR" | "NXDOMAIN" | "FORMERR" | "NOTIMP" | "REFUSED" | "SERVFAIL" | "TIMEOUT" | "ERROR";
  /** One status per type: NOERROR (records exist), NODATA (no records of this type), NXDOMAIN, another response code's name, TIMEOUT, or ERROR for an invalid DNS response */
  statuses: Record<string, unknown>;
  /** Whether the resolver validated every successful response with DNSSEC */
  dnssec_authenticated: boolean;
  /** CNAME records from the domain to canonical_name, in order */
  cname_chain: Array<{
    /** The alias */
    name: string;
    /** The name that it points to */
    target: string;
    /** Remaining time to live in seconds */
    ttl: number;
  }>;
  /** The last name of the alias chain; the domain if it has no alias; in a loop, the first name that recurs */
  canonical_name: string;
  /** Present if the aliases form a loop, so the name has no records */
  cname_loop?: true;
  /** Extended DNS errors from the resolver (RFC 8914) */
  extended_errors: Array<{
    /** Record type that was queried */
    type: string;
    /** Info code of RFC 8914, such as 6 for a bogus DNSSEC signature */
    code: number;
    /** The resolver's explanation, truncated to 75 bytes; may be empty */
    text: string;
  }>;
  /** URL of the resolver that sent the first response in the list */
  resolver: string;
  /** Seconds that resolvers may cache a negative response; null if unknown */
  soa_negative_ttl: number | null;
  /** Whether some queries got no response */
  partial: boolean;
  /** Whether a type has more than 500 records; the first 500 are shown */
  truncated: boolean;
}

export interface EmailBlacklistCheckRequest {
  /** Domain, URL, email address or IP address */
  domain?: string;
  /** Public IPv4 or IPv6 address, without brackets; 127.0.0.2 is the test address, which every list has */
  ip?: string;
  /** Also check IPv6 addresses. Default: false */
  include_ipv6?: boolean;
  /** Also check IPv4 addresses of up to 3 mail servers. Default: false */
  include_mx?: boolean;
}

export interface EmailBlacklistCheckResult {
  /** The address, or the domain in A-labels and lower case */
  target: string;
  /** Kind of target */
  type: "domain" | "ip";
  /** The address, or at most 10 public addresses of the domain: its IPv4 addresses in numeric order, then the requested IPv6 and mail server addresses */
  checked_ips: Array<string>;
  /** Number of listed entries in ip_listings and domain_listings */
  listed_count: number;
  /** Whether nothing is listed, and at least half of the queried lists answered */
  clean: boolean;
  /** One entry for each address and each list that supports its kind; for each address, the lists that list it come first */
  ip_listings: Array<{
    /** The address */
    ip: string;
    /** Name of the list */
    list: string;
    /** DNS zone of the list */
    zone: string;
    /** blocked: the list rejects queries from this service, so the status is unknown; error: the list did not answer, or its answer is invalid */
    status: "listed" | "clean" | "blocked" | "error";
    /** Addresses in the list's answer */
    codes: Array<string>;
    /** listed: the text of the list, at most 300 bytes; blocked, error: why */
    reason: string | null;
    /** Meaning of the codes */
    meaning: string | null;
    /** Subject of the list: spam, exploit, policy, network, backscatter or new-domain */
    category: string;
    /** Page for removal requests */
    delist_url: string | null;
  }>;
  /** Number of queried lists */
  lists_checked: number;
  /** As ip_listings, for the domain */
  domain_listings: Array<{
    /** The domain */
    domain: string;
    /** Name of the list */
    list: string;
    /** DNS zone of the list */
    zone: string;
    /** As in ip_listings */
    status: "listed" | "clean" | "blocked" | "error";
    /** Addresses in the list's answer */
    codes: Array<string>;
    /** As in ip_listings */
    reason: string | null;
    /** Meaning of the codes */
    meaning: string | null;
    /** Subject of the list */
    category: string;
    /** Page for removal requests */
    delist_url: string | null;
  }>;
  /** Number of lists that answered for every target */
  lists_answered: number;
  /** Number of blocked entries */
  blocked_count: number;
  /** Number of entries with status error */
  error_count: number;
  /** Whether the domain has more addresses than were checked */
  truncated_ips: boolean;
  /** Whether the domain exists in the DNS */
  exists: boolean;
  /** Whether time ran out before all lists were queried */
  partial: boolean;
  /** Start of the check, in UTC */
  scanned_at: string;
}

export interface EmailDeliverabilityRequest {
  /** Domain, URL or email address; any script */
  domain: string;
  /** DKIM selectors besides nine of the providers seen, as s= of a signature */
  dkim_selectors?: Array<string>;
  /** Public address to check as a sender: SPF, reverse name, blocklists */
  ip?: string;
  /** Connect to 3 mail servers: greeting, STARTTLS, certificate. Default: false */
  smtp?: boolean;
}

export interface EmailDeliverabilityResult {
  /** In A-labels and lower case, without a final dot */
  domain: string;
  /** Points of MX, SPF, DKIM and DMARC, as a percentage of the possible points */
  score: number;
  /** A+ from 95, A from 85, B from 70, C from 55, D from 40. A+ also requires that none of the four checks failed, an MTA-STS policy in mode enforce that names all mail servers, and TLS-RPT. A domain closed to mail needs neither MTA-STS nor TLS-RPT */
  grade: "A+" | "A" | "B" | "C" | "D" | "F";
  /** The scored checks MX, SPF, DKIM and DMARC, then the others, which are not scored; at the end Sender with ip, and SMTP with smtp */
  checks: Array<{
    /** Name of the check */
    name: "MX" | "SPF" | "DKIM" | "DMARC" | "MTA-STS" | "TLS-RPT" | "BIMI" | "DNSSEC" | "DANE" | "Sender" | "SMTP";
    /** A scored check passes from 80 % of its points and fails below 40 %. It never passes with a high finding, and always fails with a critical one. error: it could not be tested */
    status: "pass" | "warn" | "fail" | "info" | "error";
    /** The record or the reason, at most 500 characters */
    detail: string;
    /** Null if it is not scored or could not be tested */
    points: number | null;
    /** 20 for MX and DKIM, 30 for SPF and DMARC; null if not scored */
    max_points: number | null;
    /** Sorted by severity, then in the order of the table of findings */
    findings: Array<{
      /** Name of the finding, such as SPF_SOFTFAIL */
      code: string;
      /** Severity */
      severity: "critical" | "high" | "medium" | "low" | "info";
      /** Description of the finding */
      message: string;
      /** Points lost */
      points: number;
    }>;
    /** Details, different for each check: records and addresses of MX, the SPF tree with the DNS lookups of each include, DKIM keys, DMARC tags and report destinations */
    data: Record<string, unknown>;
  }>;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** The domain in Unicode; present only if it differs */
  domain_unicode?: string;
  /** Whether some lookups were left out because of the time or count limit */
  partial: boolean;
  /** Organizational domain: one label below the public suffix; its DMARC record applies to all its subdomains */
  org_domain: string;
  /** Operator of the first mail server; null if unknown */
  mail_provider: string | null;
  /** Whether the domain has a mail server, or an address that serves as one */
  receives_mail: boolean;
  /** False if the SPF record is exactly v=spf1 -all; null without a valid SPF record */
  sends_mail: boolean | null;
  /** Number of checks with each status */
  summary: {
    /** Passed */
    pass: number;
    /** Can be improved */
    warn: number;
    /** Failed */
    fail: number;
    /** Information only */
    info: number;
    /** Could not be tested */
    error: number;
  };
  /** What to fix, at most 12, sorted by the points gained */
  recommendations: Array<{
    /** 1 is the most important */
    priority: number;
    /** Name of the check */
    check: string;
    /** Code of the finding */
    code: string;
    /** What to do */
    action: string;
  }>;
}

export interface EmailHeaderAnalyzerRequest {
  /** Header or raw message; may be quoted, indented or HTML-escaped */
  headers: string;
}

export interface EmailHeaderAnalyzerResult {
  /** Main fields, decoded for display; control and direction control characters become U+FFFD */
  summary: {
    /** From; every text here has at most 2,000 characters */
    from: string | null;
    /** Subject */
    subject: string | null;
    /** Message-ID, with its angle brackets */
    message_id: string | null;
    /** To */
    to: string | null;
    /** Cc */
    cc: string | null;
    /** Reply-To */
    reply_to: string | null;
    /** Return-Path */
    return_path: string | null;
    /** Date in UTC; null if it cannot be read */
    date: string | null;
    /** Date as written */
    date_raw: string | null;
    /** Address of the first sender in From */
    from_address: string | null;
    /** Name of that sender */
    from_name: string | null;
    /** Domain of that address, in A-labels */
    from_domain: string | null;
    /** X-Mailer, otherwise User-Agent */
    mailer: string | null;
    /** List-Id */
    list_id: string | null;
    /** List-Unsubscribe */
    list_unsubscribe: string | null;
    /** Whether one-click unsubscribe is supported (RFC 8058) */
    list_unsubscribe_one_click: boolean;
    /** X-Originating-IP */
    x_originating_ip: string | null;
    /** Content-Type */
    content_type: string | null;
  };
  /** Results of the receiving side, if they can be trusted */
  authentication: {
    /** SPF result; unknown if the header has none */
    spf: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror" | "bestguesspass" | "unknown";
    /** DKIM result; pass if any signature passes */
    dkim: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror" | "bestguesspass" | "unknown";
    /** DMARC result; never derived from the others */
    dmarc: "pass" | "fail" | "softfail" | "neutral" | "none" | "policy" | "temperror" | "permerror" | "bestguesspass" | "unknown";
    /** Field that the results come from */
    source: "authentication-results" | "received-spf" | "arc" | "none";
    /** Name of the server that checked, as it calls itself */
    authserv_id: string | null;
    /** Whether the receiver wrote the field: above the Received field by which the message came in, or directly below it. The sender can forge any other */
    trusted: boolean;
    /** Domain that SPF was checked for */
    spf_domain: string | null;
    /** Domains with a passing signature */
    dkim_domains: Array<string>;
    /** Policy of the sender's domain, in lower case */
    dmarc_policy: string | null;
    /** ARC result */
    arc: string | null;
    /** Composite authentication of Exchange Online */
    compauth: string | null;
    /** BIMI result */
    bimi: string | null;
    /** Reverse DNS result of the address */
    iprev: string | null;
    /** Whether the checked domains belong to the owner of From */
    alignment: {
      /** strict: same domain; relaxed: same owner; null if unknown */
      spf: "strict" | "relaxed" | "none" | null;
      /** As spf */
      dkim: "strict" | "relaxed" | "none" | null;
      /** Organizational domain of From, by the public suffix list */
      organizational_domain: string | null;
    };
    /** Every result of every field, in order */
    all_results: Array<{
      /** Index of the field in the message, from 0 */
      header_index: number;
      /** Server that checked */
      authserv_id: string | null;
      /** spf, dkim, dmarc, … */
      method: string;
      /** pass, fail, …; unknown for other words */
      result: string;
      /** Why */
      reason: string | null;
      /** smtp.mailfrom, header.d, … */
      properties: Record<string, unknown>;
      /** Whether the results above use it */
      trusted: boolean;
    }>;
    /** Signatures as written; they are not verified */
    dkim_signatures: Array<{
      /** d tag */
      domain: string | null;
      /** s tag */
      selector: string | null;
      /** a tag */
      algorithm: string | null;
      /** c tag */
      canonicalization: string | null;
      /** h tag, in lower case */
      signed_headers: Array<string>;
      /** t tag, in seconds since 1970 */
      timestamp: number | null;
      /** x tag, in seconds since 1970 */
      expires: number | null;
      /** l tag: number of signed body bytes */
      body_length: number | null;
      /** i tag */
      identity: string | null;
      /** Whether it has all that RFC 6376 requires */
      valid_syntax: boolean;
    }>;
    /** ARC seals of forwarders (RFC 8617) */
    arc_chain: {
      /** Highest instance number */
      instances: number;
      /** Whether each instance has its three fields once, newer ones above, with cv=none first, then cv=pass */
      valid_structure: boolean;
      /** cv tag of the last seal */
      last_cv: string | null;
      /** What was not checked */
      detail: string;
    };
  };
  /** Number of Received fields, including unreadable ones */
  hop_count: number;
  /** From the first dated hop to the last; negative if clocks disagree */
  total_delivery_seconds: number;
  /** The route, from the first server to the last */
  hops: Array<{
    /** Index, from 0 */
    index: number;
    /** Sending host; empty if not stated */
    from: string;
    /** Receiving host; empty if not stated */
    by: string;
    /** Since the nearest earlier hop whose date has a known zone; can exceed a day */
    delay_seconds: number | null;
    /** In UTC; null if it cannot be read */
    timestamp: string | null;
    /** As written */
    timestamp_raw: string | null;
    /** SMTP, ESMTPS, LMTP, … */
    protocol: string | null;
    /** Message ID of the server */
    id: string | null;
    /** The recipient */
    for: string | null;
    /** Link or physical medium */
    via: string | null;
    /** Name of the sending host in HELO or EHLO */
    helo: string | null;
    /** Address of the sending host, in RFC 5952 form */
    from_ip: string | null;
    /** Name of that address, as the receiving host looked it up */
    from_rdns: string | null;
    /** Address of the receiving host */
    by_ip: string | null;
    /** Software of the receiving host */
    software: string | null;
    /** Whether the connection was encrypted; null if unknown */
    tls: boolean | null;
    /** TLS version, such as TLSv1.3 */
    tls_version: string | null;
    /** Cipher, as the server names it */
    tls_cipher: string | null;
    /** Whether the sending host or user authenticated */
    authenticated: boolean;
    /** Authenticated user */
    auth_user: string | null;
    /** Envelope sender */
    envelope_from: string | null;
    /** Whether the sending host is private, the same host, or not stated */
    internal: boolean;
    /** Software whose format the field has; generic for other formats, unparsed if unreadable */
    form: string;
    /** Whether any part was understood */
    parse_ok: boolean;
    /** The field, unfolded; at most 4,000 bytes */
    raw: string;
  }>;
  /** Anomalies, in the order of the table of flags; at most 20 of one code */
  flags: Array<{
    /** Kind of anomaly, for programs */
    code: string;
    /** Severity */
    severity: "info" | "low" | "medium" | "high" | "critical";
    /** Description, in English */
    message: string;
    /** Index of the hop; present only if the anomaly concerns one */
    hop?: number;
  }>;
  /** Number of fields read, at most 1,000 */
  header_count: number;
  /** The first 100 fields that are not reported above */
  other_headers: Array<{
    /** As written */
    name: string;
    /** Decoded, at most 1,000 characters */
    value: string;
  }>;
  /** Bytes after the header */
  body_bytes: number;
  /** From Date to the first hop */
  submission_delay_seconds: number | null;
  /** Sum of all delays that are not negative */
  transit_seconds: number | null;
}

export interface EmailSpamCheckRequest {
  /** Encoded words are decoded */
  subject?: string;
  /** Text, HTML or raw message; subject or body must not be blank */
  body?: string;
  /** HTML part; body is then the text part; both together: 60,000 characters */
  html?: string;
  /** Sender, name optional; enables the sender rules */
  from?: string;
  /** Reply-To address */
  reply_to?: string;
  /** Of body; auto detects it. Default: "auto" */
  format?: "auto" | "text" | "html" | "raw";
}

export interface EmailSpamCheckResult {
  /** Higher is worse */
  spam_score: number;
  /** By spam_score: medium from 15, high from 30, critical from 60 */
  spam_risk: "low" | "medium" | "high" | "critical";
  /** Estimate from spam_score alone */
  inbox_likelihood: number;
  /** By spam_score: A+ up to 4, A up to 9, B up to 19, C up to 29, D up to 44 */
  grade: "A+" | "A" | "B" | "C" | "D" | "F";
  /** Rules that matched, sorted by points */
  findings: Array<{
    /** Name of the rule, for programs */
    rule: string;
    /** By points: low from 1, medium from 5, high from 10, critical from 18 */
    severity: "info" | "low" | "medium" | "high" | "critical";
    /** Before the caps */
    points: number;
    /** Description, with the count if more than one */
    message: string;
    /** What to change */
    fix: string;
    /** Category of the rule */
    category: "subject" | "phrases" | "links" | "html" | "obfuscation" | "style" | "compliance" | "sender";
    /** The text that matched, at most 120 characters */
    evidence: string | null;
    /** Count or size */
    count: number;
    /** Weak findings count in full only together with strong ones */
    strength: "strong" | "weak";
  }>;
  /** Points of each category after the caps */
  category_scores: {
    /** Subject */
    subject: number;
    /** Wording */
    phrases: number;
    /** Links */
    links: number;
    /** Markup */
    html: number;
    /** Hidden or disguised text */
    obfuscation: number;
    /** Style */
    style: number;
    /** Duties of bulk mail */
    compliance: number;
    /** Sender */
    sender: number;
  };
  /** Sum before the limit of 100. Weak findings together count at most 14, 24 or 45, by the number of strong ones; in a body of more than 400 words 8, 16 or 30 */
  counted_points: number;
  /** Format that body was read as */
  input_kind: "text" | "html" | "raw";
  /** Counts of the visible content */
  stats: {
    /** Words */
    words: number;
    /** Characters */
    characters: number;
    /** Number of different links */
    links: number;
    /** Number of different link domains */
    unique_domains: number;
    /** Images without tracking pixels */
    images: number;
    /** Capital letters, in percent of all letters that have case */
    uppercase_percent: number;
    /** Exclamation marks */
    exclamation_marks: number;
    /** Visible characters, in percent of the bytes of the HTML */
    html_text_percent: number | null;
    /** Length of the subject without Re: and tags, in characters */
    subject_length: number;
  };
  /** Number of rules that apply to this input */
  rules_checked: number;
}

export interface EmailValidatorRequest {
  /** Also Name <address> or mailto:address; trimmed. An invalid address gets a verdict, not an error */
  email: string;
  /** Do not use DNS results cached by earlier calls. Default: false */
  refresh?: boolean;
}

export interface EmailValidatorResult {
  /** The email of the request, without white space around it */
  email: string;
  /** The domain in A-labels and lower case; for an invalid address, the text after the last @, or empty */
  domain: string;
  /** disposable: a throwaway mailbox; otherwise suspicious from a score of 40, which includes undeliverable addresses */
  verdict: "disposable" | "suspicious" | "legitimate";
  /** Risk: the sum of the signals' weights, limited to 0 to 100 */
  score: number;
  /** Reasons for and against the address, the heaviest first */
  signals: Array<{
    /** Name in the table of signals */
    code: string;
    /** Added to the score; negative if it speaks for the address */
    weight: number;
    /** Meaning */
    message: string;
  }>;
  /** Whether the DNS results come from an earlier call, up to 6 hours ago, or 1 hour if the domain accepts no mail. False if no DNS query was needed */
  cached: boolean;
  /** The address without comments and unneeded quotes, its domain in A-labels; null if invalid */
  normalized: string | null;
  /** Identical for all addresses known to reach the same mailbox: in lower case, without tag, by the provider's rules. Use it for comparison, not for sending; null if invalid */
  canonical: string | null;
  /** The address that was probably intended */
  suggestion: string | null;
  /** Syntax of the address */
  syntax: {
    /** Whether the syntax is valid for sending mail */
    valid: boolean;
    /** rfc5321: unusual, but mail servers must accept it; cfws: has comments or blanks, valid in headers only; deprecated: obsolete form of RFC 5322; rfc5322: valid in a header, but not for mail servers; error: invalid */
    category: "valid" | "rfc5321" | "cfws" | "deprecated" | "rfc5322" | "error";
    /** Code of the worst problem */
    diagnosis: string;
    /** Meaning of the diagnosis */
    message: string;
    /** Index of the character with the worst problem, from 0; null if the address has no problem */
    position: number | null;
    /** The part before the @, without quotes; null if invalid */
    local_part: string | null;
    /** Whether the local part needs quotes */
    quoted: boolean;
    /** Whether the local part is not ASCII, so that mail servers must support SMTPUTF8 (RFC 6531) */
    smtputf8: boolean;
    /** Name before an address in angle brackets */
    display_name: string | null;
  };
  /** DNS results */
  deliverability: {
    /** Whether the domain has MX records; null if this was not queried or not answered */
    mx: boolean | null;
    /** Whether the domain declares that it accepts no mail (RFC 7505) */
    null_mx: boolean;
    /** Whether the domain has no MX record and its address is the mail server (RFC 5321) */
    implicit_mx: boolean;
    /** The first mail servers, at most 5, in order of preference */
    mx_hosts: Array<string>;
    /** Mail provider, if known */
    provider: string | null;
  };
  /** Summary of the signals */
  flags: {
    /** Whether the mailbox is disposable */
    disposable: boolean;
    /** Whether the local part names a role, not a person */
    role: boolean;
    /** Whether a free mail provider hosts the mailbox */
    free_provider: boolean;
    /** Whether it is a forwarding alias that its owner can turn off */
    relay_alias: boolean;
    /** Whether the local part has a tag */
    subaddressed: boolean;
    /** Whether the domain looks like a typo */
    typo: boolean;
    /** Whether the local part looks random */
    gibberish: boolean;
  };
}

export interface EmailValidatorBulkRequest {
  /** As email-validator accepts them. An empty one, or one over 1,000 characters, is invalid */
  emails: Array<string>;
}

export interface EmailValidatorBulkResult {
  /** Number of addresses in the request */
  total: number;
  /** Number with this verdict */
  disposable: number;
  /** Number with this verdict */
  suspicious: number;
  /** Number with this verdict */
  legitimate: number;
  /** One entry for each address, in order */
  results: Array<{
    /** The address of the request, without white space around it */
    email: string;
    /** The domain in A-labels and lower case; for an invalid address, the text after the last @, or empty */
    domain: string;
    /** As in email-validator */
    verdict: "disposable" | "suspicious" | "legitimate";
    /** Risk: the sum of the signals' weights, limited to 0 to 100 */
    score: number;
    /** Number of signals */
    signal_count: number;
    /** Reasons for and against the address, the heaviest first; the page of email-validator has the table */
    signals: Array<{
      /** Name in the table of signals */
      code: string;
      /** Added to the score */
      weight: number;
      /** Meaning */
      message: string;
    }>;
    /** The address that was probably intended */
    suggestion: string | null;
    /** Whether the syntax is valid for sending mail */
    syntax_valid: boolean;
    /** Whether the DNS results come from an earlier call */
    cached: boolean;
    /** Index of the first address that reaches the same mailbox, from 0; null if this is the first */
    duplicate_of: number | null;
  }>;
  /** Number of different domains looked up */
  unique_domains: number;
  /** Whether a domain's name servers did not answer in time, so its addresses were checked without DNS results */
  partial: boolean;
}

export interface ExposedFilesRequest {
  /** A site that you own; path ignored */
  url: string;
}

export interface ExposedFilesResult {
  /** The requested URL in canonical form */
  url: string;
  /** Number of paths requested */
  checked_paths: number;
  /** Number of entries in exposed */
  exposed_count: number;
  /** Exposed paths by severity */
  severity_counts: {
    /** Critical paths */
    critical: number;
    /** Paths of high severity */
    high: number;
    /** Paths of medium severity */
    medium: number;
    /** Paths of low severity */
    low: number;
  };
  /** Whether the site returns 200 for paths that cannot exist; pages similar to those responses count as absent */
  soft_404_detected: boolean;
  /** Files that anyone can read, the most severe first */
  exposed: Array<{
    /** Path relative to base_url */
    path: string;
    /** HTTP status; 206 if the site sent only the requested range */
    status: 200 | 206;
    /** Always true in this list */
    exposed: true;
    /** Severity of the path, raised if the content has a secret such as a password */
    severity: "critical" | "high" | "medium" | "low";
    /** environment, repository, credentials, backup, config, debug, database, server-status, log or metadata */
    type: string;
    /** medium if the site returns 200 for every path */
    confidence: "high" | "medium";
    /** How the file was recognized; never quotes its content */
    evidence: string;
    /** Content-Type header; empty if missing */
    content_type: string;
    /** Size of the whole file in bytes; null if the site does not send it */
    size: number | null;
  }>;
  /** Every path requested */
  checked: Array<{
    /** Path relative to base_url */
    path: string;
    /** HTTP status; null if the site sent no response */
    status: number | null;
    /** blocked: 401 or 403; soft_404: similar to the site's responses for paths that cannot exist; no_match: a file exists, but not the sensitive content expected there; error: no response, 429 or 5xx */
    outcome: "exposed" | "absent" | "blocked" | "soft_404" | "no_match" | "error" | "redirect";
  }>;
  /** The scanned site */
  base_url: string;
  /** Whether the certificate is trusted and matches the host; null for http */
  tls_verified: boolean | null;
  /** Whether the site also returns 403 for paths that cannot exist */
  waf_suspected: boolean;
  /** Whether some paths were skipped: time ran out, or five requests in a row got no response */
  partial: boolean;
  /** Start of the scan, in UTC */
  scanned_at: string;
}

export interface HashGenerateRequest {
  /** Hashed byte for byte; may be empty */
  input: string;
  /** MD5, SHA-1, SHA-224/256/384/512, SHA-512/224, SHA-512/256, SHA3-224/256/384/512, BLAKE2b-512, BLAKE2s-256, RIPEMD-160, Keccak-256, CRC-32, CRC-32C, xxHash32 or xxHash64. Default: SHA-256 */
  algorithm?: string;
  /** More algorithms, each computed once */
  algorithms?: Array<string>;
  /** Hash to compare with, in hex or Base64, also as sha256:… or with a file name */
  expected?: string;
  /** Key for HMAC; may be empty */
  key?: string;
  /** Of key. Default: "utf8" */
  key_encoding?: "utf8" | "hex" | "base64";
  /** Of input; base64 in either alphabet. Default: "utf8" */
  input_encoding?: "utf8" | "hex" | "base64";
}

export interface HashGenerateResult {
  /** Name of the algorithm used, such as SHA-256 or HMAC-SHA-256 */
  algorithm: string;
  /** Lowercase hex digits */
  hash: string;
  /** Characters (code points) of input as received */
  input_length: number;
  /** Number of bytes hashed */
  input_bytes: number;
  /** The hash in Base64 with padding */
  hash_base64: string;
  /** Whether the hash is the expected one; present if expected was given */
  matches?: boolean;
  /** Weaknesses of an algorithm or the key, and an expected hash of the wrong length */
  warnings: Array<{
    /** Stable code; the tool's page lists all */
    code: string;
    /** The warning in English */
    message: string;
  }>;
  /** One hash for each algorithm, in the order requested; present if algorithms was given */
  hashes?: Array<{
    /** Name of the algorithm */
    algorithm: string;
    /** Lowercase hex digits */
    hash: string;
    /** The hash in Base64 with padding */
    hash_base64: string;
    /** Whether it is the expected one */
    matches?: boolean;
  }>;
}

export interface JsonToCodeRequest {
  /** Any JSON value, or JSON as text */
  sample?: unknown;
  /** Several values of one type, instead of sample */
  samples?: Array<unknown>;
  /** json-schema, typescript, go, python, rust, kotlin, zod, java, csharp, php. Default: the first six */
  targets?: string | Array<string>;
  /** Enums for texts with 2 to 12 values of up to 32 characters, each used twice on average; not in Go. Default: false */
  enums?: boolean;
  /** Date types for RFC 3339 times in Go, Python, Java and Zod. Default: false */
  date_times?: boolean;
  /** JSON pointers to objects whose names are data: /rates, /users/* /scores */
  maps?: Array<string>;
  /** Package of Go (last part), Java and Kotlin; namespace of C# and PHP */
  package_name?: string;
  /** Outermost type; converted to PascalCase. Default: "Root" */
  root_name?: string;
}

export interface JsonToCodeResult {
  /** Name used for the outermost type */
  root_name: string;
  /** Names of the targets, in the order listed in the request's description */
  targets: Array<string>;
  /** Number of named types, equal for all targets: each object, and always the outermost type */
  types_generated: number;
  /** Source code by target name; JSON for json-schema */
  code: Record<string, unknown>;
  /** The named types, in the order of the sample */
  types: Array<{
    /** Name in the code, equal for all targets */
    name: string;
    /** First occurrence, such as $.orders[].customer */
    path: string;
    /** Number of fields */
    fields: number;
  }>;
  /** What the code cannot express or expresses in an unexpected way */
  notes: Array<{
    /** Place in the sample, such as $.orders[].customer; .* for the values of a map, … for what is cut */
    path: string;
    /** Stable code; the tool's page lists all */
    code: string;
    /** The note in English */
    message: string;
  }>;
  /** True if there were more than 200 notes */
  truncated: boolean;
}

export interface JwtDecodeRequest {
  /** JWS, JWE or SD-JWT, also as pasted */
  token: string;
  /** Time to check at, Unix seconds or ISO 8601. Default: now */
  at?: number | string;
  /** To verify: HMAC secret, PEM, JWK, JWK set or OpenSSH public key */
  key?: string;
  /** Of an HMAC secret */
  key_encoding?: "utf8" | "base64" | "base64url" | "hex";
  /** Detached payload, as signed */
  payload?: string;
  /** Of payload; base64 in either alphabet. Default: "utf8" */
  payload_encoding?: "utf8" | "base64";
}

export interface JwtDecodeResult {
  /** As in the token; for a token in JSON, its protected and unprotected members together */
  header: Record<string, unknown>;
  /** As in the token, or as sent separately; empty if it is encrypted, detached and not sent, or not a JSON object */
  payload: Record<string, unknown>;
  /** True if exp has passed */
  expired: boolean;
  /** Sorted by severity, then code; at most 20 of one code */
  warnings: Array<{
    /** Stable code; the tool's page lists all */
    code: string;
    /** From critical down to info */
    severity: "critical" | "high" | "medium" | "low" | "info";
    /** The warning in English */
    message: string;
    /** The parameter or claim concerned */
    claim: string | null;
  }>;
  /** The highest severity */
  risk: "critical" | "high" | "medium" | "low" | "info" | "none";
  /** Of an SD-JWT; the first 100 */
  disclosures?: Array<{
    /** The claim; null for an item of a list */
    name: string | null;
    /** The value; null if the disclosure is invalid */
    value: unknown;
    /** In base64url */
    digest: string;
    /** True if the digest is in the token */
    signed: boolean;
  }>;
  /** The token at the end of an SD-JWT; its signature is not checked */
  key_binding?: {
    /** Of the binding token */
    header: Record<string, unknown>;
    /** Of the binding token */
    payload: Record<string, unknown>;
    /** True if sd_hash is the digest of what precedes */
    sd_hash_valid: boolean;
  } | null;
  /** Where in the text the token was found; present if the text has more */
  pasted?: {
    /** What is around the token */
    form: "quotes" | "header" | "parameter" | "json" | "text";
    /** Name of the header field, parameter or member */
    name: string | null;
    /** More tokens, which are ignored; access_token is preferred */
    others: number;
  };
  /** Present if there were more warnings */
  truncated?: boolean;
  /** JWE if encrypted; unsecured with alg none and an empty signature; else JWS */
  type: "JWS" | "JWE" | "unsecured";
  /** alg */
  algorithm: string | null;
  /** null for an unknown algorithm */
  algorithm_description: string | null;
  /** kid */
  key_id: string | null;
  /** typ */
  token_type: string | null;
  /** iss */
  issuer: string | null;
  /** sub */
  subject: string | null;
  /** aud, always as a list */
  audience: Array<string>;
  /** jti */
  jwt_id: string | null;
  /** iat; null if it is missing or not a time in the years 1 to 9999 */
  issued_at: string | null;
  /** nbf; null as for issued_at */
  not_before: string | null;
  /** exp; null as for issued_at */
  expires_at: string | null;
  /** Negative once the token has expired */
  expires_in_seconds: number | null;
  /** Since iat */
  age_seconds: number | null;
  /** From iat, else nbf, to exp */
  lifetime_seconds: number | null;
  /** True if the time is within nbf and exp; null if the claims cannot be read */
  active: boolean | null;
  /** As in the token, in base64url */
  signature: string;
  /** Length of the decoded signature; 0 without a signature and for a JWE */
  signature_bytes: number;
  /** null if not checked. With several signatures, true if one of them is valid; `signatures` says which. No other field says whether the token is genuine */
  signature_verified: boolean | null;
  /** The parts as in the token */
  segments: {
    /** In base64url; for a token in JSON its protected header, which may be empty */
    header: string;
    /** In base64url, unless b64 is false; empty for a JWE and if detached */
    payload: string;
    /** In base64url; empty for a JWE and for an unsigned token */
    signature: string;
  };
  /** Present if the payload is not in the token */
  payload_detached?: boolean;
  /** The payload, if it is text but not a JSON object */
  payload_text?: string;
  /** The payload, if it is not text */
  payload_base64?: string;
  /** Present for a JWE */
  encrypted?: boolean;
  /** Content encryption algorithm of a JWE */
  enc?: string | null;
  /** Decoded lengths of the other parts of a JWE; present for a JWE */
  encrypted_parts?: {
    /** Encrypted content key; 0 if the token has no key */
    encrypted_key_bytes: number;
    /** Initialization vector */
    iv_bytes: number;
    /** Encrypted content */
    ciphertext_bytes: number;
    /** Authentication tag */
    tag_bytes: number;
  };
  /** The token inside the token */
  nested?: {
    /** As in the inner token */
    header: Record<string, unknown>;
    /** As in the inner token; empty if it is encrypted, detached or not a JSON object */
    payload: Record<string, unknown>;
  };
  /** Number of signatures or recipients of a token in JSON */
  signature_count?: number;
  /** The first 16 signatures; present if there are several */
  signatures?: Array<{
    /** Protected and unprotected members together; empty if it cannot be read */
    header: Record<string, unknown>;
    /** Decoded length */
    signature_bytes: number;
    /** null if not checked */
    signature_verified: boolean | null;
  }>;
}

export interface OpenapiValidateRequest {
  /** JSON or YAML text, or an object; wins over url */
  spec?: string | Record<string, unknown>;
  /** URL of the document, or with spec, the base for resolve */
  url?: string;
  /** Also check referenced documents of the same origin. Default: false */
  resolve?: boolean;
  /** Earlier version to compare with */
  previous?: string | Record<string, unknown>;
  /** Its URL, instead of previous */
  previous_url?: string;
  /** Findings and changes to leave out; they still count */
  ignore?: Array<{
    /** Rule or change id */
    rule?: string;
    /** JSON pointer */
    path?: string;
    /** Last day */
    until?: string;
    /** Your note */
    reason?: string;
  }>;
  /** Level by rule or change id: error, warning or info */
  severity?: Record<string, unknown>;
  /** Fingerprints of changes to leave out; []: return them */
  accepted?: Array<string>;
  /** Return Markdown too. Default: false */
  changelog?: boolean;
}

export interface OpenapiValidateResult {
  /** Source of the document: inline for spec, url if it was fetched */
  source: "inline" | "url";
  /** Format that it was parsed as */
  format: "json" | "yaml";
  /** Value of "openapi" or "swagger"; empty if missing */
  version: string;
  /** False if there are errors, also those that ignore or severity change */
  valid: boolean;
  /** Total number of errors, including those beyond the first 500 */
  error_count: number;
  /** Total number of warnings, including those beyond the first 500 */
  warning_count: number;
  /** The first 500, in document order */
  errors: Array<{
    /** JSON pointer; empty for the whole document */
    path: string;
    /** The finding, in a sentence */
    message: string;
    /** Stable name of the rule */
    rule: string;
    /** Line in the submitted text, from 1; 0 if it has none */
    line: number;
    /** Column in characters, from 1 */
    column: number;
    /** Only with resolve: URL of the document, if it is not the first one */
    document?: string;
  }>;
  /** The first 500, in document order */
  warnings: Array<{
    /** JSON pointer; empty for the whole document */
    path: string;
    /** The finding, in a sentence */
    message: string;
    /** Stable name of the rule */
    rule: string;
    /** Line in the submitted text, from 1; 0 if it has none */
    line: number;
    /** Column in characters, from 1 */
    column: number;
    /** Only with resolve: URL of the document, if it is not the first one */
    document?: string;
  }>;
  /** All 0 or false if the document cannot be parsed or its version is unknown */
  stats: {
    /** Entries of paths, without extensions (x-) */
    paths: number;
    /** Operations under paths */
    operations: number;
    /** Named schemas */
    schemas: number;
    /** Servers of the root; for Swagger 2.0, the schemes of its host, at least 1 */
    servers: number;
    /** Number of operations by lower-case method, without additionalOperations */
    operations_by_method: Record<string, unknown>;
    /** Whether a security scheme or a security requirement exists */
    has_security: boolean;
    /** Entries of webhooks, without extensions (x-) */
    webhooks: number;
    /** Callback definitions; a $ref does not count */
    callbacks: number;
    /** Parameter definitions; a $ref does not count */
    parameters: number;
    /** Response definitions; a $ref does not count */
    responses: number;
    /** Tags declared at the root */
    tags: number;
    /** Security scheme definitions */
    security_schemes: number;
    /** Deprecated operations under paths */
    deprecated_operations: number;
    /** Every $ref and $dynamicRef, including those into other documents */
    refs: number;
    /** References into other documents that were not read */
    external_refs: number;
  };
  /** Title in info; empty if missing */
  title: string;
  /** API version in info; empty if missing */
  api_version: string;
  /** Which of the two keys the document has; empty if it has neither */
  specification: "openapi" | "swagger" | "";
  /** The URL in canonical form; empty for spec */
  source_url: string;
  /** Number of hints */
  info_count: number;
  /** Suggestions, the first 500; they never make a document invalid */
  hints: Array<{
    /** JSON pointer; empty for the whole document */
    path: string;
    /** The finding, in a sentence */
    message: string;
    /** Stable name of the rule */
    rule: string;
    /** Line in the submitted text, from 1; 0 if it has none */
    line: number;
    /** Column in characters, from 1 */
    column: number;
    /** Only with resolve: URL of the document, if it is not the first one */
    document?: string;
  }>;
  /** Whether a list was cut at 500, or the document was too large to be checked in full */
  truncated: boolean;
  /** Only with resolve: URLs of the other documents that were read, in reading order */
  documents?: Array<string>;
  /** Only with previous or previous_url: changes that break callers, sorted by path, method and id, the first 500. A request that requires less, or a response that guarantees more, is not breaking */
  breaking_changes?: Array<{
    /** Stable name of the rule */
    id: string;
    /** error: breaks callers; warning: may break some callers */
    level: "error" | "warning";
    /** HTTP method in lower case; empty for the whole document */
    method: string;
    /** Key in paths or webhooks; empty for the whole document */
    path: string;
    /** JSON pointer into the new document, or into the old one for what was removed */
    location: string;
    /** The change, in a sentence */
    message: string;
    /** The operationId; empty if missing */
    operation_id: string;
    /** Old value; null if not applicable */
    from: string | null;
    /** New value; null if not applicable */
    to: string | null;
    /** A counterexample, at most 1 KB. For a changed schema, a value of the whole parameter, header or body as JSON text: a request value valid only under the old document, or a response value valid only under the new. For other changes, the affected request's method and path. Notices, such as of a sunset, have none */
    witness?: string | null;
    /** Why witness is null */
    witness_note?: string;
    /** Present with accepted; equal for the same change */
    fingerprint?: string;
  }>;
  /** Only with previous or previous_url: all other changes, the first 500 */
  non_breaking_changes?: Array<{
    /** Stable name of the rule */
    id: string;
    /** Always info */
    level: "info";
    /** HTTP method in lower case; empty for the whole document */
    method: string;
    /** Key in paths or webhooks; empty for the whole document */
    path: string;
    /** JSON pointer into the new document, or into the old one for what was removed */
    location: string;
    /** The change, in a sentence */
    message: string;
    /** The operationId; empty if missing */
    operation_id: string;
    /** Old value; null if not applicable */
    from: string | null;
    /** New value; null if not applicable */
    to: string | null;
    /** Present with accepted; equal for the same change */
    fingerprint?: string;
  }>;
  /** Only with previous or previous_url: number of changes by level */
  diff_summary?: {
    /** Whether errors or warnings are left, after accepted and ignored ones */
    breaking: boolean;
    /** Changes of level error, including those beyond the first 500 */
    errors: number;
    /** Changes of level warning, including those beyond the first 500 */
    warnings: number;
    /** Changes of level info, including those beyond the first 500 */
    infos: number;
    /** The api_version of previous; empty if missing */
    previous_version: string;
    /** The api_version of the document; empty if missing */
    current_version: string;
    /** Present with accepted; number of accepted changes */
    accepted?: number;
    /** Present with ignore; number of ignored changes */
    ignored?: number;
    /** Whether a list was cut, or some parts could not be compared */
    truncated: boolean;
  };
  /** Present with changelog: listed changes in Markdown, at most 256 KiB */
  changelog?: string;
  /** Present with ignore; these findings are included in the counts */
  ignored?: {
    /** Ignored errors */
    errors: number;
    /** Ignored warnings */
    warnings: number;
    /** Ignored hints */
    hints: number;
    /** Entries of ignore that no longer apply */
    expired: number;
  };
}

export interface PasswordStrengthRequest {
  /** Not stored or logged. The first 128 characters are rated */
  password: string;
  /** Names, addresses and the like that make it weaker, likeliest first */
  user_inputs?: Array<string>;
}

export interface PasswordStrengthResult {
  /** 0 to 4: fewer than about 10^3, 10^6, 10^8, 10^10 guesses, or more; at most 1 with score_limit */
  score: number;
  /** The score in words: very weak is 0, very strong 4 */
  label: "very weak" | "weak" | "fair" | "strong" | "very strong";
  /** Guesses as a power of two */
  entropy_bits: number;
  /** With a stolen slow hash, 10^4 guesses a second */
  crack_time_display: string;
  /** Empty from score 3 */
  suggestions: Array<string>;
  /** What weakens the longest part, or empty */
  warning: string;
  /** Estimated number of guesses */
  guesses: number;
  /** Guesses as a power of ten, to two decimals */
  guesses_log10: number;
  /** At 100 guesses an hour, 10 a second, 10^4 a second and 10^10 a second */
  crack_times_display: {
    /** At a sign-in that limits attempts, 100 guesses an hour */
    online_throttled: string;
    /** At a sign-in without a limit, 10 guesses a second */
    online_unthrottled: string;
    /** With a stolen slow hash such as bcrypt, 10^4 guesses a second */
    offline_slow: string;
    /** With a stolen fast hash, 10^10 guesses a second */
    offline_fast: string;
  };
  /** The same times in seconds, not rounded */
  crack_times_seconds: {
    /** At a sign-in that limits attempts, 100 guesses an hour */
    online_throttled: number;
    /** At a sign-in without a limit, 10 guesses a second */
    online_unthrottled: number;
    /** With a stolen slow hash such as bcrypt, 10^4 guesses a second */
    offline_slow: number;
    /** With a stolen fast hash, 10^10 guesses a second */
    offline_fast: number;
  };
  /** Characters (code points) */
  length: number;
  /** Characters of each kind in the whole password */
  character_classes: {
    /** a to z */
    lowercase: number;
    /** A to Z */
    uppercase: number;
    /** 0 to 9 */
    digits: number;
    /** Other ASCII characters */
    symbols: number;
    /** Characters outside ASCII */
    unicode: number;
  };
  /** The parts that an attacker would combine; never their text */
  patterns: Array<{
    /** Kind of part: spatial is a path on a keyboard, bruteforce fits no other kind */
    type: "bruteforce" | "dictionary" | "spatial" | "repeat" | "sequence" | "recent_year" | "date";
    /** Position of its first character (code point), from 0 */
    start: number;
    /** Characters (code points) */
    length: number;
    /** Guesses for this part as a power of ten, to two decimals */
    guesses_log10: number;
    /** The list that contains the word; present if type is dictionary. other_languages are Arabic, Chinese, French, German, Indonesian, Italian, Japanese, Portuguese, Russian and Spanish, also without accents, in Latin letters or typed with the wrong keyboard layout */
    dictionary?: "passwords" | "english" | "female_names" | "surnames" | "tv_and_film" | "male_names" | "other_languages" | "user_inputs";
    /** Rank of the word in that list; present if type is dictionary */
    rank_band?: "top 10" | "top 100" | "top 1000" | "top 10000" | "beyond 10000";
  }>;
  /** Present if score is at most 1, whatever guesses is: the password is only made of user_inputs, names, a common password, a street or a repeated word, with digits and marks */
  score_limit?: "user_inputs" | "names" | "common" | "street" | "repeat";
}

export interface PerformanceAuditRequest {
  /** Page to measure; default scheme https, or http if https is rejected */
  url: string;
  /** Resources to fetch; 0 for the page only. Default: 60 */
  max_resources?: number;
  /** Timed fetches of the page, each over a new connection. Default: 3 */
  samples?: number;
  /** Whether to also load the page in a browser, for a screenshot, Web Vitals and accessibility, with more connections to the site. The visit has up to 15 seconds within the time limit; the other measurements end 8 seconds earlier. Default: false */
  browser?: boolean;
  /** html: a self-contained report page. Default: "json" */
  format?: "json" | "html";
}

export interface PerformanceAuditResult {
  /** The requested URL in canonical form */
  url: string;
  /** URL after redirects */
  final_url: string;
  /** Weighted mean of the checks, minus 2 for each resource that fails to load (at most 10); at most 49 for a page with an error status or an untrusted certificate, and 69 if more than half of the requests fail */
  score: number;
  /** Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below. A+ also requires that no check fails */
  grade: "A+" | "A" | "B" | "C" | "D" | "F";
  /** The result in a paragraph */
  summary: string;
  /** Milliseconds, each the median of all samples */
  timings: {
    /** DNS lookup */
    dns_ms: number;
    /** TCP connect */
    tcp_ms: number;
    /** TLS handshake; null for plain http */
    tls_ms: number | null;
    /** From the request to the first byte */
    server_wait_ms: number;
    /** From the first byte to the last */
    download_ms: number;
    /** Everything, including redirects */
    total_ms: number;
    /** All redirects before the page */
    redirect_ms: number;
    /** Time to first byte without redirects: DNS, TCP, TLS and server wait */
    ttfb_ms: number;
    /** One per sample: {dns_ms, tcp_ms, tls_ms, server_wait_ms, download_ms, total_ms, redirect_ms, ttfb_ms}; redirects are measured once */
    samples: Array<Record<string, unknown>>;
  };
  /** The HTTP response of the page */
  http: {
    /** HTTP version */
    version: "1.0" | "1.1" | "2" | "3";
    /** Such as TLSv1.3; null for plain http */
    tls_version: string | null;
    /** Negotiated ALPN protocol: h2 or http/1.1 */
    alpn: string | null;
    /** Whether Alt-Svc offers HTTP/3 */
    h3_advertised: boolean;
    /** Compression of the page; null if uncompressed */
    content_encoding: string | null;
    /** The Server header */
    server: string | null;
    /** Whether the connection can be reused */
    keep_alive: boolean;
    /** HTTP status of the page */
    status: number;
    /** Whether a 103 response came first */
    early_hints: boolean;
    /** Whether the page came over HTTPS with a trusted certificate */
    tls_verified: boolean;
  };
  /** What a view loads, including the page and its redirects, without lazy images */
  page: {
    /** Headers and bodies as sent */
    transfer_bytes: number;
    /** Bodies after decompression */
    decoded_bytes: number;
    /** Requests that a browser would make for the markup and style sheets */
    requests: number;
    /** Measured requests without a response or with a status of 400 or more */
    failed_requests: number;
    /** Requests made by this tool */
    measured_requests: number;
    /** Images after the fifth with loading=lazy; not fetched and not in the totals */
    lazy_images: number;
    /** Totals by resource type: {requests, transfer_bytes, decoded_bytes} */
    by_type: {
      /** Pages */
      html?: Record<string, unknown>;
      /** Style sheets */
      css?: Record<string, unknown>;
      /** Scripts */
      javascript?: Record<string, unknown>;
      /** Images */
      image?: Record<string, unknown>;
      /** Fonts */
      font?: Record<string, unknown>;
      /** Video and audio; only the headers are requested */
      media?: Record<string, unknown>;
      /** Data */
      json?: Record<string, unknown>;
      /** Everything else */
      other?: Record<string, unknown>;
    };
    /** Resources from domains of other owners than the page's */
    third_party: {
      /** Number of requests */
      requests: number;
      /** Headers and bodies as sent */
      transfer_bytes: number;
      /** Third-party domains, at most 50 */
      domains: Array<string>;
    };
    /** The page itself */
    html: {
      /** Headers and body as sent, including redirects */
      transfer_bytes: number;
      /** Body after decompression */
      decoded_bytes: number;
      /** Number of start tags */
      elements: number;
      /** Nesting depth; elements with an optional end tag, such as p and li, do not count */
      max_depth: number;
      /** Scripts in the markup */
      inline_script_bytes: number;
      /** Styles in the markup */
      inline_style_bytes: number;
    };
    /** Whether the page loads more than was measured: over max_resources, 40 hosts or 15 MiB, or a resource over 2 MiB as sent or 8 MiB decompressed */
    truncated: boolean;
  };
  /** The twelve checks, always in the same order */
  checks: Array<{
    /** Stable name; the tool's page lists all */
    id: string;
    /** Its title */
    name: string;
    /** Group of the check */
    category: "server" | "weight" | "transfer" | "rendering" | "images";
    /** pass: score of 90 or more; warn: 50 or more; fail: below 50; info: not applicable to the page */
    status: "pass" | "warn" | "fail" | "info";
    /** By the points that it costs in the total score: high from 6, medium from 2.5 */
    severity: "info" | "low" | "medium" | "high";
    /** Score of the check */
    score: number;
    /** Weight in percent */
    weight: number;
    /** What was found */
    detail: string;
    /** What to do */
    fix: string;
    /** Resources concerned, at most 10 */
    items: Array<{
      /** URL of the resource */
      url: string;
      /** Measured value; may be empty */
      value: string;
      /** Remark */
      note: string | null;
    }>;
  }>;
  /** Byte savings, the largest first; no byte is counted twice */
  opportunities: Array<{
    /** Stable name; the tool's page lists all */
    id: string;
    /** What to do */
    title: string;
    /** Estimated bytes saved per view; for caching, per return visit */
    savings_bytes: number;
    /** Estimated milliseconds saved at 10 Mbit/s */
    savings_ms: number;
    /** How the saving is estimated */
    how: string;
  }>;
  /** Redirects before the page, at most 10 */
  redirects: Array<{
    /** URL that redirects */
    url: string;
    /** HTTP status */
    status: number;
    /** Target of the redirect */
    location: string;
    /** Duration in milliseconds */
    ms: number;
  }>;
  /** Resources of the markup in document order, then those of the style sheets, at most 60 */
  resources: Array<{
    /** URL in canonical form, truncated to 1,000 characters */
    url: string;
    /** Resource type */
    type: "html" | "css" | "javascript" | "image" | "font" | "media" | "json" | "other";
    /** HTTP status; null without a response */
    status: number | null;
    /** Headers and body as sent, including redirects */
    transfer_bytes: number;
    /** Body after decompression */
    decoded_bytes: number;
    /** Compression; null if uncompressed */
    content_encoding: string | null;
    /** Media type */
    mime_type: string | null;
    /** Cache-Control header */
    cache_control: string | null;
    /** Seconds that browsers cache it; null if the headers do not say */
    cache_ttl_seconds: number | null;
    /** Whether it blocks rendering */
    render_blocking: boolean;
    /** Whether its domain has another owner than the page's */
    third_party: boolean;
    /** Whether it is an image that loads on demand; such images are not fetched */
    lazy: boolean;
    /** HTTP version */
    http_version: string | null;
    /** Duration in milliseconds */
    ms: number | null;
    /** Why no response came */
    error: string | null;
  }>;
  /** How the score is measured: reads the markup and style sheets; runs no scripts */
  method: "static-crawl";
  /** The page in Chromium, in a window of 1366 by 768 pixels, without throttling; null if not requested. It does not count in the score */
  browser: {
    /** not_set_up: this server has no browser service */
    status: "ok" | "failed" | "not_set_up";
    /** Why the page could not be measured */
    reason: string | null;
    /** URL that the browser showed */
    final_url: string | null;
    /** HTTP status of that document */
    http_status: number | null;
    /** Duration of the visit in milliseconds */
    duration_ms: number;
    /** Metrics of one visit, always in the same order; empty without measurements */
    metrics: Array<{
      /** Stable name */
      id: "largest-contentful-paint" | "cumulative-layout-shift" | "total-blocking-time" | "first-contentful-paint" | "time-to-first-byte" | "load";
      /** Its title */
      name: string;
      /** Measured value; null if it did not happen before the measurement */
      value: number | null;
      /** ms: milliseconds; score: without a unit */
      unit: "ms" | "score";
      /** By the limits of web.dev, and of Lighthouse for total blocking time; null for load */
      rating: "good" | "needs-improvement" | "poor" | null;
    }>;
    /** Tag of the element of the largest contentful paint */
    largest_element: string | null;
    /** Rules of axe-core for WCAG 2.2 up to level AA; null without a result */
    accessibility: {
      /** Version of axe-core */
      axe_version: string | null;
      /** Rules that the page follows */
      passed: number;
      /** Rules that only a person can check */
      unclear: number;
      /** Rules that the page violates */
      violation_count: number;
      /** The violated rules, at most 50 */
      violations: Array<{
        /** Rule of axe-core */
        id: string | null;
        /** How much it hinders people */
        impact: "minor" | "moderate" | "serious" | "critical" | null;
        /** What the rule requires */
        help: string | null;
        /** Page that explains the rule */
        help_url: string | null;
        /** Elements that violate it */
        nodes: number;
        /** Markup of the first elements, at most 3 */
        examples: Array<string>;
      }>;
    } | null;
    /** Limits of the measurements */
    warnings: Array<string>;
  } | null;
  /** What the browser showed; empty without a browser */
  screenshot: Array<{
    /** The image in Base64, at most 300 KB before encoding */
    b64_json: string;
    /** Media type */
    mime_type: "image/webp";
    /** In pixels */
    width: number;
    /** In pixels */
    height: number;
  }>;
  /** Whether the measurement is incomplete: time ran out, or the site closed the connection */
  partial: boolean;
  /** Limits of the measurement */
  warnings: Array<string>;
  /** Start of the measurement, in UTC */
  scanned_at: string;
}

export interface PlaceholderImageRequest {
  /** Pixels. Default: from size, else height, else 600 */
  width?: number;
  /** Pixels. Default: from size, else width, else 400 */
  height?: number;
  /** 600x400, or 300 for a square; sides 1 to 4000; @2x doubles the pixels */
  size?: string;
  /** #rgb, #rrggbb, #rgba, #rrggbbaa (# is optional), rgb(r,g,b), hsl(h,s%,l%), CSS name or transparent. Default: "#cccccc" */
  bg_color?: string;
  /** Opaque. Default: one that is easy to read */
  text_color?: string;
  /** Up to 10 lines, separated by newline or \n; wraps; may be empty. Default: width × height */
  text?: string;
  /** Pixels. Default: fits the image, at least 10 */
  font_size?: number;
  /** Font family. Default: "sans" */
  font?: "sans" | "serif" | "mono";
  /** Image format. Default: "svg" */
  format?: "svg";
}

export interface QrGenerateRequest {
  /** At most 7089 digits, 4296 capitals and digits, or 2953 bytes */
  text?: string;
  /** Instead of text: ssid, password, security (WPA, WEP, nopass), hidden */
  wifi?: Record<string, unknown>;
  /** name, first_name, last_name, organization, title, phone, email, url, note, street, city, region, postal_code, country */
  vcard?: Record<string, unknown>;
  /** SEPA transfer: name, iban, amount, text or reference, bic */
  epc?: Record<string, unknown>;
  /** latitude, longitude */
  geo?: Record<string, unknown>;
  /** Phone number */
  tel?: string;
  /** account, secret (Base32), issuer, type (totp, hotp), algorithm, digits, period, counter */
  otpauth?: Record<string, unknown>;
  /** utf8-unmarked omits the ECI header. Default: "utf8" */
  encoding?: "utf8" | "utf8-unmarked" | "iso-8859-1";
  /** Leaves the middle free, at error correction H. Default: false */
  logo_area?: boolean;
  /** Width and height in pixels, margin included. Default: 256 */
  size?: number;
  /** json, or svg or png for the image itself. Default: "json" */
  format?: string;
  /** Opaque: #rgb, #rrggbb, rgb(r,g,b), hsl(h,s%,l%) or CSS name. Default: "#000000" */
  dark_color?: string;
  /** As dark_color, #rgba, #rrggbbaa, transparent or none. Default: "#ffffff" */
  light_color?: string;
  /** L, M, Q or H. Default: M, higher at the same code size, L if only that fits */
  error_correction?: string;
  /** Quiet zone in modules; the standard requires 4. Default: 4 */
  margin?: number;
}

export interface QrGenerateResult {
  /** The image as SVG markup */
  svg: string;
  /** The SVG in Base64 with padding */
  svg_base64: string;
  /** The SVG as a data URI */
  data_uri: string;
  /** The encoded text */
  text: string;
  /** Width and height in pixels */
  size: number;
  /** QR version, which sets the number of modules; X-QR-Version with an image */
  version: number;
  /** Modules on each side, without the quiet zone */
  modules: number;
  /** Level used; X-QR-Error-Correction with an image */
  error_correction: "L" | "M" | "Q" | "H";
  /** Quiet zone in modules */
  margin: number;
  /** As #rrggbb */
  dark_color: string;
  /** As #rrggbb or #rrggbbaa, or transparent */
  light_color: string;
  /** Width of one module in pixels */
  module_size_px: number;
  /** The free square in pixels; present if requested */
  logo_area?: {
    /** Distance from the left */
    x: number;
    /** Distance from the top */
    y: number;
    /** Width and height */
    side: number;
  };
  /** What may keep readers from scanning the code; with an image, X-QR-Warnings has the codes, separated by commas, if there are any */
  warnings: Array<{
    /** Stable code; the tool's page lists all */
    code: "low_contrast" | "inverted" | "small_modules" | "quiet_zone_small" | "dense";
    /** The warning in English */
    message: string;
  }>;
}

export interface SecurityHeadersRequest {
  /** Page to grade; default scheme https */
  url: string;
}

export interface SecurityHeadersResult {
  /** The requested URL in canonical form */
  url: string;
  /** Lowest scores, A+ to D-: 100, 90, 85, 80, 70, 65, 60, 50, 45, 40, 30 and 25; F below */
  grade: "A+" | "A" | "A-" | "B+" | "B" | "B-" | "C+" | "C" | "C-" | "D+" | "D" | "D-" | "F";
  /** 100 plus the points of the checks that count, clamped to 0 to 100 */
  score: number;
  /** One entry per header, always the same headers in the same order */
  headers: Array<{
    /** Header name in its usual spelling */
    header: string;
    /** Whether the site sent it; redirects count for cookies, and preflight responses for Access-Control-Allow-Origin */
    present: boolean;
    /** All lines as one list, truncated to 2048 bytes; cookies without their values */
    value: string;
    /** missing: the site should send it; info: not rated, or not needed */
    rating: "good" | "weak" | "bad" | "missing" | "info";
    /** What to do; empty if the header is good */
    recommendation: string;
  }>;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** The graded page, the HTTPS one if available */
  final_url: string;
  /** HTTP status of that page; error pages are graded too */
  status_code: number;
  /** Whether the page came over HTTPS with a trusted certificate */
  tls_verified: boolean;
  /** Redirects of the http URL, then of the https URL, without duplicates */
  redirects: Array<{
    /** The URL that redirects */
    url: string;
    /** Its HTTP status: 301, 302, 303, 307 or 308 */
    status: number;
  }>;
  /** The twelve checks of the score */
  checks: Array<{
    /** The check's name in the Observatory algorithm */
    name: "content-security-policy" | "strict-transport-security" | "redirection" | "cookies" | "cross-origin-resource-sharing" | "referrer-policy" | "subresource-integrity" | "x-content-type-options" | "x-frame-options" | "cross-origin-resource-policy" | "cross-origin-opener-policy" | "cross-origin-embedder-policy";
    /** The check's outcome; the tool's page lists all */
    result: string;
    /** Whether the check costs no points; also true if the only cost is for images and media that a policy allows over plain HTTP */
    pass: boolean;
    /** Points; positive points count only if no more than 10 points were lost */
    score_modifier: number;
    /** The outcome in a sentence */
    description: string;
  }>;
  /** Checks with pass true */
  tests_passed: number;
  /** Checks with pass false */
  tests_failed: number;
  /** The score before it is limited to 100 */
  score_uncapped: number;
  /** Content Security Policies in headers and meta tags */
  csp: {
    /** Each policy as received, in the order of the response, truncated to 2048 bytes */
    policies: Array<string>;
    /** For each directive, the sources that all policies together allow */
    directives: Record<string, unknown>;
    /** Weaknesses, without duplicates, at most 200 */
    findings: Array<{
      /** Name of the rule */
      id: string;
      /** syntax: browsers expect another syntax */
      severity: "high" | "medium" | "low" | "info" | "syntax";
      /** The directive concerned, present or missing */
      directive: string;
      /** The source concerned; empty for the whole directive */
      value: string;
      /** Meaning and remedy, in a sentence */
      message: string;
    }>;
  };
  /** The same for report-only policies */
  csp_report_only: {
    /** Each policy as received, in the order of the response, truncated to 2048 bytes */
    policies: Array<string>;
    /** For each directive, the sources that all policies together allow */
    directives: Record<string, unknown>;
    /** Weaknesses, without duplicates, at most 200 */
    findings: Array<{
      /** Name of the rule */
      id: string;
      /** syntax: browsers expect another syntax */
      severity: "high" | "medium" | "low" | "info" | "syntax";
      /** The directive concerned, present or missing */
      directive: string;
      /** The source concerned; empty for the whole directive */
      value: string;
      /** Meaning and remedy, in a sentence */
      message: string;
    }>;
  };
  /** Cookies set by the http and the https URL and not expired, at most 300, without their values. Browsers reject a cookie that has findings */
  cookies: Array<{
    /** Cookie name; may be empty */
    name: string;
    /** Whether browsers send it over HTTPS only */
    secure: boolean;
    /** Whether scripts cannot read it */
    http_only: boolean;
    /** SameSite attribute; empty if missing, invalid also for None without Secure */
    same_site: "" | "Lax" | "Strict" | "None" | "invalid";
    /** Domain attribute without a leading dot, or the host that set it; in lower case */
    domain: string;
    /** Browsers send it to this path and below */
    path: string;
    /** Why browsers reject it: it breaks the rules of its prefix (__Host-, __Secure-), the host may not set its domain, name and value exceed 4096 bytes or have control characters, or it is Partitioned but not Secure. A rejected cookie costs no points */
    findings: Array<"cookie-prefix-violated" | "cookie-domain-rejected" | "cookie-too-large" | "cookie-control-character" | "cookie-partitioned-without-secure">;
  }>;
  /** Whether the page, the findings or the cookies exceeded their limit */
  truncated: boolean;
  /** Whether the page arrived incomplete */
  partial: boolean;
}

export interface SeoAnalyzeRequest {
  /** Page to analyze; default scheme https */
  url: string;
  /** Pages of the site to compare with */
  pages?: Array<string>;
}

export interface SeoAnalyzeResult {
  /** The requested URL in canonical form */
  url: string;
  /** Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below */
  grade: "A+" | "A" | "B" | "C" | "D" | "F";
  /** Weighted mean of pass (1), warn (0.5) and fail (0); at most 39 for a page that must not be indexed, at most 19 for an error status */
  score: number;
  /** All factors, always in the same order */
  findings: Array<{
    /** Name of the factor, such as meta_description */
    name: string;
    /** What was found; at most 300 characters and an ellipsis */
    content: string;
    /** info is not scored */
    status: "pass" | "warn" | "fail" | "info";
    /** Empty for pass and info */
    recommendation: string;
    /** Weight in the score, 0 to 10; 0 is never scored */
    weight: number;
    /** Group of the factor; crawl: how search engines find the page; technical: how it is built and served */
    category: "crawl" | "content" | "social" | "structured-data" | "technical";
  }>;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** URL after redirects */
  final_url: string;
  /** HTTP status of that page; error pages are scored too */
  status_code: number;
  /** Whether the page came over HTTPS with a trusted certificate */
  tls_verified: boolean;
  /** Number of words of visible text */
  word_count: number;
  /** Time to the first byte of the page */
  response_time_ms: number;
  /** Size of the decoded page */
  size_bytes: number;
  /** Whether the page exceeded 2 MiB as sent or 8 MiB decoded */
  truncated: boolean;
  /** Whether a response is incomplete: time ran out, or the site closed the connection */
  partial: boolean;
  /** Present with pages; does not change the score */
  comparison?: {
    /** The analyzed page, then those of the request */
    pages: Array<{
      /** URL in canonical form */
      url: string;
      /** disallowed: by robots.txt, or it cannot be read; error: status is not 200; not_fetched: time ran out */
      outcome: "compared" | "disallowed" | "redirect" | "error" | "not_html" | "no_response" | "not_fetched";
      /** HTTP status; null without a response */
      status_code: number | null;
      /** Title; empty if missing */
      title: string;
    }>;
    /** Titles of several pages */
    duplicate_titles: Array<{
      /** The title */
      title: string;
      /** Pages with this title */
      urls: Array<string>;
    }>;
    /** hreflang links whose target does not link back, so search engines ignore them */
    missing_returns: Array<{
      /** Page with the link */
      from: string;
      /** Page without the return link */
      to: string;
      /** Language of the link */
      hreflang: string;
    }>;
    /** hreflang links to pages that were not compared */
    unchecked_versions: number;
  };
}

export interface SubdomainFinderRequest {
  /** Registered domain or a name below it */
  domain: string;
  /** Resolve up to 50 of the names. Default: true */
  resolve?: boolean;
}

export interface SubdomainFinderResult {
  /** Name in lower-case A-labels */
  domain: string;
  /** Number of distinct names found */
  total: number;
  /** Number of names with resolves true */
  live_count: number;
  /** At most 2000 names, sorted by their labels from right to left */
  subdomains: Array<{
    /** Name in lower-case A-labels */
    name: string;
    /** Whether it has an address; false if it was not looked up */
    resolves: boolean;
    /** Whether it was looked up and DNS responded */
    resolved: boolean;
    /** IPv4 first; includes private addresses, which should not be in public DNS */
    addresses: Array<string>;
    /** Whether certificates have it only as *.name */
    wildcard: boolean;
    /** Services that reported it */
    sources: Array<string>;
    /** Start of validity of its first certificate; null if unknown */
    first_seen: string | null;
    /** Start of validity of its newest certificate; null if unknown */
    last_seen: string | null;
  }>;
  /** Certificate transparency services that responded */
  sources: Array<string>;
  /** Failures of sources; names received before a failure are kept */
  source_errors: Array<{
    /** Name of the service */
    source: string;
    /** Reason for the last failure */
    error: string;
  }>;
  /** Number of names that were looked up and for which DNS responded */
  resolved_count: number;
  /** Maximum number of names looked up, the fewest labels first, then the newest certificate */
  resolve_limit: number;
  /** Whether random names have addresses too; resolves then means little */
  wildcard_dns: boolean;
  /** Whether there are more names than are shown or were read */
  truncated: boolean;
  /** Whether a source failed or a DNS lookup timed out */
  partial: boolean;
  /** Start of the scan, in UTC */
  scanned_at: string;
}

export interface TechDetectRequest {
  /** Page to analyze; default scheme https */
  url: string;
  /** Also the mail provider (MX). Default: false */
  dns?: boolean;
}

export interface TechDetectResult {
  /** The requested URL in canonical form */
  url: string;
  /** Sorted by category, then name; one entry per name */
  technologies: Array<{
    /** Product name */
    name: string;
    /** The first of its categories */
    category: string;
    /** Version; empty if unknown */
    version: string;
    /** Percent; the evidence adds up, and results below 50 are left out */
    confidence: number;
    /** All of its categories, the main one first */
    categories: Array<string>;
    /** Whether the only evidence is another detected technology */
    implied: boolean;
    /** Where it was found, such as header:server or script:/wp-includes/js/ */
    evidence: Array<string>;
    /** third: only references to other sites show it, such as a script from a CDN */
    party?: "first" | "third";
    /** Present if the version is known and release data exists. A distribution may fix a vulnerability without a new version */
    release?: {
      /** Newest version; null if unknown */
      newest: string | null;
      /** Newest version of its series; null if unknown */
      newest_in_series: string | null;
      /** Last day of maintenance; null if none is set */
      end_of_life: string | null;
      /** Whether maintenance has ended; null for an unknown series */
      ended: boolean | null;
      /** Well-known vulnerabilities of this version; not all, and none for a version without a dot */
      vulnerabilities: Array<{
        /** CVE id */
        id: string;
        /** CVSS severity */
        severity: "low" | "medium" | "high" | "critical";
        /** First version without it */
        fixed_in: string;
      }>;
    };
  }>;
  /** Number of technologies */
  count: number;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** URL after redirects */
  final_url: string;
  /** HTTP status of that page; error pages are analyzed too */
  status_code: number;
  /** Whether the page came over HTTPS with a trusted certificate */
  tls_verified: boolean;
  /** Whether the page exceeded 2 MiB as sent or 8 MiB decoded, or had more match candidates than are tried */
  truncated: boolean;
  /** Whether the page is incomplete: time ran out, or the site closed the connection */
  partial: boolean;
  /** Version of the signature data */
  signatures: string;
  /** Date of the release data */
  release_data: string;
}

export interface TlsCheckRequest {
  /** Host name or IP address */
  host: string;
  /** 261, 443, 448, 465, 563, 614, 636, 684, 695, 832, 853, 989, 990, 992 to 995, 1024 and up, or with STARTTLS 25, 110, 143, 587. Default: 443 */
  port?: number;
  /** auto: by the port. Default: "auto" */
  starttls?: "auto" | "none" | "smtp" | "imap" | "pop3";
  /** Compare up to 3 more addresses. Default: false */
  all_addresses?: boolean;
}

export interface TlsCheckResult {
  /** Host in canonical form */
  host: string;
  /** Checked port */
  port: number;
  /** Version negotiated with a current client */
  protocol: "SSLv2" | "SSLv3" | "TLSv1.0" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
  /** Highest version that the server supports */
  tls_version: "SSLv2" | "SSLv3" | "TLSv1.0" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
  /** Grade by the SSL Labs rating guide 2009r. T: the certificate is not trusted, not valid now, not meant for servers or signed with SHA-1. M: it is for another name. An incomplete chain limits the grade to B */
  grade: "A+" | "A" | "A-" | "B" | "C" | "D" | "E" | "F" | "T" | "M";
  /** Sorted by severity, then id */
  issues: Array<{
    /** Name of the issue, such as weak-dh */
    id: string;
    /** Severity; info does not limit the grade */
    severity: "critical" | "high" | "medium" | "low" | "info";
    /** Short description */
    title: string;
    /** What was measured, why it matters, or what to do */
    detail: string;
    /** Indexes into certificates, if the server has several */
    certificates?: Array<number>;
  }>;
  /** Start of the scan, in UTC */
  scanned_at: string;
  /** 30 % protocol, 30 % key exchange, 40 % cipher */
  score: number;
  /** The grade without T and M */
  grade_ignoring_trust: "A+" | "A" | "A-" | "B" | "C" | "D" | "E" | "F";
  /** Issues that limit the grade, each with the best grade that it permits */
  grade_limits: Array<{
    /** Best permitted grade: A-, B, C or F; T or M for the certificate */
    grade: string;
    /** Id of the issue */
    issue: string;
  }>;
  /** The parts of score, each 0 to 100; if one part is 0, the score is 0 */
  scores: {
    /** Mean of the best and the worst version; 100 for TLS 1.2 and 1.3, 0 for SSL 2.0 */
    protocol: number;
    /** Strength of the weakest among the certificate's key, DHE primes and groups; 0 without authentication */
    key_exchange: number;
    /** Mean of the longest and the shortest cipher key; 100 for 256 bits and more, 0 for no encryption */
    cipher: number;
  };
  /** Versions that the server supports */
  protocols: {
    /** SSL 2.0, which RFC 6176 forbids */
    SSLv2: boolean;
    /** SSL 3.0, which RFC 7568 forbids */
    SSLv3: boolean;
    /** TLS 1.0, which RFC 8996 deprecates */
    "TLSv1.0": boolean;
    /** TLS 1.1, which RFC 8996 deprecates */
    "TLSv1.1": boolean;
    /** TLS 1.2, the oldest version that current clients support */
    "TLSv1.2": boolean;
    /** TLS 1.3, the newest version */
    "TLSv1.3": boolean;
  };
  /** All accepted suites, sorted by version (newest first), then strength (strongest first) */
  cipher_suites: Array<{
    /** Protocol version */
    protocol: string;
    /** IANA name; for SSL 2.0, the name in its specification */
    name: string;
    /** Two bytes such as 0xC02F; three bytes for SSL 2.0 */
    id: string;
    /** Strength of the cipher in bits; 0 for no encryption, 112 for 3DES */
    bits: number;
    /** Key exchange and authentication */
    kx: string;
    /** Authenticated encryption: GCM, CCM or ChaCha20-Poly1305 */
    aead: boolean;
    /** Whether recorded traffic stays secret if the certificate's key leaks */
    forward_secrecy: boolean;
    /** strong: AEAD and forward secrecy; acceptable: one of the two; weak: neither, or an old cipher */
    strength: "insecure" | "weak" | "acceptable" | "strong";
  }>;
  /** Side that chooses the suite; null if the test did not find out */
  cipher_order: "server" | "client" | null;
  /** Accepted key exchange groups */
  groups: Array<string>;
  /** Whether one of the groups resists quantum computers */
  post_quantum: boolean;
  /** Bits of the shortest DHE prime; null without DHE suites */
  dh_bits: number | null;
  /** Negotiated ALPN protocol: h2, http/1.1 or empty */
  alpn: string;
  /** The certificate that a current client gets; null if the server sent none */
  certificate: {
    /** Distinguished name by RFC 2253, such as CN=example.com,O=Example; at most 300 characters */
    subject: string;
    /** Distinguished name of the issuer, in the same notation */
    issuer: string;
    /** DNS names and addresses, at most 500 */
    sans: Array<string>;
    /** Serial number as lower-case hex digits */
    serial: string;
    /** Start of validity, in UTC */
    not_before: string;
    /** End of validity, in UTC */
    not_after: string;
    /** Days until it expires; negative after that */
    days_remaining: number;
    /** Whole days from not_before to not_after, both included */
    lifetime_days: number;
    /** RSA, RSA-PSS, EC, DSA, ED25519, ED448 or similar; unknown if it cannot be read */
    key_type: string;
    /** Size of the public key in bits; 0 if it cannot be read */
    key_bits: number;
    /** Signature algorithm, such as sha256WithRSAEncryption; ? if unknown */
    signature: string;
    /** SHA-256 of the certificate in DER, as lower-case hex digits */
    fingerprint_sha256: string;
    /** Whether one of sans is a wildcard such as *.example.com */
    is_wildcard: boolean;
    /** Whether it requires a stapled OCSP response (RFC 7633) */
    must_staple: boolean;
    /** Number of signed certificate timestamps: embedded, in the handshake and in the OCSP response */
    ct_scts: number;
    /** Present and true if there are more names */
    truncated?: boolean;
  } | null;
  /** Certificates in the order sent, at most 10 */
  chain: Array<{
    /** Distinguished name by RFC 2253, such as CN=example.com,O=Example; at most 300 characters */
    subject: string;
    /** Distinguished name of the issuer, in the same notation */
    issuer: string;
    /** End of validity, in UTC */
    not_after: string;
    /** Type and bits, such as RSA 2048 */
    key: string;
    /** Signature algorithm, such as sha256WithRSAEncryption; ? if unknown */
    signature: string;
  }>;
  /** False if the server sent no certificate, or did not send the issuer's but it can be fetched */
  chain_complete: boolean;
  /** Whether each certificate is followed by its issuer's, without extra ones; a root is allowed */
  chain_order_ok: boolean;
  /** Whether the chain leads to a trusted root, regardless of the host name */
  trusted: boolean;
  /** Why trusted is false, otherwise null; expired includes not yet valid, for any certificate in the chain */
  trust_error: "expired" | "self_signed" | "chain_incomplete" | "unknown_authority" | "invalid_chain" | "revoked" | "no_certificate" | null;
  /** Whether one of sans matches the host, wildcards included; the common name does not count */
  hostname_match: boolean;
  /** Revocation status of the server's certificate */
  ocsp: {
    /** Whether the server sent an OCSP response in the handshake */
    stapled: boolean;
    /** unknown: no conclusive response; not_checked: no OCSP responder to query */
    status: "good" | "revoked" | "unknown" | "not_checked";
  };
  /** Strict-Transport-Security; null for an IP address and if the port does not respond to HTTP */
  hsts: {
    /** Whether the server sent the header */
    present: boolean;
    /** Seconds for which browsers require HTTPS; 0 if missing */
    max_age: number;
    /** Whether it also applies to all subdomains */
    include_subdomains: boolean;
    /** Whether it asks for inclusion in the browsers' preload lists */
    preload: boolean;
  } | null;
  /** Secure renegotiation (RFC 5746); null if only TLS 1.3 is supported */
  secure_renegotiation: boolean | null;
  /** Whether TLS compression is on, which leaks secrets (CRIME) */
  compression: boolean;
  /** Downgrade protection (RFC 7507); null with one version only or if unknown */
  fallback_scsv: boolean | null;
  /** Whether the server supports heartbeats (RFC 6520); does not test for Heartbleed */
  heartbeat_extension: boolean;
  /** Vulnerabilities that only an attack would reveal, and so are not tested */
  attacks: Array<{
    /** Name of the vulnerability */
    id: "heartbleed" | "robot" | "ccs-injection" | "ticketbleed";
    /** not_tried: the server may be vulnerable; not_possible: it lacks what the attack needs */
    status: "not_tried" | "not_possible";
    /** Reason */
    detail: string;
  }>;
  /** STARTTLS protocol used; null for implicit TLS */
  starttls: "smtp" | "imap" | "pop3" | null;
  /** Checked IP address */
  address: string;
  /** Present if the server has several certificates, such as RSA and ECDSA: all of them, the one of a current client first. The grade is that of the worst. Only the first is checked with its OCSP responder */
  certificates?: Array<{
    /** Distinguished name */
    subject: string;
    /** Distinguished name of the issuer */
    issuer: string;
    /** As in certificate, like the next fields */
    key_type: string;
    /** Size of the public key in bits */
    key_bits: number;
    /** Signature algorithm */
    signature: string;
    /** End of validity, in UTC */
    not_after: string;
    /** Days until it expires */
    days_remaining: number;
    /** SHA-256 of the certificate in DER */
    fingerprint_sha256: string;
    /** Whether it requires a stapled OCSP response */
    must_staple: boolean;
    /** As the field chain */
    chain: Array<Record<string, unknown>>;
    /** As the field chain_complete, like the next fields */
    chain_complete: boolean;
    /** Whether the chain is in order */
    chain_order_ok: boolean;
    /** Whether the chain leads to a trusted root */
    trusted: boolean;
    /** Why not */
    trust_error: string | null;
    /** Whether it is for the host */
    hostname_match: boolean;
    /** Revocation status */
    ocsp: Record<string, unknown>;
  }>;
  /** Present with all_addresses: the checked address, then up to 3 others */
  addresses?: Array<{
    /** IP address */
    address: string;
    /** Version negotiated with a current client; null if that failed */
    protocol: string | null;
    /** SHA-256 of its certificate in DER */
    fingerprint_sha256: string | null;
    /** End of the certificate's validity, in UTC */
    not_after: string | null;
    /** Whether the chain leads to a trusted root */
    trusted: boolean;
    /** Whether the certificate is for the host */
    hostname_match: boolean;
    /** What differs from the first: unreachable, protocol, certificate, trust or alpn */
    differences: Array<string>;
  }>;
  /** Whether well-known clients can connect, worked out from the tests. Browsers, Java, .NET, OpenSSL, Go and Android, old and new */
  clients?: Array<{
    /** Client with version, such as Java 8u161 */
    name: string;
    /** Whether both sides agree on all parameters */
    connects: boolean;
    /** What they do not agree on; dh_bits: the prime is too long for the client */
    reason: "version" | "cipher_suite" | "group" | "dh_bits" | null;
    /** Version that they agree on, like the next fields */
    protocol: string | null;
    /** IANA name of the cipher suite */
    cipher_suite: string | null;
    /** The certificate that the client gets; null if unknown */
    fingerprint_sha256: string | null;
    /** False if the certificate is invalid for everyone, or the client does not have the root; null if its roots are not documented */
    trusted: boolean | null;
  }>;
  /** Present and true if some tests have no result: time or connections ran out, or the server was silent */
  partial?: boolean;
}

export interface TokenCounterRequest {
  /** May be empty. Special tokens count as text */
  text: string;
  /** Model name, also with provider, date or -latest. Default: a common set */
  model?: string;
  /** More names, each counted once */
  models?: Array<string>;
  /** Output tokens to add to the cost. Default: 0 */
  output_tokens?: number;
}

export interface TokenCounterResult {
  /** Characters (code points) */
  text_length: number;
  /** Bytes of UTF-8 */
  text_bytes: number;
  /** Words separated by white space */
  word_count: number;
  /** In the order of the request */
  models: Array<{
    /** Canonical name */
    model: string;
    /** Company, such as OpenAI */
    provider: string;
    /** Tokens of text; an estimate unless method is exact */
    estimated_input_tokens: number;
    /** output_tokens as given */
    estimated_output_tokens: number;
    /** Rounded to 10 decimals; null if the price is unknown */
    input_cost_usd: number | null;
    /** Cost of output_tokens, rounded to 10 decimals; null if the price is unknown */
    output_cost_usd: number | null;
    /** Sum of both, rounded to 10 decimals; null if the price is unknown */
    total_cost_usd: number | null;
    /** USD per million tokens; null if the model's family is known but published price lists do not agree on a price */
    pricing_per_1m: {
      /** For input tokens */
      input: number;
      /** For output tokens */
      output: number;
    } | null;
    /** exact for OpenAI's models, whose vocabularies are public; else an estimate */
    method: "exact" | "heuristic";
    /** Tokenizer family whose token lengths were used */
    tokenizer: string;
    /** The name in the request */
    name_given: string;
    /** Maximum of input and output tokens together; null if unknown */
    context_window: number | null;
    /** True if the text and output_tokens fit in context_window; null if unknown */
    fits_context: boolean | null;
    /** True if the provider has announced its retirement; null if we do not know */
    deprecated: boolean | null;
  }>;
  /** Names as given that match neither a known model nor a known family */
  unknown_models: Array<string>;
  /** Month of the prices */
  pricing_as_of: string;
  /** What the numbers do not include */
  note: string;
}

export interface WebsiteAuditRequest {
  /** Page to start from; default scheme https, or http if https is rejected */
  url: string;
  /** Default all but exposed_files, which requests about two dozen sensitive paths; use it only on your own sites */
  sections?: Array<"security_headers" | "tls" | "seo" | "performance" | "email" | "carbon" | "dns" | "technologies" | "exposed_files">;
  /** Whether to also load the page in a browser, for a screenshot, Web Vitals and accessibility, with more connections to the site. The visit has up to 15 seconds within the time limit; performance and carbon end 8 seconds earlier. Default: false */
  browser?: boolean;
  /** html: a self-contained report page. Default: "json" */
  format?: "json" | "html";
  /** fingerprint of an earlier report, to compare with */
  previous?: string;
}

export interface WebsiteAuditResult {
  /** The requested URL in canonical form */
  url: string;
  /** URL after redirects, from the sections performance and carbon; null if neither fetched the page */
  final_url: string | null;
  /** Weighted mean of the sections with status ok; null if none of them has a score */
  score: number | null;
  /** Lowest scores, A+ to D: 95, 85, 70, 55 and 40; F below. A+ also requires that every requested section succeeds with 70 or more */
  grade: "A+" | "A" | "B" | "C" | "D" | "F" | null;
  /** The report in numbers and in words */
  summary: {
    /** Issues of critical severity */
    critical: number;
    /** Issues of high severity */
    high: number;
    /** Issues of medium severity */
    medium: number;
    /** Issues of low severity */
    low: number;
    /** Passed checks of all sections */
    passed: number;
    /** Sections with status ok */
    sections_ok: number;
    /** Sections that failed or timed out */
    sections_failed: number;
    /** Duration of the audit in milliseconds */
    duration_ms: number;
    /** Summary in one paragraph, generated by rules */
    text: string;
  };
  /** The sections, each with the result of its tool */
  sections: {
    /** By security-headers */
    security_headers: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By tls-check; the score is at most 40 if the certificate is untrusted or for another name, and 0 for grade F */
    tls: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By seo-analyze */
    seo: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By the checks of performance-audit */
    performance: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By email-deliverability, for the registrable domain */
    email: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By the model of carbon-footprint; A+ scores 100, A 92, B 82, C 72, D 60, E 50, F less with every gram */
    carbon: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By dns-lookup, for the registrable domain; 100 minus 25 without CAA, 15 with one name server, 20 without AAAA, 20 if all name servers are in one network, 20 without SOA */
    dns: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By tech-detect; has no score */
    technologies: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
    /** By exposed-files; 100 minus 60 for each critical path, 30 for each high and 10 for each medium one */
    exposed_files: {
      /** skipped: not requested, or not applicable to this URL; an IP address has no DNS zone and no email */
      status: "ok" | "failed" | "timeout" | "skipped";
      /** Score in the total; null if the section has none */
      score: number | null;
      /** Grade given by the tool; null if the tool gives none */
      grade: string | null;
      /** Weight among the sections with status ok */
      weight: number;
      /** Duration in milliseconds */
      duration_ms: number;
      /** Reason for the failure; null if it succeeded */
      error: {
        /** Error code of the tool */
        code: string;
        /** Error message */
        message: string;
      } | null;
      /** Whether lists were cut at 50 entries */
      truncated: boolean;
      /** Complete result of the tool; null unless status is ok */
      result: Record<string, unknown> | null;
    };
  };
  /** Issues to fix first, at most 15, sorted by severity, then by the weight of the section. An issue that several sections report appears once */
  top_issues: Array<{
    /** Section that rates it most severe */
    section: string;
    /** Severity of the issue */
    severity: "critical" | "high" | "medium" | "low";
    /** Short description */
    title: string;
    /** What was found, or why it matters */
    detail: string;
    /** What to do; empty if detail says it */
    fix: string;
    /** All sections that report it */
    seen_by: Array<string>;
  }>;
  /** All issues, in the order of top_issues, at most 400 */
  issues: Array<{
    /** Its name in the section; the tool's page has a table */
    id: string;
    /** Section that rates it most severe */
    section: string;
    /** Severity of the issue */
    severity: "critical" | "high" | "medium" | "low";
    /** Short description */
    title: string;
    /** The evidence: what was found */
    detail: string;
    /** What to do; empty if detail says it */
    fix: string;
    /** All sections that report it */
    seen_by: Array<string>;
    /** Why it matters */
    why: string;
    /** Texts to copy, if the fix is configuration or markup; adapt them to the site */
    config: {
      /** For nginx */
      nginx?: string;
      /** For Apache httpd */
      apache?: string;
      /** For Caddy */
      caddy?: string;
      /** A record for the zone */
      dns?: string;
      /** Markup for the page */
      html?: string;
    };
  }>;
  /** The report in at most 8,192 bytes, for previous */
  fingerprint: string;
  /** Only with previous: what changed, by sections that succeeded both times */
  changes?: {
    /** Time of the earlier report */
    since: string;
    /** Its score */
    score_before: number | null;
    /** Issues that it did not have */
    new: Array<{
      /** Section and id, such as tls/cert-expired */
      id: string;
      /** Severity now */
      severity: "critical" | "high" | "medium" | "low";
      /** Short description */
      title: string;
    }>;
    /** Its issues that are gone */
    fixed: Array<{
      /** Section and id */
      id: string;
      /** Severity at that time */
      severity: "critical" | "high" | "medium" | "low";
    }>;
  };
  /** The page in Chromium, in a window of 1366 by 768 pixels, without throttling; null if not requested. It does not count in the score */
  browser: {
    /** not_set_up: this server has no browser service */
    status: "ok" | "failed" | "not_set_up";
    /** Why the page could not be measured */
    reason: string | null;
    /** URL that the browser showed */
    final_url: string | null;
    /** HTTP status of that document */
    http_status: number | null;
    /** Duration of the visit in milliseconds */
    duration_ms: number;
    /** Metrics of one visit, always in the same order; empty without measurements */
    metrics: Array<{
      /** Stable name */
      id: "largest-contentful-paint" | "cumulative-layout-shift" | "total-blocking-time" | "first-contentful-paint" | "time-to-first-byte" | "load";
      /** Its title */
      name: string;
      /** Measured value; null if it did not happen before the measurement */
      value: number | null;
      /** ms: milliseconds; score: without a unit */
      unit: "ms" | "score";
      /** By the limits of web.dev, and of Lighthouse for total blocking time; null for load */
      rating: "good" | "needs-improvement" | "poor" | null;
    }>;
    /** Tag of the element of the largest contentful paint */
    largest_element: string | null;
    /** Rules of axe-core for WCAG 2.2 up to level AA; null without a result */
    accessibility: {
      /** Version of axe-core */
      axe_version: string | null;
      /** Rules that the page follows */
      passed: number;
      /** Rules that only a person can check */
      unclear: number;
      /** Rules that the page violates */
      violation_count: number;
      /** The violated rules, at most 50 */
      violations: Array<{
        /** Rule of axe-core */
        id: string | null;
        /** How much it hinders people */
        impact: "minor" | "moderate" | "serious" | "critical" | null;
        /** What the rule requires */
        help: string | null;
        /** Page that explains the rule */
        help_url: string | null;
        /** Elements that violate it */
        nodes: number;
        /** Markup of the first elements, at most 3 */
        examples: Array<string>;
      }>;
    } | null;
    /** Limits of the measurements */
    warnings: Array<string>;
  } | null;
  /** What the browser showed; empty without a browser */
  screenshot: Array<{
    /** The image in Base64, at most 300 KB before encoding */
    b64_json: string;
    /** Media type */
    mime_type: "image/webp";
    /** In pixels */
    width: number;
    /** In pixels */
    height: number;
  }>;
  /** Whether a section failed or timed out */
  partial: boolean;
  /** Start of the audit, in UTC */
  scanned_at: string;
}

export interface AccountCredits {
  credits: number;
  held: number;
  granted: number;
  purchased: number;
  used: number;
  as_of: string;
  plan?: {
    name: string;
    since: string;
  };
  token: {
    name: string;
    scopes: Array<string>;
    expires_at: string | null;
    cap_daily: number | null;
    spent_today: number | null;
    cap_total: number | null;
    spent_total: number | null;
  };
}

export interface ToolsList {
  api_version: string;
  buy_url: string | null;
  signup_credits: number;
  packs: Array<{
    credits: number;
    usd?: string;
  }>;
  tools: Array<{
    name: string;
    title: string;
    summary: string;
    group: string;
    method: "GET" | "POST";
    credits: number;
    limits: {
      endpoint_per_minute?: number;
      class_per_minute?: number;
      daily?: number;
    };
    budget_ms: number;
    retryable: boolean;
    open_world: boolean;
  }>;
}

export interface Tools {
  /** AI alt text: 6 credits. */
  "ai-alt-text": { request: AiAltTextRequest; result: AiAltTextResult };
  /** AI chat: 10 credits. */
  "ai-chat": { request: AiChatRequest; result: AiChatResult };
  /** AI code review: 10 credits. */
  "ai-code-review": { request: AiCodeReviewRequest; result: AiCodeReviewResult };
  /** AI summarizer: 10 credits. */
  "ai-content-summarize": { request: AiContentSummarizeRequest; result: AiContentSummarizeResult };
  /** AI structured data extraction: 8 credits. */
  "ai-extract": { request: AiExtractRequest; result: AiExtractResult };
  /** AI image generator: 12 credits. */
  "ai-image-generate": { request: AiImageGenerateRequest; result: AiImageGenerateResult };
  /** AI content moderation: 5 credits. */
  "ai-moderation": { request: AiModerationRequest; result: AiModerationResult };
  /** AI SEO generator: 10 credits. */
  "ai-seo-generate": { request: AiSeoGenerateRequest; result: AiSeoGenerateResult };
  /** AI translator: 10 credits. */
  "ai-translate": { request: AiTranslateRequest; result: AiTranslateResult };
  /** Carbon footprint: 2 credits. */
  "carbon-footprint": { request: CarbonFootprintRequest; result: CarbonFootprintResult | Uint8Array };
  /** Bot invite link: 1 credit. */
  "chatplatform-bot-invite": { request: ChatplatformBotInviteRequest; result: ChatplatformBotInviteResult };
  /** Content network resolver: 1 credit. */
  "chatplatform-cdn-resolve": { request: ChatplatformCdnResolveRequest; result: ChatplatformCdnResolveResult };
  /** Command validator: 2 credits. */
  "chatplatform-command-validate": { request: ChatplatformCommandValidateRequest; result: ChatplatformCommandValidateResult };
  /** Embed builder: 1 credit. */
  "chatplatform-embed-build": { request: ChatplatformEmbedBuildRequest; result: ChatplatformEmbedBuildResult };
  /** Gateway intent calculator: 1 credit. */
  "chatplatform-intents-calc": { request: ChatplatformIntentsCalcRequest; result: ChatplatformIntentsCalcResult };
  /** Message moderation: 3 credits. */
  "chatplatform-moderate": { request: ChatplatformModerateRequest; result: ChatplatformModerateResult };
  /** Permission calculator: 1 credit. */
  "chatplatform-permissions-calc": { request: ChatplatformPermissionsCalcRequest; result: ChatplatformPermissionsCalcResult };
  /** Snowflake decoder: 1 credit. */
  "chatplatform-snowflake-decode": { request: ChatplatformSnowflakeDecodeRequest; result: ChatplatformSnowflakeDecodeResult };
  /** Text sanitizer: 2 credits. */
  "chatplatform-text-sanitize": { request: ChatplatformTextSanitizeRequest; result: ChatplatformTextSanitizeResult };
  /** Timestamp tag: 1 credit. */
  "chatplatform-timestamp": { request: ChatplatformTimestampRequest; result: ChatplatformTimestampResult };
  /** Cron explainer: 1 credit. */
  "cron-explain": { request: CronExplainRequest; result: CronExplainResult };
  /** DNS lookup: 5 credits. */
  "dns-lookup": { request: DnsLookupRequest; result: DnsLookupResult };
  /** Blacklist check: 4 credits. */
  "email-blacklist-check": { request: EmailBlacklistCheckRequest; result: EmailBlacklistCheckResult };
  /** Email deliverability: 5 credits. */
  "email-deliverability": { request: EmailDeliverabilityRequest; result: EmailDeliverabilityResult };
  /** Email header analyzer: 3 credits. */
  "email-header-analyzer": { request: EmailHeaderAnalyzerRequest; result: EmailHeaderAnalyzerResult };
  /** Email spam check: 3 credits. */
  "email-spam-check": { request: EmailSpamCheckRequest; result: EmailSpamCheckResult };
  /** Email address check: 2 credits. */
  "email-validator": { request: EmailValidatorRequest; result: EmailValidatorResult };
  /** Email address check, up to ten at once: 15 credits. */
  "email-validator-bulk": { request: EmailValidatorBulkRequest; result: EmailValidatorBulkResult };
  /** Exposed files: 5 credits. */
  "exposed-files": { request: ExposedFilesRequest; result: ExposedFilesResult };
  /** Hash generator: 1 credit. */
  "hash-generate": { request: HashGenerateRequest; result: HashGenerateResult };
  /** JSON to code: 1 credit. */
  "json-to-code": { request: JsonToCodeRequest; result: JsonToCodeResult };
  /** JWT decoder: 1 credit. */
  "jwt-decode": { request: JwtDecodeRequest; result: JwtDecodeResult };
  /** OpenAPI validator: 5 credits. */
  "openapi-validate": { request: OpenapiValidateRequest; result: OpenapiValidateResult };
  /** Password strength: 1 credit. */
  "password-strength": { request: PasswordStrengthRequest; result: PasswordStrengthResult };
  /** Performance audit: 10 credits. */
  "performance-audit": { request: PerformanceAuditRequest; result: PerformanceAuditResult | Uint8Array };
  /** Placeholder image: 1 credit. */
  "placeholder-image": { request: PlaceholderImageRequest; result: Uint8Array };
  /** QR code generator: 1 credit. */
  "qr-generate": { request: QrGenerateRequest; result: QrGenerateResult | Uint8Array };
  /** Security headers: 5 credits. */
  "security-headers": { request: SecurityHeadersRequest; result: SecurityHeadersResult };
  /** SEO analysis: 5 credits. */
  "seo-analyze": { request: SeoAnalyzeRequest; result: SeoAnalyzeResult };
  /** Subdomain finder: 5 credits. */
  "subdomain-finder": { request: SubdomainFinderRequest; result: SubdomainFinderResult };
  /** Technology detection: 5 credits. */
  "tech-detect": { request: TechDetectRequest; result: TechDetectResult };
  /** TLS check: 5 credits. */
  "tls-check": { request: TlsCheckRequest; result: TlsCheckResult };
  /** Token counter: 1 credit. */
  "token-counter": { request: TokenCounterRequest; result: TokenCounterResult };
  /** Website audit: 20 credits. */
  "website-audit": { request: WebsiteAuditRequest; result: WebsiteAuditResult | Uint8Array };
}
