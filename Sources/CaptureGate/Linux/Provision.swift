import Gate
import LinuxSystem

/// Resources that a process was given: arguments, streams, descriptors, threads and memory.
///
/// Dispatch waits forever for a thread that it can't get. It traps if it can't read its threads in /proc, also for lack of a
/// descriptor. So all of these are checked first.
package enum Provision {
    /// The arguments after the program's name, even if /proc can't be read; invalid UTF-8 is replaced.
    package static var arguments: [String] { ProcessStart.arguments }

    /// True if all arguments are UTF-8: Swift's strings distort any others.
    package static var areArgumentsText: Bool { ProcessStart.areArgumentsText }

    /// Occupies those of the first three descriptors that are closed, so that a file opened later does not become a standard
    /// stream: a clip could receive the events.
    package static func fillStreams() { ProcessStart.fillStreams() }

    /// Gives all future threads a stack that Swift can work with, whatever the limit, and checks the resources that every
    /// command needs. Call it before any thread is made.
    ///
    /// - Throws: `.unavailable`.
    package static func begin() throws(CaptureError) {
        let isLimited = ProcessStart.hasMemoryLimit
        ProcessStart.setThreadMemory(leastStack: leastStack)
        try checkDescriptors(leastDescriptors)
        try checkProcesses()
        if isLimited, !ProcessStart.hasMemory(bytes: leastMemory) { throw .littleMemory }
        try checkThreads(leastThreads)
    }

    /// - Parameter count: how many descriptors are needed beside those that there are.
    /// - Throws: `.unavailable`.
    package static func checkDescriptors(_ count: Int) throws(CaptureError) {
        let needed = min(count, 256)
        if ProcessStart.spareDescriptors(upTo: needed) < needed { throw .fewDescriptors }
    }

    private static func checkProcesses() throws(CaptureError) {
        do throws(Errno) {
            _ = try FileDescriptor(opening: "/proc/\(ProcessStart.processID)/stat", .readOnly)
        } catch {
            throw .noProcesses(error)
        }
    }

    /// - Parameter count: how many threads are needed beside those that there are.
    /// - Throws: `.unavailable`.
    package static func checkThreads(_ count: Int) throws(CaptureError) {
        let needed = min(count, 256)
        let found = ProcessStart.spareThreads(upTo: needed)
        if found < needed { throw .fewThreads(found: found, needed: count) }
    }

    /// Bytes of each thread's stack: twice what threads have on macOS.
    private static let leastStack = 1 << 20
    /// The store, its watches, a bus, a device and a file, all at once.
    private static let leastDescriptors = 24
    private static let leastThreads = 8
    /// The stacks of a dozen threads, and what a recording takes, bytes.
    private static let leastMemory = 160 << 20
}

extension CaptureError {
    fileprivate static var fewDescriptors: CaptureError {
        CaptureError(
            .unavailable, "This process has too few free file descriptors (RLIMIT_NOFILE).",
            errno: Errno.tooManyOpenFiles.number,
            remedies: [Remedy("Allow more open files.", command: "ulimit -n 1024")])
    }

    fileprivate static func noProcesses(_ errno: Errno) -> CaptureError {
        CaptureError(
            .unavailable,
            "/proc can't be read (\(errno.text)). CaptureGate needs it to identify programs.",
            errno: errno.number, remedies: [Remedy("Mount /proc.", command: "mount -t proc proc /proc")])
    }

    fileprivate static var littleMemory: CaptureError {
        CaptureError(
            .unavailable, "This process can't get enough memory (RLIMIT_AS, RLIMIT_DATA).",
            errno: Errno.noMemory.number,
            remedies: [Remedy("Allow more address space.", command: "ulimit -v unlimited")])
    }

    fileprivate static func fewThreads(found: Int, needed: Int) -> CaptureError {
        CaptureError(
            .unavailable,
            "This process can start \(found) more threads, but needs \(needed): a limit of processes "
                + "(RLIMIT_NPROC, pids.max) or of memory is reached.", errno: Errno.wouldBlock.number,
            remedies: [Remedy("Allow more processes, or end some.", command: "ulimit -u 4096")])
    }
}
