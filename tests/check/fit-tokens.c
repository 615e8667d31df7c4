/* tests/check/fit-tokens.c - fit the weights of svc-utils/token-counter/letters.h to a vocabulary.
 *
 *     fit-tokens VOCABULARY o200k|cl100k LIST > svc-utils/token-counter/letters/o200k.def
 *     fit-tokens --pieces LIST > PIECES
 *     fit-tokens --counts COUNTS > svc-utils/token-counter/letters/llama3.def
 *
 * Run by hand for a new vocabulary. VOCABULARY is a file in tiktoken's format. LIST has a line for
 * each text: its weight relative to the others, a tab, the path of a file of UTF-8. Pieces are
 * always cut as o200k cuts them, because that is how they are looked up.
 *
 * A tokenizer of another kind counts itself: PIECES has a line for each piece, its weight, a tab
 * and its bytes in hex, and COUNTS the same with another tab and its tokens at the end.
 *
 * Least squares by stochastic gradient descent with a separate step for each weight (AdaGrad). If a
 * piece of one token is estimated below one, the estimate is correct, as it is never below one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec/hex.h"
#include "base/mem.h"
#include "base/os/file.h"
#include "base/text.h"
#include "token-counter/letters.h"
#include "token-counter/pieces.h"
#include "token-counter/vocabulary.h"

enum { FILE_BYTES = 64 << 20, TYPES = 1 << 21, EPOCHS = 16, LINE = 88 };

struct type {
    struct text piece; /* empty: this place is free */
    double weight;
    double tokens;
};

struct fit {
    const struct vocabulary *vocabulary;
    struct type *type; /* a hash table */
    size_t count;
    double mean;
    double *weight;
    double *steps;
    double slope; /* of the current piece */
    double sum;
};

static size_t hash_of(struct text text)
{
    size_t hash = 14695981039346656037ULL;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * 1099511628211ULL;
    return hash;
}

static bool is_digits(struct text piece)
{
    return piece.bytes[0] >= '0' && piece.bytes[0] <= '9';
}

static struct type *type_of(struct fit *fit, struct text piece)
{
    size_t at = hash_of(piece) % TYPES;
    while (fit->type[at].piece.size > 0 && !text_equals(fit->type[at].piece, piece))
        at = (at + 1) % TYPES;
    struct type *type = &fit->type[at];
    if (type->piece.size > 0)
        return type;
    if (fit->count > TYPES / 4 * 3)
        return NULL;
    fit->count++;
    type->piece = piece;
    if (fit->vocabulary)
        type->tokens = (double)vocabulary_count(fit->vocabulary, piece);
    return type;
}

static void add_piece(struct fit *fit, struct text piece, double weight)
{
    struct type *type = type_of(fit, piece);
    if (type)
        type->weight += weight;
}

static void add_text(struct fit *fit, struct text text, double weight)
{
    for (size_t bytes; text.size > 0; text.bytes += bytes, text.size -= bytes) {
        bytes = piece_bytes(SPLIT_O200K, text);
        struct text piece = { text.bytes, bytes };
        if (!is_digits(piece))
            add_piece(fit, piece, weight);
    }
}

