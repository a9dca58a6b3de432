/// The processes, load and faults of a chaos trial.
public struct ChaosConfiguration: Hashable, Sendable {
    /// The seed that decides the schedule of faults and the writes.
    public var seed: UInt64
    /// How long there are load and faults.
    public var seconds = 30.0
    /// How many publishers there are.
    public var publishers = 2
    /// How many relays there are. Subscribers connect to all relays; without relays, to the publishers.
    public var relays = 2
    /// How many subscribers there are.
    public var subscribers = 3
    /// How many pushers there are. Each runs short-lived jobs that push to all relays.
    public var pushers = 1
    /// Writes a second of each publisher.
    public var rate = 3_000.0
    /// How many models all publishers share, and how many each has for itself.
    public var models = 2_000
    /// Each process gets a network namespace of its own, where that is possible.
    public var usesNamespaces = true
    /// How long all copies may take to become equal once the faults have ended.
    public var restSeconds = 60.0

    /// The folder for the processes' stderr; nil for a temporary one, which stays only when something was wrong.
    public var logs: String?

    /// A configuration with the defaults above.
    public init(seed: UInt64) { self.seed = seed }

    /// The processes, in the order of their start.
    var targets: [ChaosSchedule.Target] {
        func named(_ role: ChaosRole, _ count: Int) -> [ChaosSchedule.Target] {
            (0..<count).map {
                ChaosSchedule.Target(name: "\(role.rawValue)-\($0 + 1)", role: role)
            }
        }
        return named(.publisher, publishers) + named(.relay, relays) + named(.subscriber, subscribers)
            + named(.pusher, relays > 0 ? pushers : 0)
    }

    /// True for a process with a store. Relays have one, because jobs push to them what no other process has. Every
    /// second publisher and subscriber has one, so that faults strike processes with and without a store.
    func hasStore(_ node: ChaosNode) -> Bool {
        switch node.role {
        case .relay: true
        case .publisher, .subscriber: node.index % 2 == 1
        case .pusher: false
        }
    }

    /// The command line that repeats the trial, with the same faults at the same times. The processes may still run
    /// differently.
    public var commandLine: String {
        "modelcast chaos --seed \(seed) --seconds \(Figures.plain(seconds)) --publishers \(publishers) "
            + "--relays \(relays) --subscribers \(subscribers) --pushers \(pushers) "
            + "--rate \(Figures.plain(rate)) --models \(models)"
            + (restSeconds == 60 ? "" : " --rest \(Figures.plain(restSeconds))")
            + (usesNamespaces ? "" : " --no-namespaces")
    }
}

extension Figures {
    /// A number as a person types it: without a point where it is whole.
    static func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    }
}
