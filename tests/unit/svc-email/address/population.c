/* tests/unit/svc-email/address/population.c - addresses as people have them are not called
 * suspicious, and their names not random: 10,000 of them, made from names of 28 languages, forms
 * and domains by a fixed generator. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "address/judge.h"
#include "rows.h"

enum { ADDRESSES = 10000, SHOWN = 20 };

static struct knowledge *knowledge;
static struct public_suffixes *suffixes;

/* First names and surnames of a language, in letters as people write them in addresses. */
static const struct people {
    const char *first, *last;
} people[] = {
    { "olivia george amelia harry isla charlotte",
      "clarke hughes edwards thompson whitehead knight" },
    { "lukas hannah felix marie jonas greta", "hoffmann schaefer koch bauer richter zimmermann" },
    { "lucas chloe hugo manon louis camille", "moreau laurent lefebvre roux fournier girard" },
    { "sofia mateo lucia alvaro carmen pablo", "sanchez romero navarro torres dominguez vazquez" },
    { "giulia lorenzo francesca matteo chiara davide", "ricci marino greco conti deluca mancini" },
    { "beatriz tiago mariana joao ines rafael",
      "ferreira almeida rodrigues carvalho gomes teixeira" },
    { "sanne daan lotte bram fleur sem", "vandijk meijer degroot mulder vandenberg hendriks" },
    { "freja oscar ida victor emma magnus", "christensen rasmussen madsen moller kjaer thomsen" },
    { "elsa hugo astrid gustav maja viktor", "lindberg bergstrom engstrom sjoberg wallin nordin" },
    { "ingrid sander nora henrik solveig lars", "berg haugen solberg bakken moen strand" },
    { "aino eetu helmi onni sofia vaino", "makela heikkinen koskinen laine lehtonen rantanen" },
    { "zuzanna jakub julia szymon maja krzysztof",
      "wojcik zielinski szymanski dabrowski kozlowski mazur" },
    { "tereza jan eliska tomas adela vojtech", "prochazka kucera vesely horak nemec pospisil" },
    { "nora bence hanna mate zsofia levente", "varga molnar farkas balogh takacs juhasz" },
    { "ioana andrei maria stefan elena mihai", "munteanu matei ciobanu rusu stoica gheorghe" },
    { "mila luka ema ivan petra marko", "horvat babic knezevic vukovic juric matic" },
    { "eleni giorgos maria dimitris katerina kostas",
      "oikonomou vasileiou dimitriou makris angelopoulos" },
    { "zeynep mehmet elif mustafa ayse emre", "ozturk aydin yildirim arslan dogan kilic" },
    { "anna dmitry olga sergey elena alexey", "petrov volkov morozov lebedev kozlov orlov" },
    { "oksana andriy iryna bohdan kateryna taras",
      "shevchenko kovalenko bondarenko tkachenko melnyk" },
    { "linh minh huong tuan thao duc", "nguyen tran pham hoang dang bui" },
    { "priya arjun ananya rahul kavita vikram", "iyer mehta kapoor chauhan banerjee srinivasan" },
    { "yuki haruto sakura ren aoi takumi", "tanaka watanabe yamamoto nakamura kobayashi" },
    { "minji jiho seoyeon junseo hana dohyun", "kim park choi jung kang cho" },
    { "wei jing hao xin yan ming", "wang zhang chen huang zhao zhou" },
    { "amina youssef fatima omar layla karim", "haddad mansour khalil ibrahim saleh abdullah" },
    { "thandiwe sipho nomsa themba lindiwe bongani", "dlamini nkosi mokoena khumalo ndlovu zulu" },
    { "chinedu ngozi emeka adaeze tunde folake", "okafor adeyemi okonkwo balogun eze" },
};

/* Names for companies; a domain is one or two of them. */
static const char companies[] =
    "harbour north stone bridge river cedar maple atlas summit orchard lantern falcon copper "
    "anchor "
    "garden valley print studio design legal dental energy logistik praxis bau werk atelier maison "
    "casa vida terra nova agro tech soft data cloud solar marine metal glass wood paper motor";

/* Top-level domains of companies. */
static const char tops[] = "com com com com net org de de co.uk co.uk fr es it nl pl se dk no fi "
                           "cz hu ro pt gr ch at be ie "
                           "eu ca com.au co.nz co.za com.br com.mx in co.in jp co.jp co.kr com.tr "
                           "ua com.ua hr si sk lt lv "
                           "ee bg com.vn id sg com.sg ae com.ng io dev app studio shop berlin";

static const struct provider_row {
    const char *domain;
    const char *hosts;
} providers[] = {
    { "gmail.com", "gmail-smtp-in.l.google.com " },
    { "gmail.com", "gmail-smtp-in.l.google.com " },
    { "outlook.com", "outlook-com.olc.protection.outlook.com " },
    { "hotmail.com", "hotmail-com.olc.protection.outlook.com " },
    { "yahoo.com", "mta5.am0.yahoodns.net " },
    { "icloud.com", "mx01.mail.icloud.com " },
    { "gmx.de", "mx00.emig.gmx.net " },
    { "web.de", "mx-ha02.web.de " },
    { "proton.me", "mail.protonmail.ch " },
    { "mail.ru", "mxs.mail.ru " },
    { "yandex.ru", "mx.yandex.ru " },
    { "orange.fr", "smtp-in.orange.fr " },
    { "libero.it", "smtp-in.libero.it " },
    { "wp.pl", "mx.wp.pl " },
    { "seznam.cz", "mx1.seznam.cz " },
    { "ukr.net", "mxs.ukr.net " },
};

