import CaptureBase
import LinuxSystem

extension ClipOutput {
    /// Opens it before anything is captured and before anybody is asked.
    ///
    /// A partial file of an earlier, interrupted recording is reused if it is empty, else nothing writes over it. Anything else
    /// under that name, a pipe, a link, another user's file or one with a second name, is left as it is.
    /// - Parameters:
    ///   - destination: a file, standard output, or nothing.
    ///   - replacing: whether a file of that name may be replaced.
    /// - Throws: `.fileExists`, also for what has the partial name; `.busy` if another recording writes there;
    ///   `.inputOutput` for an unwritable place; `.usage` for a name that is none, or not a file's.
    public init(opening destination: ClipDestination, replacing: Bool = false) throws(CaptureError) {
        try self.init(opening: destination, replacing: replacing, over: .recording)
    }

    /// - Parameters:
    ///   - leftover: what a partial file may hold.
    ///   - steps: where tests have others come in between.
    package init(
        opening destination: ClipDestination, replacing: Bool, over leftover: PartialFilePolicy,
        steps: OutputSteps = OutputSteps()
    ) throws(CaptureError) {
        switch destination {
        case .file(let path):
            let file = try Self.open(path, Self.partialSuffix, replacing, over: leftover, steps)
            self.init(
                destination: destination, file: file, descriptor: file.descriptor, replacing: replacing,
                isKept: leftover == .recording)
        // Never patched, also where it is a file: the shell may have opened it to append.
        case .standardOutput:
            let reader = OutputReader(of: .standardOutput)
            self.init(destination: destination, descriptor: reader.descriptor)
            self.reader = reader
        case .nothing: self.init(destination: destination, descriptor: .none)
        }
    }

    /// Opens it for what is recovered of an interrupted recording, beside which it lies until it is finished.
    /// - Throws: as `init(opening:replacing:)`.
    package init(recoveringInto path: String, replacing: Bool) throws(CaptureError) {
        let file = try Self.open(path, Self.recoverySuffix, replacing, over: .recovery, OutputSteps())
        self.init(
            destination: .file(path: path), file: file, descriptor: file.descriptor, replacing: replacing)
    }

    /// Looks at the clip's name before, so that nothing is made in vain, and again behind the lock: another recording that
    /// had the partial name may have become that clip.
    private static func open(
        _ path: String, _ suffix: String, _ replacing: Bool, over leftover: PartialFilePolicy, _ steps: OutputSteps
    ) throws(CaptureError) -> PartialFile {
        try checkName(path, replacing: replacing)
        let file = try PartialFile(opening: path + suffix, over: leftover, steps: steps)
        do throws(CaptureError) {
            steps.reached(.check)
            try checkName(path, replacing: replacing)
        } catch {
            file.remove()
            close(file, nil)
            throw error
        }
        return file
    }

    private static let recoverySuffix = ".recovering"

    /// Checks that the destination can be opened later, as far as its name tells.
    /// - Throws: `.fileExists`, `.usage`.
    package static func checkFree(_ destination: ClipDestination) throws(CaptureError) {
        if case .file(let path) = destination { try checkName(path, replacing: false) }
    }

    private static func checkName(_ path: String, replacing: Bool) throws(CaptureError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw CaptureError(.usage, "\"\(path)\" is not the name of a file.")
        }
        guard case .success(let status) = FileStatus.ofLink(path) else { return }
        if status.kind == .directory {
            throw CaptureError(.usage, "\(path) is a folder.", remedies: [Remedy("Name a file in it.")])
        }
        guard replacing else { throw exists(path) }
        guard isReplaceable(path) else {
            throw CaptureError(
                .usage, "\(path) is not a file that can be replaced.", remedies: [Remedy("Write to - or to null:.")])
        }
    }

    static func exists(_ path: String) -> CaptureError {
        CaptureError(
            .fileExists, "\(path) exists already.", errno: Errno.fileExists.number,
            remedies: [Remedy("Choose another name, or replace it with --force.")])
    }

    /// True for a name that is free, a file's, or that of a link to a file, which is replaced and not written through.
    package static func isReplaceable(_ path: String) -> Bool {
        switch FileStatus.ofLink(path) {
        case .failure(let errno): return errno == .noSuchFileOrDirectory
        case .success(let status) where status.kind != .link: return status.kind == .file
        case .success:
            guard case .success(let status) = FileStatus.of(path) else { return false }
            return status.kind == .file && !leadsToDescriptor(path)
        }
    }

    /// True for a link that leads to one of /proc, as /dev/stdout does: that is a descriptor of whoever looks, also where it is a
    /// file's.
    private static func leadsToDescriptor(_ path: String) -> Bool {
        var place = path
        for _ in 0..<mostLinks {
            guard let target = target(ofLink: place) else { return false }
            place = target.hasPrefix("/") ? target : folder(of: place) + "/" + target
            if isInProc(folder(of: place)) { return true }
        }
        return true
    }

    /// The kernel's own limit (path_resolution(7)).
    private static let mostLinks = 40

    private static func isInProc(_ folder: String) -> Bool {
        guard let real = try? FileSystem.realPath(of: folder) else { return false }
        return real == "/proc" || real.hasPrefix("/proc/")
    }

    /// The text of a link; `nil` where it is none.
    package static func target(ofLink path: String) -> String? {
        guard let target = try? FileSystem.target(ofLink: path), !target.isEmpty else { return nil }
        return target
    }

    /// The folder that a name is in.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
