import GRDB
import Gate

/// The tables of a grant store, and how an older or a foreign file is told from one.
enum StoreSchema {
    /// "CGst" in the header of the file (`PRAGMA application_id`).
    static let applicationID = 0x4347_7374
    /// `PRAGMA user_version`; a migration for each step up to it.
    static let version = 3

    /// Brings an empty or older file up to date, in one transaction.
    static func migrate(_ db: Database, at path: String) throws {
        try db.inTransaction(.immediate) {
            let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try checkIdentity(db, version: found, at: path)
            if found < 1 { try makeFirst(db) }
            if found < 2 { try addRetention(db) }
            if found < 3 { try addStamp(db) }
            return .commit
        }
    }

    private static func checkIdentity(_ db: Database, version found: Int, at path: String) throws {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard id == applicationID || (id == 0 && found == 0 && tables == 0) else {
            throw StoreFailure.damaged(path, "it is a database of another program")
        }
        guard found <= version else {
            throw StoreFailure.error(
                "The grant store \(path) was written by a newer CaptureGate (format \(found), this one knows "
                    + "\(version)).",
                "Update this program, or begin with an empty store: every decision will be asked for again.",
                command: ["mv", path, "\(path).newer"])
        }
    }

    private static func makeFirst(_ db: Database) throws {
        try db.execute(sql: decisions)
        try db.execute(sql: others)
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        try db.execute(sql: "PRAGMA user_version = 1")
    }

    /// How long the log may become.
    private static func addRetention(_ db: Database) throws {
        try db.execute(
            sql: "ALTER TABLE state ADD COLUMN kept_lines INTEGER NOT NULL DEFAULT \(AuditLog.standardLines)")
        try db.execute(sql: "PRAGMA user_version = 2")
    }

    /// By which an executable that did not change is known without reading it.
    private static func addStamp(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE decision ADD COLUMN stamp TEXT; PRAGMA user_version = 3")
    }

    /// Numbers of 64 unsigned bits (inode, start ticks) are kept as their bit patterns. AUTOINCREMENT: a permit rests
    /// on the number of a decision, so no number may ever come back.
    private static let decisions = """
        CREATE TABLE decision (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')),
            uid INTEGER NOT NULL,
            gids TEXT NOT NULL,
            executable TEXT NOT NULL,
            inode INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            application_kind TEXT,
            application TEXT,
            session_leader INTEGER NOT NULL,
            session_start INTEGER NOT NULL,
            session_boot TEXT NOT NULL,
            capability TEXT NOT NULL,
            level TEXT NOT NULL,
            rank INTEGER NOT NULL,
            device TEXT,
            lifetime TEXT NOT NULL CHECK (lifetime IN ('once', 'session', 'until', 'always')),
            lifetime_leader INTEGER,
            lifetime_start INTEGER,
            lifetime_wall INTEGER,
            lifetime_boot INTEGER,
            lifetime_boot_id TEXT,
            decider TEXT NOT NULL CHECK (decider IN ('person', 'command', 'policy')),
            decider_name TEXT,
            decider_line INTEGER,
            decided_wall INTEGER NOT NULL,
            decided_boot INTEGER NOT NULL,
            decided_boot_id TEXT NOT NULL,
            consumed_boot_id TEXT
        ) STRICT;
        CREATE UNIQUE INDEX decision_subject
            ON decision (
                uid, executable, capability, device IS NULL, ifnull(device, ''),
                verdict = 'allow' AND lifetime = 'once')
            WHERE consumed_boot_id IS NULL;
        """

    private static let others = """
        CREATE TABLE kill_switch (capability TEXT PRIMARY KEY) STRICT;
        CREATE TABLE audit (
            number INTEGER PRIMARY KEY,
            event TEXT NOT NULL,
            previous TEXT NOT NULL,
            hash TEXT NOT NULL
        ) STRICT;
        CREATE TABLE state (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            latest_wall INTEGER NOT NULL,
            anchor_number INTEGER NOT NULL,
            anchor_hash TEXT NOT NULL
        ) STRICT;
        INSERT INTO state VALUES (1, 0, 0, '\(AuditLink.origin.hash)');
        """
}
