/*
 * svc-chat/chatplatform-command-validate/tests/chatplatform-command-validate.c - every issue,
 * limits, cleaning, usage, whole sets.
 */
#include "expect.h"
#include "tools.h"

#define X10               "xxxxxxxxxx"
#define ONES              ",1,1,1,1,1,1,1,1,1,1,1,1,1"
#define X130              ONES ONES ONES ONES ONES ONES ONES ONES ONES ONES
#define DEEP8             "[[[[[[[["
#define DEEP              DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8
#define X30               X10 X10 X10
#define X100              X30 X30 X30 X10

#define COMMAND(more)     "{'name':'a','description':'b'" more "}"
#define OPTION(more)      COMMAND(",'options':[{'name':'c','description':'d'" more "}]")
#define BASIC(name, more) "{'type':3,'name':'" name "','description':'d'" more "}"
#define SUB(name, more)   "{'type':1,'name':'" name "','description':'d'" more "}"
#define GROUP(name, more) "{'type':2,'name':'" name "','description':'d'" more "}"
#define VALID(name, body)                                               \
    {                                                                   \
        name, body, NULL, "{'/valid':true,'/errors#':0,'/warnings#':0}" \
    }
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
#define HINT_AT(name, body, code, hint)                                                     \
    {                                                                                       \
        name, body, NULL, "{'/errors/0/code':'" code "','/errors/0/suggestion':'" hint "'}" \
    }
#define NAMED(name) "{'name':'" name "','description':'b'}"

