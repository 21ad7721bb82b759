import CaptureGate
import CaptureRecording
import LinuxSystem

/// Recording as one row of a terminal that is redrawn in place.
///
/// Carriage return and EL (erase in line, ECMA-48 CSI K) are all it needs, which every terminal but a dumb
/// one has.
struct LiveView: EventView {
    /// Terminal that is drawn on: standard error, which stays one when the output is piped.
    let stream: StandardStream
    /// Stream of the result; standard output unless the clip goes there.
    let summary: StandardStream
    let plan: RecordingPlan
    private let style: TextStyle
    /// True while the row is on the screen.
    private var isDrawn = false
    private var isPaused = false
    /// True until the clip has begun: the row shows only levels.
    private var isWaiting = true
    /// Peak holds, one per microphone.
    private var holds: [PeakHold] = []
    private var disk: DiskSpace

    init(stream: StandardStream, summary: StandardStream, plan: RecordingPlan) {
        self.stream = stream
        self.summary = summary
        self.plan = plan
        style = TextStyle(for: stream)
        disk = DiskSpace(of: plan.destination)
    }

    /// Shows one event; whatever is not progress clears the row first and scrolls above it.
    mutating func show(_ event: RecordingEvent) {
        switch event {
        case .waiting(let preRoll, let moment): stream.note(StartText.waiting(preRoll, moment))
        case .started(let tracks, let differences):
            clear()
            isWaiting = false
            StartText(tracks: tracks, differences: differences).tell(stream)
            if let keys = plan.keys { stream.note(keys.legend) }
        case .progress(let progress): draw(progress)
        case .preview: break
        case .lost(let track, let mark):
            clear()
            stream.note(ClipSummary.line(track, mark))
        case .signal(let track, let state, let moment):
            clear()
            stream.note(ClipSummary.line(track, state, at: moment))
        case .paused(let isPaused, let moment):
            self.isPaused = isPaused
            clear()
            stream.note(ClipSummary.line(isPaused, at: moment))
        case .chapter(let chapter):
            clear()
            stream.note(ClipSummary.line(chapter))
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

    /// Draws the row over itself.
    private mutating func draw(_ progress: RecordingProgress) {
        isDrawn = true
        let text = ProgressText(progress: progress)
        let left = disk.freeBytes(at: progress.elapsedNanoseconds).map { text.left(freeBytes: $0) }
        update(progress)
        // Three columns for the mark and the cursor: a row that wraps could not be drawn over, and would fill
        // the screen.
        let columns = stream.columns - 3
        let layout =
            isWaiting
            ? ProgressLayout(["waiting", text.level ?? ""], in: columns) : ProgressLayout(text, left: left, in: columns)
        let line =
            layout.words + [bars(progress.microphones, in: layout.freeColumns - ProgressLayout.gap)].compactMap { $0 }
        try? stream.write(
            "\r\u{1B}[K\(isWaiting ? "." : isPaused ? "=" : style.red("*")) \(line.joined(separator: "  "))")
    }

    /// Updates the peak holds; microphones are known only with the first progress.
    private mutating func update(_ progress: RecordingProgress) {
        if holds.count != progress.microphones.count { holds = progress.microphones.map { _ in PeakHold() } }
        for (index, microphone) in progress.microphones.enumerated() {
            holds[index].update(microphone.peakDBFS, isClipped: microphone.clipped, at: progress.elapsedNanoseconds)
        }
    }

    /// Levels of the microphones in the columns that the words leave.
    private func bars(_ microphones: [AudioProgress], in freeColumns: Int) -> String? {
        guard !microphones.isEmpty else { return nil }
        // In steps of four, so that the bar does not flicker when a word grows by a letter; brackets and the clip mark take three
        // more.
        let width = min(freeColumns / microphones.count - 3, max(4, 20 / microphones.count)) / 4 * 4
        guard width >= 4 else { return nil }
        let bar = LevelBar(scale: MeterScale(width: width))
        return zip(microphones, holds).map { microphone, hold in
            "[\(bar.text(microphone.peakDBFS, hold: hold))]" + (hold.isClipped ? "!" : "")
        }.joined()
    }

    /// Erases the row, so that a line can be written in its place.
    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? stream.write("\r\u{1B}[K")
    }
}

/// Layout of a recording's progress in one row of a terminal: as many words as fit, most important first,
/// none cut.
///
/// A cut figure would be worse than none: "1.2 G" of "1.2 GB" misleads.
struct ProgressLayout {
    /// Words that fit.
    private(set) var words: [String] = []
    /// Terminal columns that are left.
    private(set) var freeColumns: Int

