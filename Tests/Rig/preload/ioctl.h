// A preloaded library's ioctl(2), which takes precedence over the C library's: its includer implements it in `answer`.
#pragma once

#include <dlfcn.h>
#include <stdarg.h>

static int answer(int descriptor, unsigned long request, void *argument);

static int ask_kernel(int descriptor, unsigned long request, void *argument) {
    // Looked up each time: another library's constructor may call before this one's ran.
    typedef int call(int, unsigned long, ...);
    return ((call *)dlsym(RTLD_NEXT, "ioctl"))(descriptor, request, argument);
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return answer(descriptor, request, argument);
}
