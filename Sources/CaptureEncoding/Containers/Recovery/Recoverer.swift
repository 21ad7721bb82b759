import CaptureGate

/// Finishes the recordings of one format.
///
/// *session-bound*
protocol Recoverer {
    /// Writes all that can be kept, as a file that is whole.
    /// - Throws: `.badInput` where not even the head can be understood; what the output throws.
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64
}
