import ModelCache
import Modelcast
import Synchronization

/// The events of a section as one query wants them: made once, by the first stream that asks, for all that ask alike.
final class SharedChanges: Sendable {
    private let section: ChangeSection
    private let query: ModelQuery
    private let epoch: String
    /// The section in parts, each of which is made at once.
    let parts: [Range<Int>]
    private let made: Mutex<[EncodedChanges?]>
    /// About how many bytes the records take that are kept with the section.
    let recordByteCount: Int
    fileprivate var key: Table.Key { Table.Key(section: ObjectIdentifier(section), epoch: epoch) }

    /// About how many bytes of records a part has, and at most how many changes.
    private static let partByteCount = 128 << 10
    static let partCountMax = 512

    /// - Parameter epoch: stands in the ids of the events; another one for each query.
    init(_ section: ChangeSection, _ query: ModelQuery, epoch: String) {
        (self.section, self.query, self.epoch) = (section, query, epoch)
        var (parts, start, byteCount, total) = ([Range<Int>](), 0, 0, 0)
        for position in 0..<section.count {
            let count = section.byteCount(at: position)
            byteCount += count
            total += count
            guard byteCount >= SharedChanges.partByteCount || position + 1 - start == SharedChanges.partCountMax else {
                continue
            }
            parts.append(start..<(position + 1))
            (start, byteCount) = (position + 1, 0)
        }
        if start < section.count { parts.append(start..<section.count) }
        self.parts = parts
        recordByteCount = total
        made = Mutex([EncodedChanges?](repeating: nil, count: parts.count))
    }

    /// The events of a part.
    /// - Returns: the events, and whether this call has made them.
    func changes(_ part: Int, commitNumber: UInt64) -> (EncodedChanges, isNew: Bool) {
        made.withLock { made in
            if let changes = made[part] { return (changes, false) }
            let changes = EncodedChanges(section, parts[part], query, epoch: epoch, .positions(commitNumber))
            made[part] = changes
            return (changes, true)
        }
    }

    /// The events that were made last.
    final class Table: Sendable {
        fileprivate struct Key: Hashable {
            let section: ObjectIdentifier
            /// In place of the query, which may have hundreds of names.
            let epoch: String
        }

        fileprivate struct Entry {
            let changes: SharedChanges
            /// The bytes of its records, and of the events that were made.
            var byteCount: Int
        }

        fileprivate struct State {
            var entries: [Key: Entry] = [:]
            /// The keys in the order in which they came; the first go first.
            var keys = Fifo<Key>()
            var byteCount = 0
        }

        private let state = Mutex(State())
        /// How many bytes are kept. Streams that follow are a few commits apart.
        fileprivate static let byteCountMax = 8 << 20
        /// About what an entry takes beside.
        private static let entryByteCount = 256

        /// The events of a section of a commit. The section is kept as long as they are, so that no other has its
        /// identity.
        func entry(_ section: ChangeSection, _ query: ModelQuery, epoch: String) -> SharedChanges {
            let key = Key(section: ObjectIdentifier(section), epoch: epoch)
            if let entry = state.withLock({ $0.entries[key] }) { return entry.changes }
            let made = SharedChanges(section, query, epoch: epoch)
            let (entry, forgotten) = state.withLock { state -> (SharedChanges, [SharedChanges]) in
                if let entry = state.entries[key] { return (entry.changes, []) }
                state.entries[key] = Entry(changes: made, byteCount: 0)
                state.keys.append(key)
                return (made, state.add(made.recordByteCount + Table.entryByteCount, at: key))
            }
            // Released outside of the lock.
            withExtendedLifetime(forgotten) {}
            return entry
        }

        /// The events of a part.
        func changes(_ entry: SharedChanges, part: Int, commitNumber: UInt64) -> EncodedChanges {
            let (changes, isNew) = entry.changes(part, commitNumber: commitNumber)
            guard isNew else { return changes }
            let forgotten = state.withLock { $0.add(changes.bytes.count, at: entry.key) }
            withExtendedLifetime(forgotten) {}
            return changes
        }
    }
}

extension SharedChanges.Table.State {
    /// Counts bytes, and lets go of the first entries where there are too many.
    fileprivate mutating func add(_ count: Int, at key: SharedChanges.Table.Key) -> [SharedChanges] {
        guard entries[key] != nil else { return [] }
        entries[key]?.byteCount += count
        byteCount += count
        var forgotten: [SharedChanges] = []
        while byteCount > SharedChanges.Table.byteCountMax, let first = keys.removeFirst() {
            guard let entry = entries.removeValue(forKey: first) else { continue }
            byteCount -= entry.byteCount
            forgotten.append(entry.changes)
        }
        return forgotten
    }
}
