import ModelRecord
import ModelWire

/// Holds the parts of transactions over several topics until all that this replica subscribes to are here.
struct GroupAssembler: Sendable {
    /// One part: the batch as it came.
    struct Part: Sendable {
        let topic: Topic
        let payload: [UInt8]
    }

    private struct Key: Hashable {
        let origin: String
        let stamp: Stamp
    }

    private struct Group {
        var parts: [Part] = []
        var awaited: Set<Topic>
        let deadline: UInt64
    }

    /// The most bytes that are held; past it the oldest group is let go as it is.
    static let byteCountMax = 64 << 20

    private var groups: [Key: Group] = [:]
    private var byteCount = 0

    /// Nothing is held.
    var isEmpty: Bool { groups.isEmpty }

    /// Adds a part.
    /// - Parameters:
    ///   - wanted: the topics of the group that this replica subscribes to.
    /// - Returns: all parts, once the last is here.
    mutating func add(
        _ part: Part, origin: String, stamp: Stamp, wanted: [Topic], deadline: UInt64
    ) -> [Part]? {
        let key = Key(origin: origin, stamp: stamp)
        var group = groups.removeValue(forKey: key) ?? Group(awaited: Set(wanted), deadline: deadline)
        group.parts.append(part)
        group.awaited.remove(part.topic)
        byteCount += part.payload.count
        if group.awaited.isEmpty {
            byteCount -= size(of: group)
            return group.parts
        }
        groups[key] = group
        return nil
    }

    /// A snapshot has brought everything of `topic`: no part of it needs to be waited for any longer.
    mutating func covered(_ topic: Topic, origin: String) -> [[Part]] {
        for key in groups.keys where key.origin == origin { groups[key]?.awaited.remove(topic) }
        return take { $0.awaited.isEmpty }
    }

    /// The groups whose time is up, or that no longer find room; their parts are applied as far as they are here.
    mutating func expired(now: UInt64) -> [[Part]] {
        var result = take { $0.deadline <= now }
        while byteCount > GroupAssembler.byteCountMax, let oldest = groups.values.map(\.deadline).min() {
            result += take { $0.deadline <= oldest }
        }
        return result
    }

    private mutating func take(where isDone: (Group) -> Bool) -> [[Part]] {
        let done = groups.filter { isDone($0.value) }
        for (key, group) in done {
            byteCount -= size(of: group)
            groups[key] = nil
        }
        return done.sorted { $0.key.stamp < $1.key.stamp }.map(\.value.parts)
    }

    private func size(of group: Group) -> Int { group.parts.reduce(0) { $0 + $1.payload.count } }
}
