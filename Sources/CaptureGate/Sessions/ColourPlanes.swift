import CaptureBase

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
