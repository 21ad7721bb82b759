import Testing

@testable import CaptureRealtime

@Suite("Devices that keep their channels apart")
struct PlanarReaderTests {
    @Test("Samples of any size and number of channels are woven together", arguments: PCMFormat.allCases, [1, 2, 5, 8])
    func weave(format: PCMFormat, channels: Int) {
        let (frames, size) = (37, format.bytesPerSample)
        let reader = PlanarReader(PCMSettings(channels: channels, format: format, periodFrames: 64))
        // Every byte says which channel, frame and place it is of.
        func byte(_ channel: Int, _ frame: Int, _ place: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: channel * 31 + frame * 7 + place)
        }
        for channel in 0..<channels {
            let plane = reader.plane(channel)!
            for offset in 0..<frames * size {
                plane.storeBytes(of: byte(channel, offset / size, offset % size), toByteOffset: offset, as: UInt8.self)
            }
        }
        var woven = [UInt8](repeating: 0, count: frames * channels * size)
        woven.withUnsafeMutableBytes { reader.weave(into: $0.baseAddress!, frames: frames) }
        let expected = (0..<frames).flatMap { frame in
            (0..<channels).flatMap { channel in (0..<size).map { byte(channel, frame, $0) } }
        }
        #expect(woven == expected)
    }
}
