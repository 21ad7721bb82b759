import CMedia

/// An open PCM; deinit closes it. The corresponding C functions are `snd_pcm_open` and `snd_pcm_close`.
@safe
struct PCMHandle: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointer, which this alone owns.
    let pcm: OpaquePointer

    init(opening name: String) throws(RealtimeFault) {
        let isSetUp = cm_alsa_setup()
        guard isSetUp >= 0 else { throw RealtimeFault(.openPCM, result: isSetUp) }
        var pcm: OpaquePointer?
        let opened = unsafe cm_pcm_open(&pcm, name)
        guard opened >= 0, let pcm = unsafe pcm else { throw RealtimeFault(.openPCM, result: opened) }
        unsafe self.pcm = pcm
    }

    deinit {
        _ = unsafe cm_pcm_close(pcm)
    }
}
