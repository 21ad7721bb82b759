import Dispatch
import Gate
import LinuxSystem

/// Asks through a program of the session that shows its own questions: it implements `org.capturegate.Agent1` on the session bus.
///
/// The article on that interface describes the questions and the possible answers. The owner of the bus name must run the expected
/// program, which the kernel identifies. This keeps out other programs by mistake. It does not keep out a malicious program of the
/// same user, which could as well press the buttons of a dialog.
///
/// *thread-safe*
package struct BusPrompter: Prompter, PersonPrompter {
    /// Program that asks, by its path.
    package let program: String
    /// Time that a person has to answer.
    package let deadline: Duration
    private let environment: [String: String]
    private let queue = DispatchQueue(label: "capturegate.prompter.bus")

    package var name: String { "bus" }
    package var asksPerson: Bool { true }

    /// - Parameter program: path of the executable; links are followed. A program that is run by an interpreter is that one's.
    package init(program: String, deadline: Duration = .seconds(60)) {
        self.init(program: program, deadline: deadline, environment: ProcessEnvironment.current)
    }

    init(program: String, deadline: Duration, environment: [String: String]) {
        self.program = program
        self.deadline = deadline
        self.environment = environment
    }

    package func obstacle() async -> CaptureError? {
        let outcome: PromptOutcome<Bool> = await onBus(for: min(deadline, .seconds(5))) { bus, end, cancel in
            switch find(on: bus, until: end, cancel: cancel) {
            case .success: .chosen(true)
            case .failure(let error): .failed(error)
            }
        }
        if case .failed(let error) = outcome { return error }
        return nil
    }

    package func ask(_ question: Question) async -> Answer {
        var details = [("program", question.subject.executable.path)]
        if let application = question.subject.application { details.append(("application", application.name)) }
        details.append(
            ("capabilities", Set(question.items.map(\.request.capability.rawValue)).sorted().joined(separator: " ")))
        return Answer(await outcome(of: QuestionText(question: question).prompt, details))
    }

    package func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        ConfirmationAnswer(await outcome(of: ConfirmationText(confirmation: confirmation).prompt, []))
    }

    private func outcome<Value>(of text: PromptText<Value>, _ details: [(String, String)]) async -> PromptOutcome<Value>
    {
        await onBus(for: deadline) { bus, end, cancel in
            let agent: BusConnection.Method
            switch find(on: bus, until: end, cancel: cancel) {
            case .success(let found): agent = found
            case .failure(let error): return .failed(error)
            }
            let (outcome, word) = bus.ask(
                agent, title: text.title, lines: text.lines, choices: text.choices.map { ($0.word, $0.labelWithTerm) },
                details: details.map { ($0.visible, $1.visible) }, until: end, cancel: cancel)
            return meaning(of: outcome, word, text)
        }
    }

    /// Only the word of a choice is an answer, and only an empty one turns away.
    private func meaning<Value>(
        of outcome: BusConnection.Outcome, _ word: String, _ text: PromptText<Value>
    ) -> PromptOutcome<Value> {
        switch outcome {
        case .answered where word.isEmpty: .dismissed
        case .answered:
            text.choices.first { $0.word == word }.map { .chosen($0.value) }
                ?? .failed(failure("gave an unknown answer: \"\(VisibleText.of(word, limit: 40))\""))
        case .timedOut: .timedOut
        case .cancelled: .dismissed
        case .refused(let name, _): .failed(failure("answered with the error \(name.visible)"))
        case .broken(let errno): .failed(Self.noBus(errno))
        }
    }

    /// The agent by the number of its connection, which no other one ever has.
    private func find(
        on bus: borrowing BusConnection, until end: Deadline, cancel: Int32
    ) -> Result<BusConnection.Method, CaptureError> {
        // The bus starts the agent if nobody has.
        let ping = bus.call(Self.named(Self.agent, "org.freedesktop.DBus.Peer", "Ping"), until: end, cancel: cancel)
        guard ping.outcome == .answered else {
            return .failure(failure("is not on the session bus as \(Self.agent)"))
        }
        func told(_ member: String, of name: String) -> BusValue? {
            bus.call(.ofBus(member), [.text(name)], until: end, cancel: cancel).answer?.values.first
        }
        guard let owner = told("GetNameOwner", of: Self.agent)?.text,
            let process = told("GetConnectionUnixProcessID", of: owner)?.number
        else { return .failure(failure("has left the session bus")) }
        let running = ProcessFile.link("/proc/\(process)/exe")
        guard let running, running == (try? FileSystem.realPath(of: program)) else {
            return .failure(
                failure("does not own \(Self.agent) on the session bus. Its owner is \((running ?? "unknown").visible)")
            )
        }
        return .success(Self.named(owner, Self.agent, "Ask"))
    }

    /// Connects, and runs blocking calls where they may block.
    private func onBus<Value>(
        for time: Duration,
        _ body: @escaping @Sendable (borrowing BusConnection, Deadline, _ cancel: Int32) -> PromptOutcome<Value>
    ) async -> PromptOutcome<Value> {
        guard let address = BusAddress.session(in: environment) else { return .failed(Self.noBus(nil)) }
        let end = Deadline(after: time)
        return await PromptQueue.run(on: queue) { cancel in
            do throws(Errno) {
                return body(try BusConnection(to: address), end, cancel)
            } catch {
                return .failed(Self.noBus(error))
            }
        }
    }

    private static let agent = "org.capturegate.Agent1"

    private static func named(_ destination: String, _ interface: String, _ member: String) -> BusConnection.Method {
        BusConnection.Method(
            destination: destination, path: "/org/capturegate/Agent1", interface: interface, member: member)
    }

    private func failure(_ what: String) -> CaptureError {
        CaptureError(
            .unavailable, "The agent \(program.visible) \(what).",
            remedies: [Remedy("Start it, or use a terminal.")])
    }

    private static func noBus(_ errno: Errno?) -> CaptureError {
        CaptureError(
            .unavailable, "There is no session bus to ask on\(errno.map { ": \($0.text)" } ?? "").",
            errno: errno?.number ?? 0, remedies: [Remedy("Start the program from a desktop session.")])
    }
}
