import ModelCache
import Modelcast

/// Reads a subscriber's copy, and asks now and then how the subscriber is.
final class SubscriberClient: StressClient {
    private struct Inside {
        var generator: OperationGenerator
        var reads: [ReadEvent] = []
        var contact = ContactLog()
        var stepCount = 0
    }

    private let subscriber: Subscriber
    private let clock: HistoryClock
    private let reader: CopyReader
    private let inside: Guarded<Inside>
    /// Not with each read: the lock that it takes would tell the thread sanitizer of an order that reads do not have.
    private static let stepsPerNote = 8

    init(_ number: Int, seed: UInt64, _ subscriber: Subscriber, _ clock: HistoryClock) {
        self.subscriber = subscriber
        self.clock = clock
        reader = CopyReader(number, subscriber.cache, subscriber, clock)
        inside = Guarded(Inside(generator: OperationGenerator(seed: seed, client: number)))
    }

    /// All reads, when there will be no more: which of them may have lacked something is known only now.
    func end() -> [ReadEvent] {
        noteContact()
        return inside.withLock { inside in
            inside.reads.map { read in
                var read = read
                read.mayLack = inside.contact.mayLack(read.interval)
                return read
            }
        }
    }

    func step() {
        let (operation, isNoteDue) = inside.withLock { inside in
            defer { inside.stepCount += 1 }
            return (inside.generator.read(), inside.stepCount % SubscriberClient.stepsPerNote == 0)
        }
        if isNoteDue { noteContact() }
        let read: ReadEvent? =
            switch operation {
            case .read(let key, let way): reader.read(key, way)
            case .readTyped(let id, let way): reader.readTyped(id, way)
            case .snapshot(let way): reader.snapshot(way)
            default: nil
            }
        if let read { inside.withLock { $0.reads.append(read) } }
    }

    private func noteContact() {
        let entry = ContactLog.Entry(subscriber, clock)
        inside.withLock { $0.contact.note(entry) }
    }
}
