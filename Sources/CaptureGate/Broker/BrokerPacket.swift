import Gate

/// Limits of the protocol between programs and the broker, which both ends hold the other to.
package enum BrokerLimit {
    /// Bytes of a packet, its header included.
    package static let packet = 65_536
    /// Descriptors that come with a packet.
    package static let descriptors = 4
    /// Bytes of a text in UTF-8.
    package static let text = 4096
    /// Devices of one question.
    package static let items = 16
    /// Maximum entries of a list without a specific limit.
    package static let entries = 1024
    /// Connections of one user.
    package static let connections = 128
    /// Streams of one connection.
    package static let streams = 16
    /// Requests of one connection that have no reply yet.
    package static let requests = 32
    /// Oldest and newest version that is spoken.
    package static let versions: ClosedRange<UInt16> = 1...1
}

/// Reason why bytes are no message, or why a message can't be sent.
package enum BrokerFault: String, Error, Hashable, Sendable {
    case truncated = "it ends too early"
    case trailing = "it has extra bytes at its end"
    case magic = "it is not a packet of the broker"
    case version = "its version is not supported"
    case kind = "its kind is unknown"
    case size = "it is too large"
    case text = "a text in it is not UTF-8 or is too long"
    case count = "a list in it is too long"
    case value = "a value in it is not allowed"
    case descriptors = "it came with the wrong file descriptors"
    case sender = "another process sent it"

    /// The error for people.
    package var error: CaptureError {
        CaptureError(
            .unavailable, "The capture broker sent an invalid message: \(rawValue).",
            remedies: [Remedy("Update CaptureGate, so that the program and the broker have the same version.")])
    }
}

/// A value with a place in messages.
///
/// It names its fields once, in the order of the bytes: the same function reads and writes them.
package protocol BrokerField {
    /// A value to be overwritten by reading.
    static var blank: Self { get }
    /// Passes each field to the coder.
    mutating func code(_ coder: inout FieldCoder) throws(BrokerFault)
}

/// Reads fields from a packet or writes them to one: numbers with the low byte first, texts and lists after their counts.
///
/// Both directions have the same limits, so that no packet is sent that the other end would refuse.
///
/// *session-bound*
package struct FieldCoder {
    /// Packet: complete when read, and up to here when written.
    private(set) var bytes: [UInt8]
    /// Index of the next byte to read; `nil` if the packet is written.
    private var next: Int?

    /// Begins a packet.
    init() {
        bytes = []
    }

    /// Reads a packet.
    init(reading bytes: [UInt8]) {
        self.bytes = bytes
        next = 0
    }

    /// True while a packet is read.
    var isReading: Bool { next != nil }

    /// Refuses bytes that nobody has read.
    func end() throws(BrokerFault) {
        if let next, next != bytes.count { throw .trailing }
    }

    /// Passes bytes: the number of bytes in `piece`.
    mutating func raw(_ piece: inout [UInt8]) throws(BrokerFault) {
        guard let start = next else {
            guard bytes.count + piece.count <= BrokerLimit.packet else { throw .size }
            bytes += piece
            return
        }
        guard piece.count <= bytes.count - start else { throw .truncated }
        next = start + piece.count
        piece = Array(bytes[start..<(start + piece.count)])
    }

    /// Passes a number in as many bytes as its type has.
    mutating func number<Number: FixedWidthInteger>(_ value: inout Number) throws(BrokerFault) {
        var piece = [UInt8](repeating: 0, count: Number.bitWidth / 8)
        for index in piece.indices { piece[index] = UInt8(truncatingIfNeeded: value >> (8 * Number(index))) }
        try raw(&piece)
        guard isReading else { return }
        value = piece.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Passes a number that lies in a range, in four bytes.
    mutating func size(_ value: inout Int, in range: ClosedRange<Int>) throws(BrokerFault) {
        guard isReading || range.contains(value) else { throw .value }
        var short = UInt32(truncatingIfNeeded: value)
        try number(&short)
        value = Int(short)
        guard range.contains(value) else { throw .value }
    }

    /// Passes one of several values, as its index in one byte.
    mutating func choice<Value: Equatable>(_ value: inout Value, among all: [Value]) throws(BrokerFault) {
        var index = UInt8.max
        if !isReading, let found = all.firstIndex(of: value) { index = UInt8(truncatingIfNeeded: found) }
        guard isReading || index != .max else { throw .value }
        try number(&index)
        guard Int(index) < all.count else { throw .value }
        value = all[Int(index)]
    }

    /// Passes the number of a case, in one byte.
    mutating func tag(_ value: inout UInt8, upTo last: UInt8) throws(BrokerFault) {
        try number(&value)
        guard value <= last else { throw .value }
    }

    /// Passes the count of a list or a text, in two bytes.
    private mutating func count(_ value: inout Int, most: Int, _ fault: BrokerFault) throws(BrokerFault) {
        guard value <= most else { throw fault }
        var short = UInt16(truncatingIfNeeded: value)
        try number(&short)
        value = Int(short)
        guard value <= most else { throw fault }
    }

    /// Passes a text after its number of bytes.
    mutating func text(_ value: inout String, most: Int = BrokerLimit.text) throws(BrokerFault) {
        var piece = isReading ? [] : Array(value.utf8)
        var length = piece.count
        try count(&length, most: most, .text)
        if isReading { piece = [UInt8](repeating: 0, count: min(length, bytes.count)) }
        guard piece.count == length else { throw .truncated }
        try raw(&piece)
        guard isReading else { return }
        guard let text = String(validating: piece, as: UTF8.self) else { throw .text }
        value = text
    }

    /// Passes a list after its count.
    mutating func list<Element: BrokerField>(
        _ values: inout [Element], most: Int = BrokerLimit.entries
    ) throws(BrokerFault) {
        var length = values.count
        try count(&length, most: most, .count)
        if isReading { values = [] }
        for index in 0..<length {
            // Added one by one: a count says nothing about the bytes that follow.
            var element = isReading ? Element.blank : values[index]
            try element.code(&self)
            if isReading { values.append(element) }
        }
    }

    /// Passes a value that may be missing, after a byte that says whether it is present.
    mutating func optional<Value: BrokerField>(_ value: inout Value?) throws(BrokerFault) {
        var isThere = value != nil
        try isThere.code(&self)
        var inner = value ?? .blank
        if isThere { try inner.code(&self) }
        value = isThere ? inner : nil
    }

    /// Passes a value by its own fields.
    mutating func field<Value: BrokerField>(_ value: inout Value) throws(BrokerFault) { try value.code(&self) }

    /// A value after it was passed, for those whose parts can't be written.
    mutating func passed<Value: BrokerField>(_ value: Value) throws(BrokerFault) -> Value {
        var value = value
        try value.code(&self)
        return value
    }
}

extension Bool: BrokerField {
    package static var blank: Bool { false }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) {
        try coder.choice(&self, among: [false, true])
    }
}

