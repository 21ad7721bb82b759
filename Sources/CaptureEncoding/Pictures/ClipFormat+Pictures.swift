import CaptureGate

extension ClipFormat {
    /// Whether pictures of a format can be written as they come, without libv4lconvert.
    func takes(_ format: VideoFormat, as codec: VideoCodec) -> Bool {
        switch self {
        case .nothing, .raw, .wav, .flac, .opus: true
        case .y4m: Planarizer(format, takesRGB: true) != nil
        case .mjpeg: format.pixelFormat.isCompressed || RawFrameLayout(format) != nil
        case .matroska: codec == .raw || format.pixelFormat.isCompressed || RawFrameLayout(format) != nil
        }
    }
}

extension OpenDevice {
    /// Has a camera's pictures converted where the clip can't hold them; where that can't be, the writer says so.
    func adapt(to format: ClipFormat, _ codec: VideoCodec) throws(CaptureError) {
        guard case .camera(let box) = self, var session = box.take() else { return }
        let result: Result<Void, CaptureError>
        do throws(CaptureError) {
            if !format.takes(session.format, as: codec) { _ = try session.convertPictures() }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        box.put(session)
        try result.get()
    }
}
