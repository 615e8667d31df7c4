/*
 * svc-chat/chatplatform-embed-build/tests/message.c - every issue of a message around its embeds,
 * and of its components.
 */
#include "issues.h"
#include "tools.h"
#define V2(components)  "{'flags':32768,'components':[" components "]}"
#define V1(components)  "{'components':[" components "]}"
#define ROW(components) "{'type':1,'components':[" components "]}"
#define USERS(id)       ROW("{'type':5,'custom_id':'" id "'}")
#define BUTTON          "{'type':2,'style':1,'label':'a','custom_id':'b'}"
#define TEXT_DISPLAY    "{'type':10,'content':'a'}"

static const struct answer_row rows[] = {
    /* the message */
    LIMIT_AT("a webhook's name",
             "{'content':'a','target':'webhook','username':'" X50 X10 X10 X10 "1'}", "username",
             "too_long", "80", "81"),
    ERROR_AT("a name that is refused", "{'content':'a','target':'webhook','username':'My Clyde'}",
             "username", "username_forbidden"),
    ERROR_AT("a bot's name", "{'content':'a','username':'b'}", "username", "field_not_allowed"),
    ERROR_AT("a bot's picture", "{'content':'a','avatar_url':'https://a.example'}", "avatar_url",
             "field_not_allowed"),
    ERROR_AT("a bot's thread", "{'content':'a','thread_name':'b'}", "thread_name",
             "field_not_allowed"),
    VALID("a webhook may", "{'content':'a','target':'webhook','username':'b','thread_name':'c',"
                           "'avatar_url':'https://a.example','tts':true}"),
    ERROR_AT("an ephemeral message of a bot", "{'content':'a','flags':64}", "flags",
             "field_not_allowed"),
    VALID("an ephemeral answer", "{'content':'a','flags':64,'target':'interaction'}"),
    ERROR_AT("a flag that nobody sets", "{'content':'a','flags':1}", "flags", "flag_not_settable"),
    ERROR_AT("nothing left to send", "{'content':' '}", "", "empty_message"),
    ERROR_AT("all users, and two",
             "{'content':'a','allowed_mentions':{'parse':['users'],"
             "'users':['80351110224678912']}}",
             "allowed_mentions.parse[0]", "allowed_mentions_conflict"),
    ERROR_AT("everyone twice",
             "{'content':'a','allowed_mentions':{'parse':['everyone','everyone']}}",
             "allowed_mentions.parse[1]", "duplicate_id"),
    ERROR_AT("roles twice, with users between",
             "{'content':'a','allowed_mentions':{'parse':['roles','users','roles']}}",
             "allowed_mentions.parse[2]", "duplicate_id"),
    VALID("each kind once",
          "{'content':'a','allowed_mentions':{'parse':['roles','users','everyone']}}"),
    ERROR_AT("parse of something else", "{'content':'a','allowed_mentions':{'parse':['all']}}",
             "allowed_mentions.parse[0]", "wrong_type"),
    ERROR_AT("an id that is none", "{'content':'a','allowed_mentions':{'users':['x']}}",
             "allowed_mentions.users[0]", "wrong_type"),
    ERROR_AT("an id twice", "{'content':'a','allowed_mentions':{'roles':['1','1']}}",
             "allowed_mentions.roles[1]", "duplicate_id"),

    /* components */
    VALID("a row of buttons", V1(ROW(BUTTON))),
    VALID("a link", V1(ROW("{'type':2,'style':5,'label':'a','url':'discord://a'}"))),
    VALID("something to buy", V1(ROW("{'type':2,'style':6,'sku_id':'1'}"))),
    VALID("a select", V1(ROW("{'type':3,'custom_id':'a','options':[{'label':'a','value':'b'}]}"))),
    VALID("text", V2(TEXT_DISPLAY)),
    VALID("a section", V2("{'type':9,'components':[" TEXT_DISPLAY "],'accessory':" BUTTON "}")),
    VALID("a container",
          V2("{'type':17,'accent_color':255,'components':[" TEXT_DISPLAY
             ",{'type':14,'divider':true,'spacing':2},{'type':12,'items':[{'media':"
             "{'url':'https://a.example'}}]},{'type':13,'file':{'url':'attachment://a.txt'}}," ROW(
                 BUTTON) "]}")),
    { "nested ones are counted", V2("{'type':17,'components':[" ROW(BUTTON) "]}"), NULL,
      "{'/counts/components':3}" },
    { "the flag is missing", V1(TEXT_DISPLAY), NULL,
      "{'/errors/0/code':'v2_flag_missing','/errors/0/suggestion':'flags: 32768'}" },
    ERROR_AT("content beside them", "{'flags':32768,'content':'a','components':[" TEXT_DISPLAY "]}",
             "content", "v2_exclusive"),
    FIRST_ERROR_AT("a poll beside them",
                   "{'flags':32768,'poll':{'a':1},'components':[" TEXT_DISPLAY "]}", "poll",
                   "v2_exclusive"),
    ERROR_AT("a button at the top", V1(BUTTON), "components[0]", "component_placement"),
    ERROR_AT("a row in a row", V1(ROW(ROW(BUTTON))), "components[0].components[0]",
             "component_placement"),
    ERROR_AT("a container in a container",
             V2("{'type':17,'components':[{'type':17,'components':[" TEXT_DISPLAY "]}]}"),
             "components[0].components[0]", "component_placement"),
    ERROR_AT("an empty row", V1(ROW("")), "components[0]", "component_count"),
    LIMIT_AT(
        "six buttons",
        V1(ROW(
            "{'type':2,'style':1,'label':'a','custom_id':'1'},"
            "{'type':2,'style':1,'label':'a','custom_id':'2'},{'type':2,'style':1,'label':'a',"
            "'custom_id':'3'},{'type':2,'style':1,'label':'a','custom_id':'4'},{'type':2,'style':1,"
            "'label':'a','custom_id':'5'},{'type':2,'style':1,'label':'a','custom_id':'6'}")),
        "components[0]", "component_count", "5", "6"),
    ERROR_AT("a select and a button",
             V1(ROW("{'type':5,'custom_id':'a'},{'type':2,'style':1,'label':'a','custom_id':'b'}")),
             "components[0]", "component_count"),
    LIMIT_AT(
        "six rows",
        V1(USERS("1") "," USERS("2") "," USERS("3") "," USERS("4") "," USERS("5") "," USERS("6")),
        "components", "too_many_components", "5", "6"),
    ERROR_AT("a custom_id twice", V1(ROW(BUTTON "," BUTTON)),
             "components[0].components[1].custom_id", "duplicate_custom_id"),
    ERROR_AT("an id twice", V2("{'type':10,'content':'a','id':1},{'type':10,'content':'a','id':1}"),
             "components[1].id", "duplicate_component_id"),
    VALID("an id of 0 is none",
          V2("{'type':10,'content':'a','id':0},{'type':10,'content':'a','id':0}")),
    ERROR_AT("a button without custom_id", V1(ROW("{'type':2,'style':1,'label':'a'}")),
             "components[0].components[0]", "button_fields"),
    ERROR_AT("a button without label", V1(ROW("{'type':2,'style':1,'custom_id':'a'}")),
             "components[0].components[0]", "button_fields"),
    ERROR_AT("a link with custom_id",
             V1(ROW("{'type':2,'style':5,'label':'a','url':'https://a.example','custom_id':'a'}")),
             "components[0].components[0]", "button_fields"),
    ERROR_AT("a style that is none", V1(ROW("{'type':2,'style':7,'label':'a'}")),
             "components[0].components[0].style", "button_fields"),
    LIMIT_AT("a long label",
             V1(ROW("{'type':2,'style':1,'custom_id':'a','label':'" X50 X10 X10 X10 "1'}")),
             "components[0].components[0].label", "too_long", "80", "81"),
    ERROR_AT("more wanted than allowed",
             V1(ROW("{'type':5,'custom_id':'a','min_values':3,'max_values':2}")),
             "components[0].components[0]", "select_range"),
    ERROR_AT("more wanted than there are",
             V1(ROW("{'type':3,'custom_id':'a','min_values':2,"
                    "'max_values':2,'options':[{'label':'a','value':'b'}]}")),
             "components[0].components[0]", "select_range"),
    LIMIT_AT("26 of them", V1(ROW("{'type':5,'custom_id':'a','max_values':26}")),
             "components[0].components[0].max_values", "select_range", "25", "26"),
    ERROR_AT("no options", V1(ROW("{'type':3,'custom_id':'a'}")),
             "components[0].components[0].options", "component_count"),
    ERROR_AT("equal options",
             V1(ROW("{'type':3,'custom_id':'a','options':[{'label':'a','value':'b'},"
                    "{'label':'c','value':'b'}]}")),
             "components[0].components[0].options[1].value", "duplicate_option_value"),
    ERROR_AT("a default that does not fit",
             V1(ROW("{'type':5,'custom_id':'a','default_values':[{'id':'1','type':'role'}]}")),
             "components[0].components[0].default_values[0]", "wrong_type"),
    ERROR_AT("a default that fits in part",
             V1(ROW("{'type':5,'custom_id':'a','default_values':[{'id':'1','type':'us'}]}")),
             "components[0].components[0].default_values[0]", "wrong_type"),
    ERROR_AT("a default without type",
             V1(ROW("{'type':8,'custom_id':'a','default_values':[{'id':'1'}]}")),
             "components[0].components[0].default_values[0]", "wrong_type"),
    { "defaults of a mentionable select that do not fit",
      V1(ROW("{'type':7,'custom_id':'a','max_values':4,'default_values':[{'id':'1','type':'er ro'},"
             "{'id':'2','type':'user role'},{'id':'3','type':'channel'},{'id':'4','type':''}]}")),
      NULL,
      "{'/errors#':4,'/errors/0/message':'type must be one of: user, role',"
      "'/errors/1/path':'components[0].components[0].default_values[1]',"
      "'/errors/2/path':'components[0].components[0].default_values[2]',"
      "'/errors/3/path':'components[0].components[0].default_values[3]'}" },
    ERROR_AT("a section without accessory", V2("{'type':9,'components':[" TEXT_DISPLAY "]}"),
             "components[0].accessory", "required"),
    ERROR_AT("a thumbnail without medium",
             V2("{'type':9,'components':[" TEXT_DISPLAY "],'accessory':{'type':11}}"),
             "components[0].accessory.media.url", "required"),
    ERROR_AT("a file from elsewhere", V2("{'type':13,'file':{'url':'https://a.example'}}"),
             "components[0].file.url", "url_scheme"),
    ERROR_AT("a spacing of 3", V2("{'type':14,'spacing':3}"), "components[0].spacing",
             "wrong_type"),
    ERROR_AT("a color of a container",
             V2("{'type':17,'accent_color':-1,'components':[" TEXT_DISPLAY "]}"),
             "components[0].accent_color", "invalid_color"),
    ERROR_AT("for modals", V1(ROW("{'type':4,'custom_id':'a'}")), "components[0].components[0]",
             "modal_only"),
    ERROR_AT("nobody knows it", V1("{'type':99}"), "components[0]", "unknown_component"),
    ERROR_AT("no type", V1("{}"), "components[0]", "unknown_component"),
    ERROR_AT("no object", V1("1"), "components[0]", "wrong_type"),
    FIRST_ERROR_AT("no list", "{'components':{}}", "components", "wrong_type"),
    LIMIT_AT("much text", V2("{'type':10,'content':'" X4000 "'}," TEXT_DISPLAY), "components",
             "total_too_long", "4000", "4001"),

    LIMIT_AT("a long custom_id",
             V1(ROW("{'type':2,'style':1,'label':'a','custom_id':'" X50 X50 "1'}")),
             "components[0].components[0].custom_id", "too_long", "100", "101"),
    LIMIT_AT("a long link",
             V1(ROW("{'type':2,'style':5,'label':'a','url':'https://a.example/" X250 X250 "'}")),
             "components[0].components[0].url", "too_long", "512", "518"),
    ERROR_AT("something to buy with a label",
             V1(ROW("{'type':2,'style':6,'sku_id':'1','label':'a'}")),
             "components[0].components[0]", "button_fields"),
    ERROR_AT("disabled that is none",
             V1(ROW("{'type':2,'style':1,'label':'a','custom_id':'b','disabled':1}")),
             "components[0].components[0].disabled", "wrong_type"),
    LIMIT_AT("a long placeholder",
             V1(ROW("{'type':6,'custom_id':'a','placeholder':'" X50 X50 X50 "1'}")),
             "components[0].components[0].placeholder", "too_long", "150", "151"),
    LIMIT_AT("a long value of an option",
             V1(ROW("{'type':3,'custom_id':'a','options':[{'label':'a','value':'" X50 X50 "1'}]}")),
             "components[0].components[0].options[0].value", "too_long", "100", "101"),
    LIMIT_AT(
        "a long description of an option",
        V1(ROW(
            "{'type':3,'custom_id':'a','options':[{'label':'a','value':'b','description':'" X50 X50
            "1'}]}")),
        "components[0].components[0].options[0].description", "too_long", "100", "101"),
    LIMIT_AT("26 options",
             V1(ROW("{'type':3,'custom_id':'a','options':[{},{},{},{},{},{},{},{},{},{},{},{},{},"
                    "{},{},{},{},{},{},{},{},{},{},{},{},{}]}")),
             "components[0].components[0].options", "component_count", "25", "26"),
    ERROR_AT("no custom_id of a select", V1(ROW("{'type':7}")),
             "components[0].components[0].custom_id", "required"),
    VALID("a channel select", V1(ROW("{'type':8,'custom_id':'a','channel_types':[0,2],"
                                     "'default_values':[{'id':'1','type':'channel'}]}"))),
    VALID("a user select",
          V1(ROW("{'type':5,'custom_id':'a','default_values':[{'id':'1','type':'user'}]}"))),
    VALID("a role select",
          V1(ROW("{'type':6,'custom_id':'a','default_values':[{'id':'1','type':'role'}]}"))),
    VALID("a mentionable select",
          V1(ROW("{'type':7,'custom_id':'a','max_values':2,'default_values':"
                 "[{'id':'1','type':'user'},{'id':'2','type':'role'}]}"))),
    LIMIT_AT("four texts in a section",
             V2("{'type':9,'accessory':" BUTTON ",'components':[" TEXT_DISPLAY "," TEXT_DISPLAY
                "," TEXT_DISPLAY "," TEXT_DISPLAY "]}"),
             "components[0]", "component_count", "3", "4"),
    ERROR_AT("a section of nothing", V2("{'type':9,'accessory':" BUTTON ",'components':[]}"),
             "components[0]", "component_count"),
    ERROR_AT(
        "a select as accessory",
        V2("{'type':9,'components':[" TEXT_DISPLAY "],'accessory':{'type':5,'custom_id':'a'}}"),
        "components[0].accessory", "component_placement"),
    LIMIT_AT("eleven media", V2("{'type':12,'items':[{},{},{},{},{},{},{},{},{},{},{}]}"),
             "components[0].items", "component_count", "10", "11"),
    ERROR_AT("no media", V2("{'type':12,'items':[]}"), "components[0].items", "component_count"),
    VALID("a video of a gallery",
          V2("{'type':12,'items':[{'media':{'url':'attachment://a.mp4'}}]}")),
    ERROR_AT("a video as thumbnail",
             V2("{'type':9,'components':[" TEXT_DISPLAY
                "],'accessory':{'type':11,'media':{'url':'attachment://a.mp4'}}}"),
             "components[0].accessory.media.url", "attachment_extension"),
    LIMIT_AT(
        "a medium's description",
        V2("{'type':12,'items':[{'media':{'url':'https://a.example'},'description':'" X1000 X10 X10
           "12345'}]}"),
        "components[0].items[0].description", "too_long", "1024", "1025"),
    ERROR_AT("an empty text", V2("{'type':10,'content':''}"), "components[0].content", "required"),
    ERROR_AT("an empty container", V2("{'type':17,'components':[]}"), "components[0]",
             "component_count"),
    ERROR_AT("a divider that is none", V2("{'type':14,'divider':1}"), "components[0].divider",
             "wrong_type"),
    ERROR_AT("a negative id", V2("{'type':10,'content':'a','id':-1}"), "components[0].id",
             "wrong_type"),
    ERROR_AT("stickers beside them",
             "{'flags':32768,'sticker_ids':['1'],'components':[" TEXT_DISPLAY "]}", "sticker_ids",
             "v2_exclusive"),
    ERROR_AT("embeds beside them",
             "{'flags':32768,'embeds':[{'title':'a'}],'components':[" TEXT_DISPLAY "]}", "embeds",
             "v2_exclusive"),
    VALID("flags that may be set", "{'content':'a','flags':4100}"),
    LIMIT_AT("a thread's name", "{'content':'a','target':'webhook','thread_name':'" X50 X50 "1'}",
             "thread_name", "too_long", "100", "101"),
    ERROR_AT("a webhook named discord",
             "{'content':'a','target':'webhook','username':'my DisCord bot'}", "username",
             "username_forbidden"),
};

