import ArgumentParser
import CaptureGate

/// `capturegate reset`
struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Forget everything this user decided; each capture asks again.",
        discussion: """
            Captures that are running end. The audit log, the kill switches and the administrator's policy stay. It asks \
            at the terminal before it does so, unless --yes is said.

              capturegate reset
              capturegate reset --yes --json
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var json: JSONOption

    func run() throws {
        let removal = Removal(store: try UserStore.open(), reason: "reset by command")
        let own = try ProcessSubject.current()
        let decisions = try removal.candidates().filter { $0.subject.userID == own.userID }
        if !yes, !decisions.isEmpty { try confirm(decisions.count) }
        try Removal.tell(try removal.remove(decisions, about: own), json: json.isOn)
    }

    private func confirm(_ count: Int) throws(CaptureError) {
        guard let terminal = TerminalQuestion() else {
            throw CaptureError(
                .usage, "There is no terminal to ask at.",
                remedies: [Remedy("Say yes on the command line.", command: "capturegate reset --yes")])
        }
        guard terminal.isConfirmed("Remove \(NumberText.counted(count, "decision"))? [y/N] ") else {
            throw CaptureError(.dismissed, "Nothing was removed.")
        }
    }
}
