import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate recover`: finishes recordings that were interrupted.
///
/// It opens no device and so asks nobody; a file that was recorded with permission belongs to its user.
struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Finish interrupted recordings.",
        discussion: """
            A crash or a power cut leaves OUT.partial. This command writes its contents to OUT. It removes OUT.partial only if \
            no frame is lost.

              capturegate recover clip.mkv.partial
              capturegate recover *.partial --json
              capturegate recover broken.flac --to repaired.flac

            A recording reaches the disk once a second, so a power cut loses at most the last second and a half.
            """
    ).parsedAlone

    /// Names of partial files or of finished clips: Tab completes the former, and people remember the latter.
    @Argument(
        help: ArgumentHelp("Interrupted recordings, or names of finished clips.", valueName: "file"),
        completion: .file())
    var files: [String]

    /// Finished clip's own name by default.
    @Option(
        help: ArgumentHelp("Name of the finished clip, if you recover one file.", valueName: "out"), completion: .file()
    )
    var to: String?

    @Flag(help: "Replace the finished clip if it exists.")
    var force = false

    /// Removed by default, but only after everything in it has been saved.
    @Flag(help: "Keep the interrupted file.")
    var keep = false

    @OptionGroup var json: JSONOption

    /// Refuses a single target for several files, and targets that are not files.
    func validate() throws {
        guard to == nil || files.count == 1 else { throw ValidationError("--to needs exactly one FILE.") }
        if ["", "-", "null:"].contains(to) { throw ValidationError("--to needs the name of a file.") }
    }

    /// Recovers each file. One that fails does not keep the others from being recovered.
    func run() throws {
        var failure: CaptureError?
        for file in files {
            do throws(CaptureError) {
                try StandardStream.output.show(recovered(file), json: json.isOn)
            } catch {
                // The last failure is thrown and reported like any error; earlier ones are reported here.
                if let failure {
                    StandardStream.error.note(ErrorReport(error: failure).lines(TextStyle(for: .error))[0])
                }
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Recovers one file.
    private func recovered(_ file: String) throws(CaptureError) -> RecoveryReport {
        let recovery = try ClipRecovery(of: file, to: to, replacing: force)
        try check(recovery)
        return try recovery.run(removingSource: !keep)
    }

    /// Refuses a name whose ending is another format's: recovery converts nothing, so the ending would be
    /// wrong.
    ///
    /// - Throws: `.usage`.
    private func check(_ recovery: ClipRecovery) throws(CaptureError) {
        guard let to, let named = try? ClipFormat(for: .file(path: to)), named != recovery.format else { return }
        let ending = recovery.format.endings.first ?? recovery.format.rawValue
        throw CaptureError(
            .usage,
            "\(recovery.source) contains \(recovery.format.title), but the ending of \(to) means \(named.title).",
            remedies: [Remedy("Choose a name that ends in .\(ending). Recovery keeps the format.")])
    }
}

extension StandardStream {
    /// Writes a report as text or as one line of JSON.
    fileprivate func show(_ report: RecoveryReport, json: Bool) {
        note(json ? report.json : report.lines.joined(separator: "\n"))
    }
}

extension RecoveryReport {
    /// Report for people: what the clip holds, what is lost, and where the source is.
    fileprivate var lines: [String] {
        let counts = tracks.map { track in
            NumberText.counted(track.frames, track.kind == .video ? "frame" : "sample")
        }
        // A raw stream has no timestamps, and so no duration.
        let time = duration > .zero ? [NumberText.time(duration)] : []
        let parts = time + counts + [NumberText.bytes(bytes)]
        let rest =
            isSourceRemoved ? "Removed \(source.visible)." : "Kept \(source.visible)."
        return ["\(path.visible): \(parts.joined(separator: ", "))", "  \(loss) \(rest)"]
    }

    /// Sentence about what could not be recovered.
    private var loss: String {
        guard lostBytes > 0 else { return "No frame is missing." }
        let pieces = NumberText.counted(losses.count, "piece")
        let silence =
            silenced > .zero ? "; \(NumberText.time(silenced)) were replaced by silence" : ""
        return "\(NumberText.bytes(lostBytes)) could not be read, in \(pieces)\(silence)."
    }
}
