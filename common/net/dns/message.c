/* common/net/dns/message.c - DNS messages in wire format. */
#include "net/dns/message.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/codec/cidr.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

enum {
    HEADER_BYTES = 12,
    LABEL_MAX_OCTETS = 63,
    NAME_MAX_OCTETS = 255, /* in wire format, RFC 1035 section 3.1 */
    JUMPS_MAX = 128,
    RECORDS_MAX = 1024, /* each is compared with all previous ones */
    EDNS_BYTES = 1232,
    OPTION_EXTENDED_ERROR = 15,
};

/* clang-format off */
static const struct type_name {
    uint16_t type;
    const char *name;
} type_names[] = {
    { DNS_A, "A" },         { DNS_NS, "NS" },       { DNS_CNAME, "CNAME" }, { DNS_SOA, "SOA" },
    { DNS_PTR, "PTR" },     { DNS_MX, "MX" },       { DNS_TXT, "TXT" },     { DNS_AAAA, "AAAA" },
    { DNS_SRV, "SRV" },     { DNS_DNAME, "DNAME" }, { DNS_OPT, "OPT" },     { DNS_DS, "DS" },
    { DNS_TLSA, "TLSA" },   { DNS_CAA, "CAA" },
};
/* clang-format on */

uint16_t dns_type_of(const char *name)
{
    for (size_t i = 0; i < countof(type_names); i++)
        if (strcasecmp(type_names[i].name, name) == 0)
            return type_names[i].type;
    return 0;
}

