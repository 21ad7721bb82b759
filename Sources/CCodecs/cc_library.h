// Libraries that are loaded when they are first used.
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#define CC_TEXT_OF(value) #value
#define CC_TEXT(value) CC_TEXT_OF(value)

// Members of a struct of functions, named and typed as the library's own.
#define CC_MEMBER(name) __typeof__(name) *name;
// Finds one of them for `calls` in `library`, or returns from the function it is in.
#define CC_FIND(name) \
    if ((calls.name = (__typeof__(calls.name))dlsym(library, #name)) == NULL) return;
