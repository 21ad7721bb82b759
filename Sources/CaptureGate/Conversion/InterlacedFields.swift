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

/// Whole rows of one plane of colour, in a buffer of the camera's and in one of whole pictures behind each other.
struct ColourPlane: Hashable {
    /// From the start of the plane of memory that it is in, bytes: in a buffer of half the rows, and in a whole one.
    let fieldOffset: Int
    let offset: Int
    /// From the start of the whole picture.
    let target: Int
    /// From row to row.
    let stride: Int
    let fieldRows: Int
    let rows: Int

    /// Of a plane of memory, how many bytes there must be.
    func end(ofField: Bool) -> Int { ofField ? fieldOffset + fieldRows * stride : offset + rows * stride }

    /// Copies the rows of a plane of memory to where they belong.
    ///
    /// - Parameter isBottom: whose rows it has, where it is one field.
    func weave(
        _ source: UnsafeRawPointer, into picture: UnsafeMutableRawPointer, _ fields: FieldArrangement, isBottom: Bool
    ) {
        let to = picture + target
        switch fields {
        case .whole: to.copyMemory(from: source + offset, byteCount: rows * stride)
        case .alternating:
            copy(source + fieldOffset, to, every: isBottom)
        case .sequential(let order):
            let second = order == .bottomFirst ? rows / 2 : (rows + 1) / 2
            copy(source + offset, to, every: order == .bottomFirst)
            copy(source + offset + second * stride, to, every: order != .bottomFirst)
        }
    }

    /// - Parameter odd: to the second, fourth … row, else to the first, third …
    private func copy(_ source: UnsafeRawPointer, _ picture: UnsafeMutableRawPointer, every odd: Bool) {
        for (index, row) in Swift.stride(from: odd ? 1 : 0, to: rows, by: 2).enumerated() {
            (picture + row * stride).copyMemory(from: source + index * stride, byteCount: stride)
        }
    }
}

extension VideoFormat {
    /// The planes of colour in each plane of memory, for a picture of this height and for a field of half of it.
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

    /// Of formats whose colours lie behind each other in one plane of memory: from row to row of those that follow Y, and
    /// whether they have half the rows.
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
    /// Planes of memory of their own, with half the rows in those of colour.
    fileprivate static let halvingRows: Set<PixelFormat> = Set(
        ["NM12", "NM21", "YM12", "YM21"].compactMap { PixelFormat($0) })
}
