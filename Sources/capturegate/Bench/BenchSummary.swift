import CaptureEncoding
import CaptureGate

/// The answer to "what can this machine record?", from what its encoders took.
struct BenchSummary {
    let encoders: [EncoderMeasurement]

    func lines(_ style: TextStyle) -> [String] { soundLines(style) + Table(rows: pictureRows(style)).lines }

    private var sound: [EncoderMeasurement] { encoders.filter { !$0.isStream && !$0.isStill } }

    private func soundLines(_ style: TextStyle) -> [String] {
        guard let slowest = sound.min(by: { $0.speed < $1.speed }) else { return [] }
        let rest = sound.filter { $0.headroom != .fine }.map { "\($0.subject.name): \(word($0.headroom, style))" }
        return rest.isEmpty
            ? ["Sound: \(word(.fine, style)), \(BenchText.times(slowest.speed)) at least (\(slowest.subject.name))"]
            : rest
    }

    /// A row a format: at which rates there is headroom.
    private func pictureRows(_ style: TextStyle) -> [[String]] {
        encoders.filter(\.isStream).map { measurement in
            [measurement.subject.name]
                + BenchReport.rates.map { rate in
                    let text = "\(rate)/s \(BenchText.times(measurement.times(at: rate)))"
                    return "\(text.padded(to: 12)) \(word(measurement.headroom(at: rate), style))"
                }
        }
    }

    private func word(_ headroom: Headroom, _ style: TextStyle) -> String {
        switch headroom {
        case .fine: style.green("fine")
        case .tight: style.yellow("tight")
        case .slow: style.red("slow")
        }
    }
}
