import Gate
import LinuxSystem

@testable import GateStore

/// A store in the first version of the format: its statements are kept here unchanged.
struct FirstFormat {
    private let folder: TemporaryFolder

    init(in folder: TemporaryFolder) {
        self.folder = folder
    }

    /// The one decision that is in it.
    static let decision = Decision(
        id: 7, verdict: .allow,
        subject: Subject(
            userID: 1000, groupIDs: [1000, 44],
            executable: Executable(path: "/usr/bin/memo", inode: 12, sha256: String(repeating: "ab", count: 32)),
            application: ApplicationID(kind: .unit, name: "memo.service"),
            session: LoginSession(leader: 4711, startTicks: 99, bootID: "boot")),
        capability: .microphone, level: .record, device: .id(DeviceID(rawValue: "test:tone")), lifetime: .always,
        decidedBy: .person(prompter: "terminal"),
        decidedAt: GateInstant(wallNanoseconds: 50, bootNanoseconds: 40, bootID: "boot"))

    /// Writes it, with this number of lines in the log and the matching head file.
    func write(lines: Int) throws {
        let database = try openDatabase(in: folder.path, creates: true)
        try database.execute(FirstFormat.tables)
        try database.execute(FirstFormat.contents)
        let last = try FirstFormat.fill(database, lines)
        let extent = AuditExtent(anchor: .origin, last: last)
        try AuditHeadFile(path: folder.path + "/audit.head")
            .write(AuditHead(turn: 2, before: extent, after: extent), durable: true)
        try folder.setMode(0o600, of: "grants.sqlite")
    }

    private static func fill(_ db: borrowing SQLiteConnection, _ lines: Int) throws -> AuditLink {
        var last = AuditLink.origin
        for number in 1..<Int64(lines + 1) {
            let event = try AuditChain.text(of: Samples.event(.start, "line \(number)"))
            let hash = try AuditChain.hash(number: number, previous: last.hash, event: event)
            try db.run(
                "INSERT INTO audit VALUES (?, ?, ?, ?)",
                [.integer(number), .text(event), .text(last.hash), .text(hash)])
            last = AuditLink(number: number, hash: hash)
        }
        return last
    }

    private static let tables = """
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
        PRAGMA application_id = \(0x4347_7374);
        PRAGMA user_version = 1;
        """

    private static let contents = """
        INSERT INTO state VALUES (1, 77, 0, '\(String(repeating: "0", count: 64))');
        INSERT INTO kill_switch VALUES ('camera');
        INSERT INTO decision (
            id, verdict, uid, gids, executable, inode, sha256, application_kind, application, session_leader,
            session_start, session_boot, capability, level, rank, device, lifetime, decider, decider_name, decided_wall,
            decided_boot, decided_boot_id)
        VALUES (
            7, 'allow', 1000, '1000 44', '/usr/bin/memo', 12, '\(String(repeating: "ab", count: 32))', 'unit',
            'memo.service', 4711, 99, 'boot', 'microphone', 'record', 2, 'test:tone', 'always', 'person', 'terminal',
            50, 40, 'boot');
        """
}
