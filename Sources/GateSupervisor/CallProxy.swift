import CaptureGate
import Gate
import LinuxSystem

/// Answers the calls that a supervised program's filter reports.
///
/// Calls that matter are made here, on the very file that was checked. They are never passed on after a check: another thread of
/// the program could put another file in its place in between.
///
/// *thread-safe*
final class CallProxy: Sendable {
    /// Reports the calls, and takes the answers.
    let listener: CallListener
    /// Knows which nodes are gated, and of which device they are.
    let nodes: any NodeDirectory
    /// Permissions of the run's programs.
    let captures: SupervisedCaptures
    /// Sockets that may be connected to.
    let services: ServiceRules
    /// Parent of all processes of the run.
    let guardID: Int32
    /// Tells a person a sentence, once.
    let tell: @Sendable (String) -> Void
    /// A program that runs as anybody else gets nothing: the supervisor's rights are not its own.
    private let user = Users.effectiveID
    /// Calls that are being made on separate threads.
    private let slowCalls = Locked(0)

    init(
        listener: CallListener, nodes: any NodeDirectory, captures: SupervisedCaptures, services: ServiceRules,
        guardID: Int32, tell: @escaping @Sendable (String) -> Void
    ) {
        self.listener = listener
        self.nodes = nodes
        self.captures = captures
        self.services = services
        self.guardID = guardID
        self.tell = tell
    }

    /// Answers until nobody is left to be answered, or `over` is readable.
    func serve(until over: Int32) {
        while let call = listener.next(cancel: over) {
            switch call.call {
            case .open, .creat, .openat, .openat2: open(call)
            case .ioctl: slowly(call) { () throws(Errno) in try self.control(call) }
            case .connect: slowly(call) { () throws(Errno) in try self.connect(call) }
            case .limits, .scheduler, .schedulerParameters, .schedulerAttributes, .affinity: limit(call, of: call[0])
            // Of a process, not of a group or a user, which the supervisor belongs to.
            case .priority where call[0] & 0xFFFF_FFFF == 0, .inputPriority where call[0] & 0xFFFF_FFFF == 1:
                limit(call, of: call[1])
            case .priority, .inputPriority: listener.fail(call, .notPermitted)
            default: listener.passOn(call)
            }
        }
    }

    /// Passes a call on that slows or limits a process, unless that is this one or the guard: neither's id can be another's while
    /// they run.
    private func limit(_ call: ReportedCall, of number: UInt64) {
        let thread = Int32(truncatingIfNeeded: number)
        let process = thread == 0 ? 0 : ProcessFile.processID(ofThread: thread) ?? thread
        guard process != ProcessStart.processID, process != guardID else { return listener.fail(call, .notPermitted) }
        listener.passOn(call)
    }

    /// Makes a call that may take long on a separate thread.
    private func slowly(_ call: ReportedCall, _ body: @escaping @Sendable () throws(Errno) -> Void) {
        let isRoom = slowCalls.withLock { count in
            guard count < Self.mostSlowCalls else { return false }
            count += 1
            return true
        }
        guard isRoom else { return listener.fail(call, .wouldBlock) }
        let isBegun = SupervisedRun.thread {
            do throws(Errno) { try body() } catch { self.listener.fail(call, error) }
            self.slowCalls.withLock { $0 -= 1 }
        }
        if !isBegun {
            slowCalls.withLock { $0 -= 1 }
            listener.fail(call, .wouldBlock)
        }
    }

    /// Beyond it a call fails with EAGAIN: a program that makes thousands at once must not take all threads of its user.
    private static let mostSlowCalls = 128

    // MARK: Opening

    /// Checks where an opening leads. All but gated nodes are passed on: Landlock judges the call, whatever its path is by then.
    private func open(_ call: ReportedCall) {
        do throws(Errno) {
            let opening = try Opening(call)
            try open(opening, onlyCached: true)
        } catch  where error == .wouldBlock {
            slowly(call) { () throws(Errno) in try self.open(try Opening(call), onlyCached: false) }
        } catch {
            listener.passOn(call)
        }
    }

