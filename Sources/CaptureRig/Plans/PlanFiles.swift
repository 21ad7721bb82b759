import CaptureBase
import LinuxSystem

/// A file of a plan: the plan itself, or one that it includes.
///
/// *session-bound*
struct PlanFile {
    let mistakes: PlanMistakes
    /// Values of its top level by their keys.
    let keys: [String: YAMLNode]
    /// Beginning of its top level, as the position of missing keys.
    let root: YAMLNode
    /// Files that it includes, in its order; without those that were included before.
    let included: [PlanFile]
}

/// Reads a plan and all included files from the disk. Each file is read once, however often it is included.
///
/// *session-bound*
struct PlanFiles {
    /// Mistakes of each file, in the order of reading.
    private(set) var mistakes: [PlanMistakes] = []
    /// False if a file could not be read: what a plan refers to may be in it.
    private(set) var isComplete = true
    /// Files that are being read: each was included by the one before.
    private var chain: [(id: FileIdentity, path: String)] = []
    private var read: Set<FileIdentity> = []

    /// Keys of a plan's top level.
    static let planKeys = ["version", "name", "profile", "golden", "include", "devices", "limits", "checks"]
    /// Keys of an included file. It has no checks: otherwise the order of a plan's checks would not be visible in the plan.
    static let boardKeys = ["version", "include", "devices", "limits"]
    /// Maximum bytes of a file: a longer one is not a plan, and would be held in memory several times.
    private static let largest: Int64 = 1 << 20
    /// Files of a plan: more are a mistake, and each would be opened.
    private static let mostFiles = 100

    /// The plan, or `nil` if nothing of it can be read.
    mutating func plan(at path: String) -> PlanFile? {
        let mistakes = PlanMistakes(in: path)
        self.mistakes.append(mistakes)
        switch PlanSource.of(path, upTo: Self.largest) {
        case .failure(let fault):
            mistakes.report("The file \(fault.clause).", at: nil)
            return nil
        case .success(let source): return file(source, path, mistakes, known: Self.planKeys)
        }
    }

    /// Reads a file's tree, then what it includes.
    private mutating func file(
        _ source: PlanSource, _ path: String, _ mistakes: PlanMistakes, known: [String]
    ) -> PlanFile? {
        read.insert(source.id)
        guard let root = Self.root(of: source, mistakes),
            let keys = mistakes.keys(of: root, known: known, what: "The file")
        else {
            isComplete = false
            return nil
        }
        Self.checkVersion(keys["version"], root, mistakes)
        chain.append((source.id, path))
        defer { chain.removeLast() }
        let words = keys["include"].map { mistakes.words($0, what: "`include`") } ?? []
        let included = words.compactMap { include($0, by: mistakes) }
        return PlanFile(mistakes: mistakes, keys: keys, root: root, included: included)
    }

    /// Reads an included file, unless it has been read before.
    private mutating func include(_ word: PlanMistakes.Word, by including: PlanMistakes) -> PlanFile? {
        let path = PlanPath.joined(PlanPath.directory(of: including.file), word.text)
        switch PlanSource.of(path, upTo: Self.largest) {
        case .failure(let fault):
            including.report("\(PlanMistakes.quoted(word.text)) \(fault.clause).", at: word.node)
        case .success(let source):
            if let first = chain.firstIndex(where: { $0.id == source.id }) {
                including.report(Self.circle(chain[first...].map(\.path)), at: word.node)
            } else if read.contains(source.id) {
                return nil
            } else if read.count >= Self.mostFiles {
                including.report(
                    "A plan can have up to \(Self.mostFiles) files. Merge some of them.", at: word.node)
            } else {
                let mistakes = PlanMistakes(in: path)
                self.mistakes.append(mistakes)
                return file(source, path, mistakes, known: Self.boardKeys)
            }
        }
        isComplete = false
        return nil
    }

    /// Sentence about files that include each other, in their order.
    private static func circle(_ paths: [String]) -> String {
        // Whole paths: files of a rig often have long ones that differ in the middle.
        let chain = (paths + paths.prefix(1)).map { "`\($0.visible)`" }.joined(separator: " includes ")
        return "A file includes itself: \(chain). Remove one of these from `include`."
    }

    /// The tree of a file, or `nil` with a diagnostic.
    private static func root(of source: PlanSource, _ mistakes: PlanMistakes) -> YAMLNode? {
        let text = YAMLText(source.bytes[...])
        if let fault = text.fault {
            mistakes.report(fault.message, at: YAMLPosition(line: fault.line, column: fault.column))
            return nil
        }
        do throws(YAMLMistake) {
            if let root = try YAMLDocument.root(of: text.text) { return root }
            mistakes.report("The file is empty. Start it with `version: 1`.", at: nil)
        } catch {
            mistakes.report(error.message, at: error.position)
        }
        return nil
    }

    /// Checks the version, so that an older program refuses what it would misread.
    private static func checkVersion(_ node: YAMLNode?, _ root: YAMLNode, _ mistakes: PlanMistakes) {
        guard node?.word != "1" else { return }
        if let node {
            mistakes.report("This version is not supported. Write `version: 1`.", at: node)
        } else {
            mistakes.report("`version: 1` is missing. Write it first.", at: root)
        }
    }
}

/// Identity of a file, the same by whatever links a path leads there.
private struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) {
        (device, inode) = (status.device, status.inode)
    }
}

/// Bytes of a file.
private struct PlanSource {
    let id: FileIdentity
    let bytes: [UInt8]

    /// Reason for which a file can't be read, as the end of a sentence.
    struct Fault: Error {
        let clause: String
    }

    /// Reads a regular file.
    ///
    /// Its status is looked at first: opening a device or a pipe would already do something.
    static func of(_ path: String, upTo largest: Int64) -> Result<PlanSource, Fault> {
        do throws(Errno) {
            let status = try FileStatus.of(path).get()
            if status.kind == .directory { return .failure(Fault(clause: "is a directory. Write the path of a file")) }
            guard status.kind == .file else {
                return .failure(Fault(clause: "is not a regular file. Write the path of one"))
            }
            let flags: OpenFlags = [.nonBlocking, .noControllingTerminal]
            let bytes = try FileDescriptor(opening: path, flags).readToEnd(limit: Int(largest) + 1)
            guard bytes.count <= largest else {
                return .failure(Fault(clause: "is longer than \(largest >> 20) MiB, the limit for a plan"))
            }
            return .success(PlanSource(id: FileIdentity(status), bytes: bytes))
        } catch {
            return .failure(Fault(clause: "can't be read: \(error.text)"))
        }
    }
}
