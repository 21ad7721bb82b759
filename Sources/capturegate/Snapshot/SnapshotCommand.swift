import ArgumentParser
import CaptureGate
import CaptureRecording

/// `capturegate snapshot`: takes one or more stills with a camera.
struct SnapshotCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Take images with a camera.",
        discussion: """
            OUT ends in .jpg, .png or .qoi. With --count, each image gets a number: shot-1.jpg.

              capturegate snapshot shot.jpg
              capturegate snapshot shot.png --camera C920 --size 1920x1080
              capturegate snapshot burst.jpg --count 10 --settle 0
              capturegate snapshot day.jpg --count 1440 --every 1m
              capturegate snapshot - --format png | feh -

            A camera often starts too dark or too bright. The command waits until five frames in a row have the same mean \
            brightness within 2 %, for three seconds at most. Without a signal, it takes no image, and the exit code is 69.

            A permission of the level 'still' is enough: 'capturegate grant camera --level still --always'. Images less than a \
            second apart need the level 'video'. A --settle of less than a second needs it, too.
            """
    ).parsedAlone

    @Argument(help: ArgumentHelp("File, or - for standard output.", valueName: "out"), completion: .file())
    var out: String

    /// Default camera unless one is named; unlike `record` it always needs exactly one.
    @Option(
        help: ArgumentHelp("Camera: id, node or part of its name.", valueName: "id"),
        completion: DeviceCompletion.camera(or: ["default"]))
    var camera = "default"

    @Option(help: ArgumentHelp("Frame size, such as 1280x720.", valueName: "size"), transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(help: ArgumentHelp("Camera format, such as YUYV or MJPG.", valueName: "code"), transform: PixelFormat.parse)
    var pixelFormat: PixelFormat?

    @OptionGroup var source: InputOptions

    /// Bounded, so that a slip does not fill a disk.
    @Option(help: "Number of images, 1 to 100000.")
    var count = 1

    /// Unset for a burst: each frame that the camera delivers is taken.
    @Option(
        help: ArgumentHelp("Interval between images (default: every frame).", valueName: "time"),
        transform: DurationArgument.parse)
    var every: DurationArgument?

    /// Accepts 0, which `DurationArgument` refuses: only here is it useful not to wait at all.
    @Option(
        help: ArgumentHelp(
            "Longest wait for stable brightness (default 3s).", discussion: "The value 0 takes the first frame.",
            valueName: "time"),
        transform: { try $0 == "0" ? DurationArgument(duration: .zero) : DurationArgument.parse($0) })
    var settle: DurationArgument?

    @Option(help: ArgumentHelp("JPEG quality, 1 (small file) to 100 (best).", valueName: "n"))
    var quality: Int?

    @Option(help: "Format, if the ending of OUT does not name it.")
    var format: StillFormat?

    @Option(
        help: ArgumentHelp(
            "Title, stored in PNG and JPEG.", discussion: "The files also contain the name of the camera and the time.")
    )
    var title: String?

    @Flag(
        help: ArgumentHelp(
            "Fail (exit code 78) if the camera changes a setting.", discussion: "Also fails without a signal."))
    var strict = false

    @Flag(help: "Replace OUT if it exists.")
    var force = false

    @OptionGroup var json: JSONOption

    /// Checks ranges, and options that depend on each other.
    func validate() throws {
        guard (1...100_000).contains(count) else { throw ValidationError("--count must be 1 to 100000.") }
        guard quality.map({ (1...100).contains($0) }) ?? true else {
            throw ValidationError("--quality must be 1 to 100.")
        }
        if every != nil, count == 1 {
            throw ValidationError("--every needs several images. Set their number with --count.")
        }
        if out.isEmpty { throw ValidationError("OUT is empty.") }
    }

    /// Creates the files, takes the stills, and writes a line about each.
    ///
    /// Files are created first: a permission must not be spent on a path that can't be written.
    func run() async throws {
        let destination = ClipDestination(out)
        try destination.checkTerminal()
        let readers = count == 1 ? try [destination].waitForReaders() : []
        let files = try withExtendedLifetime(readers) {
            try SnapshotFiles(destination, format: format, count: count, replacing: force)
        }
        let view = SnapshotView(stream: destination == .standardOutput ? .error : .output, json: json.isOn)
        // Whatever goes wrong from here on must not leave empty files behind.
        do throws(CaptureError) {
            if quality != nil, files.format != .jpeg { throw Self.unusedOption(files.format) }
            let device = try DeviceQuery(camera).pick(from: DeviceCatalog.scan(.identity, of: .camera), .camera)
            let operation = SnapshotOperation(device, SnapshotTaker(settings, into: files), view)
            // A signal during a burst is a success, since the stills
            // so far are stored. A signal before the first one is not.
            if try await Self.snapshots(of: operation).isEmpty {
                throw CaptureError(.dismissed, "Stopped before an image was taken.")
            }
        } catch {
            files.discard()
            throw error
        }
    }

    /// Error about `--quality` if nothing is stored as JPEG: PNG and QOI are lossless and have no such setting.
    private static func unusedOption(_ format: StillFormat) -> CaptureError {
        CaptureError(
            .usage,
            "--quality is for JPEG. \(format.rawValue.uppercased()) is lossless.",
            remedies: [Remedy("Remove --quality, or choose a name that ends in .jpg.")])
    }

    /// Settings for the library, which has a default for each missing option.
    private var settings: SnapshotSettings {
        var settings = SnapshotSettings()
        settings.video = VideoSettings(
            width: size?.width, height: size?.height, pixelFormat: pixelFormat, isStrict: strict)
        source.apply(to: &settings.video)
        settings.count = count
        settings.interval = every?.duration ?? .zero
        if let settle { settings.patience = settle.duration }
        settings.title = title
        if let quality { settings.parameters.jpeg.quality = quality }
        return settings
    }

    /// Runs the operation; a signal ends it, or dismisses the open question.
    private static func snapshots(of operation: SnapshotOperation) async throws(CaptureError) -> [Snapshot] {
        let handle = GateQueue().add(operation)
        let signals = SignalSubscription { _ in handle.cancel() }
        defer { withExtendedLifetime(signals) {} }
        switch await handle.result {
        case .success(let snapshots): return snapshots
        case .failure(.refused(let error)), .failure(.failed(let error)): throw error
        case .failure(.cancelled): return []
        }
    }
}

