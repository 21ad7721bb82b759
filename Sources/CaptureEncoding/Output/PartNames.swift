import CaptureGate

/// What the parts of a clip are called: `clip-0001.mkv`, `clip-0002.mkv`, and so on.
struct PartNames: Sendable {
    let destination: ClipDestination

    /// - Parameter destination: what the whole is called: `clip.mkv`.
    /// - Throws: `.usage` for standard output.
    init(_ destination: ClipDestination) throws(CaptureError) {
        guard destination != .standardOutput else {
            throw CaptureError(
                .usage, "Standard output can't be cut into several files.", remedies: [Remedy("Name a file.")])
        }
        self.destination = destination
    }

    /// - Parameter number: 1 upwards; four digits, more from 10,000 on.
    func place(_ number: Int) -> ClipDestination {
        guard case .file(let path) = destination else { return destination }
        let digits = String(number)
        return .file(
            path: Self.name(path, String(repeating: "0", count: max(0, Self.digits - digits.count)) + digits))
    }

    /// For people: `clip-NNNN.mkv`; `nil` where there are no files.
    var pattern: String? {
        guard case .file(let path) = destination else { return nil }
        return Self.name(path, String(repeating: "N", count: Self.digits))
    }

    private static func name(_ path: String, _ number: String) -> String {
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let point = path[folder...].lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<point])-\(number)\(path[point...])"
    }

    /// Whether none of them is there yet, as far as it is known how many there will be.
    /// - Throws: `.fileExists`, `.usage`.
    func checkFree() throws(CaptureError) {
        for number in 2...9999 { try ClipOutput.checkFree(place(number)) }
    }

    private static let digits = 4
}
