/*
 * svc-chat/chatplatform-moderate/tests/chatplatform-moderate.c - what each rule finds and does not
 * find; scores, actions, redaction.
 */
#include "chatplatform-moderate/rules.h"
#include "expect.h"
#include "tools.h"

#define SAYS(text)       "{'text':'" text "'}"
#define WITH(text, more) "{'text':'" text "'," more "}"
#define FINDS(rule, text)                                                  \
    {                                                                      \
        rule ": " text, SAYS(text), NULL, "{'/matches/0/rule':'" rule "'}" \
    }
#define ALLOWS(text)                                                     \
    {                                                                    \
        "allowed: " text, SAYS(text), NULL, "{'/matches#':0,'/score':0}" \
    }
#define READS(text, how)                                                             \
    {                                                                                \
        how ": " text, SAYS(text), NULL,                                             \
            "{'/matches/0/rule':'profanity_4','/matches/0/obfuscation/0':'" how "'," \
            "'/matches/0/normalized':'fuck','/matches/0/points':72,'/flagged':true}" \
    }

#define PASSES(text)                                            \
    {                                                           \
        "passes: " text, SAYS(text), NULL, "{'/flagged':false}" \
    }
#define FAR       "one two three four five six seven eight nine ten "
#define TEN_EMOJI "😀😁😂😃😄😅😆😇😈😉"

