import Dispatch
import Synchronization

/// A client that does one operation after the other, each on whatever thread it is called on.
protocol StressClient: Sendable {
    /// Does the next operation. Never called twice at once.
    func step()
}

/// Lets many clients work at once, each in another way: on concurrent and serial queues of several priorities, on
/// iterations of `concurrentPerform`, in tasks.
enum Crew {
    /// The queue, thread or task on which a client is called.
    enum CallSite: Int, CaseIterable {
        case global, urgent, background, concurrentQueue, serialQueue, iteration, task, detachedTask
    }

    /// Returns when every client has done `count` operations.
    static func run(_ clients: [any StressClient], count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
            var iterating: [any StressClient] = []
            for (index, client) in clients.enumerated() {
                switch CallSite.allCases[index % CallSite.allCases.count] {
                case .global: group.addTask { await run(client, count, on: .global()) }
                case .urgent: group.addTask { await run(client, count, on: .global(qos: .userInteractive)) }
                case .background: group.addTask { await run(client, count, on: .global(qos: .utility)) }
                case .concurrentQueue: group.addTask { await run(client, count, on: concurrent) }
                case .serialQueue: group.addTask { await enqueue(client, count) }
                case .iteration: iterating.append(client)
                case .task:
                    group.addTask {
                        for _ in 0..<count {
                            client.step()
                            await Task.yield()
                        }
                    }
                case .detachedTask:
                    group.addTask { await Task.detached { for _ in 0..<count { client.step() } }.value }
                }
            }
            let iterations = iterating
            if !iterations.isEmpty { group.addTask { await iterate(iterations, count) } }
        }
    }

    /// All operations in one work item.
    private static func run(_ client: any StressClient, _ count: Int, on queue: DispatchQueue) async {
        await withCheckedContinuation { continuation in
            queue.async {
                for _ in 0..<count { client.step() }
                continuation.resume()
            }
        }
    }

    /// Every operation as a work item of a serial queue.
    private static func enqueue(_ client: any StressClient, _ count: Int) async {
        let queue = DispatchQueue(label: "serial", qos: .userInitiated)
        await withCheckedContinuation { continuation in
            for _ in 0..<count { queue.async { client.step() } }
            queue.async { continuation.resume() }
        }
    }

    /// A few operations of each client at a time.
    private static func iterate(_ clients: [any StressClient], _ count: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var left = count
                while left > 0 {
                    let some = min(left, 16)
                    DispatchQueue.concurrentPerform(iterations: clients.count) { index in
                        for _ in 0..<some { clients[index].step() }
                    }
                    left -= some
                }
                continuation.resume()
            }
        }
    }
}
