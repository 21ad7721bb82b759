import CaptureGate
import Glibc

/// What is written into a picture's file about it: PNG's text chunks and Exif in JPEG. QOI has no place for it.
///
/// *thread-safe*
public struct StillMetadata: Hashable, Sendable {
    public var title: String?
    /// The camera's name.
    public var device: String?
    /// When it was taken, nanoseconds since 1970 in UTC.
    public var time: Int64

    static let software = "CaptureGate"
    /// Bytes of one text; what is longer is cut off.
    private static let longest = 255

    /// - Parameters:
    ///   - title: up to 255 bytes of UTF-8 are kept, without control characters; so of the device.
    ///   - device: the camera's name.
    ///   - time: nanoseconds since 1970 in UTC, 0 upwards.
    public init(title: String? = nil, device: String? = nil, time: Int64) {
        self.title = title
        self.device = device
        self.time = max(time, 0)
    }

    /// - Parameters:
    ///   - file: as ``StillEncoder`` makes it.
    ///   - still: its format.
    /// - Returns: the file with the notes in it, or as it was where it has no place for them or has its own.
    public func added(to file: [UInt8], _ still: StillFormat) -> [UInt8] {
        switch still {
        case .png: PNGMetadata(self).added(to: file)
        case .jpeg: ExifMetadata(self).added(to: file)
        case .qoi: file
        }
    }

    /// Names come from devices, which may say anything.
    static func safe(_ text: String?) -> String? {
        guard let text else { return nil }
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory == .control { continue }
            count += UTF8.width(scalar)
            if count > longest { break }
            kept.append(scalar)
        }
        return kept.isEmpty ? nil : String(kept)
    }

    /// The time's year, month, day, hour, minute and second, in UTC.
    var date: [Int] {
        var seconds = time_t(time / 1_000_000_000)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return [1970, 1, 1, 0, 0, 0] }
        return [
            Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min),
            Int(parts.tm_sec),
        ]
    }

    /// Three digits.
    var milliseconds: String { Self.digits(Int(time / 1_000_000 % 1000), 3) }

    static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }

    /// Now, of a moment on CLOCK_MONOTONIC.
    static func wallTime(of monotonic: Int64) -> Int64 {
        now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC) + monotonic
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
