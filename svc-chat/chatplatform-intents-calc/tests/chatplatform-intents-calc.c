/* svc-chat/chatplatform-intents-calc/tests/chatplatform-intents-calc.c - numbers, names, events,
 * warnings. */
#include "expect.h"
#include "tools.h"

static const struct answer_row rows[] = {
    { "a list with commas and a library's prefix",
      "{'intents':'GatewayIntentBits.Guilds, discord.Intents.guild_messages'}", NULL,
      "{'/intents':513}" },
    { "all", "{'intents':'ALL'}", NULL,
      "{'/intents':53608447,'/hex':'0x331ffff','/names#':21,'/privileged':['GUILD_MEMBERS',"
      "'GUILD_PRESENCES','MESSAGE_CONTENT'],'/requires_approval':true,'/unknown_bits':[],"
      "'/details#':21,'/events_not_covered':[],'/always_sent#':19,'/data_revision':'2026-08-06',"
      "'/warnings#':1,'/warnings/0/code':'privileged'}" },
    { "privileged", "{'intents':'PRIVILEGED'}", NULL, "{'/intents':33026}" },
    { "default", "{'intents':'DEFAULT'}", NULL,
      "{'/intents':53575421,'/privileged':[],'/requires_approval':false,'/warnings':[]}" },
    { "none", "{'intents':'NONE'}", NULL,
      "{'/intents':0,'/names':[],'/events':[],'/binary':'0b0','/warnings':[],"
      "'/code':{'raw':'\\\"intents\\\": 0','discord_js':'intents: []',"
      "'discord_py':'intents = discord.Intents()'}}" },
    { "a number", "{'intents':513}", NULL,
      "{'/names':['GUILDS','GUILD_MESSAGES'],'/binary':'0b1000000001',"
      "'/code/raw':'\\\"intents\\\": 513',"
      "'/code/discord_js':'intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]',"
      "'/code/discord_py':'intents = discord.Intents(guilds=True, guild_messages=True)'}" },
    { "names in any spelling", "{'intents':['guild_messages','Guild Presences','GUILDS','0x2']}",
      NULL, "{'/names':['GUILDS','GUILD_MEMBERS','GUILD_PRESENCES','GUILD_MESSAGES']}" },
    { "discord.py's names for several", "{'intents':['messages','reactions','typing','polls']}",
      NULL,
      "{'/names':['GUILD_MESSAGES','GUILD_MESSAGE_REACTIONS','GUILD_MESSAGE_TYPING',"
      "'DIRECT_MESSAGES','DIRECT_MESSAGE_REACTIONS','DIRECT_MESSAGE_TYPING','GUILD_MESSAGE_POLLS',"
      "'DIRECT_MESSAGE_POLLS']}" },
    { "discord.py's other names",
      "{'intents':['members','moderation','bans','emojis','emojis_and_stickers','expressions',"
      "'integrations','webhooks','invites','voice_states','presences','guild_reactions',"
      "'dm_messages','guild_typing','message_content','guild_scheduled_events','auto_moderation',"
      "'guild_polls','dm_polls','dm_reactions','dm_typing']}",
      NULL,
      "{'/names':['GUILD_MEMBERS','GUILD_MODERATION','GUILD_EXPRESSIONS','GUILD_INTEGRATIONS',"
      "'GUILD_WEBHOOKS','GUILD_INVITES','GUILD_VOICE_STATES','GUILD_PRESENCES',"
      "'GUILD_MESSAGE_REACTIONS','GUILD_MESSAGE_TYPING','DIRECT_MESSAGES',"
      "'DIRECT_MESSAGE_REACTIONS','DIRECT_MESSAGE_TYPING','MESSAGE_CONTENT',"
      "'GUILD_SCHEDULED_EVENTS','AUTO_MODERATION_CONFIGURATION','AUTO_MODERATION_EXECUTION',"
      "'GUILD_MESSAGE_POLLS','DIRECT_MESSAGE_POLLS']}" },
    { "other libraries' names of direct messages, events and contents",
      "{'intents':['DM_MESSAGE_REACTIONS','DM_MESSAGE_TYPING','DM_MESSAGE_POLLS','SCHEDULED_EVENTS'"
      ","
      "'MessageContents']}",
      NULL,
      "{'/names':['DIRECT_MESSAGE_REACTIONS','DIRECT_MESSAGE_TYPING','MESSAGE_CONTENT',"
      "'GUILD_SCHEDULED_EVENTS','DIRECT_MESSAGE_POLLS']}" },
    { "their words for several",
      "{'intents':['ALL_MESSAGES','ALL_POLLS','ScheduledGuildEvents','AutoModerationEvents']}",
      NULL,
      "{'/names':['GUILD_MESSAGES','DIRECT_MESSAGES','GUILD_SCHEDULED_EVENTS',"
      "'AUTO_MODERATION_CONFIGURATION','AUTO_MODERATION_EXECUTION','GUILD_MESSAGE_POLLS',"
      "'DIRECT_MESSAGE_POLLS']}" },
    { "all that need no permission", "{'intents':'ALL_UNPRIVILEGED'}", NULL,
      "{'/intents':53575421}" },
    { "all that do", "{'intents':'ALL_PRIVILEGED'}", NULL, "{'/intents':33026}" },
    { "the kind within the name",
      "{'intents':'discordgo.IntentsGuildMessages | IntentGuilds, INTENTS_GUILD_MEMBERS'}", NULL,
      "{'/names':['GUILDS','GUILD_MEMBERS','GUILD_MESSAGES']}" },
    { "former names",
      "{'intents':['GUILD_BANS','GUILD_EMOJIS','GUILD_EMOJIS_AND_STICKERS','AUTOMOD_EXECUTION',"
      "'AUTOMOD_CONFIGURATION']}",
      NULL,
      "{'/names':['GUILD_MODERATION','GUILD_EXPRESSIONS','AUTO_MODERATION_CONFIGURATION',"
      "'AUTO_MODERATION_EXECUTION']}" },
    { "details", "{'intents':['GUILD_BANS','GUILD_MEMBERS']}", NULL,
      "{'/details/1':{'name':'GUILD_MODERATION','bit':2,'value':4,'privileged':false,"
      "'events':['GUILD_AUDIT_LOG_ENTRY_CREATE','GUILD_BAN_ADD','GUILD_BAN_REMOVE']},"
      "'/details/0/events':['GUILD_MEMBER_ADD','GUILD_MEMBER_REMOVE','GUILD_MEMBER_UPDATE',"
      "'THREAD_MEMBERS_UPDATE']}" },
    { "the union of events is sorted and has no doubles",
      "{'intents':['invites','guild_messages',"
      "'dm_messages']}",
      NULL,
      "{'/events':['CHANNEL_PINS_UPDATE','INVITE_CREATE','INVITE_DELETE','MESSAGE_CREATE',"
      "'MESSAGE_DELETE','MESSAGE_DELETE_BULK','MESSAGE_UPDATE']}" },
    { "added, then removed", "{'intents':1,'add':['2','GUILD_BANS'],'remove':1}", NULL,
      "{'/intents':6}" },
    { "no privileged ones", "{'intents':'ALL','exclude_privileged':true}", NULL,
      "{'/intents':53575421}" },

    { "events on both sides", "{'events':['MESSAGE_CREATE']}", NULL, "{'/intents':4608}" },
    { "in guilds", "{'events':['MESSAGE_CREATE'],'scope':'guild'}", NULL, "{'/intents':512}" },
    { "in direct messages", "{'events':['message-create'],'scope':'dm'}", NULL,
      "{'/intents':4096}" },
    { "in guilds only, whatever the scope", "{'events':['MessageDeleteBulk'],'scope':'dm'}", NULL,
      "{'/intents':512}" },
    { "pins in guilds", "{'events':['CHANNEL_PINS_UPDATE'],'scope':'guild'}", NULL,
      "{'/intents':1}" },
    { "pins in direct messages", "{'events':['CHANNEL_PINS_UPDATE'],'scope':'dm'}", NULL,
      "{'/intents':4096}" },
    { "the least for members of threads", "{'events':['THREAD_MEMBERS_UPDATE']}", NULL,
      "{'/intents':1}" },
    { "what always comes needs nothing", "{'events':['INTERACTION_CREATE','READY']}", NULL,
      "{'/intents':0,'/events_not_covered':[]}" },
    { "events and intents", "{'events':['INVITE_CREATE'],'intents':'GUILDS'}", NULL,
      "{'/intents':65}" },
    { "not covered",
      "{'events':['PRESENCE_UPDATE','GUILD_MEMBER_ADD','PRESENCE_UPDATE','INVITE_CREATE'],"
      "'exclude_privileged':true}",
      NULL, "{'/intents':64,'/events_not_covered':['PRESENCE_UPDATE','GUILD_MEMBER_ADD']}" },
    { "content of messages",
      "{'events':['MESSAGE_UPDATE','GUILD_CREATE'],'scope':'guild',"
      "'message_content':true}",
      NULL, "{'/intents':33281}" },
    { "content with intents of messages", "{'intents':'GUILD_MESSAGES','message_content':true}",
      NULL, "{'/intents':33280}" },
    { "content with added intents of messages",
      "{'intents':'GUILDS','add':'GUILD_MESSAGES','message_content':true}", NULL,
      "{'/intents':33281}" },
    { "content removed again",
      "{'intents':'GUILD_MESSAGES','message_content':true,'remove':'MESSAGE_CONTENT'}", NULL,
      "{'/intents':512}" },
    { "no event with content", "{'events':['MESSAGE_DELETE'],'message_content':true}", NULL,
      "{'/intents':4608,'/warnings/0/code':'message_content_without_messages',"
      "'/warnings/0/path':'message_content'}" },

    { "bits that are not documented", "{'intents':131073}", NULL,
      "{'/unknown_bits':[17],'/names':['GUILDS'],'/warnings/0/code':'unknown_bits'}" },
    { "content without messages", "{'intents':['GUILDS','MESSAGE_CONTENT']}", NULL,
      "{'/warnings#':2,'/warnings/0/code':'message_content_without_messages',"
      "'/warnings/1/code':'privileged'}" },
    { "no guilds", "{'intents':['GUILD_MESSAGES']}", NULL,
      "{'/warnings#':1,'/warnings/0/code':'guilds_missing'}" },
    { "members without guilds", "{'intents':['GUILD_MEMBERS']}", NULL,
      "{'/warnings#':3,'/warnings/0/code':'guilds_missing',"
      "'/warnings/1/code':'members_without_guilds','/warnings/2/code':'privileged'}" },
    { "content of direct messages alone", "{'intents':['GUILDS','dm_messages','MESSAGE_CONTENT']}",
      NULL, "{'/warnings/0/code':'dm_only_content_needless'}" },

    { "nothing", "{'add':'GUILDS'}", "missing_field", NULL },
    { "an unknown event", "{'events':['READY','MESAGE_CREATE']}", "unknown_event", NULL },
    { "an unknown intent", "{'intents':'GILDS'}", "unknown_intent", NULL },
    { "an unknown intent to add", "{'intents':1,'add':'x'}", "unknown_intent", NULL },
    { "an unknown intent to remove", "{'intents':1,'remove':'x'}", "unknown_intent", NULL },
    { "a negative number", "{'intents':-1}", "invalid_bitfield", NULL },
    { "2^31", "{'intents':2147483648}", "invalid_bitfield", NULL },
    { "2^31 - 1", "{'intents':2147483647}", NULL, "{'/intents':2147483647}" },
    { "a number beyond integers", "{'intents':1e300}", "precision_loss", NULL },
    { "another scope", "{'intents':1,'scope':'all'}", "invalid_value", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_intents_calc, "chatplatform-intents-calc", *state);
}

