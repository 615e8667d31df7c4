/*
 * svc-chat/chatplatform-moderate/words.c - finds listed words in all views of a text, and rates
 * them by the words near them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "finders.h"
#include "scripts.h"
#include "svc/args.h"
#include "text/json.h"

enum {
    HITS_MAX = 8192,
    GUESS_LETTERS_MAX = 32,
    DARING_LETTERS_MIN = 4, /* of a word in a daring view; for slurs, which can be names: */
    DARING_SLUR_MIN = 5,
    SETTING_WORDS = 20,     /* between a homonym and a setting */
    NORMALIZED_BYTES = 512, /* of a listed word; 60 letters that NFKC expands are cut */
};

/* A listed word at a position. */
struct hit {
    uint16_t group;
    uint32_t start, end;
    unsigned disguise;
    enum view_kind view;
    const struct pattern *pattern;
};

struct search {
    struct moderation *moderation;
    const struct view *view;
    enum view_kind kind;
    struct matcher *given; /* blocked_words of the request */
    struct hit *hit;
    size_t count;
    uint32_t
        *reach; /* by position: the furthest end of a harmless word that starts here or earlier */
    uint32_t *word_at; /* by position: the number of its word in the folded view */
    uint32_t words;
    uint32_t
        *class_end[GROUPS - RULES]; /* by word: the end of a word of that class; 0: none there */
};

/* ---- collecting ---- */

static unsigned disguises_of(const struct view *view, size_t begin, size_t end)
{
    unsigned all = 0;
    for (size_t i = begin; i < end; i++) {
        unsigned one = view->at[i].disguise;
        all |= i == begin ? one & ~(unsigned)DISGUISE_INVISIBLE : one;
    }
    return all;
}

/* Words of classes count only as written, and a disguise never makes a word harmless. */
static bool may_be_in(enum view_kind kind, uint16_t group)
{
    return group < RULES || kind <= (group == CLASS_HARMLESS ? VIEW_LEET_L : VIEW_FOLDED);
}

/* A strong word of sufficient length is not a coincidence. */
static bool may_be_dared(const struct search *search, const struct pattern *pattern)
{
    if (pattern->group >= RULES)
        return false;
    const struct rule *rule = &search->moderation->rules->rule[pattern->group];
    size_t least = rule->category == CATEGORY_SLUR ? DARING_SLUR_MIN : DARING_LETTERS_MIN;
    return rule->guess && pattern->length >= least;
}

static bool add_hit(const struct pattern *pattern, size_t begin, size_t end, void *context)
{
    struct search *search = context;
    const struct symbol *at = search->view->at;
    unsigned disguise = disguises_of(search->view, begin, end);

    if (search->count == HITS_MAX)
        return false;
    if (view_is_daring(search->kind) && !may_be_dared(search, pattern))
        return true;
    /* "göt" is not "got": marks that belong to the spelling are required, and are not a disguise */
    if ((pattern->has_marks && !(disguise & DISGUISE_DIACRITICS)) ||
        !may_be_in(search->kind, pattern->group))
        return true;
    if (pattern->has_marks)
        disguise &= ~(unsigned)DISGUISE_DIACRITICS;
    search->hit[search->count++] = (struct hit){
        .group = pattern->group,
        .start = at[begin].start,
        .end = at[end - 1].end,
        .disguise = disguise,
        .view = search->kind,
        .pattern = pattern,
    };
    return true;
}

/* ---- words with holes ---- */

static int by_first(const struct pattern *pattern, size_t length, uint32_t first)
{
    if (pattern->length != length)
        return pattern->length < length ? -1 : 1;
    return pattern->code[0] < first ? -1 : pattern->code[0] > first;
}

/* A hidden letter, and at least two known letters unless all letters are hidden. */
static bool may_fit(const struct pattern *pattern, const struct symbol *at, size_t *holes)
{
    *holes = 0;
    for (size_t i = 0; i < pattern->length; i++) {
        if (at[i].code != VIEW_HOLE && at[i].code != pattern->code[i])
            return false;
        *holes += at[i].code == VIEW_HOLE;
    }
    return *holes > 0 && (*holes + 1 == pattern->length || *holes + 2 <= pattern->length);
}

