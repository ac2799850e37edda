/* SPDX-License-Identifier: Apache-2.0 */
/* A small loader of relocatable x86-64 ELF objects: what the code generator writes for the small code model
 * with position-independent code, and nothing more.
 *
 * All allocated sections go into one mapping of three parts, each starting on a page: text followed by stubs
 * for calls of externals; read-only data followed by address slots (the GOT); writable data. One mapping
 * keeps every distance inside the object within 32 bits; externals may be anywhere, which is what stubs and
 * slots are for. The mapping is written while it is not executable and never writable once it is (W^X).
 *
 * The bytes may be hostile (they can come from a cache on disk): every offset, size, index and string is
 * checked before use, and whatever is not understood is an error. Steps: read_object, count_extras
 * of all relocations, place_sections, map_image, apply all relocations, protect, collect_symbols. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#endif
#include "jit_internal.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IMAGE_LIMIT ((uint64_t)256 << 20) /* also keeps all sums below small enough not to overflow */
#define NAME_LIMIT 4096u                  /* bounds the work of comparing and copying overlapping names */
#define LEAD_BYTES 16u /* before text: callers built with -fsanitize=function read ahead of a function */
#define STUB_BYTES 8u
#define SLOT_BYTES 8u

enum { TEXT, READ_ONLY, WRITABLE, PARTS, NOT_LOADED = PARTS };

typedef struct section {
    Elf64_Shdr header;
    unsigned part;
    uint64_t place; /* from the start of the mapping */
} section;

typedef struct symbol {
    uint32_t slot, stub; /* 1-based; 0 is none */
} symbol;

typedef struct object {
    const unsigned char *bytes;
    uint64_t size;
    section *sections;
    uint64_t section_count;
    const section *symtab; /* NULL if there is none */
    const char *strings;   /* of the symbol table */
    uint64_t strings_size, symbol_count;
    symbol *symbols;
    uint32_t slot_count, stub_count;
    uint64_t start[PARTS + 1]; /* of the parts, and the end; multiples of the page size */
    uint64_t stubs, slots;     /* where they start */
    unsigned char *base;
    fx_error *err;
} object;

static bool damaged(const object *o, const char *what) {
    return fxi_fail(o->err, FX_ERROR_BACKEND, "object file: %s", what);
}

static bool inside(uint64_t offset, uint64_t size, uint64_t limit) {
    return offset <= limit && size <= limit - offset;
}

/* ---- reading ---- */

static bool read_header(object *o, Elf64_Ehdr *header) {
    static const unsigned char ident[] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                          ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    if (o->size < sizeof *header) return damaged(o, "shorter than its header");
    memcpy(header, o->bytes, sizeof *header);
    if (memcmp(header->e_ident, ident, sizeof ident) != 0) return damaged(o, "not 64-bit little-endian ELF");
    if (header->e_type != ET_REL || header->e_machine != EM_X86_64)
        return damaged(o, "not a relocatable x86-64 object");
    if (header->e_shentsize != sizeof(Elf64_Shdr)) return damaged(o, "section headers of an unknown size");
    if (!inside(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), o->size))
        return damaged(o, "section headers beyond the end");
    return true;
}

/* The terminated string at `offset` of a string table in the file, or NULL. */
static const char *string_at(const char *table, uint64_t table_size, uint64_t offset) {
    if (offset >= table_size) return NULL;
    uint64_t rest = table_size - offset < NAME_LIMIT ? table_size - offset : NAME_LIMIT;
    return memchr(table + offset, '\0', (size_t)rest) != NULL ? table + offset : NULL;
}

static bool string_table(const object *o, uint64_t index, const char **table, uint64_t *size) {
    *table = NULL;
    *size = 0;
    if (index >= o->section_count) return damaged(o, "string table does not exist");
    const Elf64_Shdr *header = &o->sections[index].header;
    if (header->sh_type != SHT_STRTAB) return damaged(o, "string table of another type");
    *table = (const char *)o->bytes + header->sh_offset;
    *size = header->sh_size;
    return true;
}

