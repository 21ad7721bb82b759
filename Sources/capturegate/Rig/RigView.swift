import CaptureGate
import CaptureRig

/// Run of a plan as text: a row for each finished check, and on a
/// terminal a live row with the running checks and their times.
struct RigView: EventView {
    private let output = StandardStream.output
    private let terminal = StandardStream.error
    /// True if the results are shown; programs get only the report.
    private let hasResults: Bool
    /// True if the live row can be redrawn.
    private let isLive: Bool
    private let style = TextStyle(for: .output)
    private let time: PlanTime
    private let count: Int
    private var progress = PlanTime.Progress()
    private var begun: [(name: String, at: ContinuousClock.Instant)] = []
    private var isDrawn = false
    /// True after a signal: from then on the plan does not determine the time left.
    private var isEnding = false

    /// - Parameters:
    ///   - plan: plan to run.
    ///   - kept: names of results that an earlier run made.
    init(_ plan: RigPlan, kept: Set<String>, json: Bool) {
        hasResults = !json
        // If standard output is a pipe, its reader may write to this terminal as well, and both would be mixed up.
        isLive = terminal.canMoveCursor && (json || output.isTerminal)
        time = PlanTime(plan)
        count = plan.checks.count
        progress.ended = kept
    }

    /// Shows one event. A failure to write is reported at the end, since the report matters more than its progress.
    mutating func show(_ event: RigViewEvent) throws(StreamFailure) {
        switch event {
        case .began(let check):
            begun.append((check.name, .now))
            draw()
        case .ended(let result):
            begun.removeAll { $0.name == result.name }
            progress.ended.insert(result.name)
            // The time of a check that did not run predicts nothing.
            if result.verdict.isGood || result.verdict == .fail { progress.taken[result.check] = result.seconds }
            clear()
            if hasResults { try output.lines(lines(of: result)) }
            draw()
        case .tick: draw()
        case .ending:
            isEnding = true
            guard isLive else { break }
            clear()
            terminal.note("Stops after the running check and its commands. Press Ctrl-C again to stop at once.")
        case .over: clear()
        }
    }

    private func lines(of result: CheckResult) -> [String] {
        guard output.isTerminal else { return [RigResultText(result).line] }
        return RigResultText(result).table(style, columns: output.columns)
    }

    /// Redraws the live row.
    private mutating func draw() {
        guard isLive, let first = begun.first else { return }
        isDrawn = true
        let now = ContinuousClock.now
        progress.running = Dictionary(begun.map { ($0.name, Double((now - $0.at).nanoseconds) / 1e9) }) { first, _ in
            first
        }
        let left = time.left(progress)
        let span = NumberText.span(seconds: left.seconds.rounded(.up))
        let others = begun.count > 1 ? " and \(begun.count - 1) more" : ""
        // A long name is cut, so that the times always have their columns.
        let name = Self.shortened(first.name.visible + others, to: max(12, terminal.columns - 26))
        let ahead = [left.isWhole ? "\(span) left" : "at least \(span) left", "\(progress.ended.count) of \(count)"]
        let words = [name, NumberText.time(now - first.at)] + (isEnding ? [] : ahead)
        // Three columns for the mark and the cursor: a row that wraps could not be drawn over.
        let layout = ProgressLayout(words, in: terminal.columns - 3)
        try? terminal.write("\r\u{1B}[K\(TextStyle(for: terminal).bold("*")) \(layout.text)")
    }

    private static func shortened(_ name: String, to columns: Int) -> String {
        VisibleText.columns(of: name) <= columns ? name : name.fitting(columns - 1) + "…"
    }

    /// Erases the row, so that a line can be written in its place.
    private mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        try? terminal.write("\r\u{1B}[K")
    }
}

/// Result of a check for people.
struct RigResultText {
    private let result: CheckResult

    init(_ result: CheckResult) { self.result = result }

    private var word: String { result.verdict.rawValue.uppercased() }
    private var time: String {
        let milliseconds = Int(result.seconds * 1000)
        return milliseconds < 1000 ? "\(milliseconds) ms" : NumberText.time(.milliseconds(milliseconds))
    }

    /// Result in one line: measured numbers of a success, the reason of any other result.
    var line: String {
        let numbers = result.measures.map { measure in
            let bounds = measure.shownLimit.map { " (\($0))" } ?? ""
            return "\(measure.name.visible) \(measure.shown)\(bounds)"
        }
        let text = result.verdict.isGood ? numbers.joined(separator: "; ") : ""
        let said = [text, result.explanation ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        return "\(word.padded(to: 8)) \(result.name.visible) (\(time))\(said.isEmpty ? "" : ": \(said)")"
    }

    /// Result, and a row for each measure with its number, its
    /// limit, and its verdict if that differs from the result's.
    func table(_ style: TextStyle, columns: Int) -> [String] {
        let isWide = columns >= 70
        let margin = String(repeating: " ", count: isWide ? 9 : 2)
        let name = result.name.visible
        let isTimed = 9 + VisibleText.columns(of: name) + 2 + time.count <= columns
        let head = "\(colour(result.verdict, style, word.padded(to: 8))) \(style.bold(name))"
        return [head + (isTimed ? "  \(style.faint(time))" : "")]
            + result.measures.flatMap { measure in
                let row = row(measure, style, isWide: isWide)
                return isWide ? [margin + row] : Paragraph.lines(row, behind: margin, width: columns)
            }
            + (result.message.map { Paragraph.lines($0.visible, behind: margin, width: columns) } ?? [])
    }

    private func row(_ measure: Measure, _ style: TextStyle, isWide: Bool) -> String {
        let isPlain = measure.verdict == .pass || measure.verdict == .done
        let verdict = isPlain ? "" : colour(measure.verdict, style, measure.verdict.rawValue.uppercased())
        let cells = [
            measure.name.visible.padded(to: isWide ? 24 : 0), measure.shown.aligned(to: isWide ? 14 : 0),
            (measure.shownLimit ?? "").padded(to: isWide && !isPlain ? 18 : 0), verdict,
        ]
        return cells.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private func colour(_ verdict: Verdict, _ style: TextStyle, _ text: String) -> String {
        switch verdict {
        case .pass: style.green(text)
        case .done: text
        case .marginal: style.yellow(text)
        case .skip: style.faint(text)
        case .fail, .miss, .error: style.red(text)
        }
    }
}
