import ModelCache

extension WriteBehind {
    /// The commits and changes that were taken from the state to be written.
    private struct Work {
        var commits: [WaitingCommit] = []
        var isFlush = false
        var pending = PendingChanges()
        var waiters: [Completion] = []
    }

    /// Writes until nothing is due. On the store's queue.
    func work() {
        while let work = takeWork() {
            if !work.commits.isEmpty { write(work.commits) }
            guard work.isFlush else { continue }
            var pending = work.pending
            writer.kept.take(&pending)
            let error = flush(durably: !work.waiters.isEmpty)
            settle(error, isFlush: true)
            for waiter in work.waiters { waiter(error) }
        }
    }

    /// Takes everything that is due. Commits come before the flush that is taken with them, and the flush includes the
    /// changes that were noted before these commits. So an older state never replaces a newer one.
    private func takeWork() -> Work? {
        state.withLock { state in
            guard !state.commits.isEmpty || state.isFlushDue else {
                state.isScheduled = false
                return nil
            }
            var work = Work()
            swap(&work.commits, &state.commits)
            state.commitByteCount = 0
            if state.isFlushDue {
                work.isFlush = true
                swap(&work.pending, &state.pending)
                swap(&work.waiters, &state.flushWaiters)
                state.isFlushDue = false
                state.takenModels += work.pending.modelCount
            }
            return work
        }
    }

    /// Writes commits, in one transaction with one fsync.
    private func write(_ commits: [WaitingCommit]) {
        let earlier = writer.kept.takeRemovals()
        let error = writer.commit([earlier] + commits.flatMap { [$0.removals, $0.changes] })
        if error == nil {
            bringKeptUp(to: commits)
        } else {
            writer.kept.putBack(removals: earlier)
            for commit in commits { writer.kept.noteOther(commit.removals) }
        }
        state.withLock { state in
            guard error == nil else { return }
            state.status.commits += commits.count
            state.status.commitTransactions += 1
        }
        settle(error, isFlush: false)
        for commit in commits { commit.completion(error) }
    }

    /// Writes all kept changes, in as many transactions as they take. Everything other than models comes last, so that
    /// no head is in the file before its records.
    private func flush(durably: Bool) -> StoreError? {
        let models = writer.kept.takeModels()
        let step = configuration.transactionModelCount
        var start = 0
        while true {
            let end = min(start + step, models.count)
            let isLast = end == models.count
            var changes = isLast ? writer.kept.other : StoreChanges()
            for (type, model) in models[start..<end] {
                if model.isRemoval {
                    changes.remove(model.record, type: type)
                } else {
                    changes.upsert(model.record, type: type)
                }
            }
            if let error = writer.write(changes, isLast: isLast, durably: durably && isLast) {
                writer.kept.putBack(models[start...])
                noteRows(0)
                return error
            }
            noteRows(end - start)
            if isLast { break }
            start = end
            letCommitsPass()
        }
        writer.kept = PendingChanges()
        noteRows(0)
        return nil
    }

    private func noteRows(_ count: Int) {
        let kept = writer.kept.modelCount
        state.withLock { state in
            state.status.rowsWritten += count
            state.takenModels = count == 0 ? kept : state.takenModels - count
        }
    }

    /// Writes waiting commits between two transactions of a flush, up to the first with models: the flush may still
    /// have older states of these models to write.
    private func letCommitsPass() {
        let commits = state.withLock { state -> [WaitingCommit] in
            let count = state.commits.firstIndex { $0.changes.hasModels } ?? state.commits.count
            let passing = Array(state.commits.prefix(count))
            state.commits.removeFirst(count)
            state.commitByteCount -= passing.reduce(0) { $0 + $1.byteCount }
            return passing
        }
        guard !commits.isEmpty else { return }
        write(commits)
    }

    /// Adds the commits to the kept changes. Those are older, and will be written after the commits.
    private func bringKeptUp(to commits: [WaitingCommit]) {
        guard !writer.kept.isEmpty else { return }
        for commit in commits {
            writer.kept.noteOther(commit.removals)
            writer.kept.noteOther(commit.changes.withoutBatches)
        }
        // The commits have written these removals already.
        _ = writer.kept.takeRemovals()
    }

    /// How long after a failed commit the success of a flush does not count as recovery. A flush may find room on the
    /// disk where a commit has not, and a caller whose commit failed tries again within two seconds.
    private static let commitMemory = Duration.seconds(3)

    /// Handles the outcome of an attempt: health, events, the time of the next attempt.
    private func settle(_ error: StoreError?, isFlush: Bool) {
        let keepsNothing = writer.kept.isEmpty
        let (event, pause) = state.withLock { state -> (StoreEvent?, Duration?) in
            let wasDegraded = state.status.health != .good
            guard let error else {
                if isFlush { state.status.flushes += 1 } else { state.commitFailedAt = nil }
                guard wasDegraded, keepsNothing else { return (nil, nil) }
                if let failedAt = state.commitFailedAt, .now - failedAt < WriteBehind.commitMemory {
                    guard !state.isFlushTimed, !state.isClosed else { return (nil, nil) }
                    state.isFlushTimed = true
                    return (nil, WriteBehind.commitMemory)
                }
                state.status.health = .good
                let failures = writer.recover()
                guard !state.isFlushTimed, !state.isFlushDue, !state.pending.isEmpty else {
                    return (.recovered(failures: failures), nil)
                }
                state.isFlushTimed = true
                return (.recovered(failures: failures), configuration.flushInterval)
            }
            state.status.failures += 1
            if !isFlush { state.commitFailedAt = .now }
            state.status.health = .degraded(error)
            let pause = writer.fail()
            let isTimed = state.isFlushTimed || state.isClosed
            if !isTimed { state.isFlushTimed = true }
            return (wasDegraded ? nil : .degraded(error), isTimed ? nil : pause)
        }
        if let pause { startTimer(pause) }
        if let event { writer.onEvent(event) }
    }
}