/* Which part of the mapping a section belongs to. Nothing throws through kernels, so unwind
 * tables are left out. */
static bool choose_part(object *o, section *s, const char *name) {
    const Elf64_Shdr *header = &s->header;
    s->part = NOT_LOADED;
    bool loaded = (header->sh_flags & SHF_ALLOC) != 0 && header->sh_type != SHT_NOTE &&
                  header->sh_type != SHT_X86_64_UNWIND && strcmp(name, ".eh_frame") != 0;
    if (!loaded) return true;
    if (header->sh_type != SHT_PROGBITS && header->sh_type != SHT_NOBITS)
        return damaged(o, "section of a type that cannot be loaded");
    if ((header->sh_flags & (SHF_TLS | SHF_COMPRESSED)) != 0)
        return damaged(o, "thread-local or compressed section");
    bool writable = (header->sh_flags & SHF_WRITE) != 0;
    if ((header->sh_flags & SHF_EXECINSTR) != 0) {
        if (writable || header->sh_type == SHT_NOBITS)
            return damaged(o, "section both writable and executable");
        s->part = TEXT;
    } else {
        s->part = writable && strncmp(name, ".data.rel.ro", 12) != 0 ? WRITABLE : READ_ONLY;
    }
    return true;
}

static bool read_symtab(object *o, const section *s) {
    if (o->symtab != NULL) return damaged(o, "two symbol tables");
    if (s->header.sh_entsize != sizeof(Elf64_Sym)) return damaged(o, "symbols of an unknown size");
    o->symtab = s;
    o->symbol_count = s->header.sh_size / sizeof(Elf64_Sym);
    FX_TRY(string_table(o, s->header.sh_link, &o->strings, &o->strings_size));
    o->symbols = fxi_alloc_zeroed((size_t)o->symbol_count + 1, sizeof *o->symbols);
    return o->symbols != NULL || fxi_fail_memory(o->err, "object file");
}

static bool read_sections(object *o, const Elf64_Ehdr *header) {
    o->section_count = header->e_shnum;
    o->sections = fxi_alloc_zeroed((size_t)o->section_count + 1, sizeof *o->sections);
    if (o->sections == NULL) return fxi_fail_memory(o->err, "object file");
    for (uint64_t i = 0; i < o->section_count; i++) {
        Elf64_Shdr *to = &o->sections[i].header;
        memcpy(to, o->bytes + header->e_shoff + i * sizeof *to, sizeof *to);
        if (to->sh_type != SHT_NULL && to->sh_type != SHT_NOBITS &&
            !inside(to->sh_offset, to->sh_size, o->size))
            return damaged(o, "section beyond the end");
    }
    return true;
}

static bool read_object(object *o) {
    Elf64_Ehdr header;
    const char *names;
    uint64_t names_size;
    FX_TRY(read_header(o, &header));
    FX_TRY(read_sections(o, &header));
    FX_TRY(string_table(o, header.e_shstrndx, &names, &names_size));
    for (uint64_t i = 0; i < o->section_count; i++) {
        section *s = &o->sections[i];
        const char *name = string_at(names, names_size, s->header.sh_name);
        if (name == NULL) return damaged(o, "section without a name");
        FX_TRY(choose_part(o, s, name));
        if (s->header.sh_type == SHT_SYMTAB) FX_TRY(read_symtab(o, s));
    }
    return true;
}

/* Only after a check that index < symbol_count. */
static Elf64_Sym symbol_at(const object *o, uint64_t index) {
    Elf64_Sym s;
    memcpy(&s, o->bytes + o->symtab->header.sh_offset + index * sizeof s, sizeof s);
    return s;
}

/* ---- relocations ---- */

typedef enum meaning { UNKNOWN, NOTHING, ADDRESS, CALL, SLOT } meaning;

