import CaptureGate

/// Walks over the whole pages of an Ogg file, past what lies between them.
///
/// *session-bound*
struct OggOpusReader {
    let source: RecoverySource
    private(set) var at: Int64 = 0

    init(_ source: RecoverySource) { self.source = source }

    /// - Returns: the next whole page and how many bytes before it were skipped; `nil` where there is none.
    mutating func next() throws(CaptureError) -> (page: OggPage, offset: Int64, skipped: Int64)? {
        let start = at
        while let found = try source.find(OggPage.magic, from: at, before: source.size) {
            let head = try source.read(at: found, OggPage.mostHead)
            if OggPage.isHead(head), let page = OggPage(try source.read(at: found, OggPage.most)) {
                at = found + Int64(page.byteCount)
                return (page, found, found - start)
            }
            at = found + 1
        }
        at = start
        return nil
    }
}