/// Operation of a snapshot: it receives a permit from the gate and opens the camera with it.
struct SnapshotOperation: CaptureOperation {
    let authorization: AuthorizedFor<Capability.Camera>
    let taker: SnapshotTaker
    let view: SnapshotView

    /// Makes the operation with the lowest level that its settings allow: `still` if they leave time
    /// between frames, `video` otherwise.
    init(_ device: Device, _ taker: SnapshotTaker, _ view: SnapshotView) {
        let purpose = NumberText.counted(taker.settings.count, "image")
        authorization = AuthorizedFor(
            Capability.Camera(taker.settings.leastLevel, device: .id(device.id), purpose: "Take \(purpose)"))
        self.taker = taker
        self.view = view
    }

    /// Takes the stills with the only device of the permit.
    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) -> [Snapshot] {
        var permit = permit
        // The gate grants exactly what was requested. An empty permit would be a bug in it, and is an error here rather than a
        // trap.
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        return try await taker.take(with: part, taken: { view.show($0) }, opened: { view.show($0) })
    }
}

/// Report on each still: a line for people, or a line of JSON for programs.
struct SnapshotView: Sendable {
    /// Standard output, or standard error if the still itself goes to standard output.
    let stream: StandardStream
    let json: Bool

    /// Writes the differences from the requested format, for people. Programs get them with each still.
    func show(_ differences: [FormatDifference]) {
        if !json { for difference in differences { stream.note("Note: \(difference.description.visible)") } }
    }

    /// Writes about one still as soon as it is stored, so that a script may pick it up.
    func show(_ snapshot: Snapshot) { stream.note(json ? snapshot.json.text : snapshot.text) }
}

extension Snapshot {
    /// Line for people.
    fileprivate var text: String {
        let waited = NumberText.time(self.waited)
        let settled = isSettled ? "settled after \(waited)" : "not settled after \(waited)"
        // Counted for bursts only: between stills a minute apart the skipped frames are intended.
        let gap = missed == 0 ? "" : ", \(NumberText.counted(missed, "image")) missed before it"
        return "\(path.visible): \(format.width)x\(format.height), \(NumberText.bytes(Int64(size))), \(settled)\(gap)"
    }

    /// Line for programs. "timestamp_ns" is the frame's own, of CLOCK_MONOTONIC, not the file's.
    fileprivate var json: JSONValue {
        [
            "event": "picture", "path": .string(path), "bytes": .count(size), "width": .count(format.width),
            "height": .count(format.height), "pixel_format": .string(format.pixelFormat.description),
            "colorimetry": format.colorimetry.json, "field_order": .string(format.fieldOrder.rawValue),
            "pixel_aspect": .optional(format.pixelAspect?.description), "settled": .bool(isSettled),
            "waited_ns": .nanoseconds(waited), "timestamp_ns": .integer(timestamp),
            "missed": .count(missed), "differences": .strings(differences.map(\.description)),
        ]
    }
}