/* The first pattern with that length and first letter. */
static size_t first_guess(const struct moderation_rules *rules, size_t length, uint32_t first)
{
    size_t low = 0;
    size_t high = rules->guess_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by_first(matcher_pattern(rules->words, rules->guesses[middle].pattern), length, first) <
            0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_milder(const struct moderation_rules *rules, const struct guess *a,
                      const struct guess *b)
{
    int64_t more = rules->rule[matcher_pattern(rules->words, a->pattern)->group].points -
                   rules->rule[matcher_pattern(rules->words, b->pattern)->group].points;
    return more < 0 || (more == 0 && a->holes_max > b->holes_max);
}

/*
 * The mildest word that `length` symbols from here could be; they are a word or begin one. A word
 * with too many holes is not a candidate, but it can make the guess milder.
 */
static const struct guess *mildest_guess(const struct search *search, size_t begin, size_t length,
                                         bool is_word, bool *has_reason)
{
    const struct moderation_rules *rules = search->moderation->rules;
    const struct symbol *at = search->view->at + begin;
    const struct guess *mildest = NULL;

    *has_reason = false;
    for (size_t i = first_guess(rules, length, at->code); i < rules->guess_count; i++) {
        const struct guess *one = &rules->guesses[i];
        const struct pattern *pattern = matcher_pattern(rules->words, one->pattern);
        size_t holes;
        if (by_first(pattern, length, at->code) != 0)
            break;
        bool may_begin = pattern->type == MATCH_PREFIX || pattern->type == MATCH_SUBSTRING;
        if (!(is_word || may_begin) || !may_fit(pattern, at, &holes))
            continue;
        *has_reason |= holes <= one->holes_max;
        if (!mildest || is_milder(rules, one, mildest))
            mildest = one;
    }
    return mildest;
}

static void guess_word(struct search *search, size_t begin, size_t end)
{
    for (size_t length = end - begin; length >= 4; length--) {
        bool has_reason;
        const struct guess *mildest =
            mildest_guess(search, begin, length, length == end - begin, &has_reason);
        if (!mildest)
            continue;
        if (has_reason)
            add_hit(matcher_pattern(search->moderation->rules->words, mildest->pattern), begin,
                    begin + length, search);
        return;
    }
}

static void guess_words(struct search *search)
{
    const struct view *view = search->view;
    for (size_t begin = 0, end; begin < view->count; begin = end + 1) {
        bool has_hole = false;
        for (end = begin; end < view->count && view->at[end].code != ' '; end++)
            has_hole |= view->at[end].code == VIEW_HOLE;
        if (has_hole && end - begin <= GUESS_LETTERS_MAX)
            guess_word(search, begin, end);
    }
}

/* ---- the words of the request ---- */

/* `cat`, `cat*`, `*cat`, `*cat*`, as in the platform's own filters. */
static void add_given(struct matcher *matcher, const char *text, uint16_t group)
{
    size_t size = strlen(text);
    bool open_end = size > 0 && text[size - 1] == '*';
    bool open_start = text[0] == '*';
    bool has_marks;

    scoped(view_free) struct view view = view_of_pattern(text_of(text), &has_marks);
    scoped(mem_free) uint32_t *code = mem_array(view.count + 1, sizeof(*code));
    size_t length = 0;
    for (size_t i = 0; i < view.count; i++) /* the stars have become blanks */
        if (view.at[i].code != ' ' || (i > 0 && i + 1 < view.count))
            code[length++] = view.at[i].code;
    matcher_add(matcher, code, length,
                open_start && open_end ? MATCH_SUBSTRING
                : open_end             ? MATCH_PREFIX
                : open_start           ? MATCH_SUFFIX
                                       : MATCH_WORD,
                group, has_marks);
}

static struct matcher *matcher_of_request(const struct moderation *moderation)
{
    struct matcher *matcher = matcher_new();
    const cJSON *context = arg_any(moderation->job, "context");
    const cJSON *item;

    cJSON_ArrayForEach(item, json_get(context, "blocked_words"))
        add_given(matcher, json_text_of(item).bytes, RULE_BLOCKED_WORD);
    cJSON_ArrayForEach(item, json_get(context, "allowed_words"))
        add_given(matcher, json_text_of(item).bytes, CLASS_HARMLESS);
    matcher_finish(matcher);
    return matcher;
}

/* ---- paths of links ---- */

/* The percent-decoded path of a link, as UTF-8. */
static char *decode_path(const struct runes *plain, const struct token *token)
{
    scoped(buf_free) struct buf path = BUF(1 << 16);
    size_t at = token->start + strlen("https://");
    while (at < token->end && plain->at[at].code != '/')
        at++;
    for (; at < token->end; at++) {
        uint32_t code = plain->at[at].code;
        int high = at + 2 < token->end ? hex_digit((char)MIN(plain->at[at + 1].code, 0x7FU)) : -1;
        int low = high >= 0 ? hex_digit((char)MIN(plain->at[at + 2].code, 0x7FU)) : -1;
        if (code == '%' && low >= 0 && (high > 0 || low > 0)) {
            buf_add_byte(&path, (char)(high << 4 | low));
            at += 2;
        } else {
            utf8_add(&path, code);
        }
    }
    char *text = buf_take(&path);
    text_repair(text);
    return text;
}

/* Words in a path have the position of the whole link. */
static void search_path(struct search *search, const struct token *token)
{
    const struct runes *plain = &search->moderation->plain;
    scoped(mem_free) char *path = decode_path(plain, token);
    bool has_marks;
    scoped(view_free) struct view view = view_of_pattern(text_of(path), &has_marks);

    for (size_t i = 0; i < view.count; i++) {
        view.at[i].start = plain->at[token->start].start;
        view.at[i].end = plain->at[token->end - 1].end;
    }
    search->kind = VIEW_NATIVE;
    search->view = &view;
    matcher_run(search->moderation->rules->words, view_symbols(&view), add_hit, search);
    matcher_run(search->given, view_symbols(&view), add_hit, search);
}

/* ---- all views ---- */

static void collect_hits(struct search *search)
{
    const struct moderation *moderation = search->moderation;

    for (size_t kind = 0; kind < VIEW_KINDS; kind++) {
        search->kind = (enum view_kind)kind;
        search->view = &moderation->views.view[kind];
        if (moderation->views.same[kind])
            continue;
        if (kind == VIEW_GUESS || kind == VIEW_GUESS_CYRILLIC) {
            guess_words(search);
            continue;
        }
        matcher_run(moderation->rules->words, view_symbols(search->view), add_hit, search);
        matcher_run(search->given, view_symbols(search->view), add_hit, search);
    }
    for (size_t i = 0; i < moderation->tokens.count; i++)
        if (moderation->tokens.at[i].kind == TOKEN_LINK)
            search_path(search, &moderation->tokens.at[i]);
}

/* ---- positions ---- */

static void map_places(struct search *search)
{
    const struct view *folded = &search->moderation->views.view[VIEW_FOLDED];
    size_t places = search->moderation->original.count;
    uint32_t place = 0;

    search->reach = mem_array(places + 1, sizeof(*search->reach));
    search->word_at = mem_array(places + 1, sizeof(*search->word_at));
    for (size_t i = 0; i < folded->count; i++) {
        bool begins = folded->at[i].code != ' ' && (i == 0 || folded->at[i - 1].code == ' ');
        search->words += begins;
        for (; place < folded->at[i].end && place <= places; place++)
            search->word_at[place] = search->words;
    }
    for (; place <= places; place++)
        search->word_at[place] = search->words;
    for (size_t i = 0; i < search->count; i++) {
        const struct hit *hit = &search->hit[i];
        if (hit->group == CLASS_HARMLESS)
            search->reach[hit->start] = MAX(search->reach[hit->start], hit->end);
    }
    for (size_t i = 1; i <= places; i++)
        search->reach[i] = MAX(search->reach[i], search->reach[i - 1]);
}

static void map_classes(struct search *search)
{
    for (size_t i = 0; i < GROUPS - RULES; i++)
        search->class_end[i] = mem_array(search->words + 2, sizeof(uint32_t));
    for (size_t i = 0; i < search->count; i++) {
        const struct hit *hit = &search->hit[i];
        if (hit->group < RULES || hit->group >= GROUPS)
            continue;
        for (uint32_t word = search->word_at[hit->start]; word <= search->word_at[hit->end - 1];
             word++)
            search->class_end[hit->group - RULES][word] = hit->end;
    }
}

static bool is_harmless(const struct search *search, const struct hit *hit)
{
    return search->reach[hit->start] >= hit->end;
}

/* The end of a word of a class among the words from first to last; 0 if not found. */
static uint32_t class_within(const struct search *search, uint16_t class, int64_t first,
                             int64_t last)
{
    for (int64_t word = MAX(first, 0); word <= MIN(last, (int64_t)search->words); word++)
        if (search->class_end[class - RULES][word] > 0)
            return search->class_end[class - RULES][word];
    return 0;
}

/* Are both at most `words` words apart? */
static bool is_within(const struct search *search, const struct hit *hit, uint16_t class,
                      int64_t words)
{
    return class_within(search, class, (int64_t)search->word_at[hit->start] - words - 1,
                        (int64_t)search->word_at[hit->end - 1] + words + 1) > 0;
}

static bool is_near(const struct search *search, const struct hit *hit, uint16_t class,
                    enum limit limit)
{
    return is_within(search, hit, class, search->moderation->rules->limit[limit]);
}

/* Bird names and needles make some words harmless. */
static void soften_homonyms(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        struct hit *hit = &search->hit[i];
        uint32_t word = search->word_at[hit->start];
        if (hit->group == RULE_PROFANITY_3 &&
            class_within(search, CLASS_HOMONYM, word, word) == hit->end &&
            is_within(search, hit, CLASS_SETTING, SETTING_WORDS))
            hit->group = RULE_PROFANITY_2;
    }
}

