/*
 * svc-chat/chatplatform-embed-build/tests/chatplatform-embed-build.c - every issue of embeds,
 * limits, colors, repairs.
 */
#include "issues.h"
#include "tools.h"
#define IS_COLOR(given, value)                           \
    {                                                    \
        given, "{'title':'a','color':" given "}", NULL,  \
            "{'/valid':true,'/color/integer':" value "}" \
    }
#define NO_COLOR(given)                                        \
    {                                                          \
        given, "{'title':'a','color':" given "}", NULL,        \
            "{'/errors/0/code':'invalid_color','/color':null}" \
    }

static const struct answer_row rows[] = {
    { "an embed in the request itself", "{'title':' a ','color':'#ff0000','unknown':1}", NULL,
      "{'/valid':true,'/embed':{'title':'a','color':16711680},'/payload':{'embeds':[{'title':'a',"
      "'color':16711680}]},'/color':{'integer':16711680,'hex':'#ff0000','rgb':[255,0,0]},"
      "'/warnings#':2,'/warnings/0/path':'title','/warnings/0/code':'trimmed',"
      "'/warnings/1/path':'unknown','/warnings/1/code':'unknown_field','/counts/embeds':1,"
      "'/lengths/total':1,'/lengths/remaining':5999,'/payload_bytes':43,"
      "'/data_revision':'2026-08-06'}" },
    { "members in the platform's order",
      "{'embed':{'fields':[{'inline':false,'value':'v','name':'n'}],'author':{'name':'a'},"
      "'description':'d','title':'t'}}",
      NULL,
      "{'/payload/embeds/0':{'title':'t','description':'d','author':{'name':'a'},"
      "'fields':[{'name':'n','value':'v','inline':false}]}}" },
    { "all that is wrong at once", "{'embeds':[{'title':1,'url':'x','fields':[{'name':'a'}]},{}]}",
      NULL,
      "{'/valid':false,'/errors#':4,'/errors/0':{'path':'embeds[0].title','code':'wrong_type',"
      "'message':'must be a text'},'/errors/1/code':'invalid_url',"
      "'/errors/2/path':'embeds[0].fields[0].value','/errors/3/path':'embeds[1]',"
      "'/errors/3/code':'empty_embed'}" },

    /* texts */
    VALID("a title of 256", "{'title':'" X250 "123456'}"),
    LIMIT_AT("a title of 257", "{'title':'" X250 "1234567'}", "title", "too_long", "256", "257"),
    VALID("blanks do not count",
          "{'description':'" X4000 X50 "1234512345123451234512345123451234512345123456'}"),
    LIMIT_AT("a description of 4097",
             "{'description':'" X4000 X50 "12345123451234512345123451234512345123451234567'}",
             "description", "too_long", "4096", "4097"),
    LIMIT_AT("a field's name", "{'fields':[{'name':'" X250 "1234567','value':'b'}]}",
             "fields[0].name", "too_long", "256", "257"),
    LIMIT_AT("a field's value", "{'fields':[{'name':'a','value':'" X1000 X10 "123456789012345'}]}",
             "fields[0].value", "too_long", "1024", "1025"),
    LIMIT_AT("a footer", "{'footer':{'text':'" X2000 X50 "'}}", "footer.text", "too_long", "2048",
             "2050"),
    LIMIT_AT("an author", "{'author':{'name':'" X250 X10 "'}}", "author.name", "too_long", "256",
             "260"),
    LIMIT_AT("an image's description",
             "{'image':{'url':'https://a.example/b','description':'" X4000 X50 X50 "'}}",
             "image.description", "too_long", "4096", "4100"),
    LIMIT_AT("content", "{'content':'" X2000 "1'}", "content", "too_long", "2000", "2001"),
    VALID("characters are code points", "{'title':'" X250 "😀😀😀😀😀😀'}"),
    LIMIT_AT("six thousand in all",
             "{'embeds':[{'description':'" X4000 "'},{'description':'" X2000 "1'}]}", "embeds",
             "total_too_long", "6000", "6001"),
    LIMIT_AT("six thousand in one",
             "{'embed':{'description':'" X4000 "','footer':{'text':'" X2000 "1'}}}", "embed",
             "total_too_long", "6000", "6001"),
    LIMIT_AT("six thousand in one at the top",
             "{'description':'" X4000 "','footer':{'text':'" X2000 "1'}}", "", "total_too_long",
             "6000", "6001"),
    { "six thousand, shortened",
      "{'on_overflow':'truncate','description':'" X4000 "','footer':{'text':'" X2000 "1'}}", NULL,
      "{'/valid':true,'/adjustments/0':{'path':'description','action':'truncated','from':4000,"
      "'to':3999}}" },
    VALID("six thousand in all is fine",
          "{'embeds':[{'description':'" X4000 "'},{'description':'" X2000 "'}]}"),
    LIMIT_AT("a long URL", "{'title':'a','url':'https://a.example/" X2000 X50 "'}", "url",
             "too_long", "2048", "2068"),

    /* counts and required members */
    LIMIT_AT("many fields",
             "{'fields':[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
             "{},{},{},{},{},{}]}",
             "fields", "too_many_fields", "25", "26"),
    LIMIT_AT("many embeds", "{'embeds':[{},{},{},{},{},{},{},{},{},{},{}]}", "embeds",
             "too_many_embeds", "10", "11"),
    ERROR_AT("a field without value", "{'fields':[{'name':'a','value':null}]}", "fields[0].value",
             "required"),
    ERROR_AT("an author without name", "{'author':{'url':'https://a.example'}}", "author.name",
             "required"),
    ERROR_AT("a footer without text", "{'footer':{}}", "footer.text", "required"),
    ERROR_AT("an image without URL", "{'image':{}}", "image.url", "required"),
    ERROR_AT("a thumbnail without URL", "{'thumbnail':{}}", "thumbnail.url", "required"),
    ERROR_AT("an empty embed", "{'embed':{'color':1}}", "embed", "empty_embed"),
    ERROR_AT("blanks are empty", "{'embed':{'title':'  '}}", "embed", "empty_embed"),
    WARNS_AT("an empty name", "{'fields':[{'name':'','value':'b'}]}", "fields[0].name",
             "empty_field_name"),
    WARNS_AT("an empty value", "{'fields':[{'name':'a','value':' '}]}", "fields[0].value",
             "empty_field_value"),
    ERROR_AT("an embed that is none", "{'embed':'a'}", "embed", "wrong_type"),
    FIRST_ERROR_AT("embeds that are none", "{'embeds':{}}", "embeds", "wrong_type"),
    FIRST_ERROR_AT("fields that are none", "{'fields':1}", "fields", "wrong_type"),
    FIRST_ERROR_AT("a field that is none", "{'fields':[1]}", "fields[0]", "wrong_type"),
    ERROR_AT("inline that is none", "{'fields':[{'name':'a','value':'b','inline':1}]}",
             "fields[0].inline", "wrong_type"),
    ERROR_AT("tts that is none", "{'content':'a','tts':1}", "tts", "wrong_type"),

    /* what is dropped or converted */
    WARNS_AT("members that the platform sets", "{'embed':{'title':'a','type':'rich'}}",
             "embed.type", "field_ignored"),
    WARNS_AT("a height", "{'image':{'url':'https://a.example','height':1}}", "image.height",
             "field_ignored"),
    WARNS_AT("unknown members", "{'embed':{'title':'a','subtitle':'b'}}", "embed.subtitle",
             "unknown_field"),
    WARNS_AT("another spelling of color", "{'title':'a','colour':1}", "colour", "alias_used"),
    WARNS_AT("another spelling of icon_url",
             "{'author':{'name':'a','iconURL':'https://a.example'}}", "author.iconURL",
             "alias_used"),
    { "texts for objects", "{'author':'a','footer':'b','image':'https://c.example'}", NULL,
      "{'/valid':true,'/warnings#':3,'/embed':{'footer':{'text':'b'},'image':{'url':"
      "'https://c.example'},'author':{'name':'a'}}}" },
    { "imageURL", "{'imageURL':'https://c.example'}", NULL,
      "{'/valid':true,'/embed/image/url':'https://c.example'}" },
    { "an object for fields", "{'fields':{'a':'b','c':'d'}}", NULL,
      "{'/valid':true,'/warnings/0/code':'alias_used','/counts/fields':2,"
      "'/embed/fields/1':{'name':'c','value':'d'}}" },
    WARNS_AT("one inline field", "{'fields':[{'name':'a','value':'b','inline':true}]}", "fields",
             "inline_layout"),
    WARNS_AT("a URL without title", "{'description':'a','url':'https://a.example'}", "url",
             "title_url_without_title"),
    WARNS_AT("the same URL twice",
             "{'embeds':[{'title':'a','url':'https://a.example'},"
             "{'title':'b','url':'https://a.example'}]}",
             "embeds[1]", "duplicate_embed_url"),
    { "null is absent", "{'title':'a','color':null,'footer':null}", NULL,
      "{'/valid':true,'/embed':{'title':'a'}}" },

    /* times */
    { "an ISO time", "{'title':'a','timestamp':'2021-04-20T21:20:30+02:00'}", NULL,
      "{'/warnings#':0,'/embed/timestamp':'2021-04-20T19:20:30.000Z'}" },
    { "now", "{'title':'a','timestamp':true,'now':1618953630}", NULL,
      "{'/warnings/0/code':'alias_used','/embed/timestamp':'2021-04-20T21:20:30.000Z'}" },
    { "now in words", "{'title':'a','timestamp':'now','now':1618953630}", NULL,
      "{'/warnings/0/code':'alias_used','/embed/timestamp':'2021-04-20T21:20:30.000Z'}" },
    { "seconds", "{'title':'a','timestamp':1618953630}", NULL,
      "{'/warnings/0/code':'alias_used','/embed/timestamp':'2021-04-20T21:20:30.000Z'}" },
    ERROR_AT("a list is no time", "{'title':'a','timestamp':[1]}", "timestamp",
             "invalid_timestamp"),
    ERROR_AT("false is no time", "{'title':'a','timestamp':false}", "timestamp",
             "invalid_timestamp"),
    ERROR_AT("no time", "{'title':'a','timestamp':'soon'}", "timestamp", "invalid_timestamp"),

    /* URLs */
    ERROR_AT("no URL", "{'title':'a','url':'example.com'}", "url", "invalid_url"),
    ERROR_AT("no host", "{'title':'a','url':'https:///a'}", "url", "invalid_url"),
    ERROR_AT("a blank", "{'title':'a','url':'https://a.example/b c'}", "url", "invalid_url"),
    ERROR_AT("a script", "{'title':'a','url':'javascript:alert(1)'}", "url", "url_scheme"),
    ERROR_AT("data", "{'image':{'url':'data:image/png;base64,AA'}}", "image.url", "url_scheme"),
    ERROR_AT("the platform's own scheme", "{'title':'a','url':'discord://a'}", "url", "url_scheme"),
    ERROR_AT("an attachment as link", "{'title':'a','url':'attachment://a.png'}", "url",
             "url_scheme"),
    VALID("an attachment as image", "{'image':{'url':'attachment://a-b_c.PNG'}}"),
    ERROR_AT("an attachment of another kind", "{'image':{'url':'attachment://a.svg'}}", "image.url",
             "attachment_extension"),
    ERROR_AT("an attachment's bad name", "{'image':{'url':'attachment://a%20b.png'}}", "image.url",
             "invalid_url"),
    WARNS_AT("a password in a URL", "{'title':'a','url':'https://u:p@a.example'}", "url",
             "credentials_in_url"),
    WARNS_AT("a URL that expires",
             "{'image':{'url':'https://cdn.discordapp.com/attachments/1/2/a.png?ex=1&is=2'}}",
             "image.url", "expiring_cdn_url"),

    /* colors */
    IS_COLOR("16777215", "16777215"),
    IS_COLOR("'#5865F2'", "5793266"),
    IS_COLOR("'#fa0'", "16755200"),
    IS_COLOR("'5865F2'", "5793266"),
    IS_COLOR("'abc'", "11189196"),
    IS_COLOR("'0x5865F2'", "5793266"),
    IS_COLOR("'0xABC'", "11189196"),
    IS_COLOR("'0x#5865F2'", "5793266"),
    IS_COLOR("'rgb(1, 2, 3)'", "66051"),
    IS_COLOR("'rgb(100%, 50%, 0%)'", "16744448"),
    IS_COLOR("'rgb(33.3%,0%,0%)'", "5570560"),
    IS_COLOR("'1 2 3'", "66051"),
    IS_COLOR("'(1,2,3)'", "66051"),
    IS_COLOR("'[1.0, 0.5, 0.0]'", "16744192"),
    IS_COLOR("'<255,255,255>'", "16777215"),
    IS_COLOR("[1,2,3]", "66051"),
    IS_COLOR("[1,1,1]", "65793"),
    IS_COLOR("[1,0.5,0]", "16744192"),
    IS_COLOR("'12345'", "12345"),
    IS_COLOR("'Blurple'", "5793266"),
    IS_COLOR("'dark gray'", "9936031"),
    IS_COLOR("'not_quite_black'", "2303786"),
    { "digits that could be decimal", "{'title':'a','color':'123456'}", NULL,
      "{'/warnings/0/code':'color_ambiguous','/color/hex':'#123456'}" },
    WARNS_AT("no color at all", "{'title':'a','color':0}", "color", "color_zero"),
    NO_COLOR("-1"),
    NO_COLOR("16777216"),
    NO_COLOR("1.5"),
    NO_COLOR("'16777216'"),
    NO_COLOR("'bleu'"),
    NO_COLOR("''"),
    NO_COLOR("'#12345'"),
    NO_COLOR("'rgb(256,0,0)'"),
    NO_COLOR("'rgb(1,2)'"),
    NO_COLOR("'rgb(1%,2,3)'"),
    NO_COLOR("'(1,2,3'"),
    NO_COLOR("'1.0,1,1'"),
    NO_COLOR("[1,2]"),
    NO_COLOR("[1,2,3,4]"),
    NO_COLOR("[256,0,0]"),
    NO_COLOR("[-1,0,0]"),
    NO_COLOR("[2.5,0,0]"),
    NO_COLOR("true"),
    NO_COLOR("{}"),

    /* repairs */
    { "cut", "{'title':'" X250 X10 "','on_overflow':'truncate'}", NULL,
      "{'/valid':true,'/lengths/embeds/0/title':256,'/adjustments':[{'path':'title',"
      "'action':'truncated','from':260,'to':256}]}" },
    { "fields dropped",
      "{'on_overflow':'truncate','fields':{'a':'1','b':'1','c':'1','d':'1','e':'1',"
      "'f':'1','g':'1','h':'1','i':'1','j':'1','k':'1','l':'1','m':'1','n':'1','o':'1','p':'1',"
      "'q':'1','r':'1','s':'1','t':'1','u':'1','v':'1','w':'1','x':'1','y':'1','z':'1'}}",
      NULL,
      "{'/valid':true,'/counts/fields':25,'/adjustments/0/action':'dropped','/adjustments/0/"
      "to':25}" },
    { "the longest first",
      "{'on_overflow':'truncate','embeds':[{'description':'" X4000 "'},"
      "{'description':'" X2000 X250 "'},{'title':'a'}]}",
      NULL,
      "{'/valid':true,'/adjustments#':1,'/adjustments/0/path':'embeds[0].description',"
      "'/adjustments/0/to':3749,'/lengths/total':6000}" },

    WARNS_AT("a proxy's URL", "{'image':{'url':'https://a.example','proxy_url':'https://b'}}",
             "image.proxy_url", "field_ignored"),
    WARNS_AT("a proxy's icon", "{'footer':{'text':'a','proxy_icon_url':'https://b'}}",
             "footer.proxy_icon_url", "field_ignored"),
    WARNS_AT("a video", "{'embed':{'title':'a','video':{'url':'https://b'}}}", "embed.video",
             "field_ignored"),
    WARNS_AT("a provider", "{'embed':{'title':'a','provider':{'name':'b'}}}", "embed.provider",
             "field_ignored"),
    WARNS_AT("the third spelling of icon_url",
             "{'footer':{'text':'a','iconUrl':'https://a.example'}}", "footer.iconUrl",
             "alias_used"),
    WARNS_AT("a thumbnail as text", "{'thumbnail':'https://a.example'}", "thumbnail", "alias_used"),
    { "content is cut too", "{'content':'" X2000 "1','on_overflow':'truncate'}", NULL,
      "{'/valid':true,'/lengths/content':2000,'/adjustments/0/path':'content'}" },
    { "embeds dropped",
      "{'on_overflow':'truncate','embeds':[{'title':'1'},{'title':'2'},{'title':'3'},"
      "{'title':'4'},{'title':'5'},{'title':'6'},{'title':'7'},{'title':'8'},{'title':'9'},"
      "{'title':'10'},{'title':'11'}]}",
      NULL,
      "{'/valid':true,'/counts/embeds':10,'/embeds/9/title':'10','/adjustments/0':"
      "{'path':'embeds','action':'dropped','from':11,'to':10}}" },
    { "cut between graphemes",
      "{'on_overflow':'truncate','title':'" X250 "1234👩\\u200d👩\\u200d👧x'}", NULL,
      "{'/valid':true,'/embed/title':'" X250 "1234…'}" },

    { "nothing", "{}", "missing_field", NULL },
    { "nothing of a message", "{'username':'a'}", "missing_field", NULL },
    { "two subjects", "{'embed':{'title':'a'},'title':'b'}", "conflicting_fields", NULL },
    { "embed and embeds", "{'embed':{'title':'a'},'embeds':[]}", "conflicting_fields", NULL },
    { "an unknown target", "{'title':'a','target':'user'}", "invalid_value", NULL },
    { "a bad now", "{'title':'a','now':'x'}", "invalid_timestamp", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_embed_build, "chatplatform-embed-build", *state);
}

