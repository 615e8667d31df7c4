/*
 * svc-utils/json-to-code/tests/json-to-code.c - inference, names, and each target's rules.
 * tests/check/json-to-code.py compiles the code with each language's own tools.
 */
#include <string.h>

#include "answer.h"
/* ---- code: a part that one target's text must contain ---- */

static const struct part {
    const char *name;
    const char *sample;
    const char *target;
    const char *has; /* 'single quotes' for double ones here too */
    const char *has_no;
} parts[] = {
    /* kinds */
    { "integer", "{'a':1}", "rust", "pub a: i64,", NULL },
    { "1.0 is a number", "{'a':1.0}", "rust", "pub a: f64,", NULL },
    { "so is 1e2", "{'a':1e2}", "go", "A float64 ", NULL },
    { "words are text", "['on','off','on','off']", "typescript", "Root = string[];", NULL },
    { "times are text", "{'a':'2026-08-01T10:00:00Z'}", "go", "A string ", NULL },
    { "so is one beyond doubles", "{'a':1e999}", "go", "A float64 ", NULL },
    { "and minus zero", "{'a':-0}", "rust", "pub a: f64,", NULL },
    { "greatest int64", "{'a':9223372036854775807}", "go", "A int64 ", NULL },
    { "least int64", "{'a':-9223372036854775808}", "go", "A int64 ", NULL },
    { "above it is uint64", "{'a':9223372036854775808}", "rust", "pub a: u64,", NULL },
    { "greatest uint64", "{'a':18446744073709551615}", "kotlin", "val a: JsonElement\n", NULL },
    { "above it is a number", "{'a':18446744073709551616}", "go", "A float64 ", NULL },
    { "below int64 too", "{'a':-9223372036854775809}", "go", "A float64 ", NULL },
    { "no 64 bits hold both", "{'a':[-1,18446744073709551615]}", "go", "A []float64 ", NULL },
    { "uint64 swallows integers", "{'a':[1,18446744073709551615]}", "go", "A []uint64 ", NULL },
    { "number swallows integers", "{'a':[1,2.5]}", "typescript", "a: number[];", NULL },
    { "boolean", "{'a':true}", "kotlin", "val a: Boolean\n", NULL },
    { "string", "{'a':'x'}", "python", "a: str\n", NULL },
    { "empty array", "{'a':[]}", "typescript", "a: unknown[];", NULL },
    { "empty array and another", "{'a':[[],[1]]}", "typescript", "a: number[][];", NULL },
    { "empty object", "{'a':{}}", "typescript", "export interface A {}", NULL },

    /* names that objects inherit from their prototype or base */
    { "an optional constructor", "[{'constructor':1},{}]", "typescript",
      "constructor?: number | Object['constructor'];", NULL },
    { "an optional toString", "[{'toString':'a'},{}]", "typescript",
      "toString?: string | Object['toString'];", NULL },
    { "one that is always there", "{'toString':'a'}", "typescript", "toString: string;", "Object" },
    { "a metaclass's method", "{'register':1}", "python",
      "register_: int = Field(..., alias='register')", NULL },
    { "another", "{'mro':1}", "python", "mro_: int = Field(..., alias='mro')", NULL },

    /* Zod */
    { "a schema and its type", "{'a':1}", "zod",
      "export const Root = z.object({\n  a: z.number().int(),\n});\n"
      "export type Root = z.infer<typeof Root>;\n",
      NULL },
    { "a number", "{'a':1.5}", "zod", "a: z.number(),", NULL },
    { "2^53 is not a safe integer", "{'a':9007199254740992}", "zod", "a: z.number(),", NULL },
    { "below it is", "{'a':9007199254740991}", "zod", "a: z.number().int(),", NULL },
    { "optional and nullable", "[{'a':'x'},{'a':null},{}]", "zod",
      "a: z.string().nullable().optional(),", NULL },
    { "inner schemas first", "{'b':{'c':true}}", "zod",
      "import { z } from 'zod';\n\nexport const B ", NULL },
    { "a schema within itself", "{'n':{'v':1,'n':{'v':2,'n':null}}}", "zod",
      "n: z.lazy((): z.ZodTypeAny => N).nullable(),", NULL },
    { "a union", "{'a':[1,'x']}", "zod", "a: z.array(z.union([z.number().int(), z.string()])),",
      NULL },
    { "a map", "{'a':{'2026-01-01':1,'2026-01-02':2}}", "zod",
      "a: z.record(z.string(), z.number().int()),", NULL },
    { "nothing known", "{'a':[]}", "zod", "a: z.array(z.unknown()),", NULL },
    { "null alone", "{'a':null}", "zod", "a: z.null(),", NULL },
    { "a list as root", "[{'a':1}]", "zod", "export const Root = z.array(RootItem);", NULL },
    { "__proto__ sets none", "{'__proto__':1}", "zod", "['__proto__']: z.number()", NULL },
    { "an optional toString of a schema", "[{'toString':'a'},{}]", "zod",
      "toString: z.unknown().optional(),", NULL },

    /* Java */
    { "a record", "{'a':1,'b':true,'c':1.5,'d':'x'}", "java",
      "public record Root(\n    long a,\n    boolean b,\n    double c,\n    String d\n) {}\n",
      NULL },
    { "one within it", "{'b':{'c':1}}", "java",
      "    B b\n) {\n    public record B(\n        long c\n    ) {}\n}\n", NULL },
    { "another name", "{'e-mail':'x'}", "java", "@JsonProperty('e-mail') String eMail", NULL },
    { "optional", "[{'a':1},{}]", "java", "@JsonInclude(JsonInclude.Include.NON_NULL) Long a",
      NULL },
    { "nullable", "[{'a':1},{'a':null}]", "java", "        Long a\n", "@" },
    { "a list", "{'a':[1]}", "java", "List<Long> a", NULL },
    { "a map of Java", "{'a':{'2026-01-01':1,'2026-01-02':2}}", "java", "Map<String, Long> a",
      NULL },
    { "a property of C#", "{'user_id':1}", "csharp",
      "    [JsonProperty(\"user_id\")]\n    public long UserId { get; set; }\n", NULL },
    { "an optional number of C#", "[{'a':1},{}]", "csharp",
      "NullValueHandling = NullValueHandling.Ignore)]\n    public long? A { get; set; }\n", NULL },
    { "a nullable text of C#", "[{'a':'x'},{'a':null}]", "csharp", "public string A {", "Ignore" },
    { "a map of C#", "{'a':{'2026-01-01':1,'2026-01-02':2}}", "csharp",
      "public Dictionary<string, long> A {", NULL },
    { "a union of C#", "{'a':[1,'x']}", "csharp", "public List<JToken> A {", NULL },
    { "no property has the name of its class", "{'root':1}", "csharp", "public long Root2 {",
      NULL },
    { "no property hides a method of C#", "{'toString':1}", "csharp", NULL, " ToString " },
    { "a class of PHP", "{'user_id':1}", "php",
      "final readonly class Root\n{\n    public function __construct(\n"
      "        public int $userId,\n    ) {\n    }\n",
      NULL },
    { "a member read in PHP", "{'e-mail':'x'}", "php", "eMail: $data->{\"e-mail\"},\n", NULL },
    { "an optional number of PHP", "[{'a':1},{}]", "php", "public ?int $a = null,\n", NULL },
    { "a nullable text of PHP", "[{'a':'x'},{'a':null}]", "php", "public ?string $a,\n", NULL },
    { "a parameter with a default is last", "[{'a':1,'b':2},{'b':2}]", "php",
      "public int $b,\n        public ?int $a = null,\n", NULL },
    { "a map of PHP", "{'a':{'2026-01-01':1,'2026-01-02':2}}", "php",
      "/** @var array<string, int> */\n        public array $a,\n", NULL },
    { "a list of objects of PHP", "{'a':[{'b':1}]}", "php",
      "a: array_map(static fn ($item) => A::from($item), $data->a),\n", NULL },
    { "a union of PHP", "{'a':[1,'x'],'b':1}", "php", "@var list<int|string> */", NULL },
    { "a class that is a keyword", "{'class':{'a':1}}", "php", "public Class_ $class,", NULL },
    { "no property is $this", "{'this':1}", "php", "public int $this_,", NULL },
    { "a dollar sign in PHP", "{'$a':1}", "php", "$data->{\"\\$a\"}", NULL },
    { "a class of PHP itself", "{'error':{'a':1}}", "php", "namespace App;\n", NULL },
    { "a union in Java", "{'a':[1,'x']}", "java", "List<JsonNode> a", NULL },
    { "above int64", "{'a':18446744073709551615}", "java", "BigInteger a", NULL },
    { "a list as root of Java", "[{'a':1}]", "java",
      "/* The document itself is a List<RootItem>. */\npublic final class Root {", NULL },
    { "a method of Object", "{'hashCode':1,'class':2}", "java",
      "@JsonProperty('hashCode') long hashCode_,\n    @JsonProperty('class') long class_", NULL },

    /* merging */
    { "missing in one is optional", "[{'a':1,'b':2},{'a':1}]", "typescript",
      "a: number;\n  b?: number;\n", NULL },
    { "missing in the first too", "[{},{'a':1}]", "typescript", "a?: number;", NULL },
    { "null seen", "[{'a':1},{'a':null}]", "typescript", "a: number | null;", NULL },
    { "both", "[{'a':1},{'a':null},{}]", "typescript", "a?: number | null;", NULL },
    { "arrays of sibling objects are one place", "[{'l':[{'a':1}]},{'l':[{'b':1},{}]}]",
      "typescript", "a?: number;\n  b?: number;\n", NULL },
    { "a union", "[1,'x',null]", "typescript", "export type Root = (number | string | null)[];",
      NULL },
    { "arrays in a union merge", "[[1],['a'],2]", "typescript", "(number | (number | string)[])[];",
      NULL },
    { "field order is that of the sample", "[{'z':1,'a':2},{'b':3,'z':1}]", "typescript",
      "z: number;\n  a?: number;\n  b?: number;\n", NULL },

    /* maps */
    { "digits", "{'1':true,'22':false}", "typescript", "Root = Record<string, boolean>;", NULL },
    { "dates", "{'2026-01-01':1,'2026-01-02':2}", "python", "Root = Dict[str, int]\n", NULL },
    { "UUIDs",
      "{'00000000-0000-0000-0000-00000000000a':1,'00000000-0000-0000-0000-00000000000B':2}", "go",
      "type Root map[string]int64\n", NULL },
    { "long hex", "{'deadbeef':1,'0123456789':2}", "kotlin", "typealias Root = Map<String, Long>",
      NULL },
    { "short hex is a word", "{'dead':1,'beef':2}", "typescript", "dead: number;", NULL },
    { "one name is not a map", "{'1':1}", "typescript", "\"1\": number;", NULL },
    { "currencies", "{'m':{'USD':1.1,'EUR':1}}", "typescript", "m: Record<string, number>", NULL },
    { "countries", "{'m':{'DE':{'a':1},'US':{'a':2}}}", "typescript", "m: Record<string, M>",
      NULL },
    { "versions of objects", "{'m':{'1.0.0':{'a':1},'1.1.0':{'a':2}}}", "typescript",
      "m: Record<string, M>", NULL },
    { "tickers of objects", "{'m':{'AAPL':{'p':1.5},'MSFT':{'p':2}}}", "typescript",
      "m: Record<string, M>", NULL },
    { "packages and their ranges", "{'m':{'lodash':'^4.17.21','@types/node':'20.1.0'}}",
      "typescript", "m: Record<string, string>", NULL },
    { "languages", "{'m':{'en':'Hi','de':'Hallo'}}", "typescript", "m: Record<string, string>",
      NULL },
    { "ids", "{'m':{'cus_9s6XKzkNRiz8i3':1,'cus_9s6XGDTHzA66Po':2}}", "typescript",
      "m: Record<string, number>", NULL },
    { "addresses", "{'m':{'a@x.org':1,'b@y.org':2}}", "typescript", "m: Record<string, number>",
      NULL },
    { "a word and a number, of objects", "{'m':{'user_1':{'a':1},'user_2':{'a':2}}}", "typescript",
      "m: Record<string, M>", NULL },
    { "months", "{'m':{'2026-01':1,'2026-02':2}}", "typescript", "m: Record<string, number>",
      NULL },
    { "media types", "{'m':{'text/html':{'a':1},'text/css':{'a':2}}}", "typescript",
      "m: Record<string, M>", NULL },
    { "uppercase names are not tickers", "{'m':{'HOST':'a','PORT':80}}", "typescript", "m: M;",
      NULL },
    { "ID and IN are not countries", "{'m':{'ID':1,'IN':2}}", "typescript", "m: M;", NULL },
    { "two versions are fields", "{'m':{'version':'1.2.3','latest':'1.3.0'}}", "typescript",
      "m: M;", NULL },
    { "times are not versions", "{'m':{'at':'2026-01-01T00:00:00Z','to':'2026-01-01T00:00:00Z'}}",
      "typescript", "m: M;", NULL },
    { "prices are not versions", "{'m':{'price':'1.234,50','total':'2.000,00'}}", "typescript",
      "m: M;", NULL },
    { "two equal records are fields", "{'m':{'shipping':{'city':'a'},'billing':{'city':'b'}}}",
      "typescript", "m: M;", NULL },
    { "sizes of an image are fields", "{'m':{'image_24':'u','image_32':'u','image_48':'u'}}",
      "typescript", "m: M;", NULL },
    { "codes of unlike objects", "{'m':{'USD':{'a':1,'b':1,'c':1},'EUR':{'d':1,'e':1,'f':1}}}",
      "typescript", "m: M;", NULL },
    { "values of different kinds are not a map", "{'1':1,'2':'x'}", "typescript", "interface Root",
      NULL },
    { "names of different classes are not a map", "{'1':1,'2026-01-01':2}", "typescript",
      "interface Root", NULL },
    { "values merge", "{'1':{'a':1},'2':{'b':null}}", "typescript",
      "Root = Record<string, RootItem>;\n\nexport interface RootItem {\n  a?: number;\n  b?: null;",
      NULL },
    { "maps in maps", "{'1':{'2':1,'3':2},'4':{'5':1.5,'6':2}}", "typescript",
      "Root = Record<string, Record<string, number>>;", NULL },
    { "names of several objects count together", "{'l':[{'1':1},{'2':2}]}", "typescript",
      "l: Record<string, number>[];", NULL },

    /* recursion */
    { "a chain", "{'n':{'v':1,'n':{'v':2,'n':{'v':3,'n':null}}}}", "rust", "pub n: Option<Box<N>>,",
      NULL },
    { "a tree", "{'k':[{'a':1,'k':[{'a':2,'k':[]}]}]}", "rust", "pub k: Vec<K>,", "Box" },
    { "by another name it is another type", "{'n':{'v':1,'m':{'v':2,'m':null}}}", "typescript",
      "m: M;", NULL },
    { "one field in common is chance", "{'n':{'v':1,'n':{'v':2}}}", "typescript", "n: NN;", NULL },
    { "a conflict of kinds keeps them apart", "{'n':{'v':1,'w':1,'n':{'v':'x','w':1}}}",
      "typescript", "n: NN;", NULL },
    { "Python rebuilds it", "{'n':{'v':1,'n':{'v':2,'n':null}}}", "python",
      "    N.update_forward_refs()\n", NULL },

    /* JSON Schema */
    { "dialect", "{}", "json-schema", "'$schema': 'http://json-schema.org/draft-07/schema#'",
      NULL },
    { "root", "{}", "json-schema", "'$ref': '#/definitions/Root'", NULL },
    { "nothing is required of none", "{}", "json-schema", "'properties': {}\n", "required" },
    { "nullable scalar", "[1,null]", "json-schema",
      "'type': [\n      'integer',\n      'null'\n    ]", NULL },
    { "nullable object", "[{},null]", "json-schema", "'anyOf': [\n      {\n        '$ref'", NULL },
    { "date-time", "{'a':'2026-08-01T00:00:00Z'}", "json-schema", "'format': 'date-time'", NULL },
    { "no such day", "{'a':'2026-02-29T00:00:00Z'}", "json-schema", "'a'", "format" },
    { "a format that all texts have", "['1.2.3.4','::1']", "json-schema", "'string'", "format" },
    { "an empty text has none", "['a@b.co','']", "json-schema", "'string'", "format" },
    { "e-mail", "['a@b.co','c.d@e.example']", "json-schema", "'format': 'email'", NULL },
    { "no e-mail", "'a..b@c.de'", "json-schema", "'string'", "format" },
    { "URI", "'https://u@h.example:8/%20?q#f'", "json-schema", "'format': 'uri'", NULL },
    { "a port is digits", "'http://a:b/'", "json-schema", "'string'", "format" },
    { "a sentence is not a URI", "'note: this'", "json-schema", "'string'", "format" },
    { "date", "'2024-02-29'", "json-schema", "'format': 'date'", NULL },
    { "time with its zone", "'10:20:30Z'", "json-schema", "'format': 'time'", NULL },
    { "a time without an offset", "'10:20:30'", "json-schema", "'string'", "format" },
    { "IPv4", "'10.0.0.1'", "json-schema", "'format': 'ipv4'", NULL },
    { "IPv6", "'2001:db8::1'", "json-schema", "'format': 'ipv6'", NULL },

    /* TypeScript */
    { "quoted name", "{'a-b':1}", "typescript", "'a-b': number;", NULL },
    { "__proto__ is quoted", "{'__proto__':1}", "typescript", "'__proto__': number;", NULL },

    /* Go */
    { "initialisms", "{'user_id':1,'apiURL':2}", "go",
      "\tUserID int64 `json:'user_id'`\n\tAPIURL int64 `json:'apiURL'`\n", NULL },
    { "columns", "[{'a':1,'long_name':'x'},{'a':1}]", "go",
      "\tA        int64   `json:'a'`\n\tLongName *string `json:'long_name,omitempty'`\n", NULL },
    { "columns count characters", "{'\u00e9\u00e9':1,'a':2}", "go",
      "\t\u00c9\u00e9 int64 `json:'\u00e9\u00e9'`\n\tA  int64 `json:'a'`\n", NULL },
    { "nullable", "{'l':[1,null]}", "go", "L []*int64 ", NULL },
    { "nullable array needs no pointer", "[{'l':[1]},{'l':null}]", "go", "L []int64 ", NULL },
    { "an empty optional array does", "[{'l':[]},{}]", "go", "L *[]interface{} ", NULL },
    { "a full one does not", "[{'l':[1]},{}]", "go", "L []int64 ", NULL },
    { "the name -", "{'-':1}", "go", "`json:'-,'`", NULL },
    { "the name -, optional", "[{'-':1},{}]", "go", "`json:'-,omitempty'`", NULL },
    { "a letter without case is exported", "{'\u7528':1}", "go", "\tX\u7528 int64 ", NULL },
    { "a comma makes it a map", "{'x':{'a,b':1,'c':2}}", "go", "type X map[string]int64\n", NULL },
    { "of anything", "{'x':{'':1,'c':'x'}}", "go", "type X map[string]interface{}\n", NULL },
    { "empty struct", "{}", "go", "type Root struct{}\n", NULL },

    /* Python */
    { "snake case", "{'userID':1}", "python", "user_id: int = Field(..., alias='userID')\n", NULL },
    { "required and nullable", "[{'a':null},{'a':1}]", "python", "a: Optional[int] = Field(...)\n",
      NULL },
    { "optional", "[{'a':1},{}]", "python", "a: Optional[int] = None\n", NULL },
    { "optional and renamed", "[{'A':1},{}]", "python",
      "a: Optional[int] = Field(None, alias='A')\n", NULL },
    { "keyword", "{'class':1}", "python", "class_: int = Field(..., alias='class')\n", NULL },
    { "method of BaseModel", "{'copy':1}", "python", "copy_: int", NULL },
    { "model_ is Pydantic's", "{'model_id':1}", "python", "field_model_id: int", NULL },
    { "an annotation's name", "{'int':1}", "python", "int_: int", NULL },
    { "strict union, objects last", "[{},[],'',1.5,true]", "python",
      "Union[StrictBool, StrictInt, StrictFloat, StrictStr, List[Any], RootItem]", NULL },
    { "inner before outer", "{'a':{'b':{}}}", "python",
      "class B(BaseModel):\n    pass\n\n\nclass A(BaseModel):\n    b: B\n", NULL },
    { "imports what is used", "{'a':'x'}", "python", "from pydantic import BaseModel\n\n\nclass",
      "typing" },

    /* Rust */
    { "raw keyword", "{'type':1}", "rust", "    pub r#type: i64,", "rename" },
    { "keyword that cannot be raw", "{'self':1}", "rust",
      "    #[serde(rename = 'self')]\n    pub self_: i64,", NULL },
    { "optional by serde", "[{'a':1},{}]", "rust",
      "    #[serde(default, skip_serializing_if = 'Option::is_none')]\n    pub a: Option<i64>,",
      NULL },
    { "union is an enum, arrays first", "{'a':[1,'x',[],{}]}", "rust",
      "pub enum RootA {\n    Array(Vec<serde_json::Value>),\n    Object(A),\n    Integer(i64),\n"
      "    String(String),\n}\n",
      NULL },
    { "alias of a scalar needs nothing", "1", "rust", "pub type Root = i64;\n", "use" },
    { "no bidi mark in code", "{'\u202e':1}", "rust", "rename = '\\u{202e}'", "\u202e" },

    /* Kotlin */
    { "camel case", "{'user_id':1}", "kotlin", "    @SerialName('user_id')\n    val userId: Long\n",
      NULL },
    { "keyword", "{'when':1}", "kotlin", "val when_: Long", NULL },
    { "dollar", "{'$a':1}", "kotlin", "@SerialName('\\$a')", NULL },
    { "optional", "[{'a':1},{}]", "kotlin", "val a: Long? = null\n", NULL },
    { "empty class", "{}", "kotlin", "@Serializable\nclass Root\n", "data" },

    /* names of fields */
    { "two names that meet", "{'a-b':1,'a_b':2,'a b':3}", "rust",
      "pub a_b: i64,\n    #[serde(rename = 'a_b')]\n    pub a_b2: i64,\n    #[serde(rename = 'a "
      "b')]\n    pub a_b3:",
      NULL },
    { "a number behind a digit", "{'v1':1,'V1':2}", "rust", "pub v1_2: i64", NULL },
    { "leading digit", "{'2fa':1}", "rust", "pub n2fa: i64", NULL },
    { "nothing usable", "{'a':0,'!':1}", "rust", "pub field2: i64", NULL },
    { "acronym before a word", "{'HTMLParser':1}", "rust", "pub html_parser:", NULL },
    { "plural of an acronym", "{'userIDs':1}", "rust", "pub user_ids:", NULL },
    { "a ligature is its letters", "{'\ufb01sh':1}", "python", "fish: int = Field(..., alias='",
      NULL },
    { "too young for some compilers", "{'a\u0870b':1}", "kotlin", "val aB: Long", NULL },
    { "the small form is too young", "{'\u13a0':1}", "rust", "pub \u13a0: i64", NULL },
    { "beyond the first plane", "{'a\U00020000b':1}", "kotlin", "val aB: Long", NULL },
    { "another alphabet", "{'\u0418\u043c\u044f':1}", "kotlin", "val \u0438\u043c\u044f: Long",
      NULL },
};

