import Foundation
import Modelcast

/// A process with many publishers, each of which keeps its part of the models alive, or has written them for good.
struct LeaseHolders: Sendable {
    private let publishers: [Publisher]
    private let modelCount: Int
    private let isLeased: Bool
    /// How long a publisher may be silent before its models end.
    static let lease = Duration.seconds(10)

    init(_ sizes: ScenarioSizes, isLeased: Bool) throws {
        publishers = try (0..<sizes.leasePublishers).map { number in
            let configuration = PublisherConfiguration(
                name: "bench-\(number)", endpoints: try SenderEndpoints(control: "tcp://127.0.0.1:*"))
            return try Publisher(configuration, logger: Worker.logger("bench-\(number)"))
        }
        modelCount = sizes.leaseModels
        self.isLeased = isLeased
    }

    func run() async throws {
        let link = ParentLink<BenchOrder, BenchReply>()
        let publishers = publishers
        try await Worker.untilFirstEnds([
            {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for publisher in publishers { group.addTask { try await publisher.run() } }
                    try await group.waitForAll()
                }
            },
            {
                var endpoints: [String] = []
                for publisher in publishers { endpoints.append(try await publisher.boundEndpoints.control) }
                link.tell(.ready(endpoint: endpoints.joined(separator: " ")))
                for await order in link.orders {
                    link.tell(try await Blocking.run(named: "bench-load") { try carryOut(order) })
                }
            },
        ])
    }

    private func carryOut(_ order: BenchOrder) throws -> BenchReply {
        switch order {
        case .populate:
            let start = MonotonicClock.nanoseconds
            for number in 0..<modelCount {
                let publisher = publishers[number % publishers.count]
                let fields: Fields = ["host": .text("10.0.0.\(number % 256)"), "port": .int(Int64(number))]
                _ = try publisher.insisting {
                    try publisher.merge(
                        Workload.type, "\(number)", fields, expires: isLeased ? .leased(LeaseHolders.lease) : .unchanged
                    )
                }
            }
            return .populated(seconds: Double(MonotonicClock.nanoseconds - start) / 1e9)
        case .processor: return .processor(seconds: ProcessFigures.processorSeconds)
        default: throw BenchError("publishers of leased models do not know the order \(order)")
        }
    }
}
