import Gate
import LinuxSystem

/// The tables of a grant store, and the migrations from older formats.
enum StoreSchema {
    /// "CGst" in the header of the file (`PRAGMA application_id`).
    static let applicationID = 0x4347_7374
    /// The format (`PRAGMA user_version`); there is a migration for each step up to it.
    static let version = 5

    /// Updates an empty or older file, in one transaction. A file that is inspected keeps its format.
    static func migrate(
        _ db: borrowing SQLiteConnection, at path: String, _ chain: AuditChain, for purpose: StoreConnection.Purpose
    ) throws {
        let found = try self.found(db)
        try checkIdentity(db, version: found, at: path)
        guard found < version, found == 0 || purpose == .deciding else { return }
        try db.inTransaction(.immediate) {
            // Another process may have done it meanwhile.
            let found = try self.found(db)
            if found < 1 { try makeFirst(db) }
            if found < 2 { try addRetention(db) }
            if found < 3 { try addStamp(db) }
            if found < 4 { try seal(db, at: path, chain, isNew: found == 0) }
            if found < 5 { try addSessions(db) }
            return .commit
        }
        chain.settle(db)
    }

    /// The format of a file; 0 for an empty one.
    static func found(_ db: borrowing SQLiteConnection) throws -> Int { try number(db, "PRAGMA user_version") }

    /// A number in the first row of a query.
    private static func number(_ db: borrowing SQLiteConnection, _ sql: String) throws -> Int {
        try db.value(sql)?.integer.map(Int.init(clamping:)) ?? 0
    }

    /// Refuses a database of another program or of a newer format, before anything is written to it.
    private static func checkIdentity(_ db: borrowing SQLiteConnection, version found: Int, at path: String) throws {
        let id = try number(db, "PRAGMA application_id")
        let tables = try number(db, "SELECT count(*) FROM sqlite_schema")
        guard id == applicationID || (id == 0 && found == 0 && tables == 0) else {
            throw StoreFailure.damaged(path, "it is another program's database")
        }
        guard found <= version else {
            throw StoreFailure.error(
                "The permission database \(path) was written by a newer CaptureGate (format \(found), this one supports "
                    + "\(version)).",
                "Update this program, or start with an empty database. Programs must then ask again.",
                command: StoreFailure.away(StoreFailure.folder(of: path), as: "newer"))
        }
    }

    /// Format 1.
    private static func makeFirst(_ db: borrowing SQLiteConnection) throws {
        try db.execute(decisions)
        try db.execute(others)
        try db.execute("PRAGMA application_id = \(applicationID)")
        try db.execute("PRAGMA user_version = 1")
    }

    /// Format 2: the number of lines that the log keeps.
    private static func addRetention(_ db: borrowing SQLiteConnection) throws {
        try db.execute(
            "ALTER TABLE state ADD COLUMN kept_lines INTEGER NOT NULL DEFAULT \(AuditLog.standardLines)")
        try db.execute("PRAGMA user_version = 2")
    }

    /// Format 3: size and times of an executable, to recognize an unchanged one without reading it.
    private static func addStamp(_ db: borrowing SQLiteConnection) throws {
        try db.execute("ALTER TABLE decision ADD COLUMN stamp TEXT; PRAGMA user_version = 3")
    }

    /// Format 4: each line of the log has the digest of the state it leaves.
    ///
    /// The first such line accepts the state that it finds. Before that, everything that can be checked is checked: the rows
    /// against their indexes, the names of the kill switches, and the end of the log against its head. Two changes stay
    /// unnoticed: that of both a row and its index, and that of a column without an index (lifetime, level, digest of a
    /// program).
    private static func seal(_ db: borrowing SQLiteConnection, at path: String, _ chain: AuditChain, isNew: Bool) throws
    {
        if !isNew {
            try StoreConnection.readBack(db, at: path)
            let (state, tail) = (try DecisionState(db), try AuditTail(db))
            let isUnused = tail.extent.last == .origin && state.isInitial
            if let loss = AuditChain.loss(of: tail.extent, against: try chain.head.read(), isInitial: isUnused) {
                throw StoreFailure.lost(path, loss)
            }
            guard tail.isIntact || tail.extent.last == tail.extent.anchor else {
                throw StoreFailure.lost(path, "the last line of its log was changed")
            }
            try chain.append(sealing(state), db)
        }
        try db.execute(writers)
        try db.execute("PRAGMA user_version = 4")
    }

    /// The log's line about the migration to format 4.
    private static func sealing(_ state: DecisionState) -> AuditEvent {
        let count = state.decisions.count + state.consumed.count
        return AuditEvent(
            .upkeep, at: StoreClock.now, subject: nil,
            detail:
                "database upgraded to format 4, with \(count) decisions and \(state.killSwitches.count) kill switches")
    }

    /// A program of an older version may still run. It must not write: its lines have no digest, so the store would look as if it
    /// had lost something.
    private static let writers = """
        CREATE TRIGGER audit_writer BEFORE INSERT ON audit WHEN instr(NEW.event, '"state":"') = 0
        BEGIN SELECT RAISE(ABORT, 'the program that writes is older than the store'); END
        """

    /// Format 5: a program may have a decision for each of several login sessions.
    private static func addSessions(_ db: borrowing SQLiteConnection) throws {
        try db.execute(
            """
            DROP INDEX decision_subject;
            CREATE UNIQUE INDEX decision_subject
                ON decision (
                    uid, executable, capability, device IS NULL, ifnull(device, ''),
                    verdict = 'allow' AND lifetime = 'once', \(session))
                WHERE consumed_boot_id IS NULL;
            PRAGMA user_version = 5
            """)
    }

    /// The login session that a decision ends with; empty for another end.
    static let session =
        "ifnull(CASE lifetime WHEN 'session' THEN lifetime_leader || ' ' || lifetime_start || ' ' || lifetime_boot_id END, '')"

    /// Numbers of 64 unsigned bits (inode, start ticks) are kept as their bit patterns. AUTOINCREMENT: a permit refers to the
    /// number of a decision, so a number must never be reused.
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

/// The machine's clocks, for the lines that the store writes on its own.
enum StoreClock {
    static var now: GateInstant {
        GateInstant(
            wallNanoseconds: SystemClock.realtime.now,
            bootNanoseconds: SystemClock.boot.now,
            bootID: ProcessFile.bootID ?? "")
    }
}
