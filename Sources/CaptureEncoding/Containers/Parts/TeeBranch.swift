import CaptureGate

/// One of the places that a capture goes to.
final class TeeBranch {
    let path: String
    let writer: any ClipWriter
    /// For each track of the capture, which one it is here; `nil` where the format can't hold it.
    let tracks: [Int?]
    /// Why it has no more.
    var ending: CaptureError?

    init(path: String, writer: any ClipWriter, tracks: [Int?]) {
        self.path = path
        self.writer = writer
        self.tracks = tracks
    }

    var isOpen: Bool { ending == nil }

    func own(_ ledger: LossLedger) -> LossLedger {
        LossLedger(tracks: zip(tracks, ledger.tracks).compactMap { own, track in own == nil ? nil : track })
    }

    func finish(_ ledger: LossLedger, _ reason: EndReason) -> Result<Clip, CaptureError> {
        let reason = ending.map { EndReason(ofOutput: $0) } ?? reason
        return Result { () throws(CaptureError) in try writer.finish(ledger: own(ledger), end: reason) }
    }

    func tee(_ result: Result<Clip, CaptureError>) -> ClipTee {
        switch result {
        case .success(let clip):
            ClipTee(
                path: clip.path, format: clip.format, durationNanoseconds: clip.durationNanoseconds,
                bytes: clip.bytes, end: clip.end, error: ending == .sizeReached ? nil : ending)
        case .failure(let error):
            ClipTee(
                path: path, format: writer.format, durationNanoseconds: 0, bytes: writer.bytesWritten,
                end: EndReason(ofOutput: error), error: error)
        }
    }
}

extension EndReason {
    /// Why a clip ended whose output failed.
    init(ofOutput error: CaptureError) {
        self = error == .sizeReached ? .maxSize : error.kind == .diskFull ? .diskFull : .failure
    }
}
