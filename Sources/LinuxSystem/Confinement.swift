import CSystem

/// Accesses to files that Landlock can refuse, and what a domain may not reach outside of itself.
///
/// Standard: landlock(7), linux/landlock.h up to version 6.
package struct LandlockAccess: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let execute = LandlockAccess(rawValue: 1 << 0)
    package static let writeFile = LandlockAccess(rawValue: 1 << 1)
    package static let readFile = LandlockAccess(rawValue: 1 << 2)
    package static let readDirectory = LandlockAccess(rawValue: 1 << 3)
    package static let makeCharacterDevice = LandlockAccess(rawValue: 1 << 6)
    package static let makeBlockDevice = LandlockAccess(rawValue: 1 << 11)
    package static let truncate = LandlockAccess(rawValue: 1 << 14)
    /// To read and execute, and nothing that changes anything.
    package static let ofReaders: LandlockAccess = [.execute, .readFile, .readDirectory]
    /// ioctl(2) on device files. Version 5.
    package static let deviceControl = LandlockAccess(rawValue: 1 << 15)
    /// All of version 5, linking and renaming across directories among them.
    package static let all = LandlockAccess(rawValue: (1 << 16) - 1)
    /// Those that a rule about a file, as opposed to a directory, may have.
    package static let ofFiles: LandlockAccess = [.execute, .writeFile, .readFile, .truncate, .deviceControl]
}

/// Reach of a Landlock domain that is cut off at its border. Version 6.
package struct LandlockScope: OptionSet, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static let abstractSockets = LandlockScope(rawValue: 1 << 0)
    package static let signals = LandlockScope(rawValue: 1 << 1)
}

/// A set of Landlock rules in the making: what it handles is refused to a domain unless a rule allows it.
///
/// The corresponding C functions are `landlock_create_ruleset` and `landlock_add_rule`.
package struct LandlockRuleset: ~Copyable, Sendable {
    fileprivate let file: FileDescriptor

    /// Version of the kernel's Landlock; 0 if it has none or it is switched off.
    package static var version: Int { max(0, Int(cs_landlock_abi())) }

    package init(handling accesses: LandlockAccess, scopes: LandlockScope) throws(Errno) {
        let number = try checked(cs_landlock_create(accesses.rawValue, scopes.rawValue))
        file = FileDescriptor(owning: RawDescriptor(number))
    }

    /// Allows accesses to a file, or to a directory and all below it; links are followed.
    package func allow(_ accesses: LandlockAccess, beneath path: String) throws(Errno) {
        let place = try FileDescriptor(opening: path, .pathOnly)
        try checked(cs_landlock_allow(file.number, place.number, accesses.rawValue))
    }
}

/// A system call that a filter knows by name.
package enum SystemCall: Int32, CaseIterable, Sendable {
    case open, creat, openat, openat2, connect, ioctl, socket
    case ioUringSetup, ioUringEnter, ioUringRegister
    case kill, tgkill, tkill, signalQueue, threadSignalQueue, pidfdOpen
    case limits, scheduler, schedulerParameters, schedulerAttributes, affinity, priority, inputPriority
    case sendTo, sendMessage, sendMessages

    /// Number on this architecture; `nil` if it has none of that name.
    package var number: Int32? {
        let number = cs_call_number(rawValue)
        return number < 0 ? nil : number
    }
}

