import CaptureBase
import LinuxSystem

/// The names of a clip's segments: `clip-0001.mkv`, `clip-0002.mkv`, and so on; or those of a pattern with the moment at which each
/// begins, such as `clip-%H%M%S.mkv`.
package struct PartNames: Sendable {
    package let destination: ClipDestination
    /// Names by the moment; `nil` for numbers.
    private let moments: MomentPattern?

    /// - Parameter destination: common name of the segments: `clip.mkv`.
    /// - Throws: `.usage` for standard output; `.fileExists` if a segment of an interrupted recording is left, or anything else
    ///   has such a name, which would end this recording as soon as it reached that number.
    package init(_ destination: ClipDestination) throws(CaptureError) {
        switch destination {
        case .file, .nothing: break
        case .pipe(let path):
            throw CaptureError(
                .usage, "\(path) is a pipe, so it can't have segments.", remedies: [Remedy("Name a file.")])
        case .videoOutput:
            throw CaptureError(
                .usage, "\(destination) is a device, so it can't have segments.",
                remedies: [Remedy("Name a file.")])
        case .standardOutput:
            throw CaptureError(
                .usage, "Standard output can't have segments.", remedies: [Remedy("Name a file.")])
        }
        self.destination = destination
        if case .file(let path) = destination { moments = try MomentPattern(path) } else { moments = nil }
        for name in existing(endingIn: ClipOutput.partialSuffix) {
            if let refusal = Self.refusal(of: name) { throw refusal }
        }
    }

    /// - Parameter number: 1 upwards; four digits, more from 10,000 on.
    package func place(_ number: Int) -> ClipDestination {
        guard case .file(let path) = destination else { return destination }
        if let moments { return .file(path: moments.name(at: SystemClock.realtime.now)) }
        let digits = String(number)
        return .file(
            path: Self.name(path, String(repeating: "0", count: max(0, Self.digits - digits.count)) + digits))
    }

    /// Pattern for people: `clip-NNNN.mkv`; `nil` if there are no files.
    package var pattern: String? {
        guard case .file(let path) = destination else { return nil }
        if let moments { return moments.text }
        return Self.name(path, String(repeating: "N", count: Self.digits))
    }

    private static func name(_ path: String, _ number: String) -> String {
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let point = path[folder...].lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<point])-\(number)\(path[point...])"
    }

    /// Checks that none of the names is taken yet.
    /// - Throws: `.fileExists`.
    package func checkFree() throws(CaptureError) {
        if let name = existing(endingIn: "").first { throw ClipOutput.exists(name) }
    }

    /// The names of existing segments in the directory, in the order of their numbers; none if it can't be listed, since each
    /// name is checked again when it is opened.
    private func existing(endingIn suffix: String) -> [String] {
        guard moments == nil, case .file(let path) = destination else { return [] }
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, file) = (path[..<start], path[start...])
        let point = file.lastIndex(of: ".") ?? file.endIndex
        let (head, tail) = ("\(file[..<point])-", file[point...] + suffix)
        let names = try? FileSystem.names(in: folder.isEmpty ? "." : String(folder))
        return (names ?? []).filter { name in
            name.hasPrefix(head) && name.hasSuffix(tail)
                && Self.isNumber(name.dropFirst(head.count).dropLast(tail.count))
        }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { folder + $0 }
    }

    /// True for text such as `0002` or `10000`.
    private static func isNumber(_ text: Substring) -> Bool {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number > 0 else { return false }
        return text.count == max(digits, String(number).count)
    }

    private static func refusal(of partial: String) -> CaptureError? {
        guard case .success(let status) = FileStatus.ofLink(partial) else { return nil }
        return PartialFilePolicy.refusal(of: status, partial)
            ?? (status.size > 0 ? PartialFilePolicy.recording.error(partial) : nil)
    }

    /// Minimum digits, so that names sort by number up to 9,999 segments.
    private static let digits = 4
}
