import CaptureBase
import CaptureRealtime

/// Pairing of single fields to frames: the one that comes first in the signal, and the next one.
///
/// A frame that lacks a field is lost: half of its rows would be invented.
///
/// *session-bound*
struct FieldPairer {
    /// Meaning of a field for its frame.
    enum Step: Hashable {
        /// First field of a frame.
        case begins
        /// Second field of a frame, with the frame's header.
        case completes(FrameHeader)
        /// Second field whose first one is missing.
        case stray
    }

    /// True if the bottom field comes first.
    private let beginsWithBottom: Bool
    /// Header of the field that waits for its second one.
    private var first: FrameHeader?
    /// Number of the last frame; -1 before the first.
    private var last: Int64 = -1
    /// Fields lost since the last frame, and the flags of those that came.
    private var lost = Loss()
    private var flags: FrameFlags = []

    /// Pairs fields in the order of the signal.
    init(_ order: FieldOrder) { beginsWithBottom = order == .bottomFirst }

    /// True while a first field waits for its second one.
    var isWaiting: Bool { first != nil }

    /// Takes the next field.
    ///
    /// - Parameter header: of a field; its numbers count fields.
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

    /// Header of a frame; its time is the first field's.
    private mutating func picture(_ first: FrameHeader, _ second: FrameHeader) -> FrameHeader {
        // A stream that began with half a frame has an odd number before each.
        let number = max(Int64(clamping: first.sequence / 2), last + 1)
        let missing = UInt64(number - last - 1)
        let header = FrameHeader(
            sequence: UInt64(number), timestamp: first.timestamp, byteCount: first.byteCount + second.byteCount,
            frameCount: 1, flags: flags, lost: share(missing))
        (last, lost, flags) = (number, Loss(), [])
        return header
    }

    /// Lost frames by cause, from lost fields. A frame whose fields were lost by two causes counts once.
    private func share(_ missing: UInt64) -> Loss {
        let damaged = min(missing, lost.damaged)
        let ring = min(missing - damaged, lost.ring)
        return Loss(device: missing - damaged - ring, damaged: damaged, ring: ring)
    }
}

/// Whole rows of one colour plane: their position in the camera's buffer, and in a buffer of whole frames with its
/// planes one after the other.
struct ColourPlane: Hashable {
    /// Offset from the start of the plane of memory in bytes, in a buffer of one field.
    let fieldOffset: Int
    /// The same in a buffer of both fields.
    let offset: Int
    /// Offset from the start of the whole frame in bytes.
    let target: Int
    /// Distance between two rows in bytes.
    let stride: Int
    /// Rows of one field, and of a whole frame.
    let fieldRows: Int
    let rows: Int

    /// Number of bytes that the plane of memory must have.
    func end(ofField: Bool) -> Int { ofField ? fieldOffset + fieldRows * stride : offset + rows * stride }

    /// Copies the rows of a plane of memory to their positions in the whole frame.
    ///
    /// - Parameters:
    ///   - source: start of the plane of memory.
    ///   - picture: start of the whole frame.
    ///   - fields: arrangement of the fields in `source`.
    ///   - isBottom: true if `source` holds only a bottom field.
    func weave(
        _ source: UnsafeRawPointer, into picture: UnsafeMutableRawPointer, _ fields: FieldArrangement, isBottom: Bool
    ) {
        let to = picture + target
        switch fields {
        case .whole: to.copyMemory(from: source + offset, byteCount: rows * stride)
        case .alternating:
            copy(source + fieldOffset, to, every: isBottom)
        case .sequential(let order):
            // With an odd number of rows, the top field has one more.
            let second = order == .bottomFirst ? rows / 2 : (rows + 1) / 2
            copy(source + offset, to, every: order == .bottomFirst)
            copy(source + offset + second * stride, to, every: order != .bottomFirst)
        }
    }

    /// Copies the rows of one field: to the second, fourth … row if `odd` is true, otherwise to the first, third …
    private func copy(_ source: UnsafeRawPointer, _ picture: UnsafeMutableRawPointer, every odd: Bool) {
        for (index, row) in Swift.stride(from: odd ? 1 : 0, to: rows, by: 2).enumerated() {
            (picture + row * stride).copyMemory(from: source + index * stride, byteCount: stride)
        }
    }
}

extension VideoFormat {
    /// Colour planes in each plane of memory.
    var colourPlanes: [[ColourPlane]] {
        var target = 0
        return planeBytesPerLine.enumerated().map { index, bytesPerLine in
            let halves = index > 0 && PixelFormat.halvingRows.contains(pixelFormat)
            let shapes = [(bytesPerLine, halves)] + (planeBytesPerLine.count == 1 ? colourShapes : [])
            var (fieldOffset, offset) = (0, 0)
            return shapes.map { stride, isHalved in
                let (field, whole) = ((height + 1) / 2, height)
                let plane = ColourPlane(
                    fieldOffset: fieldOffset, offset: offset, target: target, stride: stride,
                    fieldRows: isHalved ? (field + 1) / 2 : field, rows: isHalved ? (whole + 1) / 2 : whole)
                fieldOffset += plane.fieldRows * stride
                offset += plane.rows * stride
                target += plane.rows * stride
                return plane
            }
        }
    }

    /// Stride of the planes that follow Y in the same plane of memory, and whether they have half the rows. A format
    /// that is missing here counts as one plane.
    private var colourShapes: [(Int, Bool)] {
        let half = max(bytesPerLine / 2, (width + 1) / 2)
        return switch pixelFormat.description {
        case "NV12", "NV21", "P010", "P012": [(bytesPerLine, true)]
        case "NV16", "NV61": [(bytesPerLine, false)]
        case "NV24", "NV42": [(2 * bytesPerLine, false)]
        case "YU12", "YV12": [(half, true), (half, true)]
        case "422P": [(half, false), (half, false)]
        case "411P": [(bytesPerLine / 4, false), (bytesPerLine / 4, false)]
        default: []
        }
    }
}

extension PixelFormat {
    /// Formats with separate memory planes, whose chroma planes have half the rows.
    fileprivate static let halvingRows: Set<PixelFormat> = Set(
        ["NM12", "NM21", "YM12", "YM21"].compactMap { PixelFormat($0) })
}
