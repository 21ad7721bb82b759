extension MJPEGRepair {
    /// What is copied of an image, and what is put in.
    struct Plan {
        let start: Int
        let end: Int
        let tablesAt: Int?
        let addsEnd: Bool
        let cuts: Bool
        /// What is kept ends with an EOI that may not be the image's own.
        let isDoubtful: Bool

        /// Whether the image gets what the camera left out.
        var inserts: Bool { tablesAt != nil || addsEnd }
        var changes: Bool { inserts || cuts }
        /// Whether all of the picture is there is seen by decoding it alone.
        var needsProof: Bool { addsEnd || isDoubtful }

        var byteCount: Int {
            end - start + (tablesAt == nil ? 0 : HuffmanTables.standard.count) + (addsEnd ? 2 : 0)
        }

        /// - Returns: the bytes written.
        func write(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
            let split = tablesAt ?? start
            var at = Self.put(UnsafeRawBufferPointer(rebasing: bytes[start..<split]), at: 0, in: room)
            if tablesAt != nil { at = HuffmanTables.standard.withUnsafeBytes { Self.put($0, at: at, in: room) } }
            at = Self.put(UnsafeRawBufferPointer(rebasing: bytes[split..<end]), at: at, in: room)
            if addsEnd {
                room[at] = 0xFF
                room[at + 1] = 0xD9
            }
            return byteCount
        }

        /// - Returns: where the next part goes.
        private static func put(
            _ part: UnsafeRawBufferPointer, at offset: Int, in room: UnsafeMutableRawBufferPointer
        ) -> Int {
            let end = offset + part.count
            UnsafeMutableRawBufferPointer(rebasing: room[offset..<end]).copyMemory(from: part)
            return end
        }
    }
}
