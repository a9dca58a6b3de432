/// A scenario that needs one process. Each runs in a process of its own, so that none finds the memory as another has
/// left it.
public enum LocalScenario: Codable, Hashable, Sendable {
    case reads
    case memory(MemoryKind)
    case growth
    case observers
    case snapshot
    case limits
}

/// The process that measures such a scenario.
struct LocalPeer: Sendable {
    let sizes: ScenarioSizes
    let scenario: LocalScenario

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        link.tell(.ready(endpoint: ""))
        for await order in link.orders {
            guard case .measure = order else {
                throw BenchError("a measuring process does not know the order \(order)")
            }
            let (sizes, scenario) = (sizes, scenario)
            let part = try await Blocking.run(named: "bench") {
                try LocalPeer.measure(scenario, sizes) { link.tell(.progress($0)) }
            }
            link.tell(.part(part))
        }
    }

    private static func measure(
        _ scenario: LocalScenario, _ sizes: ScenarioSizes, _ tell: (String) -> Void
    ) throws -> BenchPart {
        switch scenario {
        case .reads: try ReadsScenario(sizes).measure(tell)
        case .memory(let kind): try MemoryScenario(models: sizes.memoryModels, kind: kind).measure()
        case .growth: try GrowthScenario(sizes).measure(tell)
        case .observers: try ObserversScenario(sizes).measure(tell)
        case .snapshot: try SnapshotScenario(sizes).measure(tell)
        case .limits: try LimitsScenario(sizes).measure(tell)
        }
    }
}

extension Measurement {
    func measureGrowth() async throws -> BenchPart { try await measure(.growth) }
    func measureObservers() async throws -> BenchPart { try await measure(.observers) }
    func measureSnapshot() async throws -> BenchPart { try await measure(.snapshot) }
    func measureLimits() async throws -> BenchPart { try await measure(.limits) }

    /// Measures reads of a cache in one process, then those of a subscriber.
    func measureReads() async throws -> BenchPart {
        var part = try await measure(.reads)
        part.figures += try await measureSubscriberReads().figures
        return part
    }

    /// Measures the memory of models in a cache, in dictionaries and in structs, each in a process of its own.
    func measureMemory() async throws -> BenchPart {
        var whole = BenchPart(.memory)
        for kind in MemoryKind.allCases {
            tell("\(Figures.grouped(plan.sizes.memoryModels)) models, \(kind.rawValue)")
            let part = try await measure(.memory(kind))
            whole.figures += part.figures
            whole.notes += part.notes
        }
        return whole
    }

    private func measure(_ scenario: LocalScenario) async throws -> BenchPart {
        let (process, _) = try await start("bench scenario", .local(plan.sizes, scenario))
        process.tell(.measure)
        while true {
            switch try await process.next(within: .seconds(300)) {
            case .progress(let text): tell(text)
            case .part(let part):
                await end(process)
                return part
            default: throw unexpected(process.name)
            }
        }
    }
}
