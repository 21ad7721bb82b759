import CaptureGate

/// The first line of a YUV4MPEG2 file, read without trust.
struct Y4MHeader: Hashable {
    /// With its end of line.
    let bytes: [UInt8]
    let pictureBytes: Int
    let frameRate: FrameRate

    static let most = 256
    static let frameLine = Array("FRAME\n".utf8)

    init?(_ start: [UInt8]) {
        guard let end = start.firstIndex(of: 0x0A) else { return nil }
        bytes = Array(start[...end])
        let words = String(decoding: start[..<end], as: UTF8.self).split(separator: " ")
        func value(_ letter: Character) -> Substring? { words.dropFirst().first { $0.first == letter }?.dropFirst() }
        guard words.first == "YUV4MPEG2", let width = Int(value("W") ?? ""), let height = Int(value("H") ?? ""),
            (1...16_384).contains(width), (1...16_384).contains(height), let rate = Self.rate(value("F") ?? ""),
            let sampling = ChromaSampling(y4mTag: value("C") ?? "420jpeg")
        else { return nil }
        pictureBytes = PlanarGeometry(width: width, height: height, sampling: sampling).byteCount
        frameRate = rate
    }

    private static func rate(_ text: Substring) -> FrameRate? {
        let parts = text.split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (1...1_000_000_000).contains($0) }) else { return nil }
        return FrameRate(parts[0], parts[1])
    }
}

extension ChromaSampling {
    fileprivate init?(y4mTag: Substring) {
        switch y4mTag {
        case "444": self = .yuv444
        case "422": self = .yuv422
        case "420jpeg", "420": self = .yuv420
        case "mono": self = .grey
        default: return nil
        }
    }
}
