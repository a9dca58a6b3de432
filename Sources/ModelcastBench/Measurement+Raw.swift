/// The parts that measure raw libzmq.
extension Measurement {
    /// Messages a second, from the first send to the last receive; every message is checked.
    func rawThroughput() async throws -> Double {
        let (sender, receiver) = try await startRaw()
        receiver.tell(.receive(count: plan.rawMessages))
        guard
            case .sent(let start) = try await sender.ask(.send(count: plan.rawMessages), within: .seconds(120)),
            case .received(let last) = try await receiver.next(within: .seconds(120))
        else { throw unexpected("raw libzmq") }
        await end(sender)
        await end(receiver)
        return Double(plan.rawMessages) * 1e9 / Double(last - start)
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

    private func startRaw() async throws -> (Child<BenchOrder, BenchReply>, Child<BenchOrder, BenchReply>) {
        let (sender, endpoint) = try await start("raw sender", .rawSender)
        let (receiver, _) = try await start("raw receiver", .rawReceiver(endpoint: endpoint))
        return (sender, receiver)
    }
}
