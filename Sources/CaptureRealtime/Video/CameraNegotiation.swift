import CMedia

/// Sets up an open video node as near as it can to what was asked for.
enum CameraNegotiation {
    static func negotiate(
        _ node: borrowing CameraDescriptor, asked: CameraSettings, _ input: CameraInput
    ) throws(RealtimeFault) -> CameraFormat {
        let timings = reduced(input.numerator, input.denominator)
        try setFormat(node, asked: asked)
        let rate = setRate(node, asked: asked)
        // Once more: some drivers change the picture with the rate.
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

    /// Pictures in so many seconds, of a television standard.
    private static func standardRate(_ lines: Int) -> (Int, Int)? {
        lines == 525 ? (30_000, 1001) : lines == 625 ? (25, 1) : nil
    }

    private static func setFormat(
        _ node: borrowing CameraDescriptor, asked: CameraSettings
    ) throws(RealtimeFault) {
        var format = cm_v4l2_format()
        format.buffer_type = node.bufferType
        _ = try unsafe checked(.getFormat, cm_v4l2_g_fmt(node.descriptor, &format))
        if asked.width > 0 { format.width = UInt32(clamping: asked.width) }
        // Pictures are asked for, and a driver that gives fields in turn counts the rows of a field.
        let fields: UInt32 = format.field == V4L2_FIELD_ALTERNATE.rawValue ? 2 : 1
        if asked.height > 0 { format.height = UInt32(clamping: asked.height) / fields }
        if asked.fourcc != 0 { format.pixelformat = asked.fourcc }
        // The driver knows its own rows best.
        format.bytesperline = (0, 0, 0)
        format.sizeimage = (0, 0, 0)
        _ = try unsafe checked(.setFormat, cm_v4l2_s_fmt(node.descriptor, &format))
    }

    /// A device that can't change its rate refuses, which is no error.
    private static func setRate(_ node: borrowing CameraDescriptor, asked: CameraSettings) -> (Int, Int)? {
        var parm = cm_v4l2_parm()
        parm.numerator = UInt32(clamping: asked.fpsDenominator)
        parm.denominator = UInt32(clamping: asked.fpsNumerator)
        if asked.fpsNumerator > 0 { _ = unsafe cm_v4l2_s_parm(node.descriptor, node.bufferType, &parm) }
        guard unsafe cm_v4l2_g_parm(node.descriptor, node.bufferType, &parm) >= 0 else { return nil }
        return reduced(UInt64(parm.denominator), UInt64(parm.numerator))
    }

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

    static func reduced(_ numerator: UInt64, _ denominator: UInt64) -> (Int, Int)? {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return (Int(clamping: numerator / a), Int(clamping: denominator / a))
    }
}
