extension Measurement {
    /// Point reads of a subscriber while updates are applied.
    func measureSubscriberReads() async throws -> BenchPart {
        var part = BenchPart(.reads)
        let pair = try await startPair(plan)
        let (publisher, subscriber) = (pair.publisher, pair.subscriber)
        let seconds = plan.readSeconds
        // The writer runs a little longer than the three measurements take together.
        let writerSeconds = 3 * seconds + 1
        publisher.tell(.publishPaced(rate: plan.readWriterRate, seconds: writerSeconds))
        let before = try await state(subscriber)
        let start = MonotonicClock.nanoseconds
        for (name, threads, decoding) in [
            ("point reads, 1 thread, writer running", 1, false), ("point reads, 2 threads, writer running", 2, false),
            ("point reads with one field decoded, 1 thread, writer running", 1, true),
        ] {
            tell(name)
            let order = BenchOrder.read(threads: threads, seconds: seconds, decoding: decoding)
            guard case .reads(let reads) = try await subscriber.ask(order, within: .seconds(seconds + 60)) else {
                throw unexpected(subscriber.name)
            }
            guard reads.missed == 0 else { throw BenchError("\(reads.missed) reads found no model") }
            part.figures += [
                BenchFigure(name, reads.perSecond, .perSecond),
                BenchFigure("processor time, \(name)", reads.processorNanoseconds, .nanoseconds),
            ]
        }
        let after = try await state(subscriber)
        let elapsed = Double(MonotonicClock.nanoseconds - start) / 1e9
        let applied = Double(after.appliedUpdates - before.appliedUpdates)
        part.figures.append(BenchFigure("updates applied meanwhile", applied / elapsed, .perSecond))
        guard case .paced = try await publisher.next(within: .seconds(writerSeconds + 60)) else {
            throw unexpected(publisher.name)
        }
        try await requireEqual(publisher, subscriber, after: "the reads")
        return part
    }
}
