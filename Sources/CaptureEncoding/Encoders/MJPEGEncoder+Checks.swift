import CaptureGate

extension MJPEGEncoder {
    func checkParameters() throws(CaptureError) {
        guard (1...100).contains(parameters.quality) else {
            throw CaptureError(
                .usage, "JPEG has no quality \(parameters.quality).",
                remedies: [Remedy("Choose 1 (small) to 100 (large).")])
        }
        let is420 = PixelArrangement(format.pixelFormat)?.sampling == .yuv420
        if is420, parameters.chroma == .yuv422 {
            throw CaptureError(
                .usage, "\(format.pixelFormat) has the colour of 4:2:0; there is none to make 4:2:2 of.",
                remedies: [Remedy("Leave the chroma as the source has it.")])
        }
    }

    var cannotEncode: CaptureError {
        CaptureError(
            .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be made MJPEG.",
            remedies: [
                Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, of an even width and at most 16384x16384.")
            ])
    }
}
