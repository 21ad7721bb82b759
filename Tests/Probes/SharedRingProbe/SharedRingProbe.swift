import CaptureBase
import CaptureRealtime
import Glibc
import ProbeKit

/// Cost of a camera that is lent to three processes: 1920×1080 in YUYV at 60 frames a second, each copied into a ring for
/// each reader; exit code 1 where a goal is missed.
///
/// usage: SharedRingProbe FOLDER [SECONDS]
@main
struct SharedRingProbe {
    static let frameBytes = 1920 * 1080 * 2
    private static let readers = 3
    private static let interval = 16_666_667

    static func main() {
        let words = CommandLine.arguments
        if words.count == 4, words[1] == "reader", let memory = Int32(words[2]), let wake = Int32(words[3]) {
            exit(ProbeReader.read(memory, wake))
        }
        guard words.count >= 2 else {
            print("usage: SharedRingProbe FOLDER [SECONDS]")
            exit(64)
        }
        var report = GoalReport()
        do {
            try measure(words[1], seconds: words.count > 2 ? Int(words[2]) ?? 10 : 10, &report)
        } catch {
            report.check("The rings can be measured", false, "\(error)")
        }
        exit(report.failed == 0 ? 0 : 1)
    }

    private static func measure(_ folder: String, seconds: Int, _ report: inout GoalReport) throws {
        let geometry = try SharedGeometry(slots: 8, slotBytes: frameBytes)
        var first = try Reading(geometry, "\(folder)/first")
        var second = try Reading(geometry, "\(folder)/second")
        var third = try Reading(geometry, "\(folder)/third")
        // One fewer than slots: an entry differs from the one that it overwrites.
        let pictures = (0..<7).map { [UInt64](repeating: UInt64($0), count: frameBytes / 8) }
        var costs: [Int64] = []
        // Readers that have yet to start lose nothing that counts.
        sleep(1)
        let start = MonotonicClock.now
        for number in 0..<60 * seconds {
            wait(until: start + Int64(number * interval))
            let now = MonotonicClock.now
            let header = FrameHeader(
                sequence: UInt64(number), timestamp: now, byteCount: frameBytes, frameCount: 1)
            let picture = pictures[number % 7]
            first.writer.write(header, picture.span.bytes)
            second.writer.write(header, picture.span.bytes)
            third.writer.write(header, picture.span.bytes)
            costs.append(MonotonicClock.now - now)
        }
        // The last frame is read before it is zeroed.
        usleep(100_000)
        let scrubs = [first.scrub(), second.scrub(), third.scrub()]
        report.note("frames: \(costs.count), each to \(readers) processes")
        judge(costs, scrubs, &report)
        for said in [first.said(), second.said(), third.said()] { judge(said, costs.count, &report) }
    }

    private static func judge(_ costs: [Int64], _ scrubs: [Int64], _ report: inout GoalReport) {
        let mean = costs.reduce(0, +) / Int64(max(1, costs.count))
        report.note("writer a frame: mean \(text(mean)) ms, p99 \(text(costs.percentile(99))) ms")
        report.check("A frame takes the writer at most 1.2 ms", mean <= 1_200_000, text(mean))
        report.note("scrub of a ring: \(scrubs.map(text).joined(separator: ", ")) ms")
        report.check("A ring is scrubbed in 5 ms", scrubs.allSatisfy { $0 <= 5_000_000 })
    }

    /// - Parameter said: Counts and latencies of a reader, in the order in which it prints them.
    private static func judge(_ said: [Int64], _ frames: Int, _ report: inout GoalReport) {
        guard said.count == 6 else { return report.check("A reader says what it saw", false, "\(said)") }
        report.note("reader: latency p50 \(text(said[3])) ms, p99 \(text(said[4])) ms")
        report.check("A reader has all frames", said[0] == Int64(frames), "\(said[0])")
        report.check("and lost none", said[1] == 0, "\(said[1])")
        report.check("and none is torn", said[2] == 0, "\(said[2])")
        report.check("and its end is the revocation", said[5] == 1)
    }

    private static func wait(until instant: Int64) {
        var time = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    /// Milliseconds with two digits.
    private static func text(_ nanoseconds: Int64) -> String {
        let hundredths = (nanoseconds + 5000) / 10_000
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}

/// Findings on standard output, in the Test Anything Protocol. The rig's own report would have the probe build all of it.
struct GoalReport {
    private var count = 0
    private(set) var failed = 0

    func note(_ text: String) { print("# \(text)") }

    mutating func check(_ sentence: String, _ passes: Bool, _ detail: String = "") {
        count += 1
        print("\(passes ? "ok" : "not ok") \(count) - \(sentence)")
        guard !passes else { return }
        failed += 1
        note(detail)
    }
}

/// A ring, and the process that reads it.
struct Reading: ~Copyable {
    var writer: SharedRingWriter
    private let program: RunningProgram
    private let output: String

    init(_ geometry: SharedGeometry, _ output: String) throws {
        let writer = try SharedRingWriter(geometry)
        // Copies outlive the start of a program.
        let (memory, wake) = (dup(writer.memory), dup(writer.wake))
        defer {
            close(memory)
            close(wake)
        }
        var reader = Program("/proc/self/exe", ["reader", "\(memory)", "\(wake)"])
        reader.output = output
        reader.errors = output + ".errors"
        program = try reader.start()
        self.writer = writer
        self.output = output
    }

    /// Zeroes the ring.
    ///
    /// - Returns: Time that it took, ns.
    mutating func scrub() -> Int64 {
        let start = MonotonicClock.now
        writer.scrub(LoopResult(.revoked))
        return MonotonicClock.now - start
    }

    /// Waits for the reader's end.
    func said() -> [Int64] {
        program.end()
        return text(of: output).split { $0 == " " || $0 == "\n" }.compactMap { Int64($0) }
    }
}

/// The reading process.
enum ProbeReader {
    /// Reads until the end, and prints: frames, lost, torn, latency's 50th and 99th percentile in ns, 1 for a revocation.
    static func read(_ memory: Int32, _ wake: Int32) -> Int32 {
        guard var reader = try? SharedRingReader(memory: memory, wake: wake) else { return 1 }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: reader.geometry.slotBytes, alignment: 4096)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard let base = bytes.baseAddress else { return 1 }
        var (latencies, lost, torn) = ([Int64](), UInt64(0), 0)
        while true {
            switch reader.next(into: base, FramePlanes(byteCount: bytes.count)) {
            case .nothing:
                var entry = pollfd(fd: reader.wake, events: Int16(POLLIN), revents: 0)
                if !reader.hasMore { poll(&entry, 1, 1000) }
            case .entry(let entry):
                latencies.append(MonotonicClock.now - entry.timestamp)
                lost += entry.lost
                if !holds(UnsafeRawBufferPointer(bytes), entry.sequence % 7) { torn += 1 }
            case .ended(let result):
                let end = result.end == .revoked ? 1 : 0
                print(latencies.count, lost, torn, latencies.percentile(50), latencies.percentile(99), end)
                return 0
            }
        }
    }

    /// True if all cache lines belong to that frame.
    private static func holds(_ bytes: UnsafeRawBufferPointer, _ value: UInt64) -> Bool {
        for offset in stride(from: 0, to: bytes.count, by: 64) {
            if bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != value { return false }
        }
        return true
    }
}

extension [Int64] {
    /// The value that this percentage does not exceed; 0 if there are no values.
    func percentile(_ percent: Int) -> Int64 {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}
