import Testing

@testable import CaptureGate

@Suite("Question text")
struct QuestionTextTests {
    private let session = LoginSession(leader: 1, startTicks: 2, bootID: "boot")

    private func text(device name: String = "HD Webcam", path: String = "/usr/bin/memo") -> QuestionText {
        let subject = Subject(
            userID: 1000, groupIDs: [], executable: Executable(path: path, inode: 1, sha256: "ab"), application: nil,
            session: session)
        let item = Question.Item(
            request: DeviceRequest(
                capability: .camera, level: .video, device: .any, purpose: "Record\u{7}a clip"),
            device: DeviceDescription(id: DeviceID(rawValue: "camera:x"), name: name))
        return QuestionText(
            question: Question(subject: subject, items: [item], lifetimes: [.once, .session(session), .always]))
    }

    @Test("It shows who, what, which device and why")
    func content() {
        let lines = text().lines.joined(separator: "\n")
        for word in ["/usr/bin/memo", "camera", "video", "HD Webcam", "camera:x"] { #expect(lines.contains(word)) }
    }

    @Test("A name can't move the cursor, turn the text round, or begin a line")
    func hostileNames() {
        let hostile = text(device: "x\u{1B}[2J\u{202E}\u{2028}\r\nAllow? y", path: "/tmp/\u{9B}31m")
        let shown = hostile.lines.joined()
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || [0x9B, 0x202E, 0x2028].contains($0.value) })
        #expect(shown.contains("\\u{1b}"))
    }

    @Test(
        "A letter or a word picks its choice",
        arguments: [
            ("n", Answer.deny), ("NO", .deny), ("o", .allow(.once)), ("once", .allow(.once)), ("a", .allow(.always)),
        ])
    func answers(line: String, answer: Answer) {
        #expect(text().answer(to: line) == answer)
    }

    @Test("An empty line turns away")
    func empty() {
        #expect(text().answer(to: "") == .dismissed)
    }

    @Test("Anything else means nothing", arguments: ["y", "yes", "d", "nope", " o"])
    func nonsense(line: String) {
        #expect(text().answer(to: line) == nil)
    }
}
