/* svc-security/openapi-validate/tests/document/document.c - texts and their trees, and limits. */
#include "openapi-validate/document/document.h"

#include <string.h>

#include "rows.h"

/* Print a tree as {"key":value}, with the kind of every scalar. */
static void show(const struct node *node, struct buf *out)
{
    static const char *const kinds[] = { "null", "", "#", "", "[", "{" };
    buf_add_str(out, kinds[node->kind]);
    if (node->kind == NODE_BOOL)
        buf_add_str(out, node->is_true ? "true" : "false");
    if (node->kind == NODE_NUMBER || node->kind == NODE_STRING)
        buf_add(out, node->text.bytes, node->text.size);
    for (size_t i = 0; i < node_count(node); i++) {
        buf_add_str(out, i > 0 ? "," : "");
        if (node->kind == NODE_OBJECT)
            buf_format(out, "%s:", node->child[i]->key.bytes);
        show(node->child[i], out);
    }
    buf_add_str(out, node->kind == NODE_LIST ? "]" : node->kind == NODE_OBJECT ? "}" : "");
}

static const struct row {
    const char *name;
    const char *text;
    const char *want; /* the tree, or the error */
    bool is_yaml;
} rows[] = {
    { "JSON", "{\"a\":[1,true,null,\"x\"]}", "{a:[#1,true,null,x]}", false },
    { "digits stay", "[1.50,12345678901234567890]", "[#1.50,#12345678901234567890]", false },
    { "of two keys the last", "{\"a\":1,\"b\":2,\"a\":3}", "{b:#2,a:#3}", false },
    { "escapes", "[\"\\u00e9\\n\"]", "[\u00e9\n]", false },
    { "JSON with a comment is YAML", "{\"a\": 1 # b\n}", "{a:#1}", true },
    { "neither", "{\"a\": tru, \"b\" 1}", "Not JSON, line 1, column 7: a value must stand here.",
      false },
    { "line and column of JSON", "{\n \"\u00e9\": ]",
      "Not JSON, line 2, column 7: a value must stand here.", false },
    { "YAML", "a:\n- 1\n- true\n- ~\n- x\n", "{a:[#1,true,null,x]}", true },
    { "words of YAML 1.1 are text", "[yes, No, on, y, 2024-01-01, 1:30]",
      "[yes,No,on,y,2024-01-01,1:30]", true },
    { "words of YAML 1.2", "- [TRUE, False, NULL, Null]", "[[true,false,null,null]]", true },
    { "large numbers", "- [0x7fffffffffffffff, 0o777777777777777777777, 9007199254740993]",
      "[[#9223372036854775807,#9223372036854775807,#9007199254740993]]", true },
    { "numbers", "- [007, +1, .5, 1., 1e3, 0x1F, 0o17]", "[[#007,#+1,#.5,#1.,#1e3,#31,#15]]",
      true },
    { "no numbers", "- [1_000, 0b1, 1e, '1', !!str 1, 0x, ., +]", "[[1_000,0b1,1e,1,1,0x,.,+]]",
      true },
    { "keys are text", "200: a\n1.0: b\n", "{200:a,1.0:b}", true },
    { "an alias is a copy", "a: &x [1]\nb: *x\n", "{a:[#1],b:[#1]}", true },
    { "an alias is a key", "&x a: 1\nb: &y 2\n*x : 3\n*y : 4\n", "{b:#2,a:#3,2:#4}", true },
    { "a key is repeated as a value", "&x a: *x\n", "{a:a}", true },
    { "an alias of a list as a key", "a: &x [1]\n*x : 2\n",
      "Not YAML, line 2, column 1: an alias used as a key must refer to an earlier scalar.", true },
    { "a list as a key", "? [1]\n: 2\n",
      "Not YAML, line 1, column 3: a key must be a string, not a list or a map.", true },
    { "tags of YAML 1.1",
      "- [!!binary aGk=, !!timestamp 2024-01-01, !!set {a: }, !!omap [], !local 1]",
      "[[aGk=,2024-01-01,{a:null},[],#1]]", true },
    { "the last anchor counts", "a: &x 1\nb: &x 2\nc: *x\n", "{a:#1,b:#2,c:#2}", true },
    { "a merge", "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n", "{a:{p:#1,q:#2},b:{p:#1,q:#3}}", true },
    { "a merge of several: the first wins", "- &x {p: 1}\n- &y {p: 2, q: 2}\n- {<<: [*x, *y]}\n",
      "[{p:#1},{p:#2,q:#2},{q:#2,p:#1}]", true },
    { "<< in quotes is a key", "{'<<': 1}", "{<<:#1}", true },
    { "a block of text", "a: |\n  x\n  y\n", "{a:x\ny\n}", true },
    { "only the first document", "a: 1\n---\nb: 2\n", "{a:#1}", true },
    { "a tab in an empty line", "a: 1\n\t\n \t \r\nb: 2\n\t", "{a:#1,b:#2}", true },
    { "a tab before a comment", "a:\n\t# c\n  b: 2\n \t # d\n", "{a:{b:#2}}", true },
    { "a tab at the very beginning", "\t\n\t# c\na: 1", "{a:#1}", true },
    { "tabs in a text of several lines", "a: 'x\n\t\n\t# y'\nb: z\n \t\n w", "{a:x\n# y,b:z\nw}",
      true },
    { "tabs in a block are its own", "a: |\n  x\n  \t\n  \t# y\nb: 1\n\t\n",
      "{a:x\n\t\n\t# y\n,b:#1}", true },
    { "but may not stand before it", "a: |\n  x\n\t\n  y\n",
      "Not YAML, line 3, column 1: a tab may not indent.", true },
    { "a tab", "a:\n\t- 1\n", "Not YAML, line 2, column 1: a tab may not indent.", true },
    { "an open list", "a: [1, 2",
      "Not YAML, line 2, column 1: a comma or the closing bracket must "
      "stand here.",
      true },
};