    /// Columns between two words.
    static let gap = 2

    /// Lays out words in their order, up to the first that does not fit: skipping one would make the rest
    /// jump about.
    ///
    /// - Parameters:
    ///   - words: the most important first; empty ones are left out.
    ///   - freeColumns: width in terminal columns.
    init(_ words: [String], in freeColumns: Int) {
        self.freeColumns = max(0, freeColumns)
        for word in words where !word.isEmpty {
            let needed = VisibleText.columns(of: word) + (self.words.isEmpty ? 0 : Self.gap)
            guard needed <= self.freeColumns else { return }
            self.words.append(word)
            self.freeColumns -= needed
        }
    }

    /// Lays out a recording's progress. Losses are shown in the narrowest row, too.
    ///
    /// - Parameters:
    ///   - progress: current state.
    ///   - left: time for which the disk will last.
    ///   - freeColumns: width in terminal columns.
    init(_ progress: ProgressText, left: String?, in freeColumns: Int) {
        self.init(progress.words(left: left), in: freeColumns)
        if words.count < 2 { self.init([progress.lost], in: freeColumns) }
    }

    var text: String { words.joined(separator: String(repeating: " ", count: Self.gap)) }
}

/// State of a recording in the words that the live row and plain lines share.
struct ProgressText {
    let progress: RecordingProgress

    /// Time of the clip, pauses of an unplugged device included.
    var time: String { NumberText.time(progress.elapsed) }

    /// Peak of each microphone, `/` between them. Padded to six columns, so that the words after it do not move.
    var level: String? {
        let levels = progress.microphones.map { NumberText.fixed($0.peakDBFS, 1).aligned(to: 6) }
        guard !levels.isEmpty else { return nil }
        let clipped = progress.microphones.contains(where: \.clipped) ? " CLIPPED" : ""
        return "\(levels.joined(separator: " /")) dBFS\(clipped)"
    }

    /// Measured rate of each camera.
    var rate: String? {
        let rates = progress.cameras.map { NumberText.fixed($0.framesPerSecond, 1) }
        return rates.isEmpty ? nil : rates.joined(separator: " / ") + " fps"
    }

    /// Losses of all devices together, shown even if 0: that figure is the reason to look.
    var lost: String {
        let lost = progress.microphones.reduce(0) { $0 + $1.lost } + progress.cameras.reduce(0) { $0 + $1.lost }
        return "lost \(lost)"
    }

    /// Words, the most important first.
    ///
    /// - Parameter left: time for which the disk will last.
    func words(left: String?) -> [String] {
        [time, lost, level, rate, size, bitRate, left].compactMap { $0 }
    }

    var size: String { NumberText.bytes(progress.bytes) }

    /// Bit rate of the file, empty for the first three seconds: some formats write a second at a time.
    var bitRate: String {
        guard isRateKnown else { return "" }
        return NumberText.bits(Int64(Double(progress.bytes) * 8e9 / Double(progress.elapsedNanoseconds)))
    }

    /// Time for which the disk lasts at the rate so far; empty while that rate is unknown.
    func left(freeBytes: Int64) -> String {
        guard progress.bytes > 0, isRateKnown else { return "" }
        let seconds = Double(freeBytes) / Double(progress.bytes) * Double(progress.elapsedNanoseconds) / 1e9
        return "\(NumberText.span(seconds: seconds)) left"
    }

    private var isRateKnown: Bool { progress.elapsedNanoseconds >= 3_000_000_000 }

    /// All words in one line, for output that is not redrawn.
    var line: String { [time, level, rate, lost, size].compactMap { $0 }.joined(separator: "  ") }
}

/// Free space where a recording is stored, read once a second.
struct DiskSpace {
    /// Directory of the file; `nil` if the recording is not stored on a disk.
    private let directory: String?
    /// Time of the recording at which to read again, nanoseconds.
    private var next: Int64 = 0
    /// Last result in bytes; `nil` if it could not be read.
    private var known: Int64?

    /// Free space for a destination. Measured at the directory,
    /// since the file has another name until it is finished.
    init(of destination: ClipDestination) {
        directory =
            if case .file(let path) = destination {
                path.contains("/") ? String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
            } else { nil }
    }

    /// Free bytes, or `nil` if they are unknown.
    ///
    /// - Parameter time: time of the recording in nanoseconds; limits the number of calls, which may wait for a network file
    ///   system.
    mutating func freeBytes(at time: Int64) -> Int64? {
        guard let directory, time >= next else { return known }
        next = time + 1_000_000_000
        known = try? FileSystem.freeBytes(at: directory)
        return known
    }
}
