import ModelCache
import Modelcast
import Synchronization

/// The events of a section as one query wants them: made once, by the first stream that asks, for all that ask alike.
final class SharedChanges: Sendable {
    private let section: ChangeSection
    private let query: ModelQuery
    /// The section in parts, each of which is made at once.
    let parts: [Range<Int>]
    private let made: Mutex<[EncodedChanges?]>

    /// About how many bytes of records a part has, and at most how many changes.
    private static let partByteCount = 128 << 10
    private static let partCountMax = 512

    init(_ section: ChangeSection, _ query: ModelQuery) {
        (self.section, self.query) = (section, query)
        var (parts, start, byteCount) = ([Range<Int>](), 0, 0)
        for position in 0..<section.count {
            byteCount += section.byteCount(at: position)
            guard byteCount >= SharedChanges.partByteCount || position + 1 - start == SharedChanges.partCountMax else {
                continue
            }
            parts.append(start..<(position + 1))
            (start, byteCount) = (position + 1, 0)
        }
        if start < section.count { parts.append(start..<section.count) }
        self.parts = parts
        made = Mutex([EncodedChanges?](repeating: nil, count: parts.count))
    }

    /// The events of a part.
    /// - Returns: the events, and whether this call has made them.
    func changes(_ part: Int, epoch: String, commitNumber: UInt64) -> (EncodedChanges, isNew: Bool) {
        made.withLock { made in
            if let changes = made[part] { return (changes, false) }
            let changes = EncodedChanges(section, parts[part], query, epoch: epoch, .positions(commitNumber))
            made[part] = changes
            return (changes, true)
        }
    }

    /// The events that were made last.
    final class Table: Sendable {
        private struct Key: Hashable {
            let section: ObjectIdentifier
            let query: ModelQuery
        }

        private struct State {
            var entries: [Key: SharedChanges] = [:]
            /// The keys in the order in which they came; the first go first.
            var keys = Fifo<Key>()
            var byteCount = 0
        }

        private let state = Mutex(State())
        /// How many sections are kept, and about how many bytes of events. Streams that follow are a few commits apart.
        private static let (countMax, byteCountMax) = (1024, 8 << 20)

        /// The events of a section of a commit. The section is kept as long as they are, so that no other has its
        /// identity.
        func entry(_ section: ChangeSection, _ query: ModelQuery) -> SharedChanges {
            let key = Key(section: ObjectIdentifier(section), query: query)
            if let entry = state.withLock({ $0.entries[key] }) { return entry }
            let made = SharedChanges(section, query)
            let (entry, forgotten) = state.withLock { state -> (SharedChanges, SharedChanges?) in
                if let entry = state.entries[key] { return (entry, nil) }
                state.entries[key] = made
                state.keys.append(key)
                let isFull = state.entries.count > Table.countMax
                return (made, isFull ? state.keys.removeFirst().flatMap { state.entries.removeValue(forKey: $0) } : nil)
            }
            // Released outside of the lock.
            withExtendedLifetime(forgotten) {}
            return entry
        }

        /// The events of a part.
        func changes(_ entry: SharedChanges, part: Int, epoch: String, commitNumber: UInt64) -> EncodedChanges {
            let (changes, isNew) = entry.changes(part, epoch: epoch, commitNumber: commitNumber)
            guard isNew else { return changes }
            let forgotten = state.withLock { state -> [SharedChanges] in
                state.byteCount += changes.bytes.count
                guard state.byteCount > Table.byteCountMax else { return [] }
                // Bounded without accounts of each: half of what there is goes.
                state.byteCount /= 2
                return (0..<(state.entries.count / 2)).compactMap { _ in
                    state.keys.removeFirst().flatMap { state.entries.removeValue(forKey: $0) }
                }
            }
            withExtendedLifetime(forgotten) {}
            return changes
        }
    }
}
