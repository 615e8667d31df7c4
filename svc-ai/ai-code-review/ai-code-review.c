/* svc-ai/ai-code-review/ai-code-review.c - find problems in source code. The model finds and
 * describes them. This file checks lines and categories, sorts, and bounds the score. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/codec/utf8.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/table.h"
#include "model/model.h"
#include "svc/args.h"
#include "text/json.h"
#include "tools.h"

enum {
    ISSUES_MAX = 50,
    NUMBERED_MAX_BYTES = 64 << 10, /* 4000 characters, each a line with its number */
    NAME_BYTES = 41,
    LINES_BYTES = 32,
};

/* Common names of a language, and the name in results. */
/* clang-format off */
static const struct language {
    const char *name;
    const char *usual;
} languages[] = {
    { "js", "javascript" },   { "node", "javascript" },   { "nodejs", "javascript" },
    { "ecmascript", "javascript" }, { "jsx", "javascript" },
    { "ts", "typescript" },   { "tsx", "typescript" },
    { "py", "python" },       { "python3", "python" },    { "python2", "python" },
    { "c++", "cpp" },         { "cxx", "cpp" },           { "cc", "cpp" },
    { "c#", "csharp" },       { "cs", "csharp" },         { "f#", "fsharp" },
    { "golang", "go" },       { "rs", "rust" },           { "rb", "ruby" },
    { "kt", "kotlin" },       { "objective-c", "objectivec" }, { "objc", "objectivec" },
    { "sh", "bash" },         { "shell", "bash" },        { "zsh", "bash" },
    { "ps1", "powershell" },  { "pwsh", "powershell" },   { "yml", "yaml" },
    { "htm", "html" },        { "postgresql", "sql" },    { "mysql", "sql" },
    { "plpgsql", "sql" },     { "tf", "terraform" },      { "hcl", "terraform" },
    { "dockerfile", "docker" }, { "makefile", "make" },   { "vb", "visualbasic" },
    { "visual basic", "visualbasic" }, { "vb.net", "visualbasic" }, { "pl", "perl" },
    { "ex", "elixir" },       { "hs", "haskell" },        { "clj", "clojure" },
    { "jl", "julia" },        { "plain text", "text" },   { "plaintext", "text" },
    { "", "unknown" },        { "auto", "unknown" },      { "none", "unknown" },
    { "n/a", "unknown" },     { "other", "unknown" },
};

/* The most severe first, with the maximum score when there is one. */
static const struct severity {
    const char *name;
    int64_t score_max;
} severities[] = {
    { "critical", 40 }, { "high", 70 }, { "medium", 90 }, { "low", 100 }, { "info", 100 },
};
/* clang-format on */

enum { SCORE_MAX = 100, SCORE_MIN_WITHOUT_ISSUES = 80 };

struct issue {
    size_t severity; /* index into severities */
    int64_t first;   /* lines; 0: none */
    int64_t last;
    const char *category;
    const char *description;
    const char *fix;
};

struct review {
    const struct job *job;
    int64_t line_count;
    size_t count;
    struct issue issue[ISSUES_MAX];
};

/* ---- the request ---- */

/* Number the lines, so that the model need not count. Returns the number of lines. */
static int64_t number_lines(struct text code, struct buf *out)
{
    int64_t number = 0;
    while (code.size > 0) {
        struct text line = text_cut(&code, '\n');
        buf_format(out, "%lld: ", (long long)++number);
        buf_add(out, line.bytes, line.size);
        buf_add_byte(out, '\n');
    }
    return number;
}

static void usual_name(struct text given, char out[static NAME_BYTES])
{
    struct text name = utf8_cut(text_trim(given), NAME_BYTES - 1);
    for (size_t i = 0; i < name.size; i++)
        out[i] = ascii_lower(name.bytes[i]);
    out[name.size] = '\0';
    const struct language *language = TABLE_FIND(languages, out);
    if (language)
        snprintf(out, NAME_BYTES, "%s", language->usual);
}

static bool finds_language(const struct job *job)
{
    return text_is_any_case(arg_text(job, "language"), "auto");
}

static cJSON *make_options(const struct job *job)
{
    cJSON *options = json_object();
    char language[NAME_BYTES];
    usual_name(arg_text(job, "language"), language);
    json_str(options, "language", finds_language(job) ? "find out" : language);
    if (json_size(arg_any(job, "focus")) > 0)
        json_add(options, "only_categories", json_alias(arg_any(job, "focus")));
    json_int(options, "at_most_issues", arg_int(job, "max_issues"));
    return options;
}

/* ---- the answer ---- */

static size_t severity_of(const char *name)
{
    const struct severity *severity = TABLE_FIND(severities, name);
    return severity ? (size_t)(severity - severities) : countof(severities) - 1;
}

