import CaptureGate

/// How a single picture is stored.
///
/// *thread-safe*
public enum StillFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// JPEG in JFIF (ITU-T T.81, T.871).
    case jpeg
    /// PNG (ISO/IEC 15948): no bit of a grey or RGB picture is lost.
    case png
    /// QOI 1.0: as PNG, larger and many times faster.
    case qoi

    /// The endings of its files, without the point.
    public var endings: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg"]
        case .png, .qoi: [rawValue]
        }
    }

    /// Finds the format by a file's ending.
    /// - Throws: `.usage` for one that is not known, with those that are.
    public init(ofEnding path: String) throws(CaptureError) {
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? parts.last?.lowercased() ?? "" : ""
        guard let format = Self.allCases.first(where: { $0.endings.contains(ending) }) else {
            let known = Self.allCases.flatMap(\.endings).map { "." + $0 }.joined(separator: ", ")
            throw CaptureError(
                .usage, "The ending of \"\(path)\" names no format of pictures.",
                remedies: [Remedy("End the name in one of \(known).")])
        }
        self = format
    }

    /// Whether a camera's pictures can be stored as they come, without libv4lconvert.
    public func takes(_ format: VideoFormat) -> Bool {
        format.pixelFormat.isCompressed || RawFrameLayout(format) != nil
    }
}
