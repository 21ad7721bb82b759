import CaptureGate

/// An element of a file that is being recovered, read without trust.
struct MatroskaElement: Hashable {
    let id: UInt32
    let start: Int64
    let contentAt: Int64
    /// `nil` for "unknown".
    let length: Int64?

    /// Behind its content; `nil` where that is not known.
    var end: Int64? { length.map { contentAt + $0 } }

    /// The longest id and length, bytes.
    static let most = 12

    /// - Parameter bytes: from its start on.
    /// - Returns: `nil` for what is no element.
    init?(_ bytes: ArraySlice<UInt8>, at start: Int64) {
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let idWidth = first.leadingZeroBitCount + 1
        guard bytes.count > idWidth else { return nil }
        id = bytes.prefix(idWidth).reduce(0) { $0 << 8 | UInt32($1) }
        let rest = bytes.dropFirst(idWidth)
        guard let lead = rest.first, lead > 0 else { return nil }
        let width = lead.leadingZeroBitCount + 1
        guard rest.count >= width else { return nil }
        let value =
            rest.prefix(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (UInt64(1) << (7 * UInt64(width)) - 1)
        self.start = start
        contentAt = start + Int64(idWidth + width)
        length = value == UInt64(1) << (7 * UInt64(width)) - 1 ? nil : Int64(value)
    }

    func isOf(_ kind: MatroskaID) -> Bool { id == kind.rawValue }
}

/// The children of an element that is in memory.
struct MatroskaChildren: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var at: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    /// Ends at the first one that is none or does not fit.
    mutating func next() -> (id: UInt32, content: ArraySlice<UInt8>)? {
        guard at < bytes.endIndex, let element = MatroskaElement(bytes[at...], at: Int64(at)), let end = element.end,
            end <= Int64(bytes.endIndex)
        else { return nil }
        at = Int(end)
        return (element.id, bytes[Int(element.contentAt)..<at])
    }
}

extension ArraySlice<UInt8> {
    /// As EBML's unsigned integer; 0 for more than eight bytes.
    var unsigned: UInt64 { count <= 8 ? reduce(0) { $0 << 8 | UInt64($1) } : 0 }

    /// As EBML's float.
    var number: Double {
        switch count {
        case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned)))
        case 8: Double(bitPattern: unsigned)
        default: 0
        }
    }

    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
