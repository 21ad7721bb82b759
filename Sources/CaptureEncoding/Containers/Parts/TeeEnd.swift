import CaptureGate

/// What came of one output of several.
struct TeeEnd: Sendable {
    let clip: Result<Clip, CaptureError>
    let tee: ClipTee

    var isClip: Bool { (try? clip.get()) != nil }

    /// Finishes it.
    /// - Parameters:
    ///   - ending: why it has ended before; `nil` where it has not.
    ///   - ledger: its own.
    init(
        _ writer: any ClipWriter, path: String, _ ending: CaptureError?, ledger: LossLedger, _ reason: EndReason
    ) {
        let reason = ending.map { EndReason(ofOutput: $0) } ?? reason
        do throws(CaptureError) {
            let clip = try writer.finish(ledger: ledger, end: reason)
            self.clip = .success(clip)
            let error = ending ?? (clip.end == reason ? nil : (writer as? any FailableWriter)?.failure)
            tee = ClipTee(clip, error: error == .sizeReached ? nil : error)
        } catch {
            clip = .failure(error)
            tee = ClipTee(path: path, writer.format, bytes: writer.bytesWritten, ledger, error)
        }
    }

    init(unfinished path: String, _ format: ClipFormat) {
        let error = CaptureError(.inputOutput, "\(path) was not finished.")
        clip = .failure(error)
        tee = ClipTee(path: path, format, bytes: 0, LossLedger(), error)
    }
}

extension ClipTee {
    fileprivate init(_ clip: Clip, error: CaptureError?) {
        self.init(
            path: clip.path, format: clip.format, durationNanoseconds: clip.durationNanoseconds, bytes: clip.bytes,
            end: clip.end, error: error, ledger: clip.ledger, parts: clip.parts)
    }

    fileprivate init(path: String, _ format: ClipFormat, bytes: Int64, _ ledger: LossLedger, _ error: CaptureError) {
        self.init(
            path: path, format: format, durationNanoseconds: 0, bytes: bytes, end: EndReason(ofOutput: error),
            error: error, ledger: ledger, parts: [])
    }
}

extension EndReason {
    /// Why a clip ended whose output failed.
    init(ofOutput error: CaptureError) {
        self = error == .sizeReached ? .maxSize : error.kind == .diskFull ? .diskFull : .failure
    }
}
