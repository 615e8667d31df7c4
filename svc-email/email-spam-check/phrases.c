/* svc-email/email-spam-check/phrases.c - a trie numbers the words. A phrase is tried at each word
 * that matches its first element. */
#include "email-spam-check/phrases.h"

#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    ASCII_LETTERS = 37, /* a to z, 0 to 9, the apostrophe */
    LETTERS = ASCII_LETTERS + 64,
    WORD_MAX_BYTES = 40,
    ALTERNATIVES_MAX = 24,
    STEPS_MAX = 200, /* of one try: nested gaps */
    PREFIX_BIT = 1 << 15,
    NUMBERS_MAX = PREFIX_BIT - 1,
    NODES_MAX = UINT16_MAX,
};

enum element_kind { ELEMENT_WORDS, ELEMENT_ANY, ELEMENT_GAP };

struct element {
    enum element_kind kind;
    bool is_optional;
    uint8_t gap;
    uint8_t kinds; /* a bit for each enum word_kind that also matches */
    uint8_t count;
    uint16_t word[ALTERNATIVES_MAX]; /* exact numbers, or with PREFIX_BIT */
};

struct phrase {
    uint16_t set;
    uint8_t count;
    struct element *element; /* in the phrases' arena */
};

struct node {
    uint16_t next[LETTERS];
    uint16_t exact;
    uint16_t prefix;
};

/* Phrases by their first element: indexes in a row. */
struct starts {
    uint32_t *at;
    size_t count;
};

struct phrases {
    struct arena arena;
    struct phrase *phrase;
    size_t count, capacity;
    struct node *node;
    size_t node_count, node_capacity;
    uint16_t numbers; /* used for words and prefixes */
    struct starts *by_number;
    struct starts by_kind[WORD_BREAK + 1];
};

/* ---- the trie ---- */

/* The lower six bits of other bytes identify valid UTF-8: whether a byte begins a character follows
 * from the bytes before it. */
static int letter_of(char byte)
{
    if (ascii_is_lower(byte))
        return byte - 'a';
    if (ascii_is_digit(byte))
        return 26 + byte - '0';
    return byte == '\'' ? ASCII_LETTERS - 1 : ASCII_LETTERS + (byte & 0x3F);
}

static uint16_t new_node(struct phrases *phrases)
{
    if (phrases->node_count == phrases->node_capacity) {
        phrases->node_capacity = MAX(1024, 2 * phrases->node_capacity);
        phrases->node = mem_resize(phrases->node, phrases->node_capacity * sizeof(*phrases->node));
    }
    phrases->node[phrases->node_count] = (struct node){ 0 };
    return (uint16_t)phrases->node_count++;
}

struct phrases *phrases_new(void)
{
    struct phrases *phrases = mem_new(sizeof(*phrases));
    new_node(phrases);
    return phrases;
}

/* Returns false if the table is full. */
static bool enter_word(struct phrases *phrases, struct text word, bool is_prefix, uint16_t *entered)
{
    uint16_t at = 0;
    if (phrases->numbers == NUMBERS_MAX || phrases->node_count + word.size > NODES_MAX)
        return false;
    for (size_t i = 0; i < word.size; i++) {
        int letter = letter_of(word.bytes[i]);
        if (phrases->node[at].next[letter] == 0) {
            uint16_t fresh = new_node(phrases);
            phrases->node[at].next[letter] = fresh;
        }
        at = phrases->node[at].next[letter];
    }
    uint16_t *number = is_prefix ? &phrases->node[at].prefix : &phrases->node[at].exact;
    if (*number == 0)
        *number = ++phrases->numbers;
    *entered = is_prefix ? *number | PREFIX_BIT : *number;
    return true;
}

/* Look up a word's numbers. */
static void look_up_word(const struct phrases *phrases, struct text text, struct word *word)
{
    uint16_t at = 0;
    size_t prefixes = 0;
    for (size_t i = 0; i < text.size; i++) {
        at = phrases->node[at].next[letter_of(text.bytes[i])];
        if (at == 0)
            return;
        if (phrases->node[at].prefix && prefixes < WORD_PREFIXES_MAX)
            word->prefix[prefixes++] = phrases->node[at].prefix;
    }
    word->exact = phrases->node[at].exact;
}

/* ---- reading phrases ---- */

static bool reject_phrase(struct err *err, struct text phrase, const char *why)
{
    return err_set(err, ERR_INVALID_VALUE, "phrase \"%.*s\" %s", (int)MIN(phrase.size, 60U),
                   phrase.bytes, why);
}

