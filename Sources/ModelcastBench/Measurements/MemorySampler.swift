import Synchronization

/// Records the resident memory of other processes ten times a second, read from the kernel.
final class MemorySampler: Sendable {
    private struct Watched {
        var name: String
        var process: Int32
        var points: [BenchCurve.Point] = []
    }

    private struct State {
        var watched: [Watched] = []
        var task: Task<Void, Never>?
    }

    private let start = MonotonicClock.nanoseconds
    private let state = Mutex(State())

    /// Adds a process, from the next look on.
    func watch(_ process: Int32, named name: String) {
        state.withLock { state in
            state.watched.append(Watched(name: name, process: process))
            guard state.task == nil else { return }
            state.task = Task { [weak self] in
                while !Task.isCancelled, self?.look() != nil { try? await Task.sleep(for: .milliseconds(100)) }
            }
        }
    }

    private func look() {
        let seconds = (Double(MonotonicClock.nanoseconds - start) / 1e6).rounded() / 1000
        let processes: [Int32] = state.withLock { $0.watched.map(\.process) }
        for index in processes.indices {
            let byteCount = ProcessFigures.residentByteCount(of: processes[index])
            guard byteCount > 0 else { continue }
            let mebibytes = (Double(byteCount) / 1_048_576 * 10).rounded() / 10
            state.withLock { $0.watched[index].points.append(BenchCurve.Point(seconds, mebibytes)) }
        }
    }

    /// Ends the watch.
    /// - Returns: a curve for each process.
    func end() -> [BenchCurve] {
        state.withLock { state in
            state.task?.cancel()
            return state.watched.map { BenchCurve($0.name, .memory, $0.points) }
        }
    }

    deinit { state.withLock { $0.task?.cancel() } }
}
