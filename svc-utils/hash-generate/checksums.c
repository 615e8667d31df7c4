/* svc-utils/hash-generate/checksums.c - Keccak-256, CRC-32C and xxHash. */
#include "checksums.h"

#include <stdint.h>
#include <string.h>

enum { LANES = 25, ROUNDS = 24, KECCAK_RATE = 136, STRIPE_32 = 16, STRIPE_64 = 32 };

static uint64_t rotate64(uint64_t value, unsigned bits)
{
    return bits == 0 ? value : value << bits | value >> (64 - bits);
}

static uint32_t rotate32(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

static uint64_t read_little(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static void write_big(uint64_t value, size_t bytes, unsigned char *out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
}

/* ---- Keccak: FIPS 202, section 3.2 ---- */

static void mix_columns(uint64_t lanes[static LANES])
{
    uint64_t parity[5];
    for (size_t x = 0; x < 5; x++)
        parity[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20];
    for (size_t i = 0; i < LANES; i++)
        lanes[i] ^= parity[(i + 4) % 5] ^ rotate64(parity[(i + 1) % 5], 1);
}

/* The steps rho and pi: each lane is rotated and goes to another place. */
static void move_lanes(uint64_t lanes[static LANES])
{
    uint64_t moved = lanes[1];
    size_t x = 1;
    size_t y = 0;
    for (unsigned t = 0; t < LANES - 1; t++) {
        size_t next_y = (2 * x + 3 * y) % 5;
        x = y;
        y = next_y;
        uint64_t here = lanes[x + 5 * y];
        lanes[x + 5 * y] = rotate64(moved, (t + 1) * (t + 2) / 2 % 64);
        moved = here;
    }
}

static void mix_rows(uint64_t lanes[static LANES])
{
    for (size_t y = 0; y < LANES; y += 5) {
        uint64_t row[5];
        memcpy(row, lanes + y, sizeof(row));
        for (size_t x = 0; x < 5; x++)
            lanes[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
}

/* The next bit of the shift register that makes the round constants. */
static unsigned next_bit(unsigned *state)
{
    unsigned bit = *state & 1;
    *state = *state << 1 ^ (*state & 0x80 ? 0x171 : 0);
    return bit;
}

static void permute(uint64_t lanes[static LANES])
{
    unsigned state = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        mix_columns(lanes);
        move_lanes(lanes);
        mix_rows(lanes);
        for (unsigned j = 0; j < 7; j++)
            lanes[0] ^= (uint64_t)next_bit(&state) << ((1U << j) - 1);
    }
}

static void absorb(uint64_t lanes[static LANES], const unsigned char block[static KECCAK_RATE])
{
    for (size_t i = 0; i < KECCAK_RATE / 8; i++)
        lanes[i] ^= read_little(block + 8 * i, 8);
    permute(lanes);
}

void keccak256_sum(struct text input, unsigned char sum[static 32])
{
    const unsigned char *bytes = (const unsigned char *)input.bytes;
    unsigned char last[KECCAK_RATE] = { 0 };
    uint64_t lanes[LANES] = { 0 };
    size_t at = 0;

    for (; input.size - at >= KECCAK_RATE; at += KECCAK_RATE)
        absorb(lanes, bytes + at);
    memcpy(last, bytes + at, input.size - at);
    last[input.size - at] = 0x01;
    last[KECCAK_RATE - 1] |= 0x80;
    absorb(lanes, last);
    for (size_t i = 0; i < 32; i++)
        sum[i] = (unsigned char)(lanes[i / 8] >> (8 * (i % 8)));
}

/* ---- CRC-32C ---- */

void crc32c_sum(struct text input, unsigned char sum[static 4])
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < input.size; i++) {
        crc ^= (unsigned char)input.bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0);
    }
    write_big(~crc, 4, sum);
}

/* ---- xxHash: its specification has these primes and steps ---- */

static const uint32_t primes32[] = {
    0, 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1
};

static uint32_t round32(uint32_t lane, uint32_t input)
{
    return rotate32(lane + input * primes32[2], 13) * primes32[1];
}

void xxh32_sum(struct text input, unsigned char sum[static 4])
{
    const unsigned char *at = (const unsigned char *)input.bytes;
    size_t left = input.size;
    uint32_t lanes[] = { primes32[1] + primes32[2], primes32[2], 0, -primes32[1] };
    uint32_t hash = primes32[5];

    if (left >= STRIPE_32) {
        for (; left >= STRIPE_32; at += STRIPE_32, left -= STRIPE_32)
            for (size_t i = 0; i < 4; i++)
                lanes[i] = round32(lanes[i], (uint32_t)read_little(at + 4 * i, 4));
        hash = rotate32(lanes[0], 1) + rotate32(lanes[1], 7) + rotate32(lanes[2], 12) +
               rotate32(lanes[3], 18);
    }
    hash += (uint32_t)input.size;
    for (; left >= 4; at += 4, left -= 4)
        hash = rotate32(hash + (uint32_t)read_little(at, 4) * primes32[3], 17) * primes32[4];
    for (; left > 0; at++, left--)
        hash = rotate32(hash + *at * primes32[5], 11) * primes32[1];
    hash = (hash ^ hash >> 15) * primes32[2];
    hash = (hash ^ hash >> 13) * primes32[3];
    write_big(hash ^ hash >> 16, 4, sum);
}

static const uint64_t primes64[] = { 0,
                                     0x9E3779B185EBCA87,
                                     0xC2B2AE3D27D4EB4F,
                                     0x165667B19E3779F9,
                                     0x85EBCA77C2B2AE63,
                                     0x27D4EB2F165667C5 };

static uint64_t round64(uint64_t lane, uint64_t input)
{
    return rotate64(lane + input * primes64[2], 31) * primes64[1];
}

static uint64_t merge_lanes(const uint64_t lanes[static 4])
{
    uint64_t hash = rotate64(lanes[0], 1) + rotate64(lanes[1], 7) + rotate64(lanes[2], 12) +
                    rotate64(lanes[3], 18);
    for (size_t i = 0; i < 4; i++)
        hash = (hash ^ round64(0, lanes[i])) * primes64[1] + primes64[4];
    return hash;
}

void xxh64_sum(struct text input, unsigned char sum[static 8])
{
    const unsigned char *at = (const unsigned char *)input.bytes;
    size_t left = input.size;
    uint64_t lanes[] = { primes64[1] + primes64[2], primes64[2], 0, -primes64[1] };

    for (; left >= STRIPE_64; at += STRIPE_64, left -= STRIPE_64)
        for (size_t i = 0; i < 4; i++)
            lanes[i] = round64(lanes[i], read_little(at + 8 * i, 8));
    uint64_t hash = input.size >= STRIPE_64 ? merge_lanes(lanes) : primes64[5];
    hash += input.size;
    for (; left >= 8; at += 8, left -= 8)
        hash = rotate64(hash ^ round64(0, read_little(at, 8)), 27) * primes64[1] + primes64[4];
    for (; left >= 4; at += 4, left -= 4)
        hash = rotate64(hash ^ read_little(at, 4) * primes64[1], 23) * primes64[2] + primes64[3];
    for (; left > 0; at++, left--)
        hash = rotate64(hash ^ *at * primes64[5], 11) * primes64[1];
    hash = (hash ^ hash >> 33) * primes64[2];
    hash = (hash ^ hash >> 29) * primes64[3];
    write_big(hash ^ hash >> 32, 8, sum);
}