    /// - Parameter onlyCached: true on the thread that answers all: no disk, network or process may hold it up.
    private func open(_ opening: Opening, onlyCached: Bool) throws(Errno) {
        let place: FileDescriptor
        do throws(Errno) {
            place = try opening.place(onlyCached: onlyCached)
        } catch  where error == .wouldBlock && onlyCached {
            throw error
        } catch {
            // The kernel reports it better.
            return listener.passOn(opening.call)
        }
        guard case .success(let status) = FileStatus.of(place), status.kind == .characterDevice else {
            return listener.passOn(opening.call)
        }
        switch nodes.isClosed(status.node) ? nodes.kind(of: status.node) : nodes.kindOfOpen(status.node) {
        case .free: listener.passOn(opening.call)
        case .harmless: hand(place, opening)
        case .sealed(let what):
            tell(
                "\(name(of: opening.call)) may not open \(opening.path.visible): it is \(what), which the gate can't revoke."
            )
            listener.fail(opening.call, .permissionDenied)
        case .capture(let capability, let device):
            let place = SharedFile(place)
            Task { await self.ask(opening, place, status.node, capability, device) }
        }
    }

    /// Opens what needs no permission but the node's own.
    private func hand(_ place: borrowing FileDescriptor, _ opening: Opening) {
        do throws(Errno) {
            try checkUser(of: opening.call)
            let file = try ProxyCall.open(place, flags: opening.flags)
            guard listener.isWaiting(opening.call) else { return }
            _ = listener.hand(file, to: opening.call, closesOnExec: opening.closesOnExec)
        } catch {
            listener.fail(opening.call, error)
        }
    }

    /// Asks for the device, then opens it and passes the file. The file is noted before the program gets it, so that a permission
    /// that ends in between finds it.
    private func ask(
        _ opening: Opening, _ place: SharedFile, _ node: DeviceNumber, _ capability: CapabilityName,
        _ device: DeviceDescription
    ) async {
        let call = opening.call
        do throws(CaptureError) {
            let capture = try await captures.capture(try subject(of: call), capability, device)
            // On a thread: a driver may take its time.
            slowly(call) { () throws(Errno) in
                try capture.use(node) { () throws(Errno) in
                    let file = try ProxyCall.open(place.file, flags: opening.flags)
                    guard case .success(let status) = FileStatus.of(file), status.node == node else {
                        throw .noSuchDevice
                    }
                    try capture.note(file)
                    _ = self.listener.hand(file, to: call, closesOnExec: opening.closesOnExec)
                }
            }
        } catch {
            refuse(call, device, error)
        }
    }

    /// Makes a call fail with the refusal's number, usually EACCES, and shows the person the reason.
    private func refuse(_ call: ReportedCall, _ device: DeviceDescription, _ error: CaptureError) {
        tell("\(name(of: call)) may not use \(device.name): \(error.message)")
        listener.fail(call, error.errno == 0 ? .permissionDenied : Errno(error.errno))
    }

    // MARK: Starting streams

    /// Makes a request that starts a stream, on the file that it was asked of.
    private func control(_ call: ReportedCall) throws(Errno) {
        let process = try RemoteProcess(thread: call.thread)
        let file = try process.descriptor(Int32(truncatingIfNeeded: call[0]))
        let request = StreamCall(call)
        guard case .success(let status) = FileStatus.of(file), status.kind == .characterDevice,
            nodes.isClosed(status.node)
        else { return try request.make(on: file, for: process, answering: listener) }
        switch nodes.kind(of: status.node) {
        case .free, .harmless: try request.make(on: file, for: process, answering: listener)
        case .sealed: throw .permissionDenied
        case .capture(let capability, let device):
            let shared = SharedFile(file)
            Task { await self.start(request, shared, status.node, capability, device) }
        }
    }

    /// Asks for the device of a stream: a file may have been handed from a program that was allowed to one that was not.
    private func start(
        _ request: StreamCall, _ file: SharedFile, _ node: DeviceNumber, _ capability: CapabilityName,
        _ device: DeviceDescription
    ) async {
        do throws(CaptureError) {
            let capture = try await captures.capture(try subject(of: request.call), capability, device)
            slowly(request.call) { () throws(Errno) in
                try capture.use(node) { () throws(Errno) in
                    // It may have come from another program of the run.
                    try capture.note(file.file)
                    let process = try RemoteProcess(thread: request.call.thread)
                    try request.make(on: file.file, for: process, answering: self.listener)
                }
            }
        } catch {
            refuse(request.call, device, error)
        }
    }

    // MARK: Who calls

