import CaptureRig
import Testing

@Suite("a part of a plan")
struct PlanFilterTests {
    private let plan: RigPlan

    init() throws {
        let folder = try PlanFolder()
        try folder.write(PlanFolder.board, to: "boards/bench.yaml")
        plan = try #require(try folder.read(text: PlanFolder.example).plan)
    }

    @Test(
        "has the checks of a name or pattern, of the catalogue or of results",
        arguments: [
            (["camera.rate"], 6), (["camera.*"], 8), (["*"], 12), (["sync.offset.camera-mic"], 1), ([], 12),
            (["camera.rate.camera.bright.MJPG-640x480-30000_1001"], 2), (["*.2"], 5), (["sound.stream.mic.2"], 1),
            (["*-1280x720-*", "machine.scheduling"], 3), (["sound.stream", "sound.*"], 2),
        ])
    func names(_ names: [String], _ count: Int) throws {
        let part = try plan.only(names)
        #expect(part.checks.count == count)
        #expect(part.checks == plan.checks.filter(part.checks.contains))
    }

    @Test("keeps all commands, and of a parallel group those that are wanted")
    func steps() throws {
        let steps = try plan.only(["sound.stream.mic.2"]).steps
        #expect(steps.count == 2)
        #expect(steps.first?.checks.map(\.name) == ["sound.stream.mic.2"])
        #expect(steps.last == .command(PlanCommand(["sleep", "1"], limit: .seconds(5))))
    }

    @Test(
        "without any check is refused with what was probably meant",
        arguments: [
            (["camera.rat"], "The plan has no check or result `camera.rat`: write `camera.rate`."),
            (["camera.rate", "x*"], "The plan has no check or result `x*`: use `camera.rate`, `camera.stream`,"),
            ([""], "The plan has no check or result ``: use"),
        ])
    func nothing(_ names: [String], _ message: String) {
        do {
            _ = try plan.only(names)
            Issue.record("A plan of nothing was made.")
        } catch {
            #expect(error.kind == .usage && error.message.hasPrefix(message))
        }
    }

    @Test(
        "is asked for by patterns that stand for whole names",
        arguments: [
            ("abc", "abc", true), ("abc", "abcd", false), ("a*", "a", true), ("*c", "abc", true), ("a*c", "ac", true),
            ("a*b*c", "aXbYbZc", true), ("a*b*c", "acb", false), ("a*a", "a", false), ("**", "", true), ("", "", true),
            ("*ab*ab", "abab", true), ("*ab*ab", "aab", false), ("a.c", "abc", false),
        ])
    func patterns(_ pattern: String, _ name: String, _ matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }
}