/// Seccomp filter: the effect on each system call of a process and of all its children.
///
/// Calls of another architecture than this one's, including x32, fail with ENOSYS: their numbers mean other calls. Standard:
/// seccomp(2), `struct sock_filter`.
package struct CallFilter: Sendable {
    /// Fate of a call.
    package enum Action: Hashable, Sendable {
        case allow
        case fail(Errno)
        /// The call is reported to the supervisor, and the thread waits for its answer.
        case report
    }

    /// A test of the lower half of an argument: the kernel ignores the upper half of flags and requests.
    package enum Test: Sendable {
        case isOne(of: [UInt32])
        case hasAny(UInt32)
        /// Equal where the mask has bits.
        case equals(UInt32, mask: UInt32)
    }

    fileprivate private(set) var steps: [cs_filter_step]

    /// Allows all calls.
    package init() {
        steps = [
            Code.load(Code.architecture), Code.jump(Code.equal, cs_audit_architecture(), yes: 1),
            Code.end(.fail(.noFunction)),
            Code.load(Code.number),
        ]
        // Numbers of x32, which are those of x86_64 with this bit.
        steps += [Code.jump(Code.anyBit, 0x4000_0000, no: 1), Code.end(.fail(.noFunction))]
        steps.append(Code.end(.allow))
    }

    /// Decides about a call: by the first matching test, otherwise by `action`. Only the first decision about a call counts.
    package mutating func decide(
        _ call: SystemCall, _ tests: [(argument: Int, Test, Action)] = [], else action: Action
    ) {
        guard let number = call.number else { return }
        var block: [cs_filter_step] = []
        for (argument, test, action) in tests { block += Self.steps(argument, test, action) }
        block.append(Code.end(action))
        let final = steps.removeLast()
        // The block is longer than a conditional jump can be at most; a plain one is not limited.
        steps.append(Code.jump(Code.equal, UInt32(bitPattern: number), yes: 1))
        steps.append(cs_filter_step(code: Code.always, if_true: 0, if_false: 0, value: UInt32(block.count)))
        steps += block + [final]
    }

    private static func steps(_ argument: Int, _ test: Test, _ action: Action) -> [cs_filter_step] {
        let load = Code.load(Code.argument(argument))
        switch test {
        case .isOne(let values):
            return [load] + values.flatMap { [Code.jump(Code.equal, $0, no: 1), Code.end(action)] }
        case .hasAny(let bits): return [load, Code.jump(Code.anyBit, bits, no: 1), Code.end(action)]
        case .equals(let value, let mask):
            let and = cs_filter_step(code: Code.and, if_true: 0, if_false: 0, value: mask)
            return [load, and, Code.jump(Code.equal, value, no: 1), Code.end(action)]
        }
    }

    /// linux/bpf_common.h, linux/seccomp.h.
    private enum Code {
        static let always: UInt16 = 0x05
        static let equal: UInt16 = 0x15
        static let anyBit: UInt16 = 0x45
        static let and: UInt16 = 0x54
        /// Offsets in `struct seccomp_data`; both architectures are little-endian.
        static let number: UInt32 = 0
        static let architecture: UInt32 = 4
        static func argument(_ index: Int) -> UInt32 { 16 + 8 * UInt32(index) }

        static func load(_ offset: UInt32) -> cs_filter_step {
            cs_filter_step(code: 0x20, if_true: 0, if_false: 0, value: offset)
        }

        static func jump(_ code: UInt16, _ value: UInt32, yes: UInt8 = 0, no: UInt8 = 0) -> cs_filter_step {
            cs_filter_step(code: code, if_true: yes, if_false: no, value: value)
        }

        static func end(_ action: Action) -> cs_filter_step {
            let value: UInt32 =
                switch action {
                case .allow: 0x7FFF_0000
                case .fail(let errno): 0x0005_0000 | UInt32(errno.number)
                case .report: 0x7FC0_0000
                }
            return cs_filter_step(code: 0x06, if_true: 0, if_false: 0, value: value)
        }
    }
}

/// Program under Landlock and a filter, with all its children, below a guard that ends them all when this process ends.
///
/// *thread-safe*; `next` blocks, and must be called from one thread.
package final class ConfinedProcess: Sendable {
    /// Something that happens to the program.
    package enum Event: Sendable {
        /// The listener of its filter. It is the receiver's to close.
        case listener(RawDescriptor)
        case started(Int32)
        case failed(Step, Errno)
        /// It has ended; its children may continue.
        case ended(ChildProcess.Ending)
        /// Nothing is left of it.
        case gone
        /// Its guard was killed, and the program's children continue as this process's children.
        case unguarded
    }

    /// Step of a start.
    package enum Step: Int32, Sendable {
        case privileges = 1
        case scope, ruleset, filter, execution, fork
    }

    /// The guard: parent of the program, and of all orphans that it leaves.
    package let guardID: Int32
    private let control: RawDescriptor

    /// Starts a program. The corresponding C functions are `fork`, `landlock_restrict_self`, `seccomp` and `execve`.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - arguments: all of them, the program's name first.
    ///   - environment: as `NAME=VALUE`.
    ///   - scope: rules for guard and program, so that the guard can end exactly those.
    ///   - ruleset: rules for the program alone.
    ///   - filter: `nil` for none.
    package init(
        _ path: String, arguments: [String], environment: [String], scope: borrowing LandlockRuleset?,
        ruleset: borrowing LandlockRuleset?, filter: CallFilter?
    ) throws(Errno) {
        var control: Int32 = -1
        let (scope, ruleset) = (Self.number(scope), Self.number(ruleset))
        let result = CStrings.with(arguments) { arguments in
            CStrings.with(environment) { environment in
                path.withCString { path in
                    (filter?.steps ?? []).withUnsafeBufferPointer { steps in
                        var confinement = cs_confinement(
                            path: path, arguments: arguments, environment: environment, scope: scope, ruleset: ruleset,
                            filter: steps.baseAddress, filter_length: steps.count)
                        return cs_confined_start(&confinement, &control)
                    }
                }
            }
        }
        guardID = try checked(result)
        self.control = RawDescriptor(control)
    }

    private static func number(_ ruleset: borrowing LandlockRuleset?) -> Int32 {
        switch ruleset {
        case .some(let ruleset): ruleset.file.number
        case .none: -1
        }
    }

    deinit { control.close() }

    /// Waits for the next event.
    package func next() -> Event {
        var event = cs_confined_event()
        guard cs_confined_read(control.number, &event) == 1 else {
            var ending = cs_ending()
            _ = cs_wait(guardID, 1, &ending)
            return ending.is_signal != 0 ? .unguarded : .gone
        }
        switch Int(event.kind) {
        case Int(CS_CONFINED_LISTENER): return .listener(RawDescriptor(event.number))
        case Int(CS_CONFINED_STARTED): return .started(event.number)
        case Int(CS_CONFINED_FAILED): return .failed(Step(rawValue: event.detail) ?? .execution, Errno(event.number))
        case Int(CS_CONFINED_EXITED): return .ended(.exited(event.number))
        default: return .ended(.killed(signal: event.number))
        }
    }

    /// Ends the program and all its children, at once.
    package func kill() { _ = cs_confined_kill(control.number) }
}
