import CaptureBase
import CaptureEncoding
import Glibc

/// A file that may not grow past a limit: for the writer it is a full disk. For exit tests alone, because the limit is
/// the whole process's.
package enum FullDisk {
    /// Records until the disk is full, finishes, and removes the limit again.
    /// - Parameter claimed: frames of each track that the writer reports as received.
    package static func record(
        to path: String, bytes limit: Int, tracks: [ClipTrack], settings: EncoderSettings = EncoderSettings(),
        claimed: UInt64 = 1_000_000, _ write: (any ClipWriter, Int) throws -> Void
    ) throws -> (clip: Clip, failure: CaptureError, rounds: Int) {
        let destination = ClipDestination(path)
        let writer = try ClipFormat(for: destination).writer(
            on: ClipOutput(opening: destination), tracks: tracks, settings: settings)
        setLimit(rlim_t(limit))
        var rounds = 0
        let failure = try fill(writer, &rounds, write)
        let clip = try writer.finish(ledger: ledger(tracks, claimed), end: .diskFull)
        setLimit(rlim_t.max)
        return (clip, failure, rounds)
    }

    private static func ledger(_ tracks: [ClipTrack], _ frames: UInt64) -> LossLedger {
        LossLedger(
            tracks: tracks.map { track in
                var ledger = TrackLedger(kind: track.kind, name: track.name, device: track.device)
                ledger.delivered = frames
                ledger.asked = frames
                return ledger
            })
    }

    private static func fill(
        _ writer: any ClipWriter, _ rounds: inout Int, _ write: (any ClipWriter, Int) throws -> Void
    ) throws -> CaptureError {
        for _ in 0..<100_000 {
            do {
                try write(writer, rounds)
            } catch let error as CaptureError {
                return error
            }
            rounds += 1
        }
        throw CaptureError(.usage, "The disk never was full.")
    }

    /// Runs something while no file may grow past a limit.
    package static func during<Result>(bytes limit: Int, _ body: () throws -> Result) rethrows -> Result {
        setLimit(rlim_t(limit))
        defer { setLimit(rlim_t.max) }
        return try body()
    }

    private static func setLimit(_ bytes: rlim_t) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = min(bytes, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
