import Gate

/// The devices that are always there, for tests and first steps: a picture with a frame counter in it, and a tone.
enum BuiltInDevices {
    static let bars = Device(
        id: .testPicture, name: "built-in test picture", capability: .camera,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .video(
            [(1920, 1080), (1280, 720), (640, 480)].map { width, height in
                VideoMode(
                    pixelFormat: .yuyv, width: width, height: height,
                    frameRates: [60, 50, 30, 25].compactMap { FrameRate($0) })
            }))

    static let tone = Device(
        id: .testTone, name: "built-in test tone, 997 Hz", capability: .microphone,
        availability: .available, ambiguity: nil, nodes: [], pcmName: nil,
        formats: .audio(
            AudioRanges(sampleRates: 8000...192_000, channels: 1...8, sampleFormats: [.s16, .s32, .float32])))

    static let all = [bars, tone]
}
