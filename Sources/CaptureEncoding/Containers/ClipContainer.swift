import CaptureBase

/// File format of a program's own: it says which bytes a file begins with, how a packet is stored, and what follows the last one.
///
/// The rest is the recorder's: encoders, sync and gaps, queues and full disks, partial names, segments, the account of losses. A
/// container is made for each file, and called by one thread in this order: ``head(of:)``, any number of
/// ``store(_:_:in:)``, ``tail(of:)``, and ``head(of:)`` again.
///
/// *session-bound*
public protocol ClipContainer: AnyObject {
    /// Bytes before the packets.
    ///
    /// If the output is a file, they are requested again at the end, with values that are known only then, and written over the
    /// first ones: their number must be the same.
    /// - Throws: `.usage` for tracks that the format can't hold; no file is left behind then.
    func head(of file: ContainerFile) throws(CaptureError) -> [UInt8]

    /// Appends a packet to the bytes to write.
    /// - Parameters:
    ///   - packet: its track and times.
    ///   - data: bytes of the packet, valid during the call.
    ///   - bytes: bytes of earlier packets, which must not be changed; their memory is reused.
    /// - Throws: any error, which ends the file like a full disk.
    func store(_ packet: ContainerPacket, _ data: RawSpan, in bytes: inout [UInt8]) throws(CaptureError)

    /// Bytes after the last packet; omitted if the output has failed.
    func tail(of file: ContainerFile) -> [UInt8]
}

extension ClipContainer {
    /// None, for formats that are packets to the end.
    public func tail(of file: ContainerFile) -> [UInt8] { [] }
}

/// Packet of a track on its way into a container.
///
/// *thread-safe*
public struct ContainerPacket: Hashable, Sendable {
    /// Index of its track.
    public let track: Int
    /// Presentation time, from the clip's start.
    public let time: Duration
    /// Time that it lasts.
    public let duration: Duration
    /// True if decoding can start at it.
    public let isKey: Bool
    /// Time at its end that is not to be played.
    public let discard: Duration
}

/// File for which a container is requested.
///
/// *thread-safe*
public struct ContainerFile: Hashable, Sendable {
    /// Track of the file, and what its encoder says of the packets.
    public struct Track: Hashable, Sendable {
        public let track: ClipTrack
        public let codec: CodecDescription
    }

    public let tracks: [Track]
    public let labels: ClipLabels
    /// Chapters that a person has set up to now.
    public let chapters: [ClipChapter]
    /// End of the packets so far.
    public let duration: Duration
    /// Bytes of the packets so far, without head and tail.
    public let packetBytes: Int64
    /// Account of losses, and why the recording ended; `nil` ahead of the first packet.
    public let result: Result?

    /// Facts that are known at the end of a file.
    public struct Result: Hashable, Sendable {
        public let ledger: LossLedger
        public let end: EndReason
    }
}

/// Maker of containers of a program's own, one for each file.
///
///     let target = try RecordingTarget(.file(path: "talk.au"), container: OwnContainer("AU") { SunAudio() })
///
/// *thread-safe*
public struct OwnContainer: Sendable {
    /// Name of the format, for messages.
    public let name: String
    private let make: @Sendable () -> any ClipContainer

    /// - Parameters:
    ///   - name: of the format, for messages.
    ///   - make: makes a container for one file.
    public init(_ name: String, _ make: @escaping @Sendable () -> any ClipContainer) {
        self.name = name
        self.make = make
    }

    /// Opens a writer once the devices' formats are known.
    /// - Parameters:
    ///   - output: the destination; consumed.
    ///   - tracks: in the order of the file.
    ///   - labels: title and tags.
    ///   - settings: codecs and their parameters.
    /// - Throws: `.usage` for tracks that the container or a codec can't hold; the empty partial file is removed then.
    public func writer(
        on output: consuming ClipOutput, tracks: [ClipTrack], labels: ClipLabels = ClipLabels(),
        settings: EncoderSettings = EncoderSettings()
    ) throws(CaptureError) -> any ClipWriter {
        try ClipFormat.own.check(tracks.map(\.kind))
        return try ContainerWriter(
            output: output, container: make(), name: name, tracks: tracks, labels: labels, settings: settings)
    }
}