static const struct {
    unsigned char meaning, width;
    bool relative, is_signed;
} forms[] = {
    [R_X86_64_NONE] = {NOTHING, 0, false, false}, [R_X86_64_64] = {ADDRESS, 8, false, false},
    [R_X86_64_PC32] = {ADDRESS, 4, true, true},   [R_X86_64_PC64] = {ADDRESS, 8, true, true},
    [R_X86_64_32] = {ADDRESS, 4, false, false},   [R_X86_64_32S] = {ADDRESS, 4, false, true},
    [R_X86_64_PLT32] = {CALL, 4, true, true},     [R_X86_64_GOTPCREL] = {SLOT, 4, true, true},
    [R_X86_64_GOTPCRELX] = {SLOT, 4, true, true}, [R_X86_64_REX_GOTPCRELX] = {SLOT, 4, true, true},
};

/* Called for each relocation of a loaded section: type and symbol are known to be valid, the place
 * is inside. */
typedef bool (*relocation_step)(object *o, const section *target, const Elf64_Rela *relocation);

static bool each_relocation_of(object *o, const section *list, const section *target, relocation_step step) {
    if (list->header.sh_entsize != sizeof(Elf64_Rela)) return damaged(o, "relocations of an unknown size");
    if (o->symtab == NULL || &o->sections[list->header.sh_link] != o->symtab)
        return damaged(o, "relocations without their symbol table");
    if (target->header.sh_type == SHT_NOBITS) return damaged(o, "relocation in zeroed memory");
    uint64_t count = list->header.sh_size / sizeof(Elf64_Rela);
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Rela r;
        memcpy(&r, o->bytes + list->header.sh_offset + i * sizeof r, sizeof r);
        uint64_t type = ELF64_R_TYPE(r.r_info);
        if (type >= sizeof forms / sizeof *forms || forms[type].meaning == UNKNOWN)
            return fxi_fail(o->err, FX_ERROR_BACKEND, "object file: relocation type %u", (unsigned)type);
        if (forms[type].meaning == NOTHING) continue;
        if (ELF64_R_SYM(r.r_info) >= o->symbol_count) return damaged(o, "relocation against no symbol");
        if (!inside(r.r_offset, forms[type].width, target->header.sh_size))
            return damaged(o, "relocation outside its section");
        FX_TRY(step(o, target, &r));
    }
    return true;
}

static bool each_relocation(object *o, relocation_step step) {
    for (uint64_t i = 0; i < o->section_count; i++) {
        const section *list = &o->sections[i];
        if (list->header.sh_type != SHT_RELA && list->header.sh_type != SHT_REL) continue;
        if (list->header.sh_info >= o->section_count || list->header.sh_link >= o->section_count)
            return damaged(o, "relocations of no section");
        const section *target = &o->sections[list->header.sh_info];
        if (target->part == NOT_LOADED) continue;
        if (list->header.sh_type == SHT_REL) return damaged(o, "relocations without addends");
        FX_TRY(each_relocation_of(o, list, target, step));
    }
    return true;
}

/* Gives symbols the slots and stubs that relocations ask for. Calls inside the object go directly. */
static bool count_extras(object *o, const section *target, const Elf64_Rela *r) {
    (void)target;
    uint64_t index = ELF64_R_SYM(r->r_info);
    symbol *s = &o->symbols[index];
    unsigned char what = forms[ELF64_R_TYPE(r->r_info)].meaning;
    bool stub = what == CALL && symbol_at(o, index).st_shndx == SHN_UNDEF;
    if (stub && s->stub == 0) s->stub = ++o->stub_count;
    if ((stub || what == SLOT) && s->slot == 0) s->slot = ++o->slot_count;
    return true;
}

static unsigned char *slot_of(const object *o, const symbol *s) {
    return o->base + o->slots + (uint64_t)(s->slot - 1) * SLOT_BYTES;
}

static unsigned char *stub_of(const object *o, const symbol *s) {
    return o->base + o->stubs + (uint64_t)(s->stub - 1) * STUB_BYTES;
}

