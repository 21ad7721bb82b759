import CaptureEncoding
import CaptureGate
import FoundationEssentials

/// What a run has measured.
struct BenchReport {
    let machine = Machine()
    var encoders: [EncoderMeasurement] = []
    var rings: [RingMeasurement] = []
    var captures: [CaptureMeasurement] = []
    /// The earlier run it is compared with.
    var baseline: BenchBaseline?

    /// Rates of cameras, against which pictures are judged.
    static let rates = [30, 60, 120].compactMap { FrameRate($0) }

    /// Whether the program was built to be quick; figures of one that was not tell nothing of the machine.
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}

extension EncoderMeasurement {
    /// Whether it is pictures as they are recorded one after the other.
    var isStream: Bool {
        if case .still = subject.work { return false }
        if case .video = subject.media { return true }
        return false
    }

    var isStill: Bool {
        if case .still = subject.work { true } else { false }
    }
}

extension RingMeasurement {
    /// By which a result is found again.
    var name: String { kind == .sound ? "sound, periods of \(bytes) bytes" : "pictures, lent and given back" }
}

extension CaptureMeasurement {
    /// By which a result is found again.
    var name: String { "\(device.id.rawValue) \(format)" }

    var format: String {
        switch media {
        case .video(let format):
            "\(format.width)x\(format.height) \(format.pixelFormat) \(format.frameRate)/s"
        case .audio(let format):
            "\(format.sampleRate) Hz, \(NumberText.counted(format.channels, "channel")), \(format.sampleFormat.rawValue)"
        }
    }
}

extension BenchReport {
    var json: JSONValue {
        [
            "benchmark": .string(CaptureGateCommand.configuration.version),
            "machine": ["processor": .string(machine.processor), "processors": .count(machine.processorCount)],
            "optimized": .bool(Self.isOptimized),
            "encoders": .array(encoders.map { $0.json(comparison(of: $0)) }),
            "rings": .array(rings.map { $0.json(comparison(of: $0)) }),
            "captures": .array(captures.map { $0.json(comparison(of: $0)) }),
        ]
    }
}

extension EncoderMeasurement {
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(subject.name)), ("speed", .rounded(speed, 3)), ("headroom", .string(headroom.rawValue)),
            ("frames", .count(frames)), ("media_ns", .integer(mediaNanoseconds)),
            ("elapsed_ns", .integer(elapsedNanoseconds)), ("processor_ns", .integer(processorNanoseconds)),
            ("p50_ns", .integer(medianNanoseconds)), ("p99_ns", .integer(slowNanoseconds)), ("bytes", .integer(bytes)),
            ("allocations_per_frame", allocationsPerFrame.map { .rounded($0, 3) } ?? .null),
        ]
        if isStream {
            let rates = BenchReport.rates.map { rate -> JSONValue in
                [
                    "rate": .string(rate.description), "times": .rounded(times(at: rate), 3),
                    "headroom": .string(headroom(at: rate).rawValue),
                ]
            }
            members.append(("rates", .array(rates)))
        }
        return .object(members + BenchComparison.members(comparison))
    }
}

extension RingMeasurement {
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        .object(
            [
                ("name", .string(name)), ("kind", .string(kind.rawValue)), ("bytes", .count(bytes)),
                ("items", .count(items)), ("elapsed_ns", .integer(elapsedNanoseconds)),
                ("ns_per_item", .rounded(nanosecondsPerItem, 1)),
                ("bytes_per_second", kind == .sound ? .rounded(throughput, 0) : .null),
            ] + BenchComparison.members(comparison))
    }
}

extension CaptureMeasurement {
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        .object(
            [
                ("name", .string(name)), ("device", .string(device.id.rawValue)), ("format", .string(format)),
                ("differences", .strings(differences)), ("units", .count(units)), ("made", .count(statistics.made)),
                ("delivered", .count(statistics.delivered)), ("lost", .count(lost)),
                ("lost_by_device", .count(statistics.lostByDevice)),
                ("lost_by_reader", .count(statistics.lostByReader)),
                ("xruns", .count(statistics.xruns)), ("stalls", .count(statistics.stalls)),
                ("elapsed_ns", .integer(elapsedNanoseconds)), ("processor_ns", .integer(processorNanoseconds)),
                ("processor_share", .rounded(processorShare, 4)), ("jitter_ns", .integer(jitterNanoseconds)),
                ("interval_ns", intervals.json), ("delay_ns", delays.json), ("priority", .string(statistics.priority)),
            ] + BenchComparison.members(comparison))
    }
}

extension CaptureMeasurement.Spread {
    fileprivate var json: JSONValue { ["p50": .integer(median), "p99": .integer(slow), "max": .integer(most)] }
}

/// The machine that figures come from.
struct Machine {
    /// Such as "AMD EPYC Processor".
    let processor: String
    let processorCount: Int

    init() {
        let text = (try? Data(contentsOf: URL(filePath: "/proc/cpuinfo"))).map { String(decoding: $0, as: UTF8.self) }
        // x86 says "model name", ARM a number of a part at most.
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor = line?.split(separator: ":").dropFirst().joined(separator: ":").trimmed ?? "unknown processor"
        processorCount = ProcessInfo.processInfo.activeProcessorCount
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
