import CMedia
import CaptureRealtime

/// Asks libasound what an idle PCM can deliver (`snd_pcm_hw_params_any`), without fixing or starting anything.
enum MicrophoneFormats {
    static func read(_ pcmName: String) -> Device.Formats {
        _ = cm_alsa_setup()
        var pcm: OpaquePointer?
        guard cm_pcm_open(&pcm, pcmName) >= 0, let pcm else { return .unknown }
        defer { _ = cm_pcm_close(pcm) }
        guard let parameters = cm_hw_new() else { return .unknown }
        defer { cm_hw_free(parameters) }
        guard cm_hw_any(pcm, parameters) >= 0 else { return .unknown }
        var rates = cm_range()
        var channels = cm_range()
        guard cm_hw_rate_range(parameters, &rates) >= 0, cm_hw_channels_range(parameters, &channels) >= 0,
            let rates = closed(rates), let channels = closed(channels)
        else { return .unknown }
        let formats = SampleFormat.allCases.filter { cm_hw_test_format(pcm, parameters, $0.pcm.rawValue) >= 0 }
        return .audio(
            AudioRanges(
                sampleRates: rates, channels: channels, sampleFormats: formats))
    }

    private static func closed(_ range: cm_range) -> ClosedRange<Int>? {
        let (minimum, maximum) = (Int(clamping: range.minimum), Int(clamping: range.maximum))
        return minimum <= maximum ? minimum...maximum : nil
    }
}
