/* The inner loops of tokenizing, matching and resampling, for speed alone: numpy does the same, to the last bit, where this file is not compiled.

   Called from newsdesk/kernel.py by ctypes: plain C99, no Python.h. Every function gets its arrays from numpy, allocates only scratch memory, and
   returns a negative number where there is no memory for that. Rows of texts are given as offsets: row i is ids[offsets[i]] to ids[offsets[i + 1] - 1].
   References of item i are rows owners[i] to owners[i + 1] - 1. An n-gram is (its first n - 1 words, its last word), numbered within its item. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_MSC_VER)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

#define NO_MEMORY (-1)
#define ODD 0x9E3779B97F4A7C15u

static uint64_t mixed(uint64_t key) {
    key = (key ^ (key >> 32)) * ODD;
    return key ^ (key >> 29);
}

static int64_t bits_of(uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)((word * 0x0101010101010101u) >> 56);
}

static int64_t power_of_two(int64_t least) {
    int64_t size = 16;
    while (size < least) size *= 2;
    return size;
}

/* ---- Words and characters ---- */

typedef struct {
    uint64_t hash; /* of all bytes */
    int32_t length; /* 0: the slot is empty */
    int32_t number;
} Word;

typedef struct {
    Word *slots;
    int64_t *starts; /* of each word by number, in the pool */
    int64_t size;    /* of the slots, twice that of the starts */
    int64_t used;
} Words;

static int grown(Words *words) {
    int64_t size = words->size ? words->size * 2 : 1 << 14;
    Word *slots = calloc((size_t)size, sizeof(Word));
    int64_t *starts = realloc(words->starts, (size_t)size / 2 * sizeof(int64_t));
    if (starts) words->starts = starts;
    if (!slots || !starts) {
        free(slots);
        return NO_MEMORY;
    }
    for (int64_t i = 0; i < words->size; i++) {
        if (!words->slots[i].length) continue;
        int64_t at = (int64_t)(words->slots[i].hash & (uint64_t)(size - 1));
        while (slots[at].length) at = (at + 1) & (size - 1);
        slots[at] = words->slots[i];
    }
    free(words->slots);
    words->slots = slots;
    words->size = size;
    return 0;
}

/* Up to eight bytes as a number, a different one for each word of one length; eight bytes may be read. */
static uint64_t window(const uint8_t *bytes, int64_t length) {
    uint64_t word;
#if defined(_MSC_VER) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    memcpy(&word, bytes, 8);
    if (length < 8) word <<= 8 * (8 - length);
#else
    word = 0;
    for (int64_t i = 0; i < length && i < 8; i++) word |= (uint64_t)bytes[i] << (8 * i);
#endif
    return word;
}

static uint64_t hash_of(const uint8_t *bytes, int64_t length) {
    uint64_t hash = (uint64_t)length * ODD;
    for (int64_t i = 0; i < length; i += 8) hash = mixed(hash ^ window(bytes + i, length - i));
    return hash;
}

/* How many bytes of a window stand before its first NUL. */
static int64_t before_nul(uint64_t word) {
    uint64_t nuls = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u; /* its lowest bit is exact */
#if defined(__GNUC__)
    return nuls ? __builtin_ctzll(nuls) / 8 : 8;
#else
    return nuls ? bits_of((nuls & (0 - nuls)) - 1) / 8 : 8;
#endif
}

/* Cut data (texts with a NUL before, between and after them, and eight more at the end) into runs of bytes whose class is not 0, and number them as they
   first appear. `ids` receives the number of every word and has room for length / 2 + 1, `offsets` (texts + 1) where the words of each text begin, `read`
   (length + 8) the class of every byte, `pool` (length + 8) those of every distinct word with a NUL after each.
   Returns how many bytes of the pool are used. */
