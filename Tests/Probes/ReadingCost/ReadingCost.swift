import CaptureBase
import CaptureGate
import GateTestKit
import Glibc

/// Cost of a task that waits for the frames of a camera, 1920x1080 at 60 a second, beside a thread that does, in one capture.
///
/// usage: ReadingCost FOLDER [ROUNDS [FRAMES]]    processor time of both, in turns of so many frames
///        ReadingCost FOLDER allocations          what a task allocates in 120 frames; see Tests/checks/encoder-allocations
@main
struct ReadingCost {
    static func main() async {
        let words = CommandLine.arguments
        guard words.count > 1 else {
            print("usage: ReadingCost FOLDER [ROUNDS [FRAMES] | allocations]")
            exit(64)
        }
        do {
            let gatekeeper = try Gatekeeper.system(storeIn: words[1], prompter: ScriptedPrompter { _ in .allow(.once) })
            let queue = GateQueue(gatekeeper: gatekeeper)
            let numbers = words.dropFirst(2).compactMap(Int.init)
            try await queue.run(
                Reading { session async throws(CaptureError) in
                    if words.dropFirst(2).first == "allocations" { return try await allocations(&session) }
                    try await compare(&session, rounds: numbers.first ?? 75, frames: numbers.dropFirst().first ?? 12)
                })
        } catch {
            print("ReadingCost: \(error)")
            exit(1)
        }
    }

    /// Goal: processor time of a task beside that of a thread.
    private static let mostCost = 1.02

    private static nonisolated(nonsending) func compare(
        _ session: inout VideoSession, rounds: Int, frames: Int
    ) async throws(CaptureError) {
        let sum = Locked<UInt64>(0)
        // Ahead of it: the opening, and the first frames.
        _ = await read(&session, 30, sum, isTask: true)
        var ratios: [Double] = []
        var costs: [(thread: Double, task: Double)] = []
        for _ in 0..<rounds {
            var (thread, task) = (0.0, 0.0)
            // In both orders: the machine may be slower in the second half.
            for isTask in [false, true, true, false] {
                let start = ProcessorTime.now
                guard await read(&session, frames, sum, isTask: isTask) else {
                    throw CaptureError(.stalled, "The camera has ended.")
                }
                let cost = (ProcessorTime.now - start) / Double(2 * frames)
                if isTask { task += cost } else { thread += cost }
            }
            costs.append((thread, task))
            ratios.append(task / thread)
        }
        let thread = costs.reduce(0) { $0 + $1.thread } / Double(rounds)
        let task = costs.reduce(0) { $0 + $1.task } / Double(rounds)
        let medianRatio = ratios.sorted()[rounds / 2]
        print("a thread  \(thread) µs of processors a frame")
        print("a task    \(task) µs of processors a frame")
        print("ratio     \(task / thread), \(medianRatio) in the median of \(rounds) rounds; goal ≤ \(mostCost)")
        if task / thread > mostCost { throw CaptureError(.unavailable, "A task costs more than the goal.") }
    }

    /// Reads frames, each to its end as an analysis does.
    private static nonisolated(nonsending) func read(
        _ session: inout VideoSession, _ frames: Int, _ sum: borrowing Locked<UInt64>, isTask: Bool
    ) async -> Bool {
        var left = frames
        session.start()
        while left > 0 {
            if isTask {
                guard (try? await session.ready()) == true else { return false }
            } else if !session.wait(milliseconds: 5000) || session.end != nil {
                return false
            }
            while left > 0, let read = session.withNext({ _, bytes in self.sum(bytes) }) {
                sum.withLock { $0 &+= read }
                left -= 1
            }
        }
        return true
    }

    private static func sum(_ bytes: RawSpan) -> UInt64 {
        var sum: UInt64 = 0
        for offset in stride(from: 0, to: bytes.byteCount - 7, by: 64) {
            sum &+= bytes.unsafeLoad(fromByteOffset: offset, as: UInt64.self)
        }
        return sum
    }

    private static nonisolated(nonsending) func allocations(_ session: inout VideoSession) async throws(CaptureError) {
        guard let counter = AllocationCounter() else {
            throw CaptureError(.usage, "Run Tests/checks/encoder-allocations.")
        }
        let sum = Locked<UInt64>(0)
        _ = await read(&session, 120, sum, isTask: true)
        counter.start()
        let isWhole = await read(&session, 120, sum, isTask: true)
        let (own, libraries) = counter.stop()
        print("waiting frames=\(isWhole ? 120 : 0) own=\(own) libraries=\(libraries)")
    }
}

/// Reads the built-in camera.
private struct Reading: CaptureOperation {
    let authorization = AuthorizedFor(
        Capability.Camera(.video, device: .id("test:bars"), purpose: "Measure the reading of a camera"))
    let body: @Sendable (inout VideoSession) async throws(CaptureError) -> Void

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let part = permit.take("test:bars") else { return }
        let settings = VideoSettings(width: 1920, height: 1080, pixelFormat: .yuyv, frameRate: FrameRate(60))
        var session = try await VideoSession(opening: part, settings: settings)
        try await body(&session)
        await session.close()
    }
}

/// Processor time of this process and its threads.
private enum ProcessorTime {
    /// Microseconds.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

/// The counter that encoder-allocations loads into this process.
private struct AllocationCounter {
    let start: @convention(c) () -> Void
    private let end: @convention(c) (Int32) -> Int

    /// - Returns: `nil` if it is not loaded.
    init?() {
        let program = dlopen(nil, RTLD_NOW)
        guard let begin = dlsym(program, "begin_counting"), let end = dlsym(program, "end_counting") else { return nil }
        start = unsafeBitCast(begin, to: (@convention(c) () -> Void).self)
        self.end = unsafeBitCast(end, to: (@convention(c) (Int32) -> Int).self)
    }

    /// - Returns: the allocations meanwhile: by this project and the language, and by libraries.
    func stop() -> (own: Int, libraries: Int) { (end(0), end(1)) }
}