/* Where a symbol lies in memory. */
static bool symbol_address(const object *o, uint64_t index, uint64_t *address) {
    Elf64_Sym s = symbol_at(o, index);
    if (s.st_shndx == SHN_ABS) {
        *address = s.st_value;
        return true;
    }
    if (s.st_shndx != SHN_UNDEF) {
        if (s.st_shndx >= o->section_count) return damaged(o, "symbol in no section");
        const section *in = &o->sections[s.st_shndx];
        if (in->part == NOT_LOADED) return damaged(o, "symbol in a section that is not loaded");
        if (s.st_value > in->header.sh_size) return damaged(o, "symbol outside its section");
        *address = (uint64_t)(uintptr_t)(o->base + in->place) + s.st_value;
        return true;
    }
    const char *name = string_at(o->strings, o->strings_size, s.st_name);
    if (name == NULL) return damaged(o, "symbol without a name");
    void *external = fxi_jit_external(name);
    if (external == NULL)
        return fxi_fail(o->err, FX_ERROR_BACKEND, "object file: unknown external %.200s", name);
    *address = (uint64_t)(uintptr_t)external;
    return true;
}

static bool fill_extras(object *o, const symbol *s, uint64_t address) {
    if (s->slot != 0) memcpy(slot_of(o, s), &address, sizeof address);
    if (s->stub == 0) return true;
    unsigned char jump[STUB_BYTES] = {0xFF, 0x25, 0, 0, 0, 0, 0xCC, 0xCC}; /* jmp *slot(%rip); int3; int3 */
    int32_t distance = (int32_t)(slot_of(o, s) - (stub_of(o, s) + 6));     /* both inside the image */
    memcpy(jump + 2, &distance, sizeof distance);
    memcpy(stub_of(o, s), jump, sizeof jump);
    return true;
}

static bool apply(object *o, const section *target, const Elf64_Rela *r) {
    uint64_t index = ELF64_R_SYM(r->r_info), type = ELF64_R_TYPE(r->r_info), value = 0;
    const symbol *s = &o->symbols[index];
    unsigned char what = forms[type].meaning;
    FX_TRY(symbol_address(o, index, &value));
    FX_TRY(fill_extras(o, s, value));
    if (what == SLOT) value = (uint64_t)(uintptr_t)slot_of(o, s);
    if (what == CALL && s->stub != 0) value = (uint64_t)(uintptr_t)stub_of(o, s);
    unsigned char *place = o->base + target->place + r->r_offset;
    value += (uint64_t)r->r_addend;
    if (forms[type].relative) value -= (uint64_t)(uintptr_t)place;
    if (forms[type].width == 4) {
        bool fits = forms[type].is_signed ? value + 0x80000000u <= UINT32_MAX : value <= UINT32_MAX;
        if (!fits) return damaged(o, "relocation out of reach");
    }
    memcpy(place, &value, forms[type].width); /* little endian, as the file */
    return true;
}

/* ---- layout ---- */

/* Never overflows: `at` stays below IMAGE_LIMIT plus a page. */
static uint64_t align_up(uint64_t at, uint64_t alignment) {
    return (at + alignment - 1) & ~(alignment - 1);
}

static bool place_part(object *o, unsigned part, uint64_t page, uint64_t *at) {
    for (uint64_t i = 0; i < o->section_count; i++) {
        section *s = &o->sections[i];
        if (s->part != part) continue;
        uint64_t alignment = s->header.sh_addralign > 1 ? s->header.sh_addralign : 1;
        if ((alignment & (alignment - 1)) != 0 || alignment > page)
            return damaged(o, "unusable section alignment");
        s->place = align_up(*at, alignment);
        if (s->header.sh_size > IMAGE_LIMIT || s->place + s->header.sh_size > IMAGE_LIMIT)
            return damaged(o, "image above 256 MiB");
        *at = s->place + s->header.sh_size;
    }
    return true;
}

static bool place_extras(object *o, uint64_t *start, uint64_t count, uint64_t size, uint64_t *at) {
    *start = align_up(*at, size);
    *at = *start + count * size; /* count is below 2^32 */
    return *at <= IMAGE_LIMIT || damaged(o, "image above 256 MiB");
}

