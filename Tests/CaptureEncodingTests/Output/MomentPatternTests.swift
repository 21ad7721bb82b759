import CaptureBase
import ClipScenery
import LinuxSystem
import Testing

@testable import CaptureEncoding

@Suite("Names by the moment")
struct MomentPatternTests {
    private let moment = CivilTime(year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7).nanoseconds(in: .local)

    @Test(
        "each conversion is what strftime(3) makes of it",
        arguments: ["%Y%m%d-%H%M%S.mkv", "a/%F/%j.wav", "%s", "100%%-%M", "%Y-%m"])
    func conversions(pattern: String) throws {
        let moment = try #require(moment)
        let name = try #require(try MomentPattern("/nowhere/" + pattern)).name(at: moment)
        let scratch = try Scratch()
        let judge = try Tool.text(
            "date", ["-d", "@\(moment / 1_000_000_000)", "+/nowhere/" + pattern], in: scratch)
        #expect(name + "\n" == judge)
    }

    @Test("a name that is taken gets a number, before its ending")
    func taken() throws {
        let scratch = try Scratch()
        let moment = try #require(moment)
        let pattern = try #require(try MomentPattern(scratch.path("a%Y.mkv")))
        try scratch.write([], to: "a2026.mkv")
        #expect(pattern.name(at: moment) == scratch.path("a2026-2.mkv"))
        try scratch.write([], to: "a2026-3.mkv.partial")
        // The second one's file may have been removed meanwhile.
        #expect(pattern.name(at: moment) == scratch.path("a2026-4.mkv"))
    }

    @Test(
        "another conversion, or none, is refused; a name without any is no pattern", arguments: ["%Q", "%", "50%.mkv"])
    func refused(pattern: String) throws {
        #expect(throws: CaptureError.self) { try MomentPattern(pattern) }
        #expect(try MomentPattern("a.mkv") == nil)
    }
}