static void check_code(const struct part *part, const char *options)
{
    scoped(mem_free) char *body =
        str_format("{'sample':%s,'targets':'%s'%s}", part->sample, part->target, options);
    scoped(json_free) cJSON *result = answer(body);
    scoped(mem_free) char *pointer = str_format("/code/%s", part->target);
    scoped(buf_free) struct buf has = BUF(1000);
    const char *code = json_text(result, pointer);

    add_quoted(&has, part->has);
    if (!strstr(code, buf_str(&has)))
        fail_msg("%s is not in:\n%s", buf_str(&has), code);
    if (part->has_no && strstr(code, part->has_no))
        fail_msg("%s is in:\n%s", part->has_no, code);
}

static void check_part(void **state)
{
    check_code(*state, "");
}

/* ---- names and paths of types ---- */

static const struct named {
    const char *name;
    const char *body;
    const char *types; /* "Name:path " for each */
} named[] = {
    { "root", "{'sample':{}}", "Root:$ " },
    { "root by name", "{'sample':{},'root_name':'user profile'}", "UserProfile:$ " },
    { "acronyms keep their case", "{'sample':{},'root_name':'APIResponse'}", "APIResponse:$ " },
    { "no shouting", "{'sample':{},'root_name':'USER_PROFILE'}", "UserProfile:$ " },
    { "nothing usable", "{'sample':{},'root_name':'!?'}", "Root:$ " },
    { "a digit in front", "{'sample':{},'root_name':'3d'}", "N3d:$ " },
    { "a reserved root", "{'sample':{},'root_name':'list'}", "ListType:$ " },
    { "alias of the root", "{'sample':[1]}", "Root:$ " },
    { "element of the root", "{'sample':[{}],'root_name':'users'}", "Users:$ User:$[] " },
    { "element without a plural", "{'sample':[{}]}", "Root:$ RootItem:$[] " },
    { "after the member", "{'sample':{'shipping_address':{}}}",
      "Root:$ ShippingAddress:$.shipping_address " },
    { "elements in the singular",
      "{'sample':{'categories':[{'a':1}],'taxes':[{'b':1}],'addresses':[{'c':1}],'status':[{'d':1}]"
      ","
      "'people':[{'e':1}],'children':[{'f':1}],'news':[{'g':1}],'glass':[{'h':1}]}}",
      "Root:$ Category:$.categories[] Tax:$.taxes[] Address:$.addresses[] Status:$.status[] "
      "Person:$.people[] Child:$.children[] News:$.news[] Glass:$.glass[] " },
    { "only the last word", "{'sample':{'usersAddresses':[{}]}}",
      "Root:$ UsersAddress:$.usersAddresses[] " },
    { "values of a map", "{'sample':{'users':{'1':{'a':1},'2':{'a':2}}}}",
      "Root:$ User:$.users.* " },
    { "alike is one type", "{'sample':{'a':{'x':{'k':1}},'b':{'x':{'k':2}}}}",
      "Root:$ A:$.a X:$.a.x B:$.b " },
    { "whatever the order of fields",
      "{'sample':{'a':{'x':{'k':1,'l':1}},'b':{'x':{'l':2,'k':2}}}}",
      "Root:$ A:$.a X:$.a.x B:$.b " },
    { "different takes the parent's name", "{'sample':{'x':{'k':1},'b':{'x':{'l':2}}}}",
      "Root:$ X:$.x B:$.b BX:$.b.x " },
    { "then a number", "{'sample':{'x':{'k':1},'X':{'l':1},'rootX':{'m':1},'root_X':{'n':1}}}",
      "Root:$ X:$.x RootX:$.X RootRootX:$.rootX RootRootX2:$.root_X " },
    { "names differ in more than case", "{'sample':{'user':{'a':1},'USER':{'b':1}}}",
      "Root:$ User:$.user RootUser:$.USER " },
    { "reserved", "{'sample':{'string':{'a':1},'options':{'b':1},'option':{'c':1}}}",
      "Root:$ StringType:$.string Options:$.options OptionType:$.option " },
    { "a recursive type is one", "{'sample':{'n':{'v':1,'n':{'v':2,'n':null}}}}", "Root:$ N:$.n " },
    { "paths quote", "{'sample':{'a b':{'c':{'d':1}}}}", "Root:$ AB:$[\"a b\"] C:$[\"a b\"].c " },
};

