/*
 * svc-chat/chatplatform-text-sanitize/tests/chatplatform-text-sanitize.c - each step, target and
 * kind of escape; invariants for any text and switches.
 */
#include "base/codec/utf8.h"
#include "expect.h"
#include "tools.h"

#define TEXT_IN(text, more) "{'text':'" text "'" more "}"
#define TEXT_OUT(text)      "{'/text':'" text "'}"
#define KEEP                ",'markdown':'keep'"
#define ONE_CHANGE(text, type, count) \
    "{'/text':'" text "','/changes':[{'type':'" type "','count':" count "}]}"

static const struct answer_row rows[] = {
    { "harmless text stays", TEXT_IN("Hello, world!\\nDas ist schön. Привет, мир! 日本語", ""),
      NULL,
      "{'/text':'Hello, world!\\nDas ist schön. Привет, мир! 日本語','/changed':false,"
      "'/changes#':0,'/truncated':false,'/target':'message','/max_length':2000,'/errors#':0,"
      "'/warnings#':0,'/scripts':['Latin','Cyrillic','Han'],'/allowed_mentions':{'parse':[]},"
      "'/mentions#':0,'/urls#':0,'/confusables#':0,'/length':45,'/original_length':45,"
      "'/utf8_bytes':61}" },

    /* controls */
    { "controls go", TEXT_IN("a\\u0001b\\u007fc\\u0080", KEEP), NULL,
      ONE_CHANGE("abc", "control", "3") },
    { "a tab is a blank", TEXT_IN("a\\tb", KEEP), NULL, ONE_CHANGE("a b", "control", "1") },
    { "line ends of all kinds", TEXT_IN("a\\r\\nb\\rc\\u0085d", KEEP), NULL,
      ONE_CHANGE("a\\nb\\nc\\nd", "control", "3") },
    { "colors of a terminal", TEXT_IN("\\u001b[1;31mred\\u001b[0m", KEEP), NULL,
      ONE_CHANGE("red", "ansi", "2") },
    { "its title", TEXT_IN("\\u001b]0;title\\u0007a\\u001b]8;;http://x\\u001b\\\\b", KEEP), NULL,
      "{'/text':'ab'}" },
    { "an eight-bit CSI", TEXT_IN("\\u009b31mred", KEEP), NULL, ONE_CHANGE("red", "ansi", "1") },
    { "an escape that opens nothing", TEXT_IN("a\\u001b", KEEP), NULL,
      ONE_CHANGE("a", "control", "1") },
    { "a title without end hides nothing", TEXT_IN("\\u001b]0;all of it", KEEP), NULL,
      TEXT_OUT("]0;all of it") },
    { "controls kept", TEXT_IN("a\\u0001\\tb", KEEP ",'control':'keep'"), NULL,
      "{'/text':'a\\u0001\\tb','/changed':false}" },

    /* invisible characters */
    { "zero width", TEXT_IN("a\\u200bb\\u2060c\\ufeffd\\u00ade", KEEP), NULL,
      ONE_CHANGE("abcde", "invisible", "4") },
    { "Hangul fillers and tags", TEXT_IN("\\u3164a\\uffa0b\\udb40\\udc41c", KEEP), NULL,
      ONE_CHANGE("abc", "invisible", "3") },
    { "line separators are line feeds", TEXT_IN("a\\u2028b\\u2029c", KEEP), NULL,
      TEXT_OUT("a\\nb\\nc") },
    { "invisible kept", TEXT_IN("a\\u200bb", KEEP ",'invisible':'keep'"), NULL,
      TEXT_OUT("a\\u200bb") },
    { "a family stays", TEXT_IN("👨\\u200d👩\\u200d👧\\u200d👦", KEEP), NULL, "{'/changed':false}" },
    { "a heart, a keycap, a flag, a skin",
      TEXT_IN("❤\\ufe0f 1\\ufe0f\\u20e3 #\\u20e3 🇩🇪 👍🏽 🏳\\ufe0f\\u200d🌈", KEEP),
      NULL, "{'/changed':false}" },
    { "the flag of Wales",
      TEXT_IN("🏴\\udb40\\udc67\\udb40\\udc62\\udb40\\udc77\\udb40\\udc6c\\udb40\\udc73\\udb40\\u"
              "dc7f",
              KEEP),
      NULL, "{'/changed':false}" },
    { "tags behind any other emoji hide text",
      TEXT_IN("😀\\udb40\\udc41\\udb40\\udc42\\udb40\\udc7f", KEEP), NULL, TEXT_OUT("😀") },
    { "a second selector hides something", TEXT_IN("❤\\ufe0f\\ufe0f\\ufe01", KEEP), NULL,
      TEXT_OUT("❤\\ufe0f") },
    { "a digit with a selector alone", TEXT_IN("1\\ufe0f", KEEP), NULL, TEXT_OUT("1") },
    { "a joiner behind nothing", TEXT_IN("👨\\u200d", KEEP), NULL, TEXT_OUT("👨") },
    { "a joiner that spells Persian", TEXT_IN("می\\u200cخواهم", KEEP), NULL, "{'/changed':false}" },
    { "a joiner that spells Sinhala", TEXT_IN("ශ්\\u200dරී", KEEP), NULL, "{'/changed':false}" },
    { "a joiner in Latin", TEXT_IN("a\\u200cb", KEEP), NULL, TEXT_OUT("ab") },
    { "blank Braille in runs", TEXT_IN("a\\u2800\\u2800b", KEEP), NULL, TEXT_OUT("ab") },
    { "blank Braille between cells", TEXT_IN("⠃\\u2800⠃", KEEP), NULL, "{'/changed':false}" },
    { "blank Braille alone", TEXT_IN("\\u2800", KEEP), NULL,
      "{'/text':'','/errors/0/code':'empty_after_sanitize'}" },

    /* direction */
    { "overrides go", TEXT_IN("exe.\\u202egpj\\u202c", KEEP), NULL,
      ONE_CHANGE("exe.gpj", "bidi", "2") },
    { "overrides kept", TEXT_IN("a\\u202eb", KEEP ",'bidi':'keep'"), NULL, TEXT_OUT("a\\u202eb") },
    { "overrides closed and wrapped", TEXT_IN("a\\u202eb\\nc", KEEP ",'bidi':'isolate'"), NULL,
      ONE_CHANGE("\\u2068a\\u202eb\\u202c\\u2069\\nc", "bidi", "1") },
    { "an isolate closes what is in it",
      TEXT_IN("\\u2067a\\u202eb\\u2069c\\u202c", KEEP ",'bidi':'isolate'"), NULL,
      TEXT_OUT("\\u2068\\u2067a\\u202eb\\u2069c\\u2069") },
    { "Hebrew is wrapped", TEXT_IN("שלום", KEEP ",'bidi':'isolate'"), NULL,
      TEXT_OUT("\\u2068שלום\\u2069") },
    { "wrapped once is enough", TEXT_IN("\\u2068שלום\\u2069", KEEP ",'bidi':'isolate'"), NULL,
      "{'/changed':false}" },
    { "two isolates are no wrapping",
      TEXT_IN("\\u2068א\\u2069 \\u2068ב\\u2069", KEEP ",'bidi':'isolate'"), NULL,
      TEXT_OUT("\\u2068\\u2068א\\u2069 \\u2068ב\\u2069\\u2069") },

    /* normal forms and marks */
    { "NFC", TEXT_IN("e\\u0301", KEEP), NULL,
      "{'/text':'é','/length':1,'/original_length':2,'/"
      "changes':[{'type':'normalized','count':1}]}" },
    { "NFC across half-width voicing", TEXT_IN("\\uff76\\uff9e", KEEP ",'normalize':'nfkc'"), NULL,
      TEXT_OUT("ガ") },
    { "Hangul of parts", TEXT_IN("\\u1112\\u1161\\u11ab", KEEP), NULL, TEXT_OUT("한") },
    { "NFC leaves full width", TEXT_IN("Ａ", KEEP), NULL, TEXT_OUT("Ａ") },
    { "NFKC does not", TEXT_IN("Ａ𝓫①", KEEP ",'normalize':'nfkc'"), NULL, TEXT_OUT("Ab1") },
    { "no normal form", TEXT_IN("e\\u0301", KEEP ",'normalize':'none'"), NULL,
      TEXT_OUT("e\\u0301") },
    { "zalgo", TEXT_IN("x\\u0300\\u0301\\u0302\\u0303\\u0304\\u0305", KEEP), NULL,
      ONE_CHANGE("x\\u0300\\u0301\\u0302\\u0303", "combining", "2") },
    { "no marks at all", TEXT_IN("x\\u0300y", KEEP ",'combining_limit':0"), NULL, TEXT_OUT("xy") },
    { "Hebrew points stay", TEXT_IN("בְּרֵאשִׁית", KEEP ",'combining_limit':0,'normalize':'none'"), NULL,
      "{'/changed':false}" },
    { "piles on Thai do not",
      TEXT_IN("ก\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49", KEEP),
      NULL,
      ONE_CHANGE("ก\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49\\u0e49", "combining", "2") },

    /* look-alikes */
    { "a disguise is flagged", TEXT_IN("pаypal", KEEP), NULL,
      "{'/text':'pаypal','/changed':false,'/confusables':[{'char':'а','codepoint':'U+0430',"
      "'ascii':'a','start':1}]}" },
    { "and replaced", TEXT_IN("\\u200bpаypal", KEEP ",'confusables':'replace'"), NULL,
      "{'/text':'paypal','/confusables/0/start':2}" },
    { "or not looked at", TEXT_IN("pаypal", KEEP ",'confusables':'keep'"), NULL,
      "{'/confusables#':0}" },
    { "Russian is not a disguise",
      TEXT_IN("хор и рука, а он сухо", KEEP ",'confusables':'replace'"), NULL,
      "{'/changed':false,'/confusables#':0}" },
    { "a word of look-alikes alone", TEXT_IN("ѕсоре", KEEP ",'confusables':'replace'"), NULL,
      TEXT_OUT("scope") },
    { "small capitals", TEXT_IN("ꜰʀᴇᴇ", KEEP ",'confusables':'replace'"), NULL, TEXT_OUT("free") },
    { "Polish, Turkish, Icelandic, prices", TEXT_IN("Łódź ışık það ßa 5€ £3", KEEP), NULL,
      "{'/confusables#':0}" },
    { "a name in two scripts", TEXT_IN("iPhoneの本 YouTubeжур", KEEP), NULL,
      "{'/confusables#':0}" },

    /* blanks */
    { "line feeds", TEXT_IN("a\\n\\n\\n\\n\\nb", KEEP), NULL,
      ONE_CHANGE("a\\n\\n\\nb", "newline", "1") },
    { "blank lines are line feeds", TEXT_IN("a\\n \\n \\n \\n  b", KEEP ",'newlines':1"), NULL,
      TEXT_OUT("a\\n  b") },
    { "one line", TEXT_IN("a\\nb\\n\\nc", KEEP ",'newlines':0"), NULL, TEXT_OUT("a b c") },
    { "blanks stay", TEXT_IN("a  b", KEEP), NULL, "{'/changed':false}" },
    { "blanks collapse", TEXT_IN("a \\u00a0\\u3000b", KEEP ",'collapse_spaces':true"), NULL,
      ONE_CHANGE("a b", "whitespace", "2") },
    { "ends are trimmed", TEXT_IN("  a \\n", KEEP), NULL, ONE_CHANGE("a", "whitespace", "4") },

    /* mentions */
    { "everyone", TEXT_IN("@everyone @Here @EVERYONE", ""), NULL,
      "{'/text':'@\\u200beveryone @\\u200bHere @\\u200bEVERYONE','/mentions#':3,"
      "'/mentions/1':{'type':'here','id':null,'raw':'@Here','start':10,'end':15}}" },
    { "people and roles",
      TEXT_IN("<@80351110224678912> <@!80351110224678912> <@&80351110224678912>", ""), NULL,
      "{'/text':'<@\\u200b80351110224678912> <@!\\u200b80351110224678912> "
      "<@&\\u200b80351110224678912>','/mentions/2/type':'role','/mentions/2/start':43}" },
    { "channels only when asked", TEXT_IN("<#80351110224678912>", ""), NULL, "{'/changed':false}" },
    { "channels, commands, navigation",
      TEXT_IN("<#80351110224678912> </a b:80351110224678912> <id:browse>",
              ",'mention_types':['channels','commands','navigation']"),
      NULL,
      TEXT_OUT("<#\\u200b80351110224678912> </\\u200ba b:80351110224678912> <id:\\u200bbrowse>") },
    { "an empty list of types", TEXT_IN("@everyone", ",'mention_types':[]"), NULL,
      "{'/changed':false}" },
    { "kept", TEXT_IN("@everyone", ",'mentions':'keep'"), NULL,
      "{'/changed':false,'/mentions#':1}" },
    { "removed", TEXT_IN("a @everyone b", ",'mentions':'remove'"), NULL, TEXT_OUT("a  b") },
    { "removed from around another", TEXT_IN("@every@every@everyoneoneone", ",'mentions':'remove'"),
      NULL, "{'/text':'','/errors/0/code':'empty_after_sanitize'}" },
    { "names",
      TEXT_IN("<@80351110224678912> <@&80351110224678913> <#80351110224678914>",
              ",'mentions':'text','names':{'80351110224678912':'Ann'},"
              "'mention_types':['users','roles','channels']"),
      NULL, TEXT_OUT("@Ann @deleted-role #deleted-channel") },
    { "a name that would ping",
      TEXT_IN("<@80351110224678912>",
              ",'mentions':'text','names':{'80351110224678912':'Everyone'}"),
      NULL, TEXT_OUT("@\\u200bEveryone") },
    { "a name with a mention in it",
      TEXT_IN("<@80351110224678912>",
              ",'mentions':'text','names':{'80351110224678912':'x @here <@&80351110224678912>'}"),
      NULL, TEXT_OUT("@x @\\u200bhere <\\u200b@\\u200b&80351110224678912>") },
    { "a name that joins what follows",
      TEXT_IN("<@80351110224678912>one",
              ",'mentions':'text','names':{'80351110224678912':'every'}"),
      NULL, TEXT_OUT("@\\u200beveryone") },
    { "a mention behind markdown",
      TEXT_IN("@every**one** @every*o*ne", ",'markdown':'strip','mentions':'zero_width'"), NULL,
      TEXT_OUT("@\\u200beveryone @\\u200beveryone") },
    { "a mention around a link",
      TEXT_IN("@ev<:a:80351110224678912>eryone", ",'custom_emoji':'remove'"), NULL,
      TEXT_OUT("@\\u200beveryone") },
    { "fourteen digits are no id", TEXT_IN("<@12345678901234>", ""), NULL, "{'/mentions#':0}" },

    /* links, emoji */
    { "links are found", TEXT_IN("see (https://a.example/x_(y)), ok", KEEP), NULL,
      "{'/urls':[{'url':'https://a.example/x_(y)','start':5,'end':28}],'/changed':false}" },
    { "previews suppressed",
      TEXT_IN("http://a.example. <http://b.example>", ",'urls':'suppress'" KEEP), NULL,
      ONE_CHANGE("<http://a.example>. <http://b.example>", "url", "1") },
    { "defanged", TEXT_IN("HTTPS://a.b.example/c.d http://x.y", ",'urls':'defang'" KEEP), NULL,
      TEXT_OUT("HxxPS://a[.]b[.]example/c.d hxxp://x[.]y") },
    { "links removed", TEXT_IN("a http://a.example b", ",'urls':'remove'" KEEP), NULL,
      TEXT_OUT("a  b") },
    { "emoji by name",
      TEXT_IN("<:wave:80351110224678912><a:hi:80351110224678912>", ",'custom_emoji':'name'" KEEP),
      NULL, ONE_CHANGE(":wave::hi:", "emoji", "2") },

    /* escapes, as the library's */
    { "single marks", TEXT_IN("*a* _b_", ""), NULL, TEXT_OUT("\\\\*a\\\\* \\\\_b\\\\_") },
    { "pairs", TEXT_IN("**a** __b__ ~~c~~ ||d||", ""), NULL,
      TEXT_OUT("\\\\*\\\\*a\\\\*\\\\* \\\\_\\\\_b\\\\_\\\\_ \\\\~\\\\~c\\\\~\\\\~ "
               "\\\\|\\\\|d\\\\|\\\\|") },
    { "three in a row", TEXT_IN("***a***", ""), NULL, TEXT_OUT("\\\\*\\\\*\\\\*a\\\\*\\\\*\\\\*") },
    { "three underscores", TEXT_IN("___a___", ""), NULL,
      TEXT_OUT("\\\\_\\\\_\\\\_a\\\\_\\\\_\\\\_") },
    { "backslashes", TEXT_IN("a\\\\*b", ""), NULL, TEXT_OUT("a\\\\\\\\\\\\*b") },
    { "code", TEXT_IN("`a` ``b`` ```c```", ""), NULL,
      TEXT_OUT("\\\\`a\\\\` \\\\`\\\\`b\\\\`\\\\` \\\\`\\\\`\\\\`c\\\\`\\\\`\\\\`") },
    { "one tilde is text", TEXT_IN("~a~ |b|", ""), NULL, "{'/changed':false}" },
    { "headings", TEXT_IN("# a\\n### b\\n#### c\\n#d\\nx # y\\n- # z", ""), NULL,
      TEXT_OUT("\\\\# a\\n\\\\### b\\n#### c\\n#d\\nx # y\\n\\\\- \\\\# z") },
    { "lists", TEXT_IN("- a\\n  * b\\n-c\\n1. d\\n 23. e\\n1.5", ""), NULL,
      TEXT_OUT("\\\\- a\\n  \\\\* b\\n-c\\n1\\\\. d\\n 23\\\\. e\\n1\\\\.5") },
    { "masked links", TEXT_IN("[a](http://b) and [c]\\n[](d) [e]()", ""), NULL,
      TEXT_OUT("\\\\[a](http://b) and [c]\\n[](d) [e]()") },
    { "quotes", TEXT_IN("> a\\n>>> b\\n>c\\n >> d", ""), NULL,
      TEXT_OUT("\\\\> a\\n\\\\>>> b\\n>c\\n >> d") },
    { "marks of links stay",
      TEXT_IN("https://a.example/b_c_d*e* f_g <https://h.example/__i__>", ""), NULL,
      TEXT_OUT("https://a.example/b_c_d*e* f\\\\_g <https://h.example/__i__>") },
    { "marks of emoji stay", TEXT_IN("<:a_b_c:123> <a:__d:1> _e", ""), NULL,
      TEXT_OUT("<:a_b_c:123> <a:__d:1> \\\\_e") },
    { "some kinds only",
      TEXT_IN("*a* `b` ~~c~~", ",'markdown':{'italic':false,'inline_code':false}"), NULL,
      TEXT_OUT("*a* `b` \\\\~\\\\~c\\\\~\\\\~") },
    { "code kept as it is",
      TEXT_IN("*a* ```*b*``` *c*", ",'markdown':{'code_block_content':false}"), NULL,
      TEXT_OUT("\\\\*a\\\\* \\\\`\\\\`\\\\`*b*\\\\`\\\\`\\\\` \\\\*c\\\\*") },
    { "inline code kept as it is",
      TEXT_IN("*a* `*b*` `*c*", ",'markdown':{'inline_code_content':false}"), NULL,
      TEXT_OUT("\\\\*a\\\\* \\\\`*b*\\\\` \\\\`\\\\*c\\\\*") },
    { "subtext is the library's gap", TEXT_IN("-# a", ""), NULL, "{'/changed':false}" },
    { "a second link is another", TEXT_IN("[a](b) [c](d)", ""), NULL,
      TEXT_OUT("\\\\[a](b) [c](d)") },
    { "strict leaves no gap", TEXT_IN("-# a\\n[a](b) [c](d)\\n12. x", ",'strict':true"), NULL,
      TEXT_OUT("\\\\-# a\\n\\\\[a](b) \\\\[c](d)\\n12\\\\. x") },
    { "strict does not override the switches",
      "{'text':'-# *a* _b_','markdown':{'italic':false},'strict':true}", NULL,
      "{'/text':'-# *a* _b_'}" },
    { "strict and three marks", TEXT_IN("***a*** ***b***", ",'strict':true"), NULL,
      TEXT_OUT("\\\\*\\\\*\\\\*a\\\\*\\\\*\\\\* \\\\*\\\\*\\\\*b\\\\*\\\\*\\\\*") },

    /* strip */
    { "stripped", TEXT_IN("**a** *b* __c__ _d_ ~~e~~ ||f|| `g` ***h***", ",'markdown':'strip'"),
      NULL, TEXT_OUT("a b c d e f g h") },
    { "unpaired marks stay", TEXT_IN("2 * 3 * 4 **a _b snake_case_name", ",'markdown':'strip'"),
      NULL, "{'/changed':false}" },
    { "underscores within words", TEXT_IN("a__b__c foo_bar_ x_y_, _a_b", ",'markdown':'strip'"),
      NULL, TEXT_OUT("abc foobar xy, _a_b") },
    { "within marks within words", TEXT_IN("**A_B||C~~D__E__~~||_**", ",'markdown':'strip'"), NULL,
      TEXT_OUT("ABCDE") },
    { "before letters beyond ASCII they close", TEXT_IN("a_b_\u00e9 a_b_c", ",'markdown':'strip'"),
      NULL, TEXT_OUT("ab\u00e9 a_b_c") },
    { "underscores of links and emoji stay",
      TEXT_IN("https://e.com/a__b__c <:a__b__:123456789012345678> </a_b_:123456789012345678>",
              ",'markdown':'strip'"),
      NULL, "{'/changed':false}" },
    { "crossing marks", TEXT_IN("**a *b** c*", ",'markdown':'strip'"), NULL, TEXT_OUT("a b c") },
    { "lines", TEXT_IN("# a\\n> b\\n- c\\n-# d\\n>>> e\\n#f", ",'markdown':'strip'"), NULL,
      TEXT_OUT("a\\nb\\n- c\\nd\\ne\\n#f") },
    { "links named", TEXT_IN("[docs](https://a.example) [b]", ",'markdown':'strip'"), NULL,
      TEXT_OUT("docs (https://a.example) [b]") },
    { "fences", TEXT_IN("```js\\nlet **a**\\n``` b", ",'markdown':'strip'"), NULL,
      TEXT_OUT("```js\\nlet **a**\\n``` b") },
    { "fences in a place without markdown",
      TEXT_IN("```js\\nlet **a**\\n``` b", ",'target':'plain'"), NULL, TEXT_OUT("let **a**\\n b") },
    { "code that needs no backticks", TEXT_IN("`a b` `__init__`", ",'markdown':'strip'"), NULL,
      TEXT_OUT("a b `__init__`") },
    { "code in a place without markdown", TEXT_IN("`a b` `__init__`", ",'target':'plain'"), NULL,
      TEXT_OUT("a b __init__") },
    { "a link with a title",
      TEXT_IN("[x](https://e.com \\\"t u\\\") [y](https://e.com \\u0027t\\u0027)",
              ",'target':'plain'"),
      NULL, TEXT_OUT("x (https://e.com) y (https://e.com)") },
    { "parentheses that are no link", TEXT_IN("[x](see \\\"t\\\" there)", ",'target':'plain'"),
      NULL, TEXT_OUT("[x](see \\\"t\\\" there)") },
    { "everyone in a link", TEXT_IN("https://youtube.com/@Everyone?a=@here", ""), NULL,
      "{'/text':'https://youtube.com/%40Everyone?a=%40here','/mentions#':2,'/mentions/0/type':"
      "'everyone','/mentions/0/start':20,'/mentions/0/end':29,'/mentions/1/type':'here','/"
      "urls#':1}" },
    { "everyone in a link, removed",
      TEXT_IN("https://youtube.com/@everyone", ",'mentions':'remove'"), NULL,
      TEXT_OUT("https://youtube.com/%40everyone") },
    { "everyone in a link, plain", TEXT_IN("https://youtube.com/@everyone", ",'target':'plain'"),
      NULL, TEXT_OUT("https://youtube.com/%40everyone") },
    { "everyone in a link, kept", TEXT_IN("https://youtube.com/@everyone", ",'mentions':'keep'"),
      NULL, TEXT_OUT("https://youtube.com/@everyone") },
    { "here alone in a link",
      TEXT_IN("https://a.example/@everyone/@here", ",'mention_types':['here']"), NULL,
      TEXT_OUT("https://a.example/@everyone/%40here") },
    { "a channel's name is composed", TEXT_IN("e!\\u0301", ",'target':'channel_name'"), NULL,
      TEXT_OUT("\\u00e9") },
    { "escaped marks stay", TEXT_IN("\\\\*a\\\\* *b*", ",'markdown':'strip'"), NULL,
      TEXT_OUT("\\\\*a\\\\* b") },
    { "plain drops the backslash", TEXT_IN("\\\\*a\\\\*", ",'target':'plain'"), NULL,
      TEXT_OUT("*a*") },

    /* targets */
    { "a title is one line", TEXT_IN("a\\nb", ",'target':'embed_title'"), NULL,
      "{'/text':'a b','/max_length':256}" },
    { "a fence in a code block", TEXT_IN("a```b````", ",'target':'code_block'"), NULL,
      TEXT_OUT("a``\\u200b`b``\\u200b``") },
    { "a backtick in inline code", TEXT_IN("a`b", ",'target':'inline_code'"), NULL,
      ONE_CHANGE("aˋb", "target_rule", "1") },
    { "a user name", TEXT_IN("  a \\n b <@80351110224678912>", ",'target':'username'"), NULL,
      "{'/text':'a b','/errors#':0}" },
    { "forbidden parts", TEXT_IN("My#Discord", ",'target':'username'"), NULL,
      "{'/errors#':2,'/errors/0/code':'name_forbidden'}" },
    { "forbidden names", TEXT_IN("Here", ",'target':'username'"), NULL,
      "{'/errors/0/code':'name_forbidden'}" },
    { "a name that begins like one", TEXT_IN("Hereford", ",'target':'username'"), NULL,
      "{'/errors#':0}" },
    { "one letter", TEXT_IN("a", ",'target':'username'"), NULL,
      "{'/errors/0/code':'too_short','/errors/0/limit':2,'/errors/0/actual':1}" },
    { "a webhook", TEXT_IN("Clyde", ",'target':'webhook_username'"), NULL,
      "{'/errors/0/code':'name_forbidden'}" },
    { "a channel", TEXT_IN("My  Ünï -- Channel_1! 🎉", ",'target':'channel_name'"), NULL,
      TEXT_OUT("my-ünï-channel_1-") },
    { "a log shows what is hidden",
      TEXT_IN("a\\nb\\u001b[31m\\u200b\\u202e\\t*c*", ",'target':'log'"), NULL,
      TEXT_OUT("a\\\\nb\\\\x1b[31m\\\\u{200b}\\\\u{202e}\\\\t*c*") },

    /* length */
    { "cut with an ellipsis", TEXT_IN("abcdef", ",'max_length':4" KEEP), NULL,
      "{'/text':'abc…','/truncated':true,'/warnings/0/code':'truncated','/warnings/0/actual':6,"
      "'/warnings/0/limit':4}" },
    { "cut hard", TEXT_IN("abcdef", ",'max_length':4,'truncate':'hard'" KEEP), NULL,
      TEXT_OUT("abcd") },
    { "not cut", TEXT_IN("abcdef", ",'max_length':4,'truncate':'none'" KEEP), NULL,
      "{'/text':'abcdef','/truncated':false,'/errors/0/code':'too_long'}" },
    { "exactly the limit", TEXT_IN("abcd", ",'max_length':4" KEEP), NULL, "{'/truncated':false}" },
    { "no torn family", TEXT_IN("ab👨\\u200d👩\\u200d👧x", ",'max_length':6" KEEP), NULL,
      TEXT_OUT("ab…") },
    { "no torn flag", TEXT_IN("a🇩🇪b", ",'max_length':2,'truncate':'hard'" KEEP), NULL,
      TEXT_OUT("a") },
    { "no torn escape", TEXT_IN("ab*cd", ",'max_length':4"), NULL, TEXT_OUT("ab…") },
    { "no torn mention", TEXT_IN("ab <#80351110224678912> c", ",'max_length':12" KEEP), NULL,
      TEXT_OUT("ab…") },
    { "an open fence is closed", TEXT_IN("```\\nabcdefghijklmnop```", ",'max_length':14" KEEP),
      NULL, TEXT_OUT("```\\nabcde…\\n```") },
    { "one character", TEXT_IN("abc", ",'max_length':1" KEEP), NULL, TEXT_OUT("…") },

    /* each target and kind of markdown alone */
    { "limit of message", TEXT_IN("abc", ",'target':'message'"), NULL,
      "{'/text':'abc','/target':'message','/max_length':2000,'/errors#':0}" },
    { "limit of embed_title", TEXT_IN("abc", ",'target':'embed_title'"), NULL,
      "{'/text':'abc','/target':'embed_title','/max_length':256,'/errors#':0}" },
    { "limit of embed_description", TEXT_IN("abc", ",'target':'embed_description'"), NULL,
      "{'/text':'abc','/target':'embed_description','/max_length':4096,'/errors#':0}" },
    { "limit of field_name", TEXT_IN("abc", ",'target':'field_name'"), NULL,
      "{'/text':'abc','/target':'field_name','/max_length':256,'/errors#':0}" },
    { "limit of field_value", TEXT_IN("abc", ",'target':'field_value'"), NULL,
      "{'/text':'abc','/target':'field_value','/max_length':1024,'/errors#':0}" },
    { "limit of footer", TEXT_IN("abc", ",'target':'footer'"), NULL,
      "{'/text':'abc','/target':'footer','/max_length':2048,'/errors#':0}" },
    { "limit of code_block", TEXT_IN("abc", ",'target':'code_block'"), NULL,
      "{'/text':'abc','/target':'code_block','/max_length':1990,'/errors#':0}" },
    { "limit of inline_code", TEXT_IN("abc", ",'target':'inline_code'"), NULL,
      "{'/text':'abc','/target':'inline_code','/max_length':1900,'/errors#':0}" },
    { "limit of username", TEXT_IN("abc", ",'target':'username'"), NULL,
      "{'/text':'abc','/target':'username','/max_length':32,'/errors#':0}" },
    { "limit of nickname", TEXT_IN("abc", ",'target':'nickname'"), NULL,
      "{'/text':'abc','/target':'nickname','/max_length':32,'/errors#':0}" },
    { "limit of webhook_username", TEXT_IN("abc", ",'target':'webhook_username'"), NULL,
      "{'/text':'abc','/target':'webhook_username','/max_length':80,'/errors#':0}" },
    { "limit of channel_name", TEXT_IN("abc", ",'target':'channel_name'"), NULL,
      "{'/text':'abc','/target':'channel_name','/max_length':100,'/errors#':0}" },
    { "limit of thread_name", TEXT_IN("abc", ",'target':'thread_name'"), NULL,
      "{'/text':'abc','/target':'thread_name','/max_length':100,'/errors#':0}" },
    { "limit of log", TEXT_IN("abc", ",'target':'log'"), NULL,
      "{'/text':'abc','/target':'log','/max_length':10000,'/errors#':0}" },
    { "limit of plain", TEXT_IN("abc", ",'target':'plain'"), NULL,
      "{'/text':'abc','/target':'plain','/max_length':10000,'/errors#':0}" },
    { "without escape", TEXT_IN("a\\\\b", ",'markdown':{'escape':false}"), NULL,
      "{'/changed':false}" },
    { "without inline_code", TEXT_IN("`a`", ",'markdown':{'inline_code':false}"), NULL,
      "{'/changed':false}" },
    { "without code_block", TEXT_IN("```a```", ",'markdown':{'code_block':false}"), NULL,
      "{'/changed':false}" },
    { "without italic", TEXT_IN("*a* _b_", ",'markdown':{'italic':false}"), NULL,
      "{'/changed':false}" },
    { "without bold", TEXT_IN("**a**", ",'markdown':{'bold':false}"), NULL, "{'/changed':false}" },
    { "without underline", TEXT_IN("__a__", ",'markdown':{'underline':false}"), NULL,
      "{'/changed':false}" },
    { "without strikethrough", TEXT_IN("~~a~~", ",'markdown':{'strikethrough':false}"), NULL,
      "{'/changed':false}" },
    { "without spoiler", TEXT_IN("||a||", ",'markdown':{'spoiler':false}"), NULL,
      "{'/changed':false}" },
    { "without heading", TEXT_IN("# a", ",'markdown':{'heading':false}"), NULL,
      "{'/changed':false}" },
    { "without bulleted_list", TEXT_IN("- a", ",'markdown':{'bulleted_list':false}"), NULL,
      "{'/changed':false}" },
    { "without numbered_list", TEXT_IN("1. a", ",'markdown':{'numbered_list':false}"), NULL,
      "{'/changed':false}" },
    { "without masked_link", TEXT_IN("[a](b)", ",'markdown':{'masked_link':false}"), NULL,
      "{'/changed':false}" },
    { "without quote", TEXT_IN("> a", ",'markdown':{'quote':false}"), NULL, "{'/changed':false}" },
    { "without block_quote", TEXT_IN(">>> a", ",'markdown':{'block_quote':false}"), NULL,
      "{'/changed':false}" },
    { "an unknown user", TEXT_IN("<@80351110224678912>", ",'mentions':'text'"), NULL,
      TEXT_OUT("@unknown-user") },
    { "emoji removed", TEXT_IN("a <:wave:80351110224678912>", ",'custom_emoji':'remove'" KEEP),
      NULL, TEXT_OUT("a") },
    { "a webhook of the platform", TEXT_IN("My Discord", ",'target':'webhook_username'"), NULL,
      "{'/errors/0/code':'name_forbidden'}" },
    { "other forbidden parts", TEXT_IN("a@b:c```d", ",'target':'username'"), NULL,
      "{'/errors#':3}" },
    { "everyone as a name", TEXT_IN("everyone", ",'target':'username'"), NULL,
      "{'/errors/0/code':'name_forbidden'}" },
    { "no length", TEXT_IN("a", ",'max_length':0"), "invalid_value", NULL },
    { "a length too great", TEXT_IN("a", ",'max_length':10001"), "invalid_value", NULL },
    { "eleven newlines", TEXT_IN("a", ",'newlines':11"), "invalid_value", NULL },
    { "eleven marks", TEXT_IN("a", ",'combining_limit':11"), "invalid_value", NULL },
    { "marks below none", TEXT_IN("a", ",'combining_limit':-1"), "invalid_value", NULL },
    { "an unknown way to truncate", TEXT_IN("a", ",'truncate':'middle'"), "invalid_value", NULL },
    { "an unknown kind of mention", TEXT_IN("a", ",'mention_types':['friends']"), "invalid_value",
      NULL },

    /* errors */
    { "no text", "{}", "missing_field", NULL },
    { "an empty text", "{'text':''}", "too_short", NULL },
    { "no kind of markdown", TEXT_IN("a", ",'markdown':'html'"), "invalid_value", NULL },
    { "an invalid flag", TEXT_IN("a", ",'markdown':{'bold':1}"), "invalid_type", NULL },
    { "an unknown target", TEXT_IN("a", ",'target':'sms'"), "invalid_value", NULL },
};

