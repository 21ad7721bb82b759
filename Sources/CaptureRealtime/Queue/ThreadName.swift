import CMedia

/// The calling thread's name, for `top` and debuggers; put back after a session.
struct ThreadName: ~Copyable {
    private var old: InlineArray<16, CChar> = InlineArray(repeating: 0)

    /// - Parameter name: Its first 15 bytes count.
    init(setting name: String) {
        var span = old.mutableSpan
        let got = unsafe span.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return -EINVAL }
            return unsafe cm_thread_name_get(base, Int32(buffer.count))
        }
        // A name that could not be put back is not taken away.
        guard got >= 0 else { return }
        _ = unsafe cm_thread_name_set(String(decoding: name.utf8.prefix(15), as: UTF8.self))
    }

    consuming func restore() {
        let span = old.span
        _ = unsafe span.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe base.pointee != 0 else { return Int32(0) }
            return unsafe cm_thread_name_set(base)
        }
    }
}
