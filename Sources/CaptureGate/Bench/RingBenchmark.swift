import CMedia
import CaptureBase
import CaptureRealtime

/// Measures the rings between the capture thread and its reader, with memory in place of a device.
///
/// *thread-safe*
public struct RingBenchmark: Hashable, Sendable {
    public let kind: RingMeasurement.Kind
    /// Of a period; without a meaning for pictures.
    public let bytes: Int

    public init(_ kind: RingMeasurement.Kind, bytes: Int = 0) {
        self.kind = kind
        self.bytes = kind == .sound ? max(bytes, 1) : 0
    }

    /// Periods of two channels at 48 kHz and of eight at 192 kHz, 10 ms each, and pictures.
    public static let usual = [
        RingBenchmark(.sound, bytes: 1_920), RingBenchmark(.sound, bytes: 61_440), RingBenchmark(.picture),
    ]

    /// Sends items through until the time is over; blocks the thread meanwhile.
    /// - Throws: `.inputOutput` where there is no memory for a ring.
    public func measure(for duration: Duration) throws(CaptureError) -> RingMeasurement {
        var items = 0
        var elapsed: Int64 = 0
        let limit = duration.nanoseconds
        let begun = cm_monotonic()
        repeat {
            do throws(RealtimeFault) {
                elapsed += try round()
            } catch {
                throw CaptureError(.inputOutput, "There is no memory for a ring of \(bytes) bytes a period.")
            }
            items += itemsOfRound
        } while cm_monotonic() - begun < limit
        return RingMeasurement(kind: kind, bytes: bytes, items: items, elapsedNanoseconds: elapsed)
    }

    /// So many that starting a thread costs nothing beside them.
    private var itemsOfRound: Int { kind == .picture ? 100_000 : min(max(100_000_000 / bytes, 100), 50_000) }

    /// - Returns: nanoseconds that the items took.
    private func round() throws(RealtimeFault) -> Int64 {
        switch kind {
        case .sound: try SoundRound(bytes: bytes, items: itemsOfRound).run()
        case .picture: try PictureRound(items: itemsOfRound).run()
        }
    }
}
