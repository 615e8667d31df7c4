/* svc-chat/chatplatform-permissions-calc/tests/chatplatform-permissions-calc.c - values and names,
 * members in channels. */
#include <inttypes.h>
#include <stdio.h>

#include "expect.h"
#include "platform/permissions.h"
#include "tools.h"

/* A guild 100 with the everyone role, roles 200 and 201, and member 7. */
#define GUILD          "'guild':{'id':'100','owner_id':'9'},"
#define MEMBER(roles)  "'member':{'id':'7','roles':[" roles "]}"
#define EVERYONE(bits) "{'id':'100','permissions':" bits "}"
#define ROLE(id, bits) "{'id':'" id "','permissions':" bits "}"
#define OVER(id, type, allow, deny) \
    "{'id':'" id "','type':" type ",'allow':" allow ",'deny':" deny "}"
#define IN_CHANNEL(type, everyone, overwrites)                                                     \
    "{" GUILD MEMBER("'200','201'") ",'roles':[" EVERYONE(everyone) "," ROLE("200", "0") "," ROLE( \
        "201", "0") "],'channel':{'type':" type ",'permission_overwrites':[" overwrites "]}}"
#define IN_THREAD(everyone, overwrites)         \
    "{" GUILD MEMBER("") ",'roles':[" EVERYONE( \
        everyone) "],'channel':{'type':11,"     \
                  "'parent':{'permission_overwrites':[" overwrites "]}}}"

