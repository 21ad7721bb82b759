import Testing

@testable import CaptureGate
@testable import capturegate

@Suite("status --watch", .fewAtOnce)
struct UseWatchTests {
    private func use(_ process: Int32, _ command: String, _ capability: CapabilityName = .camera) -> DeviceUse {
        DeviceUse(
            device: DeviceDescription(id: DeviceID(rawValue: "\(capability.rawValue):usb-1"), name: "HD Webcam"),
            capability: capability, holder: DeviceHolder(processID: process, command: command))
    }

    @Test("what ends is told before what begins, and what goes on is not told again")
    func changes() {
        let changes = UseChange.between(
            [use(7, "ffmpeg"), use(9, "obs")], [use(9, "obs"), use(11, "arecord", .microphone)])
        #expect(
            changes.map { $0.text(false) } == [
                "end     camera      HD Webcam by ffmpeg (process 7)",
                "begin   microphone  HD Webcam by arecord (process 11)",
            ])
        #expect(UseChange.between([use(9, "obs")], [use(9, "obs")]).isEmpty)
    }

    @Test("what was there before is told as in use, with its control characters visible")
    func initial() {
        let change = UseChange.between([], [use(7, "a\u{1B}[2Jb")]).first
        #expect(change?.text(true).hasPrefix("in use") == true)
        #expect(change?.text(true).contains("\u{1B}") == false)
    }

    @Test("a bar gets all uses of cameras and of microphones, each with its program")
    func bar() throws {
        let document = try Document(UseWatch.bar([use(7, "ffmpeg"), use(9, "obs")]).text)
        #expect(document["camera"].elements.map { $0["command"].string } == ["ffmpeg", "obs"])
        #expect(document["camera"].elements.first?["process"] == .number(7))
        #expect(document["microphone"].elements.isEmpty)
    }

    @Test("it runs until a signal, and leaves the file of the bar behind")
    func run() async throws {
        let workspace = try Workspace()
        let child = try workspace.start("status", "--watch", "--json", "--status-file", "bar.json")
        while workspace.size("bar.json") < 1 { try await Task.sleep(for: .milliseconds(5)) }
        child.send(2)
        #expect(try await child.finish().code == 0)
        #expect(try Document(try workspace.text("bar.json"))["camera"].elements.isEmpty)
    }

    @Test(
        "options that belong together are refused apart",
        arguments: [["--notify"], ["--status-file", "x"], ["--watch", "--explain"]])
    func usage(options: [String]) async throws {
        #expect(try await Workspace().capturegate(["status"] + options).code == 64)
    }
}
