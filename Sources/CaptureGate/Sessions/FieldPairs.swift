import CaptureBase
import CaptureRealtime

/// Finds of single fields which two make a picture: the one that comes first in the signal, and the next one.
///
/// A picture with one field is lost: half of its rows would be made up.
///
/// *session-bound*
struct FieldPairer {
    enum Step: Hashable {
        /// The rows of a picture's first field.
        case begins
        /// Those of its second one, and what is to be said of the picture.
        case completes(FrameHeader)
        /// A second one whose first one is missing.
        case stray
    }

    private let beginsWithBottom: Bool
    private var first: FrameHeader?
    /// The last picture; -1 before the first.
    private var last: Int64 = -1
    /// Of the fields since then.
    private var lost = Loss()
    private var flags: FrameFlags = []

    init(_ order: FieldOrder) { beginsWithBottom = order == .bottomFirst }

    /// Whether a first field waits for its second one.
    var isWaiting: Bool { first != nil }

    /// - Parameter header: of a field; it counts fields.
    mutating func take(_ header: FrameHeader) -> Step {
        lost.device += header.lost.device
        lost.damaged += header.lost.damaged
        lost.ring += header.lost.ring
        flags.formUnion(header.flags.subtracting(.bottomField))
        guard header.flags.contains(.bottomField) != beginsWithBottom else {
            first = header
            return .begins
        }
        guard let begun = first.take(), header.sequence == begun.sequence + 1 else { return .stray }
        return .completes(picture(begun, header))
    }

    /// The first field's time is the picture's.
    private mutating func picture(_ first: FrameHeader, _ second: FrameHeader) -> FrameHeader {
        // A stream that began with half a picture has an odd number before each.
        let number = max(Int64(clamping: first.sequence / 2), last + 1)
        let missing = UInt64(number - last - 1)
        let header = FrameHeader(
            sequence: UInt64(number), timestamp: first.timestamp, byteCount: first.byteCount + second.byteCount,
            frameCount: 1, flags: flags, lost: share(missing))
        (last, lost, flags) = (number, Loss(), [])
        return header
    }

    /// What was lost of fields, as pictures.
    private func share(_ missing: UInt64) -> Loss {
        let damaged = min(missing, lost.damaged)
        let ring = min(missing - damaged, lost.ring)
        return Loss(device: missing - damaged - ring, damaged: damaged, ring: ring)
    }
}
