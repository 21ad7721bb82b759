import CaptureBase

/// Values of a clip's writer at ends of whole elements in its file, for as long as one of them may become the file's end: bytes
/// that wait to be written may never be.
///
/// *session-bound*
struct WrittenMarks<Value> {
    private var marks: [(end: Int64, value: Value)] = []
    /// Marks in use: the array only grows, as shortening it would allocate in a debug build.
    private var count = 0
    /// Index of the last mark that is known to be in the file.
    private var first = 0

    init() { marks.reserveCapacity(Self.usual) }

    private static var usual: Int { 64 }

    /// Notes a value.
    /// - Parameters:
    ///   - value: of the file that ends here.
    ///   - end: bytes of that file.
    ///   - stored: bytes that are written; earlier values than the last one within them are forgotten.
    mutating func note(_ value: Value, at end: Int64, stored: Int64) {
        if count < marks.count { marks[count] = (end, value) } else { marks.append((end, value)) }
        count += 1
        while first + 1 < count, marks[first + 1].end <= stored { first += 1 }
        // Seldom, so that it costs little a mark.
        guard first >= Self.usual / 2 else { return }
        for index in first..<count { marks[index - first] = marks[index] }
        count -= first
        first = 0
    }

    /// The last value within a number of bytes, and its end; `nil` if none is.
    func last(within bytes: Int64) -> (end: Int64, value: Value)? {
        marks[first..<count].last { $0.end <= bytes }
    }
}
