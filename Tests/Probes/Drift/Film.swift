import CaptureRig
import Glibc
import ProbeKit

/// A recording of camera and microphone, with what it told of itself.
struct Film {
    let path: String
    var events: RecordingEvents { RecordingEvents(path + ".ndjson") }
    private let command: Program

    /// - Parameters:
    ///   - seconds: its length.
    ///   - fps: frames per second.
    init(_ path: String, of stage: Stage, seconds: Int, fps: Int = 30, _ options: [String] = []) {
        let words = [
            "record", path, "--json", "--camera", stage.camera, "--microphone", stage.microphone, "--size", "320x180",
            "--fps", "\(fps)", "--rate", "48000", "--channels", "2", "--sample-format", "S16_LE", "--for",
            "\(seconds)s",
        ]
        self.init(into: path, words + options)
    }

    /// Of the microphone alone, with the system's clock.
    init(soundOf stage: Stage, seconds: Int) {
        self.init(
            into: "heard.wav",
            [
                "record", "heard.wav", "--force", "--json", "--camera", "none", "--microphone", stage.microphone,
                "--rate",
                "48000", "--sync", "clock", "--for", "\(seconds)s",
            ])
    }

    private init(into path: String, _ words: [String]) {
        self.path = path
        var command = Program("capturegate", words)
        command.output = path + ".ndjson"
        command.errors = path + ".said"
        self.command = command
    }

    func start(_ environment: [String: String] = [:]) throws(ProbeFailure) -> RunningProgram {
        var command = command
        command.environment = environment
        return try command.start()
    }

    /// Makes it, and checks that it ends well.
    func make(_ sentence: String, _ report: TAPReport) throws(ProbeFailure) { end(try start(), sentence, report) }

    func end(_ recording: RunningProgram, _ sentence: String, _ report: TAPReport) {
        let code = recording.end()
        report.check(sentence, code == 0, "exit code \(code)\n\(text(of: path + ".said"))")
    }

    func waitForStart() { wait(seconds: 60, every: 100_000) { events.hasStarted } }

    var audio: RecordingEvents.Track? { events.track("audio") }
    var video: RecordingEvents.Track? { events.track("video") }
    var frames: Int? { events.frames("audio") }

    /// Length by ffprobe, in seconds.
    func duration() throws(ProbeFailure) -> Double? {
        Double(try probed(["-show_entries", "format=duration", path])[...].trimming)
    }

    /// Samples of each channel by ffprobe.
    func samples() throws(ProbeFailure) -> Int? {
        Int(try probed(["-select_streams", "a:0", "-show_entries", "stream=duration_ts", path])[...].trimming)
    }

    /// Mean milliseconds from frame to frame.
    func pace() throws(ProbeFailure) -> Double? {
        let lines = try probed(["-select_streams", "v", "-show_entries", "packet=pts_time", path]).split(
            separator: "\n")
        let times = lines.compactMap { $0.split(separator: ",").first.flatMap { Double($0.trimming) } }
        guard let first = times.first, let last = times.last, times.count > 1 else { return nil }
        return (last - first) * 1000 / Double(times.count - 1)
    }

    private func probed(_ words: [String]) throws(ProbeFailure) -> String {
        try Program("ffprobe", ["-v", "error", "-of", "csv=p=0"] + words).said(in: "probed")
    }
}

/// The claps of a clip: clicks of its audio, each with the flash that belongs to it, as `clap-offset` finds them.
struct Claps {
    /// Seconds of the clicks, and milliseconds that the flash is late.
    let claps: [(click: Double, offset: Double)]

    /// Claps in a row of which a mean is taken.
    private static let few = 27

    init(in film: Film, of stage: Stage, after second: Double = -.infinity) throws(ProbeFailure) {
        // With no clap at all it ends with 1, which the checks report better.
        var judge = Program("\(stage.rig)/clap-offset", [film.path])
        judge.output = "claps"
        _ = try judge.run()
        claps = text(of: "claps").split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 6, words[5] == "ms", let click = Double(words[0]), let offset = Double(words[4]) else {
                return nil
            }
            return click > second ? (click, offset) : nil
        }
    }

    var count: Int { claps.count }
    var least: Double? { claps.map(\.offset).min() }
    var most: Double? { claps.map(\.offset).max() }

    /// The means of all 27 in a row.
    ///
    /// A flash is in the frame after it: up to 33.3 ms later, depending on its time within a frame. A single clap can't show more
    /// than that; 27 in a row happen at places that are spread evenly, so that their mean is 16.7 ms later. In a short clip there
    /// are too few for a mean.
    var means: [Double] {
        guard count >= Self.few else { return [] }
        return (0...count - Self.few).map { start in
            claps[start..<start + Self.few].reduce(0) { $0 + $1.offset } / Double(Self.few)
        }
    }

    /// Milliseconds that the worst click is off its place, for claps at this distance.
    static func worst(in film: Film, of stage: Stage, spacing: Double, _ report: TAPReport) throws(ProbeFailure)
        -> Double?
    {
        let said = try Program("\(stage.rig)/clap-offset", ["--spacing", "\(spacing)", film.path]).said(in: "claps")
        report.note("claps: \(said)")
        let words = said.split(whereSeparator: \.isWhitespace)
        return words.count == 7 ? Double(words[1]) : nil
    }
}
