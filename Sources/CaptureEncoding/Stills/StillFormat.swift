import CaptureBase
import LinuxSystem

/// File format of a still image.
///
/// *thread-safe*
public enum StillFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// JPEG in JFIF (ITU-T T.81, T.871).
    case jpeg
    /// PNG (W3C PNG, ISO/IEC 15948): lossless for grey and RGB.
    case png
    /// QOI 1.0: lossless as PNG, larger, and many times faster.
    case qoi

    /// File name extensions, without the point.
    public var endings: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg"]
        case .png, .qoi: [rawValue]
        }
    }

    /// Finds the format by a file name's extension.
    /// - Parameter path: the file's name.
    /// - Throws: `.usage` for an unknown extension; the remedy lists the known ones.
    public init(ofEnding path: String) throws(CaptureError) {
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? parts.last?.lowercased() ?? "" : ""
        guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
            let known = Self.allCases.flatMap(\.endings).map { "." + $0 }.joined(separator: ", ")
            throw CaptureError(
                .usage, "The ending of \"\(path)\" is not a known image format.",
                remedies: [Remedy("Use one of \(known).")])
        }
        self = format
    }

    /// True if a camera's frames can be stored unchanged, without libv4lconvert.
    /// - Parameter format: format of the frames.
    public func takes(_ format: VideoFormat) -> Bool { format.pixelFormat.isJPEG || RawLayout(format) != nil }
}

/// Metadata of a still image: PNG's text chunks, Exif in JPEG. QOI has no room for any.
///
/// *thread-safe*
public struct StillMetadata: Hashable, Sendable {
    /// Title that a person gave.
    public var title: String?
    /// Name of the camera.
    public var device: String?
    /// Time of the frame, since 1970 in UTC.
    public var time: Duration

    /// Name of the program that wrote the file.
    static let software = "CaptureGate"
    /// Bytes of one text; longer ones are cut between two characters.
    private static let longest = 255

    /// - Parameters:
    ///   - title: up to 255 bytes of UTF-8 are kept, without control characters; likewise of the
    ///     device.
    ///   - device: name of the camera.
    ///   - time: since 1970 in UTC, zero upwards.
    public init(title: String? = nil, device: String? = nil, time: Duration) {
        self.title = title
        self.device = device
        self.time = max(time, .zero)
    }

    /// Adds the metadata to a file.
    /// - Parameters:
    ///   - file: made by ``StillEncoder``.
    ///   - still: its format.
    /// - Returns: the file with its metadata; unchanged if it has no room for any or has its own.
    public func added(to file: [UInt8], _ still: StillFormat) -> [UInt8] {
        switch still {
        case .png: PNGMetadata(self).added(to: file)
        case .jpeg: ExifMetadata(self).added(to: file)
        case .qoi: file
        }
    }

    /// Text without control characters: names come from devices, which may say anything.
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

    /// Year, month, day, hour, minute and second in UTC, by gmtime_r(3).
    var date: [Int] {
        let parts = CivilTime(nanoseconds: time.exactNanoseconds, in: .utc)
        return [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
    }

    /// Three digits.
    package var milliseconds: String { Self.digits(Int(time.exactNanoseconds / 1_000_000 % 1000), 3) }

    /// Number with leading zeros.
    package static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.count, 0)) + text
    }

    /// CLOCK_REALTIME of a moment on CLOCK_MONOTONIC, by the offset of the two clocks now.
    package static func wallTime(of monotonic: Int64) -> Duration {
        .nanoseconds(SystemClock.realtime.now - SystemClock.monotonic.now + monotonic)
    }
}

/// Metadata of a JPEG still: an APP1 segment of Exif 2.32 (CIPA DC-008) after JFIF's APP0.
struct ExifMetadata {
    /// The whole segment, marker and length included.
    private let segment: [UInt8]

    /// Tags of TIFF 6.0 and Exif.
    private enum Tag: UInt16 {
        case imageDescription = 0x010E
        case model = 0x0110
        case software = 0x0131
        case dateTime = 0x0132
        case exif = 0x8769
        case version = 0x9000
        case dateTimeOriginal = 0x9003
        case offsetTimeOriginal = 0x9011
        case subSecTimeOriginal = 0x9291
    }

    /// Identifier of the segment (CIPA DC-008, 4.7.2).
    private static let mark = Array("Exif".utf8) + [0, 0]

