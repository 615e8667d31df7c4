/*
 * svc-chat/chatplatform-embed-build/tests/chatplatform-embed-build.c - every issue, limits, colors,
 * repairs, components.
 */
#include "expect.h"
#include "tools.h"

#define X10   "xxxxxxxxxx"
#define X50   X10 X10 X10 X10 X10
#define X250  X50 X50 X50 X50 X50
#define X1000 X250 X250 X250 X250
#define X2000 X1000 X1000
#define X4000 X2000 X2000

/* One issue at a place: its list, path and code. */
#define ERROR_AT(name, body, path, code)                                               \
    {                                                                                  \
        name, body, NULL,                                                              \
            "{'/valid':false,'/errors/0/path':'" path "','/errors/0/code':'" code "'}" \
    }
#define WARNS_AT(name, body, path, code)                                                  \
    {                                                                                     \
        name, body, NULL,                                                                 \
            "{'/valid':true,'/warnings/0/path':'" path "','/warnings/0/code':'" code "'}" \
    }
#define LIMIT_AT(name, body, path, code, limit, actual)                                         \
    {                                                                                           \
        name, body, NULL,                                                                       \
            "{'/errors/0/path':'" path "','/errors/0/code':'" code "','/errors/0/limit':" limit \
            ",'/errors/0/actual':" actual "}"                                                   \
    }
#define VALID(name, body)                                               \
    {                                                                   \
        name, body, NULL, "{'/valid':true,'/errors#':0,'/warnings#':0}" \
    }
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
#define V2(components)  "{'flags':32768,'components':[" components "]}"
#define V1(components)  "{'components':[" components "]}"
#define ROW(components) "{'type':1,'components':[" components "]}"
#define USERS(id)       ROW("{'type':5,'custom_id':'" id "'}")
#define BUTTON          "{'type':2,'style':1,'label':'a','custom_id':'b'}"
#define TEXT_DISPLAY    "{'type':10,'content':'a'}"

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
    ERROR_AT("embeds that are none", "{'embeds':{}}", "embeds", "wrong_type"),
    ERROR_AT("fields that are none", "{'fields':1}", "fields", "wrong_type"),
    ERROR_AT("a field that is none", "{'fields':[1]}", "fields[0]", "wrong_type"),
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
    ERROR_AT("a poll beside them", "{'flags':32768,'poll':{'a':1},'components':[" TEXT_DISPLAY "]}",
             "poll", "v2_exclusive"),
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
    ERROR_AT("no list", "{'components':{}}", "components", "wrong_type"),
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
        cmocka_unit_test(forty_components_and_one),
        cmocka_unit_test(a_hundred_ids_and_one),
        cmocka_unit_test(every_name_of_a_color),
        cmocka_unit_test(random_is_the_same_again),
        cmocka_unit_test(what_is_shown_again_is_not_copied),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
