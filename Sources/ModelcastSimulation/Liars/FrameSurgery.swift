import ModelWire

/// Changes frames on their way, as a broken implementation would have understood them.
enum FrameSurgery {
    /// The batch with the same place in its stream, and one update that version 1 of the protocol does not know.
    static func hollow(_ payload: [UInt8]) -> [UInt8]? {
        guard let frame = PlainItem(payload), BatchFacts(frame) != nil else { return nil }
        let updates = frame.children[5].range
        let unknown: [UInt8] = [0x81, 0x84, 0x09, 0x00, 0x61, 0x78, 0xA0]
        return Array(payload[..<updates.lowerBound]) + unknown + Array(payload[updates.upperBound...])
    }

    /// The batch with each replace turned into a merge.
    static func replacesAsMerges(_ payload: [UInt8]) -> [UInt8] {
        guard let frame = PlainItem(payload), BatchFacts(frame) != nil else { return payload }
        var copy = payload
        for update in frame.children[5].children {
            guard let operation = update.children.first, operation.unsigned == 1 else { continue }
            copy[operation.range.lowerBound] = 0
        }
        return copy
    }

    /// The batch with an operation that nobody knows in each update of one of these ids, whatever their type.
    static func withoutUpdates(of ids: Set<String>, _ payload: [UInt8]) -> [UInt8] {
        guard !ids.isEmpty, let frame = PlainItem(payload), BatchFacts(frame) != nil else { return payload }
        var copy = payload
        for update in frame.children[5].children {
            guard update.children.count > 2, let id = update.children[2].text, ids.contains(id) else { continue }
            copy[update.children[0].range.lowerBound] = 9
        }
        return copy
    }

    /// The batch under another incarnation.
    static func withIncarnation(_ incarnation: UInt64, _ payload: [UInt8]) -> [UInt8] {
        guard let frame = PlainItem(payload), BatchFacts(frame) != nil else { return payload }
        return replacing(frame.children[2], by: incarnation, in: payload)
    }

    /// The batch under the next sequence.
    static func withNextSequence(_ payload: [UInt8]) -> [UInt8] {
        guard let frame = PlainItem(payload), let batch = BatchFacts(frame) else { return payload }
        return replacing(frame.children[3], by: batch.sequence + 1, in: payload)
    }

    private static func replacing(_ item: PlainItem, by number: UInt64, in payload: [UInt8]) -> [UInt8] {
        let bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return Array(payload[..<item.range.lowerBound]) + [0x1B] + bytes + Array(payload[item.range.upperBound...])
    }

    /// The frame with its heads changed by `body`; a frame without heads as it is.
    static func mapHeads(_ payload: [UInt8], _ body: (Heads) -> Heads) -> [UInt8] {
        guard case .heads(let heads)? = try? StreamFrame(decoding: payload.span, limits: .default) else {
            return payload
        }
        return body(heads).encode()
    }
}