static void check(void **state)
{
    assert_answers(chatplatform_text_sanitize, "chatplatform-text-sanitize", *state);
}

/* ---- invariants ---- */

static cJSON *sanitize(const char *text, const char *switches)
{
    scoped(buf_free) struct buf body = BUF(1 << 20);
    cJSON *result = json_object();
    struct err err = { 0 };

    buf_add_str(&body, "{\"text\":");
    json_print_text(text_of(text), &body);
    add_quoted(&body, switches);
    buf_add_byte(&body, '}');
    bool ok = run_tool(chatplatform_text_sanitize, "chatplatform-text-sanitize", buf_str(&body),
                       result, NULL, &err);
    assert_string_equal(err.message, "");
    assert_true(ok);
    return result;
}

static const char *const hostile[] = {
    "a\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86",
    "@eve@everyoneryone",
    "```\n**x**\n```\n\n\n\n",
    "\xe2\x80\xae\x61\x62\x63\xe2\x81\xa6\xf0\x9f\x91\xa8\xe2\x80\x8d",
    "<@8035111022467891<@80351110224678912>2>",
    "p\xd0\xb0ypal \xe1\xb4\x80\xca\x99\xe1\xb4\x84",
    "[a](b)[c](d) ***x*** \\\\*",
    "\t \r\n \n\n\n \xc2\xa0 x  y",
    "1\xef\xb8\x8f\xe2\x83\xa3\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87",
};

