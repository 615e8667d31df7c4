/* svc-chat/chatplatform-timestamp/pieces.c - a text as numbers, words and marks. */
#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "phrase-parts.h"

enum { NUMBER_DIGITS_MAX = 9 };

/* Blanks, also the no-break ones that formatters of dates write before PM. */
static size_t blank_size(const char *at)
{
    static const char *const blanks[] = { " ", "\t", "\xC2\xA0", "\xE2\x80\xAF" };
    for (size_t i = 0; i < countof(blanks); i++)
        if (strncmp(at, blanks[i], strlen(blanks[i])) == 0)
            return strlen(blanks[i]);
    return 0;
}

static bool take_number(const char **at, struct piece *piece)
{
    piece->digits = strspn(*at, "0123456789");
    if (piece->digits > NUMBER_DIGITS_MAX ||
        !num_parse((struct text){ *at, piece->digits }, INT64_MAX, &piece->number))
        return false;
    piece->kind = PIECE_NUMBER;
    *at += piece->digits;
    return true;
}

/* "p.m." is one word. */
static bool take_meridiem(const char **at, struct piece *piece)
{
    char half = (char)tolower((unsigned char)(*at)[0]);
    if ((half != 'a' && half != 'p') || (*at)[1] != '.' || tolower((unsigned char)(*at)[2]) != 'm')
        return false;
    memcpy(piece->word, (char[]){ half, 'm', '\0' }, 3);
    *at += (*at)[3] == '.' ? 4 : 3;
    return true;
}

static bool take_word(const char **at, struct piece *piece)
{
    size_t size = 0;
    piece->kind = PIECE_WORD;
    if (take_meridiem(at, piece))
        return true;
    while (isalpha((unsigned char)(*at)[size]))
        size++;
    if (size >= PIECE_BYTES)
        return false;
    for (size_t i = 0; i < size; i++)
        piece->word[i] = (char)tolower((unsigned char)(*at)[i]);
    *at += size;
    return true;
}

static bool take_mark(const char **at, struct piece *piece)
{
    if (!strchr(".:/,+-@", **at))
        return false;
    piece->kind = PIECE_MARK;
    piece->word[0] = *(*at)++;
    return true;
}

static bool take_piece(const char **at, struct piece *piece)
{
    if (isdigit((unsigned char)**at))
        return take_number(at, piece);
    return isalpha((unsigned char)**at) ? take_word(at, piece) : take_mark(at, piece);
}

bool pieces_read(const char *text, struct pieces *pieces)
{
    size_t count = 0;
    *pieces = (struct pieces){ 0 };
    for (bool is_glued = false; *text; is_glued = true) {
        for (size_t size; (size = blank_size(text)) > 0; text += size)
            is_glued = false;
        if (*text == '\0' || *text == '(') /* a zone's name in words, behind its offset */
            break;
        if (count == PIECES_MAX || !take_piece(&text, &pieces->at[count]))
            return false;
        pieces->at[count++].is_glued = is_glued;
    }
    return count > 0;
}

const struct piece *pieces_peek(const struct pieces *pieces, size_t ahead)
{
    for (size_t i = 0; i < ahead; i++)
        if (pieces->at[pieces->next + i].kind == PIECE_END)
            return &pieces->at[pieces->next + i];
    return &pieces->at[pieces->next + ahead];
}

bool piece_is(const struct piece *piece, const char *word)
{
    return piece->kind != PIECE_NUMBER && piece->kind != PIECE_END &&
           strcmp(piece->word, word) == 0;
}

bool piece_is_one_of(const struct piece *piece, const char *words)
{
    size_t size = strlen(piece->word);
    if (piece->kind != PIECE_WORD)
        return false;
    for (const char *at = words; (at = strstr(at, piece->word)); at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

bool pieces_take(struct pieces *pieces, const char *word)
{
    if (!piece_is(&pieces->at[pieces->next], word))
        return false;
    pieces->next++;
    return true;
}
