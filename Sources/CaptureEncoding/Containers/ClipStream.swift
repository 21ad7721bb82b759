import CaptureGate

/// A format that is a head and then one packet after the other.
///
/// *session-bound*
protocol ClipStream: AnyObject {
    /// The bytes before the first packet; always as many.
    var head: [UInt8] { get }
    var counts: EncoderCounts { get }
    /// Whether the head must be right whenever something was written, not only at the end.
    var keepsHeaderCurrent: Bool { get }
    /// How much is gathered before it is written to a file, nanoseconds; a pipe gets everything at once.
    var gathered: Int64 { get }

    /// What a decoder leaves out at the start, nanoseconds.
    var delay: Int64 { get }
    /// The most bytes that wait in the encoder for more to come.
    var maxBufferedBytes: Int { get }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)
    func finish(into packets: inout PacketBuffer) throws(CaptureError)

    /// Puts into the head what is known by now; called only where the head can be written again.
    func setTotals(_ totals: StreamTotals)
    /// Whether a file that ends early, on a full disk, needs its last packet changed.
    var marksLastPacket: Bool { get }
    /// The same packet, as long, as the file's last one.
    func last(_ packet: [UInt8]) -> [UInt8]
    /// The bytes behind the last packet.
    func tail(_ totals: StreamTotals) -> [UInt8]
}

extension ClipStream {
    var keepsHeaderCurrent: Bool { false }
    var gathered: Int64 { 0 }
    var delay: Int64 { 0 }
    var maxBufferedBytes: Int { 0 }
    func finish(into packets: inout PacketBuffer) throws(CaptureError) {}
    func setTotals(_ totals: StreamTotals) {}
    func tail(_ totals: StreamTotals) -> [UInt8] { [] }
    var marksLastPacket: Bool { false }
    func last(_ packet: [UInt8]) -> [UInt8] { packet }
}