static void check(void **state)
{
    const struct row *row = *state;
    scoped(findings_free) struct findings *findings = findings_new();
    scoped(document_free) struct document document = { 0 };
    scoped(buf_free) struct buf got = BUF(4096);
    if (document_read(&document, text_of(row->text), findings))
        show(document.root, &got);
    else
        buf_add_str(&got, findings->item[LEVEL_ERROR][0].message);
    assert_string_equal(buf_str(&got), row->want);
    assert_int_equal(document.is_yaml, row->is_yaml);
}

/* ---- places ---- */

static void places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line;
        uint32_t column;
    } tries[] = { { "{\n  \"\u00e9\": 1, \"b\": [2]}", 2, 11 },
                  { "\u00e9: 1\nc: {d: 1,\n  b: 2}\n", 2, 1 } };
    for (size_t i = 0; i < countof(tries); i++) {
        scoped(findings_free) struct findings *findings = findings_new();
        scoped(document_free) struct document document = { 0 };
        assert_true(document_read(&document, text_of(tries[i].text), findings));
        const struct node *last = document.root->child[document.root->count - 1];
        assert_int_equal(last->line, tries[i].line);
        assert_int_equal(last->column, tries[i].column);
    }
}

static void pointers(void **state)
{
    (void)state;
    scoped(findings_free) struct findings *findings = findings_new();
    scoped(document_free) struct document document = { 0 };
    scoped(buf_free) struct buf path = BUF(100);
    assert_true(document_read(&document, TEXT("{\"a/b~c\": [0, {\"\": 1}]}"), findings));
    node_path(document.root->child[0]->child[1]->child[0], &path);
    assert_string_equal(buf_str(&path), "/a~1b~0c/1/");
}

/* ---- limits ---- */

static void repeat(struct buf *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buf_add_str(out, text);
}

static void assert_read(const struct buf *text, const char *refusal)
{
    scoped(findings_free) struct findings *findings = findings_new();
    scoped(document_free) struct document document = { 0 };
    bool ok = document_read(&document, buf_text(text), findings);
    assert_int_equal(ok, refusal == NULL);
    if (refusal)
        assert_non_null(strstr(findings->item[LEVEL_ERROR][0].message, refusal));
}

/* The search for tabs stops with the parser. */
static void depth_behind_a_tab(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(2 << 20);
    buf_add_str(&text, "\t\na: ");
    repeat(&text, "[", 1 << 20);
    assert_read(&text, "deeper than 256");
}

static void depth(void **state)
{
    (void)state;
    static const char *const opens[] = { "[", "- [" };
    for (size_t i = 0; i < countof(opens); i++)
        for (size_t levels = 255; levels <= 256; levels++) {
            scoped(buf_free) struct buf text = BUF(4096);
            size_t outer = i; /* the enclosing list */
            buf_add_str(&text, opens[i]);
            repeat(&text, "[", levels - outer);
            repeat(&text, "]", levels - outer + 1);
            assert_read(&text, levels == 256 ? "nested deeper than 256" : NULL);
        }
}

static void aliases_count(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(4096);
    buf_add_str(&text, "a: &a [x,x,x,x,x,x,x,x,x,x]\n");
    for (int name = 'b'; name < 'h'; name++) {
        buf_format(&text, "%c: &%c [*%c", name, name, name - 1);
        for (int i = 0; i < 9; i++)
            buf_format(&text, ", *%c", name - 1);
        buf_add_str(&text, "]\n");
    }
    assert_read(&text, "1,000,000 values");
}

static void aliases_have_depth(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(1 << 16);
    buf_add_str(&text, "- &a0 []\n");
    for (int i = 1; i < 300; i++)
        buf_format(&text, "- &a%d [*a%d]\n", i, i - 1);
    assert_read(&text, "nested deeper than 256");
}

static void sizes(void **state)
{
    (void)state;
    scoped(buf_free) struct buf text = BUF(DOCUMENT_BYTES_MAX + 100);
    buf_add_str(&text, "a: ");
    repeat(&text, "0123456789abcdef", (1 << 20) / 16);
    assert_read(&text, NULL);
    buf_add_str(&text, "x");
    assert_read(&text, "longer than 1 MiB");
    buf_clear(&text);
    repeat(&text, "# a comment....\n", DOCUMENT_BYTES_MAX / 16);
    assert_read(&text, "the document is empty");
    buf_add_str(&text, "\n");
    assert_read(&text, "8 MiB");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(pointers),
        cmocka_unit_test(depth),
        cmocka_unit_test(depth_behind_a_tab),
        cmocka_unit_test(aliases_count),
        cmocka_unit_test(sizes),
        cmocka_unit_test(aliases_have_depth),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