static const struct answer_row rows[] = {
    { "the kind within the name",
      "{'permissions':'discordgo.PermissionBanMembers|PermissionSpeak'}", NULL,
      "{'/names':['BAN_MEMBERS','SPEAK']}" },
    { "names of messages and voice in Java",
      "{'permissions':['MESSAGE_SEND','Permission.MESSAGE_HISTORY','VOICE_DEAF_OTHERS',"
      "'NICKNAME_MANAGE','MANAGE_CHANNEL']}",
      NULL,
      "{'/names':['MANAGE_CHANNELS','SEND_MESSAGES','READ_MESSAGE_HISTORY','DEAFEN_MEMBERS',"
      "'MANAGE_NICKNAMES']}" },
    { "names of voice in Go",
      "{'permissions':'discordgo.PermissionVoiceStreamVideo|discordgo.PermissionVoiceMoveMembers'}",
      NULL, "{'/names':['STREAM','MOVE_MEMBERS']}" },
    { "a list with bars and a library's prefix",
      "{'permissions':'PermissionFlagsBits.BanMembers | Permissions::KICK_MEMBERS, 8'}", NULL,
      "{'/permissions':'14'}" },
    { "a number", "{'permissions':'3072'}", NULL,
      "{'/permissions':'3072','/hex':'0xc00','/binary':'0b110000000000',"
      "'/names':['VIEW_CHANNEL','SEND_MESSAGES'],'/count':2,'/unknown_bits':[],"
      "'/administrator':false,'/requires_2fa':false,'/base':null,'/computed':null,'/"
      "effective':null,"
      "'/applicable_mask':null,'/steps':[],'/implicit_denied':[],'/hints':[],'/has_all':null,"
      "'/missing':[],'/warnings':[],'/data_revision':'2026-08-06'}" },
    { "details", "{'permissions':'MANAGE_ROLES'}", NULL,
      "{'/details#':1,'/details/0/name':'MANAGE_ROLES','/details/0/bit':28,"
      "'/details/0/value':'268435456','/details/0/hex':'0x10000000','/details/0/label':'Manage "
      "Roles',"
      "'/details/0/category':'general','/details/0/channel_types':['text','voice','stage'],"
      "'/details/0/requires_2fa':true,'/requires_2fa':true}" },
    { "details of a voice permission", "{'permissions':'USE_VAD'}", NULL,
      "{'/details/0/label':'Use Voice Activity','/details/0/channel_types':['voice']}" },
    { "details of the guild's own", "{'permissions':'timeout members'}", NULL,
      "{'/details/0/name':'MODERATE_MEMBERS','/details/0/channel_types':[]}" },
    { "all", "{'permissions':'ALL'}", NULL,
      "{'/permissions':'8866461766385663','/count':52,'/administrator':true,'/names#':52,"
      "'/names/51':'BYPASS_SLOWMODE','/hints':[]}" },
    { "all of text", "{'permissions':'ALL_TEXT'}", NULL,
      "{'/permissions':'8515703330569297','/count':26}" },
    { "all of voice", "{'permissions':'all voice'}", NULL,
      "{'/permissions':'6602166617243473','/count':34}" },
    { "all of stage", "{'permissions':'AllStage'}", NULL,
      "{'/permissions':'6280563717045841','/count':27}" },
    { "all of channels", "{'permissions':'ALL_CHANNEL'}", NULL,
      "{'/permissions':'8854365862887249','/count':40}" },
    { "the guild's own", "{'permissions':'ALL','remove':'ALL_CHANNEL'}", NULL,
      "{'/permissions':'12095903498414','/count':12}" },
    { "elevated", "{'permissions':'ELEVATED'}", NULL,
      "{'/permissions':'2218082181182','/count':11}" },
    { "none", "{'permissions':'NONE'}", NULL, "{'/permissions':'0','/binary':'0b0','/names':[]}" },
    { "unknown bits", "{'permissions':'0x8020800000000000'}", NULL,
      "{'/unknown_bits':[47,53,63],'/names':[],'/count':0}" },
    { "every alias",
      "{'permissions':['READ_MESSAGES','EXTERNAL_EMOJIS','EXTERNAL_STICKERS','MANAGE_EMOJIS',"
      "'MANAGE_EMOJIS_AND_STICKERS','MANAGE_EXPRESSIONS','CREATE_EXPRESSIONS','USE_SLASH_COMMANDS',"
      "'START_EMBEDDED_ACTIVITIES','TIMEOUT_MEMBERS','MANAGE_SERVER','VIEW_SERVER_INSIGHTS',"
      "'USE_VOICE_ACTIVATION','USE_VOICE_ACTIVITY','MANAGE_PERMISSIONS','GO_LIVE','VIDEO',"
      "'CREATE_POLLS','CREATE_INVITE','USE_EXTERNAL_APPLICATIONS','ADMIN']}",
      NULL,
      "{'/names':['CREATE_INSTANT_INVITE','ADMINISTRATOR','MANAGE_GUILD','STREAM','VIEW_CHANNEL',"
      "'USE_EXTERNAL_EMOJIS','VIEW_GUILD_INSIGHTS','USE_VAD','MANAGE_ROLES',"
      "'MANAGE_GUILD_EXPRESSIONS','USE_APPLICATION_COMMANDS','USE_EXTERNAL_STICKERS',"
      "'USE_EMBEDDED_ACTIVITIES','MODERATE_MEMBERS','CREATE_GUILD_EXPRESSIONS','SEND_POLLS',"
      "'USE_EXTERNAL_APPS']}" },
    { "added, then removed", "{'permissions':3,'add':['0x8',4],'remove':'6'}", NULL,
      "{'/permissions':'9'}" },
    { "all that is required", "{'permissions':'7','required':['KICK_MEMBERS',1]}", NULL,
      "{'/has_all':true,'/missing':[]}" },
    { "not all that is required", "{'permissions':'2','required':'7'}", NULL,
      "{'/has_all':false,'/missing':['CREATE_INSTANT_INVITE','BAN_MEMBERS']}" },
    { "an administrator has all", "{'permissions':'8','required':'7'}", NULL,
      "{'/has_all':true,'/missing':[]}" },
    { "nothing is always there", "{'permissions':'0','required':'0'}", NULL, "{'/has_all':true}" },
    { "permissions that split",
      "{'permissions':['MANAGE_MESSAGES','MANAGE_GUILD_EXPRESSIONS','MANAGE_EVENTS','PIN_MESSAGES']"
      "}",
      NULL,
      "{'/hints#':3,'/hints/0/code':'split_permission','/hints/0/name':'BYPASS_SLOWMODE',"
      "'/hints/1/name':'CREATE_GUILD_EXPRESSIONS','/hints/2/name':'CREATE_EVENTS'}" },
    { "useless without sending", "{'permissions':['SEND_POLLS','USE_EXTERNAL_EMOJIS']}", NULL,
      "{'/hints#':2,'/hints/0/code':'ineffective','/hints/0/name':'USE_EXTERNAL_EMOJIS',"
      "'/hints/1/name':'SEND_POLLS'}" },
    { "useful in threads", "{'permissions':['SEND_POLLS','SEND_MESSAGES_IN_THREADS']}", NULL,
      "{'/hints':[]}" },
    { "no hints for administrators", "{'permissions':['SEND_POLLS','MANAGE_EVENTS','ADMIN']}", NULL,
      "{'/hints':[]}" },
    { "a mask of a channel", "{'permissions':'0','channel':{'type':13}}", NULL,
      "{'/applicable_mask':'6280563717045841'}" },

    { "nothing", "{}", "missing_field", NULL },
    { "an unknown name", "{'permissions':'FLY'}", "unknown_permission", NULL },
    { "an unknown name to add", "{'permissions':'0','add':['FLY']}", "unknown_permission", NULL },
    { "a negative number", "{'permissions':-1}", "invalid_bitfield", NULL },
    { "65 bits", "{'permissions':'18446744073709551616'}", "invalid_bitfield", NULL },
    { "a number that lost digits", "{'permissions':9007199254740992}", "precision_loss", NULL },
    { "one in a list", "{'permissions':[9007199254740992]}", "precision_loss", NULL },
    { "a fraction", "{'permissions':1.5}", "invalid_type", NULL },
    { "a list in a list", "{'permissions':[[1]]}", "invalid_type", NULL },

    { "base from roles",
      "{" GUILD MEMBER("'200','201'") ",'roles':[" EVERYONE("'1024'") "," ROLE(
          "200", "2048") "," ROLE("201", "16384") "," ROLE("202", "'ADMIN'") "]}",
      NULL,
      "{'/permissions':'19456','/base':'19456','/computed':'19456','/effective':'19456',"
      "'/steps':[{'step':'everyone','allow':'1024','deny':'0','value':'1024'},"
      "{'step':'roles','allow':'18432','deny':'0','value':'19456'}],'/applicable_mask':null,"
      "'/warnings':[]}" },
    { "an unknown role is left out", "{" GUILD MEMBER("'300'") ",'roles':[" EVERYONE("'1024'") "]}",
      NULL,
      "{'/effective':'1024','/warnings/0/code':'unknown_role','/warnings/0/"
      "path':'member.roles[0]'}" },
    { "the owner",
      "{'guild':{'id':100,'owner_id':7}," MEMBER("") ",'roles':[" EVERYONE(
          "0") "],"
               "'channel':{'permission_overwrites':[" OVER("7", "1", "0", "'ALL'") "]}}",
      NULL,
      "{'/effective':'8866461766385663','/base':'0','/steps/2/step':'owner','/steps#':3,"
      "'/has_all':null,'/implicit_denied':[]}" },
    { "an administrator, timed out",
      "{" GUILD "'member':{'id':'7','roles':['200'],'timed_out':true},'roles':[" EVERYONE(
          "0") "," ROLE("200", "8") "],'channel':{'type':2}}",
      NULL, "{'/effective':'8866461766385663','/base':'8','/steps/2/step':'administrator'}" },
    { "no everyone role", "{" GUILD MEMBER("'200'") ",'roles':[" ROLE("200", "8") "]}",
      "missing_everyone_role", NULL },
    { "no guild", "{" MEMBER("") ",'roles':[]}", "missing_field", NULL },
    { "no roles", "{" GUILD MEMBER("") "}", "missing_field", NULL },
    { "a member and a value", "{" GUILD MEMBER("") ",'roles':[],'permissions':'8'}",
      "conflicting_fields", NULL },
    { "a member and an addition", "{" GUILD MEMBER("") ",'roles':[],'add':'8'}",
      "conflicting_fields", NULL },
    { "a bad id", "{'guild':{'id':'x'}," MEMBER("") ",'roles':[]}", "invalid_snowflake", NULL },
    { "a bad id of an owner", "{'guild':{'id':'1','owner_id':'-1'}," MEMBER("") ",'roles':[]}",
      "invalid_snowflake", NULL },
    { "a bad id of a role", "{" GUILD MEMBER("'01'") ",'roles':[]}", "invalid_snowflake", NULL },
    { "an id that lost digits", "{" GUILD MEMBER("175928847299117063") ",'roles':[]}",
      "precision_loss", NULL },
    { "bad bits of a role", "{" GUILD MEMBER("") ",'roles':[" ROLE("100", "'FLY'") "]}",
      "unknown_permission", NULL },

    { "everyone's overwrite", IN_CHANNEL("0", "3072", OVER("100", "0", "64", "'2048'")), NULL,
      "{'/computed':'1088','/steps/2':{'step':'channel_everyone','allow':'64','deny':'2048',"
      "'value':'1088'}}" },
    { "between roles allow wins, whatever the order",
      IN_CHANNEL("0", "3072",
                 OVER("200", "'role'", "'2048'", "0") "," OVER("201", "0", "0", "'2048'")),
      NULL,
      "{'/computed':'3072','/steps/3':{'step':'channel_roles','allow':'2048','deny':'2048',"
      "'value':'3072'}}" },
    { "roles before everyone",
      IN_CHANNEL("0", "1024", OVER("200", "0", "2048", "0") "," OVER("100", "0", "0", "2048")),
      NULL, "{'/computed':'3072'}" },
    { "the member before roles",
      IN_CHANNEL("0", "1024", OVER("7", "'member'", "0", "2048") "," OVER("200", "0", "2048", "0")),
      NULL, "{'/computed':'1024','/steps/4/step':'channel_member'}" },
    { "a role's id as a member is nobody", IN_CHANNEL("0", "3072", OVER("200", "1", "0", "2048")),
      NULL, "{'/computed':'3072'}" },
    { "the guild's id as a member is nobody",
      IN_CHANNEL("0", "3072", OVER("100", "1", "0", "2048")), NULL, "{'/computed':'3072'}" },
    { "the member's id as a role is nobody", IN_CHANNEL("0", "3072", OVER("7", "0", "0", "2048")),
      NULL, "{'/computed':'3072'}" },
    { "other roles do not count", IN_CHANNEL("0", "3072", OVER("999", "0", "0", "1024")), NULL,
      "{'/computed':'3072'}" },
    { "an overwrite without bits", IN_CHANNEL("0", "3072", "{'id':'7','type':1}"), NULL,
      "{'/computed':'3072'}" },
    { "the same overwrite twice",
      IN_CHANNEL("0", "1024", OVER("200", "0", "2048", "0") "," OVER("200", "0", "64", "0")), NULL,
      "{'/computed':'3136','/warnings#':1,'/warnings/0/code':'duplicate_overwrite',"
      "'/warnings/0/path':'channel.permission_overwrites[1]'}" },
    { "a role and a member may have the same id",
      IN_CHANNEL("0", "1024", OVER("200", "0", "0", "0") "," OVER("200", "1", "0", "0")), NULL,
      "{'/warnings':[]}" },
    { "allowed and denied at once", IN_CHANNEL("0", "1024", OVER("200", "0", "2048", "2048")), NULL,
      "{'/computed':'3072','/warnings/0/code':'overwrite_conflict'}" },
    { "bad bits of an overwrite", IN_CHANNEL("0", "0", OVER("200", "0", "'FLY'", "0")),
      "unknown_permission", NULL },
    { "a bad id of an overwrite", IN_CHANNEL("0", "0", OVER("x", "0", "0", "0")),
      "invalid_snowflake", NULL },
    { "another type of overwrite", IN_CHANNEL("0", "0", OVER("200", "2", "0", "0")),
      "invalid_value", NULL },
    { "as a word", IN_CHANNEL("0", "0", OVER("200", "'user'", "0", "0")), "invalid_value", NULL },

    { "timed out",
      "{" GUILD "'member':{'id':'7','roles':[],'timed_out':true},'roles':[" EVERYONE("68609") "]}",
      NULL,
      "{'/computed':'68609','/effective':'66560','/implicit_denied':["
      "{'name':'CREATE_INSTANT_INVITE','reason':'timed_out'},"
      "{'name':'SEND_MESSAGES','reason':'timed_out'}],"
      "'/steps/2':{'step':'timed_out','allow':'0','deny':'2049','value':'66560'}}" },
    { "timed out until later",
      "{'now':1618953630," GUILD "'member':{'id':'7','roles':[],"
      "'communication_disabled_until':'2021-04-20T21:20:31.000000+00:00'},'roles':[" EVERYONE(
          "3072") "]}",
      NULL, "{'/effective':'1024'}" },
    { "no longer timed out",
      "{'now':1618953630," GUILD "'member':{'id':'7','roles':[],"
      "'communication_disabled_until':'2021-04-20T21:20:30Z'},'roles':[" EVERYONE("3072") "]}",
      NULL, "{'/effective':'3072'}" },
    { "never timed out, as the platform says it",
      "{" GUILD "'member':{'id':'7','roles':[],'communication_disabled_until':null},"
      "'roles':[" EVERYONE("3072") "]}",
      NULL, "{'/effective':'3072'}" },
    { "a timeout that is not a time",
      "{" GUILD "'member':{'id':'7','roles':[],'communication_disabled_until':'x'},'roles':[]}",
      "invalid_timestamp", NULL },
    { "who does not see does nothing", IN_CHANNEL("0", "2048", ""), NULL,
      "{'/computed':'2048','/effective':'0',"
      "'/implicit_denied':[{'name':'SEND_MESSAGES','reason':'no_view_channel'}]}" },
    { "who does not connect only sees", IN_CHANNEL("2", "3072", ""), NULL,
      "{'/effective':'1024',"
      "'/implicit_denied':[{'name':'SEND_MESSAGES','reason':'no_connect'}]}" },
    { "who connects speaks", IN_CHANNEL("2", "'3148800'", ""), NULL, "{'/effective':'3148800'}" },
    { "on a stage too", IN_CHANNEL("13", "3072", ""), NULL, "{'/effective':'1024'}" },
    { "who does not send sends no files", IN_CHANNEL("0", "'185344'", ""), NULL,
      "{'/computed':'185344','/effective':'1024','/implicit_denied#':4,"
      "'/implicit_denied/0':{'name':'SEND_TTS_MESSAGES','reason':'no_send_messages'}}" },
    { "useless here", IN_CHANNEL("0", "['VIEW_CHANNEL','SEND_POLLS']", ""), NULL,
      "{'/hints#':1,'/hints/0/code':'ineffective'}" },
    { "not in text channels", IN_CHANNEL("0", "['VIEW_CHANNEL','SEND_MESSAGES','SPEAK',2]", ""),
      NULL,
      "{'/effective':'3072','/implicit_denied':[{'name':'KICK_MEMBERS','reason':'not_applicable'},"
      "{'name':'SPEAK','reason':'not_applicable'}],'/applicable_mask':'8515703330569297'}" },
    { "a category takes all of channels", IN_CHANNEL("4", "['ALL_CHANNEL']", ""), NULL,
      "{'/effective':'8854365862887249'}" },
    { "a forum", IN_CHANNEL("15", "3072", ""), NULL, "{'/effective':'3072'}" },
    { "a media channel", IN_CHANNEL("16", "3072", ""), NULL, "{'/effective':'3072'}" },
    { "an announcement channel", IN_CHANNEL("5", "3072", ""), NULL, "{'/effective':'3072'}" },
    { "no split hint for what does not apply",
      IN_CHANNEL("2", "['VIEW_CHANNEL','CONNECT','MANAGE_MESSAGES','BYPASS_SLOWMODE']", ""), NULL,
      "{'/hints':[]}" },
    { "a direct message", IN_CHANNEL("1", "0", ""), "unsupported_channel_type", NULL },
    { "an unknown type", IN_CHANNEL("99", "0", ""), "unsupported_channel_type", NULL },
    { "a thread", IN_THREAD("['VIEW_CHANNEL','SEND_MESSAGES','SEND_MESSAGES_IN_THREADS']", ""),
      NULL,
      "{'/computed':'274877910016','/effective':'274877907968',"
      "'/implicit_denied':[{'name':'SEND_MESSAGES','reason':'thread'}]}" },
    { "a thread's parent decides",
      IN_THREAD("['VIEW_CHANNEL','SEND_MESSAGES','EMBED_LINKS']", OVER("7", "1", "0", "1024")),
      NULL, "{'/effective':'0'}" },
    { "who sends in channels alone sends no files in threads",
      IN_THREAD("['VIEW_CHANNEL','SEND_MESSAGES','EMBED_LINKS']", ""), NULL,
      "{'/effective':'1024','/implicit_denied':["
      "{'name':'EMBED_LINKS','reason':'no_send_messages'},{'name':'SEND_MESSAGES','reason':'thread'"
      "}]}" },
    { "paths in a parent", IN_THREAD("0", OVER("7", "1", "1", "1")), NULL,
      "{'/warnings/0/path':'channel.parent.permission_overwrites[0]'}" },
    { "a thread without a parent", IN_CHANNEL("11", "0", ""), "missing_field", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_permissions_calc, "chatplatform-permissions-calc", *state);
}

