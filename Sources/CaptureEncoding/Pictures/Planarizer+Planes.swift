extension Planarizer {
    func copyPlanes(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>) {
        copyLuma(source, target)
        var to = target + geometry.lumaBytes
        for plane in layout.planes.dropFirst() {
            copyPlane(source, plane, to, Rows.expandChroma)
            to += geometry.chromaBytes
        }
    }

    func copyLuma(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>) {
        copyPlane(source, layout.planes[0], target, Rows.expandLuma)
    }

    private func copyPlane(
        _ source: UnsafeRawPointer, _ plane: PictureLayout.Plane, _ target: UnsafeMutablePointer<UInt8>,
        _ expand: (Rows.Source, Rows.Target, Int) -> Void
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
