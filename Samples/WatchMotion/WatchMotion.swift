import CaptureGate
import CaptureRecording

/// Tells when something moves before a camera.
/// usage: WatchMotion [DEVICE [SECONDS]]
@main
struct WatchMotion {
    struct Watch: CaptureOperation {
        let seconds: Double
        let authorization: AuthorizedFor<Capability.Camera>

        func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
            var permit = permit
            guard let id = permit.devices.first?.device.id, let camera = permit.take(id) else { return }
            var session = try await VideoSession(
                opening: camera, settings: VideoSettings(width: 640, height: 480), converting: .grey)
            guard let plane = session.format.planes.first else { return }
            var motion = MotionDetector(plane)
            var left = Int(seconds * session.format.frameRate.framesPerSecond)
            while left > 0, try await session.ready() {
                session.withNext { header, picture in
                    left -= 1
                    // A frame that is broken has no bytes.
                    guard header.byteCount > 0 else { return }
                    if motion.sees(picture) { print("frame \(header.sequence): something moves") }
                }
            }
            await session.close()
        }
    }

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let query = DeviceQuery(arguments.first ?? "default")
        do throws(CaptureError) {
            let camera = try query.pick(from: DeviceCatalog.scan(.identity, of: .camera), .camera)
            try await GateQueue().run(
                Watch(
                    seconds: arguments.dropFirst().first.flatMap(Double.init) ?? 10,
                    authorization: AuthorizedFor(
                        Capability.Camera(.video, device: .id(camera.id), purpose: "Watch for motion"))))
        } catch {
            print(error.notice)
        }
    }
}

/// Comparison of each picture with the one before, at every eighth pixel of every eighth row.
struct MotionDetector {
    private let plane: PicturePlane
    private var last: [UInt8] = []

    init(_ plane: PicturePlane) { self.plane = plane }

    /// - Parameter picture: of grey.
    mutating func sees(_ picture: RawSpan) -> Bool {
        var pixels: [UInt8] = []
        for row in stride(from: 0, to: plane.rows, by: 8) {
            let line = picture.extracting(plane.row(row))
            for column in stride(from: 0, to: plane.rowBytes, by: 8) {
                pixels.append(line.unsafeLoad(fromByteOffset: column, as: UInt8.self))
            }
        }
        defer { last = pixels }
        let changed = zip(pixels, last).count { abs(Int($0) - Int($1)) > 24 }
        return changed * 200 > pixels.count && !last.isEmpty
    }
}
