import CaptureEncoding
import CaptureGate

/// Files of still images. Create them before the operation asks for a camera, so that an existing file or a read-only
/// directory is reported first.
///
/// *thread-safe*
public final class SnapshotFiles: Sendable {
    public let format: StillFormat
    public let count: Int
    private let destination: ClipDestination
    private let replacing: Bool
    private let first: Locked<ClipOutput?>

    /// - Parameters:
    ///   - destination: destination of the images; each of several gets its number before the ending: `shot-01.jpg`.
    ///   - format: format of the images; `nil` chooses it by the file's ending.
    ///   - count: number of images, 1 or more.
    ///   - replacing: true if files of those names may be replaced.
    /// - Throws: `.usage` for an unknown or missing ending, and for several images on standard output; `.fileExists`,
    ///   `.inputOutput`.
    public init(
        _ destination: ClipDestination, format: StillFormat? = nil, count: Int = 1, replacing: Bool = false
    ) throws(CaptureError) {
        self.destination = destination
        self.count = count
        self.replacing = replacing
        if let format { self.format = format } else { self.format = try Self.format(of: destination) }
        guard count == 1 || Self.holdsSeveral(destination) else {
            throw CaptureError(
                .usage, "\(count) images can't be written to one output.", remedies: [Remedy("Name a file.")])
        }
        let names = (1...max(1, count)).map { Self.place($0, of: count, destination) }
        // The others before the first, since a file that was created would have to be removed again.
        for name in names.dropFirst() where !replacing { try ClipOutput.checkFree(name) }
        first = Locked(try Self.open(names[0], replacing))
    }

    private static func format(of destination: ClipDestination) throws(CaptureError) -> StillFormat {
        switch destination {
        case .file(let path), .pipe(let path): try StillFormat(ofEnding: path)
        case .nothing: .jpeg
        case .videoOutput:
            throw CaptureError(
                .usage, "\(destination) shows video, not a single image.",
                remedies: [Remedy("Name a file, or record to it.")])
        case .standardOutput:
            throw CaptureError(
                .usage, "Standard output needs a format, because it has no name.",
                remedies: [Remedy("Add --format jpeg, png or qoi.")])
        }
    }

    private static func holdsSeveral(_ destination: ClipDestination) -> Bool {
        switch destination {
        case .file, .nothing: true
        case .pipe, .standardOutput, .videoOutput: false
        }
    }

    /// Name of an image: `shot.jpg`, or `shot-07.jpg` of ten and more.
    private static func place(_ number: Int, of count: Int, _ destination: ClipDestination) -> ClipDestination {
        guard count > 1, case .file(let path) = destination else { return destination }
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let point = path[folder...].lastIndex(of: ".") ?? path.endIndex
        let digits = String(number)
        let zeros = String(repeating: "0", count: String(count).count - digits.count)
        return .file(path: "\(path[..<point])-\(zeros)\(digits)\(path[point...])")
    }

    /// Removes the file that was opened, if no image was stored.
    public func discard() {
        first.withLock { output in
            if var taken = output.take() { taken.discard() }
        }
    }

    /// Stores an image.
    /// - Parameters:
    ///   - bytes: of the whole file.
    ///   - number: 1 upwards.
    /// - Returns: its path.
    func store(_ bytes: [UInt8], number: Int) throws(CaptureError) -> String {
        let place = Self.place(number, of: count, destination)
        var output = try take(place)
        // There is nothing more to come, and the camera is open as long.
        output.reader?.watch { true }
        try output.finish(with: bytes)
        return place.description
    }

    private func take(_ place: ClipDestination) throws(CaptureError) -> ClipOutput {
        if let output = first.withLock({ $0.take() }) { return output }
        return try Self.open(place, replacing)
    }

    private static func open(_ place: ClipDestination, _ replacing: Bool) throws(CaptureError) -> ClipOutput {
        try ClipOutput(opening: place, replacing: replacing, over: .picture(isReplaceable: replacing))
    }
}
