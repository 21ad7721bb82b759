import CaptureGate
import Dispatch

/// A camera or a microphone that is offered in PipeWire's graph, with what it can do.
///
/// *thread-safe*
package struct OfferedDevice: Hashable, Sendable {
    /// Formats among which others may choose.
    enum Formats: Hashable, Sendable {
        /// One alone: PipeWire converts it to what each program wants.
        case audio(AudioFormat)
        /// In the order of preference, 1 to 64.
        case video([OfferedPicture])
    }

    /// The device itself.
    package let device: Device
    let formats: Formats

    /// Asks the device what it can do; blocks.
    ///
    /// - Throws: what keeps it from answering; `.notAsAsked` if PipeWire has no name for any of its formats.
    init(_ device: Device) throws(CaptureError) {
        try self.init(device, try device.asked().formats)
    }

    init(_ device: Device, _ formats: Device.Formats) throws(CaptureError) {
        self.device = device
        switch formats {
        case .audio(let ranges): self.formats = .audio(AudioFormat(offering: ranges))
        case .video(let modes):
            let pictures = OfferedPicture.all(of: modes)
            guard !pictures.isEmpty else {
                throw CaptureError(
                    .notAsAsked, "\(device.id) has no format that PipeWire supports.",
                    remedies: [Remedy("Choose another camera.", .listDevices)])
            }
            self.formats = .video(pictures)
        case .unknown:
            throw CaptureError(
                .busy, "\(device.id) does not report its formats while another program uses it.",
                remedies: [Remedy("Close that program, then try again.")])
        }
    }
}

/// Video format as PipeWire's nodes negotiate it: rows without padding.
///
/// *thread-safe*
struct OfferedPicture: Hashable, Sendable {
    let pixelFormat: PixelFormat
    let width: Int
    let height: Int
    let frameRate: FrameRate

    /// Bytes from row to row; 0 if they are compressed.
    var bytesPerLine: Int { (Self.rowBits[pixelFormat] ?? 0) * width / 8 }

    /// Bytes of a frame; the maximum, if frames are compressed.
    var byteCount: Int {
        switch pixelFormat {
        case .nv12, .yuv420: width * height * 3 / 2
        case .mjpeg: width * height * 2
        default: bytesPerLine * height
        }
    }

    /// Bits of a pixel in the first plane.
    private static let rowBits: [PixelFormat: Int] = [
        .yuyv: 16, .uyvy: 16, .nv12: 8, .yuv420: 8, .rgb24: 24, .bgr24: 24, .grey: 8, .mjpeg: 0,
    ]

    /// Maximum number that a node may offer.
    static let most = 64

    /// All formats of the modes: fluent ones first, of those the largest up to full HD, of one size the uncompressed.
    static func all(of modes: [VideoMode]) -> [OfferedPicture] {
        let all = modes.filter { rowBits[$0.pixelFormat] != nil }.flatMap { mode in
            rates(of: mode).map {
                OfferedPicture(
                    pixelFormat: mode.pixelFormat, width: mode.width, height: mode.height, frameRate: $0)
            }
        }
        return Array(all.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.prefix(most))
    }

    /// Nearest rate to 30 per second, and the fastest; if a device reports none, 30 is requested.
    private static func rates(of mode: VideoMode) -> [FrameRate] {
        let usual = FrameRate(unchecked: 30, 1)
        guard let fastest = mode.frameRates.first, let slowest = mode.frameRates.last else { return [usual] }
        let range = slowest.framesPerSecond...max(slowest.framesPerSecond, fastest.framesPerSecond)
        if mode.takesRatesBetween, range.contains(30) { return fastest == usual ? [usual] : [usual, fastest] }
        let nearest = mode.frameRates.min { abs($0.framesPerSecond - 30) < abs($1.framesPerSecond - 30) } ?? fastest
        return nearest == fastest ? [fastest] : [nearest, fastest]
    }

    /// Sorts the better first.
    private var rank: [Double] {
        let rate = frameRate.framesPerSecond
        return [
            rate >= 24 ? 0 : 1, width * height <= 1920 * 1080 ? 0 : 1, Double(-width * height),
            pixelFormat == .mjpeg ? 1 : 0, abs(rate - 30),
        ]
    }
}

extension AudioFormat {
    /// Format that a microphone is opened with: 48 kHz, two channels and 16 bits if possible, otherwise the nearest.
    fileprivate init(offering ranges: AudioRanges) {
        func nearest(_ value: Int, in range: ClosedRange<Int>) -> Int {
            min(max(value, range.lowerBound), range.upperBound)
        }
        let wide: [SampleFormat] = [.s16, .s32, .float32, .s24, .s24Packed]
        self.init(
            sampleRate: nearest(48_000, in: ranges.sampleRates), channels: nearest(2, in: ranges.channels),
            sampleFormat: wide.first(where: ranges.sampleFormats.contains) ?? .s16)
    }
}

/// The cameras and microphones of this machine that are offered, as they come and go.
package enum OfferedDevices {
    /// Lists of devices: the first one now, then one after each change.
    ///
    /// A device's formats are queried once, when it is added. A device that does not answer is not in a list.
    ///
    /// - Parameters:
    ///   - choice: selects the devices to offer from a listing.
    ///   - onFailure: called for a device that does not report its formats.
    package static func changes(
        choosing choice: @escaping @Sendable ([Device]) -> [Device],
        onFailure: @escaping @Sendable (CaptureError) -> Void
    ) -> AsyncStream<[OfferedDevice]> {
        let (lists, continuation) = AsyncStream.makeStream(of: [OfferedDevice].self)
        // Devices are queried on a separate thread, since that may take seconds.
        let queue = DispatchQueue(label: "capturegate.pipewire.devices", qos: .userInitiated)
        let known = Locked<[DeviceID: OfferedDevice]>([:])
        let look: @Sendable () -> Void = {
            let list = choice(DeviceCatalog.scan(.identity)).compactMap { device -> OfferedDevice? in
                if let offer = known.withLock({ $0[device.id] }) { return offer }
                return offered(device, onFailure)
            }
            known.withLock { $0 = Dictionary(uniqueKeysWithValues: list.map { ($0.device.id, $0) }) }
            continuation.yield(list)
        }
        let task = Task {
            queue.async(execute: look)
            for await event in DeviceMonitor() {
                if case .changed = event.change { continue }
                queue.async(execute: look)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return lists
    }

    private static func offered(
        _ device: Device, _ onFailure: @Sendable (CaptureError) -> Void
    ) -> OfferedDevice? {
        do throws(CaptureError) {
            return try OfferedDevice(device)
        } catch {
            onFailure(error)
            return nil
        }
    }
}
