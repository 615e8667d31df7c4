/*
 * svc-chat/chatplatform-cdn-resolve/tests/chatplatform-cdn-resolve.c - built URLs, parsed URLs,
 * round trips.
 */
#include <stdio.h>

#include "chatplatform-cdn-resolve/cdn.h"
#include "expect.h"
#include "tools.h"

#define HASH                "8342729096ea3675442027381ff50dfe"
#define CDN                 "https://cdn.discordapp.com/"
#define USER                "80351110224678912"
#define BUILD(kind, fields) "{'kind':'" kind "'," fields "}"
#define MADE(kind, fields, path)                                                                \
    {                                                                                           \
        kind ", " path, BUILD(kind, fields), NULL, "{'/kind':'" kind "','/url':'" CDN path "'}" \
    }
#define URL(path) "{'url':'" CDN path "'}"
#define OF_KIND(path, kind)                                                 \
    {                                                                       \
        path, URL(path), NULL, "{'/kind':'" kind "','/url':'" CDN path "'}" \
    }

static const struct answer_row rows[] = {
    { "all of an avatar", BUILD("user_avatar", "'user_id':'" USER "','hash':'" HASH "','size':64"),
      NULL,
      "{'/kind':'user_avatar','/url':'" CDN "avatars/" USER "/" HASH ".webp?size=64',"
      "'/animated':false,'/format':'webp','/size':64,'/ids':{'user_id':'" USER "'},"
      "'/hash':'" HASH "','/static_url':'" CDN "avatars/" USER "/" HASH ".webp?size=64',"
      "'/animated_url':null,'/variants':["
      "{'format':'png','url':'" CDN "avatars/" USER "/" HASH ".png?size=64'},"
      "{'format':'jpg','url':'" CDN "avatars/" USER "/" HASH ".jpg?size=64'},"
      "{'format':'webp','url':'" CDN "avatars/" USER "/" HASH ".webp?size=64'}],"
      "'/sizes':[16,32,64,128,256,512,1024,2048,4096],"
      "'/created_at':{'user_id':'2015-08-10T17:26:37.529Z'},'/file':null,'/signature':null,"
      "'/warnings':[],'/data_revision':'2026-08-06'}" },
    { "all of one that moves",
      BUILD("user_avatar", "'user_id':"
                           "1"
                           ",'hash':'a_" HASH "'"),
      NULL,
      "{'/url':'" CDN "avatars/1/a_" HASH ".webp?animated=true','/animated':true,'/size':null,"
      "'/static_url':'" CDN "avatars/1/a_" HASH ".webp',"
      "'/animated_url':'" CDN "avatars/1/a_" HASH ".webp?animated=true','/variants#':4,"
      "'/variants/2/url':'" CDN "avatars/1/a_" HASH ".webp?animated=true',"
      "'/variants/3':{'format':'gif','url':'" CDN "avatars/1/a_" HASH ".gif'}}" },
    { "motion before size", BUILD("user_avatar", "'user_id':'1','hash':'a_" HASH "','size':128"),
      NULL, "{'/url':'" CDN "avatars/1/a_" HASH ".webp?animated=true&size=128'}" },
    { "still by force",
      BUILD("user_avatar", "'user_id':'1','hash':'a_" HASH "','force_static':true"), NULL,
      "{'/url':'" CDN "avatars/1/a_" HASH ".webp','/animated':true}" },
    { "a GIF's still picture is WebP",
      BUILD("user_avatar", "'user_id':'1','hash':'a_" HASH "','format':'gif','size':16"), NULL,
      "{'/url':'" CDN "avatars/1/a_" HASH ".gif?size=16',"
      "'/static_url':'" CDN "avatars/1/a_" HASH ".webp?size=16'}" },

    MADE("emoji", "'id':'7'", "emojis/7.webp"),
    MADE("emoji", "'id':'7','animated':true", "emojis/7.webp?animated=true"),
    MADE("emoji", "'id':'7','format':'gif'", "emojis/7.gif"),
    MADE("guild_icon", "'guild_id':'7','hash':'" HASH "'", "icons/7/" HASH ".webp"),
    MADE("guild_splash", "'guild_id':'7','hash':'" HASH "'", "splashes/7/" HASH ".webp"),
    MADE("guild_discovery_splash", "'guild_id':'7','hash':'" HASH "'",
         "discovery-splashes/7/" HASH ".webp"),
    MADE("guild_banner", "'guild_id':'7','hash':'a_" HASH "','format':'PNG'",
         "banners/7/a_" HASH ".png"),
    MADE("user_banner", "'user_id':'7','hash':'" HASH "'", "banners/7/" HASH ".webp"),
    MADE("default_avatar", "'index':5", "embed/avatars/5.png"),
    MADE("default_avatar", "'user_id':'" USER "'", "embed/avatars/5.png"),
    MADE("default_avatar", "'user_id':'" USER "','discriminator':'0'", "embed/avatars/5.png"),
    MADE("default_avatar", "'user_id':'" USER "','discriminator':1337", "embed/avatars/2.png"),
    MADE("default_avatar", "'user_id':'" USER "','discriminator':'0004'", "embed/avatars/4.png"),
    MADE("default_avatar", "'user_id':'" USER "','index':0", "embed/avatars/0.png"),
    MADE("member_avatar", "'guild_id':'7','user_id':'8','hash':'" HASH "'",
         "guilds/7/users/8/avatars/" HASH ".webp"),
    MADE("member_banner", "'guild_id':'7','user_id':'8','hash':'" HASH "'",
         "guilds/7/users/8/banners/" HASH ".webp"),
    MADE("avatar_decoration", "'asset':'a_" HASH "','size':32",
         "avatar-decoration-presets/a_" HASH ".png?size=32"),
    MADE("app_icon", "'application_id':'7','hash':'" HASH "','format':'jpeg'",
         "app-icons/7/" HASH ".jpeg"),
    MADE("app_cover", "'application_id':'7','hash':'" HASH "','format':'jpg'",
         "app-icons/7/" HASH ".jpg"),
    MADE("app_asset", "'application_id':'7','asset_id':'8'", "app-assets/7/8.webp"),
    MADE("achievement_icon", "'application_id':'7','achievement_id':'8','hash':'" HASH "'",
         "app-assets/7/achievements/8/icons/" HASH ".webp"),
    MADE("store_asset", "'application_id':'7','asset_id':'" HASH "'",
         "app-assets/7/store/" HASH ".webp"),
    MADE("sticker_pack_banner", "'asset_id':'8'", "app-assets/710982414301790216/store/8.webp"),
    MADE("team_icon", "'team_id':'7','hash':'" HASH "'", "team-icons/7/" HASH ".webp"),
    MADE("sticker", "'id':'7'", "stickers/7.png"),
    MADE("sticker", "'id':'7','format_type':1", "stickers/7.png"),
    MADE("sticker", "'id':'7','format_type':3", "stickers/7.json"),
    MADE("sticker", "'id':'7','format':'lottie'", "stickers/7.json"),
    MADE("role_icon", "'role_id':'7','hash':'" HASH "'", "role-icons/7/" HASH ".webp"),
    MADE("channel_icon", "'channel_id':'7','hash':'" HASH "'", "channel-icons/7/" HASH ".webp"),
    MADE("event_cover", "'event_id':'7','hash':'" HASH "'", "guild-events/7/" HASH ".webp"),
    MADE("guild_tag_badge", "'guild_id':'7','hash':'" HASH "'", "guild-tag-badges/7/" HASH ".webp"),
    MADE("soundboard_sound", "'id':'7'", "soundboard-sounds/7"),
    { "a GIF sticker lies elsewhere", BUILD("sticker", "'id':'7','format_type':4"), NULL,
      "{'/url':'https://media.discordapp.net/stickers/7.gif','/animated':true,'/static_url':null,"
      "'/animated_url':'https://media.discordapp.net/stickers/7.gif','/sizes':[],"
      "'/variants':[{'format':'gif','url':'https://media.discordapp.net/stickers/7.gif'}]}" },
    { "an animated PNG sticker", BUILD("sticker", "'id':'7','format_type':2"), NULL,
      "{'/format':'png','/animated':true,'/static_url':null,'/animated_url':'" CDN
      "stickers/7.png'}" },
    { "a still sticker", BUILD("sticker", "'id':'7','format_type':1"), NULL,
      "{'/animated':false,'/static_url':'" CDN "stickers/7.png','/variants#':1}" },
    { "a sticker of an unknown type", BUILD("sticker", "'id':'7'"), NULL,
      "{'/animated':false,'/static_url':'" CDN "stickers/7.png','/variants#':3}" },
    { "an icon of a kind that never moves", BUILD("team_icon", "'team_id':'7','hash':'a_" HASH "'"),
      NULL,
      "{'/animated':false,'/static_url':'" CDN "team-icons/7/a_" HASH
      ".webp','/animated_url':null}" },
    { "the same, taken apart", URL("team-icons/7/a_" HASH ".png"), NULL,
      "{'/animated':false,'/animated_url':null}" },
    { "an invalid hash, taken apart", URL("team-icons/7/abc.png"), NULL,
      "{'/warnings/0/path':'url','/warnings/0/code':'unusual_hash'}" },
    { "a decoration that moves has no still", BUILD("avatar_decoration", "'hash':'a_" HASH "'"),
      NULL, "{'/animated':true,'/static_url':null}" },
    { "a sound", BUILD("soundboard_sound", "'id':'7'"), NULL,
      "{'/format':null,'/static_url':null,'/variants':[],'/sizes':[]}" },

    { "a size too small", BUILD("emoji", "'id':'7','size':1"), "invalid_size", NULL },
    { "a size between", BUILD("emoji", "'id':'7','size':48"), "invalid_size", NULL },
    { "a size too large", BUILD("emoji", "'id':'7','size':8192"), "invalid_size", NULL },
    { "a negative size", BUILD("emoji", "'id':'7','size':-16"), "invalid_size", NULL },
    { "no size", BUILD("emoji", "'id':'7','size':0"), "invalid_size", NULL },
    { "the smallest size", BUILD("emoji", "'id':'7','size':16"), NULL, "{'/size':16}" },
    { "the largest size", BUILD("emoji", "'id':'7','size':4096"), NULL, "{'/size':4096}" },
    { "a size that does not matter", BUILD("sticker", "'id':'7','size':64"), NULL,
      "{'/url':'" CDN "stickers/7.png','/size':null,'/warnings/0/code':'size_ignored'}" },
    { "a GIF of what does not move",
      BUILD("guild_icon", "'guild_id':'7','hash':'" HASH "','format':"
                          "'gif'"),
      "format_unavailable", NULL },
    { "a GIF of a still emoji", BUILD("emoji", "'id':'7','animated':false,'format':'gif'"),
      "format_unavailable", NULL },
    { "a format that there is not",
      BUILD("role_icon", "'role_id':'7','hash':'" HASH "','format':"
                         "'gif'"),
      "format_unavailable", NULL },
    { "an invalid format", BUILD("emoji", "'id':'7','format':'bmp'"), "format_unavailable", NULL },
    { "a format of another type", BUILD("sticker", "'id':'7','format_type':3,'format':'png'"),
      "format_unavailable", NULL },
    { "a format of a sound", BUILD("soundboard_sound", "'id':'7','format':'mp3'"),
      "format_unavailable", NULL },
    { "an unusual hash", BUILD("guild_icon", "'guild_id':'7','hash':'clyde_1'"), NULL,
      "{'/url':'" CDN "icons/7/clyde_1.webp','/warnings/0/code':'unusual_hash'}" },
    { "a hash in capitals is unusual",
      BUILD("guild_icon", "'guild_id':'7','hash':"
                          "'8342729096EA3675442027381FF50DFE'"),
      NULL, "{'/warnings/0/code':'unusual_hash'}" },
    { "a hash that climbs", BUILD("guild_icon", "'guild_id':'7','hash':'../a'"), "invalid_hash",
      NULL },
    { "a hash with a query", BUILD("guild_icon", "'guild_id':'7','hash':'a?b'"), "invalid_hash",
      NULL },
    { "an empty hash", BUILD("guild_icon", "'guild_id':'7','hash':''"), "invalid_hash", NULL },
    { "an asset that climbs", BUILD("app_asset", "'application_id':'7','asset_id':'a/b'"),
      "invalid_hash", NULL },
    { "no hash", BUILD("guild_icon", "'guild_id':'7'"), "missing_field", NULL },
    { "no id", BUILD("emoji", "'size':16"), "missing_field", NULL },
    { "no user for a default avatar", BUILD("default_avatar", "'size':16"), "missing_field", NULL },
    { "an invalid id", BUILD("emoji", "'id':'x'"), "invalid_snowflake", NULL },
    { "a negative id", BUILD("emoji", "'id':-1"), "invalid_snowflake", NULL },
    { "an invalid user", BUILD("default_avatar", "'user_id':'01'"), "invalid_snowflake", NULL },
    { "an id that lost digits", BUILD("emoji", "'id':80351110224678912"), "precision_loss", NULL },
    { "an index too large", BUILD("default_avatar", "'index':6"), "invalid_value", NULL },
    { "a negative index", BUILD("default_avatar", "'index':-1"), "invalid_value", NULL },
    { "a discriminator of five digits",
      BUILD("default_avatar", "'user_id':'7','discriminator':'00001'"), "invalid_value", NULL },
    { "a discriminator of letters", BUILD("default_avatar", "'user_id':'7','discriminator':'x'"),
      "invalid_value", NULL },
    { "another kind", BUILD("avatar", "'id':'7'"), "invalid_value", NULL },
    { "nothing", "{'id':'7'}", "missing_field", NULL },
    { "both ways", BUILD("emoji", "'id':'7','url':'" CDN "emojis/7.png'"), "conflicting_fields",
      NULL },
    { "invalid now", BUILD("emoji", "'id':'7','now':'x'"), "invalid_timestamp", NULL },

    { "an avatar taken apart", URL("avatars/" USER "/a_" HASH ".gif?size=80"), NULL,
      "{'/kind':'user_avatar','/animated':true,'/format':'gif','/size':80,"
      "'/ids':{'user_id':'" USER "'},'/hash':'a_" HASH "',"
      "'/static_url':'" CDN "avatars/" USER "/a_" HASH ".webp?size=80',"
      "'/animated_url':'" CDN "avatars/" USER "/a_" HASH ".webp?animated=true&size=80',"
      "'/variants#':4,'/warnings':[],'/created_at/user_id':'2015-08-10T17:26:37.529Z'}" },
    OF_KIND("emojis/7.webp?animated=true&size=48", "emoji"),
    OF_KIND("icons/7/" HASH ".png", "guild_icon"),
    OF_KIND("embed/avatars/3.png", "default_avatar"),
    OF_KIND("guilds/7/users/8/avatars/" HASH ".png", "member_avatar"),
    OF_KIND("app-assets/710982414301790216/store/8.png", "sticker_pack_banner"),
    OF_KIND("app-assets/7/store/8.png", "store_asset"),
    OF_KIND("app-assets/7/achievements/8/icons/" HASH ".png", "achievement_icon"),
    OF_KIND("soundboard-sounds/7", "soundboard_sound"),
    OF_KIND("stickers/7.json#x", "sticker"),
    { "an emoji that moves", URL("emojis/7.gif"), NULL, "{'/animated':true,'/variants#':4}" },
    { "an emoji that is asked to", URL("emojis/7.webp?a=b&animated=true"), NULL,
      "{'/animated':true,'/variants/2/url':'" CDN "emojis/7.webp?animated=true'}" },
    { "one that is not", URL("emojis/7.webp?animated=false"), NULL,
      "{'/animated':false,'/variants#':3}" },
    { "banners cannot be told apart", URL("banners/7/" HASH ".png"), NULL,
      "{'/kind':'guild_banner','/warnings/0/code':'ambiguous_kind','/warnings#':1}" },
    { "nor icons and covers", URL("app-icons/7/" HASH ".png"), NULL,
      "{'/kind':'app_icon','/warnings/0/code':'ambiguous_kind','/warnings#':1}" },
    { "an unusual hash in a URL", URL("icons/7/x.png"), NULL,
      "{'/hash':'x','/warnings/0/code':'unusual_hash'}" },
    { "an unusual format", URL("icons/7/" HASH ".bmp"), NULL,
      "{'/format':'bmp','/warnings/0/code':'unusual_format',"
      "'/static_url':'" CDN "icons/7/" HASH ".webp'}" },
    { "no extension", URL("icons/7/" HASH), NULL,
      "{'/format':null,'/warnings/0/code':'unusual_format'}" },
    { "an unknown path", URL("nothing/7.png"), NULL,
      "{'/kind':'unknown','/ids':{},'/hash':null,'/variants':[],'/sizes':[],'/static_url':null,"
      "'/animated_url':null,'/created_at':{},'/warnings/0/code':'unknown_path'}" },
    { "no path", "{'url':'https://cdn.discordapp.com'}", NULL, "{'/kind':'unknown'}" },
    { "a path that goes on", URL("icons/7/" HASH "/x.png"), NULL, "{'/kind':'unknown'}" },
    { "a path that ends early", URL("icons/7"), NULL, "{'/kind':'unknown'}" },
    { "an invalid id", URL("emojis/007.png"), NULL, "{'/kind':'unknown'}" },
    { "an invalid size", URL("emojis/7.png?size=99999"), NULL, "{'/size':null}" },
    { "hosts have no case", "{'url':'HTTP://CDN.DiscordApp.com/emojis/7.png'}", NULL,
      "{'/kind':'emoji'}" },
    { "the other host", "{'url':'https://media.discordapp.net/stickers/7.gif'}", NULL,
      "{'/kind':'sticker','/animated':true,'/format':'gif'}" },
    { "from elsewhere", "{'url':'https://images-ext-12.discordapp.net/external/x/https/a.b/c.png'}",
      NULL, "{'/kind':'external_proxy','/ids':{},'/variants':[],'/warnings':[]}" },
    { "an attachment",
      "{'url':'" CDN "attachments/1012345678900020080/1234567891233211234/my_image.png?ex=65d903de"
      "&is=65c68ede&hm=2481f3','now':'2024-02-23T20:45:18Z'}",
      NULL,
      "{'/kind':'attachment','/format':'png','/file':'my_image.png',"
      "'/ids':{'attachment_id':'1234567891233211234','channel_id':'1012345678900020080'},"
      "'/"
      "signature':{'expires_at':'2024-02-23T20:45:18.000Z','issued_at':'2024-02-09T20:45:18.000Z',"
      "'expired':true,'hm_present':true},'/variants':[],'/static_url':null,"
      "'/created_at/attachment_id':'2024-04-29T18:12:02.432Z'}" },
    { "one that holds",
      "{'url':'" CDN "attachments/1/2/a?ex=65d903de&hm=','now':'2024-02-23T20:45:17Z'}", NULL,
      "{'/signature':{'expires_at':'2024-02-23T20:45:18.000Z','issued_at':null,'expired':false,"
      "'hm_present':false},'/format':null,'/file':'a'}" },
    { "one without a signature", URL("ephemeral-attachments/1/2/a.TXT?exp=65d903de"), NULL,
      "{'/kind':'attachment','/signature':null,'/format':'txt'}" },
    { "one with a bad signature", URL("attachments/1/2/a.png?ex=65d9x3de&is=1"), NULL,
      "{'/signature':null}" },
    { "one with an endless signature", URL("attachments/1/2/a.png?ex=ffffffffffffffffff"), NULL,
      "{'/signature':null}" },
    { "one without a file", URL("attachments/1/2/"), NULL, "{'/kind':'unknown','/ids':{}}" },
    { "one with a folder", URL("attachments/1/2/a/b"), NULL, "{'/kind':'unknown'}" },
    { "another host", "{'url':'https://example.com/emojis/7.png'}", "not_a_cdn_url", NULL },
    { "a longer host", "{'url':'https://cdn.discordapp.com.example/emojis/7.png'}", "not_a_cdn_url",
      NULL },
    { "a host in the user part", "{'url':'https://cdn.discordapp.com@example/emojis/7.png'}",
      "not_a_cdn_url", NULL },
    { "a port", "{'url':'https://cdn.discordapp.com:443/emojis/7.png'}", "not_a_cdn_url", NULL },
    { "a proxy without a number", "{'url':'https://images-ext-.discordapp.net/x'}", "not_a_cdn_url",
      NULL },
    { "no URL", "{'url':'emojis/7.png'}", "invalid_url", NULL },
    { "no host", "{'url':'https:///emojis/7.png'}", "invalid_url", NULL },
    { "another scheme", "{'url':'ftp://cdn.discordapp.com/emojis/7.png'}", "invalid_url", NULL },
    { "an empty URL", "{'url':''}", "invalid_url", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_cdn_resolve, "chatplatform-cdn-resolve", *state);
}

