/*
 * svc-chat/chatplatform-embed-build/tests/parts.c - parts of a message besides embeds, leaves of
 * components, modals; a truncated message is valid.
 */
#include "issues.h"
#include "tools.h"

#define POLL(question, answers, more) \
    "{'poll':{'question':" question ",'answers':[" answers "]" more "}}"
#define TEA                "{'poll_media':{'text':'Tea'}}"
#define ASK                "{'text':'Which?'}"
#define ROW(component)     "{'components':[{'type':1,'components':[" component "]}]}"
#define SELECT(type, more) ROW("{'type':" #type ",'custom_id':'a'," more "}")
#define BUTTON(more)       ROW("{'type':2,'style':1,'custom_id':'a'," more "}")
#define AT                 "components[0].components[0]"
#define MODAL(components)  "{'modal':{'custom_id':'m','title':'t','components':[" components "]}}"
#define LABEL(component)   MODAL("{'type':18,'label':'l','component':" component "}")
#define IN_LABEL           "modal.components[0].component"
#define OPTION(value)      "{'label':'a','value':'" value "'}"
#define FORWARD            "'message_reference':{'type':1,'message_id':'1','channel_id':'2'}"
#define THEME(colors) \
    "{'shared_client_theme':{'colors':" colors ",'gradient_angle':0,'base_mix':58}}"

