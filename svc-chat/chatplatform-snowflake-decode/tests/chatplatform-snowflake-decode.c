/*
 * svc-chat/chatplatform-snowflake-decode/tests/chatplatform-snowflake-decode.c - ids, texts with
 * ids, encoding.
 */
#include <inttypes.h>
#include <stdio.h>

#include "expect.h"
#include "platform/snowflake.h"
#include "tools.h"

#define REAL "175928847299117063"
#define NOW  "'now':'2021-04-20T21:20:30Z'"

static const struct answer_row rows[] = {
    { "the documentation's example", "{'snowflake':'" REAL "'," NOW "}", NULL,
      "{'/snowflake':'175928847299117063','/form':'id','/timestamp':'2016-04-30T11:18:25.796Z',"
      "'/unix':1462015105,'/unix_ms':1462015105796,'/epoch_ms':41944705796,'/worker_id':1,"
      "'/process_id':0,'/increment':7,"
      "'/binary':'0000001001110001000001100101101011000001000000100000000000000111',"
      "'/hex':'0x0271065ac1020007','/age_seconds':156938524,'/relative':'5 years ago',"
      "'/default_avatar_index':2,'/shard_id':null,'/warnings':[],'/related':[],"
      "'/discord_tag':'<t:1462015105:F>'}" },
    { "the name id", "{'id':'" REAL "'}", NULL, "{'/increment':7}" },
    { "an integer that is exact", "{'snowflake':9007199254740991}", NULL,
      "{'/snowflake':'9007199254740991','/warnings/0/code':'short_snowflake'}" },
    { "an integer that is not", "{'snowflake':" REAL "}", "precision_loss", NULL },
    { "a negative integer that is not", "{'snowflake':-" REAL "}", "precision_loss", NULL },
    { "zero", "{'snowflake':0," NOW "}", NULL,
      "{'/timestamp':'2015-01-01T00:00:00.000Z','/warnings#':1,'/epoch_ms':0}" },
    { "the greatest", "{'snowflake':'18446744073709551615'," NOW "}", NULL,
      "{'/timestamp':'2154-05-15T07:35:11.103Z','/worker_id':31,'/process_id':31,'/increment':4095,"
      "'/warnings/0/code':'exceeds_int64','/warnings/1/code':'in_future','/warnings#':2,"
      "'/age_seconds':-4199163282,'/relative':'in 133 years'}" },
    { "the greatest signed", "{'snowflake':'9223372036854775807'," NOW "}", NULL,
      "{'/warnings/0/code':'in_future','/warnings#':1}" },
    { "16 digits are short", "{'snowflake':'9999999999999999'," NOW "}", NULL,
      "{'/warnings/0/code':'short_snowflake','/warnings/0/path':'snowflake'}" },
    { "17 digits are not", "{'snowflake':'10000000000000000'," NOW "}", NULL, "{'/warnings':[]}" },
    { "a minute ahead is a slow clock", "{'snowflake':'834176727121920000','now':1618953570}", NULL,
      "{'/warnings':[],'/age_seconds':-60,'/relative':'in a minute'}" },
    { "more than a minute is not", "{'snowflake':'834176727121920000','now':1618953569.9}", NULL,
      "{'/warnings/0/code':'in_future','/age_seconds':-61}" },
    { "65 bits", "{'snowflake':'18446744073709551616'}", "invalid_snowflake", NULL },
    { "a sign", "{'snowflake':'-1'}", "invalid_snowflake", NULL },
    { "a plus", "{'snowflake':'+1'}", "invalid_snowflake", NULL },
    { "a negative integer", "{'snowflake':-1}", "invalid_snowflake", NULL },
    { "a fraction", "{'snowflake':'1.5'}", "invalid_snowflake", NULL },
    { "a leading zero", "{'snowflake':'01'}", "invalid_snowflake", NULL },
    { "letters", "{'snowflake':'12a'}", "invalid_snowflake", NULL },
    { "nothing", "{'snowflake':''}", "invalid_snowflake", NULL },
    { "blanks around", "{'snowflake':' 1\\n'}", NULL, "{'/snowflake':'1','/form':'id'}" },
    { "a blank inside", "{'snowflake':'1 1'}", "invalid_snowflake", NULL },
    { "a link without its preview", "{'snowflake':'<https://www.discord.com/users/" REAL ">'}",
      NULL, "{'/snowflake':'" REAL "','/form':'user_link','/related/0/role':'user'}" },
    { "a webhook", "{'snowflake':'https://discord.com/api/v10/webhooks/" REAL "/abc-def'}", NULL,
      "{'/form':'webhook_link','/related/0/role':'webhook'}" },
    { "an event", "{'snowflake':'https://discord.com/events/1/" REAL "'}", NULL,
      "{'/snowflake':'" REAL "','/form':'event_link','/related/1/role':'event'}" },
    { "an event of nowhere", "{'snowflake':'https://discord.com/events/1'}", "invalid_snowflake",
      NULL },
    { "Arabic digits", "{'snowflake':'\u0661'}", "invalid_snowflake", NULL },
    { "a number with a fraction", "{'snowflake':1.5}", "invalid_type", NULL },
    { "a list", "{'snowflake':[]}", "invalid_type", NULL },
    { "no subject", "{}", "missing_field", NULL },
    { "two subjects", "{'snowflake':'1','timestamp':1}", "conflicting_fields", NULL },
    { "two other subjects", "{'snowflakes':['1'],'timestamp':1}", "conflicting_fields", NULL },

    { "a user", "{'snowflake':'<@" REAL ">'}", NULL, "{'/form':'user_mention','/increment':7}" },
    { "a user by nickname", "{'snowflake':'<@!" REAL ">'}", NULL, "{'/form':'user_mention'}" },
    { "a channel", "{'snowflake':'<#" REAL ">'}", NULL, "{'/form':'channel_mention'}" },
    { "a role", "{'snowflake':'<@&" REAL ">'}", NULL, "{'/form':'role_mention','/related':[]}" },
    { "a command", "{'snowflake':'</ping:" REAL ">'}", NULL, "{'/form':'command_mention'}" },
    { "a subcommand", "{'snowflake':'</config log set:" REAL ">'}", NULL,
      "{'/form':'command_mention','/increment':7}" },
    { "four words", "{'snowflake':'</a b c d:" REAL ">'}", "invalid_snowflake", NULL },
    { "an empty word", "{'snowflake':'</a :" REAL ">'}", "invalid_snowflake", NULL },
    { "no word", "{'snowflake':'</:" REAL ">'}", "invalid_snowflake", NULL },
    { "a command cut off", "{'snowflake':'</a'}", "invalid_snowflake", NULL },
    { "an emoji", "{'snowflake':'<:so_9:" REAL ">'}", NULL, "{'/form':'emoji'}" },
    { "an animated emoji", "{'snowflake':'<a:x:" REAL ">'}", NULL, "{'/form':'animated_emoji'}" },
    { "an emoji without a name", "{'snowflake':'<::" REAL ">'}", "invalid_snowflake", NULL },
    { "an emoji cut off", "{'snowflake':'<:x'}", "invalid_snowflake", NULL },
    { "a linked role", "{'snowflake':'<id:linked-roles:" REAL ">'}", NULL,
      "{'/form':'linked_role'}" },
    { "a mention without an end", "{'snowflake':'<@" REAL "'}", "invalid_snowflake", NULL },
    { "a mention and more", "{'snowflake':'<@" REAL "> a'}", "invalid_snowflake", NULL },
    { "a mention and a blank", "{'snowflake':'<@" REAL "> '}", NULL, "{'/form':'user_mention'}" },
    { "a mention of nobody", "{'snowflake':'<@>'}", "invalid_snowflake", NULL },

    { "a message link", "{'snowflake':'https://discord.com/channels/1/2/" REAL "'," NOW "}", NULL,
      "{'/form':'message_link','/snowflake':'" REAL "','/related#':3,'/related/0/role':'guild',"
      "'/related/0/snowflake':'1','/related/1/role':'channel','/related/1/snowflake':'2',"
      "'/related/2/role':'message','/related/2/timestamp':'2016-04-30T11:18:25.796Z'}" },
    { "of a direct message", "{'snowflake':'http://PTB.discordapp.com/channels/@me/2/3?x#y'}", NULL,
      "{'/form':'message_link','/snowflake':'3','/related#':2,'/related/0/role':'channel'}" },
    { "a channel link", "{'snowflake':'https://canary.discord.com/channels/1/2/'}", NULL,
      "{'/form':'channel_link','/snowflake':'2','/related#':2}" },
    { "a guild alone", "{'snowflake':'https://discord.com/channels/1'}", "invalid_snowflake",
      NULL },
    { "a link with four ids", "{'snowflake':'https://discord.com/channels/1/2/3/4'}",
      "invalid_snowflake", NULL },
    { "another host", "{'snowflake':'https://discord.com.example/channels/1/2'}",
      "invalid_snowflake", NULL },
    { "a host in the user part", "{'snowflake':'https://discord.com@example/channels/1/2'}",
      "invalid_snowflake", NULL },
    { "an attachment",
      "{'snowflake':'https://cdn.discordapp.com/attachments/1/" REAL "/a.png?ex=1'}", NULL,
      "{'/form':'attachment_url','/snowflake':'" REAL "','/related/0/role':'channel',"
      "'/related/1/role':'attachment','/related#':2}" },
    { "an ephemeral attachment",
      "{'snowflake':'https://media.discordapp.net/ephemeral-attachments/1/2/a'}", NULL,
      "{'/form':'attachment_url'}" },
    { "an attachment without a file", "{'snowflake':'https://cdn.discordapp.com/attachments/1/2/'}",
      "invalid_snowflake", NULL },

    { "Twitter's epoch", "{'snowflake':'1212092628029698048','epoch':'twitter'}", NULL,
      "{'/timestamp':'2019-12-31T19:26:16.771Z'}" },
    { "an epoch in milliseconds", "{'snowflake':'4194304','epoch':0}", NULL, "{'/unix_ms':1}" },
    { "an epoch as text", "{'snowflake':'4194304','epoch':'4102444800000'}", NULL,
      "{'/unix_ms':4102444800001}" },
    { "an epoch too late", "{'snowflake':'1','epoch':4102444800001}", "invalid_value", NULL },
    { "an epoch too late, as text", "{'snowflake':'1','epoch':'4102444800001'}", "invalid_value",
      NULL },
    { "a negative epoch", "{'snowflake':'1','epoch':-1}", "invalid_value", NULL },
    { "an unknown epoch", "{'snowflake':'1','epoch':'myspace'}", "invalid_value", NULL },
    { "a shard", "{'snowflake':'" REAL "','shard_count':5}", NULL, "{'/shard_id':1}" },
    { "one shard", "{'snowflake':'" REAL "','shard_count':1}", NULL, "{'/shard_id':0}" },
    { "no shard", "{'snowflake':'1','shard_count':0}", "invalid_value", NULL },
    { "invalid now", "{'snowflake':'1','now':'soon'}", "invalid_timestamp", NULL },

    { "many", "{'snowflakes':['1','<@2>',3,'x'," REAL ",1.5,true,[1],{}]," NOW "}", NULL,
      "{'/count':9,'/valid_count':3,'/items/0/valid':true,'/items/0/error':null,"
      "'/items/0/decoded/snowflake':'1','/items/0/decoded/warnings/0/path':'snowflakes[0]',"
      "'/items/1/input':'<@2>','/items/1/decoded/form':'user_mention','/items/2/input':3,"
      "'/items/3/valid':false,'/items/3/decoded':null,'/items/3/error/code':'invalid_snowflake',"
      "'/items/4/error/code':'precision_loss','/items/4/input':null,"
      "'/items/5/error/code':'invalid_snowflake','/items/5/input':null,'/items/6/input':null,"
      "'/items/7/error/code':'invalid_snowflake','/items/8/valid':false}" },
    { "none of many", "{'snowflakes':[]}", "too_few_items", NULL },

    { "encoded", "{'timestamp':'2021-04-20T21:20:30Z'}", NULL,
      "{'/timestamp':'2021-04-20T21:20:30.000Z','/unix_ms':1618953630000,'/epoch':1420070400000,"
      "'/min_snowflake':'834176727121920000','/max_snowflake':'834176727126114303',"
      "'/before':'834176727126114304','/after':'834176727121919999'}" },
    { "encoded at the epoch", "{'timestamp':1420070400}", NULL,
      "{'/min_snowflake':'0','/max_snowflake':'4194303','/after':'0'}" },
    { "encoded before the epoch", "{'timestamp':1420070399.999}", "timestamp_out_of_range", NULL },
    { "the last that fits", "{'timestamp':5818116911103}", NULL,
      "{'/max_snowflake':'18446744073709551615','/before':null}" },
    { "one beyond", "{'timestamp':5818116911104}", "timestamp_out_of_range", NULL },
    { "encoded by another epoch", "{'timestamp':1,'epoch':0}", NULL,
      "{'/min_snowflake':'4194304000','/epoch':0}" },
    { "encoded now", "{'timestamp':'now'," NOW "}", NULL,
      "{'/min_snowflake':'834176727121920000'}" },
    { "encoded from nonsense", "{'timestamp':'soon'}", "invalid_timestamp", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_snowflake_decode, "chatplatform-snowflake-decode", *state);
}

