/// How many chroma samples a planar picture has.
enum ChromaSampling: Hashable {
    case yuv444, yuv422, yuv420, grey
}