static const struct answer_row rows[] = {
    { "nothing that was given is lost",
      "{'content':'x','nonce':'n','enforce_nonce':true,'message_reference':{'message_id':'1'},"
      "'sticker_ids':['2'],'attachments':[{'id':0,'description':'d'}],"
      "'poll':{'question':" ASK ",'answers':[" TEA "]},"
      "'shared_client_theme':{'colors':['5865F2'],'gradient_angle':0,'base_mix':1}}",
      NULL,
      "{'/valid':true,'/warnings#':0,'/payload':{'content':'x','nonce':'n','enforce_nonce':true,"
      "'message_reference':{'message_id':'1'},'sticker_ids':['2'],"
      "'attachments':[{'id':0,'description':'d'}],"
      "'poll':{'question':" ASK ",'answers':[" TEA "]},"
      "'shared_client_theme':{'colors':['5865F2'],'gradient_angle':0,'base_mix':1}}}" },
    VALID("a poll alone",
          POLL(ASK, TEA, ",'duration':768,'allow_multiselect':true,'layout_type':1")),
    VALID("stickers alone", "{'sticker_ids':['1','2','3']}"),
    VALID("an attachment alone",
          "{'attachments':[{'id':'0','filename':'a.png','is_spoiler':true}]}"),
    VALID("a forward with a nonce and an empty text", "{'content':'','nonce':'n'," FORWARD "}"),
    VALID("an answer with a text",
          "{'content':'a','message_reference':{'type':0,'message_id':'1'}}"),
    VALID("a forward alone", "{" FORWARD "}"),
    VALID("a theme alone", THEME("['5865F2','000000']")),
    VALID("tags of a forum", "{'content':'a','target':'webhook','thread_name':'t',"
                             "'applied_tags':['1','2','3','4','5']}"),
    { "an answer to a message is not a message", "{'message_reference':{'message_id':'1'}}",
      "missing_field", NULL },
    ERROR_AT("an empty content beside an answer",
             "{'content':'','message_reference':{'message_id':'1'}}", "", "empty_message"),

    ERROR_AT("a question of 301", POLL("{'text':'" X250 X50 "1'}", TEA, ""), "poll.question.text",
             "too_long"),
    ERROR_AT("no question", "{'poll':{'answers':[" TEA "]}}", "poll.question", "wrong_type"),
    ERROR_AT("a blank question", POLL("{'text':'  '}", TEA, ""), "poll.question.text", "required"),
    { "a question's emoji", POLL("{'text':'a','emoji':{'name':'🔥'}}", TEA, ""), NULL,
      "{'/valid':true,'/warnings/0/code':'field_ignored'}" },
    ERROR_AT("no answers", POLL(ASK, "", ""), "poll.answers", "item_count"),
    ERROR_AT("eleven answers",
             POLL(ASK,
                  TEA "," TEA "," TEA "," TEA "," TEA "," TEA "," TEA "," TEA "," TEA "," TEA
                      "," TEA,
                  ""),
             "poll.answers", "item_count"),
    ERROR_AT("an answer of 56", POLL(ASK, "{'poll_media':{'text':'" X50 "123456'}}", ""),
             "poll.answers[0].poll_media.text", "too_long"),
    ERROR_AT("an answer that is a text", POLL(ASK, "'Tea'", ""), "poll.answers[0].poll_media",
             "wrong_type"),
    ERROR_AT("an answer's emoji", POLL(ASK, "{'poll_media':{'text':'a','emoji':'🔥'}}", ""),
             "poll.answers[0].poll_media.emoji", "wrong_type"),
    ERROR_AT("769 hours", POLL(ASK, TEA, ",'duration':769"), "poll.duration", "out_of_range"),
    ERROR_AT("no hour", POLL(ASK, TEA, ",'duration':0"), "poll.duration", "out_of_range"),
    ERROR_AT("another layout", POLL(ASK, TEA, ",'layout_type':2"), "poll.layout_type",
             "out_of_range"),
    ERROR_AT("four stickers", "{'sticker_ids':['1','2','3','4']}", "sticker_ids", "too_many_ids"),
    ERROR_AT("a sticker twice", "{'sticker_ids':['1','1']}", "sticker_ids[1]", "duplicate_id"),
    ERROR_AT("a sticker's name", "{'sticker_ids':['abc']}", "sticker_ids[0]", "wrong_type"),
    ERROR_AT("stickers of a webhook", "{'target':'webhook','sticker_ids':['1']}", "sticker_ids",
             "field_not_allowed"),
    ERROR_AT("a nonce of 26", "{'content':'a','nonce':'" X10 X10 "123456'}", "nonce", "too_long"),
    ERROR_AT("a nonce of half", "{'content':'a','nonce':0.5}", "nonce", "wrong_type"),
    ERROR_AT("six tags",
             "{'content':'a','target':'webhook','applied_tags':['1','2','3','4','5','6']}",
             "applied_tags", "too_many_ids"),
    ERROR_AT("tags of a bot", "{'content':'a','applied_tags':['1']}", "applied_tags",
             "field_not_allowed"),
    ERROR_AT("a forward with a text", "{'content':'a'," FORWARD "}", "content",
             "forward_exclusive"),
    ERROR_AT("a forward with an embed", "{'embeds':[{'title':'a'}]," FORWARD "}", "embeds",
             "forward_exclusive"),
    ERROR_AT("a forward with a button",
             "{'components':[{'type':1,'components':[{'type':2,'style':1,'label':'a',"
             "'custom_id':'a'}]}]," FORWARD "}",
             "components", "forward_exclusive"),
    ERROR_AT("a forward with a sticker", "{'sticker_ids':['1']," FORWARD "}", "sticker_ids",
             "forward_exclusive"),
    ERROR_AT("a forward with a file", "{'attachments':[{'id':0,'filename':'a.png'}]," FORWARD "}",
             "attachments", "forward_exclusive"),
    ERROR_AT("a forward with a poll",
             "{'poll':{'question':{'text':'q'},'answers':[{'poll_media':{'text':'a'}}]}," FORWARD
             "}",
             "poll", "forward_exclusive"),
    ERROR_AT("a forward from nowhere", "{'message_reference':{'type':1,'message_id':'1'}}",
             "message_reference.channel_id", "required"),
    ERROR_AT("an answer to nothing", "{'content':'a','message_reference':{}}",
             "message_reference.message_id", "required"),
    ERROR_AT("a third kind of reference",
             "{'content':'a','message_reference':{'type':2,'message_id':'1'}}",
             "message_reference.type", "out_of_range"),
    ERROR_AT("six colors", THEME("['000000','000000','000000','000000','000000','000000']"),
             "shared_client_theme.colors", "item_count"),
    ERROR_AT("a color with #", THEME("['#58652']"), "shared_client_theme.colors[0]",
             "invalid_color"),
    ERROR_AT("an angle beyond the circle",
             "{'shared_client_theme':{'colors':['000000'],'gradient_angle':361,'base_mix':1}}",
             "shared_client_theme.gradient_angle", "out_of_range"),
    ERROR_AT("two files of one number", "{'attachments':[{'id':0},{'id':'0'}]}",
             "attachments[1].id", "duplicate_id"),
    ERROR_AT("a file of no number", "{'attachments':[{'filename':'a'}]}", "attachments[0].id",
             "wrong_type"),
    ERROR_AT("a long description",
             "{'attachments':[{'id':0,'description':'" X250 X250 X250 X250 X10 X10 "12345'}]}",
             "attachments[0].description", "too_long"),
    VALID("a voice message", "{'flags':8192,'attachments':[{'id':0,'duration_secs':1.5,"
                             "'waveform':'AA=='}]}"),
    ERROR_AT("a voice message with text",
             "{'content':'a','flags':8192,'attachments':[{'id':0,'duration_secs':1,"
             "'waveform':'AA=='}]}",
             "content", "voice_exclusive"),
    ERROR_AT("a voice message without its waves",
             "{'flags':8192,'attachments':[{'id':0,'duration_secs':1}]}", "attachments[0].waveform",
             "required"),
    ERROR_AT("a theme beside components of version 2",
             "{'flags':32768,'components':[{'type':10,'content':'a'}],'shared_client_theme':"
             "{'colors':['000000'],'gradient_angle':0,'base_mix':1}}",
             "shared_client_theme", "v2_exclusive"),
    ERROR_AT("replied_user of a word", "{'content':'a','allowed_mentions':{'replied_user':'yes'}}",
             "allowed_mentions.replied_user", "wrong_type"),

    VALID("an emoji as label", BUTTON("'emoji':{'name':'🔥'}")),
    VALID("an own emoji", BUTTON("'emoji':{'id':'1','name':'x','animated':true}")),
    VALID("a family is one emoji", BUTTON("'emoji':{'name':'👩\\u200d👩\\u200d👧'}")),
    ERROR_AT("an emoji as text", BUTTON("'emoji':'🔥'"), AT ".emoji", "wrong_type"),
    ERROR_AT("an emoji's word", BUTTON("'emoji':{'name':'fire'}"), AT ".emoji", "invalid_emoji"),
    ERROR_AT("two emoji", BUTTON("'emoji':{'name':'🔥🔥'}"), AT ".emoji", "invalid_emoji"),
    ERROR_AT("no emoji", BUTTON("'emoji':{}"), AT ".emoji", "required"),
    ERROR_AT("a long emoji's name", BUTTON("'emoji':{'id':'1','name':'" X10 X10 X10 "123'}"),
             AT ".emoji.name", "too_long"),
    ERROR_AT("an emoji's id of letters", BUTTON("'emoji':{'id':'abc'}"), AT ".emoji.id",
             "wrong_type"),
    ERROR_AT("something to buy of letters", ROW("{'type':2,'style':6,'sku_id':'abc'}"),
             AT ".sku_id", "wrong_type"),
    ERROR_AT("channels of no type", SELECT(8, "'channel_types':[0,26]"), AT ".channel_types[1]",
             "invalid_channel_type"),
    ERROR_AT("channels of a gap", SELECT(8, "'channel_types':[6]"), AT ".channel_types[0]",
             "invalid_channel_type"),
    ERROR_AT("a type of channel twice", SELECT(8, "'channel_types':[0,0]"), AT ".channel_types[1]",
             "duplicate_id"),
    VALID("all types of channels", SELECT(8, "'channel_types':[0,1,2,3,4,5,10,11,12,13,14,15,16]")),
    ERROR_AT("a default of a bad id", SELECT(5, "'default_values':[{'id':'abc','type':'user'}]"),
             AT ".default_values[0].id", "wrong_type"),
    ERROR_AT("a default without id", SELECT(5, "'default_values':[{'type':'user'}]"),
             AT ".default_values[0].id", "required"),
    ERROR_AT("more defaults than may be chosen",
             SELECT(5, "'default_values':[{'id':'1','type':'user'},{'id':'2','type':'user'}]"), AT,
             "select_range"),
    ERROR_AT("a default of a number",
             SELECT(3, "'options':[{'label':'a','value':'b','default':100}]"),
             AT ".options[0].default", "wrong_type"),
    ERROR_AT("two defaults of one choice",
             SELECT(3, "'options':[{'label':'a','value':'b','default':true},"
                       "{'label':'a','value':'c','default':true}]"),
             AT, "select_range"),
    ERROR_AT("an option's emoji", SELECT(3, "'options':[{'label':'a','value':'b','emoji':1}]"),
             AT ".options[0].emoji", "wrong_type"),

    { "a modal as libraries print it",
      "{'custom_id':'m','title':'t','components':[{'type':18,'label':'l','component':"
      "{'type':4,'custom_id':'a','style':1}}]}",
      NULL,
      "{'/valid':true,'/errors#':0,'/warnings#':0,'/counts/components':2,'/payload':"
      "{'custom_id':'m','title':'t','components':[{'type':18,'label':'l','component':"
      "{'type':4,'custom_id':'a','style':1}}]}}" },
    VALID("a text among labels",
          MODAL("{'type':10,'content':'a'},{'type':18,'label':'l','description':'d','component':"
                "{'type':23,'custom_id':'a','default':true}}")),
    VALID("a select in a label",
          LABEL("{'type':3,'custom_id':'a','required':false,'min_values':0,'options':[" OPTION(
              "b") "]}")),
    VALID("an upload", LABEL("{'type':19,'custom_id':'a','max_values':10,'file_types':['image',"
                             "'.pdf']}")),
    VALID("radios",
          LABEL("{'type':21,'custom_id':'a','options':[" OPTION("b") "," OPTION("c") "]}")),
    VALID("checkboxes, all chosen",
          LABEL("{'type':22,'custom_id':'a','options':[{'label':'a','value':'b','default':true},"
                "{'label':'a','value':'c','default':true}]}")),
    { "a text input in a row",
      MODAL("{'type':1,'components':[{'type':4,'custom_id':'a','style':1,"
            "'label':'l'}]}"),
      NULL, "{'/valid':true,'/warnings/0/code':'deprecated'}" },
    ERROR_AT("no title", "{'modal':{'custom_id':'m','components':[{'type':10,'content':'a'}]}}",
             "modal.title", "required"),
    ERROR_AT("a title of 46",
             "{'modal':{'custom_id':'m','title':'" X10 X10 X10 X10 "123456',"
             "'components':[{'type':10,'content':'a'}]}}",
             "modal.title", "too_long"),
    ERROR_AT("a modal of nothing", MODAL(""), "modal.components", "component_count"),
    ERROR_AT("a modal of six",
             MODAL("{'type':10,'content':'a'},{'type':10,'content':'a'},{'type':10,'content':'a'},"
                   "{'type':10,'content':'a'},{'type':10,'content':'a'},{'type':10,'content':'a'}"),
             "modal.components", "component_count"),
    ERROR_AT("a button in a modal",
             MODAL("{'type':1,'components':[{'type':2,'style':1,'label':'a','custom_id':'b'}]}"),
             "modal.components[0].components[0]", "component_placement"),
    ERROR_AT("a label of nothing", MODAL("{'type':18,'label':'l'}"),
             "modal.components[0].component", "required"),
    ERROR_AT("a label of 46",
             MODAL("{'type':18,'label':'" X10 X10 X10 X10 "123456','component':{'type':23,"
                   "'custom_id':'a'}}"),
             "modal.components[0].label", "too_long"),
    ERROR_AT("a label in a label",
             LABEL("{'type':18,'label':'l','component':{'type':23,"
                   "'custom_id':'a'}}"),
             IN_LABEL, "component_placement"),
    ERROR_AT("an input of no style", LABEL("{'type':4,'custom_id':'a'}"), IN_LABEL ".style",
             "required"),
    ERROR_AT("an input of style 3", LABEL("{'type':4,'custom_id':'a','style':3}"),
             IN_LABEL ".style", "out_of_range"),
    ERROR_AT("an input of 4001", LABEL("{'type':4,'custom_id':'a','style':1,'max_length':4001}"),
             IN_LABEL ".max_length", "out_of_range"),
    ERROR_AT("an input with its ends turned",
             LABEL("{'type':4,'custom_id':'a','style':1,'min_length':5,'max_length':4}"), IN_LABEL,
             "length_bounds"),
    ERROR_AT("a select that is disabled", LABEL("{'type':5,'custom_id':'a','disabled':true}"),
             IN_LABEL ".disabled", "field_not_allowed"),
    ERROR_AT("none of what is required", LABEL("{'type':5,'custom_id':'a','min_values':0}"),
             IN_LABEL, "select_range"),
    ERROR_AT("one radio", LABEL("{'type':21,'custom_id':'a','options':[" OPTION("b") "]}"),
             IN_LABEL ".options", "component_count"),
    ERROR_AT("two radios at once",
             LABEL("{'type':21,'custom_id':'a','options':[{'label':'a','value':'b','default':true},"
                   "{'label':'a','value':'c','default':true}]}"),
             IN_LABEL, "select_range"),
    ERROR_AT("eleven files", LABEL("{'type':19,'custom_id':'a','max_values':11}"),
             IN_LABEL ".max_values", "select_range"),
    ERROR_AT("files of no type", LABEL("{'type':19,'custom_id':'a','file_types':['pdf']}"),
             IN_LABEL ".file_types[0]", "invalid_file_type"),
    ERROR_AT("a checkbox of a number", LABEL("{'type':23,'custom_id':'a','default':1}"),
             IN_LABEL ".default", "wrong_type"),
    ERROR_AT("no custom_id", LABEL("{'type':23}"), IN_LABEL ".custom_id", "required"),
    { "a modal and an embed", "{'modal':{},'embed':{'title':'a'}}", "conflicting_fields", NULL },

    { "labels and answers are cut",
      "{'on_overflow':'truncate','poll':{'question':" ASK ",'answers':[{'poll_media':{'text':'" X50
      "123456'}}]},'components':[{'type':1,'components':[{'type':2,'style':1,'custom_id':'a',"
      "'label':'" X50 X50 "'}]}]}",
      NULL,
      "{'/valid':true,'/adjustments#':2,'/adjustments/0/to':80,'/adjustments/1':{'path':"
      "'poll.answers[0].poll_media.text','action':'truncated','from':56,'to':55}}" },
};