static void twice_is_once(void **state)
{
    static const char *const switches[] = {
        ",'markdown':'keep'",
        ",'markdown':'keep','mentions':'remove'",
        ",'markdown':'keep','normalize':'nfkc','combining_limit':0,'confusables':'replace'",
        ",'target':'channel_name'",
        ",'target':'code_block'",
        ",'markdown':'keep','bidi':'isolate','newlines':0,'collapse_spaces':true",
    };
    (void)state;
    for (size_t i = 0; i < countof(hostile); i++) {
        scoped(mem_free) char *text = str_dup(hostile[i]);
        text_repair(text);
        for (size_t j = 0; j < countof(switches); j++) {
            scoped(json_free) cJSON *once = sanitize(text, switches[j]);
            if (!*json_text(once, "/text"))
                continue;
            scoped(json_free) cJSON *twice = sanitize(json_text(once, "/text"), switches[j]);
            assert_string_equal(json_text(twice, "/text"), json_text(once, "/text"));
        }
    }
}

static void never_longer_than_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(hostile); i++) {
        scoped(mem_free) char *text = str_dup(hostile[i]);
        text_repair(text);
        for (int limit = 1; limit < 30; limit++) {
            scoped(mem_free) char *switches = str_format(",'max_length':%d", limit);
            scoped(json_free) cJSON *result = sanitize(text, switches);
            assert_true(utf8_length(text_of(json_text(result, "/text"))) <= (size_t)limit);
        }
    }
}

