/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing and the hash map. The map is a table of (hash, value) with linear probing, a power of two in
 * size and at most three quarters full. Removal shifts the followers back instead of leaving marks, so a
 * table never needs to be rebuilt because of deletions. Callers hash well, but the slot still comes from
 * a multiplication, so that a weak hash (a small integer, a pointer) costs collisions only when it
 * repeats. */
#include "base.h"

#include <string.h>

enum { SMALLEST_TABLE = 16 };

struct fxi_map_slot {
    uint64_t hash;
    void *value; /* NULL: the slot is free */
};

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

/* A bijection in which each input bit changes about half of the output bits: xor-shifts and odd
 * multipliers. */
static uint64_t mix(uint64_t value)
{
    value ^= value >> 30;
    value *= UINT64_C(0xBF58476D1CE4E5B9);
    value ^= value >> 27;
    value *= UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

uint64_t fxi_hash_u64(uint64_t value, uint64_t seed)
{
    return mix(rotate(seed, 23) * UINT64_C(0x9E3779B97F4A7C15) + mix(value + UINT64_C(0x9E3779B97F4A7C15)));
}

/* Up to 8 bytes as a little-endian number, on every machine. */
static uint64_t load_word(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t fxi_hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t hash = fxi_hash_u64(bytes, seed);
    size_t left = data != NULL ? bytes : 0;
    for (; left >= 8; left -= 8, at += 8)
        hash = fxi_hash_u64(load_word(at, 8), hash);
    return left > 0 ? fxi_hash_u64(load_word(at, left), hash) : hash;
}

static size_t home_of(const fxi_map *map, uint64_t hash)
{
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash ^ hash >> 32) & (map->capacity - 1);
}

void *fxi_map_find(const fxi_map *map, uint64_t hash, const void *key, fxi_map_equal equal)
{
    if (map == NULL || map->count == 0)
        return NULL;
    for (size_t i = home_of(map, hash);; i = (i + 1) & (map->capacity - 1)) {
        const struct fxi_map_slot *slot = &map->slots[i];
        if (slot->value == NULL)
            return NULL;
        if (slot->hash == hash && (equal != NULL ? equal(slot->value, key) : slot->value == key))
            return slot->value;
    }
}

static void insert(fxi_map *map, uint64_t hash, void *value)
{
    size_t i = home_of(map, hash);
    while (map->slots[i].value != NULL)
        i = (i + 1) & (map->capacity - 1);
    map->slots[i] = (struct fxi_map_slot){hash, value};
    map->count++;
}

static bool enlarge(fxi_map *map)
{
    fxi_map larger = {.capacity = map->capacity > 0 ? map->capacity * 2 : SMALLEST_TABLE};
    if (larger.capacity < map->capacity)
        return false;
    larger.slots = fxi_alloc_zeroed(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value != NULL)
            insert(&larger, map->slots[i].hash, map->slots[i].value);
    fxi_free(map->slots);
    *map = larger;
    return true;
}

bool fxi_map_put(fxi_map *map, uint64_t hash, void *value)
{
    if (map == NULL || value == NULL)
        return false;
    if (map->count >= map->capacity - map->capacity / 4)
        FX_TRY(enlarge(map));
    insert(map, hash, value);
    return true;
}

/* Moves back each follower that the gap cuts off from its home, until a free slot ends the run. */
static void close_gap(fxi_map *map, size_t gap)
{
    size_t mask = map->capacity - 1;
    for (size_t i = (gap + 1) & mask; map->slots[i].value != NULL; i = (i + 1) & mask) {
        size_t distance = (i - home_of(map, map->slots[i].hash)) & mask;
        if (distance >= ((i - gap) & mask)) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap] = (struct fxi_map_slot){0, NULL};
}

bool fxi_map_remove(fxi_map *map, uint64_t hash, const void *value)
{
    if (map == NULL || map->count == 0 || value == NULL)
        return false;
    for (size_t i = home_of(map, hash); map->slots[i].value != NULL; i = (i + 1) & (map->capacity - 1)) {
        if (map->slots[i].value != value)
            continue;
        close_gap(map, i);
        map->count--;
        return true;
    }
    return false;
}

void fxi_map_free(fxi_map *map)
{
    if (map == NULL)
        return;
    fxi_free(map->slots);
    *map = (fxi_map){0};
}
