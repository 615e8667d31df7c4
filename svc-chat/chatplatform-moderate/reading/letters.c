/*
 * svc-chat/chatplatform-moderate/reading/letters.c - tables of letters that replace others of
 * similar shape.
 */
#include "letters.h"

#include <stddef.h>

#include "base/num.h"

static const struct turned {
    uint32_t code;
    char letter;
} turned[] = {
    { 0x0250, 'a' }, { 'q', 'b' },    { 0x0254, 'c' }, { 'p', 'd' },    { 0x01DD, 'e' },
    { 0x0259, 'e' }, { 0x025F, 'f' }, { 0x0183, 'g' }, { 0x0253, 'g' }, { 0x1D77, 'g' },
    { 0x0265, 'h' }, { 0x1D09, 'i' }, { 0x0131, 'i' }, { 0x027E, 'j' }, { 0x0638, 'j' },
    { 0x029E, 'k' }, { 0x05DF, 'l' }, { 0x026F, 'm' }, { 'u', 'n' },    { 'd', 'p' },
    { 'b', 'q' },    { 0x0279, 'r' }, { 0x0287, 't' }, { 'n', 'u' },    { 0x028C, 'v' },
    { 'm', 'w' },    { 0x028D, 'w' }, { 'w', 'm' },    { 0x028E, 'y' },
};

char turned_letter(uint32_t code)
{
    for (size_t i = 0; i < countof(turned); i++)
        if (turned[i].code == code)
            return turned[i].letter;
    return 0;
}

uint32_t cyrillic_letter(uint32_t code)
{
    static const struct {
        char from;
        uint16_t to;
    } letters[] = {
        { 'a', 0x430 }, { 'b', 0x432 }, { 'c', 0x441 }, { 'd', 0x434 }, { 'e', 0x435 },
        { 'h', 0x43D }, { 'i', 0x438 }, { 'k', 0x43A }, { 'l', 0x43B }, { 'm', 0x43C },
        { 'n', 0x43F }, { 'o', 0x43E }, { 'p', 0x440 }, { 'r', 0x433 }, { 's', 0x441 },
        { 't', 0x442 }, { 'u', 0x438 }, { 'x', 0x445 }, { 'y', 0x443 }, { 'z', 0x437 },
        { '0', 0x43E }, { '3', 0x437 }, { '4', 0x447 }, { '6', 0x431 }, { '@', 0x430 },
    };
    for (size_t i = 0; i < countof(letters); i++)
        if (code == (unsigned char)letters[i].from)
            return letters[i].to;
    return 0;
}