extension UInt16: BrokerField {
    package static var blank: UInt16 { 0 }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.number(&self) }
}

extension UInt32: BrokerField {
    package static var blank: UInt32 { 0 }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.number(&self) }
}

extension UInt64: BrokerField {
    package static var blank: UInt64 { 0 }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.number(&self) }
}

extension Int64: BrokerField {
    package static var blank: Int64 { 0 }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.number(&self) }
}

extension String: BrokerField {
    package static var blank: String { "" }
    package mutating func code(_ coder: inout FieldCoder) throws(BrokerFault) { try coder.text(&self) }
}

/// One message as it travels: a header of 16 bytes, and the fields.
///
/// *thread-safe*
package struct BrokerPacket: Hashable, Sendable {
    /// Number of the request that it is or answers; 0 for an event.
    package var id: UInt32
    package var message: BrokerMessage

    package init(_ message: BrokerMessage, id: UInt32 = 0) {
        self.message = message
        self.id = id
    }

    /// "CGBR".
    static let magic: [UInt8] = [0x43, 0x47, 0x42, 0x52]
    /// Bytes in front of the fields.
    static let header = 16

    /// The packet's bytes.
    ///
    /// - Throws: if a text, a list or the whole is beyond its limit.
    package func encoded() throws(BrokerFault) -> [UInt8] {
        guard message.isEvent == (id == 0) else { throw .value }
        var body = FieldCoder()
        var message = message
        try message.code(&body)
        var coder = FieldCoder()
        try Self.codeHeader(&coder, message.kind, id, length: UInt32(body.bytes.count))
        var bytes = body.bytes
        try coder.raw(&bytes)
        return coder.bytes
    }

    /// Reads a packet; whatever is not exactly one message is refused.
    package init(decoding bytes: [UInt8]) throws(BrokerFault) {
        guard bytes.count <= BrokerLimit.packet else { throw .size }
        var coder = FieldCoder(reading: bytes)
        let (kind, id, length) = try Self.codeHeader(&coder, 0, 0, length: 0)
        guard Int(length) >= bytes.count - Self.header else { throw .trailing }
        guard Int(length) == bytes.count - Self.header else { throw .truncated }
        guard var message = BrokerMessage(blankOf: kind) else { throw .kind }
        guard message.isEvent == (id == 0) else { throw .value }
        try message.code(&coder)
        try coder.end()
        self.init(message, id: id)
    }

    /// Passes the header.
    @discardableResult
    private static func codeHeader(
        _ coder: inout FieldCoder, _ kind: UInt16, _ id: UInt32, length: UInt32
    ) throws(BrokerFault) -> (kind: UInt16, id: UInt32, length: UInt32) {
        var (magic, version, kind, id, length) = (magic, BrokerLimit.versions.upperBound, kind, id, length)
        try coder.raw(&magic)
        guard magic == Self.magic else { throw .magic }
        try coder.number(&version)
        guard BrokerLimit.versions.contains(version) else { throw .version }
        try coder.number(&kind)
        try coder.number(&id)
        try coder.number(&length)
        return (kind, id, length)
    }
}