/* ---- random texts ---- */

static const char *const pieces[] = {
    "*",
    "**",
    "_",
    "__",
    "~~",
    "||",
    "`",
    "``",
    "```",
    "```js\n",
    "# ",
    "> ",
    ">>> ",
    "-# ",
    "- ",
    "1. ",
    "\n",
    "\n\n",
    " ",
    "a",
    "word",
    "\\",
    "[",
    "](",
    ")",
    "(",
    "<",
    ">",
    "@everyone",
    "@eve",
    "ryone",
    "@here",
    "e\u0301",
    "\u0301",
    "\u200b",
    "\u200d",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u2800",
    "👩",
    "👩\u200d👧",
    "🇩🇪",
    "*\ufe0f\u20e3",
    "ا",
    "\u200c",
    "ب",
    "раypal",
    "ﷺ",
    "İ",
    "\t",
    "!",
    "#",
    "|",
    "[x](https://e.com \"t\")",
    "https://a.example/@everyone",
    "<@80351110224678912>",
    "<@80351110",
    "224678912>",
    "<:n:80351110224678912>",
};

/* A text of up to 12 significant pieces; the generator returns the same texts every time. */
static void any_text(uint64_t *seed, struct buf *out)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (size_t left = 1 + (*seed >> 33) % 12; left > 0; left--) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        buf_add_str(out, pieces[(*seed >> 33) % countof(pieces)]);
    }
}

static void any_text_twice_is_once(void **state)
{
    static const char *const switches[] = {
        ",'markdown':'strip','mentions':'remove'",
        ",'markdown':'strip','mentions':'keep','normalize':'nfkc','combining_limit':1",
        ",'markdown':'strip','mentions':'remove','urls':'remove','custom_emoji':'remove'",
        ",'target':'channel_name'",
        ",'target':'username'",
    };
    uint64_t seed = 4;
    (void)state;
    for (int i = 0; i < 600; i++) {
        scoped(buf_free) struct buf text = BUF(1 << 12);
        any_text(&seed, &text);
        const char *given = switches[i % (int)countof(switches)];
        scoped(json_free) cJSON *once = sanitize(buf_str(&text), given);
        if (!*json_text(once, "/text"))
            continue;
        scoped(json_free) cJSON *twice = sanitize(json_text(once, "/text"), given);
        assert_string_equal(json_text(twice, "/text"), json_text(once, "/text"));
    }
}

int main(void)
{
    const struct CMUnitTest singles[] = {
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(any_text_twice_is_once),
        cmocka_unit_test(never_longer_than_the_limit),
    };
    return RUN_ROWS(rows, check) + cmocka_run_group_tests(singles, NULL, NULL);
}
