#pragma once

#include <stddef.h>
#include <stdint.h>

// The user database by its reentrant calls. Why shims: they fill caller-owned scratch memory behind pointers.

// 1 found, 0 no such user or group; -errno if the database could not be queried, -ENAMETOOLONG if a text and its NUL do not fit.
// Texts are written to the caller's memory: as an array in a record, a path would be a tuple of 4,096 elements in Swift, and the
// compiler took half a minute for those that read one.
int cs_user_name(uint32_t uid, char *out, size_t capacity);
int cs_user_home(uint32_t uid, char *out, size_t capacity);
int cs_user_id(const char *name, uint32_t *out);
int cs_group_name(uint32_t gid, char *out, size_t capacity);
int cs_group_id(const char *name, uint32_t *out);

// What an error number (positive) means, in English.
int cs_error_text(int error, char *out, size_t capacity);
