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

static int user(int result, const struct passwd *from, struct cs_user *out) {
    if (result != 1) return result;
    out->uid = from->pw_uid;
    out->gid = from->pw_gid;
    snprintf(out->name, sizeof out->name, "%s", from->pw_name);
    snprintf(out->home, sizeof out->home, "%s", from->pw_dir);
    return 1;
}

static int group(int result, const struct group *from, struct cs_group *out) {
    if (result != 1) return result;
    out->gid = from->gr_gid;
    snprintf(out->name, sizeof out->name, "%s", from->gr_name);
    return 1;
}

int cs_user_by_name(const char *name, struct cs_user *out) {
    char scratch[SCRATCH];
    struct passwd entry, *found = NULL;
    int error = getpwnam_r(name, &entry, scratch, sizeof scratch, &found);
    return user(outcome(error, found), found, out);
}

int cs_user_by_id(uint32_t uid, struct cs_user *out) {
    char scratch[SCRATCH];
    struct passwd entry, *found = NULL;
    int error = getpwuid_r(uid, &entry, scratch, sizeof scratch, &found);
    return user(outcome(error, found), found, out);
}

int cs_group_by_name(const char *name, struct cs_group *out) {
    char scratch[SCRATCH];
    struct group entry, *found = NULL;
    int error = getgrnam_r(name, &entry, scratch, sizeof scratch, &found);
    return group(outcome(error, found), found, out);
}

int cs_group_by_id(uint32_t gid, struct cs_group *out) {
    char scratch[SCRATCH];
    struct group entry, *found = NULL;
    int error = getgrgid_r(gid, &entry, scratch, sizeof scratch, &found);
    return group(outcome(error, found), found, out);
}

int cs_error_text(int error, char *out, size_t capacity) {
    // The GNU strerror_r: it may return a constant instead of filling the buffer.
    char scratch[256];
    return snprintf(out, capacity, "%s", strerror_r(error, scratch, sizeof scratch));
}
