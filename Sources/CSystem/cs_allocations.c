#define _GNU_SOURCE
#include "cs_allocations.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Static state, which a shim otherwise has none of: those who call malloc hand over no context.
static __thread int64_t counted;
static atomic_flag is_on = ATOMIC_FLAG_INIT;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_memalign)(size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);

static void *count_malloc(size_t size) { counted++; return next_malloc(size); }
static void *count_calloc(size_t items, size_t size) { counted++; return next_calloc(items, size); }
static void *count_realloc(void *old, size_t size) { counted++; return next_realloc(old, size); }
static void *count_memalign(size_t alignment, size_t size) { counted++; return next_memalign(alignment, size); }
static void *count_aligned_alloc(size_t alignment, size_t size) {
    counted++;
    return next_aligned_alloc(alignment, size);
}
static int count_posix_memalign(void **out, size_t alignment, size_t size) {
    counted++;
    return next_posix_memalign(out, alignment, size);
}

static const struct {
    const char *name;
    void *counter;
    void *next; // where the function that is counted is kept
} functions[] = {
    {"malloc", (void *)count_malloc, &next_malloc},
    {"calloc", (void *)count_calloc, &next_calloc},
    {"realloc", (void *)count_realloc, &next_realloc},
    {"memalign", (void *)count_memalign, &next_memalign},
    {"aligned_alloc", (void *)count_aligned_alloc, &next_aligned_alloc},
    {"posix_memalign", (void *)count_posix_memalign, &next_posix_memalign},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, MOST_ENTRIES = 4096 };

// Replaced entries, to be restored.
static struct {
    void **entry;
    void *before;
    int is_sealed;
} exchanged[MOST_ENTRIES];
static size_t exchanged_count;

// What of a loaded object names the entries of its offset tables.
struct object {
    ElfW(Addr) base;
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *relocations[2];
    size_t counts[2];
    // Pages that the loader has made read-only.
    uintptr_t sealed, sealed_end;
};

static void *counter_of(const char *name) {
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0) return functions[i].counter;
    return NULL;
}

// glibc relocates these addresses in place; the kernel's own object keeps them relative.
static const void *address(const struct object *object, ElfW(Addr) value) {
    return (const void *)(value < object->base ? object->base + value : value);
}

static void read_dynamic(struct object *object, const ElfW(Dyn) *entry) {
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB: object->symbols = address(object, entry->d_un.d_ptr); break;
        case DT_STRTAB: object->names = address(object, entry->d_un.d_ptr); break;
        case DT_RELA: object->relocations[0] = address(object, entry->d_un.d_ptr); break;
        case DT_RELASZ: object->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_JMPREL: object->relocations[1] = address(object, entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: object->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        }
    }
}

static void read_headers(struct object *object, const struct dl_phdr_info *info) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    object->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC) read_dynamic(object, (const ElfW(Dyn) *)start);
        if (header->p_type != PT_GNU_RELRO) continue;
        object->sealed = start & ~(page - 1);
        object->sealed_end = (start + header->p_memsz) & ~(page - 1);
    }
}

static int seal(const struct object *object, int protection) {
    if (object->sealed_end <= object->sealed) return 0;
    return mprotect((void *)object->sealed, object->sealed_end - object->sealed, protection);
}

static int exchange(const struct object *object, const ElfW(Rela) *relocation) {
    size_t index = relocation->r_info >> 32;
    void *counter = index && !relocation->r_addend ? counter_of(object->names + object->symbols[index].st_name) : NULL;
    if (!counter) return 0;
    if (exchanged_count == MOST_ENTRIES) return -ENOSPC;
    void **entry = (void **)(object->base + relocation->r_offset);
    exchanged[exchanged_count].entry = entry;
    exchanged[exchanged_count].is_sealed = object->sealed <= (uintptr_t)entry && (uintptr_t)entry < object->sealed_end;
    exchanged[exchanged_count++].before = *entry;
    __atomic_store_n(entry, counter, __ATOMIC_RELEASE);
    return 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    struct object object = {0};
    read_headers(&object, info);
    if (!object.symbols || !object.names) return 0;
    if (seal(&object, PROT_READ | PROT_WRITE) < 0) return -errno;
    int result = 0;
    for (int table = 0; table < 2; table++)
        for (size_t i = 0; object.relocations[table] && i < object.counts[table] && result == 0; i++)
            result = exchange(&object, &object.relocations[table][i]);
    seal(&object, PROT_READ);
    return result;
}

int cs_allocations_begin(void) {
#if __SIZEOF_POINTER__ != 8
    return -ENOSYS;
#endif
    if (atomic_flag_test_and_set(&is_on)) return -EBUSY;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        void *next = dlsym(RTLD_DEFAULT, functions[i].name);
        if (next) memcpy(functions[i].next, &next, sizeof next);
    }
    counted = 0;
    int result = dl_iterate_phdr(visit, NULL);
    if (result < 0) cs_allocations_end();
    return result;
}

static void put_back(size_t index) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)exchanged[index].entry & ~(uintptr_t)(size - 1));
    if (exchanged[index].is_sealed && mprotect(page, size, PROT_READ | PROT_WRITE) < 0) return;
    __atomic_store_n(exchanged[index].entry, exchanged[index].before, __ATOMIC_RELEASE);
    if (exchanged[index].is_sealed) mprotect(page, size, PROT_READ);
}

void cs_allocations_end(void) {
    for (size_t i = 0; i < exchanged_count; i++) put_back(i);
    exchanged_count = 0;
    atomic_flag_clear(&is_on);
}

int64_t cs_allocations_count(void) {
    return counted;
}
