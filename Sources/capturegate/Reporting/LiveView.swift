import CaptureEncoding
import CaptureGate
import Glibc

/// A recording as one line of a terminal that is drawn again and again.
struct LiveView: EventView {
    let stream: StandardStream
    /// Where the result stands afterwards.
    let summary: StandardStream
    let plan: RecordingPlan
    private let style: TextStyle
    private var isDrawn = false
    private var holds: [PeakHold] = []
    private var disk: DiskSpace

    init(stream: StandardStream, summary: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.summary = summary
        self.plan = plan
        style = TextStyle(for: stream)
        disk = DiskSpace(of: plan.destination)
    }

    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences):
            StartText(tracks: tracks, differences: differences).tell(stream)
            if plan.settings.duration == nil { stream.note("Ctrl-C ends it.") }
        case .progress(let progress): draw(progress)
        case .preview: break
        case .lost(let track, let mark):
            clear()
            stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment):
            clear()
            stream.note(ClipSummary.line(track, state, at: moment))
        case .outputFailed(let failure):
            clear()
            stream.note(ClipSummary.line(failure))
        case .segment(let part):
            clear()
            stream.note(ClipSummary.line(part))
        case .ended(let clip, _, _):
            clear()
            summary.note(ClipSummary(clip: clip).lines.joined(separator: "\n"))
        }
    }

    private mutating func draw(_ progress: RecordingProgress) {
        isDrawn = true
        let text = ProgressText(progress: progress)
        let left = disk.freeBytes(at: progress.elapsedNanoseconds).map { text.left(freeBytes: $0) }
        update(progress)
        // A line that does not layout would wrap and leave its first part standing.
        let layout = ProgressLayout(text, left: left, in: stream.columns - 3)
        let line =
            layout.words + [bars(progress.microphones, in: layout.freeColumns - ProgressLayout.gap)].compactMap { $0 }
        try? stream.write("\r\u{1B}[K\(style.red("*")) \(line.joined(separator: "  "))")
    }

    private mutating func update(_ progress: RecordingProgress) {
        if holds.count != progress.microphones.count { holds = progress.microphones.map { _ in PeakHold() } }
        for (index, microphone) in progress.microphones.enumerated() {
            holds[index].update(microphone.peakDBFS, isClipped: microphone.clipped, at: progress.elapsedNanoseconds)
        }
    }

    /// Each microphone's level, in what freeColumns the words leave; several share it.
    private func bars(_ microphones: [AudioProgress], in freeColumns: Int) -> String? {
        guard !microphones.isEmpty else { return nil }
        // In steps, so that it does not tremble when a word grows by a letter; brackets and the mark of clipping extra.
        let width = min(freeColumns / microphones.count - 3, max(4, 20 / microphones.count)) / 4 * 4
        guard width >= 4 else { return nil }
        let bar = LevelBar(scale: MeterScale(width: width))
        return zip(microphones, holds).map { microphone, hold in
            "[\(bar.text(microphone.peakDBFS, hold: hold))]" + (hold.isClipped ? "!" : "")
        }.joined()
    }

    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? stream.write("\r\u{1B}[K")
    }
}

/// One line of a terminal: of several words as many as fit, those first that matter most, and none of them cut.
struct ProgressLayout {
    private(set) var words: [String] = []
    /// Columns that are left.
    private(set) var freeColumns: Int

    static let gap = 2

    /// - Parameters:
    ///   - words: what matters most first; empty ones are left out.
    ///   - freeColumns: in columns.
    init(_ words: [String], in freeColumns: Int) {
        self.freeColumns = max(0, freeColumns)
        for word in words where !word.isEmpty {
            let needed = VisibleText.columns(of: word) + (self.words.isEmpty ? 0 : Self.gap)
            guard needed <= self.freeColumns else { return }
            self.words.append(word)
            self.freeColumns -= needed
        }
    }

    /// A recording's progress. What is lost is told in the narrowest line, too.
    /// - Parameter left: how long the disk will do.
    init(_ progress: ProgressText, left: String?, in freeColumns: Int) {
        self.init(progress.words(left: left), in: freeColumns)
        if words.count < 2 { self.init([progress.lost], in: freeColumns) }
    }

    var text: String { words.joined(separator: String(repeating: " ", count: Self.gap)) }
}

/// How a recording stands, in the words of the live line and of plain lines.
struct ProgressText {
    let progress: RecordingProgress

    var time: String { NumberText.time(nanoseconds: progress.elapsedNanoseconds) }

    /// Of each microphone, `/` between them.
    var level: String? {
        let levels = progress.microphones.map { NumberText.fixed($0.peakDBFS, 1).aligned(to: 6) }
        guard !levels.isEmpty else { return nil }
        let clipped = progress.microphones.contains(where: \.clipped) ? " CLIPPED" : ""
        return "\(levels.joined(separator: " /")) dBFS\(clipped)"
    }

    var rate: String? {
        let rates = progress.cameras.map { NumberText.fixed($0.framesPerSecond, 1) }
        return rates.isEmpty ? nil : rates.joined(separator: " / ") + " fps"
    }

    var lost: String {
        let lost = progress.microphones.reduce(0) { $0 + $1.lost } + progress.cameras.reduce(0) { $0 + $1.lost }
        return "lost \(lost)"
    }

    /// What matters most first.
    /// - Parameter left: how long the disk will do.
    func words(left: String?) -> [String] {
        [time, lost, level, rate, size, bitRate, left].compactMap { $0 }
    }

    var size: String { NumberText.bytes(progress.bytes) }

    /// Bits a second of the file; nothing at first, since some formats write a second at a time.
    var bitRate: String {
        guard isRateKnown else { return "" }
        return NumberText.bits(Int64(Double(progress.bytes) * 8e9 / Double(progress.elapsedNanoseconds)))
    }

    /// How long the disk will do at the rate so far.
    func left(freeBytes: Int64) -> String {
        guard progress.bytes > 0, isRateKnown else { return "" }
        let seconds = Double(freeBytes) / Double(progress.bytes) * Double(progress.elapsedNanoseconds) / 1e9
        return "\(NumberText.span(seconds: seconds)) left"
    }

    private var isRateKnown: Bool { progress.elapsedNanoseconds >= 3_000_000_000 }

    var line: String { [time, level, rate, lost, size].compactMap { $0 }.joined(separator: "  ") }
}

/// How much room is left where a recording goes, looked at once a second.
struct DiskSpace {
    /// `nil` where it goes to no disk.
    private let directory: String?
    private var next: Int64 = 0
    private var known: Int64?

    init(of destination: ClipDestination) {
        directory =
            if case .file(let path) = destination {
                path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
            } else { nil }
    }

    /// - Parameter time: of the recording, nanoseconds.
    mutating func freeBytes(at time: Int64) -> Int64? {
        guard let directory, time >= next else { return known }
        next = time + 1_000_000_000
        var status = statvfs()
        known = statvfs(directory, &status) == 0 ? Self.bytes(blocks: status.f_bavail, of: status.f_frsize) : nil
        return known
    }

    /// A file system may claim more than 64 bits hold.
    static func bytes(blocks: UInt, of size: UInt) -> Int64 {
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: size)
        return isTooMany ? .max : Int64(clamping: bytes)
    }
}
