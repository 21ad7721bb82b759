import CaptureBase
import LinuxSystem

extension ClipOutput {
    /// Opens the output before capture begins and before anybody is asked.
    ///
    /// An empty partial file of an interrupted recording is reused; a filled one is never overwritten. Anything else under that
    /// name (a pipe, a link, another user's file, a file with a second name) is not touched.
    /// - Parameters:
    ///   - destination: a file, standard output, or nothing.
    ///   - replacing: true to allow replacing a file of that name.
    /// - Throws: `.fileExists`, also if the partial name is taken; `.busy` if another recording writes there; `.inputOutput`
    ///   for an unwritable location; `.usage` for an invalid name, or one that is not a file's.
    public init(opening destination: ClipDestination, replacing: Bool = false) throws(CaptureError) {
        try self.init(opening: destination, replacing: replacing, over: .recording)
    }

    /// - Parameters:
    ///   - leftover: permitted content of a partial file.
    ///   - steps: points at which tests let others interfere.
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
        // Never patched, even if it is a file: the shell may have opened it to append.
        case .standardOutput:
            let reader = OutputReader(of: .standardOutput)
            self.init(destination: destination, descriptor: reader.descriptor, reader: reader)
        case .pipe(let path):
            let reader = try OutputReader(opening: path)
            self.init(destination: destination, descriptor: reader.descriptor, reader: reader)
        case .nothing: self.init(destination: destination, descriptor: .none)
        // A device is not a file: partial names, syncing and renaming must not be used with it.
        case .videoOutput: throw CaptureError(.usage, "\(destination) is a device, not a file.")
        }
    }

    /// Opens the output of a recovery, beside the interrupted recording until it is finished.
    /// - Throws: as `init(opening:replacing:)`.
    package init(recoveringInto path: String, replacing: Bool) throws(CaptureError) {
        let file = try Self.open(path, Self.recoverySuffix, replacing, over: .recovery, OutputSteps())
        self.init(
            destination: .file(path: path), file: file, descriptor: file.descriptor, replacing: replacing)
    }

    /// Checks the clip's name first, so that nothing is created in vain, and again under the lock: the recording that had the
    /// partial name may have become that clip.
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

    /// Checks that the destination can be opened later, as far as its name shows.
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
            throw CaptureError(.usage, "\(path) is a directory.", remedies: [Remedy("Name a file in it.")])
        }
        guard replacing else { throw exists(path) }
        guard isReplaceable(path) else {
            throw CaptureError(
                .usage, "\(path) is not a regular file, so it can't be replaced.",
                remedies: [Remedy("Write to - (standard output) or to null:.")])
        }
    }

    static func exists(_ path: String) -> CaptureError {
        CaptureError(
            .fileExists, "\(path) exists already.", errno: Errno.fileExists.number,
            remedies: [Remedy("Choose another name, or replace it with --force.")])
    }

    /// True for a free name, a file's name, or that of a link to a file, which is replaced and not written through.
    package static func isReplaceable(_ path: String) -> Bool {
        switch FileStatus.ofLink(path) {
        case .failure(let errno): return errno == .noSuchFileOrDirectory
        case .success(let status) where status.kind != .link: return status.kind == .file
        case .success:
            guard case .success(let status) = FileStatus.of(path) else { return false }
            return status.kind == .file && !leadsToDescriptor(path)
        }
    }

    /// True for a named pipe, and for a path that leads to an open file of this process. Another user's pipe does not count: it
    /// may have a name that somebody is expected to record to.
    package static func isPipe(_ path: String) -> Bool {
        guard case .success(let status) = FileStatus.of(path) else { return false }
        if descriptor(ofLink: path) != nil { return [.pipe, .file].contains(status.kind) }
        return isPipe(status) && !leadsToDescriptor(path)
    }

    static func isPipe(_ status: FileStatus) -> Bool { status.kind == .pipe && status.owner == Users.effectiveID }

    /// Descriptor of this process that a path leads to, such as 1 for /dev/stdout and 3 for /dev/fd/3.
    package static func descriptor(ofLink path: String) -> Int32? {
        if let number = numberOfOpenFile(path) { return number }
        // /dev/stdout is a link to one of these. One of somebody's own is a file's name, whose ending would say another format.
        guard (try? FileSystem.realPath(of: folder(of: path))) == "/dev", let target = target(ofLink: path) else {
            return nil
        }
        return numberOfOpenFile(target.hasPrefix("/") ? target : "/dev/\(target)")
    }

    /// Number of an entry in the kernel's list of this process's open files.
    private static func numberOfOpenFile(_ path: String) -> Int32? {
        let list = "/proc/\(ProcessStart.processID)/fd"
        guard (try? FileSystem.realPath(of: folder(of: path))) == list else { return nil }
        return path.split(separator: "/").last.flatMap { Int32($0) }
    }

    /// True for a link into /proc, such as /dev/stdout: it leads to a descriptor of the reading process, even if that is a file's.
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

    /// The target of a link; `nil` for any other file.
    package static func target(ofLink path: String) -> String? {
        guard let target = try? FileSystem.target(ofLink: path), !target.isEmpty else { return nil }
        return target
    }

    /// The directory of a name.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
