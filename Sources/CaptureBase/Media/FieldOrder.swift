import CMedia
import CaptureRealtime

/// Whether the rows of a picture are of one moment.
///
/// *thread-safe*
public enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
    case progressive
    /// Every second row, from the first on, was taken first.
    case topFirst = "top"
    /// Every second row, from the second on, was taken first.
    case bottomFirst = "bottom"

    init(_ camera: CameraFormat) {
        switch v4l2_field(rawValue: camera.field) {
        case V4L2_FIELD_SEQ_TB, V4L2_FIELD_INTERLACED_TB: self = .topFirst
        case V4L2_FIELD_SEQ_BT, V4L2_FIELD_INTERLACED_BT: self = .bottomFirst
        // The signal's own: the bottom field for standards of 525 lines, the top field for all others, HDMI's too.
        case V4L2_FIELD_INTERLACED, V4L2_FIELD_ALTERNATE:
            self = camera.standardLines == 525 ? .bottomFirst : .topFirst
        // Fields of one kind alone are each of one moment.
        default: self = .progressive
        }
        // An image of one field is of one moment as well.
        if camera.isCompressed, camera.isAlternating { self = .progressive }
    }
}
