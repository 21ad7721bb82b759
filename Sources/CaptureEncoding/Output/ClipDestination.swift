/// Where a clip goes.
///
/// *thread-safe*
public enum ClipDestination: Hashable, Sendable, CustomStringConvertible {
    case file(path: String)
    case standardOutput
    /// Captured, counted and discarded.
    case nothing

    /// - Parameter argument: `-` is standard output, `null:` is nothing, everything else is a path.
    public init(_ argument: String) {
        switch argument {
        case "-": self = .standardOutput
        case "null:": self = .nothing
        default: self = .file(path: argument)
        }
    }

    public var description: String {
        switch self {
        case .file(let path): path
        case .standardOutput: "-"
        case .nothing: "null:"
        }
    }
}
