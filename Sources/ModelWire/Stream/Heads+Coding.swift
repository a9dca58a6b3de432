import ModelCBOR
import ModelRecord

extension Heads {
    /// The frame `[1, origin, incarnation, stamp, heads, flags, ? age, ? leases since, ? quiet, ? distance]`.
    public func encode() -> [UInt8] {
        var writer = CBORWriter(reserving: 64 + heads.reduce(0) { $0 + $1.topic.bytes.count + 24 })
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout CBORWriter) {
        let later = [ageMilliseconds, leasesSince, quietMilliseconds, leaseDistance]
        let laterCount = later.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
        writer.begin(.heads, count: 6 + laterCount, origin: origin, incarnation: incarnation, stamp: stamp)
        let sorted = TopicHead.sorted(heads)
        writer.writeMapHead(sorted.count)
        for head in sorted {
            writer.write(byteString: head.topic.bytes)
            writer.writeArrayHead(head.digest == nil ? 1 : 2)
            writer.write(unsigned: head.sequence)
            if let digest = head.digest { writer.write(unsigned: digest) }
        }
        let flags: UInt64 = (isRelayed ? 1 : 0) | (hasTransactions ? 2 : 0) | (isPushed ? 4 : 0)
        writer.write(unsigned: flags | (leavesNamesOut ? 8 : 0) | (mayHaveFormer ? 16 : 0))
        for number in later.prefix(laterCount) {
            if let number { writer.write(unsigned: number) } else { writer.writeNull() }
        }
    }

    /// Reads the array of a heads frame, which may stand inside another frame.
    init(reading frame: inout FrameReader) throws(WireError) {
        var elements = try frame.beginArray()
        let start = frame.offset
        guard try frame.unsigned(&elements) == FrameKind.heads.rawValue else {
            throw WireError(.malformed, "these are not heads", at: start)
        }
        try self.init(reading: &frame, behindKind: &elements)
    }

    /// Reads the elements that follow the kind.
    init(reading frame: inout FrameReader, behindKind elements: inout FrameElements) throws(WireError) {
        origin = try frame.origin(&elements)
        incarnation = try frame.unsigned(&elements)
        stamp = try frame.unsigned(&elements)
        try frame.expect(&elements)
        heads = try TopicHead.list(reading: &frame)
        let flags = try frame.unsigned(&elements)
        isRelayed = flags & 1 != 0
        hasTransactions = flags & 2 != 0
        isPushed = flags & 4 != 0
        leavesNamesOut = flags & 8 != 0
        mayHaveFormer = flags & 16 != 0
        ageMilliseconds = try frame.optionalUnsigned(&elements)
        leasesSince = try frame.optionalUnsigned(&elements)
        quietMilliseconds = try frame.optionalUnsigned(&elements)
        leaseDistance = try frame.optionalUnsigned(&elements)
        try frame.finish(&elements)
    }
}

extension TopicHead {
    /// Sorts heads in the order of the encoded topics. Of two heads of one topic, that with the later sequence is kept.
    static func sorted(_ heads: [TopicHead]) -> [TopicHead] {
        var sorted: [TopicHead] = []
        sorted.reserveCapacity(heads.count)
        for head in heads.sorted(by: TopicHead.precedes) {
            if sorted.last?.topic == head.topic { sorted.removeLast() }
            sorted.append(head)
        }
        return sorted
    }

    private static func precedes(_ left: TopicHead, _ right: TopicHead) -> Bool {
        let (a, b) = (left.topic.bytes, right.topic.bytes)
        if a.count != b.count { return a.count < b.count }
        if a == b { return left.sequence < right.sequence }
        return a.lexicographicallyPrecedes(b)
    }

    /// Reads a map of topics in any order, without duplicates.
    static func list(reading frame: inout FrameReader) throws(WireError) -> [TopicHead] {
        var pairs = try frame.beginMap()
        var heads: [TopicHead] = []
        let start = frame.offset
        while frame.next(&pairs) {
            let topic = try frame.topic()
            var elements = try frame.beginArray()
            let sequence = try frame.unsigned(&elements)
            let digest = try frame.optionalUnsigned(&elements)
            try frame.finish(&elements)
            heads.append(TopicHead(topic: topic, sequence: sequence, digest: digest))
        }
        return try sortedOnce(heads, at: start)
    }

    /// Sorts heads that were read, of which no topic may stand twice.
    /// - Parameter start: the place of the first in the frame.
    static func sortedOnce(_ heads: [TopicHead], at start: Int) throws(WireError) -> [TopicHead] {
        let sorted = TopicHead.sorted(heads)
        guard sorted.count == heads.count else {
            throw WireError(.malformed, "a topic stands twice among the heads", at: start)
        }
        return sorted
    }
}

extension Bye {
    /// The frame `[2, origin, incarnation, stamp]`.
    public func encode() -> [UInt8] {
        var writer = CBORWriter(reserving: 96)
        writer.begin(.bye, count: 4, origin: origin, incarnation: incarnation, stamp: stamp)
        return writer.bytes
    }

    init(reading frame: inout FrameReader, behindKind elements: inout FrameElements) throws(WireError) {
        origin = try frame.origin(&elements)
        incarnation = try frame.unsigned(&elements)
        stamp = try frame.unsigned(&elements)
        try frame.finish(&elements)
    }
}

extension CBORWriter {
    /// Writes the beginning of heads or a bye, `[kind, origin, incarnation, stamp, …]`, a frame of `count` elements.
    fileprivate mutating func begin(
        _ kind: FrameKind, count: Int, origin: String, incarnation: UInt64, stamp: Stamp
    ) {
        writeArrayHead(count)
        write(unsigned: kind.rawValue)
        write(text: origin)
        write(unsigned: incarnation)
        write(unsigned: stamp)
    }
}
