/// Which fault strikes whom and when: all of it follows from a seed.
///
/// Faults come from a deck with one card for each pair of fault and role, shuffled and dealt from the top. A card for
/// which all processes are busy waits at the top for the first that is free, and when all cards wait another deck goes
/// below: so every kind of process soon has every fault, in a different order each time. Several processes may be
/// struck at once, one process by one fault at a time.
public struct ChaosSchedule: Hashable, Sendable {
    /// A process that can be struck.
    public struct Target: Hashable, Sendable {
        public let name: String
        public let role: ChaosRole

        public init(name: String, role: ChaosRole) {
            self.name = name
            self.role = role
        }
    }

    /// One fault.
    public struct Step: Hashable, Sendable {
        /// Seconds from the start of the load.
        public let start: Double
        public let end: Double
        public let fault: ChaosFault
        public let target: Target
    }

    /// In the order of their start.
    public let steps: [Step]

    /// Before the first fault everybody has a moment to start.
    static let quiet = 1.0
    /// The shortest and the longest time from one fault to the next.
    static let pause = 0.2...1.2
    /// What a process has to itself after a fault before the next.
    static let recovery = 0.5

    /// - Parameters:
    ///   - faults: those that can be injected here.
    ///   - seconds: when the last fault ends, at the latest.
    public init(seed: UInt64, targets: [Target], faults: [ChaosFault], seconds: Double) {
        var numbers = SeededNumbers(seed: seed)
        var busyUntil: [String: Double] = [:]
        var deck: [Card] = []
        var steps: [Step] = []
        var time = ChaosSchedule.quiet
        let fullDeck = ChaosSchedule.deck(targets, faults)
        while time < seconds, !fullDeck.isEmpty {
            let playable = deck.indices.reversed().first { index in
                targets.contains { deck[index].suits($0) && busyUntil[$0.name, default: 0] <= time }
            }
            guard let playable else {
                if deck.count <= fullDeck.count {
                    deck.insert(contentsOf: fullDeck.shuffled(using: &numbers), at: 0)
                } else {
                    // Everybody who could be struck is.
                    time = busyUntil.values.filter { $0 > time }.min() ?? seconds
                }
                continue
            }
            let card = deck.remove(at: playable)
            let free = targets.filter { card.suits($0) && busyUntil[$0.name, default: 0] <= time }
            let target = free[numbers.below(free.count)]
            let end = min(time + numbers.within(card.fault.duration), seconds)
            steps.append(Step(start: time, end: end, fault: card.fault, target: target))
            busyUntil[target.name] = end + ChaosSchedule.recovery
            time += numbers.within(ChaosSchedule.pause)
        }
        self.steps = steps
    }

    /// The pairs of fault and role that can be dealt.
    static func pairCount(_ targets: [Target], _ faults: [ChaosFault]) -> Int { deck(targets, faults).count }

    private struct Card {
        let fault: ChaosFault
        let role: ChaosRole

        func suits(_ target: Target) -> Bool { target.role == role }
    }

    private static func deck(_ targets: [Target], _ faults: [ChaosFault]) -> [Card] {
        ChaosRole.allCases.flatMap { role in faults.map { Card(fault: $0, role: role) } }
            .filter { card in targets.contains(where: card.suits) }
    }

    /// What is to be done, in order: at which time, and whether the fault begins or ends then.
    var moments: [(time: Double, isStart: Bool, step: Step)] {
        steps.flatMap { [($0.start, true, $0), ($0.end, false, $0)] }
            // An end before a start of the same time: a process has one fault at a time.
            .sorted { ($0.0, $0.1 ? 1 : 0) < ($1.0, $1.1 ? 1 : 0) }
    }
}

extension SeededNumbers {
    /// A number of the range.
    fileprivate mutating func within(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double(below(1 << 20)) / Double(1 << 20)
    }
}