static bool is_word(struct text word)
{
    for (size_t i = 0; i < word.size; i++)
        if (!ascii_is_lower(word.bytes[i]) && !ascii_is_digit(word.bytes[i]) &&
            word.bytes[i] != '\'' && !(word.bytes[i] & 0x80))
            return false;
    return word.size > 0 && word.size <= WORD_MAX_BYTES;
}

static bool read_alternative(struct phrases *phrases, struct text word, struct element *element)
{
    static const struct {
        const char *name;
        enum word_kind kind;
    } kinds[] = { { "#", WORD_NUMBER }, { "#%", WORD_PERCENT }, { "$#", WORD_MONEY } };
    for (size_t i = 0; i < countof(kinds); i++)
        if (text_is(word, kinds[i].name)) {
            element->kinds |= (uint8_t)(1U << kinds[i].kind);
            return true;
        }
    bool is_prefix = word.size > 1 && word.bytes[word.size - 1] == '*';
    word.size -= is_prefix;
    if (!is_word(word) || element->count == ALTERNATIVES_MAX)
        return false;
    return enter_word(phrases, word, is_prefix, &element->word[element->count++]);
}

static bool read_element(struct phrases *phrases, struct text text, struct element *element)
{
    element->is_optional = text.size > 1 && text.bytes[text.size - 1] == '?';
    text.size -= element->is_optional;
    if (text_is(text, "~")) {
        element->kind = ELEMENT_ANY;
        return true;
    }
    if (text.size == 3 && text.bytes[0] == '{' && text.bytes[2] == '}' && text.bytes[1] >= '1' &&
        text.bytes[1] <= '0' + PHRASE_GAP_MAX) {
        element->kind = ELEMENT_GAP;
        element->gap = (uint8_t)(text.bytes[1] - '0');
        return true;
    }
    while (text.size > 0)
        if (!read_alternative(phrases, text_cut(&text, '|'), element))
            return false;
    return element->count > 0 || element->kinds > 0;
}

/* Store the parsed elements. */
static void keep_phrase(struct phrases *phrases, const struct element *elements, size_t count,
                        uint16_t set)
{
    struct element *element = arena_get(&phrases->arena, count * sizeof(*element));
    memcpy(element, elements, count * sizeof(*element));
    if (phrases->count == phrases->capacity) {
        phrases->capacity = MAX(256, 2 * phrases->capacity);
        phrases->phrase = mem_resize(phrases->phrase, phrases->capacity * sizeof(*phrases->phrase));
    }
    phrases->phrase[phrases->count++] =
        (struct phrase){ .set = set, .count = (uint8_t)count, .element = element };
}

bool phrases_add(struct phrases *phrases, struct text text, uint16_t set, struct err *err)
{
    struct element element[PHRASE_ELEMENTS_MAX] = { 0 };
    size_t count = 0;
    struct text rest = text_trim(text);
    while (rest.size > 0) {
        struct text part = text_cut(&rest, ' ');
        if (part.size == 0)
            continue;
        if (count == PHRASE_ELEMENTS_MAX || !read_element(phrases, part, &element[count++]))
            return reject_phrase(err, text, "has an invalid element, or too many elements");
    }
    const struct element *first = &element[0];
    const struct element *last = &element[MAX(count, 1) - 1];
    if (count == 0 || first->is_optional || first->kind == ELEMENT_ANY ||
        first->kind == ELEMENT_GAP || last->kind == ELEMENT_GAP)
        return reject_phrase(err, text, "must begin and end with a known word");
    keep_phrase(phrases, element, count, set);
    return true;
}

static void add_start(struct starts *starts, size_t phrase)
{
    starts->at = mem_resize(starts->at, (starts->count + 1) * sizeof(*starts->at));
    starts->at[starts->count++] = (uint32_t)phrase;
}

void phrases_finish(struct phrases *phrases)
{
    phrases->by_number = mem_array(phrases->numbers + 1, sizeof(*phrases->by_number));
    for (size_t i = 0; i < phrases->count; i++) {
        const struct element *first = &phrases->phrase[i].element[0];
        for (size_t j = 0; j < first->count; j++)
            add_start(&phrases->by_number[first->word[j] & ~PREFIX_BIT], i);
        for (size_t kind = 0; kind <= WORD_BREAK; kind++)
            if (first->kinds & 1U << kind)
                add_start(&phrases->by_kind[kind], i);
    }
}

void phrases_free(struct phrases **address)
{
    struct phrases *phrases = *address;
    if (!phrases)
        return;
    for (size_t i = 0; phrases->by_number && i <= phrases->numbers; i++)
        mem_free(&phrases->by_number[i].at);
    for (size_t i = 0; i <= WORD_BREAK; i++)
        mem_free(&phrases->by_kind[i].at);
    mem_free(&phrases->by_number);
    mem_free(&phrases->phrase);
    mem_free(&phrases->node);
    arena_free(&phrases->arena);
    mem_free(address);
}