static const struct answer_row rows[] = {
    { "a command in the request itself", COMMAND(",'id':'1','nsfw':null,'x':1"), NULL,
      "{'/valid':true,'/count':1,'/"
      "normalized':{'type':1,'name':'a','description':'b','nsfw':false},"
      "'/warnings#':2,'/warnings/0':{'path':'id','code':'response_only','message':"
      "'this field occurs only in responses of the platform; it was "
      "dropped'},'/warnings/1/code':'unknown_field',"
      "'/commands/0':{'name':'a','type':1,'valid':true,'size':{'characters':2,'limit':8000,"
      "'remaining':7998},'stats':{'options':0,'subcommands':0,'groups':0,'choices':0,'depth':0},"
      "'usage':['/a'],'mention_template':'</a:ID>'},'/limits/scope':'global',"
      "'/limits/chat_input':{'count':1,'limit':100},'/data_revision':'2026-08-06'}" },
    { "a command as an object", "{'command':" COMMAND("") "}", NULL, "{'/valid':true,'/count':1}" },
    { "a command in a string",
      "{'command':'{\\u0022name\\u0022:\\u0022a\\u0022,\\u0022description\\u0022:\\u0022b\\u0022}'"
      "}",
      NULL, "{'/valid':true,'/normalized/name':'a'}" },
    { "all that is wrong at once", "{'name':'A B','options':[{'type':3},{'type':12,'name':'x'}]}",
      NULL,
      "{'/valid':false,'/errors#':7,'/errors/0/path':'name','/errors/0/code':'name_characters',"
      "'/errors/1/code':'name_uppercase','/errors/2/path':'description',"
      "'/errors/3/path':'options[0].name','/errors/4/path':'options[0].description',"
      "'/errors/5/path':'options[1].type','/errors/5/code':'unknown_option_type'}" },

    /* names */
    VALID("32 characters", NAMED(X30 "ab")),
    LIMIT_AT("33 characters", NAMED(X30 "abc"), "name", "name_length", "32", "33"),
    LIMIT_AT("no character", NAMED(""), "name", "name_length", "1", "0"),
    VALID("letters of all languages", NAMED("größe-日本_ไทย1हिन्दी")),
    ERROR_AT("a blank", NAMED("a b"), "name", "name_characters"),
    ERROR_AT("an emoji", NAMED("a😀"), "name", "name_characters"),
    ERROR_AT("a point", NAMED("a.b"), "name", "name_characters"),
    HINT_AT("a capital letter", NAMED("MyCommand"), "name_uppercase", "mycommand"),
    HINT_AT("a capital letter elsewhere", NAMED("ЖУК"), "name_uppercase", "жук"),
    HINT_AT("a letter in two parts", NAMED("cafe\\u0301"), "name_not_nfc", "café"),
    { "a letter that NFC takes apart", NAMED("\\u09dc"), NULL, "{'/valid':true,'/errors#':0}" },
    ERROR_AT("a mark that stands for itself", NAMED("q\\u0301"), "name", "name_characters"),
    { "a letter in two parts and a blank", NAMED("cafe\\u0301 x"), NULL,
      "{'/errors#':2,'/errors/0/code':'name_characters','/errors/1/code':'name_not_nfc'}" },
    VALID("marks of Devanagari and Thai", NAMED("कि-กี่")),
    ERROR_AT("a full stop that Devanagari shares", NAMED("क।"), "name", "name_characters"),
    ERROR_AT("the baht sign is no Thai", NAMED("ก฿"), "name", "name_characters"),
    WARNS_AT("an apostrophe", NAMED("l\\u0027eau"), "name", "name_apostrophe"),
    VALID("a context menu's name", "{'type':2,'name':'Report User 😀'}"),
    WARNS_AT("blanks around it", "{'type':3,'name':' Report '}", "name", "trimmed"),
    LIMIT_AT("only blanks", "{'type':2,'name':'  '}", "name", "name_length", "1", "0"),
    ERROR_AT("a name that is none", "{'name':1,'description':'b'}", "name", "wrong_type"),
    ERROR_AT("no name", "{'command':{'description':'b'}}", "name", "required_field"),

    /* descriptions */
    ERROR_AT("no description", "{'name':'a'}", "description", "required_field"),
    VALID("100 characters", "{'name':'a','description':'" X100 "'}"),
    LIMIT_AT("101 characters", "{'name':'a','description':'" X100 "1'}", "description",
             "description_length", "100", "101"),
    LIMIT_AT("an empty description", "{'name':'a','description':' '}", "description",
             "description_length", "1", "0"),
    ERROR_AT("a context menu's description", "{'type':2,'name':'a','description':'b'}",
             "description", "description_not_allowed"),
    ERROR_AT("a context menu's description in a language",
             "{'type':3,'name':'a','description_localizations':{'de':'b'}}",
             "description_localizations", "description_not_allowed"),
    VALID("an empty one is none",
          "{'type':2,'name':'a','description':'','description_localizations':{}}"),
    VALID("an entry point may have one", "{'type':4,'name':'a','description':'b','handler':2}"),

    /* languages */
    VALID("other languages", COMMAND(",'name_localizations':{'de':'ä','fr':null},"
                                     "'description_localizations':{'pt-BR':'c'}")),
    HINT_AT("no language", COMMAND(",'name_localizations':{'pt_BR':'x'}"), "unknown_locale",
            "pt-BR"),
    WARNS_AT("a language of the schema alone", COMMAND(",'name_localizations':{'he':'x'}"),
             "name_localizations.he", "locale_undocumented"),
    ERROR_AT("the rule is the same", COMMAND(",'name_localizations':{'de':'A'}"),
             "name_localizations.de", "name_uppercase"),
    ERROR_AT("languages that are none", COMMAND(",'name_localizations':[]"), "name_localizations",
             "wrong_type"),
    { "the longest counts", "{'name':'a','description':'b','name_localizations':{'de':'xxxxx'}}",
      NULL, "{'/commands/0/size/characters':6}" },
    WARNS_AT("equal in one language",
             COMMAND(",'options':[" BASIC("c", ",'name_localizations':{'de':'x'}") "," BASIC(
                 "e", ",'name_localizations':{'de':'x'}") "]"),
             "options[1].name_localizations.de", "localized_name_duplicate"),
    { "a list has no languages",
      COMMAND(",'options':[" BASIC("c", ",'name_localizations':['x']") "," BASIC(
          "e", ",'name_localizations':['x']") "]"),
      NULL, "{'/errors#':2,'/errors/0/path':'options[0].name_localizations','/warnings#':0}" },

    /* the command's own members */
    LIMIT_AT("an unknown type", "{'type':5,'name':'a'}", "type", "unknown_command_type", "4", "5"),
    { "of an unknown type nothing else is known",
      "{'type':5,'name':'A b','description':'b','options':[1],'handler':9}", NULL,
      "{'/errors#':1,'/commands/0/type':0,'/commands/0/name':'A b','/commands/0/usage#':0}" },
    ERROR_AT("a type that is none", "{'type':'1','name':'a'}", "type", "wrong_type"),
    WARNS_AT("the other deprecated one", COMMAND(",'default_permission':true"),
             "default_permission", "deprecated"),
    WARNS_AT("a deprecated member", COMMAND(",'dm_permission':true"), "dm_permission",
             "deprecated"),
    ERROR_AT("nsfw that is none", COMMAND(",'nsfw':1"), "nsfw", "wrong_type"),
    { "permissions", COMMAND(",'default_member_permissions':8"), NULL,
      "{'/valid':true,'/normalized/default_member_permissions':'8'}" },
    VALID("permissions as text", COMMAND(",'default_member_permissions':'8'")),
    WARNS_AT("no permissions", COMMAND(",'default_member_permissions':'0'"),
             "default_member_permissions", "default_permissions_zero"),
    WARNS_AT("unknown permissions", COMMAND(",'default_member_permissions':'9007199254740992'"),
             "default_member_permissions", "unknown_permission_bits"),
    ERROR_AT("permissions above the bound",
             COMMAND(",'default_member_permissions':'18014398509481984'"),
             "default_member_permissions", "invalid_permissions"),
    ERROR_AT("permissions that lost digits",
             COMMAND(",'default_member_permissions':9007199254740992"),
             "default_member_permissions", "invalid_permissions"),
    ERROR_AT("permissions in words", COMMAND(",'default_member_permissions':'ADMINISTRATOR'"),
             "default_member_permissions", "invalid_permissions"),
    ERROR_AT("permissions in hex", COMMAND(",'default_member_permissions':'0x8'"),
             "default_member_permissions", "invalid_permissions"),
    ERROR_AT("no context", COMMAND(",'contexts':[]"), "contexts", "invalid_context"),
    ERROR_AT("contexts that are none", COMMAND(",'contexts':1"), "contexts", "invalid_context"),
    ERROR_AT("a context that is none", COMMAND(",'contexts':['0']"), "contexts[0]", "wrong_type"),
    LIMIT_AT("a context below", COMMAND(",'contexts':[-1]"), "contexts[0]", "invalid_context", "0",
             "-1"),
    ERROR_AT("an unknown context", COMMAND(",'contexts':[3]"), "contexts[0]", "invalid_context"),
    ERROR_AT("a context twice", COMMAND(",'contexts':[0,0]"), "contexts[1]", "invalid_context"),
    ERROR_AT("an unknown integration type", COMMAND(",'integration_types':[2]"),
             "integration_types[0]", "invalid_integration_type"),
    WARNS_AT("a private channel", COMMAND(",'contexts':[0,2],'integration_types':[0]"), "contexts",
             "private_channel_without_user_install"),
    VALID("a private channel with an app of users",
          COMMAND(",'contexts':[2],'integration_types':[1]")),
    WARNS_AT("contexts in a guild", COMMAND(",'contexts':[0],'scope':'guild'"), "contexts",
             "global_only"),
    WARNS_AT("integration types in a guild", COMMAND(",'integration_types':[0],'scope':'guild'"),
             "integration_types", "global_only"),
    ERROR_AT("no integration type", COMMAND(",'integration_types':[]"), "integration_types",
             "invalid_integration_type"),
    ERROR_AT("a handler", COMMAND(",'handler':1"), "handler", "invalid_handler"),
    LIMIT_AT("an unknown handler", "{'type':4,'name':'a','handler':3}", "handler",
             "invalid_handler", "2", "3"),
    ERROR_AT("an entry point of a guild", "{'type':4,'name':'a','handler':1,'scope':'guild'}",
             "type", "entry_point_scope"),
    { "how many a guild may have", "{'type':4,'name':'a','handler':1,'scope':'guild'}", NULL,
      "{'/limits/scope':'guild','/limits/primary_entry_point':{'count':1,'limit':0}}" },
    ERROR_AT("options of a context menu", "{'type':2,'name':'a','options':[" BASIC("c", "") "]}",
             "options", "options_not_allowed"),
    ERROR_AT("no object", "{'commands':[1]}", "commands[0]", "wrong_type"),

    /* options */
    ERROR_AT("options that are none", COMMAND(",'options':{}"), "options", "wrong_type"),
    ERROR_AT("an option that is none", COMMAND(",'options':[1]"), "options[0]", "wrong_type"),
    ERROR_AT("no type", OPTION(""), "options[0].type", "required_field"),
    ERROR_AT("type 12", OPTION(",'type':12"), "options[0].type", "unknown_option_type"),
    ERROR_AT("a name twice", COMMAND(",'options':[" BASIC("c", "") "," BASIC("c", "") "]"),
             "options[1].name", "duplicate_option_name"),
    ERROR_AT("required after optional",
             COMMAND(",'options':[" BASIC("c", "") "," BASIC("e", ",'required':true") "]"),
             "options[1]", "required_after_optional"),
    ERROR_AT("required that is none", OPTION(",'type':3,'required':1"), "options[0].required",
             "wrong_type"),
    ERROR_AT("no description of an option", COMMAND(",'options':[{'type':3,'name':'c'}]"),
             "options[0].description", "required_field"),
    ERROR_AT("an option's name keeps to the pattern", COMMAND(",'options':[" BASIC("c d", "") "]"),
             "options[0].name", "name_characters"),
    { "names are compared exactly", COMMAND(",'options':[" BASIC("c", "") "," BASIC("C", "") "]"),
      NULL, "{'/errors#':1,'/errors/0/code':'name_uppercase'}" },
    WARNS_AT("a required subcommand", COMMAND(",'options':[" SUB("c", ",'required':true") "]"),
             "options[0].required", "required_ignored"),
    WARNS_AT("a member of another type", OPTION(",'type':3,'channel_types':[0]"),
             "options[0].channel_types", "member_ignored"),
    WARNS_AT("a member that nobody knows", OPTION(",'type':3,'x':1"), "options[0].x",
             "unknown_field"),
    ERROR_AT("options of a text", OPTION(",'type':3,'options':[" BASIC("e", "") "]"),
             "options[0].options", "options_not_allowed"),

    /* nesting */
    { "a subcommand", COMMAND(",'options':[" SUB("c", ",'options':[" BASIC("e", "") "]") "]"), NULL,
      "{'/valid':true,'/warnings/0/code':'base_not_invocable','/commands/0/stats':{'options':1,"
      "'subcommands':1,'groups':0,'choices':0,'depth':2}}" },
    { "a group", COMMAND(",'options':[" GROUP("c", ",'options':[" SUB("e", "") "]") "]"), NULL,
      "{'/valid':true,'/commands/0/usage':['/a c e'],'/commands/0/stats/depth':2}" },
    ERROR_AT("mixed", COMMAND(",'options':[" SUB("c", "") "," BASIC("e", "") "]"), "options",
             "mixed_options"),
    ERROR_AT("a group in a group",
             COMMAND(",'options':[" GROUP("c", ",'options':[" GROUP("e", "") "]") "]"),
             "options[0].options[0]", "group_empty"),
    ERROR_AT("a subcommand in a subcommand",
             COMMAND(",'options':[" SUB("c", ",'options':[" SUB("e", "") "]") "]"),
             "options[0].options[0]", "invalid_nesting"),
    ERROR_AT("a text in a group",
             COMMAND(",'options':[" GROUP("c", ",'options':[" BASIC("e", "") "]") "]"),
             "options[0].options[0]", "invalid_nesting"),
    ERROR_AT("an empty group", COMMAND(",'options':[" GROUP("c", "") "]"), "options[0]",
             "group_empty"),

    /* choices */
    VALID("choices", OPTION(",'type':3,'choices':[{'name':'e','value':'f'}]")),
    ERROR_AT("choices of a user", OPTION(",'type':6,'choices':[{'name':'e','value':'f'}]"),
             "options[0].choices", "choices_not_allowed"),
    ERROR_AT("a number for a text", OPTION(",'type':3,'choices':[{'name':'e','value':1}]"),
             "options[0].choices[0].value", "choice_value_type"),
    ERROR_AT("a text for a number", OPTION(",'type':10,'choices':[{'name':'e','value':'1'}]"),
             "options[0].choices[0].value", "choice_value_type"),
    ERROR_AT("a fraction for an integer", OPTION(",'type':4,'choices':[{'name':'e','value':1.5}]"),
             "options[0].choices[0].value", "choice_value_type"),
    VALID("the largest integer",
          OPTION(",'type':4,'choices':[{'name':'e','value':9007199254740991}]")),
    ERROR_AT("beyond the largest integer",
             OPTION(",'type':4,'choices':[{'name':'e','value':9007199254740992}]"),
             "options[0].choices[0].value", "choice_value_type"),
    VALID("the largest number",
          OPTION(",'type':10,'choices':[{'name':'e','value':9007199254740992}]")),
    LIMIT_AT("a long value", OPTION(",'type':3,'choices':[{'name':'e','value':'" X100 "1'}]"),
             "options[0].choices[0].value", "choice_value_type", "100", "101"),
    LIMIT_AT("a long name", OPTION(",'type':3,'choices':[{'name':'" X100 "1','value':'f'}]"),
             "options[0].choices[0].name", "name_length", "100", "101"),
    ERROR_AT("a choice that is none", OPTION(",'type':3,'choices':[1]"), "options[0].choices[0]",
             "wrong_type"),
    ERROR_AT("choices that are none", OPTION(",'type':3,'choices':1"), "options[0].choices",
             "wrong_type"),
    LIMIT_AT("an empty value", OPTION(",'type':3,'choices':[{'name':'e','value':''}]"),
             "options[0].choices[0].value", "choice_value_type", "1", "0"),
    LIMIT_AT("a long name in a language",
             OPTION(",'type':3,'choices':[{'name':'e','value':'f','name_localizations':{'de':'" X100
                    "1'}}]"),
             "options[0].choices[0].name_localizations.de", "name_length", "100", "101"),
    ERROR_AT("beyond the largest number",
             OPTION(",'type':10,'choices':[{'name':'e','value':9007199254740994}]"),
             "options[0].choices[0].value", "choice_value_type"),
    WARNS_AT("a member of a choice that nobody knows",
             OPTION(",'type':3,'choices':[{'name':'e','value':'f','x':1}]"),
             "options[0].choices[0].x", "unknown_field"),
    { "a value's digits count in their shortest form",
      OPTION(",'type':10,'choices':[{'name':'e','value':2.500}]"), NULL,
      "{'/commands/0/size/characters':8,'/normalized/options/0/choices/0/value':2.5}" },
    ERROR_AT("no value", OPTION(",'type':3,'choices':[{'name':'e'}]"),
             "options[0].choices[0].value", "required_field"),
    WARNS_AT("equal names",
             OPTION(",'type':3,'choices':[{'name':'e','value':'f'},{'name':'e','value':'g'}]"),
             "options[0].choices[1]", "duplicate_choice_name"),
    WARNS_AT("equal values",
             OPTION(",'type':4,'choices':[{'name':'e','value':1},{'name':'f','value':1}]"),
             "options[0].choices[1]", "duplicate_choice_value"),
    WARNS_AT("beyond the bounds",
             OPTION(",'type':4,'min_value':2,'choices':[{'name':'e','value':1}]"),
             "options[0].choices[0].value", "choice_out_of_range"),
    ERROR_AT("choices and autocomplete",
             OPTION(",'type':3,'autocomplete':true,'choices':[{'name':'e','value':'f'}]"),
             "options[0]", "autocomplete_with_choices"),
    ERROR_AT("autocomplete of a user", OPTION(",'type':6,'autocomplete':true"),
             "options[0].autocomplete", "autocomplete_not_allowed"),
    VALID("autocomplete that is off", OPTION(",'type':6,'autocomplete':false")),

    /* bounds */
    VALID("bounds", OPTION(",'type':10,'min_value':-1.5,'max_value':2")),
    ERROR_AT("bounds of a text", OPTION(",'type':3,'min_value':1"), "options[0].min_value",
             "min_max_not_allowed"),
    ERROR_AT("bounds the wrong way round", OPTION(",'type':4,'min_value':2,'max_value':1"),
             "options[0]", "min_greater_than_max"),
    ERROR_AT("a fraction as an integer's bound", OPTION(",'type':4,'min_value':1.5"),
             "options[0].min_value", "wrong_type"),
    ERROR_AT("a bound that is none", OPTION(",'type':10,'max_value':'1'"), "options[0].max_value",
             "wrong_type"),
    ERROR_AT("a bound beyond doubles", OPTION(",'type':10,'max_value':1e999"),
             "options[0].max_value", "wrong_type"),
    ERROR_AT("a bound beyond", OPTION(",'type':4,'max_value':9007199254740992"),
             "options[0].max_value", "wrong_type"),
    WARNS_AT("lengths of a number", OPTION(",'type':4,'min_length':1"), "options[0].min_length",
             "member_ignored"),
    VALID("lengths", OPTION(",'type':3,'min_length':0,'max_length':6000")),
    LIMIT_AT("a length of 6001", OPTION(",'type':3,'max_length':6001"), "options[0].max_length",
             "length_bounds", "6000", "6001"),
    LIMIT_AT("a longest length of 0", OPTION(",'type':3,'max_length':0"), "options[0].max_length",
             "length_bounds", "1", "0"),
    ERROR_AT("lengths the wrong way round", OPTION(",'type':3,'min_length':2,'max_length':1"),
             "options[0]", "min_greater_than_max"),

    /* channels and files */
    VALID("channels", OPTION(",'type':7,'channel_types':[0,2,4,5,10,11,12,13,15,16]")),
    WARNS_AT("a channel that guilds have not", OPTION(",'type':7,'channel_types':[1]"),
             "options[0].channel_types[0]", "channel_type_unusual"),
    WARNS_AT("a directory", OPTION(",'type':7,'channel_types':[14]"), "options[0].channel_types[0]",
             "channel_type_unusual"),
    ERROR_AT("no channel", OPTION(",'type':7,'channel_types':[6]"), "options[0].channel_types[0]",
             "invalid_channel_type"),
    ERROR_AT("a channel beyond", OPTION(",'type':7,'channel_types':[17]"),
             "options[0].channel_types[0]", "invalid_channel_type"),
    ERROR_AT("a channel that is none", OPTION(",'type':7,'channel_types':['0']"),
             "options[0].channel_types[0]", "invalid_channel_type"),
    ERROR_AT("channels that are none", OPTION(",'type':7,'channel_types':0"),
             "options[0].channel_types", "wrong_type"),
    ERROR_AT("a channel twice", OPTION(",'type':7,'channel_types':[0,0]"),
             "options[0].channel_types[1]", "invalid_channel_type"),
    VALID("files", OPTION(",'type':11,'file_types':['image','.pdf']")),
    ERROR_AT("a point alone", OPTION(",'type':11,'file_types':['.']"), "options[0].file_types[0]",
             "invalid_file_type"),
    ERROR_AT("files that are none", OPTION(",'type':11,'file_types':'image'"),
             "options[0].file_types", "wrong_type"),
    ERROR_AT("no file", OPTION(",'type':11,'file_types':['pdf']"), "options[0].file_types[0]",
             "invalid_file_type"),
    LIMIT_AT("eleven files",
             OPTION(",'type':11,'file_types':['.a','.a','.a','.a','.a','.a','.a','.a',"
                    "'.a','.a','.a']"),
             "options[0].file_types", "invalid_file_type", "10", "11"),

    /* usage */
    { "all forms",
      COMMAND(",'options':[" BASIC("c", ",'required':true") "," BASIC(
          "e",
          ",'choices':[{'name':'x',"
          "'value':'1'},{'name':'y','value':'2'}]") ",{'type':5,'name':'f','description':'g'}]"),
      NULL, "{'/commands/0/usage':['/a c:<string> [e:<x|y>] [f:<boolean>]']}" },
    { "many choices",
      OPTION(",'type':4,'choices':[{'name':'1','value':1},{'name':'2','value':2},"
             "{'name':'3','value':3},{'name':'4','value':4},{'name':'5','value':5},{'name':'6','"
             "value':6}]"),
      NULL, "{'/commands/0/usage':['/a [c:<1|2|3|4|5|…>]'],'/commands/0/size/characters':16}" },
    { "a mention of the first",
      COMMAND(",'options':[" GROUP("c", ",'options':[" SUB("e", "") "," SUB("f", "") "]") "]"),
      NULL,
      "{'/commands/0/usage':['/a c e','/a c f'],'/commands/0/mention_template':'</a c e:ID>'}" },
    { "a context menu has none", "{'type':2,'name':'Do it'}", NULL,
      "{'/commands/0/usage#':0,'/commands/0/mention_template':null}" },

    /* sets */
    { "a set", "{'commands':[" COMMAND("") ",{'type':2,'name':'a'},{'type':3,'name':'a'}]}", NULL,
      "{'/valid':true,'/count':3,'/normalized#':3,'/limits/user/count':1,'/limits/message/"
      "count':1}" },
    ERROR_AT("a command twice", "{'commands':[" COMMAND("") "," COMMAND("") "]}", "commands[1]",
             "duplicate_command"),
    { "each by itself", "{'commands':[" COMMAND("") ",{'name':'b'}]}", NULL,
      "{'/valid':false,'/commands/0/valid':true,'/commands/1/valid':false}" },
    LIMIT_AT("two entry points", "{'commands':[{'type':4,'name':'a'},{'type':4,'name':'b'}]}",
             "commands", "too_many_commands", "1", "2"),
    { "strict", COMMAND(",'x':1,'strict':true"), NULL,
      "{'/valid':false,'/errors/0/code':'unknown_field','/warnings#':0}" },

    { "nothing", "{}", "missing_field", NULL },
    { "two subjects", "{'name':'a','command':{}}", "conflicting_fields", NULL },
    { "no JSON", "{'command':'{'}", "invalid_json", NULL },
    { "in a string the last of a name counts",
      "{'command':'{\\u0022name\\u0022:\\u0022A\\u0022,\\u0022name\\u0022:\\u0022a\\u0022,"
      "\\u0022description\\u0022:\\u0022b\\u0022}'}",
      NULL, "{'/valid':true,'/normalized/name':'a'}" },
    { "U+0000 in a string", "{'command':'{\\u0022x\\u0022:[\\u0022\\\\u0000\\u0022]}'}",
      "invalid_value", NULL },
    { "too deep in a string", "{'command':'{\\u0022x\\u0022:" DEEP "'}", "too_deep", NULL },
    { "131 commands", "{'commands':[1" X130 "]}", "too_many_items", NULL },
    { "no object in a string", "{'command':'[]'}", "invalid_value", NULL },
    { "no commands", "{'commands':[]}", "too_few_items", NULL },
    { "an unknown scope", COMMAND(",'scope':'user'"), "invalid_value", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_command_validate, "chatplatform-command-validate", *state);
}

