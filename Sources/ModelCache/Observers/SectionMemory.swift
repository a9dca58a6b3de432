@_spi(RecordWriting) import ModelRecord
import Synchronization

/// Takes what released sections held: the last observer puts it here, and the writer takes it from here.
///
/// The last observer releases a section on its own thread: the memory of the section and of its undo log, and the
/// records that were replaced. Without this way back each commit would allocate on one thread what is freed on another.
/// The writer reuses only records that nobody else has (``SpareRecords``).
final class SectionMemory: Sendable {
    /// The memory of a section, of which the first `count` places hold changes.
    // Unchecked because of the pointer, which one thread at a time has: the section's last, then the writer.
    @safe struct Part: @unchecked Sendable {
        fileprivate(set) var base: UnsafeMutablePointer<HeldChange>
        fileprivate(set) var count: Int
        let capacity: Int
        fileprivate(set) var undoLog: UndoLog

        init(base: UnsafeMutablePointer<HeldChange>, count: Int, capacity: Int, undoLog: UndoLog) {
            unsafe self.base = base
            self.count = count
            self.capacity = capacity
            self.undoLog = undoLog
        }

        /// Releases the records after the changes. Only observers needed their counts.
        fileprivate func releaseNew() {
            for position in 0..<count { unsafe base[position].new.release() }
        }

        fileprivate func releaseOld() {
            for position in 0..<count { unsafe base[position].old?.release() }
        }

        /// Releases all records and frees the memory.
        func destroy() {
            releaseNew()
            releaseOld()
            deallocate()
        }

        func deallocate() {
            unsafe base.deallocate()
            undoLog.deallocate()
        }

        /// Gives the replaced records to `plan` where nobody else has them, and releases the others.
        fileprivate mutating func giveBack(to plan: inout MergePlan) {
            for position in 0..<count {
                // The headers are in the caches of other cores, which wrote them last.
                if position + 6 < count { unsafe base[position + 6].old?.prefetchHeader() }
                if unsafe base[position].old?.giveBack(to: &plan) ?? false { continue }
                unsafe base[position].old?.release()
            }
            count = 0
            clearLog()
        }

        mutating func clearLog() { undoLog.removeAll(keepingUpTo: SectionMemory.spareLogByteCountMax) }
    }

    private struct Returned {
        var parts: [Part] = []
        var recordCount = 0
    }

    private let returned = Guarded(Returned())
    /// A hint that something was returned, which spares the writer the lock.
    private let hasReturned = Atomic<Bool>(false)

    /// The greatest number of replaced records that are kept for the writer.
    private static let recordCountMax = 4096
    /// The capacity of a part above which its memory is not kept for the next commit.
    private static let spareCapacityMax = 65_536
    private static let sparesMax = 8
    private static let spareLogByteCountMax = 1 << 20

    deinit {
        returned.withLock { returned in
            for part in returned.parts {
                part.releaseOld()
                part.deallocate()
            }
        }
    }

    /// Takes what a section held. From any thread.
    func give(_ part: Part) {
        part.releaseNew()
        let isKept = returned.withLock { returned in
            guard returned.recordCount + part.count <= SectionMemory.recordCountMax else { return false }
            returned.parts.append(part)
            returned.recordCount += part.count
            return true
        }
        if isKept { return hasReturned.store(true, ordering: .relaxed) }
        part.releaseOld()
        part.deallocate()
    }

    /// Hands the returned parts to the writer. Under the writer lock.
    func takeBack(_ plan: inout MergePlan, _ spares: inout [Part]) {
        guard hasReturned.load(ordering: .relaxed) else { return }
        hasReturned.store(false, ordering: .relaxed)
        var parts = returned.withLock { returned in
            returned.recordCount = 0
            return exchange(&returned.parts, with: [])
        }
        for position in parts.indices {
            parts[position].giveBack(to: &plan)
            if spares.count < SectionMemory.sparesMax, parts[position].capacity <= SectionMemory.spareCapacityMax {
                spares.append(parts[position])
            } else {
                parts[position].deallocate()
            }
        }
    }
}