/* The next number in a text; 0: none. Large numbers are clamped above any line. */
static int64_t next_number(const char **at)
{
    int64_t number = 0;
    while (**at && !ascii_is_digit((unsigned char)**at))
        ++*at;
    for (; ascii_is_digit((unsigned char)**at); ++*at)
        number = MIN(number * 10 + (**at - '0'), INT32_MAX);
    return number;
}

/* Read "12", "12-15", "L12" or "lines 12 to 15". Keeps only lines that the code has. */
static void read_lines(const char *text, int64_t line_count, struct issue *issue)
{
    int64_t a = next_number(&text);
    int64_t b = next_number(&text);
    b = b ? b : a;
    issue->first = MIN(a, b);
    issue->last = MIN(MAX(a, b), line_count);
    if (issue->first == 0 || issue->first > line_count)
        issue->first = issue->last = 0;
}

static bool is_in_focus(const struct job *job, const char *category)
{
    const cJSON *focus = arg_any(job, "focus");
    const cJSON *wanted;
    cJSON_ArrayForEach(wanted, focus)
        if (text_is(json_text_of(wanted), category))
            return true;
    return json_size(focus) == 0;
}

static bool is_same(const struct issue *a, const struct issue *b)
{
    return a->severity == b->severity && a->first == b->first && a->last == b->last &&
           strcmp(a->category, b->category) == 0 && strcmp(a->description, b->description) == 0;
}

static bool is_known(const struct review *review, const struct issue *issue)
{
    for (size_t i = 0; i < review->count; i++)
        if (is_same(&review->issue[i], issue))
            return true;
    return false;
}

static void collect_issues(struct review *review, const cJSON *answer)
{
    const cJSON *node;
    cJSON_ArrayForEach(node, json_get(answer, "issues")) {
        struct issue issue = { .severity = severity_of(json_text(node, "/severity")),
                               .category = json_text(node, "/category"),
                               .description = json_text(node, "/description"),
                               .fix = json_text(node, "/fix") };
        read_lines(json_text(node, "/line"), review->line_count, &issue);
        if (review->count < ISSUES_MAX && is_in_focus(review->job, issue.category) &&
            !is_known(review, &issue))
            review->issue[review->count++] = issue;
    }
}

static int compare_issues(const void *a, const void *b)
{
    const struct issue *x = a;
    const struct issue *y = b;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->last > y->last) - (x->last < y->last);
}

/* Bound the score by the most severe problem, even if the list is cut afterwards. */
static int64_t bound_score(const struct review *review, int64_t score)
{
    if (review->count == 0)
        return MAX(score, SCORE_MIN_WITHOUT_ISSUES);
    return MIN(score, severities[review->issue[0].severity].score_max);
}

static void add_issue(cJSON *list, const struct issue *issue)
{
    char lines[LINES_BYTES] = "";
    cJSON *item = json_item(list);
    if (issue->first && issue->first == issue->last)
        snprintf(lines, sizeof(lines), "%lld", (long long)issue->first);
    else if (issue->first)
        snprintf(lines, sizeof(lines), "%lld-%lld", (long long)issue->first,
                 (long long)issue->last);
    json_str(item, "severity", severities[issue->severity].name);
    json_str(item, "category", issue->category);
    json_str(item, "line", lines);
    json_str(item, "description", issue->description);
    json_str(item, "fix", issue->fix);
}

static void write_analysis(const struct review *review, const cJSON *answer, cJSON *analysis)
{
    size_t shown = MIN(review->count, (size_t)arg_int(review->job, "max_issues"));
    cJSON *issues = json_list(analysis, "issues");
    for (size_t i = 0; i < shown; i++)
        add_issue(issues, &review->issue[i]);
    json_str(analysis, "summary", json_text(answer, "/summary"));
    json_int(analysis, "score",
             bound_score(review, (int64_t)json_get(answer, "score")->valuedouble));
}

bool ai_code_review(const struct job *job, cJSON *result, struct err *err)
{
    static const char *const counted[] = { "code", NULL };
    scoped(model_answer_free) struct model_answer answer = { 0 };
    scoped(buf_free) struct buf code = BUF(NUMBERED_MAX_BYTES);
    scoped(json_free) cJSON *options = make_options(job);
    struct review review = { .job = job };
    char language[NAME_BYTES];
    int64_t input_length;

    if (!model_count_input(job, counted, &input_length, err))
        return false;
    review.line_count = number_lines(arg_text(job, "code"), &code);
    struct model_ask ask = { .options = options, .material = buf_text(&code) };
    if (!model_ask(job, &ask, &answer, err))
        return false;
    collect_issues(&review, answer.json);
    qsort(review.issue, review.count, sizeof(review.issue[0]), compare_issues);

    usual_name(finds_language(job) ? text_of(json_text(answer.json, "/language"))
                                   : arg_text(job, "language"),
               language);
    json_str(result, "language", language);
    write_analysis(&review, answer.json, json_map(result, "analysis"));
    json_int(result, "input_length", input_length);
    json_time(result, "analyzed_at", job->now_ms);
    model_add_meta(&answer, result);
    return true;
}