static const struct answer_row rows[] = {
    { "nothing to say", SAYS("Good morning! Who is up for a game tonight?"), NULL,
      "{'/flagged':false,'/action':'allow','/score':0,'/severity':'none','/matches#':0,"
      "'/categories/slur':{'flagged':false,'score':0},'/support_recommended':false,"
      "'/normalized_text':'good morning who is up for a game tonight ','/ruleset':'2026-11-28',"
      "'/signals/length':43,'/signals/letters':33,'/signals/lines':1,'/signals/longest_run':2}" },

    /* words */
    FINDS("profanity_1", "damn"),
    FINDS("profanity_2", "bastard"),
    FINDS("profanity_3", "bullshit"),
    FINDS("profanity_4", "fuck this"),
    FINDS("slur_3", "retard"),
    FINDS("slur_4", "faggot"),
    FINDS("sexual_explicit", "blowjob"),
    FINDS("sexual_solicitation", "send nudes"),
    FINDS("sexual_minors", "child porn"),
    FINDS("sexual_minors", "nudes of a 12 year old"),
    FINDS("insult", "moron"),
    FINDS("insult_aimed", "you absolute moron"),
    FINDS("insult_aimed", "moron <@80351110224678912>"),
    FINDS("threat_violence", "i will kill you"),
    FINDS("threat_violence", "going to fucking stab him"),
    FINDS("threat_exposure", "i know where you live"),
    FINDS("threat_veiled", "watch your back"),
    FINDS("self_harm_encouraged", "kill yourself"),
    FINDS("self_harm_ideation", "i want to die"),
    FINDS("scam_lure", "free nitro"),
    FINDS("profanity_3", "Was für ein Arschlöcher"),
    FINDS("profanity_4", "hijo de puta"),
    FINDS("profanity_3", "quel connard"),
    FINDS("profanity_4", "vai se foder"),
    FINDS("profanity_4", "vaffanculo"),
    FINDS("profanity_4", "иди нахуй"),
    FINDS("profanity_4", "amına koyayım"),

    /* disguises of every kind */
    FINDS("profanity_3", "sh**it**head"),
    FINDS("profanity_3", "bi||tch||"),
    FINDS("profanity_4", "f🔥u🔥c🔥k"),
    FINDS("profanity_4", "f 🔥 u 🔥 c 🔥 k"),
    FINDS("profanity_4", "fuuck"),
    FINDS("profanity_3", "ʇıɥs"),
    FINDS("profanity_4", "⒡⒰⒞⒦"),
    FINDS("profanity_4", "пи3дец"),
    FINDS("profanity_4", "х у й"),
    FINDS("profanity_4", "нах*й"),
    FINDS("profanity_2", "cyка"),
    FINDS("profanity_3", "cockgobblers"),
    FINDS("threat_violence", "i will find you and beat you up"),
    FINDS("illegal_trade", "stolen credit cards here"),

    /* misspellings, compounds, plurals, and phrases without blanks */
    FINDS("profanity_3", "azzhole"),
    FINDS("profanity_3", "byat*h"),
    FINDS("profanity_3", "byatch"),
    FINDS("profanity_3", "shittiest"),
    FINDS("profanity_3", "cocksukka"),
    FINDS("profanity_3", "asshoppers"),
    FINDS("profanity_3", "cockholster"),
    FINDS("profanity_3", "bitchez"),
    FINDS("profanity_3", "dumbshits"),
    FINDS("profanity_3", "wankers"),
    FINDS("profanity_4", "thundercunt"),
    FINDS("profanity_4", "motherfvcker"),
    FINDS("slur_3", "towel heads"),
    FINDS("slur_3", "#bumbandits"),
    FINDS("slur_4", "porchmonkeyz"),
    FINDS("slur_4", "moon crickets"),
    FINDS("slur_4", "datnigga"),
    FINDS("slur_4", "christ killers"),
    FINDS("profanity_3", "#carpetmunchers"),
    FINDS("sexual_explicit", "#goldenshower"),
    FINDS("sexual_explicit", "pornqueens"),
    FINDS("sexual_explicit", "masturbatory"),
    FINDS("sexual_explicit", "titwanks"),
    FINDS("self_harm_encouraged", "#killyourself"),
    FINDS("profanity_4", "fils de chienne"),
    FINDS("profanity_4", "vai se fuder"),
    FINDS("profanity_4", "concha de tu madre"),
    FINDS("profanity_4", "diocane"),
    FINDS("profanity_3", "stronzone"),
    FINDS("slur_3", "Kampflesbe"),
    FINDS("profanity_4", "suka blyat"),
    FINDS("profanity_4", "охуительно"),
    FINDS("profanity_3", "orospulara"),
    FINDS("profanity_3", "scrotez"),
    FINDS("profanity_3", "ballbags"),
    FINDS("profanity_3", "pissoff"),
    FINDS("profanity_3", "a superbitch"),
    FINDS("profanity_3", "dumbassez"),
    FINDS("profanity_3", "wanking"),
    FINDS("profanity_3", "you dirty bastard"),
    FINDS("profanity_3", "#stupidbitches"),
    FINDS("profanity_3", "such a prick"),
    FINDS("profanity_3", "🖕🏽"),
    FINDS("profanity_3", "hey🖕you"),
    FINDS("profanity_3", "ty klootzak"),
    FINDS("profanity_4", "muthafecker"),
    FINDS("profanity_4", "cuntz"),
    FINDS("profanity_4", "kurwa mać"),
    FINDS("slur_3", "gaybobs"),
    FINDS("slur_3", "slant-eyed"),
    FINDS("slur_4", "mcfagget"),
    FINDS("sexual_explicit", "ejaculating"),
    FINDS("sexual_explicit", "fingerbanged"),
    FINDS("profanity_3", "what bollox"),
    FINDS("sexual_explicit", "i\\u0027m cumming"),
    FINDS("insult_aimed", "you bimbo"),
    { "a homonym among birds is mild", SAYS("two tits came to the bird feeder"), NULL,
      "{'/matches/0/rule':'profanity_2','/flagged':false}" },
    { "alone it is not", SAYS("show me, tits"), NULL,
      "{'/matches/0/rule':'profanity_3','/flagged':true}" },
    { "a dance", SAYS("the skanks of dub and reggae"), NULL, "{'/flagged':false}" },
    { "a mountain", SAYS("wir fahren auf den Wank bei Garmisch"), NULL, "{'/flagged':false}" },
    { "a plant", SAYS("bastard toadflax"), NULL, "{'/flagged':false}" },
    { "an heir", SAYS("the Bastard of Orleans"), NULL, "{'/flagged':false}" },
    { "a needle", SAYS("when you prick a balloon"), NULL, "{'/flagged':false}" },
    { "a genitive", SAYS("the blue tit\\u0027s nest"), NULL, "{'/flagged':false}" },
    ALLOWS("the count of Monte Cristo is Dumas\\u0027s best; Dumas’s son"),
    ALLOWS("Royal Troon, Titz and Faggeto Lario; Quim and Alan Cumming"),
    ALLOWS("een bastaard, de domme hond; я купил шапку"),
    ALLOWS("X-rated films are not for kids; Never Mind the Bollocks"),
    ALLOWS("thumbs 👍, ☝ and 🖐"),
    ALLOWS("cumin, an ammonoid, sniglets"),
    ALLOWS("a giftcard: https://shop.example/giftcards"),
    ALLOWS("huesos de la mano, ein Fuder Heu, che lezzo"),
    ALLOWS("an anal fissure, a semen analysis"),
    ALLOWS("the Rape Crisis Centre; charged with rape"),
    ALLOWS("a white power supply, a redskin potato, midget submarines"),
    ALLOWS("Guido van Rossum walks on Offa\\u0027s Dyke; combat sambo"),

    /* keys, and texts that only look like keys */
    FINDS("api_key", "npm_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"),
    FINDS("api_key", "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567"),
    FINDS("api_key", "SG.aBcDeFgHiJkLmNoPqRsTuV.aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg"),
    FINDS("api_key", "AccountKey=aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRs+/mA=="),
    FINDS("bot_token", "MTA5ODc2NTQzMjEwOTg3NjU0MzI.GaBcDe.aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6jK"),
    FINDS("connection", "postgres://admin:hunter2secret@db.example.com/app"),
    FINDS("connection", "mongodb+srv://root:S3cr3t99@cluster0.mongodb.net"),
    ALLOWS("postgres://user:password@localhost/db"),
    ALLOWS("OrganizationUnit.Domain.SubDomain"),

    /* invites with spaces */
    FINDS("invite", "discord . gg / abc"),
    FINDS("invite", "discord。gg/abcdef"),
    FINDS("invite", "discord.gg%2Fabcdef"),
    FINDS("invite", "discord dot gg slash abcdef"),
    FINDS("invite", "join .gg/coolserver"),
    ALLOWS("discord.gg is a domain"),

    /* ordinary words of other languages */
    ALLOWS("Chinks in the armor"),
    ALLOWS("Coon Rapids, Minnesota"),
    ALLOWS("Schwanz vom Hund"),
    ALLOWS("Retrasado el vuelo"),
    ALLOWS("Sucer une glace"),
    ALLOWS("O lixo da rua"),
    ALLOWS("Il volo ritardato"),
    ALLOWS("en retard"),
    ALLOWS("команда требует мандарины"),
    ALLOWS("cookies and a bookkeeper"),

    /* harmless words */
    ALLOWS("Scunthorpe and Penistone in Essex"),
    ALLOWS("the classic assassin passes the embassy"),
    ALLOWS("who\\u0027re you? we\\u0027ll see"),
    ALLOWS("Dickens had a cocktail and shiitake with Hitchcock"),
    ALLOWS("cl4ss and gl@ss"),
    ALLOWS("got it, bite me not"),
    ALLOWS("Привет, как дела? Купи хлеба, сегодня команда играет"),
    ALLOWS("日本語のテキストです。今日はいい天気ですね"),
    ALLOWS("sauté the jalapeño at the café"),
    ALLOWS("will you kill the process? hit me up later"),
    ALLOWS("it costs 5€ or $455"),
    ALLOWS("see chapter 1.2.3.4.5 of README.md, e.g. main.py"),
    ALLOWS("C:\\\\temp - 2026-11-21 12:30"),
    { "an insult far from its aim", SAYS("you there: this one plan looks stupid"), NULL,
      "{'/matches/0/rule':'insult','/flagged':false}" },
    { "a name of one's own for a child does not count", SAYS("a 12 year old girl wrote a poem"),
      NULL, "{'/matches#':0}" },

    /* disguises */
    READS("f\\u200buck", "invisible"),
    READS("ｆｕｃｋ", "fullwidth"),
    READS("𝓯𝓾𝓬𝓴", "styled_letters"),
    READS("🅕🅤🅒🅚", "styled_letters"),
    READS("🇫🇺🇨🇰", "styled_letters"),
    READS("ꜰᴜᴄᴋ", "styled_letters"),
    READS("fսck", "confusable"),
    READS("f\\u0337u\\u0337ck", "diacritics"),
    READS("fúck", "diacritics"),
    READS("fu(k", "leet"),
    READS("fuuuuuuck", "repetition"),
    READS("f u c k", "separators"),
    READS("f . u . c . k", "separators"),
    READS("f|u|c|k", "separators"),
    READS("f_u_c_k", "separators"),
    READS("fu*k", "wildcard"),
    READS("f*cking", "wildcard"),
    { "only the first letter known", SAYS("f***"), NULL, "{'/categories/profanity/flagged':true}" },
    ALLOWS("thanks to a*****l, w******e and t******v"),
    { "emphasis hides nothing", SAYS("*really* **bold** what? a* 5*3"), NULL, "{'/matches#':0}" },
    READS("FuCk", "mixed_case"),
    { "two disguises", SAYS("$h1t"), NULL,
      "{'/matches/0/rule':'profanity_3','/matches/0/normalized':'shit','/matches/0/start':0,"
      "'/matches/0/end':4}" },
    { "l for 1", SAYS("asshole a55h01e"), NULL,
      "{'/matches#':2,'/matches/1/start':8,'/matches/1/match':'a55h01e'}" },
    { "places are those of the text as sent", SAYS("\\u200b\\u200bgo, f\\u200buck"), NULL,
      "{'/matches/0/start':6,'/matches/0/end':11}" },
    { "a flag by its name", SAYS(":regional_indicator_f:uck"), NULL,
      "{'/matches/0/rule':'profanity_4','/matches/0/end':25}" },
    { "inline code is read", SAYS("`fuck`"), NULL, "{'/matches/0/rule':'profanity_4'}" },
    { "fenced code is not", SAYS("```\\nfuck\\n```"), NULL, "{'/matches#':0}" },
    { "paths of links are", SAYS("https://a.example/%66uck"), NULL,
      "{'/matches/0/rule':'profanity_4','/matches/0/match':'https://a.example/%66uck'}" },
    { "a phrase in one character", SAYS("fuck\ufdfamore ﷻ"), NULL,
      "{'/matches/0/rule':'profanity_4','/normalized_text':'fuck more '}" },
    { "numbers are no leet", SAYS("455 8008 5318008"), NULL, "{'/matches#':0}" },
    { "marks that are the spelling", SAYS("göt"), NULL,
      "{'/matches/0/rule':'profanity_2','/matches/0/obfuscation#':0}" },
    { "the best of what overlaps", SAYS("motherfucker"), NULL, "{'/matches#':1}" },
    { "three insults and more", SAYS("you idiot moron loser"), NULL,
      "{'/matches#':3,'/matches/0/points':70}" },

    /* deeds of several parts */
    FINDS("scam_script", "sorry, I accidentally reported your steam account, talk to the admin"),
    FINDS("scam_script", "Discord staff here, send me the 6 digit code"),
    FINDS("scam_script", "skins giveaway, login with steam https://a.example"),
    FINDS("scam_script", "part time job, 300 a day, message me on telegram"),
    FINDS("scam_script", "enter your 12 word seed phrase to restore the wallet"),
    FINDS("threat_script", "waiting for you outside your school tomorrow"),
    FINDS("grooming", "are you home alone? it is our little secret"),
    ALLOWS("staff will never ask you to send me the code"),
    PASSES("beware: he accidentally reported your account and says talk to the admin"),
    ALLOWS("skins giveaway, login with steam"),
    ALLOWS("I have a part time job, 300 a day"),
    ALLOWS("see you at school tomorrow"),
    { "parts too far apart",
      SAYS("part time job " FAR FAR FAR FAR FAR " a day " FAR FAR FAR FAR FAR " telegram"), NULL,
      "{'/categories/scam/flagged':false}" },

    /* a quote of an attack is not an attack */
    PASSES("mods, someone wrote: kill yourself"),
    PASSES("he called me a worthless idiot"),
    PASSES("who said that: i will kill you"),
    { "an attack without a quote", SAYS("kill yourself"), NULL, "{'/flagged':true}" },
    { "a quote does not excuse what follows later",
      SAYS("someone wrote hello " FAR FAR " kill yourself"), NULL, "{'/flagged':true}" },
    { "own thoughts are not a quote", SAYS("someone told me to go on but i want to die"), NULL,
      "{'/support_recommended':true,'/flagged':true}" },
    ALLOWS("gonna kill you in ranked tonight"),
    { "blanks in a word", SAYS("f u ck this"), NULL, "{'/matches/0/rule':'profanity_4'}" },
    { "many emoji", SAYS(TEN_EMOJI TEN_EMOJI TEN_EMOJI), NULL,
      "{'/flagged':true,'/categories/flood/flagged':true}" },

    /* links */
    FINDS("scam_lookalike", "http://dlscord.com/x"),
    FINDS("scam_lookalike", "go to steamcomrnunity.com"),
    FINDS("scam_lookalike", "discord-nitro.com"),
    FINDS("scam_lookalike", "https://paypaI.com"),
    FINDS("scam_lure_host", "http://nitro-claim.example"),
    FINDS("scam_masked_link", "[https://discord.com](https://evil.example)"),
    FINDS("scam_ip_logger", "https://grabify.link/abc"),
    FINDS("scam_userinfo", "http://user:pw@a.example"),
    FINDS("scam_ip_host", "http://10.0.0.1/a"),
    FINDS("scam_ip_host", "http://[2001:db8::1]/a"),
    FINDS("scam_lookalike", "https://steamcomunity.com"),
    FINDS("scam_lookalike", "https://rob1ox.com"),
    FINDS("scam_download", "http://a.example/a.scr"),
    FINDS("scam_download", "http://a.example/a.lnk"),
    FINDS("scam_mixed_host", "http://exаmple.com"),
    FINDS("scam_mixed_host", "http://xn--exmple-cua.com"),
    FINDS("scam_shortener", "bit.ly/abc"),
    FINDS("scam_download", "http://a.example/b.c/setup.EXE?x=.png"),
    { "a lure and a link", SAYS("free nitro https://a.example"), NULL,
      "{'/matches/0/rule':'scam_lure_link','/flagged':true}" },
    { "for everyone", SAYS("@everyone free nitro https://a.example"), NULL,
      "{'/matches/0/rule':'mention_everyone','/matches/1/rule':'scam_lure_everyone',"
      "'/action':'block'}" },
    { "official links are fine",
      SAYS("https://support.discord.com/x https://store.steampowered.com"), NULL,
      "{'/matches#':0,'/signals/links':2}" },
    { "a community site is fine", SAYS("https://discordjs.guide/docs"), NULL, "{'/matches#':0}" },
    { "a mask of the same place", SAYS("[discord.com](https://support.discord.com)"), NULL,
      "{'/matches#':0}" },
    { "domains of the caller",
      WITH("http://a.bad.example bit.ly/x",
           "'context':{'blocked_domains':['bad.example'],'allowed_domains':['bit.ly']}"),
      NULL, "{'/matches#':1,'/matches/0/rule':'scam_domain','/matches/0/points':100}" },
    { "many links",
      SAYS("http://a.example http://b.example http://c.example http://d.example "
           "http://e.example"),
      NULL, "{'/matches/0/rule':'links_many','/matches/0/points':40}" },
    { "the same link", SAYS("http://a.example/x http://A.example/x http://a.example/x"), NULL,
      "{'/matches/0/rule':'link_repeated'}" },

    /* invites */
    FINDS("invite", "discord.gg/abc"),
    FINDS("invite", "DISCORD . GG/abc"),
    FINDS("invite", "https://discord(dot)gg/abc"),
    FINDS("invite", "discord.com/invite\\\\abc"),
    FINDS("invite", "discordapp.com/invite/abc"),
    FINDS("invite", "dsc.gg/abc"),
    FINDS("invite", "disboard.org/server/123"),
    FINDS("invite", "discord.gg/invite/abc"),
    FINDS("invite", "www.discord.gg/abc"),
    FINDS("invite", "http://discord.com/invite/abc"),
    FINDS("invite", "discord.com/servers/abc-123"),
    FINDS("invite", "invite.gg/abc"),
    FINDS("invite", "discord.me/abc"),
    FINDS("invite", "discord.io/abc"),
    FINDS("invite", "DISCORD.GG/ABC"),
    { "no backslash behind the host", SAYS("discord.gg\\\\abc"), NULL, "{'/signals/invites':0}" },
    { "one letter is not a code", SAYS("discord.gg/a"), NULL, "{'/signals/invites':0}" },
    { "further invites", SAYS("discord.gg/abc discord.gg/invite/def"), NULL,
      "{'/matches/0/rule':'invite','/matches/1/rule':'invite_further','/signals/invites':2,"
      "'/categories/invite/score':45}" },
    { "a welcome invite", WITH("discord.gg/abc", "'context':{'allowed_invites':['abc']}"), NULL,
      "{'/matches#':0}" },

    /* mentions */
    FINDS("mention_everyone", "hi @here"),
    FINDS("mention_repeated", "<@80351110224678912><@80351110224678912><@!80351110224678912>"
                              "<@80351110224678912><@80351110224678912>"),
    { "many mentions",
      WITH("<@80351110224678911> <@80351110224678912> <@&80351110224678913>",
           "'context':{'mention_limit':1}"),
      NULL,
      "{'/matches/0/rule':'mentions_many','/matches/0/points':50,'/signals/unique_mentions':3}" },

    /* shouting and flooding */
    FINDS("caps_some", "HELLO THERE pal"),
    FINDS("caps_most", "HELLO THERE MY DEAR OLD FRIEND"),
    FINDS("flood_character", "noooooooooooo"),
    FINDS("flood_characters", "hmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"),
    FINDS("flood_word", "go go go go go go"),
    FINDS("flood_word", "a go b go c go d go go go"),
    FINDS("flood_lines", "a\\nb\\nc\\nd\\ne\\nf\\ng\\nh\\ni\\nj\\nk\\nl\\nm\\nn\\no\\np"),
    FINDS("flood_emoji", "😀😀😀😀😀😀 😀😀😀😀😀"),
    FINDS("flood_emoji_many", "😀😀😀😀😀😀😀 😀😀😀😀😀😀😀 😀😀😀😀😀😀😀 😀😀😀😀😀"),
    FINDS("flood_blank", "\\u200b\\u200b"),
    { "the same lines", SAYS("buy now\\nbuy now\\nbuy now\\nbuy now"), NULL,
      "{'/matches/0/rule':'flood_same_lines'}" },
    FINDS("flood_unbroken",
          "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
          "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij"
          "abcdefghijabcdefghijabcdefghijabcdefghij"),
    { "copyright is not an emoji", SAYS("© ™ ® © ™ ® © ™ ® © ™ ®"), NULL, "{'/signals/emojis':0}" },

    /* hiding */
    FINDS("hidden_invisible", "he\\u200bllo"),
    FINDS("hidden_bidi", "\\u202eabc"),
    FINDS("hidden_lookalikes", "pаypal"),
    FINDS("hidden_styled", "𝓱𝓮𝓵𝓵𝓸 there"),
    FINDS("hidden_marks", "a\\u0337\\u0336\\u0335bcdefghi"),
    FINDS("hidden_zalgo", "a\\u0337\\u0336\\u0335\\u0334\\u0333\\u0332bcdefghijklmn"),
    { "piles on every letter", SAYS("a\\u0337b\\u0337c\\u0337d\\u0337e\\u0337"), NULL,
      "{'/matches/0/rule':'hidden_dense_marks'}" },
    { "Hebrew points and Thai are spelling", SAYS("בְּרֵאשִׁית ภาษาไทยนี้"), NULL, "{'/matches#':0}" },
    { "a mark of direction is good manners", SAYS("שלום\\u200f!"), NULL,
      "{'/matches#':0,'/signals/bidi_controls':1}" },

    /* personal data and keys */
    FINDS("email", "joe.doe@example.com"),
    FINDS("phone", "+491701234567"),
    FINDS("phone", "call 0170 123 45 67"),
    FINDS("card", "4111-1111-1111-1111"),
    FINDS("iban", "DE89 3704 0044 0532 0130 00"),
    FINDS("ssn", "123-45-6789"),
    FINDS("public_ip", "8.8.8.8"),
    FINDS("bot_token", "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"),
    FINDS("webhook", "https://discord.com/api/v10/webhooks/80351110224678912/"
                     "abcdefghijklmnopqrstuvwxyz0123456789"),
    FINDS("api_key", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    FINDS("private_key", "-----BEGIN RSA PRIVATE KEY-----"),
    FINDS("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"),
    { "a wrong check digit", SAYS("4111-1111-1111-1112"), NULL, "{'/matches#':0}" },
    { "a wrong IBAN", SAYS("DE88 3704 0044 0532 0130 00"), NULL,
      "{'/categories/personal_data/flagged':false}" },
    { "private addresses", SAYS("192.168.1.1 10.1.2.3 127.0.0.1 172.16.0.1"), NULL,
      "{'/matches#':0}" },
    { "ids are no phone numbers", SAYS("<@80351110224678912> 80351110224678912"), NULL,
      "{'/matches#':0}" },
    { "a token of one letter", SAYS("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.aaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
      NULL, "{'/categories/credential_leak/score':0}" },

    /* blocked and allowed words */
    { "wildcards",
      WITH("cat cats concat bobcat dogma", "'context':{'blocked_words':['cat','dog*']}"), NULL,
      "{'/matches#':2,'/matches/0/start':0,'/matches/1/match':'dog',"
      "'/categories/custom':{'flagged':true,'score':75}}" },
    { "anywhere, and at the end",
      WITH("concat bobcat scatter", "'context':{'blocked_words':['*cat']}"), NULL,
      "{'/matches#':2}" },
    { "anywhere", WITH("concat bobcat scatter", "'context':{'blocked_words':['*cat*']}"), NULL,
      "{'/matches#':3}" },
    { "allowed words", WITH("damn fucking cat", "'context':{'allowed_words':['fuck*','damn']}"),
      NULL, "{'/matches#':0}" },
    { "a phrase", WITH("big, bad wolf", "'context':{'blocked_words':['bad wolf']}"), NULL,
      "{'/matches/0/match':'bad wolf'}" },
    { "stars alone block nothing", WITH("abc", "'context':{'blocked_words':['*','**']}"), NULL,
      "{'/matches#':0}" },

    /* scores */
    { "severity low", SAYS("HELLO THERE MY DEAR OLD FRIEND"), NULL,
      "{'/severity':'low','/score':12,'/action':'allow'}" },
    { "severity medium", SAYS("fuck"), NULL,
      "{'/severity':'medium','/score':42,'/action':'flag'}" },
    { "severity high", SAYS("fuck shit"), NULL, "{'/severity':'high','/action':'flag'}" },
    { "severity critical", SAYS("i will kill you"), NULL,
      "{'/severity':'critical','/score':85,'/action':'block'}" },
    { "a strong category flags below the threshold of the whole", SAYS("discord.gg/abc"), NULL,
      "{'/categories/invite':{'flagged':true,'score':40},'/flagged':true,'/score':24,"
      "'/severity':'low','/action':'flag'}" },
    { "sixteen keys", SAYS("a"), NULL, "{'/categories#':16}" },
    { "and one for words of the caller", WITH("a", "'context':{'blocked_words':['b']}"), NULL,
      "{'/categories#':17,'/categories/custom':{'flagged':false,'score':0}}" },
    { "nothing is never blocked", WITH("hello", "'threshold':0,'block_threshold':0"), NULL,
      "{'/flagged':false,'/action':'allow','/score':0}" },
    { "a higher threshold", WITH("fuck", "'threshold':70,'block_threshold':90"), NULL,
      "{'/flagged':false,'/action':'allow','/score':42}" },
    { "a lower threshold to block", WITH("fuck", "'block_threshold':42"), NULL,
      "{'/action':'block'}" },
    { "low", WITH("fuck", "'strictness':'low'"), NULL, "{'/matches/0/points':48}" },
    { "high", WITH("fuck", "'strictness':'high'"), NULL, "{'/matches/0/points':72}" },
    { "never above 100", WITH("f4ggot", "'strictness':'high'"), NULL, "{'/matches/0/points':100}" },
    { "one category", WITH("fuck discord.gg/abc", "'categories':['invite']"), NULL,
      "{'/matches#':1,'/matches/0/rule':'invite','/categories/profanity/score':0}" },
    { "shouting alone flags nothing", WITH("HELLO THERE MY DEAR OLD FRIEND", "'strictness':'high'"),
      NULL, "{'/flagged':false,'/score':14}" },
    { "the worst whole, the others a quarter", SAYS("fuck shit"), NULL,
      "{'/categories/profanity/score':71.25,'/score':50}" },
    { "ideation is never blocked",
      WITH("i want to die", "'strictness':'high','block_threshold':50"), NULL,
      "{'/action':'flag','/support_recommended':true,'/score':66}" },
    { "but what is next to it may be", WITH("i want to die faggot", "'strictness':'high'"), NULL,
      "{'/action':'block'}" },
    { "a threshold of nothing", WITH("hello", "'threshold':0"), NULL, "{'/flagged':false}" },

    /* redaction */
    { "redacted", WITH("what the f\\u200buck, mail joe@example.com or else", "'redact':true"), NULL,
      "{'/redacted_text':'what the █████, mail [redacted] or else'}" },
    { "nothing to redact", WITH("hello discord.gg/abc", "'redact':true"), NULL,
      "{'/redacted_text':'hello discord.gg/abc'}" },

    { "keys redacted", WITH("key ghp_abcdefghijklmnopqrstuvwxyz0123456789 here", "'redact':true"),
      NULL, "{'/redacted_text':'key [redacted] here'}" },

    { "no text", "{}", "missing_field", NULL },
    { "no strictness", WITH("a", "'strictness':'none'"), "invalid_value", NULL },
    { "no mentions at all", WITH("a", "'context':{'mention_limit':0}"), "invalid_value", NULL },
    { "51 mentions", WITH("a", "'context':{'mention_limit':51}"), "invalid_value", NULL },
    { "a threshold above 100", WITH("a", "'threshold':101"), "invalid_value", NULL },
    { "only blanks", SAYS(" \\n\\u3000"), "missing_field", NULL },
    { "thresholds upside down", WITH("a", "'threshold':90"), "conflicting_fields", NULL },
    { "an unknown category", WITH("a", "'categories':['taste']"), "invalid_value", NULL },
    { "a word too long",
      WITH("a", "'context':{'blocked_words':['1234567890123456789012345678901234"
                "567890123456789012345678901']}"),
      "too_long", NULL },
};

static const void *rules(void)
{
    static void *content;
    struct err err = { 0 };
    if (!content) {
        bool ok = moderation_rules_read(SOURCE_ROOT "/svc-chat/chatplatform-moderate/data",
                                        &content, &err);
        assert_string_equal(err.message, "");
        assert_true(ok);
    }
    return content;
}

static void check(void **state)
{
    assert_answers_with(rules(), chatplatform_moderate, "chatplatform-moderate", *state);
}

/* A body whose text is `part`, `count` times. */
static bool say(const char *part, size_t count, cJSON *result, struct err *err)
{
    scoped(buf_free) struct buf body = BUF(1 << 17);
    buf_add_str(&body, "{'text':'");
    for (size_t i = 0; i < count; i++)
        buf_add_str(&body, part);
    buf_add_str(&body, "'}");
    return run_tool_with(rules(), chatplatform_moderate, "chatplatform-moderate", buf_str(&body),
                         result, NULL, err);
}

static void length_has_a_limit(void **state)
{
    (void)state;
    for (size_t length = 4000; length <= 4001; length++) {
        scoped(json_free) cJSON *result = json_object();
        struct err err = { 0 };
        assert_int_equal(say("é", length, result, &err), length == 4000);
        assert_int_equal(err.kind, length == 4000 ? ERR_NONE : ERR_TOO_LONG);
    }
}

static void fifty_matches_are_shown(void **state)
{
    (void)state;
    scoped(json_free) cJSON *result = json_object();
    struct err err = { 0 };
    assert_true(say("fuck, shit. ", 40, result, &err));
    assert_int_equal(json_size(json_get(result, "matches")), 50);
    assert_int_equal(json_at(result, "/categories/profanity/score")->valuedouble, 100);
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(length_has_a_limit),
        cmocka_unit_test(fifty_matches_are_shown),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
