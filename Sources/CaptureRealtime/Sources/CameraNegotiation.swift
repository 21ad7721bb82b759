import CMedia

/// Negotiation of format and rate with an open video node: the nearest to the request that the device can do.
///
/// *session-bound*
enum CameraNegotiation {
    /// Sets format and rate, and reads back what they became.
    ///
    /// - Throws: VIDIOC_G_FMT's or VIDIOC_S_FMT's error. EBUSY: another process streams.
    static func negotiate(
        _ node: borrowing CameraDescriptor, asked: CameraSettings, _ input: CameraInput
    ) throws(RealtimeFault) -> CameraFormat {
        let timings = reduced(input.numerator, input.denominator)
        try setFormat(node, asked: asked)
        let rate = setRate(node, asked: asked)
        // Read once more: some drivers change the format with the rate.
        var format = cm_v4l2_format()
        format.buffer_type = node.bufferType
        _ = try unsafe checked(.getFormat, cm_v4l2_g_fmt(node.descriptor, &format))
        let lines = max(0, Int(cm_v4l2_standard_lines(node.descriptor)))
        var result = CameraFormat(format, isCompressed: isCompressed(node, format.pixelformat))
        if let rate = rate ?? timings ?? standardRate(lines) {
            (result.fpsNumerator, result.fpsDenominator) = rate
        }
        result.standardLines = lines
        result.isDigital = timings != nil
        if let aspect = CameraAspect.measure(node, result) {
            (result.aspectWidth, result.aspectHeight) = aspect
        }
        return result
    }

    /// Frames in a number of seconds, for a television standard.
    private static func standardRate(_ lines: Int) -> (Int, Int)? {
        lines == 525 ? (30_000, 1001) : lines == 625 ? (25, 1) : nil
    }

    /// Sets the requested parts of the format; VIDIOC_S_FMT adjusts the rest.
    private static func setFormat(
        _ node: borrowing CameraDescriptor, asked: CameraSettings
    ) throws(RealtimeFault) {
        var format = cm_v4l2_format()
        format.buffer_type = node.bufferType
        _ = try unsafe checked(.getFormat, cm_v4l2_g_fmt(node.descriptor, &format))
        if asked.width > 0 { format.width = UInt32(clamping: asked.width) }
        // Frames are asked for, and a driver that gives fields in turn counts the rows of a field.
        let fields: UInt32 = format.field == V4L2_FIELD_ALTERNATE.rawValue ? 2 : 1
        if asked.height > 0 { format.height = UInt32(clamping: asked.height) / fields }
        if asked.fourcc != 0 { format.pixelformat = asked.fourcc }
        // The driver knows its own row lengths best.
        format.bytesperline = (0, 0, 0)
        format.sizeimage = (0, 0, 0)
        _ = try unsafe checked(.setFormat, cm_v4l2_s_fmt(node.descriptor, &format))
    }

    /// Sets the rate. A device that can't change it refuses, which is no error.
    private static func setRate(_ node: borrowing CameraDescriptor, asked: CameraSettings) -> (Int, Int)? {
        var parm = cm_v4l2_parm()
        parm.numerator = UInt32(clamping: asked.fpsDenominator)
        parm.denominator = UInt32(clamping: asked.fpsNumerator)
        if asked.fpsNumerator > 0 { _ = unsafe cm_v4l2_s_parm(node.descriptor, node.bufferType, &parm) }
        guard unsafe cm_v4l2_g_parm(node.descriptor, node.bufferType, &parm) >= 0 else { return nil }
        return reduced(UInt64(parm.denominator), UInt64(parm.numerator))
    }

    /// True if the driver's list flags the format as compressed: VIDIOC_G_FMT does not tell.
    private static func isCompressed(_ node: borrowing CameraDescriptor, _ fourcc: UInt32) -> Bool {
        var description = cm_v4l2_fmtdesc()
        var index: UInt32 = 0
        // A driver whose list has no end must not hold the opening up for ever.
        while index < 256, unsafe cm_v4l2_enum_fmt(node.descriptor, node.bufferType, index, &description) >= 0 {
            if description.pixelformat == fourcc { return description.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0 }
            index += 1
        }
        return false
    }

    /// A ratio in lowest terms; `nil` where one of both numbers is 0.
    static func reduced(_ numerator: UInt64, _ denominator: UInt64) -> (Int, Int)? {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return (Int(clamping: numerator / a), Int(clamping: denominator / a))
    }
}

/// Aspect ratio of a pixel on the screen: a television's pixels are not square, and a driver that scales in one
/// direction alone changes them.
enum CameraAspect {
    /// Measures the ratio with VIDIOC_CROPCAP and VIDIOC_G_SELECTION.
    ///
    /// - Returns: Width and height as a ratio in lowest terms; `nil` where the device does not say, or says nonsense.
    static func measure(_ node: borrowing CameraDescriptor, _ format: CameraFormat) -> (Int, Int)? {
        var capability = cm_v4l2_cropcap()
        guard unsafe cm_v4l2_cropcap(node.descriptor, node.bufferType, &capability) >= 0 else { return nil }
        let taken = selection(node, UInt32(V4L2_SEL_TGT_CROP)) ?? capability.standard
        let whole = cm_v4l2_size(width: UInt32(clamping: format.width), height: UInt32(clamping: format.height))
        let filled = selection(node, UInt32(V4L2_SEL_TGT_COMPOSE)) ?? whole
        return ratio(
            height: capability.aspect_numerator, width: capability.aspect_denominator, taken: taken, filled: filled,
            isAlternating: format.isAlternating)
    }

    /// A rectangle's size; `nil` for a driver without selections or with an empty one.
    private static func selection(_ node: borrowing CameraDescriptor, _ target: UInt32) -> cm_v4l2_size? {
        var size = cm_v4l2_size()
        guard unsafe cm_v4l2_g_selection(node.descriptor, node.bufferType, target, &size) >= 0 else { return nil }
        return size.width > 0 && size.height > 0 ? size : nil
    }

    /// Ratio of a pixel after the driver's scaling.
    ///
    /// - Parameters:
    ///   - height: Height of an unscaled pixel, relative to `width`.
    ///   - width: Width of an unscaled pixel.
    ///   - taken: The captured part of the signal, in rows of whole frames.
    ///   - filled: The filled part of the buffer, which may be one of two fields.
    ///   - isAlternating: True if the buffer holds one of two fields, so that its rows count double.
    static func ratio(
        height: UInt32, width: UInt32, taken: cm_v4l2_size, filled: cm_v4l2_size, isAlternating: Bool
    ) -> (Int, Int)? {
        var (wide, high) = (UInt64(width), UInt64(height))
        let sizes = [taken.width, taken.height, filled.width, filled.height]
        guard wide > 0, high > 0, wide <= 65_535, high <= 65_535 else { return nil }
        if sizes.allSatisfy({ (1...65_535).contains($0) }) {
            wide *= UInt64(taken.width) * UInt64(filled.height) * (isAlternating ? 2 : 1)
            high *= UInt64(filled.width) * UInt64(taken.height)
        }
        // No screen shows such pixels: the driver does not mean it.
        guard wide <= 16 * high, high <= 16 * wide else { return nil }
        return CameraNegotiation.reduced(wide, high)
    }
}
