import CaptureGate

/// Prints the results of this machine's conditions and prompters, for the scripts in Tests/checks: one line, `satisfied` or just
/// an answer, otherwise the error and its remedies.
@main
struct MachineProbe {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.dropFirst().first) {
        case ("route", let host?): await evaluate(ReachabilityCondition(host: host))
        case ("notifications", let milliseconds?):
            let deadline = Duration.milliseconds(Int(milliseconds) ?? 0)
            await evaluate(UserNotificationCondition(DesktopNotifications(deadline: deadline)))
        case ("storage", let folder?):
            let bytes = words.count > 2 ? Int64(words[2]) ?? 0 : 0
            await evaluate(AuthorizedFor(Capability.Storage(folder, freeBytes: bytes)))
        case ("ask", let name?): print(await ask(about: name))
        case ("confirm", let title?): print(await confirm(title))
        case ("obstacle", _): print(await PrompterChain.system.obstacle().map(describe) ?? "none")
        case ("location", let accuracy?): await LocationProbe.run(accuracy, Array(words.dropFirst(2)))
        case ("photos", let access?): await PhotosProbe.run(access, Array(words.dropFirst(2)))
        case ("push", let application?): await PushProbe.run(application, Array(words.dropFirst(2)))
        case ("notice", let seconds?): print(await NoticeProbe.run(Int(seconds) ?? 60, Array(words.dropFirst(2))))
        default:
            print(
                "usage: MachineProbe route|notifications|storage|ask|confirm|obstacle|location|photos|push|notice …")
        }
    }

    static func evaluate(_ condition: any OperationCondition) async {
        var operation = ClosureOperation("probe") { _ throws(CaptureError) in }
        operation.conditions.append(condition)
        do throws(CaptureError) {
            try await GateQueue().run(operation)
            print("satisfied")
        } catch {
            print(describe(error))
        }
    }

    /// A question as the gate would put it, about a camera of any name.
    private static func ask(about name: String) async -> String {
        let subject: Subject
        do { subject = try ProcessSubject.current() } catch { return describe(error) }
        let request = DeviceRequest(
            capability: .camera, level: .video, device: .any, purpose: "See whether <b>anything</b> is obeyed")
        let question = Question(
            subject: subject,
            items: [
                Question.Item(
                    request: request, device: DeviceDescription(id: DeviceID(rawValue: "camera:probe"), name: name))
            ],
            lifetimes: [.once, .session(subject.session), .always])
        switch await PrompterChain.system.ask(question) {
        case .allow(.once): return "allow once"
        case .allow(.session): return "allow session"
        case .allow(.always): return "allow always"
        case .allow(.until): return "allow until"
        case .deny: return "deny"
        case .dismissed: return "dismissed"
        case .timedOut: return "timed out"
        case .failed(let error): return describe(error)
        }
    }

    private static func confirm(_ title: String) async -> String {
        switch await PrompterChain.system.confirm(
            ConfirmationRequest(title, message: "--title=x <b>&amp;", agreement: "--help"))
        {
        case .yes: "yes"
        case .no: "no"
        case .dismissed: "dismissed"
        case .timedOut: "timed out"
        case .failed(let error): describe(error)
        }
    }

    static func describe(_ error: CaptureError) -> String {
        let remedies = error.remedies.map { [$0.text, $0.command].compactMap(\.self).joined(separator: " ") }
        return (["\(error.kind.rawValue):", error.message] + remedies).joined(separator: " ")
    }
}
