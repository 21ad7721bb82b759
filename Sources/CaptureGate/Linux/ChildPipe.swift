import CSystem

/// What a child program writes: the two ends of a pipe, closed with the value, and the bytes so far.
struct ChildPipe: ~Copyable {
    /// The child's end; `nil` once it is closed here.
    private(set) var writing: Int32?
    private(set) var bytes: [UInt8] = []
    /// -1, which poll(2) passes over, once the other side has closed it.
    private(set) var reading: Int32

    /// More is read and thrown away.
    private static let limit = 65_536

    init() throws(Errno) {
        var (reading, writing): (Int32, Int32) = (-1, -1)
        let outcome = cs_pipe(&reading, &writing)
        guard outcome >= 0 else { throw Errno(-outcome) }
        self.reading = reading
        self.writing = writing
    }

    deinit {
        if let writing { cs_close(writing) }
        if reading >= 0 { cs_close(reading) }
    }

    /// The child has it now.
    mutating func closeWriting() {
        if let writing { cs_close(writing) }
        writing = nil
    }

    /// Reads once; may be called only when poll(2) says that something is there.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let got = cs_read(reading, &chunk, chunk.count)
        guard got > 0 else {
            cs_close(reading)
            reading = -1
            return
        }
        bytes += chunk.prefix(min(Int(got), Self.limit - bytes.count))
    }

    /// Reads what is there already.
    mutating func drain() {
        while reading >= 0 {
            var items = [cs_poll_item(fd: reading, events: Int16(CS_POLL_IN), revents: 0)]
            guard cs_poll(&items, 1, 0) > 0 else { return }
            read()
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