static const char *const own_hosts[] = { "aspmx.l.google.com ",
                                         "x-com.mail.protection.outlook.com ", "mx.zoho.eu ",
                                         "mail.own-server.com ", "mx01.ionos.de " };

/* ---- the generator ---- */

static uint64_t seed;

/* Knuth's MMIX: the same numbers in each run. */
static size_t random_below(size_t end)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % end;
}

static struct text random_word(const char *words)
{
    struct text rest = text_of(words);
    struct text word = { 0 };
    size_t count = 1;
    for (const char *c = words; *c; c++)
        count += *c == ' ';
    for (size_t skip = random_below(count) + 1; skip > 0; skip--)
        word = text_cut(&rest, ' ');
    return word;
}

static void add(struct buf *out, struct text text)
{
    buf_add(out, text.bytes, text.size);
}

static void add_letter(struct buf *out, struct text text)
{
    buf_add(out, text.bytes, 1);
}

/* Forms of a local part: F and L are whole names, f, l and m initials; # is a number. */
static const char *const forms[] = {
    "F.L", "F.L", "F.L", "FL", "FL",  "fL",    "fL",  "f.L", "L.F",  "F_L", "F-L",
    "Fl",  "Lf",  "F",   "L",  "fmL", "F.m.L", "FL#", "F#",  "F.L#", "fL#", "fm.L",
};

static void make_local(struct buf *out)
{
    const struct people *who = &people[random_below(countof(people))];
    struct text first = random_word(who->first);
    struct text middle = random_word(who->first);
    struct text last = random_word(who->last);
    for (const char *c = forms[random_below(countof(forms))]; *c; c++)
        if (*c == 'F' || *c == 'L')
            add(out, *c == 'F' ? first : last);
        else if (*c == '#')
            buf_format(out, "%zu",
                       random_below(3) == 0 ? 1950 + random_below(60) : random_below(100));
        else if (*c == 'f' || *c == 'l' || *c == 'm')
            add_letter(out, *c == 'f' ? first : *c == 'l' ? last : middle);
        else
            buf_add_byte(out, *c);
}

static void make_address(struct buf *out, struct evidence *evidence)
{
    *evidence = (struct evidence){
        .is_known = true, .is_policy_known = true, .has_mx = true, .mx_count = 1, .has_spf = true
    };
    make_local(out);
    buf_add_byte(out, '@');
    if (random_below(2) == 0) {
        const struct provider_row *provider = &providers[random_below(countof(providers))];
        buf_add_str(out, provider->domain);
        evidence->hosts = (char *)(uintptr_t)provider->hosts;
        return;
    }
    add(out, random_word(companies));
    if (random_below(3) > 0)
        add(out, random_word(companies));
    buf_add_byte(out, '.');
    add(out, random_word(tops));
    evidence->hosts = (char *)(uintptr_t)own_hosts[random_below(countof(own_hosts))];
    evidence->has_spf = random_below(10) > 0;
}

/* ---- the check ---- */

static void show(const char *address, const struct judgement *judgement)
{
    print_message("%s %d:", address, judgement->score);
    for (size_t i = 0; i < SIGNALS; i++)
        if (judgement->signal[i])
            print_message(" %s", signal_rows[i].name);
    print_message("\n");
}

struct counts {
    size_t suspicious, random;
};

static void count_address(struct counts *counts)
{
    scoped(buf_free) struct buf address = BUF(400);
    struct evidence evidence;
    scoped(mailbox_free) struct mailbox mailbox;
    struct judgement judgement;
    make_address(&address, &evidence);
    mailbox_parse(buf_text(&address), &mailbox);
    const char *domain = buf_str(&mailbox.domain);
    const struct facts facts = { &mailbox, public_suffix_owner(suffixes, domain), &evidence,
                                 knowledge, suffixes };
    judge_address(&facts, &judgement);
    bool is_suspicious = judgement.verdict != VERDICT_LEGITIMATE;
    if (is_suspicious && counts->suspicious < SHOWN)
        show(buf_str(&address), &judgement);
    counts->suspicious += is_suspicious;
    counts->random +=
        judgement.signal[SIGNAL_local_gibberish] || judgement.signal[SIGNAL_local_random];
}

static void check_population(void **state)
{
    struct counts counts = { 0 };
    (void)state;
    seed = 20261128;
    for (size_t i = 0; i < ADDRESSES; i++)
        count_address(&counts);
    print_message("of %d addresses %zu are called suspicious, %zu random\n", ADDRESSES,
                  counts.suspicious, counts.random);
    assert_true(counts.suspicious * 1000 < ADDRESSES * 5); /* 0.5 % */
    assert_true(counts.random * 100 < ADDRESSES * 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(check_population) };
    struct err err = { 0 };
    if (!public_suffixes_load("", &suffixes, &err) ||
        !knowledge_read(SOURCE_ROOT "/svc-email",
                        SOURCE_ROOT "/svc-email/address/disposable-domains.txt", "", &knowledge,
                        &err))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    knowledge_free(&knowledge);
    public_suffixes_free(&suffixes);
    return failed;
}