static const struct {
    const char *name;
    uint32_t color;
} color_names[] = {
    { "default", 0x000000 },
    { "white", 0xFFFFFF },
    { "aqua", 0x1ABC9C },
    { "teal", 0x1ABC9C },
    { "green", 0x57F287 },
    { "brand_green", 0x57F287 },
    { "blue", 0x3498DB },
    { "yellow", 0xFEE75C },
    { "purple", 0x9B59B6 },
    { "luminous_vivid_pink", 0xE91E63 },
    { "magenta", 0xE91E63 },
    { "fuchsia", 0xEB459E },
    { "pink", 0xEB459F },
    { "gold", 0xF1C40F },
    { "orange", 0xE67E22 },
    { "red", 0xED4245 },
    { "brand_red", 0xED4245 },
    { "grey", 0x95A5A6 },
    { "lighter_grey", 0x95A5A6 },
    { "navy", 0x34495E },
    { "dark_aqua", 0x11806A },
    { "dark_teal", 0x11806A },
    { "dark_green", 0x1F8B4C },
    { "dark_blue", 0x206694 },
    { "dark_purple", 0x71368A },
    { "dark_vivid_pink", 0xAD1457 },
    { "dark_magenta", 0xAD1457 },
    { "dark_gold", 0xC27C0E },
    { "dark_orange", 0xA84300 },
    { "dark_red", 0x992D22 },
    { "dark_grey", 0x979C9F },
    { "darker_grey", 0x7F8C8D },
    { "light_grey", 0xBCC0C0 },
    { "dark_navy", 0x2C3E50 },
    { "blurple", 0x5865F2 },
    { "og_blurple", 0x7289DA },
    { "greyple", 0x99AAB5 },
    { "dark_but_not_black", 0x2C2F33 },
    { "not_quite_black", 0x23272A },
    { "dark_theme", 0x1A1A1E },
    { "light_theme", 0xFBFBFB },
    { "ash_theme", 0x2E2E34 },
    { "onyx_theme", 0x070709 },
    { "dark_embed", 0x242429 },
    { "light_embed", 0xFFFFFF },
    { "ash_embed", 0x37373E },
    { "onyx_embed", 0x131416 },
    { "gray", 0x95A5A6 },
    { "DARK GRAY", 0x979C9F },
    { "Lighter_Gray", 0x95A5A6 },
};