static void check(void **state)
{
    assert_answers(chatplatform_embed_build, "chatplatform-embed-build", *state);
}

/* A truncated message is valid when it is sent again, and is not changed further. */
static void assert_fits_again(const char *body)
{
    scoped(json_free) cJSON *first = json_object();
    scoped(json_free) cJSON *second = json_object();
    scoped(buf_free) struct buf again = BUF(1 << 20);
    struct err err = { 0 };

    assert_true(
        run_tool(chatplatform_embed_build, "chatplatform-embed-build", body, first, NULL, &err));
    if (!json_is(json_at(first, "/valid"), cJSON_True))
        fail_msg("%s", json_text(first, "/errors/0/code"));
    assert_true(json_at(first, "/lengths/total")->valuedouble <= 6000);
    assert_true(json_print(json_at(first, "/payload"), &again));
    assert_true(run_tool(chatplatform_embed_build, "chatplatform-embed-build", buf_str(&again),
                         second, NULL, &err));
    assert_true(json_is(json_at(second, "/valid"), cJSON_True));
}

static void add_text_of(struct buf *body, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_add_byte(body, (char)('a' + i % 26));
}

/* Embeds that are too long by one kind of text, and by all. */
static void truncated_is_valid(void **state)
{
    static const struct shape {
        size_t embeds, title, description, fields, name, value, footer, author;
    } shapes[] = {
        { 3, 0, 0, 0, 0, 0, 2048, 0 },
        { 10, 0, 0, 0, 0, 0, 2048, 0 },
        { 10, 256, 0, 25, 256, 1, 1, 256 },
        { 10, 256, 4096, 25, 256, 1024, 2048, 256 },
        { 10, 0, 0, 25, 31, 31, 0, 0 },
        { 10, 256, 31, 25, 32, 32, 32, 32 },
        { 1, 300, 5000, 30, 300, 2000, 3000, 300 },
        { 12, 0, 5000, 0, 0, 0, 0, 0 },
    };
    (void)state;
    for (size_t s = 0; s < countof(shapes); s++) {
        const struct shape *shape = &shapes[s];
        scoped(buf_free) struct buf body = BUF(1 << 20);
        buf_add_str(&body, "{'on_overflow':'truncate','embeds':[");
        for (size_t e = 0; e < shape->embeds; e++) {
            buf_add_str(&body, e > 0 ? ",{'title':'" : "{'title':'");
            add_text_of(&body, shape->title);
            buf_add_str(&body, "','description':'");
            add_text_of(&body, shape->description);
            buf_add_str(&body, "','fields':[");
            for (size_t f = 0; f < shape->fields; f++) {
                buf_add_str(&body, f > 0 ? ",{'name':'" : "{'name':'");
                add_text_of(&body, shape->name);
                buf_add_str(&body, "','value':'");
                add_text_of(&body, shape->value);
                buf_add_str(&body, "'}");
            }
            buf_add_str(&body, "]");
            if (shape->footer > 0) {
                buf_add_str(&body, ",'footer':{'text':'");
                add_text_of(&body, shape->footer);
                buf_add_str(&body, "'}");
            }
            if (shape->author > 0) {
                buf_add_str(&body, ",'author':{'name':'");
                add_text_of(&body, shape->author);
                buf_add_str(&body, "'}");
            }
            buf_add_str(&body, "}");
        }
        buf_add_str(&body, "]}");
        assert_fits_again(buf_str(&body));
    }
}

/* Text displays whose sum is too long. */
static void truncated_texts_are_valid(void **state)
{
    scoped(buf_free) struct buf body = BUF(1 << 20);
    (void)state;
    buf_add_str(&body, "{'on_overflow':'truncate','flags':32768,'components':[{'type':10,"
                       "'content':'a'}");
    for (size_t i = 0; i < 39; i++) {
        buf_add_str(&body, ",{'type':10,'content':'");
        add_text_of(&body, 100 + i * 10);
        buf_add_str(&body, "'}");
    }
    buf_add_str(&body, "]}");
    assert_fits_again(buf_str(&body));
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(truncated_is_valid),
        cmocka_unit_test(truncated_texts_are_valid),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
