import CMedia

/// Asks an idle camera for its formats, sizes and rates (`VIDIOC_ENUM_FMT` and its kin), without streaming.
enum CameraFormats {
    static func read(_ node: String) -> Device.Formats {
        let camera = cm_v4l2_open(node)
        guard camera >= 0 else { return .unknown }
        defer { _ = cm_close(camera) }
        let codes = bufferTypes.flatMap { pixelFormats(camera, type: $0) }
        let modes = codes.flatMap { code in sizes(camera, code).map { mode(camera, code, $0) } }
        return .video(modes)
    }

    /// V4L2_BUF_TYPE_VIDEO_CAPTURE and V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
    private static let bufferTypes: [UInt32] = [1, 9]

    private static func pixelFormats(_ camera: Int32, type: UInt32) -> [UInt32] {
        var codes: [UInt32] = []
        var format = cm_v4l2_fmtdesc()
        // A driver that never ends its list would hang the scan.
        while codes.count < 256, cm_v4l2_enum_fmt(camera, type, UInt32(codes.count), &format) >= 0 {
            codes.append(format.pixelformat)
        }
        return codes
    }

    private static func sizes(_ camera: Int32, _ code: UInt32) -> [(Int, Int)] {
        var sizes: [(Int, Int)] = []
        var size = cm_v4l2_frmsize()
        while sizes.count < 256, cm_v4l2_enum_framesizes(camera, code, UInt32(sizes.count), &size) >= 0 {
            sizes.append((Int(size.max_width), Int(size.max_height)))
            if size.type != 1 { break }
        }
        return sizes
    }

    private static func mode(_ camera: Int32, _ code: UInt32, _ size: (Int, Int)) -> VideoMode {
        VideoMode(
            pixelFormat: PixelFormat(rawValue: code), width: size.0, height: size.1,
            frameRates: frameRates(camera, code, size).sorted { $0.framesPerSecond > $1.framesPerSecond })
    }

    private static func frameRates(_ camera: Int32, _ code: UInt32, _ size: (Int, Int)) -> [FrameRate] {
        var rates: [FrameRate] = []
        var interval = cm_v4l2_frmival()
        var index: UInt32 = 0
        while index < 256,
            cm_v4l2_enum_frameintervals(camera, code, UInt32(size.0), UInt32(size.1), index, &interval) >= 0
        {
            // An interval is seconds a frame; a rate is its inverse.
            rates += [FrameRate(Int(interval.min_denominator), Int(interval.min_numerator))].compactMap { $0 }
            if interval.type != 1 {
                rates += [FrameRate(Int(interval.max_denominator), Int(interval.max_numerator))].compactMap { $0 }
                break
            }
            index += 1
        }
        return rates
    }
}
