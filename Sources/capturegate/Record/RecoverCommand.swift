import ArgumentParser
import CaptureEncoding
import CaptureGate

/// `capturegate recover`
struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Finish recordings that were interrupted.",
        discussion: """
            A recording is OUT.partial until it is finished; one that was killed, or whose machine lost power, stays so. \
            What was captured reaches the disk once a second, so a power cut takes the last second and a half at most. \
            This writes what it holds into OUT, and removes OUT.partial only if not one frame of it is missing.

              capturegate recover clip.mkv.partial
              capturegate recover *.partial --json
              capturegate recover broken.flac --to mended.flac
            """)

    @Argument(
        help: ArgumentHelp("Interrupted recordings, or the names they were to get.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("The name of the finished clip, of a single one.", valueName: "out"), completion: .file())
    var to: String?

    @Flag(help: "Replace the finished clip where it exists.")
    var force = false

    @Flag(help: "Leave the interrupted file where it is.")
    var keep = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        guard to == nil || files.count == 1 else { throw ValidationError("--to is for a single FILE.") }
        if ["", "-", "null:"].contains(to) { throw ValidationError("--to takes the name of a file.") }
    }

    func run() throws {
        var failure: CaptureError?
        for file in files {
            do throws(CaptureError) {
                try StandardStream.output.show(recovered(file), json: json.isOn)
            } catch {
                // The others are not to wait for it; the last failure is told at the end, as any error is.
                if let failure {
                    StandardStream.error.note(ErrorReport(error: failure).lines(TextStyle(for: .error))[0])
                }
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func recovered(_ file: String) throws(CaptureError) -> RecoveryReport {
        let recovery = try ClipRecovery(of: file, to: to, replacing: force)
        try check(recovery)
        return try recovery.run(removingSource: !keep)
    }

    /// Recovery changes no format, so another ending would be a lie.
    private func check(_ recovery: ClipRecovery) throws(CaptureError) {
        guard let to, let named = try? ClipFormat(for: .file(path: to)), named != recovery.format else { return }
        let ending = recovery.format.endings.first ?? recovery.format.rawValue
        throw CaptureError(
            .usage, "\(recovery.source) holds \(recovery.format.title), and \(to) would be called \(named.title).",
            remedies: [Remedy("End the name in .\(ending): recovery keeps the format.")])
    }
}

extension StandardStream {
    fileprivate func show(_ report: RecoveryReport, json: Bool) {
        note(json ? report.json : report.lines.joined(separator: "\n"))
    }
}

extension RecoveryReport {
    fileprivate var lines: [String] {
        let counts = tracks.map { track in
            NumberText.counted(track.frames, track.kind == .video ? "picture" : "sample")
        }
        // What has no times in it has no duration either.
        let time = durationNanoseconds > 0 ? [NumberText.time(nanoseconds: durationNanoseconds)] : []
        let parts = time + counts + [NumberText.bytes(bytes)]
        let rest =
            isSourceRemoved ? "\(source.visible) is removed." : "\(source.visible) is still there."
        return ["\(path.visible): \(parts.joined(separator: ", "))", "  \(loss) \(rest)"]
    }

    private var loss: String {
        guard lostBytes > 0 else { return "No frame is missing." }
        let pieces = NumberText.counted(losses.count, "piece")
        let silence =
            silencedNanoseconds > 0 ? "; \(NumberText.time(nanoseconds: silencedNanoseconds)) are silence" : ""
        return "\(NumberText.bytes(lostBytes)) could not be read, in \(pieces)\(silence)."
    }
}
