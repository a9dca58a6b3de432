import Dispatch
import ModelCache
import ModelTypes
import ModelViews
import TestSupport

/// Follows models as Swift types, in every way, while they change: live models, bindings, conditions.
final class ViewClient: StressClient {
    /// An object that knows nothing of models.
    final class Card: Sendable {
        private let value = Guarded<Int64?>(nil)
        var title: Int64? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// Who meets a condition, by what was told.
    private final class Members: Sendable {
        private struct Inside {
            var ids: Set<Int> = []
            var faults: [String] = []
        }

        private let inside = Guarded(Inside())

        var ids: Set<Int> { inside.withLock { $0.ids } }
        var faults: [String] { inside.withLock { $0.faults } }

        func hear(_ changes: [ModelChange<StressItem>]) {
            inside.withLock { inside in
                for change in changes {
                    let isIn = inside.ids.contains(change.id)
                    if isIn != (change.step != .entered) {
                        inside.faults.append("\(change.step) of \(change.id), which \(isIn ? "was" : "was not") told")
                    }
                    if change.step == .left { inside.ids.remove(change.id) } else { inside.ids.insert(change.id) }
                }
            }
        }
    }

    private let cache: ModelCache
    private let queue = DispatchQueue(label: "views")
    private let live: Guarded<[LiveModel<StressItem>]>
    private let cards: [Card]
    private let bindings = ObservationBag()
    private let members = Members()
    private let condition: @Sendable (StressItem) -> Bool = { ($0.a ?? 0) % 2 == 1 }
    private let random: Guarded<OperationGenerator>
    private static let ids = 0..<OperationGenerator.idCount

    init(_ number: Int, seed: UInt64, _ cache: ModelCache) {
        self.cache = cache
        random = Guarded(OperationGenerator(seed: seed, client: number))
        let queue = queue
        live = Guarded(ViewClient.ids.map { LiveModel(StressItem.self, $0, in: cache, on: queue) })
        cards = ViewClient.ids.map { _ in Card() }
        for (id, card) in zip(ViewClient.ids, cards) { bind(id, card) }
        bindings.add(
            cache.models(StressItem.self).where(condition).observe(on: queue) { [members] in members.hear($0) })
    }

    private func bind(_ id: Int, _ card: Card) {
        bindings.add(cache.bind(StressItem.self, id, to: card, on: queue) { $0.map(\.a, to: \.title) })
    }

    func step() {
        let (choice, id) = random.withLock { ($0.below(8), $0.below(OperationGenerator.idCount)) }
        switch choice {
        case 0:
            // The old one is released, perhaps while it is told.
            let fresh = LiveModel(StressItem.self, id, in: cache, on: queue)
            live.withLock { $0[id] = fresh }
        case 1:
            // A binding of a short life, to an object that is gone before it.
            let card = Card()
            let binding = cache.bind(StressItem.self, id, to: card, on: queue) { $0.map(\.b, to: \.title) }
            _ = card.title
            binding.cancel()
        case 2: _ = cache.snapshot().all(lastGood: StressItem.self).reduce(0) { $0 + ($1.a == nil ? 0 : 1) }
        case 3: _ = cards[id].title
        default:
            let model = live.withLock { $0[id] }
            _ = model.a
            _ = model.b
            _ = model.modelState
        }
    }

    /// At rest all of them show what the cache holds.
    func end() async throws {
        let models = live.withLock { $0 }
        for id in ViewClient.ids {
            let now = cache[lastGood: StressItem.self, id]
            guard await eventually({ models[id].model == now }) else {
                let found = String(describing: models[id].model)
                throw CaseFailure("the live model \(id) is \(found), not \(String(describing: now))")
            }
            // A card keeps what it had when its model went.
            guard await eventually({ now == nil || cards[id].title == now?.a }) else {
                let found = String(describing: cards[id].title)
                throw CaseFailure("the object bound to \(id) has \(found), not that of \(String(describing: now))")
            }
        }
        let wanted = Set(ViewClient.ids.filter { cache[lastGood: StressItem.self, $0].map(condition) ?? false })
        guard await eventually({ members.ids == wanted }) else {
            throw CaseFailure("\(members.ids) meet the condition by what was told, and \(wanted) do")
        }
        if let fault = members.faults.first { throw CaseFailure(fault) }
        bindings.removeAll()
    }
}
