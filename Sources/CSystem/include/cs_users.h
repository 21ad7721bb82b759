#pragma once

#include <stddef.h>
#include <stdint.h>

// The user database by its reentrant calls. Why shims: they fill caller-owned scratch memory behind pointers.

// 1 found, 0 no such user or group; -errno where the database could not be asked, -ENAMETOOLONG where a text and its NUL do
// not fit. Texts go to the caller's memory: as an array of a record, a path would be a tuple of 4,096 elements to Swift, and
// the compiler took half a minute over those that look at one.
int cs_user_name(uint32_t uid, char *out, size_t capacity);
int cs_user_home(uint32_t uid, char *out, size_t capacity);
int cs_user_id(const char *name, uint32_t *out);
int cs_group_name(uint32_t gid, char *out, size_t capacity);
int cs_group_id(const char *name, uint32_t *out);

// What an error number (positive) means, in English.
int cs_error_text(int error, char *out, size_t capacity);
