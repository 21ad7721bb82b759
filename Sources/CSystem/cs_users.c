#define _GNU_SOURCE
#include "cs_users.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

// A group's record names all its members: this is room for some thousands of them.
enum { SCRATCH = 64 * 1024 };

// getpwnam_r and its kin return the error; several numbers besides 0 mean "no such entry" (getpwnam_r(3)).
static int outcome(int error, const void *found) {
    if (found != NULL) return 1;
    if (error == ENOENT || error == ESRCH || error == EBADF || error == EPERM) return 0;
    return -error;
}

static int copied(const char *text, char *out, size_t capacity) {
    int length = snprintf(out, capacity, "%s", text == NULL ? "" : text);
    return length >= 0 && (size_t)length < capacity ? 1 : -ENAMETOOLONG;
}

static int user(uint32_t uid, struct passwd *entry, char *scratch) {
    struct passwd *found = NULL;
    int error = getpwuid_r(uid, entry, scratch, SCRATCH, &found);
    return outcome(error, found);
}

int cs_user_name(uint32_t uid, char *out, size_t capacity) {
    char scratch[SCRATCH];
    struct passwd entry;
    int result = user(uid, &entry, scratch);
    return result == 1 ? copied(entry.pw_name, out, capacity) : result;
}

int cs_user_home(uint32_t uid, char *out, size_t capacity) {
    char scratch[SCRATCH];
    struct passwd entry;
    int result = user(uid, &entry, scratch);
    return result == 1 ? copied(entry.pw_dir, out, capacity) : result;
}

int cs_user_id(const char *name, uint32_t *out) {
    char scratch[SCRATCH];
    struct passwd entry, *found = NULL;
    int error = getpwnam_r(name, &entry, scratch, sizeof scratch, &found);
    if (found != NULL) *out = found->pw_uid;
    return outcome(error, found);
}

int cs_group_name(uint32_t gid, char *out, size_t capacity) {
    char scratch[SCRATCH];
    struct group entry, *found = NULL;
    int error = getgrgid_r(gid, &entry, scratch, sizeof scratch, &found);
    return found != NULL ? copied(found->gr_name, out, capacity) : outcome(error, found);
}

int cs_group_id(const char *name, uint32_t *out) {
    char scratch[SCRATCH];
    struct group entry, *found = NULL;
    int error = getgrnam_r(name, &entry, scratch, sizeof scratch, &found);
    if (found != NULL) *out = found->gr_gid;
    return outcome(error, found);
}

int cs_error_text(int error, char *out, size_t capacity) {
    // The GNU strerror_r: it may return a constant instead of filling the buffer.
    char scratch[256];
    return snprintf(out, capacity, "%s", strerror_r(error, scratch, sizeof scratch));
}
