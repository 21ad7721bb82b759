import CaptureGate

/// A writer with files that are over before the clip is.
protocol PartsWriter: ClipWriter {
    /// Whether there is one to finish.
    var isPartOver: Bool { get }

    /// Finishes those that no track has more for; to be called between writes.
    /// - Parameter ledger: what has become of the frames so far; asked for where a file is finished.
    func finishParts(_ ledger: () -> LossLedger) throws(CaptureError)
}
