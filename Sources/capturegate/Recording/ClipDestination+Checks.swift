import CaptureEncoding
import CaptureGate
import Glibc

extension ClipDestination {
    /// Whether both are one place, however they are written: `./a.mkv`, an absolute path, or by a linked directory.
    func isSame(_ other: ClipDestination) -> Bool {
        guard case .file(let path) = self, case .file(let second) = other else { return self == other }
        return path == second || Self.absolute(path) == Self.absolute(second)
    }

    /// The name, in its directory as the kernel knows it; the file itself need not be there.
    private static func absolute(_ path: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let directory = name == path.startIndex ? "." : String(path[..<name])
        guard let real = realpath(directory, nil) else { return path }
        defer { free(real) }
        return "\(String(cString: real))/\(path[name...])"
    }

    /// Whether its ending, .mka, promises sound alone.
    var isAudioOnly: Bool {
        guard case .file(let path) = self else { return false }
        return path.lowercased().hasSuffix(".mka")
    }

    /// - Throws: `.usage` for pictures in a .mka.
    func checkEnding(_ kinds: [MediaKind]) throws(CaptureError) {
        guard isAudioOnly, kinds.contains(.video) else { return }
        throw CaptureError(
            .usage, "A .mka file holds sound alone, no picture.",
            remedies: [Remedy("Record to a name that ends in .mkv, or leave the camera out with --camera none.")])
    }

    /// - Throws: `.usage` where it is standard output, and that is a terminal.
    func checkTerminal() throws(CaptureError) {
        guard self == .standardOutput, StandardStream.output.isTerminal else { return }
        throw CaptureError(
            .usage, "Standard output is a terminal, which can't show the bytes of a file.",
            remedies: [Remedy("Name a file, or pass them on with | or >.")])
    }
}

extension [ClipDestination] {
    /// - Throws: as `ClipDestination.checkTerminal()`.
    func checkTerminal() throws(CaptureError) {
        for destination in self { try destination.checkTerminal() }
    }
}
