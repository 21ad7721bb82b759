import CaptureGate
import Testing

@testable import capturegate

@Suite("The library's remedies on the command line")
struct RemedyCommandTests {
    /// Each action, with the command line for it.
    static let actions: [(Remedy.Action, String)] = [
        (.listDevices, "capturegate devices"),
        (.listFormats(device: "usb a"), "capturegate devices 'usb a'"),
        (.showStatus, "capturegate status"),
        (.showHiddenHolders, "sudo capturegate status"),
        (.showControls(device: "usb-1"), "capturegate controls usb-1"),
        (
            .takeOver(control: "gain", device: "usb-1", automatic: "gain_automatic", manual: "0"),
            "capturegate controls usb-1 gain_automatic=0 gain=VALUE"
        ),
        (.grant(Remedy.Permission("camera")), "capturegate grant camera --always"),
        (
            .grant(Remedy.Permission("location", level: "city", isOnce: true)),
            "capturegate grant location --level city --once"
        ),
        (.grant(Remedy.Permission("location", level: "exact")), "capturegate grant location --always"),
        (.grant(Remedy.Permission("photos", level: "read")), "capturegate grant photos --level read --always"),
        (.switchOn(capability: "camera"), "capturegate camera on"),
        (.showSwitches, "capturegate help camera"),
        (.forgetLaterClock, "capturegate reset --clock"),
        (.verifyLog, "capturegate log --verify"),
        (.checkPolicy, "capturegate policy check"),
        (
            .record(
                Remedy.Mode(
                    device: "usb-1", width: 1280, height: 720, frameRate: FrameRate(unchecked: 30, 1),
                    pixelFormat: .mjpeg)),
            "capturegate record clip.mkv --camera usb-1 --size 1280x720 --fps 30 --pixel-format MJPG"
        ),
        (.recordThroughServer, "capturegate record clip.flac --camera none --microphone default"),
        (
            .transcode(path: "a b.mov", sound: true, picture: true),
            "capturegate record - | ffmpeg -i - 'a b.mov'"
        ),
        (
            .transcode(path: "-a.mp3", sound: true, picture: false),
            "capturegate record - --camera none | ffmpeg -i - ./-a.mp3"
        ),
        (
            .transcode(path: "a.gif", sound: false, picture: true),
            "capturegate record - --microphone none | ffmpeg -i - a.gif"
        ),
        (.recover(path: "a.wav.partial"), "capturegate recover 'a.wav.partial'"),
        (.recover(path: "it's.partial"), #"capturegate recover 'it'\''s.partial'"#),
        (.run(command: "kill 7"), "kill 7"),
        (.showControls(device: "alsa:a;b"), "capturegate controls 'alsa:a;b'"),
        (
            .takeOver(control: "gain", device: "alsa:$(x)", automatic: "auto", manual: "1"),
            "capturegate controls 'alsa:$(x)' auto=1 gain=VALUE"
        ),
    ]

    /// Permissions, with the command line that gives each.
    static let permissions: [(Remedy.Permission, String)] = [
        (Remedy.Permission("microphone", to: "/usr/bin/rec"), "grant microphone --to /usr/bin/rec --always"),
        (Remedy.Permission("microphone", to: "/usr/bin/capturegate", isOnce: true), "grant microphone --once"),
        (Remedy.Permission("microphone", to: "capturegate"), "grant microphone --always"),
        (Remedy.Permission("microphone", to: "/opt/my app/rec"), "grant microphone --to '/opt/my app/rec' --always"),
        (Remedy.Permission("microphone", level: "meter"), "grant microphone --level meter --always"),
        (Remedy.Permission("camera", level: "still"), "grant camera --level still --always"),
        (Remedy.Permission("microphone", level: "record"), "grant microphone --always"),
        (Remedy.Permission("camera", level: "video"), "grant camera --always"),
        (
            Remedy.Permission("camera", to: "/bin/a", device: "usb cam's", level: "still", isOnce: true),
            #"grant camera --to /bin/a --device 'usb cam'\''s' --level still --once"#
        ),
    ]

    @Test("Each action has its exact command line, as text and in JSON", arguments: actions)
    func action(_ action: Remedy.Action, _ command: String) throws {
        #expect(Remedy("Do it.", action).commandLine == command)
        let report = ErrorReport(error: CaptureError(.usage, "It failed.", remedies: [Remedy("Do it.", action)]))
        let style = TextStyle(for: StandardStream(descriptor: .none))
        #expect(report.lines(style) == ["capturegate: It failed.", "  Do it.", "    \(command.visible)"])
        #expect(try Document(report.json.text)["remedies"].elements.first?["command"] == .string(command))
    }

    @Test("A permission names the program, the device and the level where it has to, quoted", arguments: permissions)
    func permission(_ permission: Remedy.Permission, _ command: String) {
        #expect(Remedy("Allow it.", .grant(permission)).commandLine == "capturegate \(command)")
    }

    @Test("A remedy without an action has no command, and equal lines are told once")
    func lines() throws {
        let remedies = [
            Remedy("Wait."), Remedy("See.", .showStatus), Remedy("See.", command: "capturegate status"),
            // The highest level needs no option, so these two are one command.
            Remedy("Allow.", .grant(Remedy.Permission("camera", level: "video"))),
            Remedy("Allow.", .grant(Remedy.Permission("camera"))),
        ]
        let document = try Document(ErrorReport(error: CaptureError(.usage, "No.", remedies: remedies)).json.text)
        let commands = document["remedies"].elements.map { $0["command"] }
        #expect(commands == [.null, .string("capturegate status"), .string("capturegate grant camera --always")])
    }

    @Test("The library's own notice has the sentences, and none of these commands", arguments: actions)
    func notice(_ action: Remedy.Action, _ command: String) {
        let notice = CaptureError(.usage, "It failed.", remedies: [Remedy("Do it.", action)]).notice
        let isOfAnother = !command.contains("capturegate ")
        #expect(notice == "It failed.\n  Do it\(isOfAnother ? ": \(command)" : ".")")
    }

    @Test("Neither have the notices of errors that the library makes")
    func errors() throws {
        let device = DeviceDescription(id: DeviceID(rawValue: "usb-1"), name: "Desk Mic")
        let absent = try #require(throws: CaptureError.self) { _ = try DeviceQuery("x").pick(from: [], .camera) }
        let errors =
            [CaptureEndReason.revoked, .expired, .killed].map { $0.error(device, as: .microphone) }
            + [CaptureEndReason.revoked.error(device), absent]
        for error in errors {
            #expect(!error.remedies.isEmpty && error.remedies.allSatisfy { $0.commandLine != nil })
            #expect(!error.notice.contains("capturegate "), "\(error.notice)")
        }
    }

    @Test("Every kind of error has the exit status that sysexits(3) gives it")
    func exitCodes() {
        let table: [(Int32, [CaptureError.Kind])] = [
            (64, [.usage]), (65, [.badInput]), (66, [.noDevice]),
            (69, [.unavailable, .deviceGone, .stalled, .timedOut, .deadlock, .cancelled, .conditionFailed]),
            (73, [.fileExists]), (74, [.inputOutput, .diskFull]), (75, [.busy]),
            (77, [.notAuthorized, .dismissed, .revoked, .expired]), (78, [.notAsAsked, .configuration, .store]),
        ]
        for (code, kinds) in table {
            for kind in kinds { #expect(CaptureError(kind, "").exitCode == code, "\(kind)") }
        }
        let behind = CaptureError(.conditionFailed, "", underlying: [CaptureError(.noDevice, "")])
        #expect(behind.exitCode == 66)
    }

    @Test("A notice shows what is unprintable in a remedy, as it does in the message")
    func visible() {
        let remedy = Remedy("Remove \u{1b}[2J.", command: "rm 'a\u{7}b'")
        let notice = CaptureError(.usage, "It failed.", remedies: [remedy]).notice
        #expect(notice == #"It failed.\#n  Remove \u{1b}[2J: rm 'a\u{7}b'"#)
    }
}