    /// Builds both directories: that of the image (0th IFD) and Exif's own, to which it points.
    init(_ notes: StillMetadata) {
        let date = notes.date.map { StillMetadata.digits($0, 2) }
        let time = "\(date[0]):\(date[1]):\(date[2]) \(date[3]):\(date[4]):\(date[5])"
        let main: [(Tag, String?)] = [
            (.imageDescription, StillMetadata.safe(notes.title)), (.model, StillMetadata.safe(notes.device)),
            (.software, StillMetadata.software), (.dateTime, time),
        ]
        var first = main.compactMap { tag, text in text.map { Entry.text(tag, $0) } }
        let second = [
            Entry(tag: .version, type: 7, value: Array("0232".utf8)), .text(.dateTimeOriginal, time),
            .text(.offsetTimeOriginal, "+00:00"), .text(.subSecTimeOriginal, notes.milliseconds),
        ]
        first.append(Entry(tag: .exif, type: 4, value: [0, 0, 0, 0]))
        // Its offset is known once the size of the part ahead of it is.
        let start = 8 + Self.directory(first, at: 8).count
        first[first.count - 1] = Entry(tag: .exif, type: 4, value: Self.bytes(UInt32(start)))
        // Big-endian TIFF ("MM", 42), whose first directory is at offset 8.
        let tiff = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + Self.directory(first, at: 8) + Self.directory(second, at: start)
        let body = Self.mark + tiff
        segment = [0xFF, 0xE1] + Self.bytes(UInt16(body.count + 2)) + body
    }

    /// Inserts the segment.
    /// - Returns: the unchanged file if it is not a JPEG or has its own Exif.
    func added(to file: [UInt8]) -> [UInt8] {
        guard file.starts(with: [0xFF, 0xD8]), let place = Self.place(in: file) else { return file }
        return file[..<place] + segment + file[place...]
    }

    /// Offset for the segment: after APP0, which JFIF requires first (ITU-T T.871).
    /// - Returns: `nil` for an image with its own Exif.
    private static func place(in file: [UInt8]) -> Int? {
        var (at, place) = (2, 2)
        while at + 4 <= file.count, file[at] == 0xFF, (0xE0...0xEF).contains(file[at + 1]) {
            let next = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            if file[at + 1] == 0xE1, file[(at + 4)...].starts(with: mark) { return nil }
            if file[at + 1] == 0xE0 { place = min(next, file.count) }
            at = next
        }
        return place
    }

    /// Entry of a directory: tag, type and value.
    private struct Entry {
        let tag: Tag
        let type: UInt16
        let value: [UInt8]

        /// Text entry. The type is named ASCII; readers take UTF-8.
        static func text(_ tag: Tag, _ text: String) -> Entry {
            Entry(tag: tag, type: 2, value: Array(text.utf8) + [0])
        }
    }

    /// Directory with twelve bytes per entry, by ascending tag. Values of more than four bytes follow after them, at even offsets
    /// (TIFF 6.0, section 2).
    private static func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
        var values: [UInt8] = []
        var bytes = Self.bytes(UInt16(entries.count))
        let behind = start + 2 + 12 * entries.count + 4
        for entry in entries {
            let count = entry.type == 4 ? 1 : entry.value.count
            bytes += Self.bytes(entry.tag.rawValue) + Self.bytes(entry.type) + Self.bytes(UInt32(count))
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += Self.bytes(UInt32(behind + values.count))
                values += entry.value + (entry.value.count.isMultiple(of: 2) ? [] : [0])
            }
        }
        return bytes + [0, 0, 0, 0] + values
    }

    /// Big-endian.
    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// Metadata of a PNG still: iTXt chunks after IHDR (W3C PNG, ISO/IEC 15948, 11.3.4.5).
struct PNGMetadata {
    /// Keywords of the standard, and their texts.
    private let texts: [(keyword: String, text: String)]

    /// Signature and IHDR in bytes.
    private static let headSize = 33

    /// Chooses keyword and form of each piece of metadata.
    init(_ notes: StillMetadata) {
        let date = notes.date.map { StillMetadata.digits($0, 2) }
        // RFC 3339, as PNG's third edition recommends.
        let time = "\(date[0])-\(date[1])-\(date[2])T\(date[3]):\(date[4]):\(date[5]).\(notes.milliseconds)Z"
        let all: [(String, String?)] = [
            ("Title", StillMetadata.safe(notes.title)), ("Source", StillMetadata.safe(notes.device)),
            ("Software", StillMetadata.software), ("Creation Time", time),
        ]
        texts = all.compactMap { keyword, text in text.map { (keyword, $0) } }
    }

    /// Inserts the chunks ahead of the image data, where readers that stop early find them.
    func added(to file: [UInt8]) -> [UInt8] {
        guard file.count > Self.headSize else { return file }
        return file[..<Self.headSize] + texts.flatMap(Self.chunk) + file[Self.headSize...]
    }

    /// Chunk: length, type, body, CRC.
    private static func chunk(_ keyword: String, _ text: String) -> [UInt8] {
        // Not compressed, of no language, and without a translated keyword.
        let body = Array("iTXt".utf8) + Array(keyword.utf8) + [0, 0, 0, 0, 0] + Array(text.utf8)
        return bytes(UInt32(body.count - 4)) + body + bytes(checksum(body))
    }

    /// PNG is big-endian.
    private static func bytes(_ value: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    /// CRC-32 of type and body (annex D). Bit by bit: there are a few hundred bytes.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
    }
}