API int64_t newsdesk_words(const uint8_t *data, int64_t length, const uint8_t *classes, int32_t *ids, int64_t *offsets,
                           int64_t texts, uint8_t *read, uint8_t *pool) {
    Words words = {0, 0, 0, 0};
    int64_t count = 0, text = 0, i = 1, used = 0;
    for (int64_t k = 0; k < length; k++) read[k] = classes[data[k]];
    memset(read + length, 0, 8);
    offsets[0] = 0;
    if (grown(&words)) goto no_memory;
    while (text < texts) {
        if (!read[i]) {
            if (!data[i++]) offsets[++text] = count;
            continue;
        }
        uint64_t word = window(read + i, 8);
        int64_t size = before_nul(word), step = size;
        uint64_t hash;
        if (size < 8) {
            hash = mixed(word << (64 - 8 * size) ^ (uint64_t)size * ODD);
        } else {
            while (step == 8) {
                step = before_nul(window(read + i + size, 8));
                size += step;
            }
            hash = hash_of(read + i, size);
        }
        int64_t at = (int64_t)(hash & (uint64_t)(words.size - 1));
        Word *slot = &words.slots[at];
        /* Words of one length up to seven have the same hash only if they are the same: mixing is one-to-one. */
        while (slot->length && (slot->hash != hash || slot->length != size ||
                                (size > 7 && memcmp(pool + words.starts[slot->number], read + i, (size_t)size)))) {
            at = (at + 1) & (words.size - 1);
            slot = &words.slots[at];
        }
        if (slot->length) {
            ids[count++] = slot->number;
        } else {
            *slot = (Word){hash, (int32_t)size, (int32_t)words.used};
            words.starts[words.used] = used;
            memcpy(pool + used, read + i, (size_t)size);
            used += size;
            pool[used++] = 0;
            ids[count++] = (int32_t)words.used++;
            if (words.used * 2 >= words.size && grown(&words)) goto no_memory;
        }
        i += size;
    }
    free(words.slots);
    free(words.starts);
    return used;
no_memory:
    free(words.slots);
    free(words.starts);
    return NO_MEMORY;
}

/* Number the characters of data (valid UTF-8, surrogates allowed) that are not white space: `spaces[c]` says so for c < `widest`.
   `ids` has room for length, `codes` for `most` distinct characters. Returns how many distinct ones there are. */
API int64_t newsdesk_characters(const uint8_t *data, int64_t length, const uint8_t *spaces, int64_t widest, int32_t *ids,
                                int64_t *offsets, int64_t texts, int32_t *codes) {
    int32_t *number_of = malloc(0x110000 * sizeof(int32_t));
    if (!number_of) return NO_MEMORY;
    memset(number_of, 0xFF, 0x110000 * sizeof(int32_t));
    int64_t count = 0, text = 0, distinct = 0, i = 1;
    offsets[0] = 0;
    while (i < length && text < texts) {
        uint32_t code = data[i++];
        if (!code) {
            offsets[++text] = count;
            continue;
        }
        if (code >= 0xF0) {
            code = (code & 7) << 18 | (data[i] & 63u) << 12 | (data[i + 1] & 63u) << 6 | (data[i + 2] & 63u);
            i += 3;
        } else if (code >= 0xE0) {
            code = (code & 15) << 12 | (data[i] & 63u) << 6 | (data[i + 1] & 63u);
            i += 2;
        } else if (code >= 0x80) {
            code = (code & 31) << 6 | (data[i++] & 63u);
        }
        if (code < widest && spaces[code]) continue;
        if (number_of[code] < 0) {
            codes[distinct] = (int32_t)code;
            number_of[code] = (int32_t)distinct++;
        }
        ids[count++] = number_of[code];
    }
    free(number_of);
    return distinct;
}

/* ---- n-grams ---- */

typedef struct {
    uint64_t key;
    int64_t stamp;
    int32_t gram;
} Slot;

typedef struct {
    const int32_t *c_ids, *r_ids;
    const int64_t *c_offsets, *r_offsets, *owners;
    int32_t *local;       /* of each word: its gram of one word in this item, or -1 */
    Slot *slots;          /* grams of this item and order by (gram of n - 1 words, word) */
    uint64_t mask;
    int64_t stamp;
    int32_t *at;          /* of each place of the candidate: its gram */
    int32_t *count;       /* of each gram: how often the candidate has it, */
    int32_t *in_reference;
    int32_t *best;
    int32_t *first;       /* and where it first begins */
    int64_t *order, *rank;
    int64_t grams;
    int32_t *live_place, *live_gram; /* places of the item's references that begin a gram, reference by reference */
    int64_t *live_end;    /* of each reference of the item: where its places end */
} Item;

