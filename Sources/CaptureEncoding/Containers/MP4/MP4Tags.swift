import CaptureBase

/// Metadata of a movie as iTunes stores it, which every player reads: UserDataBox with a MetaBox of the handler `mdir`.
struct MP4Tags {
    /// Item of the list.
    struct Item {
        /// Type of the item; `nil` for one that is called by its name.
        var type: MP4Type?
        var name = ""
        let text: String
    }

    let tags: ClipTags

    static let title = MP4Type("©nam")
    static let tool = MP4Type("©too")
    /// Item with a custom name, whose three parts follow.
    static let named = MP4Type("----")
    static let (meaning, name, data) = (MP4Type("mean"), MP4Type("name"), MP4Type("data"))
    static let list = MP4Type("ilst")
    /// Owner of such names; players list those of this one.
    private static let owner = "com.apple.iTunes"

    /// UserDataBox (ISO/IEC 14496-12, 8.10.1), with chapters at the losses.
    func append(to movie: inout MP4Boxes) {
        movie.box(.userData) { data in
            Self.append(items, to: &data)
            appendChapters(to: &data)
        }
    }

    /// Title and program, then tags by name.
    private var items: [Item] {
        let title = tags.labels.title.map { [Item(type: Self.title, text: $0)] } ?? []
        let tool = [Item(type: Self.tool, text: ClipTags.application)]
        return title + tool + tags.clip.map { Item(name: $0.name, text: $0.text) }
    }

    /// MetaBox (ISO/IEC 14496-12, 8.11.1).
    private static func append(_ items: [Item], to data: inout MP4Boxes) {
        data.fullBox(.meta) { meta in
            meta.fullBox(.handler) { handler in
                handler.zeros(4)
                handler.put(MP4Type("mdir"))
                handler.put(MP4Type("appl"))
                handler.zeros(9)
            }
            meta.box(list) { list in
                for item in items { append(item, to: &list) }
            }
        }
    }

    private static func append(_ item: Item, to list: inout MP4Boxes) {
        list.box(item.type ?? named) { box in
            if item.type == nil {
                box.fullBox(meaning) { $0.put(owner.utf8) }
                box.fullBox(name) { $0.put(item.name.utf8) }
            }
            // 1: the text is UTF-8. Then the language, which is not set.
            box.fullBox(data, flags: 1) { data in
                data.zeros(4)
                data.put(item.text.utf8)
            }
        }
    }

    /// Tags of a track.
    static func append(_ tags: [(name: String, text: String)], to track: inout MP4Boxes) {
        track.box(.userData) { append(tags.map { Item(name: $0.name, text: $0.text) }, to: &$0) }
    }

    /// Chapters as Nero stores them (`chpl`), 255 at most: times of 100 ns, and names of 255 bytes at most.
    private func appendChapters(to data: inout MP4Boxes) {
        let chapters = tags.chapters.prefix(255)
        guard !chapters.isEmpty else { return }
        data.fullBox(MP4Type("chpl"), version: 1) { box in
            box.zeros(4)
            box.put(chapters.count, 1)
            for chapter in chapters {
                box.put(max(chapter.at, 0) / 100, 8)
                let name = Self.prefix(of: chapter.text, 255)
                box.put(name.utf8.count, 1)
                box.put(name.utf8)
            }
        }
    }

    /// Complete characters of a text, up to a number of bytes.
    private static func prefix(of text: String, _ most: Int) -> Substring {
        var prefix = text.prefix(most)
        while prefix.utf8.count > most { prefix.removeLast() }
        return prefix
    }
}