static void check_named(void **state)
{
    const struct named *row = *state;
    scoped(json_free) cJSON *result = answer(row->body);
    scoped(buf_free) struct buf types = BUF(1000);
    const cJSON *type;
    int64_t count = 0;

    cJSON_ArrayForEach(type, json_at(result, "/types")) {
        buf_format(&types, "%s:%s ", json_text(type, "/name"), json_text(type, "/path"));
        count++;
    }
    assert_string_equal(buf_str(&types), row->types);
    assert_int_equal(json_at(result, "/types_generated")->valuedouble, count);
    assert_string_equal(json_text(result, "/root_name"), json_text(result, "/types/0/name"));
}

/* ---- notes ---- */

static const struct noted {
    const char *name;
    const char *sample;
    const char *notes; /* "code:path " for each */
} noted[] = {
    { "nothing to say", "{'a':1,'b':[{'c':'x'}]}", "" },
    { "empty array", "{'a':[]}", "empty_array:$.a " },
    { "only null", "[null]", "only_null:$[] " },
    { "mixed", "{'a':[1,'x']}", "mixed_types:$.a[] " },
    { "unsafe", "{'a':9007199254740993,'b':9007199254740992}", "unsafe_integer:$.a " },
    { "overflow", "{'a':-9223372036854775809}", "integer_overflow:$.a " },
    { "overflow by both signs", "[-1,18446744073709551615]", "integer_overflow:$[] " },
    { "map", "{'a':{'1':[],'2':[]}}", "map_detected:$.a empty_array:$.a.* " },
    { "recursive", "{'n':{'v':1,'n':{'v':2,'n':null}}}", "recursive:$.n " },
    { "renamed", "{'x':{'k':1},'b':{'x':{'l':2}}}", "renamed:$.b.x " },
    { "repeated in a text", "'{\\'a\\':1,\\'b\\':[{\\'a\\':1,\\'a\\':[]}]}'",
      "duplicate_key:$.b[].a empty_array:$.b[].a " },
    { "no struct tag", "{'a':{'x,y':1}}", "map_fallback:$.a " },
};

