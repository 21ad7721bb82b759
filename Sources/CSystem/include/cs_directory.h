#pragma once

// Why shims: only errno distinguishes readdir's end from its failure, and struct dirent's name is an array of 256 chars that Swift
// sees as a tuple in an opaque-sized record.

int cs_directory_open(const char *path, void **directory);
// 1 with the name of an entry ("." and ".." too), which is valid until the next call; 0 at the end.
int cs_directory_next(void *directory, const char **name);
int cs_directory_close(void *directory);
