import CMedia
import CSystem
import CaptureBase
import CaptureRealtime

/// Asks libasound what an idle PCM can deliver (`snd_pcm_hw_params_any`), without fixing or starting anything.
enum MicrophoneFormats {
    static func read(_ pcmName: String) -> FormatQueryResult {
        _ = cm_alsa_setup()
        var reading = FormatQueryResult()
        var pcm: OpaquePointer?
        reading.note("snd_pcm_open", cm_pcm_open(&pcm, pcmName))
        guard let pcm else { return reading }
        defer { _ = cm_pcm_close(pcm) }
        guard let parameters = cm_hw_new() else {
            reading.note("snd_pcm_hw_params_malloc", -ENOMEM)
            return reading
        }
        defer { cm_hw_free(parameters) }
        reading.note("snd_pcm_hw_params_any", cm_hw_any(pcm, parameters))
        if reading.fault == nil { ask(parameters, of: pcm, &reading) }
        return reading
    }

    private static func ask(_ parameters: OpaquePointer, of pcm: OpaquePointer, _ reading: inout FormatQueryResult) {
        var rates = cm_range()
        var channels = cm_range()
        reading.note("snd_pcm_hw_params_get_rate", cm_hw_rate_range(parameters, &rates))
        reading.note("snd_pcm_hw_params_get_channels", cm_hw_channels_range(parameters, &channels))
        guard reading.fault == nil, let rates = closed(rates), let channels = closed(channels) else { return }
        let formats = SampleFormat.allCases.filter { cm_hw_test_format(pcm, parameters, $0.pcm.rawValue) >= 0 }
        reading.formats = .audio(AudioRanges(sampleRates: rates, channels: channels, sampleFormats: formats))
    }

    private static func closed(_ range: cm_range) -> ClosedRange<Int>? {
        let (minimum, maximum) = (Int(clamping: range.minimum), Int(clamping: range.maximum))
        return minimum <= maximum ? minimum...maximum : nil
    }
}
