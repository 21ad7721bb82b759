#pragma once

#include <stddef.h>
#include <stdint.h>

// The user database by its reentrant calls. Why shims: they fill caller-owned scratch memory behind pointers.

struct cs_user {
    uint32_t uid;
    uint32_t gid;
    char name[256];
    char home[4096];
};

struct cs_group {
    uint32_t gid;
    char name[256];
};

// 1 found, 0 no such user or group; -errno where the database could not be asked.
int cs_user_by_name(const char *name, struct cs_user *out);
int cs_user_by_id(uint32_t uid, struct cs_user *out);
int cs_group_by_name(const char *name, struct cs_group *out);
int cs_group_by_id(uint32_t gid, struct cs_group *out);

// What an error number (positive) means, in English.
int cs_error_text(int error, char *out, size_t capacity);