static void let_go(Item *item) {
    void *all[] = {item->local, item->slots, item->at,   item->count,      item->in_reference, item->best,
                   item->first, item->order, item->rank, item->live_place, item->live_gram,    item->live_end};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) free(all[i]);
}

static int prepared(Item *item, int64_t items, int64_t vocabulary) {
    int64_t longest = 1, words = 1, references = 1;
    for (int64_t i = 0; i < items; i++) {
        int64_t length = item->c_offsets[i + 1] - item->c_offsets[i];
        int64_t held = item->r_offsets[item->owners[i + 1]] - item->r_offsets[item->owners[i]];
        int64_t number = item->owners[i + 1] - item->owners[i];
        if (length > longest) longest = length;
        if (held > words) words = held;
        if (number > references) references = number;
    }
    size_t l = (size_t)longest, w = (size_t)words;
    item->local = malloc((size_t)(vocabulary + 1) * sizeof(int32_t));
    item->slots = calloc((size_t)power_of_two(2 * longest), sizeof(Slot));
    item->at = malloc(l * sizeof(int32_t));
    item->count = malloc(l * sizeof(int32_t));
    item->in_reference = calloc(l, sizeof(int32_t));
    item->best = malloc(l * sizeof(int32_t));
    item->first = malloc(l * sizeof(int32_t));
    item->order = malloc(2 * l * sizeof(int64_t));
    item->rank = malloc(l * sizeof(int64_t));
    item->live_place = malloc(w * sizeof(int32_t));
    item->live_gram = malloc(w * sizeof(int32_t));
    item->live_end = malloc((size_t)references * sizeof(int64_t));
    item->stamp = 0;
    if (!item->local || !item->slots || !item->at || !item->count || !item->in_reference || !item->best || !item->first ||
        !item->order || !item->rank || !item->live_place || !item->live_gram || !item->live_end)
        return NO_MEMORY;
    memset(item->local, 0xFF, (size_t)(vocabulary + 1) * sizeof(int32_t));
    return 0;
}

static Slot *slot_of(const Item *item, int32_t gram, int32_t word) {
    uint64_t key = (uint64_t)(uint32_t)gram << 32 | (uint32_t)word;
    uint64_t at = mixed(key) & item->mask;
    while (item->slots[at].stamp == item->stamp && item->slots[at].key != key) at = (at + 1) & item->mask;
    item->slots[at].key = key;
    return &item->slots[at];
}

static int32_t known(const Item *item, int32_t gram, int32_t word) {
    uint64_t key = (uint64_t)(uint32_t)gram << 32 | (uint32_t)word;
    uint64_t at = mixed(key) & item->mask;
    while (item->slots[at].stamp == item->stamp) {
        if (item->slots[at].key == key) return item->slots[at].gram;
        at = (at + 1) & item->mask;
    }
    return -1;
}

