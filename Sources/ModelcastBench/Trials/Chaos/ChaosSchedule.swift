/// The faults of a trial, their processes and their times, all of which follow from a seed.
///
/// Faults come from a deck with one card for each pair of fault and role, shuffled and dealt from the top. A card for
/// which all processes are busy waits at the top for the first that is free. When all cards wait, another deck goes
/// below. So every role soon has every fault, in a different order each time. Several processes may have faults at
/// once; one process has one fault at a time.
public struct ChaosSchedule: Hashable, Sendable {
    /// A process that may have faults.
    public struct Target: Hashable, Sendable {
        /// The name of the process.
        public let name: String
        /// The role of the process.
        public let role: ChaosRole

        /// A process of this name and role.
        public init(name: String, role: ChaosRole) {
            self.name = name
            self.role = role
        }
    }

    /// One fault at one process.
    public struct Step: Hashable, Sendable {
        /// When the fault begins, in seconds from the start of the load.
        public let start: Double
        /// When the fault ends, in seconds from the start of the load.
        public let end: Double
        /// The fault.
        public let fault: ChaosFault
        /// The process that has it.
        public let target: Target
    }

    /// The steps in the order of their start.
    public let steps: [Step]

    /// The time without faults at the beginning, in seconds.
    static let quiet = 1.0
    /// The shortest and the longest time from one fault to the next, in seconds.
    static let pause = 0.2...1.2
    /// The time that a process has without faults after each fault, in seconds.
    static let recovery = 0.5

    /// - Parameters:
    ///   - faults: the faults that can be injected here.
    ///   - seconds: the time at which the last fault ends at the latest.
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
                    // All processes for which there is a card are busy: the time goes on to the first that is free.
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

    /// How many pairs of fault and role can be dealt.
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

    /// The beginnings and ends of all steps, in the order of their times.
    var moments: [(time: Double, isStart: Bool, step: Step)] {
        steps.flatMap { [($0.start, true, $0), ($0.end, false, $0)] }
            // At the same time an end comes before a start, because a process has one fault at a time.
            .sorted { ($0.0, $0.1 ? 1 : 0) < ($1.0, $1.1 ? 1 : 0) }
    }
}

extension SeededNumbers {
    /// A number of the range.
    fileprivate mutating func within(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double(below(1 << 20)) / Double(1 << 20)
    }
}
