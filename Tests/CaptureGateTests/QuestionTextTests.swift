import Testing

@testable import CaptureGate

@Suite("Question text")
struct QuestionTextTests {
    private let session = LoginSession(leader: 1, startTicks: 2, bootID: "boot")

    private func text(
        device name: String = "HD Webcam", path: String = "/usr/bin/memo", id: String = "camera:x",
        selector: DeviceSelector = .any, purpose: String = "Record\u{7}a clip"
    ) -> PromptText<Answer> {
        let subject = Subject(
            userID: 1000, groupIDs: [], executable: Executable(path: path, inode: 1, sha256: "ab"), application: nil,
            session: session)
        let item = Question.Item(
            request: DeviceRequest(
                capability: .camera, level: .video, device: selector, purpose: purpose),
            device: DeviceDescription(id: DeviceID(rawValue: id), name: name))
        return QuestionText(
            question: Question(subject: subject, items: [item], lifetimes: [.once, .session(session), .always])
        ).prompt
    }

    @Test("It shows who, what, which device and why")
    func content() {
        let lines = text().lines.joined(separator: "\n")
        for word in ["/usr/bin/memo", "camera", "video", "HD Webcam", "camera:x"] { #expect(lines.contains(word)) }
    }

    @Test("The first line says who asks and why, and each choice for how long it holds")
    func terms() {
        #expect(text(purpose: "Record a clip").lines[0] == "/usr/bin/memo wants to use, for \"Record a clip\":")
        #expect(
            text().choiceLines == [
                "  [n]o            until you change it", "  [y]es, [o]nce   only this capture",
                "  this [s]ession  until you log out", "  [a]lways        until you change it",
            ])
        #expect(text().promptLine == "Allow? n, y, s, a, Enter to decide later: ")
        #expect(text().choices.map(\.labelWithTerm).first == "No: until you change it")
        let confirmation = ConfirmationText(confirmation: ConfirmationRequest("Reset?", message: "", agreement: "Yes"))
            .prompt
        #expect(confirmation.choiceLines.isEmpty)
        #expect(confirmation.promptLine == "Reset? [n]o, [y]es, Enter to decide later: ")
    }

    @Test("The choices of an alert are numbered, and picked by their numbers alone")
    func alert() {
        let alert = Alert("The disk is\u{1B}[2J full.", message: "Go on?", choices: ["Stop", "Save", "[y]es\u{202E}"])
        let prompt = AlertText(alert: alert).prompt
        #expect(prompt.lines == ["  Go on?"] && prompt.choiceLines.isEmpty)
        let line = prompt.promptLine
        #expect(line.contains("[1] Stop, [2] Save, [3] [y]es") && line.hasSuffix("Enter to decide later: "))
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(prompt.choice(for: "1") == 0 && prompt.choice(for: "3") == 2)
        for word in ["s", "stop", "y", "yes", "0", "4", ""] { #expect(prompt.choice(for: word) == nil) }
        // No more than there are digits for.
        #expect(AlertText(alert: Alert("A", choices: Array(repeating: "B", count: 20))).prompt.choices.count == 9)
    }

    @Test("A yes that would speak of every device reads so")
    func anyDevice() {
        let id = DeviceID(rawValue: "camera:x")
        #expect(text().lines.contains { $0.contains("any camera") && $0.contains("now: HD Webcam") })
        #expect(text(selector: .id(id)).lines.contains { $0.contains("the camera") && !$0.contains("any") })
    }

    @Test("A name can't move the cursor, turn the text round, or begin a line")
    func hostileNames() {
        let hostile = text(
            device: "x\u{1B}[2J\u{202E}\u{2028}\r\nAllow? y", path: "/tmp/\u{9B}31m", id: "camera:\u{1B}c")
        let shown = hostile.lines.joined()
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || [0x9B, 0x202E, 0x2028].contains($0.value) })
        #expect(shown.contains("\\u{1b}"))
    }

    @Test("A purpose or a confirmation can't be wrapped into what looks like a line of ours")
    func wrapped() {
        let hostile = "Scan" + String(repeating: " ", count: 80) + "\u{A0}\u{3000}/usr/bin/firefox wants to use:"
        let confirmation = ConfirmationRequest(hostile, message: hostile, agreement: hostile)
        let lines = text(purpose: hostile).lines + ConfirmationText(confirmation: confirmation).prompt.lines
        for line in lines + [ConfirmationText(confirmation: confirmation).prompt.title] {
            #expect(!line.trimmingPrefix(while: { $0 == " " }).contains("  "))
            #expect(!line.unicodeScalars.contains { $0.value == 0xA0 || $0.value == 0x3000 })
        }
    }

    @Test("A long name leaves the question on the screen, with its beginning and its end")
    func longNames() {
        let long = String(repeating: "x", count: 100_000)
        let lines = text(device: "begin\(long)end", path: "/begin\(long)/end", id: long).lines
        #expect(lines.joined().count < 500)
        #expect(lines[0].hasPrefix("/begin") && lines[0].contains("…") && lines[0].contains("/end"))
        #expect(lines[1].contains("begin") && lines[1].contains("end"))
    }

    @Test("The safest choice comes first, and no two have a key in common")
    func order() {
        #expect(text().choices.first?.value == .deny)
        #expect(Set(text().choices.map(\.key)).count == text().choices.count)
    }

    @Test(
        "A letter or a word picks its choice",
        arguments: [
            ("n", Answer.deny), ("NO", .deny), ("o", .allow(.once)), ("y", .allow(.once)), ("Yes", .allow(.once)),
            ("once", .allow(.once)), ("a", .allow(.always)),
        ])
    func answers(line: String, answer: Answer) {
        #expect(text().choice(for: line) == answer)
    }

    @Test("Anything else means nothing", arguments: ["", "ye", "y y", "d", "nope", " o"])
    func nonsense(line: String) {
        #expect(text().choice(for: line) == nil)
    }
}
