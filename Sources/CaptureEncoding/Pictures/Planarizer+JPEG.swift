import CCodecs

extension Planarizer {
    /// The converted picture's planes, in `buffer`.
    func converted(_ source: UnsafeRawPointer, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> cc_jpeg_planes {
        guard let base = buffer.baseAddress else { return cc_jpeg_planes() }
        convert(source, into: base)
        let cb = base + geometry.lumaBytes
        var planes = header
        planes.plane = (UnsafePointer(base), UnsafePointer(cb), UnsafePointer(cb + geometry.chromaBytes))
        planes.stride = (Int32(geometry.width), Int32(geometry.chromaWidth), Int32(geometry.chromaWidth))
        return planes
    }

    /// The source's own planes.
    func borrowed(_ source: UnsafeRawPointer) -> cc_jpeg_planes {
        let bytes = source.assumingMemoryBound(to: UInt8.self)
        var planes = header
        planes.plane = (start(0, bytes), start(1, bytes), start(2, bytes))
        planes.stride = (stride(0), stride(1), stride(2))
        return planes
    }

    private func start(_ index: Int, _ bytes: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        index < layout.planes.count ? bytes + layout.planes[index].offset : nil
    }

    private func stride(_ index: Int) -> Int32 {
        index < layout.planes.count ? Int32(layout.planes[index].stride) : 0
    }

    private var header: cc_jpeg_planes {
        var planes = cc_jpeg_planes()
        planes.width = Int32(geometry.width)
        planes.height = Int32(geometry.height)
        planes.subsampling = geometry.sampling.jpegSampling
        return planes
    }
}

extension ChromaSampling {
    var jpegSampling: Int32 {
        switch self {
        case .yuv444: Int32(CC_JPEG_444)
        case .yuv422: Int32(CC_JPEG_422)
        case .yuv420: Int32(CC_JPEG_420)
        case .grey: Int32(CC_JPEG_GREY)
        }
    }
}