/* ---- rating the hits ---- */

static char *normalized_word(const struct pattern *pattern)
{
    scoped(buf_free) struct buf text = BUF(NORMALIZED_BYTES);
    for (size_t i = 0; i < pattern->length; i++)
        utf8_add(&text, pattern->code[i]);
    return buf_take(&text);
}

static bool is_mixed_case(const struct moderation *moderation, const struct hit *hit)
{
    size_t turns = 0;
    bool was_lower = false;
    for (uint32_t i = hit->start; i < hit->end; i++) {
        uint32_t code = moderation->original.at[i].code;
        turns += was_lower && code >= 'A' && code <= 'Z';
        was_lower = code >= 'a' && code <= 'z';
    }
    return turns > 0;
}

/* Does somebody say in front of it that another person said it? */
static bool is_reported(const struct search *search, uint32_t start)
{
    const int64_t words = search->moderation->rules->limit[LIMIT_REPORT_WORDS];
    int64_t word = search->word_at[start];
    return class_within(search, CLASS_REPORT, word - words, word) > 0;
}

/* A quote of an attack is not an attack. */
static void soften_report(const struct search *search, struct finding *finding)
{
    const struct moderation_rules *rules = search->moderation->rules;
    enum category category = finding ? rules->rule[finding->rule].category : CATEGORIES;
    bool is_attack = category == CATEGORY_HARASSMENT || category == CATEGORY_THREAT ||
                     category == CATEGORY_SELF_HARM || category == CATEGORY_SLUR ||
                     (finding && finding->rule == RULE_PROFANITY_3);
    if (is_attack && finding->rule != RULE_SELF_HARM_IDEATION &&
        is_reported(search, finding->start))
        finding->points = finding->points * rules->limit[LIMIT_REPORT_PERCENT] / 100;
}