/* Decoding an encoded instant returns the instant. */
static void encode_and_decode_agree(void **state)
{
    (void)state;
    for (int64_t ms = 1420070400000; ms < 5818116911104; ms += 87960930222 + 7) {
        scoped(json_free) cJSON *encoded = json_object();
        scoped(json_free) cJSON *decoded = json_object();
        char body[128];
        struct err err = { 0 };
        snprintf(body, sizeof(body), "{'timestamp':%" PRId64 "}", ms);
        assert_true(run_tool(chatplatform_snowflake_decode, "chatplatform-snowflake-decode", body,
                             encoded, NULL, &err));
        snprintf(body, sizeof(body), "{'snowflake':'%s'}", json_text(encoded, "/max_snowflake"));
        assert_true(run_tool(chatplatform_snowflake_decode, "chatplatform-snowflake-decode", body,
                             decoded, NULL, &err));
        assert_int_equal((int64_t)json_at(decoded, "/unix_ms")->valuedouble, ms);
    }
}

static void a_hundred_are_the_most(void **state)
{
    (void)state;
    for (int count = 100; count <= 101; count++) {
        scoped(buf_free) struct buf body = BUF(1 << 16);
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        buf_add_str(&body, "{'snowflakes':[0");
        for (int i = 1; i < count; i++)
            buf_format(&body, ",%d", i);
        buf_add_str(&body, "]}");
        bool ok = run_tool(chatplatform_snowflake_decode, "chatplatform-snowflake-decode",
                           buf_str(&body), result, NULL, &err);
        assert_int_equal(ok, count == 100);
        assert_int_equal(err.kind, ok ? ERR_NONE : ERR_TOO_MANY_ITEMS);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(encode_and_decode_agree),
        cmocka_unit_test(a_hundred_are_the_most),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
