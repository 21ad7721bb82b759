import CMedia

/// How wide a pixel is on the screen for its height: a television's are not square, and what a driver scales in one
/// direction alone changes them.
enum CameraAspect {
    /// VIDIOC_CROPCAP and VIDIOC_G_SELECTION.
    ///
    /// - Returns: width and height as a ratio in lowest terms; `nil` where the device does not say, or nonsense.
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

    private static func selection(_ node: borrowing CameraDescriptor, _ target: UInt32) -> cm_v4l2_size? {
        var size = cm_v4l2_size()
        guard unsafe cm_v4l2_g_selection(node.descriptor, node.bufferType, target, &size) >= 0 else { return nil }
        return size.width > 0 && size.height > 0 ? size : nil
    }

    /// - Parameters:
    ///   - height: Of an unscaled pixel, to its `width`.
    ///   - taken: Of the signal, in rows of whole pictures.
    ///   - filled: What of the buffer that fills, which may be one of two fields.
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
        // No screen shows pixels like that: the driver does not mean it.
        guard wide <= 16 * high, high <= 16 * wide else { return nil }
        return CameraNegotiation.reduced(wide, high)
    }
}
