import Glibc

/// The counter that encoder-allocations loads into this process.
struct AllocationCounter {
    private let begin: @convention(c) () -> Void
    private let end: @convention(c) (Int32) -> Int

    /// - Returns: `nil` if it is not loaded.
    init?() {
        let program = dlopen(nil, RTLD_NOW)
        guard let begin = dlsym(program, "begin_counting"), let end = dlsym(program, "end_counting") else { return nil }
        self.begin = unsafeBitCast(begin, to: (@convention(c) () -> Void).self)
        self.end = unsafeBitCast(end, to: (@convention(c) (Int32) -> Int).self)
    }

    /// - Returns: the allocations meanwhile: by this project and the language, and by the codecs' libraries.
    func count(_ body: () throws -> Void) rethrows -> (own: Int, libraries: Int) {
        begin()
        try body()
        let own = end(0)
        return (own, end(1))
    }
}
