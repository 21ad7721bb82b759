/// Notes as JPEG has them: an APP1 segment of Exif 2.32 (CIPA DC-008), behind JFIF's APP0.
struct ExifMetadata {
    private let segment: [UInt8]

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

    private static let mark = Array("Exif".utf8) + [0, 0]

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
        // Its place is known once the size of what stands before it is.
        let start = 8 + Self.directory(first, at: 8).count
        first[first.count - 1] = Entry(tag: .exif, type: 4, value: Self.bytes(UInt32(start)))
        let tiff = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + Self.directory(first, at: 8) + Self.directory(second, at: start)
        let body = Self.mark + tiff
        segment = [0xFF, 0xE1] + Self.bytes(UInt16(body.count + 2)) + body
    }

    func added(to file: [UInt8]) -> [UInt8] {
        guard file.starts(with: [0xFF, 0xD8]), let place = Self.place(in: file) else { return file }
        return file[..<place] + segment + file[place...]
    }

    /// - Returns: `nil` for an image that has Exif of its own.
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

    private struct Entry {
        let tag: Tag
        let type: UInt16
        let value: [UInt8]

        /// ASCII by name; readers take UTF-8.
        static func text(_ tag: Tag, _ text: String) -> Entry {
            Entry(tag: tag, type: 2, value: Array(text.utf8) + [0])
        }
    }

    /// Twelve bytes an entry, by ascending tag; values of more than four bytes stand behind them.
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

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
