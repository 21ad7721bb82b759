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

    private static func sizes(_ camera: Int32, _ code: UInt32) -> [cm_v4l2_frmsize] {
        var sizes: [cm_v4l2_frmsize] = []
        var size = cm_v4l2_frmsize()
        while sizes.count < 256, cm_v4l2_enum_framesizes(camera, code, UInt32(sizes.count), &size) >= 0 {
            sizes.append(size)
            if size.type != discrete { break }
        }
        return sizes
    }

    private static func mode(_ camera: Int32, _ code: UInt32, _ size: cm_v4l2_frmsize) -> VideoMode {
        let rates = frameRates(camera, code, size)
        return VideoMode(
            pixelFormat: PixelFormat(rawValue: code), width: Int(size.max_width), height: Int(size.max_height),
            smaller: size.type == discrete ? nil : SizeSteps(size),
            frameRates: rates.list.sorted { $0.framesPerSecond > $1.framesPerSecond }, takesRatesBetween: rates.isRange)
    }

    /// V4L2_FRMSIZE_TYPE_DISCRETE and V4L2_FRMIVAL_TYPE_DISCRETE.
    private static let discrete: UInt32 = 1

    private static func frameRates(
        _ camera: Int32, _ code: UInt32, _ size: cm_v4l2_frmsize
    ) -> (list: [FrameRate], isRange: Bool) {
        var rates: [FrameRate] = []
        var interval = cm_v4l2_frmival()
        var index: UInt32 = 0
        while index < 256,
            cm_v4l2_enum_frameintervals(camera, code, size.max_width, size.max_height, index, &interval) >= 0
        {
            // An interval is seconds a frame; a rate is its inverse.
            rates += [FrameRate(Int(interval.min_denominator), Int(interval.min_numerator))].compactMap { $0 }
            if interval.type != discrete {
                rates += [FrameRate(Int(interval.max_denominator), Int(interval.max_numerator))].compactMap { $0 }
                return (rates, true)
            }
            index += 1
        }
        return (rates, false)
    }
}

extension SizeSteps {
    /// A driver that says 0 for a step has one size alone, or means each.
    fileprivate init(_ size: cm_v4l2_frmsize) {
        self.init(
            width: Int(size.min_width), height: Int(size.min_height), widthStep: max(1, Int(size.step_width)),
            heightStep: max(1, Int(size.step_height)))
    }
}
