/// Packet of a track without its data.
struct MP4Sample {
    /// Decoding and presentation time in ticks of the track; no codec here reorders frames.
    let start: Int64
    /// Ticks, as far as it is known before the next sample comes.
    let duration: Int64
    /// Size of the packet in bytes.
    let size: Int
    /// Decoding can start here.
    let isKey: Bool
}

/// Sizes, times and offsets of a track's samples in the file, for the final `moov`.
///
/// A video frame takes twelve bytes at most, a packet of audio four: an hour of both takes 2 MB.
///
/// *session-bound*
struct MP4SampleTable {
    /// Equal durations in a row.
    private struct Run {
        var count: Int
        let ticks: Int64
    }

    /// Samples of one fragment, which are stored one after another.
    private struct Chunk {
        let offset: Int64
        let samples: Int
    }

    /// Start of the first sample in ticks.
    private(set) var start: Int64 = 0
    /// Last sample, whose duration the next one tells.
    private var last: MP4Sample?
    private var sizes: [UInt32] = []
    private var durations: [Run] = []
    private var chunks: [Chunk] = []
    /// Numbers from 1 of the samples that decoding can start at; `nil` if it can start at all.
    private var keys: [UInt32]?

    init() {
        // Half an hour of 30 frames a second without growing.
        sizes.reserveCapacity(54_000)
        durations.reserveCapacity(54_000)
        chunks.reserveCapacity(2000)
    }

    /// Number of samples.
    var count: Int { sizes.count }
    /// Duration of the first sample in ticks; 0 without one.
    var firstDuration: Int64 { durations.first?.ticks ?? last?.duration ?? 0 }
    /// Offset after which no sample begins.
    var lastOffset: Int64 { chunks.last?.offset ?? 0 }

    /// Adds samples that are in the file, one after another.
    mutating func add(_ samples: [MP4Sample], at offset: Int64) {
        guard samples.count > 0 else { return }
        // By index: iterating allocates in a debug build.
        for index in 0..<samples.count { add(samples[index]) }
        chunks.append(Chunk(offset: offset, samples: samples.count))
    }

    /// Forgets samples that are not in the file.
    /// - Parameter end: of the file; no chunk lies across it.
    mutating func cut(to end: Int64) {
        while let chunk = chunks.last, chunk.offset >= end {
            chunks.removeLast()
            for _ in 0..<chunk.samples { removeLast() }
        }
    }

    private mutating func removeLast() {
        sizes.removeLast()
        if keys?.last == UInt32(sizes.count + 1) { keys?.removeLast() }
        guard let old = last, let size = sizes.last, let run = durations.popLast() else {
            last = nil
            return
        }
        if run.count > 1 { durations.append(Run(count: run.count - 1, ticks: run.ticks)) }
        // Only as the table's end it matters no more where decoding can start.
        last = MP4Sample(start: old.start - run.ticks, duration: run.ticks, size: Int(size), isKey: true)
    }

    private mutating func add(_ sample: MP4Sample) {
        if let last { addDuration(sample.start - last.start) } else { start = sample.start }
        last = sample
        sizes.append(UInt32(clamping: sample.size))
        if !sample.isKey, keys == nil { keys = Self.all(before: sizes.count) }
        if sample.isKey { keys?.append(UInt32(sizes.count)) }
    }

    /// Numbers of samples that are all key frames, with space for an hour of one per second.
    private static func all(before end: Int) -> [UInt32] {
        var keys: [UInt32] = []
        keys.reserveCapacity(end + 3600)
        for number in 1..<max(end, 1) { keys.append(UInt32(number)) }
        return keys
    }

    private mutating func addDuration(_ ticks: Int64) {
        let run = durations.count - 1
        if run >= 0, durations[run].ticks == ticks {
            durations[run].count += 1
        } else {
            durations.append(Run(count: 1, ticks: ticks))
        }
    }

    /// Duration of all samples in ticks.
    /// - Parameter end: to which the last sample lasts, if that is longer than it would by itself.
    func duration(until end: Int64) -> Int64 {
        guard let last else { return 0 }
        return max(last.start + last.duration, end) - start
    }

    /// Upper bound of ``append(to:until:shiftedBy:)``'s bytes.
    var byteCount: Int { 256 + 4 * sizes.count + 8 * durations.count + 4 * (keys?.count ?? 0) + 20 * chunks.count }
}

extension MP4SampleTable {
    /// Writes the tables of SampleTableBox (ISO/IEC 14496-12, 8.6.1, 8.6.2 and 8.7) except `stsd`.
    /// - Parameters:
    ///   - boxes: receives the boxes.
    ///   - end: tick until which the last sample lasts at least.
    ///   - shift: bytes by which the data will move back in the file.
    func append(to boxes: inout MP4Boxes, until end: Int64, shiftedBy shift: Int64) {
        boxes.fullBox(.timeToSample) { box in
            let runs = runs(until: end)
            box.put(runs.count, 4)
            for run in runs {
                box.put(run.count, 4)
                box.put(UInt32(clamping: run.ticks), 4)
            }
        }
        if let keys {
            boxes.fullBox(.syncSample) { box in
                box.put(keys.count, 4)
                for key in keys { box.put(key, 4) }
            }
        }
        appendChunks(to: &boxes)
        boxes.fullBox(.sampleSize) { box in
            // 0: each sample has its own size.
            box.put(0, 4)
            box.put(sizes.count, 4)
            for size in sizes { box.put(size, 4) }
        }
        let isLarge = lastOffset + shift > Int64(UInt32.max)
        boxes.fullBox(isLarge ? .largeChunkOffset : .chunkOffset) { box in
            box.put(chunks.count, 4)
            for chunk in chunks { box.put(chunk.offset + shift, isLarge ? 8 : 4) }
        }
    }

    /// Durations, the last sample's included.
    private func runs(until end: Int64) -> [Run] {
        guard let last else { return [] }
        var table = self
        table.addDuration(max(last.duration, end - last.start))
        return table.durations
    }

    /// SampleToChunkBox: an entry for each change in the number of samples.
    private func appendChunks(to boxes: inout MP4Boxes) {
        let changes = chunks.indices.filter { $0 == 0 || chunks[$0].samples != chunks[$0 - 1].samples }
        boxes.fullBox(.sampleToChunk) { box in
            box.put(changes.count, 4)
            for index in changes {
                box.put(index + 1, 4)
                box.put(chunks[index].samples, 4)
                // All samples are of the one description.
                box.put(1, 4)
            }
        }
    }
}
