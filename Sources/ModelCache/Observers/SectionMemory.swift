import ModelRecord
import Synchronization

/// The way back for what sections hold: whoever was told last puts it here, and the writer takes it from here.
///
/// The memory of a section and of its log, and the records that were replaced and not written over, are given up on the
/// thread of whoever was told last: without the way back each commit would allocate on one thread what is freed on
/// another. Nothing is given up that others hold: the writer asks (``SpareRecords``).
final class SectionMemory: Sendable {
    /// The places of a section, of which the first `count` hold changes.
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

        /// Gives up the records after the changes, of which observers alone needed a count.
        fileprivate func releaseNew() {
            for position in 0..<count { unsafe base[position].new.release() }
        }

        fileprivate func releaseOld() {
            for position in 0..<count { unsafe base[position].old?.release() }
        }

        /// Gives up everything.
        func destroy() {
            releaseNew()
            releaseOld()
            deallocate()
        }

        func deallocate() {
            unsafe base.deallocate()
            undoLog.deallocate()
        }

        /// Gives the replaced records to `plan`, where nobody else has them.
        fileprivate mutating func giveBack(to plan: inout MergePlan) {
            for position in 0..<count {
                // What others wrote last stands in their caches.
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
    /// Something was returned. A hint, to spare the writer the lock.
    private let hasReturned = Atomic<Bool>(false)

    /// More records than so many are not kept for the writer.
    private static let recordCountMax = 4096
    /// Larger memory is not kept for the next commit, and no more parts than so many.
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

    /// Hands what was returned on to the writer, under whose lock it is called.
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
