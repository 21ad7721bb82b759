import CaptureBase
import CaptureRealtime

/// A reader that a script can call in the middle of the loop.
final class Reader {
    private var consumer: VideoRing.Consumer?
    private(set) var headers: [FrameHeader] = []
    private(set) var pictures: [UInt32] = []
    private(set) var addresses: [UInt] = []

    func adopt(_ consumer: consuming VideoRing.Consumer) {
        self.consumer = consume consumer
    }

    func drain() {
        guard var consumer = consumer.take() else { return }
        while let (header, picture, address) = consumer.withNext({ header, bytes in
            bytes.withUnsafeBytes { (header, $0.load(as: UInt32.self), UInt(bitPattern: $0.baseAddress)) }
        }) {
            headers.append(header)
            pictures.append(picture)
            addresses.append(address)
        }
        self.consumer = consume consumer
    }
}
