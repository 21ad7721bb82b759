import CCodecs

/// A JPEG image's planes as libturbojpeg decodes them, warnings being errors.
struct Decoded {
    let width: Int
    let height: Int
    let sampling: Int32
    let planes: [[UInt8]]

    init?(_ image: [UInt8]) {
        guard let decoder = cc_jpeg_decoder() else { return nil }
        defer { cc_jpeg_free(decoder) }
        var header = cc_jpeg_planes()
        guard cc_jpeg_header(decoder, image, image.count, &header) == 0 else { return nil }
        let (width, height, sampling) = (Int(header.width), Int(header.height), header.subsampling)
        let (halfWidth, halfHeight) = ((width + 1) / 2, sampling == Int32(CC_JPEG_420) ? (height + 1) / 2 : height)
        let chroma = sampling == Int32(CC_JPEG_GREY) ? 0 : halfWidth * halfHeight
        var bytes = [UInt8](repeating: 0, count: width * height + 2 * chroma)
        var strides = [Int32(width), Int32(halfWidth), Int32(halfWidth)]
        let result = bytes.withUnsafeMutableBufferPointer { bytes -> Int32 in
            guard let base = bytes.baseAddress else { return -1 }
            let planes =
                [base, base + width * height, base + width * height + chroma] as [UnsafeMutablePointer<UInt8>?]
            return cc_jpeg_decode(decoder, image, image.count, planes, &strides)
        }
        guard result == 0 else { return nil }
        (self.width, self.height, self.sampling) = (width, height, sampling)
        let first = width * height
        planes = [
            Array(bytes[..<first]), Array(bytes[first..<first + chroma]), Array(bytes[(first + chroma)...]),
        ]
    }
}
