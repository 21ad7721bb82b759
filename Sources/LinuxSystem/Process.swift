import CSystem
import Glibc

/// The arguments and streams that the process was given, and the limits on what it may have.
///
/// The corresponding C calls are named at each; what they find is true for the moment alone.
package enum ProcessStart {
    /// This process. The corresponding C function is `getpid`.
    package static var processID: Int32 { cs_getpid() }

    /// The leader of this process's session; 0 where it lives outside this process namespace, as with a command run in a
    /// container. The corresponding C function is `getsid`.
    package static var sessionLeader: Int32 { max(0, cs_getsid(0)) }

    /// The arguments behind the program's name, also where /proc can't be read; what is not UTF-8 is replaced.
    package static var arguments: [String] {
        (1..<max(1, cs_argument_count())).map { index in cs_argument(index).map { String(cString: $0) } ?? "" }
    }

    /// True where all arguments are UTF-8: of others, Swift's strings are not what was written.
    package static var areArgumentsText: Bool {
        (0..<cs_argument_count()).allSatisfy { index in
            cs_argument(index).map { String(validatingCString: $0) != nil } ?? true
        }
    }

    /// Occupies each of the first three descriptors that is closed, so that no file that is opened later is taken for a
    /// stream of the program's: a clip for the place where its events go.
    package static func fillStreams() { _ = cs_fill_streams() }

    /// Sees to it that the parser's library has a line to fill: it traps where a terminal, or COLUMNS, leaves a line less
    /// room than its indentation takes.
    ///
    /// To be called before there is another thread, which could read the variable meanwhile. The corresponding C functions
    /// are `getenv` and `setenv`.
    ///
    /// - Parameter least: characters.
    package static func ensureColumns(to least: Int) {
        let told = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        let found = TerminalSize(of: RawDescriptor(STDOUT_FILENO)).columns
        if told ?? (found > 0 ? found : least) < least { setenv("COLUMNS", "\(least)", 1) }
    }

    /// Writes out what C's streams still have. The corresponding C function is `fflush`.
    package static func flushStreams() { fflush(nil) }

    /// True where RLIMIT_AS or RLIMIT_DATA says anything.
    package static var hasMemoryLimit: Bool { cs_has_memory_limit() == 1 }

    /// Gives all threads that are made from now on a stack of that size at least.
    ///
    /// - Parameters:
    ///   - leastStack: bytes.
    ///   - hasOneHeap: whether malloc(3) keeps one heap for all of them, as little memory wants it.
    package static func setThreadMemory(leastStack: Int, hasOneHeap: Bool) {
        _ = cs_set_thread_memory(leastStack, hasOneHeap ? 1 : 0)
    }

    /// Descriptors that there could be beside those that there are, up to so many: 256 at most.
    package static func spareDescriptors(upTo most: Int) -> Int { Int(cs_spare_descriptors(Int32(min(most, 256)))) }

    /// Threads that there could be beside those that there are, up to so many: 256 at most.
    package static func spareThreads(upTo most: Int) -> Int { Int(cs_spare_threads(Int32(min(most, 256)))) }

    /// Tries to map so many bytes.
    package static func hasMemory(bytes: Int) -> Bool { cs_spare_memory(bytes) >= 0 }

    /// Lowers the time that a realtime thread may run without a blocking call; without privilege there is no way back. The
    /// corresponding C function is `setrlimit` with RLIMIT_RTTIME.
    ///
    /// - Parameter microseconds: the new limit, where the old one is higher.
    package static func lowerRealtimeLimit(to microseconds: Int64) throws(Errno) {
        try checked(cs_rttime_lower(microseconds))
    }
}

/// A thread for one piece of work, with a stack of its own size: a process may have little memory for addresses.
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
    /// - Throws: EAGAIN where there may be no more of them.
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

/// Some of the signals of this process: signal(7).
///
/// *thread-safe*
package struct Signals: Sendable {
    /// SIGINT: Ctrl-C.
    package static let interrupt = SIGINT
    /// SIGTERM: kill(1).
    package static let terminate = SIGTERM
    /// SIGHUP: the terminal goes away.
    package static let hangUp = SIGHUP
    /// SIGUSR1.
    package static let user1 = SIGUSR1

    package let numbers: [Int32]

    package init(_ numbers: [Int32]) {
        self.numbers = numbers
    }

    /// Keeps them waiting, in this thread and in those that it starts from now on. The corresponding C function is
    /// `pthread_sigmask`.
    package func block() { _ = cs_signal_block(numbers, numbers.count) }

    /// Waits for one of them, which must be blocked. The corresponding C function is `sigwait`.
    package func wait() -> Int32 {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        while true {
            var number: Int32 = 0
            if sigwait(&set, &number) == 0 { return number }
        }
    }

    /// Looks whether a signal was ignored, as it is for a program started by nohup(1). The corresponding C function is
    /// `sigaction`.
    package static func isIgnored(_ number: Int32) -> Bool { cs_signal_is_ignored(number) == 1 }

    /// Has writing to a pipe that nobody reads fail with EPIPE, instead of a signal that ends the process.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Ends the process as a signal does where nobody takes it, so that its parent learns why.
    package static func endProcess(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        _ = cs_signal_unblock([number], 1)
        raise(number)
        endProcess(status: 128 + number)
    }

    /// Ends the process at once: what libraries clean up at `exit`, a thread of theirs may be using still. The corresponding
    /// C function is `_exit`.
    package static func endProcess(status: Int32) -> Never { _exit(status) }
}

// Functions of the C library that the standard library has no name for, so that a codec needs no more of C than these.

/// Sine. The corresponding C function is `sin`.
///
/// - Parameter angle: radians.
package func sine(_ angle: Double) -> Double { sin(angle) }

/// Decimal logarithm. The corresponding C function is `log10`.
package func decimalLogarithm(_ value: Double) -> Double { log10(value) }

/// A power. The corresponding C function is `powf`.
package func power(_ base: Float, _ exponent: Float) -> Float { powf(base, exponent) }

/// The first byte of a value in memory; looks at many bytes at once. The corresponding C function is `memchr`.
///
/// - Parameters:
///   - value: the byte.
///   - start: where the search begins.
///   - count: bytes to search.
/// - Returns: where it is; `nil` where it is not.
package func firstByte(_ value: UInt8, from start: UnsafeRawPointer, count: Int) -> UnsafeRawPointer? {
    UnsafeRawPointer(memchr(start, Int32(value), count))
}

/// A counter of what threads allocate, the libraries they call included: made for a measurement, not for good.
///
/// The loaded objects' calls of `malloc` and its kin are led through a counter.
package enum AllocationCounter {
    /// Begins to count.
    ///
    /// - Throws: EBUSY where it counts already, ENOSPC or ENOSYS where the objects are linked otherwise, as under a
    ///   sanitizer.
    package static func begin() throws(Errno) { try checked(cs_allocations_begin()) }

    /// Puts the objects back as they were.
    package static func end() { cs_allocations_end() }

    /// Allocations of the calling thread while counting was on.
    package static var count: Int64 { cs_allocations_count() }
}