/* Each text has the weight of its line, whatever its length; its pieces stay in memory. */
static void read_list(struct fit *fit, const char *path)
{
    FILE *list = fopen(path, "r");
    char name[4096];
    double weight;
    while (list && fscanf(list, "%lf\t%4095[^\n]\n", &weight, name) == 2) {
        struct buf content = BUF(FILE_BYTES);
        struct err err = { 0 };
        if (!file_read(name, &content, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(EXIT_FAILURE);
        }
        if (content.size > 0)
            add_text(fit, buf_text(&content), weight / (double)content.size);
    }
    if (list)
        fclose(list);
}

/* ---- pieces that others count ---- */

static void print_pieces(const struct fit *fit)
{
    for (size_t i = 0; i < fit->count; i++) {
        const struct type *type = &fit->type[i];
        scoped(mem_free) char *digits = mem_new(2 * type->piece.size + 1);
        hex_encode(digits, (const unsigned char *)type->piece.bytes, type->piece.size);
        printf("%.9g\t%s\n", type->weight, digits);
    }
}

static void read_counts(struct fit *fit, const char *path)
{
    FILE *counts = fopen(path, "r");
    char *digits = NULL;
    double weight;
    double tokens;
    while (counts && fscanf(counts, "%lf\t%m[0-9a-f]\t%lf\n", &weight, &digits, &tokens) == 3) {
        struct buf bytes = BUF(strlen(digits)); /* stays in memory */
        struct type *type = NULL;
        if (hex_decode(&bytes, text_of(digits)))
            type = type_of(fit, buf_text(&bytes));
        if (type) {
            type->weight += weight;
            type->tokens = tokens;
        }
        free(digits);
        digits = NULL;
    }
    if (counts)
        fclose(counts);
}

/* ---- descent ---- */

static void add_weight(void *context, size_t weight)
{
    struct fit *fit = context;
    fit->sum += fit->weight[weight];
}

static void step_weight(void *context, size_t weight)
{
    struct fit *fit = context;
    double slope = fit->slope + 1e-6 * fit->weight[weight];
    fit->steps[weight] += slope * slope;
    fit->weight[weight] -= fit->sum * slope / sqrt(fit->steps[weight]);
}

static double learn(struct fit *fit, const struct type *type, double rate)
{
    fit->sum = 0;
    size_t skipped = letters_walk(type->piece, add_weight, fit);
    double estimate = fit->sum + (double)skipped / LETTERS_RUN_TOKEN;
    double error = fmax(1, estimate) - type->tokens;
    double weight = fmin(pow(type->weight / fit->mean, 0.9), 100);
    if (estimate >= 1 || type->tokens > 1) {
        fit->slope = weight * (estimate - type->tokens) / pow(type->tokens, 0.9);
        fit->sum = rate;
        letters_walk(type->piece, step_weight, fit);
    }
    return weight * error * error;
}

static void shuffle(struct type *type, size_t count)
{
    uint64_t state = 88172645463325252ULL;
    for (size_t left = count; left > 1; left--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        struct type other = type[state % left];
        type[state % left] = type[left - 1];
        type[left - 1] = other;
    }
}

static void descend(struct fit *fit)
{
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double loss = 0;
        shuffle(fit->type, fit->count);
        for (size_t i = 0; i < fit->count; i++)
            loss += learn(fit, &fit->type[i], 0.05 * (1 - (double)epoch / EPOCHS) + 0.001);
        fprintf(stderr, "%d: %.4f\n", epoch, loss / (double)fit->count);
    }
}

/* ---- the table ---- */

static int digit_of(double weight)
{
    int best = 0;
    for (int digit = 1; digit < 64; digit++)
        if (fabs(letters_weight(digit) - weight) < fabs(letters_weight(best) - weight))
            best = digit;
    return best;
}

static void print(const struct fit *fit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    printf("/* made by tests/check/fit-tokens.c */\n");
    for (size_t i = 0; i < LETTERS_WEIGHTS; i++) {
        if (i % LINE == 0)
            printf("%s\"", i > 0 ? "\"\n" : "");
        putchar(digits[digit_of(fit->weight[i])]);
    }
    printf("\"\n");
}

/* Move what is used to the front. */
static void close_up(struct fit *fit)
{
    size_t to = 0;
    for (size_t from = 0; from < TYPES; from++)
        if (fit->type[from].piece.size > 0) {
            fit->mean += fit->type[from].weight / (double)fit->count;
            fit->type[to++] = fit->type[from];
        }
}

static const struct vocabulary *load_vocabulary(const char *path, const char *split_name)
{
    struct buf content = BUF(FILE_BYTES);
    struct vocabulary *vocabulary = NULL;
    struct err err = { 0 };
    enum split split = strcmp(split_name, "o200k") == 0 ? SPLIT_O200K : SPLIT_CL100K;
    if (!file_read(path, &content, &err) ||
        !vocabulary_read(buf_text(&content), split, &vocabulary, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(EXIT_FAILURE);
    }
    return vocabulary;
}

int main(int argc, char **argv)
{
    struct fit fit = { .type = mem_array(TYPES, sizeof(struct type)),
                       .weight = mem_array(LETTERS_WEIGHTS, sizeof(double)),
                       .steps = mem_array(LETTERS_WEIGHTS, sizeof(double)) };
    bool prints_pieces = argc == 3 && strcmp(argv[1], "--pieces") == 0;
    bool has_counts = argc == 3 && strcmp(argv[1], "--counts") == 0;
    if (argc != 4 && !prints_pieces && !has_counts) {
        fprintf(stderr,
                "usage: %s VOCABULARY o200k|cl100k LIST | --pieces LIST | --counts COUNTS\n",
                argv[0]);
        return EXIT_FAILURE;
    }
    if (argc == 4)
        fit.vocabulary = load_vocabulary(argv[1], argv[2]);
    for (size_t i = 0; i < LETTERS_WEIGHTS; i++)
        fit.steps[i] = 1e-8;
    if (has_counts)
        read_counts(&fit, argv[2]);
    else
        read_list(&fit, argv[argc - 1]);
    if (fit.count == 0) {
        fprintf(stderr, "%s has no piece\n", argv[argc - 1]);
        return EXIT_FAILURE;
    }
    close_up(&fit);
    fprintf(stderr, "%zu pieces\n", fit.count);
    if (prints_pieces) {
        print_pieces(&fit);
        return EXIT_SUCCESS;
    }
    descend(&fit);
    print(&fit);
    return EXIT_SUCCESS;
}