static int by_value(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Number the grams of n words of a candidate in the order of (gram of n - 1 words, word), or as they come unless `sorted`. */
static void number_grams(Item *item, int64_t row, int32_t n, int sorted) {
    const int32_t *ids = item->c_ids + item->c_offsets[row];
    int64_t length = item->c_offsets[row + 1] - item->c_offsets[row], grams = 0;
    item->stamp++;
    item->mask = (uint64_t)power_of_two(2 * length) - 1;
    for (int64_t p = 0; p + n <= length; p++) {
        int32_t word = ids[p + n - 1], gram;
        int32_t before = n == 1 ? 0 : item->at[p];
        Slot *slot = 0;
        if (n == 1) {
            gram = item->local[word];
        } else {
            slot = slot_of(item, before, word);
            gram = slot->stamp == item->stamp ? slot->gram : -1;
        }
        if (gram < 0) {
            gram = (int32_t)grams;
            item->order[2 * grams] = (int64_t)((uint64_t)(uint32_t)before << 32 | (uint32_t)word);
            item->order[2 * grams + 1] = grams;
            item->count[grams] = item->best[grams] = 0;
            item->first[grams++] = (int32_t)p;
            if (n == 1) {
                item->local[word] = gram;
            } else {
                slot->stamp = item->stamp;
                slot->gram = gram;
            }
        }
        item->count[gram]++;
        item->at[p] = gram;
    }
    item->grams = grams;
    if (!sorted) return;
    qsort(item->order, (size_t)grams, 2 * sizeof(int64_t), by_value);
    for (int64_t k = 0; k < grams; k++) item->rank[item->order[2 * k + 1]] = k;
    /* Renumber: counts and first places go through `order`, as no array may be read and written at once. */
    for (int64_t k = 0; k < grams; k++) {
        int64_t old = item->order[2 * k + 1];
        item->order[2 * k + 1] = (int64_t)((uint64_t)(uint32_t)item->count[old] << 32 | (uint32_t)item->first[old]);
    }
    for (int64_t k = 0; k < grams; k++) {
        uint64_t both = (uint64_t)item->order[2 * k + 1];
        item->count[k] = (int32_t)(both >> 32);
        item->first[k] = (int32_t)(both & 0xFFFFFFFFu);
    }
    for (int64_t p = 0; p + n <= length; p++) {
        int32_t gram = (int32_t)item->rank[item->at[p]];
        item->at[p] = gram;
        if (n == 1) {
            item->local[ids[p]] = gram;
        }
    }
    if (n > 1)
        for (int64_t k = 0; k < grams; k++) {
            uint64_t key = (uint64_t)item->order[2 * k];
            slot_of(item, (int32_t)(key >> 32), (int32_t)(key & 0xFFFFFFFFu))->gram = (int32_t)k;
        }
}

static void forget_words(Item *item, int64_t row) {
    for (int64_t k = item->c_offsets[row]; k < item->c_offsets[row + 1]; k++) item->local[item->c_ids[k]] = -1;
}

/* Keep those places of one reference that begin a gram of n words; returns how many, counted no more often than the candidate has them. */
static int64_t follow(Item *item, int64_t reference, int32_t n, int64_t *read_at, int64_t end, int64_t *write_at) {
    const int32_t *ids = item->r_ids + item->r_offsets[reference];
    int64_t length = item->r_offsets[reference + 1] - item->r_offsets[reference], hits = 0, out = *write_at;
    if (n == 1) {
        for (int64_t p = 0; p < length; p++) {
            int32_t gram = item->local[ids[p]];
            if (gram < 0) continue;
            item->live_place[out] = (int32_t)p;
            item->live_gram[out++] = gram;
            hits += ++item->in_reference[gram] <= item->count[gram];
        }
    } else {
        for (int64_t k = *read_at; k < end; k++) {
            int64_t p = item->live_place[k];
            if (p + n > length) continue;
            int32_t gram = known(item, item->live_gram[k], ids[p + n - 1]);
            if (gram < 0) continue;
            item->live_place[out] = (int32_t)p;
            item->live_gram[out++] = gram;
            hits += ++item->in_reference[gram] <= item->count[gram];
        }
        *read_at = end;
    }
    *write_at = out;
    return hits;
}

/* Count, for n = 1 to orders, the n-grams that each reference shares with its candidate (`hits`, orders x references), and those that any reference of
   the item allows (`best`, orders x items). */
API int64_t newsdesk_hits(const int32_t *c_ids, const int64_t *c_offsets, const int32_t *r_ids, const int64_t *r_offsets,
                          const int64_t *owners, int64_t items, int64_t vocabulary, int32_t orders, int64_t *hits, int64_t *best) {
    Item item = {.c_ids = c_ids, .r_ids = r_ids, .c_offsets = c_offsets, .r_offsets = r_offsets, .owners = owners};
    int64_t references = owners[items];
    if (prepared(&item, items, vocabulary)) {
        let_go(&item);
        return NO_MEMORY;
    }
    for (int64_t i = 0; i < items; i++) {
        for (int32_t n = 1; n <= orders; n++) {
            int64_t read_at = 0, write_at = 0, sum = 0;
            number_grams(&item, i, n, 0);
            for (int64_t r = owners[i]; r < owners[i + 1]; r++) {
                int64_t begin = write_at, end = n == 1 ? 0 : item.live_end[r - owners[i]];
                int64_t found = follow(&item, r, n, &read_at, end, &write_at);
                item.live_end[r - owners[i]] = write_at;
                hits[(n - 1) * references + r] = found;
                for (int64_t k = begin; k < write_at; k++) {
                    int32_t gram = item.live_gram[k], held = item.in_reference[gram];
                    if (!held) continue;
                    if (held > item.count[gram]) held = item.count[gram];
                    if (held > item.best[gram]) {
                        sum += held - item.best[gram];
                        item.best[gram] = held;
                    }
                    item.in_reference[gram] = 0;
                }
            }
            best[(n - 1) * items + i] = sum;
        }
        forget_words(&item, i);
    }
    let_go(&item);
    return 0;
}

/* List, for n = 1 to orders, the grams of each candidate (item, count, first place among all candidates' words) in order, and the references that hold
   them (gram, reference, count) by gram. Each output has a row per order, `most_grams` or `most_rows` long; `sizes` receives the numbers of both. */
API int64_t newsdesk_matches(const int32_t *c_ids, const int64_t *c_offsets, const int32_t *r_ids, const int64_t *r_offsets,
                             const int64_t *owners, int64_t items, int64_t vocabulary, int32_t orders, int64_t most_grams,
                             int64_t most_rows, int64_t *gram_item, int64_t *gram_count, int64_t *gram_place, int64_t *row_gram,
                             int64_t *row_reference, int64_t *row_count, int64_t *sizes) {
    Item item = {.c_ids = c_ids, .r_ids = r_ids, .c_offsets = c_offsets, .r_offsets = r_offsets, .owners = owners};
    if (prepared(&item, items, vocabulary)) {
        let_go(&item);
        return NO_MEMORY;
    }
    memset(sizes, 0, 2 * (size_t)orders * sizeof(int64_t));
    for (int64_t i = 0; i < items; i++) {
        for (int32_t n = 1; n <= orders; n++) {
            int64_t grams = sizes[2 * (n - 1)], rows = sizes[2 * (n - 1) + 1], read_at = 0, write_at = 0;
            int64_t *grams_item = gram_item + (n - 1) * most_grams, *grams_count = gram_count + (n - 1) * most_grams;
            int64_t *grams_place = gram_place + (n - 1) * most_grams, *rows_gram = row_gram + (n - 1) * most_rows;
            int64_t *rows_reference = row_reference + (n - 1) * most_rows, *rows_count = row_count + (n - 1) * most_rows;
            number_grams(&item, i, n, 1);
            for (int64_t g = 0; g < item.grams; g++) {
                grams_item[grams + g] = i;
                grams_count[grams + g] = item.count[g];
                grams_place[grams + g] = c_offsets[i] + item.first[g];
                item.rank[g] = 0; /* how many references hold it */
            }
            for (int64_t r = owners[i]; r < owners[i + 1]; r++) {
                int64_t begin = write_at, end = n == 1 ? 0 : item.live_end[r - owners[i]];
                follow(&item, r, n, &read_at, end, &write_at);
                item.live_end[r - owners[i]] = write_at;
                for (int64_t k = begin; k < write_at; k++) {
                    int32_t gram = item.live_gram[k];
                    item.rank[gram] += item.in_reference[gram] > 0;
                    item.in_reference[gram] = 0;
                }
            }
            for (int64_t g = 0, at = rows; g < item.grams; g++) { /* where the rows of each gram begin */
                int64_t held = item.rank[g];
                item.rank[g] = at;
                at += held;
            }
            for (int64_t r = owners[i], k = 0; r < owners[i + 1]; r++) {
                int64_t end = item.live_end[r - owners[i]];
                for (int64_t place = k; place < end; place++) item.in_reference[item.live_gram[place]]++;
                for (; k < end; k++) {
                    int32_t gram = item.live_gram[k];
                    if (!item.in_reference[gram]) continue;
                    int64_t at = item.rank[gram]++;
                    rows_gram[at] = grams + gram;
                    rows_reference[at] = r;
                    rows_count[at] = item.in_reference[gram];
                    item.in_reference[gram] = 0;
                    sizes[2 * (n - 1) + 1]++;
                }
            }
            sizes[2 * (n - 1)] += item.grams;
        }
        forget_words(&item, i);
    }
    let_go(&item);
    return 0;
}

/* ---- Longest common subsequences ---- */

/* The length of the longest common subsequence of every reference with its candidate, bit-parallel (Hyyro 2004). */
API int64_t newsdesk_lcs(const int32_t *c_ids, const int64_t *c_offsets, const int32_t *r_ids, const int64_t *r_offsets,
                         const int64_t *owners, int64_t items, int64_t vocabulary, int64_t *lengths) {
    int64_t longest = 1;
    for (int64_t i = 0; i < items; i++)
        if (c_offsets[i + 1] - c_offsets[i] > longest) longest = c_offsets[i + 1] - c_offsets[i];
    size_t widest = (size_t)(longest + 63) / 64;
    int32_t *local = malloc((size_t)(vocabulary + 1) * sizeof(int32_t));
    uint64_t *masks = malloc((size_t)longest * widest * sizeof(uint64_t)), *state = malloc(widest * sizeof(uint64_t));
    if (!local || !masks || !state) {
        free(local);
        free(masks);
        free(state);
        return NO_MEMORY;
    }
    memset(local, 0xFF, (size_t)(vocabulary + 1) * sizeof(int32_t));
    for (int64_t i = 0; i < items; i++) {
        const int32_t *ids = c_ids + c_offsets[i];
        int64_t length = c_offsets[i + 1] - c_offsets[i], distinct = 0, width = (length + 63) / 64;
        for (int64_t p = 0; p < length; p++) {
            if (local[ids[p]] < 0) {
                memset(masks + distinct * width, 0, (size_t)width * sizeof(uint64_t));
                local[ids[p]] = (int32_t)distinct++;
            }
            masks[local[ids[p]] * width + p / 64] |= (uint64_t)1 << (p % 64);
        }
        uint64_t last = length % 64 ? ((uint64_t)1 << (length % 64)) - 1 : ~(uint64_t)0;
        for (int64_t r = owners[i]; r < owners[i + 1]; r++) {
            for (int64_t w = 0; w < width; w++) state[w] = ~(uint64_t)0;
            for (int64_t k = r_offsets[r]; k < r_offsets[r + 1]; k++) {
                int32_t word = local[r_ids[k]];
                if (word < 0) continue;
                const uint64_t *mask = masks + word * width;
                uint64_t carry = 0;
                for (int64_t w = 0; w < width; w++) {
                    uint64_t before = state[w], matched = before & mask[w];
                    uint64_t sum = before + matched, total = sum + carry;
                    carry = (sum < before) | (total < sum);
                    state[w] = total | (before - matched);
                }
            }
            int64_t found = 0;
            for (int64_t w = 0; w < width; w++) found += bits_of(~state[w] & (w == width - 1 ? last : ~(uint64_t)0));
            lengths[r] = found;
        }
        for (int64_t p = 0; p < length; p++) local[ids[p]] = -1;
    }
    free(local);
    free(masks);
    free(state);
    return 0;
}

/* ---- Bootstrap ---- */

/* Draw `samples` times `items` items as numpy's Generator.integers(0, items, dtype=int32) does, and add up their rows (items x columns) in the order drawn. */
API int64_t newsdesk_draws(uint32_t (*next)(void *), void *state, int64_t items, int64_t samples, const double *rows,
                           int64_t columns, double *sums) {
    uint32_t count = (uint32_t)items, threshold = (uint32_t)(0u - count) % count;
    memset(sums, 0, (size_t)(samples * columns) * sizeof(double));
    for (int64_t s = 0; s < samples; s++) {
        double *sum = sums + s * columns;
        for (int64_t k = 0; k < items; k++) {
            uint32_t item = 0;
            if (count > 1) {
                uint64_t product = (uint64_t)next(state) * count;
                while ((uint32_t)product < threshold) product = (uint64_t)next(state) * count;
                item = (uint32_t)(product >> 32);
            }
            const double *row = rows + (int64_t)item * columns;
            for (int64_t c = 0; c < columns; c++) sum[c] += row[c];
        }
    }
    return 0;
}

/* Says that the caller and this file belong together. */
API int64_t newsdesk_version(void) { return 1; }
