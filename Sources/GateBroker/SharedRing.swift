import CaptureBase
import CaptureGate
import CaptureRealtime
import LinuxSystem

/// Ring in memory that one program can read and nobody but the broker can write.
///
/// *thread-safe*
final class SharedRing: LentRing {
    let files: [RawDescriptor]
    let slots: Int
    let slotBytes: Int
    private let writer: Locked<SharedRingWriter>

    /// Makes a ring for a device's frames.
    ///
    /// - Throws: `.unavailable` if there is no memory, no descriptor, or a format that no ring takes.
    init(for format: LentDevice.Format) throws(CaptureError) {
        do throws(RealtimeFault) {
            let geometry =
                switch format {
                case .video(let camera): try SharedGeometry(for: camera)
                case .audio(let settings): try SharedGeometry(for: settings)
                }
            let made = try SharedRingWriter(geometry)
            files = [RawDescriptor(made.memory), RawDescriptor(made.wake)]
            (slots, slotBytes) = (geometry.slots, geometry.slotBytes)
            writer = Locked(made)
        } catch {
            throw CaptureError(
                .unavailable, "There is not enough memory to share frames: \(error.call.function) failed.",
                errno: error.errno,
                remedies: [Remedy("End other programs, or choose a smaller format.")])
        }
    }

    func write(_ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan) {
        writer.withLock { _ = $0.write(header, first, second, third) }
    }

    func end(_ reason: LoopEnd) { writer.withLock { $0.finish(LoopResult(reason)) } }
}

extension DeviceShares {
    /// Devices whose frames are lent in shared memory.
    convenience init() {
        self.init { format throws(CaptureError) in try SharedRing(for: format) }
    }
}
