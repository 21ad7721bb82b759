/// How many chroma samples a planar picture has.
enum ChromaSampling: Hashable {
    case yuv422, yuv420, grey
}
