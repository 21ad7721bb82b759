import CaptureGate
import Dispatch
import Synchronization

@testable import CaptureRecording

/// Blocks writers until it is opened.
final class WriterGate: Sendable {
    private let opened = DispatchSemaphore(value: 0)

    func open() { opened.signal() }

    func pass() {
        opened.wait()
        opened.signal()
    }
}

/// A writer whose disk stalls.
final class GatedWriter: ClipWriter {
    private let inner: any ClipWriter
    private let gate: WriterGate

    init(_ inner: any ClipWriter, _ gate: WriterGate) {
        self.inner = inner
        self.gate = gate
    }

    var format: ClipFormat { inner.format }
    var tracks: [ClipTrack] { inner.tracks }
    var bytesWritten: Int64 { inner.bytesWritten }
    func counts(of track: Int) -> EncoderCounts { inner.counts(of: track) }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        gate.pass()
        try inner.write(data, to: track, at: nanoseconds)
    }

    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        gate.pass()
        try inner.fill(data, to: track, at: nanoseconds, times: times)
    }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        try inner.finish(ledger: ledger, end: end)
    }

    func discard() { inner.discard() }
}