size_t phrases_count(const struct phrases *phrases)
{
    return phrases->count;
}

/* ---- split a text ---- */

static void add_word(struct words *words, struct word word)
{
    if (words->count == words->capacity) {
        words->capacity = MAX(256, 2 * words->capacity);
        words->at = mem_resize(words->at, words->capacity * sizeof(*words->at));
    }
    words->at[words->count++] = word;
}

static bool is_letter(char byte)
{
    return ascii_is_alnum(byte) || (byte & 0x80);
}

/* Bytes up to a blank, a bracket or a quote: a possible URL or address. */
static size_t chunk_bytes(struct text text)
{
    size_t end = 0;
    while (end < text.size && !ascii_is_space(text.bytes[end]) &&
           !strchr("<>\"()", text.bytes[end]))
        end++;
    return end;
}

static bool is_url(struct text text)
{
    return text_begins(text, "http://") || text_begins(text, "https://") ||
           text_begins(text, "www.");
}

/* The currency sign at the beginning: $, €, £, ¥, ₹. */
static size_t sign_bytes(struct text text)
{
    static const char *const signs[] = { "$", "€", "£", "¥", "₹" };
    for (size_t i = 0; i < countof(signs); i++)
        if (text_begins(text, signs[i]))
            return strlen(signs[i]);
    return 0;
}

static size_t digits_bytes(struct text text)
{
    size_t end = 0;
    while (end < text.size && (ascii_is_digit(text.bytes[end]) ||
                               (end > 0 && strchr(".,'", text.bytes[end]) && end + 1 < text.size &&
                                ascii_is_digit(text.bytes[end + 1]))))
        end++;
    return end;
}

/* A number with its sign: "$1,000", "20%", "5€". Letters after the digits make it a word. */
static size_t number_bytes(struct text text, enum word_kind *kind)
{
    size_t sign = sign_bytes(text);
    size_t blank = sign > 0 && text.size > sign && text.bytes[sign] == ' ';
    size_t digits = digits_bytes(text_skip(text, sign + blank));
    if (digits == 0)
        return 0;
    size_t end = sign + blank + digits;
    struct text rest = text_skip(text, end);
    size_t behind = sign_bytes(rest);
    *kind = sign > 0 || behind > 0 ? WORD_MONEY : WORD_NUMBER;
    if (sign == 0 && rest.size > 0 && rest.bytes[0] == '%') {
        *kind = WORD_PERCENT;
        return end + 1;
    }
    if (*kind == WORD_NUMBER && rest.size > 0 && is_letter(rest.bytes[0]))
        return 0;
    return sign > 0 ? end : end + behind;
}

static size_t word_bytes(struct text text)
{
    size_t end = 0;
    while (end < text.size &&
           (is_letter(text.bytes[end]) || (text.bytes[end] == '\'' && end > 0 &&
                                           end + 1 < text.size && is_letter(text.bytes[end + 1]))))
        end++;
    return end;
}

static bool is_address(struct text chunk)
{
    const char *at = chunk.size > 2 ? memchr(chunk.bytes + 1, '@', chunk.size - 2) : NULL;
    return at && memchr(at, '.', chunk.size - (size_t)(at - chunk.bytes));
}

struct words words_of(const struct phrases *phrases, struct text text)
{
    struct words words = { 0 };
    const char *start = text.bytes;
    size_t chunk_end = 0; /* end of the last chunk that was checked */
    int lines = 0;
    while (text.size > 0) {
        size_t offset = (size_t)(text.bytes - start);
        struct word word = { .start = (uint32_t)offset };
        size_t bytes = 0;
        if (text.bytes[0] == '\n') {
            if (++lines == 2) {
                word.kind = WORD_BREAK;
                word.end = word.start;
                add_word(&words, word);
            }
            text = text_skip(text, 1);
            continue;
        }
        if (!ascii_is_space(text.bytes[0]))
            lines = 0;
        if (offset >= chunk_end && is_letter(text.bytes[0])) {
            struct text chunk = { text.bytes, chunk_bytes(text) };
            chunk_end = offset + MAX(chunk.size, 1);
            if (is_url(chunk) || is_address(chunk)) {
                word.kind = is_url(chunk) ? WORD_URL : WORD_ADDRESS;
                bytes = chunk.size;
            }
        }
        if (bytes == 0)
            bytes = number_bytes(text, &word.kind);
        if (bytes == 0 && is_letter(text.bytes[0])) {
            bytes = word_bytes(text);
            look_up_word(phrases, (struct text){ text.bytes, MIN(bytes, (size_t)WORD_MAX_BYTES) },
                         &word);
        }
        word.end = word.start + (uint32_t)bytes;
        if (bytes > 0)
            add_word(&words, word);
        text = text_skip(text, MAX(bytes, 1));
    }
    return words;
}

