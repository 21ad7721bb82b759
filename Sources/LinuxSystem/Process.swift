import CSystem
import CaptureBase
import Dispatch
import Glibc

/// The arguments and streams that the process was given, and its resource limits.
///
/// The corresponding C calls are named at each; results hold only for the moment.
package enum ProcessStart {
    /// This process. The corresponding C function is `getpid`.
    package static var processID: Int32 { cs_getpid() }

    /// The leader of a process's session; 0 if it lives outside this process namespace, as for a command run in a container.
    /// The corresponding C function is `getsid`.
    ///
    /// - Parameter process: 0 for this one.
    package static func sessionLeader(of process: Int32 = 0) -> Int32 { max(0, cs_getsid(process)) }

    /// The arguments after the program's name, even if /proc can't be read; invalid UTF-8 is replaced.
    package static var arguments: [String] {
        (1..<max(1, cs_argument_count())).map { index in cs_argument(index).map { String(cString: $0) } ?? "" }
    }

    /// True if all arguments are UTF-8: Swift's strings distort any others.
    package static var areArgumentsText: Bool {
        (0..<cs_argument_count()).allSatisfy { index in
            cs_argument(index).map { String(validatingCString: $0) != nil } ?? true
        }
    }

    /// Occupies those of the first three descriptors that are closed, so that a file opened later does not become a standard
    /// stream: a clip could receive the events.
    package static func fillStreams() { _ = cs_fill_streams() }

    /// Makes lines wide enough for the parser's library: it traps if a terminal, or COLUMNS, gives a line less space than its
    /// indentation needs.
    ///
    /// Call it before there is a second thread, which could read the variable meanwhile. The corresponding C functions are
    /// `getenv` and `setenv`.
    ///
    /// - Parameter least: minimum width in characters.
    package static func ensureColumns(to least: Int) {
        let told = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        let found = TerminalSize(of: RawDescriptor(STDOUT_FILENO)).columns
        if told ?? (found > 0 ? found : least) < least { setenv("COLUMNS", "\(least)", 1) }
    }

    /// Writes out the buffers of C's streams. The corresponding C function is `fflush`.
    package static func flushStreams() { fflush(nil) }

    /// True if RLIMIT_AS or RLIMIT_DATA is set.
    package static var hasMemoryLimit: Bool { cs_has_memory_limit() == 1 }

    /// Gives every thread that is made from now on a stack of at least a size, and all threads one malloc(3) heap: twenty
    /// threads start with a recording, and a heap for each takes a thirtieth of the time of a short one.
    ///
    /// - Parameter leastStack: bytes.
    package static func setThreadMemory(leastStack: Int) { _ = cs_set_thread_memory(leastStack) }

    /// Number of further descriptors that could be opened, up to `most` and 256.
    package static func spareDescriptors(upTo most: Int) -> Int { Int(cs_spare_descriptors(Int32(min(most, 256)))) }

    /// Number of further threads that could be started, up to `most` and 256.
    package static func spareThreads(upTo most: Int) -> Int { Int(cs_spare_threads(Int32(min(most, 256)))) }

    /// Number of processors that the process may run on, at least 1. The corresponding C function is `sched_getaffinity`.
    package static var usableProcessors: Int { Int(cs_usable_processors()) }

    /// Tries to map a number of bytes.
    package static func hasMemory(bytes: Int) -> Bool { cs_spare_memory(bytes) >= 0 }

    /// Lowers the time that a realtime thread may run without a blocking call; without privilege it can't be raised again. The
    /// corresponding C function is `setrlimit` with RLIMIT_RTTIME.
    ///
    /// - Parameter microseconds: the new limit, if the old one is higher.
    package static func lowerRealtimeLimit(to microseconds: Int64) throws(Errno) {
        try checked(cs_rttime_lower(microseconds))
    }
}

