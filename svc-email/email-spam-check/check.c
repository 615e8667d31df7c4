/* svc-email/email-spam-check/check.c - prepare the input, and run the rules in order. */
#include "email-spam-check/check.h"

#include <string.h>

#include "base/ascii.h"
#include "base/num.h"
#include "message/encoded-word.h"

enum { TAG_MAX_CHARS = 40 };

/* ---- the subject ---- */

/* Bytes of a reply mark at the beginning ("Re:", "AW[2]:", "Fwd:"), or 0. */
static size_t mark_bytes(struct text text)
{
    static const char *const marks[] = { "Re", "Fw", "Fwd", "Aw", "Wg", "Sv", "Tr", "Rv", "Antw" };
    for (size_t i = 0; i < countof(marks); i++) {
        size_t at = strlen(marks[i]);
        if (!text_begins_any_case(text, marks[i]))
            continue;
        while (at < text.size &&
               (strchr("[]() ", text.bytes[at]) || ascii_is_digit(text.bytes[at])))
            at++;
        if (at < text.size && text.bytes[at] == ':')
            return at + 1;
    }
    return 0;
}

static size_t tag_bytes(struct text text)
{
    const char *end = text_begins(text, "[") ? memchr(text.bytes, ']', text.size) : NULL;
    size_t bytes = end ? (size_t)(end + 1 - text.bytes) : 0;
    return bytes <= TAG_MAX_CHARS ? bytes : 0;
}

static struct text core_of(struct text subject, bool *is_reply)
{
    subject = text_trim(subject);
    for (;;) {
        size_t mark = mark_bytes(subject);
        size_t tag = tag_bytes(subject);
        if (mark + tag == 0 || MAX(mark, tag) >= subject.size)
            return subject;
        *is_reply |= mark > 0;
        subject = text_trim(text_skip(subject, MAX(mark, tag)));
    }
}

static void read_subject(struct spam_check *check, struct text raw)
{
    scoped(buf_free) struct buf shown = BUF(DISPLAY_MAX_BYTES);
    struct word_faults faults = { 0 };
    words_decode(raw, &shown, &faults);
    check->subject_raw = arena_copy(&check->arena, buf_text(&shown));
    text_view_make(&check->subject, core_of(text_of(check->subject_raw), &check->is_reply),
                   check->knowledge);
}

/* ---- detect HTML ---- */

/* Whether the text has this start tag with this attribute. */
static bool has_tag_with(struct text text, const char *tag, const char *attribute)
{
    size_t size = strlen(tag);
    for (size_t i = 0; i + size < text.size; i++) {
        struct text rest = text_skip(text, i);
        if (rest.bytes[0] != '<' || !text_begins_any_case(rest, tag) ||
            !ascii_is_space(rest.bytes[size]))
            continue;
        size_t end = 1; /* of the tag, or the next tag: so that the time stays linear */
        while (end < rest.size && !strchr("<>", rest.bytes[end]))
            end++;
        if (end < rest.size && rest.bytes[end] == '>' &&
            text_has_any_case((struct text){ rest.bytes, end }, attribute))
            return true;
    }
    return false;
}

/* Whether a text has the frame of an HTML document, or several tags. */
static bool is_html(struct text text)
{
    static const char *const names[] = {
        "<p",  "<br", "<div", "<table", "<a ",  "<img",  "<span",
        "<td", "<b>", "<i>",  "<h1",    "<ul>", "<font", "<center"
    };
    if (text_has_any_case(text, "<!doctype html") || text_has_any_case(text, "<html") ||
        text_has_any_case(text, "<body"))
        return true;
    size_t kinds = 0;
    size_t tags = 0;
    for (size_t i = 0; i < text.size; i++)
        tags += text.bytes[i] == '<' && i + 1 < text.size &&
                (ascii_is_letter(text.bytes[i + 1]) || text.bytes[i + 1] == '/');
    if (tags < 3 || !text_has(text, "</"))
        return false;
    for (size_t i = 0; i < countof(names); i++)
        kinds += text_has_any_case(text, names[i]);
    return kinds >= 2;
}