/* A request for the kind with a value for every parameter. */
static char *request_for(const char *kind, const char *format, int size)
{
    return str_format("{'kind':'%s','format':'%s','size':%d,'hash':'a_" HASH "','asset_id':'" HASH
                      "','index':1,'animated':true,'id':'11','guild_id':'12','user_id':'13',"
                      "'application_id':'14','achievement_id':'15','team_id':'16','role_id':'17',"
                      "'channel_id':'18','event_id':'19'}",
                      kind, format, size);
}

static bool resolve(const char *body, cJSON *result)
{
    struct err err = { 0 };
    return run_tool(chatplatform_cdn_resolve, "chatplatform-cdn-resolve", body, result, NULL, &err);
}

/* Parsing a built URL returns the same data, except what a URL cannot contain. */
static void assert_comes_back(const cJSON *built)
{
    static const char *const same[] = { "url",        "format", "size",     "hash",
                                        "static_url", "sizes",  "signature" };
    scoped(json_free) cJSON *parsed = json_object();
    scoped(mem_free) char *body = str_format("{'url':'%s'}", json_text(built, "/url"));

    assert_true(resolve(body, parsed));
    for (size_t i = 0; i < countof(same); i++)
        if (!json_equal(json_get(built, same[i]), json_get(parsed, same[i])))
            fail_msg("%s of %s", same[i], body);
}