/* The names of a value give the same value. */
static void names_and_values_agree(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252;
    for (int round = 0; round < 20; round++) {
        scoped(json_free) cJSON *first = json_object();
        scoped(json_free) cJSON *second = json_object();
        scoped(buf_free) struct buf body = BUF(1 << 16);
        char value[32];
        struct err err = { 0 };

        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; /* xorshift */
        snprintf(value, sizeof(value), "%" PRIu64, seed & PERMISSIONS_ALL);
        buf_format(&body, "{'permissions':'%s'}", value);
        assert_true(run_tool(chatplatform_permissions_calc, "chatplatform-permissions-calc",
                             buf_str(&body), first, NULL, &err));
        buf_clear(&body);
        buf_add_str(&body, "{'permissions':");
        json_print(json_get(first, "names"), &body);
        buf_add_str(&body, "}");
        assert_true(run_tool(chatplatform_permissions_calc, "chatplatform-permissions-calc",
                             buf_str(&body), second, NULL, &err));
        assert_string_equal(json_text(second, "/permissions"), value);
    }
}

static void the_message_names_path_and_nearest(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(run_tool(chatplatform_permissions_calc, "chatplatform-permissions-calc",
                          IN_CHANNEL("0", "0", OVER("200", "0", "0", "'SEND_MESAGES'")), result,
                          NULL, &err));
    assert_string_equal(err.message, "channel.permission_overwrites[0].deny: unknown permission "
                                     "SEND_MESAGES; did you mean SEND_MESSAGES?");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(names_and_values_agree),
        cmocka_unit_test(the_message_names_path_and_nearest),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