static void add_finding(const struct search *search, const struct hit *hit, enum rule_id rule,
                        int64_t more)
{
    struct moderation *moderation = search->moderation;
    unsigned disguise = hit->disguise | (is_mixed_case(moderation, hit) ? DISGUISE_MIXED_CASE : 0);
    struct finding *finding = finding_add(moderation, rule, hit->start, hit->end, disguise);
    if (!finding)
        return;
    finding->points = MIN(100, finding->points + more);
    soften_report(search, finding);
    finding->normalized = normalized_word(hit->pattern);
}

/* The rule that a hit counts for, depending on the words near it. */
static enum rule_id rule_of(const struct search *search, const struct hit *hit)
{
    const struct moderation *moderation = search->moderation;
    switch (hit->group) {
    case RULE_INSULT:
        return is_near(search, hit, CLASS_ADDRESSEE, LIMIT_NEAR_WORDS) ? RULE_INSULT_AIMED
                                                                       : RULE_INSULT;
    case RULE_SEXUAL_EXPLICIT:
    case RULE_SEXUAL_SOLICITATION:
        return is_near(search, hit, CLASS_MINOR, LIMIT_MINOR_WORDS) ? RULE_SEXUAL_MINORS
                                                                    : (enum rule_id)hit->group;
    case RULE_SCAM_LURE:
        if (!moderation->has_foreign_link)
            return RULE_SCAM_LURE;
        return moderation->signals.everyone ? RULE_SCAM_LURE_EVERYONE : RULE_SCAM_LURE_LINK;
    default:
        return (enum rule_id)hit->group;
    }
}

