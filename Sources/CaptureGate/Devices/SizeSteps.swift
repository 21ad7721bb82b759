/// The sizes that a device takes below its largest one, pixels. The C struct is `v4l2_frmsize_stepwise`.
///
/// *thread-safe*
public struct SizeSteps: Hashable, Sendable, Codable {
    /// The smallest.
    public let width: Int
    /// The smallest.
    public let height: Int
    /// From one width to the next, 1 upwards.
    public let widthStep: Int
    /// From one height to the next, 1 upwards.
    public let heightStep: Int

    public init(width: Int, height: Int, widthStep: Int, heightStep: Int) {
        self.width = width
        self.height = height
        self.widthStep = widthStep
        self.heightStep = heightStep
    }
}