/* The contract's names; case, blanks and _ are ignored. */
static void every_name_of_a_color(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(color_names); i++) {
        scoped(mem_free) char *body = str_format("{'title':'a','color':'%s'}", color_names[i].name);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        assert_true(run_tool(chatplatform_embed_build, "chatplatform-embed-build", body, result,
                             NULL, &err));
        assert_int_equal(json_at(result, "/embed/color")->valuedouble, color_names[i].color);
    }
}

static void random_is_the_same_again(void **state)
{
    static const char body[] = "{'title':'a','color':'random'}";
    scoped(json_free) cJSON *one = json_object();
    scoped(json_free) cJSON *other = json_object();
    struct err err = { 0 };
    (void)state;
    assert_true(
        run_tool(chatplatform_embed_build, "chatplatform-embed-build", body, one, NULL, &err));
    assert_true(
        run_tool(chatplatform_embed_build, "chatplatform-embed-build", body, other, NULL, &err));
    assert_true(json_equal(one, other));
}

/* A request may be a tree of megabytes. The result refers to it instead of copying it. */
static void what_is_shown_again_is_not_copied(void **state)
{
    scoped(job_free) struct job *job =
        job_of("chatplatform-embed-build",
               "{'title':'a','components':[{}],'allowed_mentions':{'parse':[]}}");
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;
    assert_true(chatplatform_embed_build(job, result, &err));
    assert_ptr_equal(json_at(result, "/payload/components/0"), json_at(job->args, "/components/0"));
    assert_ptr_equal(json_at(result, "/payload/allowed_mentions/parse"),
                     json_at(job->args, "/allowed_mentions/parse"));
    assert_ptr_equal(json_at(result, "/payload/embeds/0"), json_at(result, "/embeds/0"));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(every_name_of_a_color),
        cmocka_unit_test(random_is_the_same_again),
        cmocka_unit_test(what_is_shown_again_is_not_copied),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