/* Many equal parts, which would make a table long. */
static cJSON *run_many(const char *before, const char *format, int count, const char *after)
{
    scoped(buf_free) struct buf body = BUF(1 << 20);
    cJSON *result = json_object();
    struct err err = { 0 };

    buf_add_str(&body, before);
    for (int i = 0; i < count; i++) {
        scoped(mem_free) char *number = str_format("%d", i);
        buf_add_str(&body, i > 0 ? "," : "");
        for (const char *at = format; *at; at++)
            if (*at == '%')
                buf_add_str(&body, number);
            else
                buf_add_byte(&body, *at);
    }
    buf_add_str(&body, after);
    bool ok = run_tool(chatplatform_command_validate, "chatplatform-command-validate",
                       buf_str(&body), result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static void check_limit(const cJSON *result, const char *code, int limit, int actual)
{
    assert_string_equal(json_text(result, "/errors/0/code"), code);
    assert_int_equal(json_at(result, "/errors/0/limit")->valuedouble, limit);
    assert_int_equal(json_at(result, "/errors/0/actual")->valuedouble, actual);
}

static void counts_have_limits(void **state)
{
    (void)state;
    scoped(json_free) cJSON *fine =
        run_many("{'name':'a','description':'b','options':[", BASIC("c%", ""), 25, "]}");
    scoped(json_free) cJSON *options =
        run_many("{'name':'a','description':'b','options':[", BASIC("c%", ""), 26, "]}");
    scoped(json_free) cJSON *choices =
        run_many("{'name':'a','description':'b','options':[{'type':3,'name':'c','description':'d',"
                 "'choices':[",
                 "{'name':'%','value':'%'}", 26, "]}]}");
    scoped(json_free) cJSON *commands = run_many("{'commands':[", NAMED("a%"), 101, "]}");
    scoped(json_free) cJSON *menus = run_many("{'commands':[", "{'type':2,'name':'%'}", 16, "]}");
    assert_int_equal(json_get(fine, "valid")->type & 0xFF, cJSON_True);
    check_limit(options, "too_many_options", 25, 26);
    check_limit(choices, "too_many_choices", 25, 26);
    check_limit(commands, "too_many_commands", 100, 101);
    check_limit(menus, "too_many_commands", 15, 16);
}

/*
 * 2 characters for the command, then for each option 2 or 3 for its name, 1 for its description,
 * and 25 choices of 10 + 100 characters and a number.
 */
static void the_whole_has_a_limit(void **state)
{
    (void)state;
    static const char option[] = "{'type':3,'name':'c%','description':'d','choices':["
                                 "{'name':'" X100 "','value':'" X100 "'},"
                                 "{'name':'" X100 "1','value':'y'}]}";
    scoped(json_free) cJSON *near =
        run_many("{'name':'a','description':'b','options':[", option, 24, "]}");
    scoped(json_free) cJSON *large =
        run_many("{'name':'a','description':'b','options':[",
                 "{'type':3,'name':'c%','description':'d','choices':[{'name':'" X100
                 "','value':'" X100 "'},{'name':'" X30 "','value':'" X100 "'}]}",
                 25, "]}");
    assert_int_equal(json_at(near, "/commands/0/size/characters")->valuedouble,
                     2 + 24 * (3 + 100 + 100 + 101 + 1) + 14);
    assert_string_equal(json_text(large, "/errors/0/code"), "command_too_large");
    assert_int_equal(json_at(large, "/errors/0/actual")->valuedouble, 2 + 25 * (3 + 330) + 15);
    scoped(json_free) cJSON *almost =
        run_many("{'name':'a','description':'b','options':[",
                 "{'type':3,'name':'c%','description':'d','choices':[{'name':'" X100
                 "','value':'" X100 "'},{'name':'x','value':'" X30 X30 X30 "xxxxxxxxxy"
                 "'}]}",
                 24, "]}");
    assert_string_equal(json_text(almost, "/warnings/0/code"), "command_size_near_limit");
}

/* A name as long as a request, above many subcommands, must not be written for each of them. */
static void a_name_that_nobody_can_call_has_no_usage(void **state)
{
    (void)state;
    scoped(mem_free) char *before =
        str_format("{'name':'%0*d','description':'b','options':[", 20000, 0);
    scoped(json_free) cJSON *result = run_many(before, SUB("c%", ""), 800, "]}");
    assert_int_equal(json_size(json_at(result, "/commands/0/usage")), 0);
    assert_null(json_text(result, "/commands/0/mention_template"));
}

static void all_lines_of_the_largest_command(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result =
        run_many("{'name':'" X30 "ab','description':'b','options':[",
                 GROUP("%", ",'options':[" SUB("" X30 "ab", ",'options':[" BASIC("e", "") "]") "]"),
                 25, "]}");
    assert_int_equal(json_size(json_at(result, "/commands/0/usage")), 25);
    assert_string_equal(json_text(result, "/commands/0/usage/24"),
                        "/" X30 "ab 24 " X30 "ab [e:<string>]");
    assert_string_equal(json_text(result, "/commands/0/mention_template"),
                        "</" X30 "ab 0 " X30 "ab:ID>");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(counts_have_limits),
        cmocka_unit_test(the_whole_has_a_limit),
        cmocka_unit_test(a_name_that_nobody_can_call_has_no_usage),
        cmocka_unit_test(all_lines_of_the_largest_command),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