/* "going to kill you": an intent, an act and a target, each near the previous one. */
static void find_threats(struct search *search)
{
    const int64_t near = search->moderation->rules->limit[LIMIT_NEAR_WORDS] + 1;
    uint32_t done = 0;

    for (size_t i = 0; i < search->count; i++) {
        struct hit hit = search->hit[i];
        if (hit.group != CLASS_INTENT || hit.start < done || is_harmless(search, &hit))
            continue;
        int64_t word = search->word_at[hit.end - 1];
        uint32_t violence = class_within(search, CLASS_VIOLENCE, word + 1, word + near);
        if (violence == 0 || search->reach[violence - 1] >= violence)
            continue;
        word = search->word_at[violence - 1];
        uint32_t person = class_within(search, CLASS_ADDRESSEE, word + 1, word + near);
        if (person == 0)
            person = class_within(search, CLASS_PERSON, word + 1, word + near);
        if (person == 0)
            continue;
        if (class_within(search, CLASS_GAME, 0, search->words) == 0)
            soften_report(search, finding_add(search->moderation, RULE_THREAT_VIOLENCE, hit.start,
                                              person, 0));
        done = person;
    }
}

/* Of two hits at one position, prefer more points, then the longer one, then less disguise. */
static bool is_better(const struct moderation_rules *rules, const struct hit *a,
                      const struct hit *b)
{
    int64_t points = rules->rule[a->group].points - rules->rule[b->group].points;
    if (points != 0)
        return points > 0;
    if (a->end - a->start != b->end - b->start)
        return a->end - a->start > b->end - b->start;
    return a->view < b->view;
}

static int by_place(const void *a, const void *b)
{
    const struct hit *one = a;
    const struct hit *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    if (one->view != other->view)
        return one->view < other->view ? -1 : 1;
    return one->end > other->end ? -1 : one->end < other->end;
}

/* Of overlapping hits in one category, keep the best. Returns how many are kept, at the front. */
static size_t keep_best_hits(struct search *search)
{
    const struct moderation_rules *rules = search->moderation->rules;
    size_t last[CATEGORIES];
    size_t kept = 0;

    for (size_t i = 0; i < CATEGORIES; i++)
        last[i] = SIZE_MAX;
    for (size_t i = 0; i < search->count; i++) {
        struct hit hit = search->hit[i];
        if (hit.group >= RULES || is_harmless(search, &hit))
            continue;
        size_t *before = &last[rules->rule[hit.group].category];
        if (*before != SIZE_MAX && hit.start < search->hit[*before].end) {
            if (is_better(rules, &hit, &search->hit[*before]))
                search->hit[*before] = hit;
            continue;
        }
        *before = kept;
        search->hit[kept++] = hit;
    }
    return kept;
}

static void report_hits(struct search *search)
{
    const struct moderation_rules *rules = search->moderation->rules;
    int64_t insults = 0;

    find_threats(search);
    size_t kept = keep_best_hits(search);
    for (size_t i = 0; i < kept; i++)
        insults += search->hit[i].group == RULE_INSULT;
    for (size_t i = 0; i < kept; i++) {
        const struct hit *hit = &search->hit[i];
        bool is_pile = hit->group == RULE_INSULT && insults >= rules->limit[LIMIT_INSULTS];
        add_finding(search, hit, rule_of(search, hit),
                    is_pile ? rules->limit[LIMIT_INSULTS_POINTS] : 0);
        search->moderation->is_ideation |= hit->group == RULE_SELF_HARM_IDEATION;
    }
}

/* The parts of scripts, in the order of the text; a quoted script is not one. */
static void report_scripts(struct search *search)
{
    scoped(mem_free) struct part *parts = mem_array(search->count + 1, sizeof(*parts));
    size_t count = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct hit *hit = &search->hit[i];
        if (hit->group >= GROUPS)
            parts[count++] = (struct part){ (size_t)(hit->group - GROUPS),
                                            search->word_at[hit->start], hit->start, hit->end };
    }
    if (count > 0 && class_within(search, CLASS_REPORT, 0, search->words) == 0)
        find_scripts(search->moderation, parts, count);
}

void find_words(struct moderation *moderation)
{
    scoped(mem_free) struct hit *hits = mem_array(HITS_MAX, sizeof(*hits));
    scoped(matcher_free) struct matcher *given = matcher_of_request(moderation);
    struct search search = { .moderation = moderation, .given = given, .hit = hits };

    collect_hits(&search);
    map_places(&search);
    map_classes(&search);
    soften_homonyms(&search);
    qsort(search.hit, search.count, sizeof(*search.hit), by_place);
    report_scripts(&search);
    report_hits(&search);
    mem_free(&search.reach);
    mem_free(&search.word_at);
    for (size_t i = 0; i < countof(search.class_end); i++)
        mem_free(&search.class_end[i]);
}