/* The events of an intent require that intent; THREAD_MEMBERS_UPDATE requires less. */
static void events_and_intents_agree(void **state)
{
    (void)state;
    scoped(json_free) cJSON *all = json_object();
    struct err err = { 0 };
    const cJSON *detail;
    assert_true(run_tool(chatplatform_intents_calc, "chatplatform-intents-calc",
                         "{'intents':'ALL'}", all, NULL, &err));
    cJSON_ArrayForEach(detail, json_get(all, "details")) {
        const cJSON *event;
        cJSON_ArrayForEach(event, json_get(detail, "events")) {
            scoped(json_free) cJSON *result = json_object();
            scoped(mem_free) char *body = str_format("{'events':['%s']}", json_text(event, ""));
            assert_true(run_tool(chatplatform_intents_calc, "chatplatform-intents-calc", body,
                                 result, NULL, &err));
            int64_t needed = (int64_t)json_at(result, "/intents")->valuedouble;
            int64_t mask = (int64_t)json_get(detail, "value")->valuedouble;
            if (strcmp(json_text(event, ""), "THREAD_MEMBERS_UPDATE") == 0)
                assert_int_equal(needed, 1);
            else
                assert_true(needed & mask);
        }
    }
}

static void the_message_names_the_nearest(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_false(run_tool(chatplatform_intents_calc, "chatplatform-intents-calc",
                          "{'events':['READY','MESAGE_CREATE']}", result, NULL, &err));
    assert_string_equal(err.message, "events[1]: unknown gateway event MESAGE_CREATE; did you "
                                     "mean MESSAGE_CREATE?");
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(events_and_intents_agree),
        cmocka_unit_test(the_message_names_the_nearest),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
