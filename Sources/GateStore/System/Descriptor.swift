import CSystem

/// A file descriptor with one owner; it is closed with its owner.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        // What close reports is of no use here: whoever must know calls fsync before.
        _ = cs_close(number)
    }
}