bool dns_same_name(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

/* ---- writing ---- */

void dns_add_u16(struct buf *out, unsigned value)
{
    buf_add_byte(out, (char)(value >> 8));
    buf_add_byte(out, (char)value);
}

bool dns_take_octet(struct text *text, char *octet)
{
    int64_t number;
    if (text->size == 0)
        return false;
    bool is_escaped = text->bytes[0] == '\\';
    *text = is_escaped ? text_skip(*text, 1) : *text;
    if (text->size == 0)
        return false;
    *octet = text->bytes[0];
    size_t size = 1;
    if (is_escaped && *octet >= '0' && *octet <= '9') {
        size = 3;
        if (text->size < size || !num_parse((struct text){ text->bytes, size }, UINT8_MAX, &number))
            return false;
        *octet = (char)number;
    }
    *text = text_skip(*text, size);
    return true;
}

bool dns_add_name(struct buf *out, struct text name)
{
    size_t octets = 1; /* length of the root */
    name = text_is(name, ".") ? TEXT("") : name;
    while (name.size > 0) {
        char label[LABEL_MAX_OCTETS];
        size_t size = 0;
        while (name.size > 0 && name.bytes[0] != '.')
            if (size == sizeof(label) || !dns_take_octet(&name, &label[size++]))
                return false;
        octets += size + 1;
        if (size == 0 || octets > NAME_MAX_OCTETS)
            return false;
        buf_add_byte(out, (char)size);
        buf_add(out, label, size);
        name = text_skip(name, name.size > 0); /* the dot */
    }
    return buf_add_byte(out, 0);
}

bool dns_message_write(const char *name, uint16_t type, struct buf *out)
{
    dns_add_u16(out, 0); /* id: RFC 8484 section 4.1 */
    dns_add_u16(out, DNS_RD | DNS_AD);
    dns_add_u16(out, 1);
    dns_add_u16(out, 0);
    dns_add_u16(out, 0);
    dns_add_u16(out, 1);
    if (!dns_add_name(out, text_of(name)))
        return false;
    dns_add_u16(out, type);
    dns_add_u16(out, DNS_CLASS_IN);
    buf_add_byte(out, 0); /* OPT is at the root, RFC 6891 section 6.1 */
    dns_add_u16(out, DNS_OPT);
    dns_add_u16(out, EDNS_BYTES);
    dns_add_u16(out, 0);
    dns_add_u16(out, 0);
    return buf_add(out, "\0", 2) && !out->full;
}

/* ---- memory with the lifetime of the message ---- */

enum { CHUNK_BYTES = 4000 };

struct chunk {
    struct chunk *next;
    _Alignas(max_align_t) char bytes[];
};

struct dns_arena {
    struct chunk *first;
    size_t left;                  /* bytes at the end of the first block */
    size_t size;                  /* of the first block */
    size_t bytes;                 /* of all blocks */
    struct memory_budget *budget; /* NULL: none */
    struct reservation reservation;
    bool is_crowded; /* it exceeds the memory budget */
};

static void *arena_take(struct dns_arena *arena, size_t size)
{
    size = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    if (!arena->first || size > arena->left) {
        arena->size = MAX(size, CHUNK_BYTES);
        struct chunk *chunk = mem_new(sizeof(*chunk) + arena->size);
        chunk->next = arena->first;
        arena->first = chunk;
        arena->left = arena->size;
        arena->bytes += arena->size;
        arena->is_crowded |= arena->budget && !memory_budget_reserve(arena->budget, arena->bytes, 0,
                                                                     &arena->reservation, NULL);
    }
    void *taken = arena->first->bytes + (arena->size - arena->left);
    arena->left -= size;
    return taken;
}

static const char *arena_dup(struct dns_arena *arena, const void *bytes, size_t size)
{
    char *copy = arena_take(arena, size + 1);
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

static void arena_free(struct dns_arena **address)
{
    struct dns_arena *arena = *address;
    if (!arena)
        return;
    while (arena->first) {
        struct chunk *next = arena->first->next;
        mem_free(&arena->first);
        arena->first = next;
    }
    reservation_free(&arena->reservation);
    mem_free(address);
}

/* ---- reading: after the first failure all reads return zero ---- */

struct reader {
    const uint8_t *bytes; /* the whole message: names point back into it */
    size_t at;
    size_t end;
    bool failed;
    struct dns_arena *arena;
};

static bool has_bytes(struct reader *reader, size_t size)
{
    if (reader->failed || reader->end - reader->at < size)
        reader->failed = true;
    return !reader->failed;
}

static unsigned read_u8(struct reader *reader)
{
    return has_bytes(reader, 1) ? reader->bytes[reader->at++] : 0;
}

static unsigned read_u16(struct reader *reader)
{
    unsigned high = read_u8(reader);
    return high << 8 | read_u8(reader);
}

static uint32_t read_u32(struct reader *reader)
{
    uint32_t high = read_u16(reader);
    return high << 16 | read_u16(reader);
}

static struct text read_bytes(struct reader *reader, size_t size)
{
    if (!has_bytes(reader, size))
        return TEXT("");
    struct text bytes = { arena_dup(reader->arena, reader->bytes + reader->at, size), size };
    reader->at += size;
    return bytes;
}

static void add_label(struct buf *name, const uint8_t *label, size_t size)
{
    if (name->size > 0)
        buf_add_byte(name, '.');
    for (size_t i = 0; i < size; i++) {
        char c = (char)label[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (is_plain)
            buf_add_byte(name, c);
        else if (c == '.' || c == '\\')
            buf_format(name, "\\%c", c);
        else if (label[i] > ' ' && label[i] < 0x7f)
            buf_add_byte(name, c);
        else
            buf_format(name, "\\%03u", label[i]);
    }
}

/* The end of the labels at `at`, and the earlier offset that they point to; or a failure. */
static size_t read_labels(struct reader *reader, size_t at, size_t end, size_t *octets,
                          struct buf *name, size_t *target)
{
    *target = SIZE_MAX;
    size_t start = at;
    while (at < end) {
        size_t size = reader->bytes[at++];
        if (size == 0)
            return at;
        if (size >= 0xc0 && at < end) {
            *target = (size & 0x3f) << 8 | reader->bytes[at++];
            if (*target < start)
                return at;
            break;
        }
        *octets += size + 1;
        if (size > LABEL_MAX_OCTETS || size > end - at || *octets > NAME_MAX_OCTETS - 1)
            break;
        add_label(name, reader->bytes + at, size);
        at += size;
    }
    reader->failed = true;
    return end;
}

/* Labels, which may continue at a pointer to earlier ones, RFC 1035 section 4.1.4. */
static const char *read_name(struct reader *reader)
{
    scoped(buf_free) struct buf name = BUF(DNS_NAME_BYTES);
    size_t octets = 0;
    size_t target;
    size_t jumps = 0;
    if (!has_bytes(reader, 1))
        return "";
    reader->at = read_labels(reader, reader->at, reader->end, &octets, &name, &target);
    while (target != SIZE_MAX && !reader->failed) {
        if (++jumps > JUMPS_MAX)
            reader->failed = true;
        else
            read_labels(reader, target, reader->end, &octets, &name, &target);
    }
    if (reader->failed)
        return "";
    return name.size ? arena_dup(reader->arena, name.bytes, name.size) : ".";
}

/* ---- data of each type ---- */

static void read_a(struct reader *reader, struct dns_record *record)
{
    struct in_addr ipv4;
    if (!has_bytes(reader, sizeof(ipv4)))
        return;
    memcpy(&ipv4, reader->bytes + reader->at, sizeof(ipv4));
    reader->at += sizeof(ipv4);
    record->address = address_of_ipv4(ipv4);
}

static void read_aaaa(struct reader *reader, struct dns_record *record)
{
    if (!has_bytes(reader, sizeof(record->address)))
        return;
    memcpy(&record->address, reader->bytes + reader->at, sizeof(record->address));
    reader->at += sizeof(record->address);
}

static void read_target(struct reader *reader, struct dns_record *record)
{
    record->target = read_name(reader);
}

static void read_mx(struct reader *reader, struct dns_record *record)
{
    record->priority = (uint16_t)read_u16(reader);
    record->target = read_name(reader);
}

static void read_srv(struct reader *reader, struct dns_record *record)
{
    record->priority = (uint16_t)read_u16(reader);
    record->weight = (uint16_t)read_u16(reader);
    record->port = (uint16_t)read_u16(reader);
    record->target = read_name(reader);
}

static void read_soa(struct reader *reader, struct dns_record *record)
{
    record->target = read_name(reader);
    record->rname = read_name(reader);
    record->serial = read_u32(reader);
    record->refresh = read_u32(reader);
    record->retry = read_u32(reader);
    record->expire = read_u32(reader);
    record->minimum = read_u32(reader);
}

static size_t count_strings(const struct reader *reader)
{
    size_t count = 0;
    for (size_t at = reader->at; at < reader->end; at += 1 + (size_t)reader->bytes[at])
        count++;
    return count;
}

static void read_txt(struct reader *reader, struct dns_record *record)
{
    size_t count = count_strings(reader);
    record->string = arena_take(reader->arena, count * sizeof(*record->string));
    for (size_t i = 0; i < count; i++)
        record->string[i] = read_bytes(reader, read_u8(reader));
    record->string_count = count;
}

/* RFC 8659 section 4.1 */
static void read_caa(struct reader *reader, struct dns_record *record)
{
    record->flags = (uint8_t)read_u8(reader);
    record->tag = read_bytes(reader, read_u8(reader));
    record->value = read_bytes(reader, reader->failed ? 0 : reader->end - reader->at);
}

static const struct {
    uint16_t type;
    void (*read)(struct reader *reader, struct dns_record *record);
} readers[] = {
    { DNS_A, read_a },          { DNS_AAAA, read_aaaa },  { DNS_CNAME, read_target },
    { DNS_NS, read_target },    { DNS_PTR, read_target }, { DNS_MX, read_mx },
    { DNS_DNAME, read_target }, { DNS_TXT, read_txt },    { DNS_SOA, read_soa },
    { DNS_SRV, read_srv },      { DNS_CAA, read_caa },
};

/* Parse the record's data; all its bytes must be used. */
static void read_rdata(struct reader *reader, size_t size, struct dns_record *record)
{
    struct reader inner = *reader;
    inner.end = reader->at + size;
    record->rdata = read_bytes(reader, size);
    for (size_t i = 0; i < countof(readers); i++) {
        if (readers[i].type != record->type)
            continue;
        readers[i].read(&inner, record);
        if (inner.failed || inner.at != inner.end)
            reader->failed = true;
    }
}

/* ---- records ---- */

struct section {
    struct dns_record *record;
    size_t count;
    size_t capacity;
};

static bool same_data(const struct dns_record *a, const struct dns_record *b)
{
    if (a->target && a->type != DNS_SOA) /* compression allows several spellings of one name */
        return b->target && dns_same_name(a->target, b->target) && a->priority == b->priority &&
               a->weight == b->weight && a->port == b->port;
    return a->rdata.size == b->rdata.size &&
           memcmp(a->rdata.bytes, b->rdata.bytes, a->rdata.size) == 0;
}

static bool is_repeated(const struct section *section, const struct dns_record *record)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct dns_record *other = &section->record[i];
        if (other->type == record->type && same_data(other, record) &&
            dns_same_name(other->name, record->name))
            return true;
    }
    return false;
}

static void keep_record(struct dns_arena *arena, struct section *section,
                        const struct dns_record *record)
{
    if (is_repeated(section, record))
        return;
    if (section->count == section->capacity) {
        size_t capacity = MAX(8, 2 * section->capacity);
        struct dns_record *grown = arena_take(arena, capacity * sizeof(*grown));
        if (section->count)
            memcpy(grown, section->record, section->count * sizeof(*grown));
        section->record = grown;
        section->capacity = capacity;
    }
    section->record[section->count++] = *record;
}

static size_t count_errors(const struct reader *reader, size_t end)
{
    size_t count = 0;
    for (size_t at = reader->at; at + 4 <= end;
         at += 4 + ((size_t)reader->bytes[at + 2] << 8 | reader->bytes[at + 3]))
        count += (reader->bytes[at] << 8 | reader->bytes[at + 1]) == OPTION_EXTENDED_ERROR;
    return count;
}

/* The options of an OPT record, RFC 6891 section 6.1.2; only extended errors (RFC 8914) are
 * kept. */
static void read_options(struct reader *reader, size_t end, struct dns_message *message)
{
    size_t count = count_errors(reader, end);
    message->error = arena_take(reader->arena, count * sizeof(*message->error));
    message->error_count = 0;
    while (reader->at < end && !reader->failed) {
        unsigned code = read_u16(reader);
        size_t size = read_u16(reader);
        if (size > end - MIN(end, reader->at)) {
            reader->failed = true;
        } else if (code == OPTION_EXTENDED_ERROR && size >= 2 && message->error_count < count) {
            struct dns_extended_error *error = &message->error[message->error_count++];
            error->code = (uint16_t)read_u16(reader);
            error->text = read_bytes(reader, size - 2);
        } else {
            reader->at += size;
        }
    }
}

/* One record of any section; section NULL: only OPT is kept. */
static void read_record(struct reader *reader, struct section *section, struct dns_message *message)
{
    struct dns_record record = { 0 };
    record.name = read_name(reader);
    record.type = (uint16_t)read_u16(reader);
    unsigned class = read_u16(reader);
    uint32_t ttl = read_u32(reader);
    size_t size = read_u16(reader);
    if (!has_bytes(reader, size))
        return;
    record.ttl = ttl > INT32_MAX ? 0 : ttl; /* RFC 2181 section 8 */
    if (record.type == DNS_OPT) {
        message->rcode |= ttl >> 24 << 4;
        read_options(reader, reader->at + size, message);
    } else if (!section || class != DNS_CLASS_IN) {
        reader->at += size;
    } else {
        read_rdata(reader, size, &record);
        if (!reader->failed)
            keep_record(reader->arena, section, &record);
    }
}

static void read_section(struct reader *reader, size_t count, struct section *section,
                         struct dns_message *message)
{
    for (size_t i = 0; i < count && !reader->failed && !reader->arena->is_crowded; i++)
        read_record(reader, section, message);
}

static bool is_same_question(struct reader *reader, const char *name, uint16_t type)
{
    const char *asked = read_name(reader);
    unsigned asked_type = read_u16(reader);
    unsigned class = read_u16(reader);
    return !reader->failed && dns_same_name(asked, name) && asked_type == type &&
           class == DNS_CLASS_IN;
}

static bool is_malformed(struct err *err)
{
    return err_set(err, ERR_UPSTREAM_UNAVAILABLE, "a resolver's answer is malformed");
}

static bool read_message(struct reader *reader, const char *name, uint16_t type,
                         struct dns_message *message, struct err *err)
{
    struct section answer = { 0 };
    struct section authority = { 0 };
    unsigned id = read_u16(reader);
    unsigned flags = read_u16(reader);
    size_t questions = read_u16(reader);
    size_t answers = read_u16(reader);
    size_t authorities = read_u16(reader);
    size_t additionals = read_u16(reader);

    if (reader->failed || id != 0 || !(flags & DNS_QR) || (flags & DNS_OPCODES) || questions != 1 ||
        answers + authorities + additionals > RECORDS_MAX || !is_same_question(reader, name, type))
        return is_malformed(err);
    message->rcode = flags & DNS_RCODES;
    message->is_truncated = flags & DNS_TC;
    message->is_authenticated = flags & DNS_AD;
    read_section(reader, answers, &answer, message);
    read_section(reader, authorities, &authority, message);
    read_section(reader, additionals, NULL, message);
    if (reader->arena->is_crowded || (reader->failed && !message->is_truncated))
        return is_malformed(err);
    message->answer = answer.record;
    message->answer_count = answer.count;
    message->authority = authority.record;
    message->authority_count = authority.count;
    return true;
}

bool dns_message_read(struct memory_budget *budget, struct text bytes, const char *name,
                      uint16_t type, struct dns_message *message, struct err *err)
{
    scoped(dns_message_free) struct dns_message read = { .arena = mem_new(sizeof(*read.arena)) };
    struct reader reader = { .bytes = (const uint8_t *)bytes.bytes,
                             .end = bytes.size,
                             .arena = read.arena };
    read.arena->budget = budget;
    if (bytes.size < HEADER_BYTES || bytes.size > DNS_MESSAGE_BYTES ||
        !read_message(&reader, name, type, &read, err))
        return is_malformed(err);
    *message = read;
    read = (struct dns_message){ 0 };
    return true;
}

void dns_message_free(struct dns_message *message)
{
    arena_free(&message->arena);
    *message = (struct dns_message){ 0 };
}
