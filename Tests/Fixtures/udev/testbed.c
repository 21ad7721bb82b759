// testbed FIXTURE... -- COMMAND...: runs the command in a machine whose devices are those of the fixtures, as
// far as udev and sysfs tell. Must itself run under umockdev-wrapper. Its standard input plugs and unplugs, a
// line each, and standard error repeats each line when it is done:
//
//   add FIXTURE         every device of the file appears, parents first, each with its udev event
//   remove DEVPATH      the device and all below it vanish, deepest first, each with its udev event
//
// Standard output is the command's. End of input waits for the command to end; the exit code is its. A device
// that comes back must have another node name (umockdev 0.17 never forgets a node).
#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <umockdev.h>
#include <unistd.h>

static UMockdevTestbed *bed;

static void refuse(const char *sentence, const char *detail) {
    fprintf(stderr, "testbed: %s: %s\n", detail, sentence);
    exit(1);
}

static void add(const char *fixture) {
    GError *error = NULL;
    if (!umockdev_testbed_add_from_file(bed, fixture, &error)) refuse(error->message, fixture);
}

// A device is a directory with a uevent file; ftw goes through them deepest first.
static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status;
    (void)where;
    g_autofree char *uevent = g_build_filename(path, "uevent", NULL);
    if (type != FTW_DP || !g_file_test(uevent, G_FILE_TEST_EXISTS)) return 0;
    const char *syspath = strstr(path, "/sys/devices/");
    umockdev_testbed_uevent(bed, syspath, "remove");
    umockdev_testbed_remove_device(bed, syspath);
    return 0;
}

static void remove_tree(const char *devpath) {
    g_autofree char *root = umockdev_testbed_get_root_dir(bed);
    g_autofree char *path = g_strconcat(root, "/sys", devpath, NULL);
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) < 0) refuse("no such device", devpath);
}

static pid_t start(char **command) {
    pid_t child = fork();
    if (child < 0) refuse("cannot fork", command[0]);
    if (child > 0) return child;
    if (!freopen("/dev/null", "r", stdin)) _exit(127);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static void obey(char *line) {
    line[strcspn(line, "\n")] = 0;
    char *space = strchr(line, ' ');
    if (!space) refuse("is not an order", line);
    if (!strncmp(line, "add ", 4)) add(space + 1);
    else if (!strncmp(line, "remove ", 7)) remove_tree(space + 1);
    else refuse("is not an order", line);
    fprintf(stderr, "%s\n", line);
}

int main(int count, char **arguments) {
    bed = umockdev_testbed_new();
    if (!umockdev_in_mock_environment()) refuse("run me under umockdev-wrapper", arguments[0]);
    int at = 1;
    for (; at < count && strcmp(arguments[at], "--"); at++) add(arguments[at]);
    if (at + 1 >= count) refuse("FIXTURE... -- COMMAND...", "usage");
    pid_t child = start(arguments + at + 1);
    char line[4096];
    while (fgets(line, sizeof line, stdin)) obey(line);
    int status;
    waitpid(child, &status, 0);
    g_object_unref(bed);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