/* The same, or a single link or image: nobody wants the markup of these displayed. */
static bool is_html_fragment(struct text text)
{
    return is_html(text) || has_tag_with(text, "<a", "href=") || has_tag_with(text, "<img", "src=");
}

/* ---- parts ---- */

static struct text or_field(const struct spam_check *check, struct text given, const char *field)
{
    return given.size > 0 || check->kind != INPUT_RAW ? given
                                                      : fields_value(&check->mime.fields, field);
}

static void read_sender(struct spam_check *check, const struct spam_input *input)
{
    struct word_faults faults = { 0 };
    struct text from = or_field(check, input->from, "From");
    struct text reply = or_field(check, input->reply_to, "Reply-To");
    check->has_from = from.size > 0;
    mailboxes_read(from, &check->arena, &check->from, &faults);
    mailboxes_read(reply, &check->arena, &check->reply_to, &faults);
}

static enum input_kind kind_of(const struct spam_input *input)
{
    if (input->format >= 0)
        return (enum input_kind)input->format;
    if (mime_is_message(input->body))
        return INPUT_RAW;
    return input->has_html || is_html_fragment(input->body) ? INPUT_HTML : INPUT_TEXT;
}

/* Find the text and the HTML of the input. */
static void read_parts(struct spam_check *check, const struct spam_input *input, struct text *text,
                       struct text *html)
{
    const struct text none = { "", 0 };
    *text = *html = none;
    if (check->kind == INPUT_RAW) {
        mime_read(input->body, &check->mime);
        *text = (struct text){ buf_str(&check->mime.text), check->mime.text.size };
        *html = (struct text){ buf_str(&check->mime.html), check->mime.html.size };
        if (!check->mime.has_html && is_html(*text)) { /* HTML sent as text/plain by mistake */
            *html = *text;
            *text = none;
        }
    } else if (check->kind == INPUT_HTML) {
        *html = input->has_html ? input->html : input->body;
        *text = input->has_html ? input->body : none;
    } else {
        *text = input->body;
    }
    check->has_html = text_trim(*html).size > 0;
    check->has_text = text_trim(*text).size > 0;
}

static void read_body(struct spam_check *check, struct text text, struct text html)
{
    check->source = text;
    if (check->has_html) {
        html_view_read(html, &check->arena, &check->html);
        text_view_make(&check->alternative, text, check->knowledge);
        text = (struct text){ buf_str(&check->html.visible), check->html.visible.size };
    }
    text_view_make(&check->body, text, check->knowledge);
}

void spam_check_read(const struct spam_input *input, const struct spam_knowledge *knowledge,
                     struct spam_check *check)
{
    struct text text;
    struct text html;
    *check = (struct spam_check){ .knowledge = knowledge, .kind = kind_of(input) };
    read_parts(check, input, &text, &html);
    read_sender(check, input);
    check->has_list_unsubscribe = fields_value(&check->mime.fields, "List-Unsubscribe").size > 0;
    check->has_in_reply_to = fields_value(&check->mime.fields, "In-Reply-To").size > 0;
    read_subject(check, or_field(check, input->subject, "Subject"));
    read_body(check, text, html);
    spam_links_read(check);

    judge_subject(check);
    judge_links(check);
    judge_phrases(check); /* after judge_links(), whose findings it uses */
    judge_html(check);
    judge_style(check);
    judge_sender(check);
    spam_back_findings(check);
}

void spam_check_free(struct spam_check *check)
{
    mime_free(&check->mime);
    html_view_free(&check->html);
    text_view_free(&check->subject);
    text_view_free(&check->body);
    text_view_free(&check->alternative);
    arena_free(&check->arena);
}