static void check_noted(void **state)
{
    const struct noted *row = *state;
    scoped(json_free) cJSON *result = answer_sample(row->sample);
    scoped(buf_free) struct buf notes = BUF(1000);
    const cJSON *note;

    cJSON_ArrayForEach(note, json_at(result, "/notes"))
        buf_format(&notes, "%s:%s ", json_text(note, "/code"), json_text(note, "/path"));
    assert_string_equal(buf_str(&notes), row->notes);
}

/* ---- enums and times, only on request ---- */

#define WORDS  "[{'a':'on'},{'a':'off'},{'a':'on'},{'a':'off'}]"
#define MOMENT "'2026-08-01T10:00:00Z'"

static const struct part typed[] = {
    { "words of an enum", WORDS, "typescript", "a: 'on' | 'off';", NULL },
    { "in Rust", WORDS, "rust",
      "pub enum RootItemA {\n    #[serde(rename = 'on')]\n    On,\n    #[serde(rename = 'off')]\n  "
      "  "
      "Off,\n}",
      NULL },
    { "in Python", WORDS, "python", "a: Literal['on', 'off']\n", "datetime" },
    { "in Kotlin", WORDS, "kotlin",
      "enum class RootItemA {\n    @SerialName('on') ON,\n    @SerialName('off') OFF\n}", NULL },
    { "in Java", WORDS, "java", "@JsonProperty('on') ON,\n", NULL },
    { "in Zod", WORDS, "zod", "a: z.enum(['on', 'off']),", NULL },
    { "in JSON Schema", WORDS, "json-schema",
      "'enum': [\n            'on',\n            'off'\n          ]", "null" },
    { "none in Go", WORDS, "go", "A string ", NULL },
    { "null next to them", "[[null,'on','off','on','off']]", "json-schema", "'off',\n", NULL },
    { "elements", "{'a':['on','off','on','off']}", "typescript", "a: ('on' | 'off')[];", NULL },
    { "seen too seldom", "['on','off','on']", "typescript", "Root = string[];", NULL },
    { "one word is not an enum", "['on','on','on','on']", "typescript", "Root = string[];", NULL },
    { "no word", "['on','o f','on','o f']", "typescript", "Root = string[];", NULL },
    { "an empty text is not an enum", "['on','','on','']", "typescript", "Root = string[];", NULL },
    { "a digit begins none", "['on','1','on','1']", "typescript", "Root = string[];", NULL },
    { "next to a number they are texts", "['on','off','on','off',1]", "typescript",
      "(number | string)[]", NULL },
    { "twelve words",
      "['a','b','c','d','e','f','g','h','i','j','k','l','a','b','c','d','e','f','g','h','i','j','k'"
      ","
      "'l']",
      "typescript", "'l')[]", NULL },
    { "thirteen are data",
      "['a','b','c','d','e','f','g','h','i','j','k','l','m','a','b','c','d','e','f','g','h','i','j'"
      ","
      "'k','l','m']",
      "typescript", "Root = string[];", NULL },
    { "names that are alike", "['a-b','a_b','a-b','a_b']", "kotlin", "@SerialName('a_b') A_B2",
      NULL },
    { "what Rust keeps for itself", "['self','me','self','me']", "rust", "    Self_,", NULL },

    { "a time", "{'a':" MOMENT "}", "go", "import \"time\"\n\ntype Root struct {\n\tA time.Time `",
      NULL },
    { "in Python too", "{'a':" MOMENT "}", "python",
      "from datetime import datetime\n\nfrom pydantic import BaseModel", NULL },
    { "before typing", "{'a':[" MOMENT "]}", "python",
      "from datetime import datetime\nfrom typing import List\n\nfrom pydantic", NULL },
    { "a field of that name", "{'datetime':" MOMENT "}", "python", "datetime_: datetime = Field(",
      NULL },
    { "in Java too", "{'a':" MOMENT "}", "java", "OffsetDateTime a\n", NULL },
    { "Zod looks at its form", "{'a':" MOMENT "}", "zod", "z.string().datetime({ offset: true })",
      NULL },
    { "a text in Rust", "{'a':" MOMENT "}", "rust", "a: String", NULL },
    { "one that may be missing", "[{'a':" MOMENT "},{}]", "go", "A *time.Time ", NULL },
    { "microseconds", "{'a':'2026-08-01T10:00:00.123456+17:59'}", "go", "A time.Time", NULL },
    { "nanoseconds are text", "{'a':'2026-08-01T10:00:00.1234567Z'}", "go", "A string", "import" },
    { "so is an offset of a day", "{'a':'2026-08-01T10:00:00+18:00'}", "go", "A string", NULL },
    { "so are small letters", "{'a':'2026-08-01t10:00:00z'}", "go", "A string", NULL },
    { "so is a day", "{'a':'2026-08-01'}", "go", "A string", NULL },
    { "so is one next to an empty text", "[[" MOMENT ",'']]", "go", "[][]string", NULL },
    { "no import for a map of all", "{'a\\u0022':" MOMENT ",'b':1}", "go", "map[string]interface{}",
      "import" },
};

static void check_typed(void **state)
{
    check_code(*state, ",'enums':true,'date_times':true");
}

int main(void)
{
    return RUN_ROWS(parts, check_part) + RUN_ROWS(named, check_named) +
           RUN_ROWS(noted, check_noted) + RUN_ROWS(typed, check_typed);
}
