import CaptureGate

/// A format that is a head and then one packet after the other.
///
/// *session-bound*
protocol ClipStream: AnyObject {
    /// The bytes before the first packet; always as many.
    var head: [UInt8] { get }
    var counts: EncoderCounts { get }
    /// Whether the head must be right at any moment, not only at the end.
    var keepsHeadCurrent: Bool { get }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError)
    func finish(into packets: inout PacketBuffer) throws(CaptureError)

    /// Puts into the head what is known by now; called only where the head can be written again.
    func setTotals(_ totals: StreamTotals)
    /// The bytes behind the last packet.
    func tail(_ totals: StreamTotals) -> [UInt8]
}

extension ClipStream {
    var keepsHeadCurrent: Bool { false }
    func finish(into packets: inout PacketBuffer) throws(CaptureError) {}
    func setTotals(_ totals: StreamTotals) {}
    func tail(_ totals: StreamTotals) -> [UInt8] { [] }
}
