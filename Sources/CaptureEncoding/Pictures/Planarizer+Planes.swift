extension Planarizer {
    func copyPlanes(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, target)
        let chroma = target + geometry.lumaBytes
        for index in layout.planes.indices.dropFirst() {
            let isSecond = (index == 2) != swapped
            copyPlane(
                source, layout.planes[index], isSecond ? chroma + geometry.chromaBytes : chroma, PixelRows.expandChroma)
        }
    }

    func splitSemiplanar(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, swapped: Bool) {
        copyLuma(source, y)
        let plane = layout.planes[1]
        let width = geometry.chromaWidth
        for row in 0..<geometry.chromaHeight {
            let cb = y + geometry.lumaBytes + row * width
            let cr = cb + geometry.chromaBytes
            let (first, second) = swapped ? (cr, cb) : (cb, cr)
            PixelRows.split(source + plane.offset + row * plane.stride, first, second, count: width)
            expandRow(y, 0, cb, cr)
        }
    }

    /// Eight bits of sixteen.
    func narrow(
        _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ shift: UInt16, _ isBigEndian: Bool
    ) {
        for row in 0..<geometry.height {
            PixelRows.narrow(
                source + row * layout.planes[0].stride, into: target + row * geometry.width, count: geometry.width,
                shift: shift, isBigEndian: isBigEndian)
        }
    }

    func separate(
        _ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, red: Int, blue: Int, _ shares: RGBToYCbCr
    ) {
        for row in 0..<geometry.height {
            let start = y + row * geometry.width
            PixelRows.separate(
                (source + row * layout.planes[0].stride).assumingMemoryBound(to: UInt8.self), start,
                start + geometry.lumaBytes, start + 2 * geometry.lumaBytes, count: geometry.width, red: red, blue: blue,
                shares)
        }
    }

    private func copyLuma(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>) {
        copyPlane(source, layout.planes[0], target, PixelRows.expandLuma)
    }

    private func copyPlane(
        _ source: UnsafeRawPointer, _ plane: RawFrameLayout.Plane, _ target: UnsafeMutablePointer<UInt8>,
        _ expand: (PixelRows.Source, PixelRows.Target, Int) -> Void
    ) {
        for row in 0..<plane.rows {
            let from = source + plane.offset + row * plane.stride
            let to = target + row * plane.rowBytes
            if expands {
                expand(from.assumingMemoryBound(to: UInt8.self), to, plane.rowBytes)
            } else {
                UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: plane.rowBytes)
            }
        }
    }
}
