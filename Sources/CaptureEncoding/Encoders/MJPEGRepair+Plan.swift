extension MJPEGRepair {
    /// What is copied of an image, and what is put in.
    struct Plan {
        let start: Int
        let end: Int
        let tablesAt: Int?
        let addsEnd: Bool
        let cuts: Bool

        var changes: Bool { tablesAt != nil || addsEnd || cuts }

        var byteCount: Int {
            end - start + (tablesAt == nil ? 0 : HuffmanTables.standard.count) + (addsEnd ? 2 : 0)
        }

        /// - Returns: the bytes written.
        func write(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
            var at = 0
            func put(_ part: UnsafeRawBufferPointer) {
                UnsafeMutableRawBufferPointer(rebasing: room[at..<at + part.count]).copyMemory(from: part)
                at += part.count
            }
            let split = tablesAt ?? start
            put(UnsafeRawBufferPointer(rebasing: bytes[start..<split]))
            if tablesAt != nil { HuffmanTables.standard.withUnsafeBytes(put) }
            put(UnsafeRawBufferPointer(rebasing: bytes[split..<end]))
            if addsEnd {
                room[at] = 0xFF
                room[at + 1] = 0xD9
            }
            return byteCount
        }
    }
}
