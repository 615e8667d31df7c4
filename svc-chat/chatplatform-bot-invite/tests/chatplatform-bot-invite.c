/* svc-chat/chatplatform-bot-invite/tests/chatplatform-bot-invite.c - the URL, scopes, conflicts,
 * warnings. */
#include "expect.h"
#include "tools.h"

#define ID       "'client_id':'157730590492196864'"
#define BASE     "https://discord.com/oauth2/authorize?client_id=157730590492196864"
#define URI(uri) "{" ID ",'redirect_uri':'" uri "'}"

static const struct answer_row rows[] = {
    { "the least", "{" ID "}", NULL,
      "{'/url':'" BASE "&scope=bot%20applications.commands&permissions=0','/length':113,"
      "'/client_id':'157730590492196864','/scopes':['bot','applications.commands'],"
      "'/permissions':'0','/permission_names':[],'/requires_2fa':false,'/guild_id':null,"
      "'/integration_type':null,'/parameters':{'client_id':'157730590492196864',"
      "'scope':'bot applications.commands','permissions':'0'},'/restricted_scopes':[],"
      "'/links':{'guild_install':'" BASE
      "&scope=bot%20applications.commands&permissions=0&integration_type=0',"
      "'user_install':'" BASE "&scope=applications.commands&integration_type=1',"
      "'default_install':'" BASE "'},'/adjustments':[],'/warnings':[],"
      "'/data_revision':'2026-08-06'}" },
    { "all parameters in their order",
      "{" ID ",'permissions':['VIEW_CHANNEL','KICK_MEMBERS'],'scopes':'applications.commands bot "
      "identify','guild_id':'5','disable_guild_select':true,'integration_type':0,'redirect_uri':"
      "'https://example.com/a?b=c','response_type':'code','state':'x y\u20ac~','prompt':'consent'}",
      NULL,
      "{'/url':'" BASE "&response_type=code&redirect_uri=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc"
      "&scope=applications.commands%20bot%20identify&permissions=1026&guild_id=5"
      "&disable_guild_select=true&integration_type=0&state=x%20y%E2%82%AC~&prompt=consent',"
      "'/permission_names':['KICK_MEMBERS','VIEW_CHANNEL'],'/requires_2fa':true,'/guild_id':'5',"
      "'/integration_type':0,'/parameters/state':'x y\u20ac~','/adjustments':[],"
      "'/warnings#':1,'/warnings/0/code':'commands_redundant'}" },
    { "a client id as a number", "{'client_id':5}", NULL, "{'/client_id':'5'}" },
    { "a client id that lost digits", "{'client_id':157730590492196864}", "precision_loss", NULL },
    { "an invalid client id", "{'client_id':'me'}", "invalid_snowflake", NULL },
    { "no client id", "{'scopes':'bot'}", "missing_field", NULL },
    { "an invalid guild", "{" ID ",'guild_id':'-1'}", "invalid_snowflake", NULL },
    { "invalid permissions", "{" ID ",'permissions':'FLY'}", "unknown_permission", NULL },
    { "negative permissions", "{" ID ",'permissions':-1}", "invalid_bitfield", NULL },
    { "an administrator", "{" ID ",'permissions':8}", NULL,
      "{'/warnings#':1,'/warnings/0/code':'administrator'}" },
    { "unknown bits", "{" ID ",'permissions':'0x800000000000'}", NULL,
      "{'/warnings/0/code':'unknown_permission_bits','/parameters/"
      "permissions':'140737488355328'}" },

    { "a text of scopes", "{" ID ",'scopes':'bot, applications.commands+bot  '}", NULL,
      "{'/scopes':['bot','applications.commands']}" },
    { "a list of scopes, one holding two", "{" ID ",'scopes':['bot email','bot']}", NULL,
      "{'/scopes':['bot','email']}" },
    { "an empty text", "{" ID ",'scopes':' , '}", "too_few_items", NULL },
    { "an empty list", "{" ID ",'scopes':[]}", "too_few_items", NULL },
    { "an unknown scope", "{" ID ",'scopes':'bots'}", "unknown_scope", NULL },
    { "scopes have case", "{" ID ",'scopes':'BOT'}", "unknown_scope", NULL },
    { "an unknown scope that is wanted",
      "{" ID ",'scopes':'new&scope=x','allow_unknown_scopes':true}", NULL,
      "{'/scopes':['new&scope=x'],'/url':'" BASE
      "&response_type=code&scope=new%26scope%3Dx','/restricted_scopes':[]}" },
    { "restricted scopes",
      "{" ID ",'scopes':'rpc guilds rpc.voice.read','redirect_uri':'a:/b',"
      "'state':'s'}",
      NULL,
      "{'/restricted_scopes':['rpc','rpc.voice.read'],'/warnings':[],"
      "'/adjustments#':1,'/adjustments/0/code':'response_type_added',"
      "'/parameters/response_type':'code'}" },
    { "a grant without its fields", "{" ID ",'scopes':'identify'}", NULL,
      "{'/warnings#':2,'/warnings/0/code':'redirect_uri_missing',"
      "'/warnings/1/code':'state_recommended'}" },
    { "an implicit grant needs no state",
      "{" ID ",'scopes':'identify','response_type':'token','redirect_uri':'a:/b'}", NULL,
      "{'/warnings':[],'/adjustments':[]}" },
    { "permissions without the bot", "{" ID ",'permissions':8,'scopes':'applications.commands'}",
      NULL,
      "{'/url':'" BASE "&scope=applications.commands','/permissions':'0','/permission_names':[],"
      "'/requires_2fa':false,'/warnings#':1,"
      "'/warnings/0/code':'permissions_ignored'}" },
    { "of the client credentials grant",
      "{" ID ",'scopes':'applications.commands.update','redirect_uri':'a:/b','state':'s'}", NULL,
      "{'/warnings#':1,'/warnings/0/code':'client_credentials_only'}" },
    { "nothing to select", "{" ID ",'disable_guild_select':true}", NULL,
      "{'/parameters/disable_guild_select':'true','/warnings#':1,"
      "'/warnings/0/code':'select_without_guild'}" },
    { "a guild selected", "{" ID ",'disable_guild_select':true,'guild_id':'7'}", NULL,
      "{'/warnings':[],'/links/guild_install':'" BASE
      "&scope=bot%20applications.commands&permissions=0&guild_id=7&disable_guild_select=true"
      "&integration_type=0'}" },

    { "for a user", "{" ID ",'scopes':'applications.commands','integration_type':'user'}", NULL,
      "{'/url':'" BASE "&scope=applications.commands&integration_type=1','/integration_type':1,"
      "'/warnings':[]}" },
    { "for a guild, in words", "{" ID ",'integration_type':'guild'}", NULL,
      "{'/integration_type':0}" },
    { "a bot for a user", "{" ID ",'integration_type':1}", NULL,
      "{'/warnings#':1,'/warnings/0/code':'bot_with_user_install','/adjustments':[]}" },
    { "a guild for a user",
      "{" ID ",'scopes':['applications.commands'],'integration_type':1,'guild_id':'7'}", NULL,
      "{'/guild_id':null,'/warnings/0/code':'bot_with_user_install',"
      "'/adjustments/0/code':'guild_id_dropped','/url':'" BASE
      "&scope=applications.commands&integration_type=1'}" },
    { "the bot brings commands with it", "{" ID ",'scopes':'bot','integration_type':0}", NULL,
      "{'/integration_type':0,'/scopes':['bot']}" },
    { "an installation without commands", "{" ID ",'scopes':'identify','integration_type':0}",
      "conflicting_fields", NULL },
    { "an invite taken apart",
      "{'link':' <https://www.discord.com/api/oauth2/authorize?client_id=157730590492196864&"
      "permissions=8&scope=bot%20applications.commands&integration_type=0&guild_id=5&"
      "disable_guild_select=true>'}",
      NULL,
      "{'/client_id':'157730590492196864','/permissions':'8','/permission_names':['ADMINISTRATOR'],"
      "'/scopes':['bot','applications.commands'],'/integration_type':0,'/guild_id':'5',"
      "'/parameters/disable_guild_select':'true'}" },
    { "an invite with other permissions",
      "{'link':'https://discord.com/oauth2/authorize?client_id=1&scope=bot&permissions=8',"
      "'permissions':'0'}",
      NULL, "{'/client_id':'1','/permissions':'0'}" },
    { "an invite of no app", "{'link':'https://discord.gg/abc'}", "invalid_url", NULL },
    { "an invite without its app", "{'link':'https://discord.com/oauth2/authorize?scope=bot'}",
      "missing_field", NULL },
    { "another installation", "{" ID ",'integration_type':2}", "invalid_value", NULL },

    { "by the app's settings",
      "{" ID ",'default_install':true,'permissions':8,'guild_id':'7','disable_guild_select':true}",
      NULL, "{'/url':'" BASE "&permissions=8&guild_id=7&disable_guild_select=true','/scopes':[]}" },
    { "by the app's settings alone", "{" ID ",'default_install':true}", NULL,
      "{'/url':'" BASE "'}" },
    { "settings and scopes", "{" ID ",'default_install':true,'scopes':'bot'}", "conflicting_fields",
      NULL },
    { "settings and a type", "{" ID ",'default_install':true,'integration_type':0}",
      "conflicting_fields", NULL },
    { "settings and a redirection", "{" ID ",'default_install':true,'redirect_uri':'a:/b'}",
      "conflicting_fields", NULL },
    { "settings and a state", "{" ID ",'default_install':true,'state':'s'}", "conflicting_fields",
      NULL },
    { "an implicit grant of a webhook",
      "{" ID ",'scopes':'webhook.incoming','response_type':'token'}", "conflicting_fields", NULL },
    { "an implicit grant of linked roles",
      "{" ID ",'scopes':'role_connections.write','response_type':'token'}", "conflicting_fields",
      NULL },

    { "a redirection of an app", URI("com.example.app:/done"), NULL,
      "{'/parameters/redirect_uri':'com.example.app:/done'}" },
    { "to this machine", URI("HTTP://localhost:3000/"), NULL, NULL },
    { "with a fragment", URI("https://example.com/#a"), "invalid_url", NULL },
    { "relative", URI("/callback"), "invalid_url", NULL },
    { "without a scheme", URI("example.com/callback"), "invalid_url", NULL },
    { "without a host", URI("https:///callback"), "invalid_url", NULL },
    { "without slashes", URI("https:/example.com"), "invalid_url", NULL },
    { "a host of none", URI("https://:80/"), "invalid_url", NULL },
    { "a script", URI("javascript:alert(1)"), "invalid_url", NULL },
    { "with a blank", URI("https://example.com/a b"), "invalid_url", NULL },
    { "with a line end", URI("https://example.com/\\n"), "invalid_url", NULL },
    { "not ASCII", URI("https://\u00fc.example/"), "invalid_url", NULL },
    { "empty", URI(""), "invalid_url", NULL },
    { "an empty state", "{" ID ",'state':''}", "too_short", NULL },
    { "another prompt", "{" ID ",'prompt':'maybe'}", "invalid_value", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_bot_invite, "chatplatform-bot-invite", *state);
}

/* 50 scopes of at most 100 bytes; the contract limits a longer text. */
static void limits_of_scopes(void **state)
{
    (void)state;
    for (int count = 50; count <= 51; count++) {
        scoped(buf_free) struct buf body = BUF(1 << 16);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        buf_add_str(&body, "{" ID ",'allow_unknown_scopes':true,'scopes':'");
        for (int i = 0; i < count; i++)
            buf_format(&body, "s%d ", i);
        buf_add_str(&body, "'}");
        bool ok = run_tool(chatplatform_bot_invite, "chatplatform-bot-invite", buf_str(&body),
                           result, NULL, &err);
        assert_int_equal(ok, count == 50);
        assert_int_equal(err.kind, ok ? ERR_NONE : ERR_TOO_MANY_ITEMS);
    }
    scoped(mem_free) char *body =
        str_format("{" ID ",'allow_unknown_scopes':true,'scopes':'%0*d'}", 101, 0);
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(
        run_tool(chatplatform_bot_invite, "chatplatform-bot-invite", body, result, NULL, &err));
    assert_int_equal(err.kind, ERR_TOO_LONG);
}

int main(void)
{
    const struct CMUnitTest singles[] = { cmocka_unit_test(limits_of_scopes) };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
