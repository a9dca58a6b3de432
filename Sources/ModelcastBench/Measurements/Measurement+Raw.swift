/// The parts that measure raw libzmq.
extension Measurement {
    /// Messages a second, from the first send to the last receive; every message is checked.
    func rawThroughput() async throws -> Double {
        let (sender, receiver) = try await startRaw()
        let before = (try await processor(sender), try await processor(receiver))
        receiver.tell(.receive(count: plan.rawMessages))
        guard
            case .sent(let start) = try await sender.ask(.send(count: plan.rawMessages), within: .seconds(120)),
            case .received(let last) = try await receiver.next(within: .seconds(120))
        else { throw unexpected("raw libzmq") }
        let after = (try await processor(sender), try await processor(receiver))
        let messages = Double(plan.rawMessages)
        rawProcessor.append(((after.0 - before.0) * 1e9 / messages, (after.1 - before.1) * 1e9 / messages))
        await end(sender)
        await end(receiver)
        let rate = messages * 1e9 / Double(last - start)
        result.rawRounds.append(rate)
        return rate
    }

    func rawLatency() async throws {
        let (sender, receiver) = try await startRaw()
        receiver.tell(.receivePaced(count: Int(plan.latencyRate * plan.latencySeconds)))
        let order = BenchOrder.sendPaced(rate: plan.latencyRate, seconds: plan.latencySeconds)
        guard
            case .paced = try await sender.ask(order, within: .seconds(plan.latencySeconds + 60)),
            case .latency(let latency) = try await receiver.next(within: .seconds(60))
        else { throw unexpected("raw libzmq") }
        latencies.raw.append(latency.fromIntended)
        latencies.rawFromCall.append(latency.fromCall)
        await end(sender)
        await end(receiver)
    }

    /// How many seconds so many bytes take, in messages of `chunkByteCount` from a PUSH to a PULL, where no more wait
    /// than a sender of snapshots lets wait.
    func rawBulk(byteCount: Int, chunkByteCount: Int) async throws -> Double {
        let (sender, receiver) = try await startRaw(bulk: true)
        let count = (byteCount + chunkByteCount - 1) / chunkByteCount
        receiver.tell(.receiveBulk(count: count))
        let order = BenchOrder.sendBulk(count: count, byteCount: chunkByteCount)
        guard
            case .sent(let start) = try await sender.ask(order, within: .seconds(120)),
            case .received(let last) = try await receiver.next(within: .seconds(120))
        else { throw unexpected("raw libzmq") }
        await end(sender)
        await end(receiver)
        return Double(last - start) / 1e9
    }

    private func processor(_ peer: Process) async throws -> Double {
        guard case .processor(let seconds) = try await peer.ask(.processor, within: .seconds(20)) else {
            throw unexpected(peer.name)
        }
        return seconds
    }

    private func startRaw(bulk: Bool = false) async throws -> (Process, Process) {
        let (sender, endpoint) = try await start("raw sender", .rawSender(bulk: bulk))
        let (receiver, _) = try await start("raw receiver", .rawReceiver(endpoint: endpoint, bulk: bulk))
        return (sender, receiver)
    }
}