void words_free(struct words *words)
{
    mem_free(&words->at);
    *words = (struct words){ 0 };
}

/* Two characters of a script without blanks (from U+3000) count as a word. */
static size_t weight_of(struct text word)
{
    size_t ideographs = 0;
    for (size_t i = 0; i < word.size; i++)
        ideographs += (unsigned char)word.bytes[i] >= 0xE3;
    return MAX(ideographs / 2, 1);
}

size_t words_count(const struct words *words, struct text text)
{
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->at[i];
        if (word->kind != WORD_BREAK)
            count += weight_of((struct text){ text.bytes + word->start, word->end - word->start });
    }
    return count;
}

/* ---- matching ---- */

static bool fits_number(const struct word *word, uint16_t number)
{
    if (!(number & PREFIX_BIT))
        return word->exact == number;
    for (size_t i = 0; i < WORD_PREFIXES_MAX && word->prefix[i]; i++)
        if (word->prefix[i] == (number & ~PREFIX_BIT))
            return true;
    return false;
}

static bool fits_element(const struct word *word, const struct element *element)
{
    if (element->kind == ELEMENT_ANY || element->kinds & 1U << word->kind)
        return true;
    for (size_t i = 0; word->kind == WORD_PLAIN && i < element->count; i++)
        if (fits_number(word, element->word[i]))
            return true;
    return false;
}

struct attempt {
    const struct phrase *phrase;
    const struct words *words;
    int steps; /* steps left */
    size_t last;
};

/* Whether the elements from this one match at this word. At most PHRASE_ELEMENTS_MAX deep. */
static bool matches_at(struct attempt *attempt, size_t element, size_t word)
{
    if (element == attempt->phrase->count) {
        attempt->last = word - 1;
        return true;
    }
    const struct element *this = &attempt->phrase->element[element];
    if (attempt->steps-- <= 0)
        return false;
    if (this->kind == ELEMENT_GAP) {
        for (size_t i = 0; i <= this->gap && word + i < attempt->words->count; i++) {
            if (matches_at(attempt, element + 1, word + i))
                return true;
            if (attempt->words->at[word + i].kind == WORD_BREAK)
                return false;
        }
        return false;
    }
    bool is_there = word < attempt->words->count && attempt->words->at[word].kind != WORD_BREAK &&
                    fits_element(&attempt->words->at[word], this);
    return (is_there && matches_at(attempt, element + 1, word + 1)) ||
           (this->is_optional && matches_at(attempt, element + 1, word));
}

struct search {
    const struct phrases *phrases;
    const struct words *words;
    phrase_found *found;
    void *context;
    bool *is_found; /* by phrase */
};

static void try_starts(struct search *search, const struct starts *starts, size_t word)
{
    for (size_t i = 0; i < starts->count; i++) {
        uint32_t index = starts->at[i];
        struct attempt attempt = { &search->phrases->phrase[index], search->words, STEPS_MAX, 0 };
        if (search->is_found[index] || !matches_at(&attempt, 0, word))
            continue;
        search->is_found[index] = true;
        search->found(attempt.phrase->set, index, word, attempt.last, search->context);
    }
}

void phrases_match(const struct phrases *phrases, const struct words *words, phrase_found *found,
                   void *context)
{
    scoped(mem_free) bool *is_found = mem_array(phrases->count + 1, sizeof(*is_found));
    struct search search = { phrases, words, found, context, is_found };
    for (size_t i = 0; i < words->count; i++) {
        const struct word *word = &words->at[i];
        if (word->kind != WORD_PLAIN) {
            try_starts(&search, &phrases->by_kind[word->kind], i);
            continue;
        }
        if (word->exact)
            try_starts(&search, &phrases->by_number[word->exact], i);
        for (size_t j = 0; j < WORD_PREFIXES_MAX && word->prefix[j]; j++)
            try_starts(&search, &phrases->by_number[word->prefix[j]], i);
    }
}

bool phrases_have_word(const struct phrases *phrases, struct text text, uint16_t set)
{
    struct word word = { .kind = WORD_PLAIN };
    look_up_word(phrases, text, &word);
    const struct starts *starts = &phrases->by_number[word.exact];
    for (size_t i = 0; word.exact && i < starts->count; i++) {
        const struct phrase *phrase = &phrases->phrase[starts->at[i]];
        if (phrase->set == set && phrase->count == 1)
            return true;
    }
    return false;
}
