import CMedia
import CaptureBase
import CaptureRealtime

/// How the two fields of interlaced pictures lie in a camera's buffers.
enum FieldArrangement: Hashable {
    /// Row by row, as the picture is; or there are none.
    case whole
    /// One above the other in one buffer, in each plane of colour.
    case sequential(FieldOrder)
    /// In buffers of their own, in turn.
    case alternating(FieldOrder)

    /// Compressed ones stay as they are: what an image has in it nobody here changes.
    init(_ camera: CameraFormat) {
        let field = v4l2_field(rawValue: camera.field)
        if camera.isCompressed {
            self = .whole
        } else if field == V4L2_FIELD_SEQ_TB || field == V4L2_FIELD_SEQ_BT {
            self = .sequential(FieldOrder(camera))
        } else {
            self = camera.isAlternating ? .alternating(FieldOrder(camera)) : .whole
        }
    }

    var isAlternating: Bool {
        if case .alternating = self { true } else { false }
    }
}
