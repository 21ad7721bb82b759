import CaptureGate
import CaptureRecording
import CaptureRig
import FoundationEssentials

/// Measurements of a run.
struct BenchReport {
    let machine = Machine()
    var encoders: [EncoderMeasurement] = []
    var rings: [RingMeasurement] = []
    var captures: [CaptureMeasurement] = []
    /// Earlier run to compare with.
    var baseline: BenchBaseline?

    /// Frame rates that video encoders are judged at: the usual cameras' and a fast one's.
    static let rates = [30, 60, 120].compactMap { FrameRate($0) }

    /// True for a release build; figures of a debug build say nothing about the machine.
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}

extension EncoderMeasurement {
    /// True for video that is encoded frame after frame, false for audio and stills.
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
    /// Name by which a later run finds this result.
    var name: String { kind == .sound ? "sound, periods of \(bytes) bytes" : "video, frames lent and returned" }
}

extension CaptureMeasurement {
    /// Name by which a later run finds this result: only the same device in the same format is comparable.
    var name: String { "\(device.id.rawValue) \(format)" }

    /// Format in words.
    var format: String {
        switch media {
        case .video(let format):
            "\(format.width)x\(format.height) \(format.pixelFormat) \(format.frameRate.phrase)/s"
        case .audio(let format):
            "\(format.sampleRate) Hz, \(NumberText.counted(format.channels, "channel")), \(format.sampleFormat.rawValue)"
        }
    }
}

extension BenchReport {
    /// Report for programs; `BenchBaseline` reads it back.
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
    /// Encoder for programs.
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(subject.name)), ("speed", .rounded(speed, 3)), ("headroom", .string(headroom.rawValue)),
            ("frames", .count(frames)), ("media_ns", .nanoseconds(media)),
            ("elapsed_ns", .nanoseconds(elapsed)), ("processor_ns", .nanoseconds(processor)),
            ("p50_ns", .nanoseconds(median)), ("p99_ns", .nanoseconds(slow)), ("bytes", .integer(bytes)),
            ("allocations_per_frame", allocationsPerFrame.map { .rounded($0, 3) } ?? .null),
        ]
        // At other rates than the measured one, since the answer is "can it record 60 a second?".
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
    /// Ring for programs; video buffers are lent and not copied, so they have no throughput.
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        .object(
            [
                ("name", .string(name)), ("kind", .string(kind.rawValue)), ("bytes", .count(bytes)),
                ("items", .count(items)), ("elapsed_ns", .nanoseconds(elapsed)),
                ("ns_per_item", .rounded(timePerItem / .nanoseconds(1), 1)),
                ("bytes_per_second", kind == .sound ? .rounded(throughput, 0) : .null),
            ] + BenchComparison.members(comparison))
    }
}

extension CaptureMeasurement {
    /// Capture for programs, with counts that add up: made = delivered + lost.
    fileprivate func json(_ comparison: BenchComparison?) -> JSONValue {
        .object(
            [
                ("name", .string(name)), ("device", .string(device.id.rawValue)), ("format", .string(format)),
                ("differences", .strings(differences.map(\.description))), ("units", .count(units)),
                ("made", .count(statistics.made)), ("delivered", .count(statistics.delivered)),
                ("lost", .count(lost)), ("lost_by_device", .count(statistics.lostByDevice)),
                ("lost_by_reader", .count(statistics.lostByReader)),
                ("xruns", .count(statistics.xruns)), ("stalls", .count(statistics.stalls)),
                ("elapsed_ns", .nanoseconds(elapsed)), ("processor_ns", .nanoseconds(processor)),
                ("processor_share", .rounded(processorShare, 4)), ("jitter_ns", .nanoseconds(jitter)),
                ("interval_ns", intervals.json), ("delay_ns", delays.json),
                ("priority", .string(statistics.priority.description)),
            ] + BenchComparison.members(comparison))
    }
}

extension CaptureMeasurement.Spread {
    /// Spread of times in nanoseconds: median, 99th percentile, maximum.
    fileprivate var json: JSONValue {
        ["p50": .nanoseconds(median), "p99": .nanoseconds(slow), "max": .nanoseconds(most)]
    }
}

/// Machine that the figures come from.
struct Machine {
    /// Name such as "AMD EPYC Processor".
    let processor: String
    /// Processors that this process may run on.
    let processorCount: Int

    /// Reads /proc/cpuinfo, which has no fixed form: x86 has "model name", ARM often only a part's number.
    init() {
        let text = (try? Data(contentsOf: URL(filePath: "/proc/cpuinfo"))).map { String(decoding: $0, as: UTF8.self) }
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        processor = line?.split(separator: ":").dropFirst().joined(separator: ":").trimmed ?? "unknown processor"
        processorCount = ProcessInfo.processInfo.activeProcessorCount
    }
}

extension String {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
}
