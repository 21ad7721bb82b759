import CaptureGate

/// A file without any structure is whole at every length.
enum RawRecovery: Recoverer {
    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        var output = output
        try source.copy(from: 0, source.size, to: &output)
        try output.finish()
        return output.bytesWritten
    }
}
