/* tests/unit/portal/template/template.c - the output of templates, and rejected ones. */
#include "portal/template/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "text/json.h"

enum { OUT_MAX_BYTES = 4096 };

/* One template t, and one part it may include. */
static bool load(enum template_kind kind, const char *source, const char *part,
                 struct templates **templates, struct err *err)
{
    scoped(templates_free) struct templates *made = templates_new(kind);
    if (!templates_add(made, "t", text_of(source), err) ||
        (part && !templates_add(made, "area/p", text_of(part), err)) || !templates_link(made, err))
        return false;
    *templates = take(made);
    return true;
}

static cJSON *model_of(const char *json)
{
    struct err err = { 0 };
    cJSON *model = NULL;
    char *text = str_dup(json);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    if (!json_parse(text_of(text), JSON_DEPTH, &model, &err))
        fail_msg("%s: %s", json, err.message);
    mem_free(&text);
    return model;
}

/* ---- what is shown ---- */

#define HTML TEMPLATE_HTML
#define MAIL TEMPLATE_TEXT

static const struct shown_row {
    const char *name;
    enum template_kind kind;
    const char *source;
    const char *part;  /* area/p; NULL: there is none */
    const char *model; /* 'single quotes' are JSON's */
    const char *want;  /* NULL: rendering fails */
} shown[] = {
    { "nothing", HTML, "", NULL, "{}", "" },
    { "a literal", HTML, "<p>5 &lt; 6 } }} {</p>", NULL, "{}", "<p>5 &lt; 6 } }} {</p>" },
    { "a value", HTML, "<p>{{name}}</p>", NULL, "{'name':'Jane'}", "<p>Jane</p>" },
    { "blanks in a tag", HTML, "{{ name }}", NULL, "{'name':'Jane'}", "Jane" },
    { "all five are escaped", HTML, "{{a}}", NULL, "{'a':'<b>&\\\"\\u0027'}",
      "&lt;b&gt;&amp;&quot;&#39;" },
    { "in an attribute, too", HTML, "<p title=\"{{a}}\">", NULL, "{'a':'\\\" onclick=x'}",
      "<p title=\"&quot; onclick=x\">" },
    { "in single quotes", HTML, "<p title='{{a}}'>", NULL, "{'a':'\\u0027>'}",
      "<p title='&#39;&gt;'>" },
    { "in a title", HTML, "<title>{{a}} - x</title><p>", NULL, "{'a':'</title><script>'}",
      "<title>&lt;/title&gt;&lt;script&gt; - x</title><p>" },
    { "in a textarea", HTML, "<textarea>{{a}}</textarea>", NULL, "{'a':'</textarea>'}",
      "<textarea>&lt;/textarea&gt;</textarea>" },
    { "controls are replaced", HTML, "{{a}}", NULL, "{'a':'1\\u00002\\u001b3\\n4\\u007f'}",
      "1\xef\xbf\xbd"
      "2\xef\xbf\xbd"
      "3\n4\xef\xbf\xbd" },
    { "an integer", HTML, "{{a}}", NULL, "{'a':9007199254740991}", "9007199254740991" },
    { "zero is shown", HTML, "{{a}}{{#a}}!{{/a}}", NULL, "{'a':0}", "0!" },
    { "true and false", HTML, "{{a}} {{b}}", NULL, "{'a':true,'b':false}", "true false" },
    { "null and what is missing", HTML, "[{{a}}{{b}}]", NULL, "{'a':null}", "[]" },
    { "an object is not a text", HTML, "{{a}}", NULL, "{'a':{}}", NULL },
    { "nor is a list", HTML, "{{a}}", NULL, "{'a':[1]}", NULL },
    { "a member of a member", HTML, "{{a.b.c}}{{a.x.c}}", NULL, "{'a':{'b':{'c':1}}}", "1" },
    { "a value that looks like a tag", HTML, "{{a}}", NULL, "{'a':'{{b}}','b':1}", "{{b}}" },

    { "a list", HTML, "{{#a}}<li>{{b}}</li>{{/a}}", NULL, "{'a':[{'b':1},{'b':2}]}",
      "<li>1</li><li>2</li>" },
    { "a list of texts", HTML, "{{#a}}{{.}},{{/a}}", NULL, "{'a':['x','<']}", "x,&lt;," },
    { "an empty list", HTML, "{{#a}}x{{/a}}{{^a}}none{{/a}}", NULL, "{'a':[]}", "none" },
    { "an object", HTML, "{{#a}}{{b}}{{c}}{{/a}}", NULL, "{'a':{'b':1},'c':2}", "12" },
    { "the inner name wins", HTML, "{{#a}}{{b}}{{/a}}", NULL, "{'a':{'b':1},'b':2}", "1" },
    { "also when it is null", HTML, "{{#a}}[{{b}}]{{/a}}", NULL, "{'a':{'b':null},'b':2}", "[]" },
    { "a text, once", HTML, "{{#a}}{{a}}{{/a}}", NULL, "{'a':'x'}", "x" },
    { "an empty text", HTML, "{{#a}}x{{/a}}{{^a}}y{{/a}}", NULL, "{'a':''}", "y" },
    { "true and not false", HTML, "{{#a}}x{{/a}}{{#b}}y{{/b}}", NULL, "{'a':true,'b':false}", "x" },
    { "nested lists", HTML, "{{#a}}{{#b}}{{.}}{{/b}};{{/a}}", NULL, "{'a':[{'b':[1,2]},{'b':[]}]}",
      "12;;" },
    { "a comment", HTML, "a{{! <script> }}b", NULL, "{}", "ab" },
    { "a section in a tag", HTML, "<input{{#a}} checked{{/a}} id=\"x\">", NULL, "{'a':true}",
      "<input checked id=\"x\">" },
    { "behind a blank", HTML, "<option {{#a}}selected{{/a}}>", NULL, "{'a':true}",
      "<option selected>" },
    { "behind a quote", HTML, "<a id=\"x\"{{#a}} class=\"{{.}}\"{{/a}}>", NULL, "{'a':'y'}",
      "<a id=\"x\" class=\"y\">" },
    { "in a quoted value", HTML, "<p class=\"a{{#b}} {{.}}{{/b}}\">", NULL, "{'b':'c'}",
      "<p class=\"a c\">" },
    { "a separate line is removed", HTML, "<ul>\n  {{#a}}\n  <li>\n  {{/a}}\n</ul>\n", NULL,
      "{'a':[1,2]}", "<ul>\n  <li>\n  <li>\n</ul>\n" },
    { "the last one, too", HTML, "a\n{{! x }}", NULL, "{}", "a\n" },
    { "but not a value's", HTML, " {{a}} \n", NULL, "{'a':1}", " 1 \n" },
    { "nor a shared one", HTML, "{{#a}} x\n{{/a}} y\n", NULL, "{'a':1}", " x\n y\n" },

    { "a part", HTML, "<b>{{> area/p}}</b>", "<i>{{x}}</i>", "{'x':'<'}", "<b><i>&lt;</i></b>" },
    { "a part within a list", HTML, "{{#a}}{{> area/p}}{{/a}}", "{{x}}{{y}}",
      "{'a':[{'x':1},{'x':2}],'y':3}", "1323" },

    { "a part of an address", HTML, "<a href=\"/t/{{a}}?q={{b}}\">", NULL,
      "{'a':'x/../y z','b':'&=\\u00e9'}", "<a href=\"/t/x%2F..%2Fy%20z?q=%26%3D%C3%A9\">" },
    { "an address of a query", HTML, "<a href=\"?q={{a}}\">", NULL, "{'a':1}",
      "<a href=\"?q=1\">" },
    { "an address of a fragment", HTML, "<a href=\"#{{a}}\">", NULL, "{'a':'x'}",
      "<a href=\"#x\">" },
    { "of a mailbox", HTML, "<a href=\"mailto:{{a}}\">", NULL, "{'a':'a@b?cc=x'}",
      "<a href=\"mailto:a%40b%3Fcc%3Dx\">" },
    { "of a program that asks", HTML,
      "<a href=\"cursor://anysphere.cursor-deeplink/mcp/install?name=x&amp;config={{a}}\">", NULL,
      "{'a':'eyI+Lw=='}",
      "<a "
      "href=\"cursor://anysphere.cursor-deeplink/mcp/install?name=x&amp;config=eyI%2BLw%3D%3D\">" },
    { "of another one", HTML, "<a href=\"vscode:mcp/install?{{a}}\">", NULL,
      "{'a':'{\\\"u\\\":\\\"https://x\\\"}'}",
      "<a href=\"vscode:mcp/install?%7B%22u%22%3A%22https%3A%2F%2Fx%22%7D\">" },
    { "a section in an address", HTML, "<a href=\"/a{{#b}}?b={{.}}{{/b}}\">", NULL, "{'b':1}",
      "<a href=\"/a?b=1\">" },
    { "dots lead elsewhere", HTML, "<a href=\"/t/{{a}}/run\">", NULL, "{'a':'..'}", NULL },
    { "a whole address", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https://x.test:8/?a=1&b=2'}",
      "<a href=\"https://x.test:8/?a=1&amp;b=2\">" },
    { "and a path behind it", HTML, "<a href=\"{{a}}/portal/verify/{{b}}\">", NULL,
      "{'a':'https://[::1]:8443','b':'x_-'}", "<a href=\"https://[::1]:8443/portal/verify/x_-\">" },
    { "not by http", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'http://x.test/'}", NULL },
    { "no script", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'javascript:alert(1)'}", NULL },
    { "no userinfo", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https://x@y.test/'}", NULL },
    { "no blank", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https://x.test/ '}", NULL },
    { "no NUL", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https://x.test/\\u0000'}", NULL },
    { "no backslash", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https://x.test\\\\y'}", NULL },
    { "no host", HTML, "<a href=\"{{a}}\">", NULL, "{'a':'https:///x'}", NULL },
    { "no address at all", HTML, "<a href=\"{{a}}\">", NULL, "{}", NULL },

    { "a mail is not escaped", MAIL, "Hello {{a}},\n", NULL, "{'a':'<\\\"O\\u0027Brien\\\">'}",
      "Hello <\"O'Brien\">,\n" },
    { "nor checked as HTML", MAIL, "a < b {{a}} <{{a}}>\n", NULL, "{'a':1}", "a < b 1 <1>\n" },
    { "a mail's line is one line", MAIL, "Hello {{a}}", NULL, "{'a':'x\\nBcc: y'}", NULL },
    { "also by CR", MAIL, "Hello {{a}}", NULL, "{'a':'x\\ry'}", NULL },
    { "and holds no NUL", MAIL, "Hello {{a}}", NULL, "{'a':'x\\u0000y'}", NULL },
    { "more than fits", HTML, "{{#a}}{{#b}}{{c}}{{/b}}{{/a}}", NULL,
      "{'a':[1,2,3,4,5,6,7,8,9],'b':[1,2,3,4,5,6,7,8,9],'c':"
      "'0123456789012345678901234567890123456789012345678901234567890123456789'}",
      NULL },
};

static void check_shown(void **state)
{
    const struct shown_row *row = *state;
    scoped(templates_free) struct templates *templates = NULL;
    scoped(json_free) cJSON *model = model_of(row->model);
    scoped(buf_free) struct buf out = BUF(OUT_MAX_BYTES);
    struct err err = { 0 };

    if (!load(row->kind, row->source, row->part, &templates, &err))
        fail_msg("%s", err.message);
    buf_add_str(&out, "=");
    bool ok = template_render(templates, "t", model, &out, &err);
    if (ok != (row->want != NULL))
        fail_msg("%s: %s", buf_str(&out), err.message);
    assert_int_equal(err.kind, ok ? ERR_NONE : ERR_INTERNAL);
    assert_string_equal(buf_str(&out) + 1, ok ? row->want : "");
}

/* ---- rejected at the start ---- */

static const struct refused_row {
    const char *name;
    enum template_kind kind;
    const char *source;
    const char *part;
    const char *want; /* how the sentence begins */
} refused[] = {
    { "a raw value", HTML, "a\n{{{b}}}", NULL, "t.html:2: {{…}} must contain a name" },
    { "raw by &", HTML, "{{&b}}", NULL, "t.html:1: {{…}} must contain" },
    { "other braces", HTML, "{{=<% %>=}}", NULL, "t.html:1: {{…}} must contain" },
    { "no name", HTML, "{{ }}", NULL, "t.html:1: {{…}} must contain" },
    { "no end", HTML, "a\n\nb {{ c", NULL, "t.html:3: }} is missing" },
    { "a section left open", HTML, "a\n{{#b}}\nc\n", NULL, "t.html:2: this section is never" },
    { "one that is not open", HTML, "{{/b}}", NULL, "t.html:1: this is not the open section" },
    { "the wrong one", HTML, "{{#a}}\n{{/b}}", NULL, "t.html:2: this is not the open section" },
    { "crosswise", HTML, "{{#a}}{{#b}}{{/a}}{{/b}}", NULL,
      "t.html:1: this is not the open section" },
    { "no such part", HTML, "a\n{{> area/q}}", "",
      "t.html:2: {{> area/q}}: this template does not exist" },
    { "a part in itself", HTML, "{{> t}}", NULL, "t.html:1: {{> t}}: it includes itself" },
    { "in a circle", HTML, "{{> area/p}}", "{{> t}}",
      "area/p.html:1: {{> t}}: it includes itself" },
    { "not UTF-8", HTML, "\xff", NULL, "t.html:1: this is not UTF-8" },

    { "in a script", HTML, "<script src=\"/x\">{{a}}</script>", NULL, "t.html:1: a value must be" },
    { "a script with words", HTML, "<script>\nx</script>", NULL,
      "t.html:1: this element must be empty" },
    { "in a style", HTML, "<style>{{a}}</style>", NULL, "t.html:1: this element is not supported" },
    { "an iframe", HTML, "<p>\n<IFRAME src=\"/x\">", NULL, "t.html:2: an <iframe> needs sandbox" },
    { "an iframe that may more", HTML, "<iframe sandbox=\"allow-scripts\" src=\"/x\">", NULL,
      "t.html:1: an <iframe> has sandbox" },
    { "an iframe with its page", HTML, "<iframe sandbox=\"\" srcdoc=\"<p>\">", NULL,
      "t.html:1: an <iframe> has sandbox" },
    { "an iframe of a value", HTML, "<iframe sandbox=\"{{a}}\" src=\"/x\">", NULL,
      "t.html:1: this attribute must not" },
    { "an iframe that is free sometimes", HTML, "<iframe {{#a}}sandbox=\"\"{{/a}} src=\"/x\">",
      NULL, "t.html:1: " },
    { "an iframe without a value", HTML, "<iframe sandbox src=\"/x\">", NULL,
      "t.html:1: an <iframe> needs sandbox" },
    { "an iframe of a host", HTML, "<iframe sandbox=\"\" src=\"/{{a}}\">", NULL,
      "t.html:1: the text before it does not fix" },
    { "an iframe with words", HTML, "<iframe sandbox=\"\" src=\"/x\">{{a}}</iframe>", NULL,
      "t.html:1: a value must be" },
    { "in a comment", HTML, "<!-- {{a}} -->", NULL, "t.html:1: only <!doctype html> is supported" },
    { "any comment", HTML, "<p>\n\n<!-- -->", NULL, "t.html:3: only <!doctype html> is supported" },
    { "in a tag's name", HTML, "<{{a}}>", NULL, "t.html:1: a value must be" },
    { "behind it", HTML, "<p {{a}}>", NULL, "t.html:1: a value must be" },
    { "in an attribute's name", HTML, "<p x{{a}}=\"1\">", NULL, "t.html:1: a value must be" },
    { "without quotes", HTML, "<p id={{a}}>", NULL, "t.html:1: a value must be" },
    { "in an event", HTML, "<p onclick=\"{{a}}\">", NULL, "t.html:1: this attribute must not" },
    { "in a style attribute", HTML, "<p style=\"{{a}}\">", NULL, "t.html:1: this attribute must" },
    { "in srcdoc", HTML, "<p srcdoc=\"{{a}}\">", NULL, "t.html:1: this attribute must not" },
    { "in srcset", HTML, "<img srcset=\"/a {{a}}\">", NULL, "t.html:1: this attribute must not" },
    { "in a meta refresh", HTML, "<meta content=\"0;{{a}}\">", NULL, "t.html:1: this attribute" },
    { "in an unknown one", HTML, "<p zz=\"{{a}}\">", NULL, "t.html:1: this attribute must not" },
    { "with capitals", HTML, "<p OnClick=\"{{a}}\">", NULL, "t.html:1: this attribute must not" },

    { "a host", HTML, "<a href=\"/{{a}}\">", NULL, "t.html:1: the text before it does not fix" },
    { "a host by two", HTML, "<a href=\"//{{a}}\">", NULL, "t.html:1: the text before it" },
    { "a host by backslash", HTML, "<a href=\"/\\{{a}}\">", NULL, "t.html:1: the text before" },
    { "a scheme", HTML, "<a href=\"javascript:{{a}}\">", NULL, "t.html:1: the text before it" },
    { "half a program", HTML, "<a href=\"cursor://anysphere.cursor-deeplink/{{a}}\">", NULL,
      "t.html:1: the text before it" },
    { "another command of it", HTML, "<a href=\"vscode:mcp/{{a}}\">", NULL,
      "t.html:1: the text before it" },
    { "a literal command", HTML, "<a href=\"vscode:extension/x\">", NULL,
      "t.html:1: an address begins" },
    { "half a scheme", HTML, "<a href=\"h{{a}}\">", NULL, "t.html:1: the text before it" },
    { "a foreign host", HTML, "<a href=\"https://{{a}}\">", NULL, "t.html:1: the text before" },
    { "two addresses", HTML, "<a href=\"{{a}}{{b}}\">", NULL, "t.html:1: the text before it" },
    { "a longer host", HTML, "<a href=\"{{a}}.evil.test\">", NULL,
      "t.html:1: only /, ? or # may follow" },
    { "a beginning by chance", HTML, "<a href=\"{{#a}}/x{{/a}}{{b}}\">", NULL,
      "t.html:1: the text before it" },
    { "a literal script", HTML, "<a href=\"javascript:x\">", NULL, "t.html:1: an address begins" },
    { "a literal host", HTML, "<a href=\"//x\">", NULL, "t.html:1: an address begins with" },
    { "no quotes", HTML, "<a href=x>", NULL, "t.html:1: an address needs quotes" },
    { "of a form", HTML, "<form action=\"{{a}}x\">", NULL, "t.html:1: only /, ? or # may follow" },

    { "a section that opens a tag", HTML, "{{#a}}<p {{/a}}>", NULL,
      "t.html:1: the section must end" },
    { "one that opens a title", HTML, "{{#a}}<title>{{/a}}x", NULL,
      "t.html:1: the section must end" },
    { "one that closes a quote", HTML, "<p id=\"{{#a}}\" {{/a}}\">", NULL,
      "t.html:1: the section" },
    { "one in a name", HTML, "<p {{#a}}on{{/a}}click=\"x\">", NULL,
      "t.html:1: a space must follow" },
    { "one behind a tag's name", HTML, "<s{{#a}}{{/a}}cript>", NULL, "t.html:1: a space must" },
    { "one as a value", HTML, "<p id={{#a}}1{{/a}}>", NULL, "t.html:1: a section must not begin" },
    { "a part in a tag", HTML, "<p {{> area/p}}>", "", "t.html:1: a part must be where elements" },
    { "a part in a title", HTML, "<title>{{> area/p}}</title>", "", "t.html:1: a part must be" },
    { "a part that ends in a tag", HTML, "", "x\n<p ", "area/p.html:2: the template ends" },
    { "one that ends in a textarea", HTML, "<textarea>", NULL, "t.html:1: the template ends" },
    { "a bare <", HTML, "1 < 2", NULL, "t.html:1: write < as &lt;" },
    { "markup in a title", HTML, "<title><b></title>", NULL,
      "t.html:1: this element must contain only" },
    { "two attributes as one", HTML, "<p id=\"a\"\"b\">", NULL,
      "t.html:1: an attribute must begin" },
    { "17 sections", HTML,
      "{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}{{#a}}"
      "{{#a}}\n{{#a}}",
      NULL, "t.html:2: sections are nested more" },
    { "of a mail", MAIL, "a\n\n{{{b}}}", NULL, "t.txt:3: {{…}} must contain" },
};

static void check_refused(void **state)
{
    const struct refused_row *row = *state;
    scoped(templates_free) struct templates *templates = NULL;
    struct err err = { 0 };

    assert_false(load(row->kind, row->source, row->part, &templates, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
    if (strncmp(err.message, row->want, strlen(row->want)) != 0)
        assert_string_equal(err.message, row->want);
}

/* ---- pictures ---- */

static const struct picture_row {
    const char *name;
    const char *source;
    const char *want; /* NULL: rejected */
} pictures[] = {
    { "a drawing among elements", "<p>{{svg}}</p>", "<p><svg><a></svg></p>" },
    { "no drawing in an attribute", "<p title=\"{{svg}}\">", NULL },
    { "no drawing as an address", "<img src=\"{{svg}}\">", NULL },
    { "an image as an address", "<img src=\"{{png}}\">",
      "<img src=\"data:image/png;base64,AA==\">" },
    { "no image among elements", "<p>{{png}}</p>", NULL },
    { "a text does not make one", "<p>{{text}}</p>", "<p>&lt;svg&gt;</p>" },
    { "nor is an address", "<img src=\"{{data}}\">", NULL },
    { "a redirect as a link", "<a href=\"{{go}}\">x</a>",
      "<a href=\"cursor://x/y?a=b&amp;c=&#39;\">x</a>" },
    { "a redirect of the page", "<meta http-equiv=\"refresh\" content=\"0;url={{go}}\">",
      "<meta http-equiv=\"refresh\" content=\"0;url=cursor://x/y?a=b&amp;c=&#39;\">" },
    { "a text does not redirect", "<meta content=\"0;url={{text}}\">", NULL },
    { "an https URL alone does not", "<meta content=\"0;url={{https}}\">", NULL },
    { "a delay from the model", "<meta content=\"{{go}}\">", NULL },
    { "a part of the address", "<meta content=\"0;url=https://{{go}}\">", NULL },
    { "another element", "<p title=\"0;url={{go}}\">x</p>", NULL },
    { "a redirect as text", "<p>{{go}}</p>", NULL },
    { "a redirect in a path", "<a href=\"/x/{{go}}\">x</a>", NULL },
};

static void check_picture(void **state)
{
    const struct picture_row *row = *state;
    scoped(templates_free) struct templates *templates = NULL;
    scoped(json_free) cJSON *model =
        model_of("{'text':'<svg>','data':'data:image/png;base64,AA==','https':'https://x.test'}");
    scoped(buf_free) struct buf out = BUF(OUT_MAX_BYTES);
    struct err err = { 0 };

    template_picture(model, "svg", TEXT("<svg><a></svg>"));
    template_redirect(model, "go", "cursor://x/y?a=b&c='");
    template_image(model, "png", "image/png", TEXT("AA=="));
    if (!load(HTML, row->source, NULL, &templates, &err)) {
        assert_null(row->want);
        return;
    }
    assert_int_equal(template_render(templates, "t", model, &out, &err), row->want != NULL);
    assert_string_equal(buf_str(&out), row->want ? row->want : "");
}

/* ---- folders ---- */

static void write_file(const char *folder, const char *name, const char *content)
{
    scoped(mem_free) char *path = str_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void remove_tree(const char *folder)
{
    static const char *const names[] = { "top.html", "other.txt", "in/inner.html", "in" };
    for (size_t i = 0; i < countof(names); i++) {
        scoped(mem_free) char *path = str_format("%s/%s", folder, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void check_folder(void **state)
{
    char folder[] = "/tmp/templates-XXXXXX";
    scoped(templates_free) struct templates *templates = NULL;
    scoped(templates_free) struct templates *none = NULL;
    scoped(buf_free) struct buf out = BUF(OUT_MAX_BYTES);
    scoped(json_free) cJSON *model = model_of("{'a':'<'}");
    struct err err = { 0 };
    (void)state;

    assert_non_null(mkdtemp(folder));
    scoped(mem_free) char *inner = str_format("%s/in", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_file(folder, "top.html", "{{> in/inner}}!");
    write_file(folder, "other.txt", "<{{a}}");
    write_file(folder, "in/inner.html", "{{a}}");
    assert_true(templates_load(folder, HTML, &templates, &err));
    assert_true(template_exists(templates, "in/inner"));
    assert_false(template_exists(templates, "other"));
    assert_true(template_render(templates, "top", model, &out, &err));
    assert_string_equal(buf_str(&out), "&lt;!");
    assert_false(template_render(templates, "gone", model, &out, &err));
    write_file(folder, "in/inner.html", "\n{{a");
    assert_false(templates_load(folder, HTML, &none, &err));
    assert_true(text_begins(text_of(err.message), folder));
    assert_string_equal(err.message + strlen(folder), "/in/inner.html:2: }} is missing");
    remove_tree(folder);
    assert_false(templates_load(folder, HTML, &none, &err));
    assert_int_equal(err.kind, ERR_INVALID_VALUE);
}

static const struct {
    const char *name;
} folders[] = { { "a folder" } };

int main(void)
{
    return RUN_ROWS(shown, check_shown) + RUN_ROWS(refused, check_refused) +
           RUN_ROWS(pictures, check_picture) + RUN_ROWS(folders, check_folder);
}
