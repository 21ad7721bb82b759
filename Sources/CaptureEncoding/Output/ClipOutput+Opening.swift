import CSystem
import CaptureGate

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
    init(
        opening destination: ClipDestination, replacing: Bool, over leftover: Leftover,
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
            let reader = OutputReader(of: 1)
            self.init(destination: destination, descriptor: reader.descriptor)
            self.reader = reader
        case .nothing: self.init(destination: destination, descriptor: -1)
        }
    }

    /// Opens it for what is recovered of an interrupted recording, beside which it lies until it is finished.
    /// - Throws: as `init(opening:replacing:)`.
    init(recoveringInto path: String, replacing: Bool) throws(CaptureError) {
        let file = try Self.open(path, Self.recoverySuffix, replacing, over: .recovery, OutputSteps())
        self.init(
            destination: .file(path: path), file: file, descriptor: file.descriptor, replacing: replacing)
    }

    /// Looks at the clip's name before, so that nothing is made in vain, and again behind the lock: another recording that
    /// had the partial name may have become that clip.
    private static func open(
        _ path: String, _ suffix: String, _ replacing: Bool, over leftover: Leftover, _ steps: OutputSteps
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

    /// Whether the destination can be opened later, as far as its name tells.
    /// - Throws: `.fileExists`, `.usage`.
    static func checkFree(_ destination: ClipDestination) throws(CaptureError) {
        if case .file(let path) = destination { try checkName(path, replacing: false) }
    }

    private static func checkName(_ path: String, replacing: Bool) throws(CaptureError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw CaptureError(.usage, "\"\(path)\" is not the name of a file.")
        }
        var status = cs_file_status()
        guard cs_lstat(path, &status) >= 0 else { return }
        if status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_DIRECTORY) {
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
            .fileExists, "\(path) exists already.", errno: EEXIST,
            remedies: [Remedy("Choose another name, or replace it with --force.")])
    }

    /// Whether a name is free, a file's, or that of a link to a file, which is replaced and not written through.
    static func isReplaceable(_ path: String) -> Bool {
        var status = cs_file_status()
        let found = cs_lstat(path, &status)
        guard found >= 0 else { return found == -ENOENT }
        if status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_LINK) {
            guard cs_stat(path, &status) >= 0, !leadsToDescriptor(path) else { return false }
        }
        return status.mode & UInt32(CS_MODE_KIND) == UInt32(CS_MODE_FILE)
    }

    /// Whether a link leads to one of /proc, as /dev/stdout does: that is a descriptor of whoever looks, also where it is a
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

    /// As many as the kernel follows (path_resolution(7)).
    private static let mostLinks = 40

    private static func isInProc(_ folder: String) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { text in
            guard let start = text.baseAddress, cs_realpath(folder, start, text.count) >= 0 else { return false }
            let real = String(cString: start)
            return real == "/proc" || real.hasPrefix("/proc/")
        }
    }

    /// What a link says; `nil` of what is none.
    static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { text in
            guard let start = text.baseAddress, cs_readlink(path, start, text.count) > 0 else { return nil }
            return String(cString: start)
        }
    }

    /// The folder that a name is in.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
