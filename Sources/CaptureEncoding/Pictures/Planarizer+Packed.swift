/// Where the samples of two pixels stand in their four bytes; the second Y is two behind the first.
struct PackedOrder: Hashable {
    let y: Int
    let cb: Int
    let cr: Int
}

extension Planarizer {
    func splitPacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        for row in 0..<geometry.height {
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, cb + row * geometry.chromaWidth,
                cr + row * geometry.chromaWidth, order)
        }
    }

    func halvePacked(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, _ order: PackedOrder) {
        let width = geometry.chromaWidth
        let cb = y + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        let (otherCb, otherCr) = (y + geometry.byteCount, y + geometry.byteCount + width)
        for row in 0..<geometry.height {
            let isFirst = row.isMultiple(of: 2)
            let (rowCb, rowCr) = (cb + row / 2 * width, cr + row / 2 * width)
            splitRow(
                source + row * layout.planes[0].stride, y + row * geometry.width, isFirst ? rowCb : otherCb,
                isFirst ? rowCr : otherCr, order)
            if isFirst { continue }
            PixelRows.average(rowCb, otherCb, into: rowCb, count: width)
            PixelRows.average(rowCr, otherCr, into: rowCr, count: width)
        }
    }

    private func splitRow(
        _ source: UnsafeRawPointer, _ y: PixelRows.Target, _ cb: PixelRows.Target, _ cr: PixelRows.Target,
        _ order: PackedOrder
    ) {
        let pairs = geometry.chromaWidth
        // The orders differ in where Y stands; which of the others is Cb is a matter of two names.
        let isCbFirst = order.cb < order.cr
        let (first, second) = isCbFirst ? (cb, cr) : (cr, cb)
        if order.y == 0 {
            PixelRows.splitYUYV(source, y, first, second, pairs: pairs)
        } else {
            PixelRows.splitUYVY(source, y, first, second, pairs: pairs)
        }
        expandRow(y, geometry.width, cb, cr)
    }
}