static void build_and_parse_agree(void **state)
{
    (void)state;
    static const char *const formats[] = { "png", "jpg", "jpeg", "webp", "gif", "json" };
    const struct cdn_kind *kind;
    int built = 0;

    for (size_t k = 0; (kind = cdn_kind_at(k)); k++)
        for (size_t f = 0; f < countof(formats); f++)
            for (int size = 16; size <= 4096; size *= 4) {
                scoped(json_free) cJSON *result = json_object();
                scoped(mem_free) char *body = request_for(kind->name, formats[f], size);
                bool has = kind->formats & cdn_extension(text_of(formats[f]))->format;
                assert_int_equal(resolve(body, result), has);
                if (!has)
                    continue;
                assert_comes_back(result);
                built++;
            }
    assert_true(built > 400);
}

static void the_messages_help(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *message;
    } refused[] = {
        { BUILD("emoji", "'id':'7','size':50"),
          "size must be a power of two from 16 to 4096; the nearest to 50 is 64" },
        { BUILD("guild_icon", "'guild_id':'7','hash':'" HASH "','format':'gif'"),
          "this guild_icon comes as png, jpg, webp" },
        { BUILD("soundboard_sound", "'id':'7','format':'ogg'"),
          "this soundboard_sound comes as a file without extension" },
        { BUILD("member_avatar", "'guild_id':'7','hash':'" HASH "'"),
          "user_id is required for the kind member_avatar" },
    };
    for (size_t i = 0; i < countof(refused); i++) {
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        assert_false(run_tool(chatplatform_cdn_resolve, "chatplatform-cdn-resolve", refused[i].body,
                              result, NULL, &err));
        assert_string_equal(err.message, refused[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(build_and_parse_agree),
        cmocka_unit_test(the_messages_help),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