    /// The program that makes a call, which waits meanwhile.
    private func subject(of call: ReportedCall) throws(CaptureError) -> Subject {
        let subject = try ProcessSubject.of(
            process: ProcessFile.processID(ofThread: call.thread) ?? call.thread, known: [])
        guard listener.isWaiting(call) else {
            throw CaptureError(.cancelled, "The program has ended.", errno: Errno.noSuchProcess.number)
        }
        guard subject.userID == user else {
            throw CaptureError(
                .notAuthorized, "The program runs as user \(subject.userID), but another user started it.",
                remedies: [Remedy("Start it as that user.")])
        }
        return subject
    }

    /// - Throws: EACCES where a call comes from another user's process.
    private func checkUser(of call: ReportedCall) throws(Errno) {
        guard ProcessFile.status("Uid", of: call.thread).last == user else { throw .permissionDenied }
    }

    /// The calling program's name for a person, as it calls itself.
    func name(of call: ReportedCall) -> String {
        (ProcessFile.text("/proc/\(call.thread)/comm") ?? "A program").visible
    }
}

extension NodeDirectory {
    /// Sound nodes that do not capture may be newer than Landlock's rules; all others are left to the kernel.
    fileprivate func kindOfOpen(_ node: DeviceNumber) -> NodeKind { node.parts.major == 116 ? .harmless : .free }
}

/// An open file that several tasks refer to.
final class SharedFile: Sendable {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) { self.file = file }
}

/// An opening that another process asks for: open(2), creat(2), openat(2) or openat2(2).
private struct Opening: Sendable {
    /// The call itself.
    let call: ReportedCall
    /// Path that was read; the program may have changed it since.
    let path: String
    /// Flags of open(2).
    let flags: Int32
    /// Descriptor of the directory that a relative path begins in.
    private let folder: Int32

    /// - Throws: if the arguments can't be read.
    init(_ call: ReportedCall) throws(Errno) {
        self.call = call
        let memory = RemoteMemory(ofThread: call.thread)
        let isAt = call.call == .openat || call.call == .openat2
        path = try memory.path(at: call[isAt ? 1 : 0])
        folder = isAt ? Int32(truncatingIfNeeded: call[0]) : Self.workingFolder
        switch call.call {
        case .openat2:
            let how = try memory.bytes(at: call[2], count: 8)
            flags = Int32(truncatingIfNeeded: LittleEndian.number(how, at: 0, 8))
        case .creat: flags = OpenFlags([.create, .writeOnly]).rawValue
        default: flags = Int32(truncatingIfNeeded: call[isAt ? 2 : 1])
        }
    }

    /// True if the descriptor is not for the programs that this one starts.
    var closesOnExec: Bool { flags & OpenFlags.closeOnExec.rawValue != 0 }

    /// Place that it leads to, from the directory of the calling thread.
    ///
    /// A path of a thread with another root is resolved with this thread's root. The result is opened only if it is a gated node,
    /// and the person is asked about the device itself.
    func place(onlyCached: Bool) throws(Errno) -> FileDescriptor {
        let followsLinks = flags & OpenFlags.noFollow.rawValue == 0
        if path.hasPrefix("/") {
            return try ProxyCall.place(absolute: path, followsLinks: followsLinks, onlyCached: onlyCached)
        }
        let base = folder == Self.workingFolder ? "cwd" : "fd/\(folder)"
        let from = try FileDescriptor(opening: "/proc/\(call.thread)/\(base)", .pathOnly)
        return try ProxyCall.place(path, in: from, followsLinks: followsLinks, onlyCached: onlyCached)
    }

    /// AT_FDCWD.
    private static let workingFolder: Int32 = -100
}

/// A request of ioctl(2) that another process makes.
private struct StreamCall: Sendable {
    /// The call itself.
    let call: ReportedCall

    init(_ call: ReportedCall) { self.call = call }

    /// Its number: the kernel reads only the lower half.
    private var request: UInt32 { UInt32(truncatingIfNeeded: call[1]) }
    /// Bytes of its struct, and which way they go: asm-generic/ioctl.h.
    private var size: Int { Int(request >> 16 & 0x3FFF) }
    private var isRead: Bool { request >> 30 & 2 != 0 }

    /// Makes it, with the caller's argument as it is now, and answers.
    func make(
        on file: borrowing FileDescriptor, for process: borrowing RemoteProcess, answering listener: CallListener
    ) throws(Errno) {
        guard size > 0 else {
            return listener.finish(call, try ProxyCall.control(file, request, number: call[2]))
        }
        var argument = try process.memory.bytes(at: call[2], count: size)
        let result = try ProxyCall.control(file, request, &argument)
        if isRead { try process.memory.write(argument, at: call[2]) }
        listener.finish(call, result)
    }
}
