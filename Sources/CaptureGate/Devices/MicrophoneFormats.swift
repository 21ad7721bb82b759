import CMedia
import CaptureRealtime

/// Asks libasound what an idle PCM can deliver (`snd_pcm_hw_params_any`), without fixing or starting anything.
enum MicrophoneFormats {
    static func read(_ pcmName: String) -> Device.Formats {
        _ = cm_alsa_setup()
        var pcm: OpaquePointer?
        guard cm_pcm_open(&pcm, pcmName) >= 0, let pcm else { return .unknown }
        defer { _ = cm_pcm_close(pcm) }
        var parameters: OpaquePointer?
        guard cm_hw_new(&parameters) >= 0, let parameters else { return .unknown }
        defer { cm_hw_free(parameters) }
        guard cm_hw_any(pcm, parameters) >= 0 else { return .unknown }
        var rates: (UInt32, UInt32) = (0, 0)
        var channels: (UInt32, UInt32) = (0, 0)
        guard cm_hw_rate_range(parameters, &rates.0, &rates.1) >= 0,
            cm_hw_channels_range(parameters, &channels.0, &channels.1) >= 0,
            rates.0 <= rates.1, channels.0 <= channels.1
        else { return .unknown }
        let formats = SampleFormat.allCases.filter { cm_hw_test_format(pcm, parameters, $0.pcm.rawValue) >= 0 }
        return .audio(
            AudioRanges(
                sampleRates: Int(rates.0)...Int(rates.1), channels: Int(channels.0)...Int(channels.1),
                sampleFormats: formats))
    }
}