static bool place_sections(object *o) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        o->start[part] = at;
        if (part == TEXT) at += LEAD_BYTES;
        FX_TRY(place_part(o, part, page, &at));
        if (part == TEXT) FX_TRY(place_extras(o, &o->stubs, o->stub_count, STUB_BYTES, &at));
        if (part == READ_ONLY) FX_TRY(place_extras(o, &o->slots, o->slot_count, SLOT_BYTES, &at));
        at = align_up(at, page);
    }
    o->start[PARTS] = at;
    return true;
}

static bool map_image(object *o) {
    void *base =
        mmap(NULL, (size_t)o->start[PARTS], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return fxi_fail_memory(o->err, "code pages");
    o->base = base;
    for (uint64_t i = 0; i < o->section_count; i++) {
        const section *s = &o->sections[i];
        if (s->part == NOT_LOADED || s->header.sh_type == SHT_NOBITS) continue;
        memcpy(o->base + s->place, o->bytes + s->header.sh_offset, (size_t)s->header.sh_size);
    }
    return true;
}

static bool protect(object *o, unsigned part, int protection) {
    size_t size = (size_t)(o->start[part + 1] - o->start[part]);
    if (size == 0 || mprotect(o->base + o->start[part], size, protection) == 0) return true;
    return fxi_fail(o->err, FX_ERROR_BACKEND,
                    "code pages: the system refuses to make them executable or read-only");
}

/* ---- the result ---- */

/* The name of symbol `index` if it is a function that callers may look up, or NULL. */
static const char *function_name(const object *o, uint64_t index) {
    Elf64_Sym s = symbol_at(o, index);
    bool is_function = ELF64_ST_TYPE(s.st_info) == STT_FUNC && ELF64_ST_BIND(s.st_info) != STB_LOCAL;
    if (!is_function || s.st_shndx == SHN_UNDEF || s.st_shndx >= o->section_count) return NULL;
    const section *in = &o->sections[s.st_shndx];
    if (in->part != TEXT || s.st_value >= in->header.sh_size) return NULL;
    return string_at(o->strings, o->strings_size, s.st_name);
}

static fxi_code *collect_symbols(const object *o) {
    size_t count = 0, name_bytes = 0;
    for (uint64_t i = 0; i < o->symbol_count; i++) {
        const char *name = function_name(o, i);
        if (name == NULL) continue;
        count++;
        name_bytes += strlen(name) + 1;
    }
    fxi_code *code = fxi_code_new(o->base, (size_t)o->start[PARTS], count, name_bytes, o->err);
    if (code == NULL) return NULL;
    char *names = (char *)(code->symbols + count);
    for (uint64_t i = 0; i < o->symbol_count; i++) {
        const char *name = function_name(o, i);
        if (name == NULL) continue;
        Elf64_Sym s = symbol_at(o, i);
        size_t length = strlen(name) + 1;
        memcpy(names, name, length);
        code->symbols[code->count++] =
            (fxi_code_entry){names, o->base + o->sections[s.st_shndx].place + s.st_value};
        names += length;
    }
    return code;
}

static fxi_code *load(object *o) {
    bool ok = read_object(o) && each_relocation(o, count_extras) && place_sections(o) && map_image(o) &&
              each_relocation(o, apply) && protect(o, TEXT, PROT_READ | PROT_EXEC) &&
              protect(o, READ_ONLY, PROT_READ);
    return ok ? collect_symbols(o) : NULL;
}

fxi_code *fxi_elf_load(const void *bytes, size_t size, fx_error *err) {
    object o = {.bytes = bytes, .size = size, .err = err};
    if (bytes == NULL) {
        fxi_fail(err, FX_ERROR_ARGUMENT, "object file: NULL");
        return NULL;
    }
    fxi_code *code = load(&o);
    if (code == NULL && o.base != NULL) munmap(o.base, (size_t)o.start[PARTS]);
    fxi_free(o.sections);
    fxi_free(o.symbols);
    return code;
}