/// A thread for one piece of work, with a chosen stack size: a process may have little address space.
///
/// The corresponding C functions are `pthread_create` and `pthread_detach`.
package enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// - Parameters:
    ///   - stackBytes: a multiple of the page size.
    ///   - body: runs on the thread, which ends with it.
    /// - Throws: EAGAIN if no more threads are allowed.
    package static func start(stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        let work = Unmanaged.passRetained(Work(body))
        let result = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            throw Errno(result)
        }
        pthread_detach(thread)
    }
}

/// Reports once that a process has ended, without waiting until its parent has collected its status.
///
/// Standard: pidfd_open(2). *thread-safe*
package final class ProcessEndWatch: Sendable {
    /// A source that its own handler cancels.
    private final class Waiting: Sendable {
        /// Set before it is activated.
        let source = Locked<(any DispatchSourceRead)?>(nil)

        func cancel() { source.withLock { $0?.cancel() } }
    }

    private let waiting: Waiting

    /// - Parameters:
    ///   - process: its id.
    ///   - queue: queue on which `onEnd` is called, soon if the process has ended already.
    ///   - onEnd: called once, unless the watch is released before.
    /// - Throws: ESRCH if there is no such process, ENFILE or EMFILE if no descriptor is left.
    package init(of process: Int32, on queue: DispatchQueue, onEnd: @escaping @Sendable () -> Void) throws(Errno) {
        let file = RawDescriptor(try checked(cs_pidfd_open(process)))
        let waiting = Waiting()
        self.waiting = waiting
        waiting.source.withLock { source in
            let made = DispatchSource.makeReadSource(fileDescriptor: file.number, queue: queue)
            made.setEventHandler {
                // It stays readable from now on.
                waiting.cancel()
                onEnd()
            }
            // A descriptor may be closed only once its source is cancelled.
            made.setCancelHandler { file.close() }
            source = made
        }
        waiting.source.withLock { $0?.activate() }
    }

    // Cancelling releases the handlers, which own the objects of the wait.
    deinit { waiting.cancel() }
}

/// Some of the signals of this process: signal(7).
///
/// *thread-safe*
package struct Signals: Sendable {
    /// SIGINT: Ctrl-C.
    package static let interrupt = SIGINT
    /// SIGTERM: kill(1).
    package static let terminate = SIGTERM
    /// SIGHUP: the terminal is gone.
    package static let hangUp = SIGHUP
    /// SIGUSR1.
    package static let user1 = SIGUSR1
    /// SIGUSR2.
    package static let user2 = SIGUSR2

    package let numbers: [Int32]

    package init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    /// Blocks the signals in this thread and in those that it starts later. The corresponding C function is `pthread_sigmask`.
    package func block() { _ = cs_signal_block(numbers, numbers.count) }

    /// Waits for one of the signals, which must be blocked. The corresponding C function is `sigwait`.
    package func wait() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0 { return number }
        }
    }

    /// True if a signal is ignored, as for a program started by nohup(1). The corresponding C function is `sigaction`.
    package static func isIgnored(_ number: Int32) -> Bool { cs_signal_is_ignored(number) == 1 }

    /// Makes writing to a pipe without a reader fail with EPIPE, instead of a signal that ends the process.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Lets this process continue when a terminal would stop it for reading or writing in the background.
    package static func ignoreStopsByTerminal() {
        _ = signal(SIGTTOU, SIG_IGN)
        _ = signal(SIGTTIN, SIG_IGN)
    }

    /// Ends the process as an unhandled signal does, so that its parent learns the reason.
    package static func endProcess(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        _ = cs_signal_unblock([number], 1)
        raise(number)
        endProcess(status: 128 + number)
    }

    /// Ends the process at once: one of a library's threads may still use what the library cleans up at `exit`. The
    /// corresponding C function is `_exit`.
    package static func endProcess(status: Int32) -> Never { _exit(status) }
}

// Functions of the C library that Swift's standard library lacks, so that a codec needs no further C import.

/// Sine. The corresponding C function is `sin`.
///
/// - Parameter angle: radians.
package func sine(_ angle: Double) -> Double { sin(angle) }

