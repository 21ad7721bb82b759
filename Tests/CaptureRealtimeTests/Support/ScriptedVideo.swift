import CMedia
import CaptureRealtime

/// A camera that does what a test wrote down, one entry a filled buffer; after the last one it is unplugged.
struct ScriptedVideo: ~Copyable, VideoSource, @unchecked Sendable {
    // `@unchecked Sendable`: a test hands it over once.
    enum Entry {
        /// A frame with the driver's number and a timestamp; complete if `bytes` is nil.
        case picture(UInt32, at: Int64, bytes: Int? = nil, isFlagged: Bool = false)
        case read(DequeueResult)
        case wakeup(SourceWakeup)
        case run(() -> Void)
    }

    let format: CameraFormat
    let buffers: FrameBuffers
    var allowsRealtimePriority: Bool { true }
    var script: [Entry]
    var calls: Calls
    private var free: [Int] = []

    /// Calls of the loop.
    final class Calls: @unchecked Sendable {
        // `@unchecked Sendable`: read after the loop has ended.
        var starts = 0
        var stops = 0
        /// Minimum number of buffers that the device had when it was asked for one.
        var fewestFree = Int.max
        /// Address of each frame.
        var addresses: [UInt] = []
    }

    init(
        _ script: [Entry], buffers: Int = 6, fps: Int = 30, calls: Calls = Calls()
    ) throws(RealtimeFault) {
        self.buffers = try FrameBuffers.plain(buffers)
        self.script = script.reversed()
        self.calls = calls
        format = CameraFormat(
            width: 32, height: 32, fourcc: 0x5659_5559, layouts: [PlaneLayout(bytesPerLine: 64, sizeImage: 2048)],
            fpsNumerator: fps, fpsDenominator: 1)
    }

    mutating func start() -> RealtimeFault? {
        calls.starts += 1
        return nil
    }

    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        while let entry = script.last {
            switch entry {
            case .run(let work): work()
            case .wakeup(let wakeup):
                script.removeLast()
                return wakeup
            case .picture, .read: return .ready
            }
            script.removeLast()
        }
        return .ready
    }

    mutating func pause(control: Int32, milliseconds: Int32) {}

    mutating func dequeue() -> DequeueResult {
        calls.fewestFree = min(calls.fewestFree, free.count)
        guard let entry = script.popLast() else { return .gone }
        switch entry {
        case .picture(let sequence, let instant, let bytes, let isFlagged):
            let index = free.removeFirst()
            let memory = buffers.address(index, plane: 0)!
            memory.initializeMemory(as: UInt32.self, repeating: sequence, count: 512)
            calls.addresses.append(UInt(bitPattern: memory))
            return .buffer(
                DequeuedBuffer(
                    index: index, sequence: sequence, timestamp: instant, isFlagged: isFlagged,
                    planes: FramePlanes(byteCount: bytes ?? 2048)))
        case .read(let read): return read
        case .wakeup, .run: return .nothing
        }
    }

    mutating func queue(_ buffer: Int) -> RealtimeFault? {
        free.append(buffer)
        return nil
    }

    mutating func stop() {
        calls.stops += 1
        free = []
    }

    static func capture(_ stream: inout VideoStream<ScriptedVideo>) -> LoopResult { CaptureLoop.run(&stream) }
}
