import CaptureGate

extension AudioFormat {
    /// The most bytes that an encoder makes of what it has not got enough of for a packet: FLAC's blocks last 0.1 s and
    /// Opus' packets 60 ms at most, two may be inside, and they are hardly larger than the sound in them.
    var maxBufferedBytes: Int { bytesPerFrame * sampleRate / 5 + 4096 }
}