/// Decimal logarithm. The corresponding C function is `log10`.
package func decimalLogarithm(_ value: Double) -> Double { log10(value) }

/// A power. The corresponding C function is `powf`.
package func power(_ base: Float, _ exponent: Float) -> Float { powf(base, exponent) }

/// A power in double precision. The corresponding C function is `pow`.
package func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

/// The first occurrence of a byte in memory; compares many bytes at once. The corresponding C function is `memchr`.
///
/// - Parameters:
///   - value: byte to find.
///   - start: start of the search.
///   - count: number of bytes to search.
/// - Returns: its address; `nil` if it does not occur.
package func firstByte(_ value: UInt8, from start: UnsafeRawPointer, count: Int) -> UnsafeRawPointer? {
    UnsafeRawPointer(memchr(start, Int32(value), count))
}

/// Counter of threads' allocations, including those of libraries: made for a measurement, not for permanent use.
///
/// Calls of `malloc` and its kin by the loaded objects are routed through a counter.
package enum AllocationCounter {
    /// Starts counting.
    ///
    /// - Throws: EBUSY if it already counts, ENOSPC or ENOSYS if the objects are linked differently, as under a sanitizer.
    package static func begin() throws(Errno) { try checked(cs_allocations_begin()) }

    /// Restores the objects.
    package static func end() { cs_allocations_end() }

    /// Allocations of the calling thread while counting was on.
    package static var count: Int64 { cs_allocations_count() }
}

/// The user database, and this process's ids.
///
/// *thread-safe*; a lookup may ask a name service, which can be slow.
package enum Users {
    /// The user id that permissions are checked against. The corresponding C function is `geteuid`.
    package static var effectiveID: UInt32 { cs_geteuid() }

    /// The group ids that permissions are checked against, the effective one first. The corresponding C functions are `getegid`
    /// and `getgroups`.
    package static var groupIDs: [UInt32] {
        let count = cs_getgroups(nil, 0)
        guard count > 0 else { return [cs_getegid()] }
        var groups = [UInt32](repeating: 0, count: Int(count))
        let got = cs_getgroups(&groups, groups.count)
        return [cs_getegid()] + groups[..<max(0, min(Int(got), groups.count))]
    }

    /// The name of a user, or the number if none exists. The corresponding C function is `getpwuid_r`.
    package static func name(ofUser id: UInt32) -> String { text { cs_user_name(id, $0, $1) } ?? String(id) }

    /// The name of a group, or the number if none exists. The corresponding C function is `getgrgid_r`.
    package static func name(ofGroup id: UInt32) -> String { text { cs_group_name(id, $0, $1) } ?? String(id) }

    /// The number of a user. The corresponding C function is `getpwnam_r`.
    ///
    /// - Returns: `nil` if no user has the name.
    /// - Throws: the error of the database.
    package static func id(ofUser name: String) throws(Errno) -> UInt32? {
        var id: UInt32 = 0
        return try checked(cs_user_id(name, &id)) == 1 ? id : nil
    }

    /// The number of a group. The corresponding C function is `getgrnam_r`.
    ///
    /// - Returns: `nil` if no group has the name.
    /// - Throws: the error of the database.
    package static func id(ofGroup name: String) throws(Errno) -> UInt32? {
        var id: UInt32 = 0
        return try checked(cs_group_id(name, &id)) == 1 ? id : nil
    }

    /// The home directory of a user in the database. The corresponding C function is `getpwuid_r`.
    package static func homeDirectory(ofUser id: UInt32) -> String? { text { cs_user_home(id, $0, $1) } }

    /// - Parameter body: writes at most the given number of bytes, including a NUL, and returns 1 if there is a text.
    private static func text(_ body: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String? {
        // PATH_MAX.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { bytes in
            guard let start = bytes.baseAddress, body(start, bytes.count) == 1 else { return nil }
            return String(cString: start)
        }
    }
}