static void check(void **state)
{
    assert_answers(chatplatform_embed_build, "chatplatform-embed-build", *state);
}

/* 41 text displays: the limit counts all components, including nested ones. */
static void forty_components_and_one(void **state)
{
    scoped(buf_free) struct buf body = BUF(1 << 16);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;

    buf_add_str(&body, "{'flags':32768,'components':[{'type':17,'components':[" TEXT_DISPLAY);
    for (int i = 0; i < 39; i++)
        buf_add_str(&body, "," TEXT_DISPLAY);
    buf_add_str(&body, "]}]}");
    assert_true(run_tool(chatplatform_embed_build, "chatplatform-embed-build", buf_str(&body),
                         result, NULL, &err));
    assert_string_equal(json_text(result, "/errors/0/code"), "too_many_components");
    assert_int_equal(json_at(result, "/errors/0/actual")->valuedouble, 41);
}

static void a_hundred_ids_and_one(void **state)
{
    scoped(buf_free) struct buf body = BUF(1 << 14);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    (void)state;

    buf_add_str(&body, "{'content':'a','allowed_mentions':{'users':['1'");
    for (int i = 2; i <= 101; i++)
        buf_format(&body, ",'%d'", i);
    buf_add_str(&body, "]}}");
    assert_true(run_tool(chatplatform_embed_build, "chatplatform-embed-build", buf_str(&body),
                         result, NULL, &err));
    assert_string_equal(json_text(result, "/errors/0/path"), "allowed_mentions.users");
    assert_string_equal(json_text(result, "/errors/0/code"), "too_many_ids");
    assert_int_equal(json_at(result, "/errors/0/limit")->valuedouble, 100);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(forty_components_and_one),
        cmocka_unit_test(a_hundred_ids_and_one),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
