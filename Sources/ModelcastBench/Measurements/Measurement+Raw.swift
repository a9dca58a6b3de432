/// The parts that measure raw libzmq.
extension Measurement {
    /// One round of raw libzmq.
    struct RawRound {
        var perSecond: Double
        /// The processor time that all threads of the sender spent on one message; then that of the receiver.
        var senderNanoseconds: Double
        var receiverNanoseconds: Double
        /// Messages a second, over the seconds since the first send.
        var points: [BenchCurve.Point]
    }

    /// Measures messages of 100 bytes in one frame, from the first send to the last receive. Every message is checked.
    func rawThroughput() async throws -> RawRound {
        let (sender, receiver) = try await startRaw()
        let before = (try await processor(sender), try await processor(receiver))
        receiver.tell(.receive(count: plan.rawMessages))
        guard
            case .sent(let start) = try await sender.ask(.send(count: plan.rawMessages), within: .seconds(120)),
            case .received(let last, let samples) = try await receiver.next(within: .seconds(120))
        else { throw unexpected("raw libzmq") }
        let after = (try await processor(sender), try await processor(receiver))
        let messages = Double(plan.rawMessages)
        await end(sender)
        await end(receiver)
        return RawRound(
            perSecond: messages * 1e9 / Double(last - start), senderNanoseconds: (after.0 - before.0) * 1e9 / messages,
            receiverNanoseconds: (after.1 - before.1) * 1e9 / messages, points: samples.rates(from: start, to: last))
    }

    /// Measures one round at a fixed rate.
    /// - Parameter cores: the cores that the two processes stay on; nil to leave that to the system.
    func rawLatency(rate: Double, cores: CorePair? = nil) async throws -> BenchReply.Latency {
        let (sender, receiver) = try await startRaw(cores: cores)
        receiver.tell(.receivePaced(count: Int(rate * plan.latencySeconds)))
        let order = BenchOrder.sendPaced(rate: rate, seconds: plan.latencySeconds)
        guard
            case .paced = try await sender.ask(order, within: .seconds(plan.latencySeconds + 60)),
            case .latency(let latency) = try await receiver.next(within: .seconds(60))
        else { throw unexpected("raw libzmq") }
        await end(sender)
        await end(receiver)
        return latency
    }

    /// Measures how many seconds so many bytes take, in messages of `chunkByteCount` from a PUSH to a PULL. No more
    /// messages wait than a sender of snapshots lets wait.
    func rawBulk(byteCount: Int, chunkByteCount: Int) async throws -> Double {
        let (sender, receiver) = try await startRaw(bulk: true)
        let count = (byteCount + chunkByteCount - 1) / chunkByteCount
        receiver.tell(.receiveBulk(count: count))
        let order = BenchOrder.sendBulk(count: count, byteCount: chunkByteCount)
        guard
            case .sent(let start) = try await sender.ask(order, within: .seconds(120)),
            case .received(let last, _) = try await receiver.next(within: .seconds(120))
        else { throw unexpected("raw libzmq") }
        await end(sender)
        await end(receiver)
        return Double(last - start) / 1e9
    }

    /// The seconds of processor time that a publisher, or a process of raw libzmq, has used so far.
    func processor(_ process: Process) async throws -> Double {
        guard case .processor(let seconds) = try await process.ask(.processor, within: .seconds(20)) else {
            throw unexpected(process.name)
        }
        return seconds
    }

    private func startRaw(bulk: Bool = false, cores: CorePair? = nil) async throws -> (Process, Process) {
        let (sender, endpoint) = try await start("raw sender", .rawSender(bulk: bulk), core: cores?.sender)
        let (receiver, _) = try await start(
            "raw receiver", .rawReceiver(endpoint: endpoint, bulk: bulk), core: cores?.receiver)
        return (sender, receiver)
    }
}

extension [BenchReply.Sample] {
    /// The rate between each sample and the next, at the middle of the two times, in seconds since `start`. At `start`
    /// the count was 0.
    func rates(from start: UInt64, to end: UInt64) -> [BenchCurve.Point] {
        var samples = [Element(nanoseconds: start, count: 0)]
        // Samples that arrive together are left out: a step has at least a twentieth of a second.
        for sample in self where sample.nanoseconds <= end {
            if let last = samples.last, sample.nanoseconds >= last.nanoseconds + 50_000_000 { samples.append(sample) }
        }
        return zip(samples, samples.dropFirst()).map { earlier, later in
            let seconds = Double(later.nanoseconds - earlier.nanoseconds) / 1e9
            let middle = Double(earlier.nanoseconds - start) / 1e9 + seconds / 2
            return BenchCurve.Point(middle, (Double(later.count) - Double(earlier.count)) / seconds)
        }
    }
}
