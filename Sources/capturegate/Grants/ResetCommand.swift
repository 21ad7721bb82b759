import ArgumentParser
import CaptureGate
import GateStore
import LinuxSystem

/// `capturegate reset`: removes all of this user's decisions.
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Remove all of your permissions and denials.",
        discussion: """
            \(Guarantees.ofRevocations) The audit log, the switches and the administrator's rules stay.

              capturegate reset
              capturegate reset --yes --json
              capturegate reset --clock

            The database remembers the latest time, so setting the clock back renews no expired permission. If the clock was \
            ahead once, permissions for a time expire at once. The option --clock forgets that time, together with the \
            permissions that depend on it.
            """
    ).parsedAlone

    /// For scripts; without a terminal the command refuses rather than assuming an answer.
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// Separate, since a clock that was ahead is repaired without losing decisions that do not depend on it.
    @Flag(name: .customLong("clock"), help: "Forget only that the clock was ahead.")
    var isClockAlone = false

    @OptionGroup var json: JSONOption

    /// Removes decisions after a confirmation, and forgets a later clock.
    func run() throws {
        let store = try UserStore.deciding()
        let now = SystemGateClock().now
        let later = try store.snapshot().laterClock(than: now)
        if isClockAlone { return try forgetClock(of: store, later, now) }
        let removal = GrantRemoval(store: store, reason: "reset by command")
        let own = try ProcessSubject.current()
        // A store may hold decisions of other users, which are theirs to remove.
        let decisions = try removal.candidates().filter { $0.subject.userID == own.userID }
        // Nothing to remove needs no answer.
        if !yes, !decisions.isEmpty { try confirm(decisions.count) }
        var removed = try removal.remove(decisions, about: own)
        // Permissions that others decided in this store may depend on that clock, too.
        if later != nil {
            let forgotten = try ownStore(store).forgetLaterClock(audit: Self.event(later, own, now))
            removed = StoreCommit(
                decisions: (removed?.decisions ?? []) + forgotten.decisions,
                committed: forgotten.committed)
        }
        try GrantRemoval.tell(removed, json: json.isOn)
    }

    /// Forgets a clock that was ahead, with the permissions for a time that depend on it.
    private func forgetClock(of store: any GrantStore, _ later: Duration?, _ now: GateInstant) throws {
        guard let later else {
            if json.isOn { return try GrantRemoval.tell(nil, json: true) }
            return try StandardStream.output.line("The clock was never ahead. Nothing to reset.")
        }
        let commit = try ownStore(store).forgetLaterClock(audit: Self.event(later, try ProcessSubject.current(), now))
        if !json.isOn {
            let clock = CivilTime.localText(nanoseconds: later.exactNanoseconds)
            try StandardStream.output.line("Reset the latest clock time, \(clock).")
        }
        if json.isOn || !commit.decisions.isEmpty { try GrantRemoval.tell(commit, json: json.isOn) }
    }

    /// This user's own store. Throws for the broker's, whose clock only the administrator may reset.
    private func ownStore(_ store: any GrantStore) throws(CaptureError) -> SQLiteGrantStore {
        if let own = store as? SQLiteGrantStore { return own }
        throw CaptureError(
            .unavailable, "The broker's clock was once ahead. Only root can reset it.",
            remedies: [
                Remedy(
                    "Stop the broker, remove this user's permissions, and start it again.",
                    command: "sudo rm -r /var/lib/capturegate/\(Users.effectiveID)")
            ])
    }

    /// Audit event about a forgotten clock.
    private static func event(_ later: Duration?, _ subject: Subject, _ now: GateInstant) -> AuditEvent {
        let clock = later.map { " of \(CivilTime.localText(nanoseconds: $0.exactNanoseconds))" } ?? ""
        return AuditEvent(
            .upkeep, at: now, subject: subject,
            detail: "latest clock time\(clock) reset by command, with the permissions for a time that depend on it")
    }

    /// Asks for confirmation at the terminal, which can't be piped into the program.
    ///
    /// - Throws: `.usage` without a terminal, `.dismissed` for any answer but yes.
    private func confirm(_ count: Int) throws(CaptureError) {
        guard let terminal = TerminalQuestion() else {
            throw CaptureError(
                .usage, "This needs a confirmation, but there is no terminal to ask at.",
                remedies: [Remedy("Confirm with --yes.", command: "capturegate reset --yes")])
        }
        guard terminal.isConfirmed("Remove \(NumberText.counted(count, "decision"))? [y/N] ") else {
            throw CaptureError(.dismissed, "Nothing was removed.")
        }
    }
}

/// Yes-or-no question at the controlling terminal, never on standard input, which any program may feed.
struct TerminalQuestion: ~Copyable {
    private let terminal: Terminal

    /// Time to answer, as for every question. A later answer does not count.
    private static let patience = Duration.seconds(60)
    /// Opens the terminal; `nil` if none exists.
    init?() {
        guard let terminal = try? Terminal(until: Deadline(after: Self.patience)), terminal.isForeground else {
            return nil
        }
        self.terminal = terminal
    }

    /// Asks and waits for an answer.
    ///
    /// - Returns: true for `y` or `yes` in either case; false for
    ///   anything else, including an empty line and end of file.
    borrowing func isConfirmed(_ question: String) -> Bool {
        // Input that was typed before the question appeared is not an answer to it.
        terminal.dropInput()
        guard (try? terminal.write(question)) != nil, let line = (try? terminal.read(upTo: 256)) ?? nil else {
            return false
        }
        let answer = String(decoding: line, as: UTF8.self)
        return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }
}
