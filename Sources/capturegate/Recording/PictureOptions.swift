import ArgumentParser
import CaptureEncoding
import CaptureGate

/// What is wanted of the camera.
struct VideoOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Pixels, such as 1280x720.", valueName: "size"), transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp("Frames a second, such as 30 or 30000/1001.", valueName: "rate"), transform: FrameRate.parse)
    var fps: FrameRate?

    @Option(
        help: ArgumentHelp("What the camera delivers, such as YUYV or MJPG.", valueName: "code"),
        transform: PixelFormat.parse)
    var pixelFormat: PixelFormat?

    @OptionGroup var source: InputOptions

    @Option(help: "How pictures are stored in a .mkv.")
    var videoCodec: VideoCodec = .automatic

    @Flag(help: "Show the picture in the terminal while it is recorded.")
    var preview = false

    /// The first option that is said, for the sentence that it is in vain.
    var firstGiven: String? {
        if size != nil { return "--size" }
        if fps != nil { return "--fps" }
        if pixelFormat != nil { return "--pixel-format" }
        if preview { return "--preview" }
        if let option = source.firstGiven { return option }
        return videoCodec == .automatic ? nil : "--video-codec"
    }

    func settings(strict: Bool) -> VideoSettings {
        var settings = VideoSettings(
            width: size?.width, height: size?.height, pixelFormat: pixelFormat, frameRate: fps, isStrict: strict)
        source.apply(to: &settings)
        return settings
    }
}
