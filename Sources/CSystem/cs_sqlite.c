#if !__has_include(<sqlite3.h>)
#include "../Packages/missing.h"
#endif
#include "cs_sqlite.h"

#include <pthread.h>

#include <sqlite3.h>

_Static_assert(CS_SQLITE_ERROR == SQLITE_ERROR && CS_SQLITE_PERM == SQLITE_PERM, "");
_Static_assert(CS_SQLITE_ABORT == SQLITE_ABORT && CS_SQLITE_BUSY == SQLITE_BUSY, "");
_Static_assert(CS_SQLITE_LOCKED == SQLITE_LOCKED && CS_SQLITE_NOMEM == SQLITE_NOMEM, "");
_Static_assert(CS_SQLITE_READONLY == SQLITE_READONLY && CS_SQLITE_IOERR == SQLITE_IOERR, "");
_Static_assert(CS_SQLITE_CORRUPT == SQLITE_CORRUPT && CS_SQLITE_FULL == SQLITE_FULL, "");
_Static_assert(CS_SQLITE_CANTOPEN == SQLITE_CANTOPEN && CS_SQLITE_CONSTRAINT == SQLITE_CONSTRAINT, "");
_Static_assert(CS_SQLITE_MISMATCH == SQLITE_MISMATCH, "");
_Static_assert(CS_SQLITE_AUTH == SQLITE_AUTH && CS_SQLITE_NOTADB == SQLITE_NOTADB, "");
_Static_assert(CS_SQLITE_INTEGER == SQLITE_INTEGER && CS_SQLITE_FLOAT == SQLITE_FLOAT, "");
_Static_assert(CS_SQLITE_TEXT == SQLITE_TEXT && CS_SQLITE_BLOB == SQLITE_BLOB, "");
_Static_assert(CS_SQLITE_NULL == SQLITE_NULL, "");

// SQLite would give each connection 124 kB for small values, and write into all of it: more than a store of grants needs.
enum { LOOKASIDE_BYTES = 512, LOOKASIDE_SLOTS = 32 };

static void configure(void) { (void)sqlite3_config(SQLITE_CONFIG_LOOKASIDE, LOOKASIDE_BYTES, LOOKASIDE_SLOTS); }

int cs_sqlite_open(const char *path, int flags, void **out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
    int mode = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (flags & CS_SQLITE_CREATE) mode |= SQLITE_OPEN_CREATE;
    sqlite3 *database = NULL;
    int result = sqlite3_open_v2(path, &database, mode, NULL);
    *out = database;
    return -result;
}

int cs_sqlite_close(void *database) { return -sqlite3_close_v2(database); }

int cs_sqlite_busy_timeout(void *database, int milliseconds) {
    return -sqlite3_busy_timeout(database, milliseconds);
}

int cs_sqlite_refuse_double_quoted_text(void *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return result == SQLITE_OK ? -sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0) : -result;
}

int cs_sqlite_execute(void *database, const char *sql) { return -sqlite3_exec(database, sql, NULL, NULL, NULL); }

int cs_sqlite_autocommit(void *database) { return sqlite3_get_autocommit(database) != 0; }

int64_t cs_sqlite_last_row(void *database) { return sqlite3_last_insert_rowid(database); }

int64_t cs_sqlite_changes(void *database) { return sqlite3_changes(database); }

const char *cs_sqlite_message(void *database) { return sqlite3_errmsg(database); }

const char *cs_sqlite_code_text(int code) { return sqlite3_errstr(code < 0 ? -code : code); }

int cs_sqlite_prepare(void *database, const char *sql, void **out) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    *out = statement;
    return -result;
}

int cs_sqlite_finalize(void *statement) { return -sqlite3_finalize(statement); }

int cs_sqlite_bind_null(void *statement, int index) { return -sqlite3_bind_null(statement, index); }

int cs_sqlite_bind_integer(void *statement, int index, int64_t value) {
    return -sqlite3_bind_int64(statement, index, value);
}

int cs_sqlite_bind_text(void *statement, int index, const char *text, size_t length) {
    return -sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int cs_sqlite_step(void *statement) {
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW) return 1;
    return result == SQLITE_DONE ? 0 : -result;
}

void cs_sqlite_reset(void *statement) {
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
}

int cs_sqlite_columns(void *statement) { return sqlite3_column_count(statement); }

int cs_sqlite_column_kind(void *statement, int column) { return sqlite3_column_type(statement, column); }

int64_t cs_sqlite_column_integer(void *statement, int column) { return sqlite3_column_int64(statement, column); }

double cs_sqlite_column_float(void *statement, int column) { return sqlite3_column_double(statement, column); }

const void *cs_sqlite_column_bytes(void *statement, int column, size_t *count) {
    // In this order: the first call may convert, and the second counts what it made.
    const void *bytes = sqlite3_column_blob(statement, column);
    *count = (size_t)sqlite3_column_bytes(statement, column);
    return bytes;
}
