#pragma once

#include <stddef.h>
#include <stdint.h>

// libsqlite3, so far as a store of one file needs it. Why shims: the destructor that sqlite3_bind_text takes is a macro of a
// cast, sqlite3_db_config is variadic, and a result must come back with its sign: 0 or more, or -(extended result code) of
// SQLite (https://www.sqlite.org/rescode.html). A connection and its statements are of one thread at a time.

enum {
    CS_SQLITE_CREATE = 1,  // an empty database where there is none
};

// The primary codes; an extended one has its primary one in the low eight bits.
enum {
    CS_SQLITE_ERROR = 1,
    CS_SQLITE_PERM = 3,
    CS_SQLITE_ABORT = 4,
    CS_SQLITE_BUSY = 5,
    CS_SQLITE_LOCKED = 6,
    CS_SQLITE_NOMEM = 7,
    CS_SQLITE_READONLY = 8,
    CS_SQLITE_IOERR = 10,
    CS_SQLITE_CORRUPT = 11,
    CS_SQLITE_FULL = 13,
    CS_SQLITE_CANTOPEN = 14,
    CS_SQLITE_CONSTRAINT = 19,
    CS_SQLITE_MISMATCH = 20,
    CS_SQLITE_AUTH = 23,
    CS_SQLITE_NOTADB = 26,
};

// What a column holds.
enum {
    CS_SQLITE_INTEGER = 1,
    CS_SQLITE_FLOAT = 2,
    CS_SQLITE_TEXT = 3,
    CS_SQLITE_BLOB = 4,
    CS_SQLITE_NULL = 5,
};

// sqlite3_open_v2, to read and write, without a mutex. Close the database whenever `out` is set.
int cs_sqlite_open(const char *path, int flags, void **out);
// sqlite3_close_v2: statements that are left keep it open until they end.
int cs_sqlite_close(void *database);
// How long a call waits for another connection, milliseconds.
int cs_sqlite_busy_timeout(void *database, int milliseconds);
// sqlite3_db_config: text in double quotes is a name alone, in statements and in the schema, and never a string.
int cs_sqlite_refuse_double_quoted_text(void *database);
// sqlite3_exec: one or several statements, without what they find.
int cs_sqlite_execute(void *database, const char *sql);
// sqlite3_get_autocommit: 1 outside of a transaction.
int cs_sqlite_autocommit(void *database);
// Of the last INSERT, and how many rows the last INSERT, UPDATE or DELETE changed.
int64_t cs_sqlite_last_row(void *database);
int64_t cs_sqlite_changes(void *database);
// Failure of the last call in English, valid until the next call; the text of a code is always valid.
const char *cs_sqlite_message(void *database);
const char *cs_sqlite_code_text(int code);

// sqlite3_prepare_v3 of one statement that is to be used again and again. No statement, and 0, for an empty text.
int cs_sqlite_prepare(void *database, const char *sql, void **out);
int cs_sqlite_finalize(void *statement);
// Parameters from 1 upwards. The text is copied.
int cs_sqlite_bind_null(void *statement, int index);
int cs_sqlite_bind_integer(void *statement, int index, int64_t value);
int cs_sqlite_bind_text(void *statement, int index, const char *text, size_t length);
// 1 with a row, 0 at the end.
int cs_sqlite_step(void *statement);
// sqlite3_reset and sqlite3_clear_bindings. What the last step failed with is not told again.
void cs_sqlite_reset(void *statement);
// Columns from 0 upwards. What has bytes stays valid until the next step or reset.
int cs_sqlite_columns(void *statement);
int cs_sqlite_column_kind(void *statement, int column);
int64_t cs_sqlite_column_integer(void *statement, int column);
double cs_sqlite_column_float(void *statement, int column);
const void *cs_sqlite_column_bytes(void *statement, int column, size_t *count);
