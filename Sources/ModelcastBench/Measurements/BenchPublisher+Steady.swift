import Modelcast

extension BenchPublisher {
    /// Publishes at a rate that leaves the processor room, in steps of a millisecond. Late steps are caught up.
    func publishSteadily(
        _ rate: Double, seconds: Double, textBytes: Int, tellsSteps: Bool
    ) throws -> BenchReply.Steady {
        let made = Workload.updates(256, textBytes: textBytes)
        var load = BenchLoad(ids: workload.ids, updates: made, seed: MonotonicClock.nanoseconds)
        let (ids, updates) = (workload.ids.span, made.span)
        var steady = BenchReply.Steady(count: 0, seconds: 0, backPressured: 0, latestMilliseconds: 0)
        var sentCount = 0
        MonotonicClock.sharpenSleep()
        let start = MonotonicClock.nanoseconds
        for step in 1...max(1, Int(seconds * 1000)) {
            let due = start + UInt64(step) * 1_000_000
            let began = MonotonicClock.nanoseconds
            let written = Int(rate * Double(step - 1) / 1000)
            for _ in written..<max(written, Int(rate * Double(step) / 1000)) {
                let write = load.next()
                let (id, fields) = (ids[write.id], updates[write.fields])
                let (outcome, retries) = try publisher.insisting {
                    try publisher.merge(Workload.type, id, fields)
                }
                steady.backPressured += retries
                if outcome != .unchanged { sentCount += 1 }
                steady.count += 1
            }
            if tellsSteps {
                let step = BenchReply.Steady.Step(microseconds: Int((began - start) / 1000), sentCount: sentCount)
                steady.steps.append(step)
            }
            let now = MonotonicClock.nanoseconds
            if now > due { steady.latestMilliseconds = max(steady.latestMilliseconds, Double(now - due) / 1e6) }
            MonotonicClock.sleep(until: due)
        }
        steady.seconds = self.seconds(since: start)
        return steady
    }

    /// Makes fields as ``Workload/updates(_:textBytes:)`` does before a measurement, from texts that exist already.
    func makeFields(_ count: Int) -> BenchReply {
        var numbers = SeededNumbers(seed: 13)
        let texts = (0..<256).map { _ in numbers.text(10) }
        let names = Workload.fieldNames
        var sum = 0
        let start = MonotonicClock.nanoseconds
        for index in 0..<count {
            let fields: Fields = [
                names[index % 10]: .text(texts[index & 255]), names[(index + 3) % 10]: .text(texts[(index + 7) & 255]),
            ]
            sum &+= fields.count
        }
        // The sum is used, so that the compiler does not remove the loop.
        return .made(seconds: sum < 0 ? 0 : seconds(since: start))
    }
}
