@_spi(CacheWriting) import ModelCache
import ModelRecord
import ModelSync
import ModelWire

/// A scenario under way.
struct ScenarioPlay {
    let simulation: Simulation
    var generator: SeededGenerator
    /// Nothing breaks, so no hole may be found either.
    let isCalm: Bool
    /// The kinds of fault that happen. Each run has some of them, so that none hides the others.
    let crashes: Bool
    let cuts: Bool
    let clockJumps: Bool
    let clockJumpMillisecondsMax: Int64
    /// Deleted models are forgotten after some seconds, and nodes are away for longer. No relay is without word of its
    /// senders for so long. Each model has one writer.
    let isForgetful: Bool
    let features: Set<Scenario.Feature>
    var publishers: [SimulatedNode] = []
    var jobs: [SimulatedNode] = []
    /// Draws all that concerns a liar. It is a generator of its own, so that scenarios without a liar stay as they
    /// were.
    var liarGenerator: SeededGenerator
    var liar: SimulatedNode?
    var liarWrites = false
    /// Draws all that concerns many names, apart for the same reason.
    var namesGenerator: SeededGenerator
    let hasManyNames: Bool
    /// Draws when models end, apart for the same reason.
    var expiryGenerator: SeededGenerator
    var leaseGenerator: SeededGenerator
    /// Some models end by themselves.
    let endsModels: Bool
    /// Draws which clocks leap and when, apart for the same reason.
    var leapGenerator: SeededGenerator
    /// The kinds of node whose clocks leap, if any do. What a writer's clock has put far ahead must be refused by
    /// everybody (guarantees article, clocks), so no other clock leaps then.
    let leaping: Set<SimulatedNode.Kind>
    /// Models have ids whose texts are equal in pairs.
    let hasTwins: Bool
    /// Draws which processes are stopped and when, apart for the same reason.
    var stopGenerator: SeededGenerator
    let stops: Bool
    var floodGenerator: SeededGenerator
    /// Draws which origins a liar makes up, apart for the same reason.
    var madeUpGenerator: SeededGenerator
    /// Draws limits and fetches, apart for the same reason.
    var limitGenerator: SeededGenerator
    let hasLimits: Bool
    /// Draws which copies are lazy, apart for the same reason.
    var lazyGenerator: SeededGenerator
    let hasLazyCopies: Bool
    var idsGenerator: SeededGenerator
    let hasCopiesOfIDs: Bool
    /// The relays form a loop. Relays that wait for each other serve what they have before they have all, so that holes
    /// are found.
    var hasLoop = false

    init(_ scenario: Scenario) {
        var generator = SeededGenerator(seed: scenario.seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        isCalm = Int.random(in: 0..<8, using: &generator) == 0
        crashes = !isCalm && Bool.random(using: &generator)
        cuts = !isCalm && Int.random(in: 0..<3, using: &generator) == 0
        clockJumps = !isCalm && Int.random(in: 0..<3, using: &generator) == 0
        let isSteady = clockJumps ? false : !isCalm
        isForgetful =
            isSteady && Int.random(in: 0..<6, using: &generator) == 0 && scenario.features.contains(.forgetting)
        features = scenario.features
        let isBeyondLead = clockJumps && Int.random(in: 0..<4, using: &generator) == 0
        clockJumpMillisecondsMax = isBeyondLead ? 6_000 : 60_000
        var settings = SimulationSettings()
        settings.clockLeadMax = isBeyondLead ? .seconds(2) : .seconds(300)
        if isForgetful { settings.tombstoneRetention = .seconds(8) }
        settings.batchByteCount = [64, 256, 1024].pick(&generator)
        settings.chunkByteCount = [64, 256, 1024].pick(&generator)
        settings.snapshotCredit = Int.random(in: 1...4, using: &generator)
        settings.replayByteCount = [0, 500, 1 << 20].pick(&generator)
        settings.budget.pushesPerPeer = [2, 256].pick(&generator)
        settings.sabotage = scenario.sabotage
        settings.hasDigests = scenario.hasDigests
        namesGenerator = SeededGenerator(seed: scenario.seed &* 0xA24B_AED4_963E_E407 &+ 7)
        hasManyNames =
            features.isSuperset(of: [.names, .jobs]) && !isCalm && Int.random(in: 0..<4, using: &namesGenerator) == 0
        if hasManyNames {
            settings.names = SimulationSettings.NameBounds(
                told: [220, 300, 450].pick(&namesGenerator), kept: [4, 6, 100].pick(&namesGenerator),
                quiet: .seconds([1, 3].pick(&namesGenerator)))
        }
        expiryGenerator = SeededGenerator(seed: scenario.seed &* 0x8CB9_2BA7_2F3D_8DD7 &+ 7)
        endsModels = features.contains(.expiry) && Int.random(in: 0..<3, using: &expiryGenerator) == 0
        leaseGenerator = SeededGenerator(seed: scenario.seed &* 0xB492_B66F_BE98_F273 &+ 7)
        settings.hasLeases = features.contains(.leases) && Int.random(in: 0..<4, using: &leaseGenerator) == 0
        leapGenerator = SeededGenerator(seed: scenario.seed &* 0xE703_7ED1_A0B4_28DB &+ 7)
        let clocksLeap =
            isForgetful && features.contains(.leaps) && Int.random(in: 0..<3, using: &leapGenerator) > 0
        leaping =
            !clocksLeap ? [] : Bool.random(using: &leapGenerator) ? [.publisher, .job] : [.relay, .subscriber]
        var twinGenerator = SeededGenerator(seed: scenario.seed &* 0xB7E1_5162_8AED_2A6B &+ 7)
        hasTwins = features.contains(.twins) && Int.random(in: 0..<8, using: &twinGenerator) == 0
        stopGenerator = SeededGenerator(seed: scenario.seed &* 0x8AED_2A6B_B7E1_5163 &+ 7)
        stops = !isCalm && features.contains(.stops) && Int.random(in: 0..<4, using: &stopGenerator) == 0
        floodGenerator = SeededGenerator(seed: scenario.seed &* 0xF34B_27D4_8E01_1C2D &+ 7)
        madeUpGenerator = SeededGenerator(seed: scenario.seed &* 0xA076_1D64_78BD_642F &+ 7)
        limitGenerator = SeededGenerator(seed: scenario.seed &* 0xC6A4_A793_5BD1_E995 &+ 7)
        hasLimits = features.contains(.limits) && Int.random(in: 0..<4, using: &limitGenerator) == 0
        lazyGenerator = SeededGenerator(seed: scenario.seed &* 0x94D0_49BB_1331_11EB &+ 7)
        hasLazyCopies = features.contains(.lazy) && Int.random(in: 0..<4, using: &lazyGenerator) == 0
        idsGenerator = SeededGenerator(seed: scenario.seed &* 0xD6E8_FEB8_6659_FD93 &+ 7)
        hasCopiesOfIDs = features.contains(.ids)
        var conditions = isCalm ? NetworkConditions.good : .random(using: &generator)
        if !features.contains(.lastingDamage) { conditions.lastingDamagePerMille = 0 }
        if isForgetful { conditions.limitDelays() }
        conditions.diskFailurePerMille = isCalm ? 0 : [0, 0, 100].pick(&generator)
        if isCalm { conditions.delayMicroseconds = 50...([500, 10_000].pick(&generator)) }
        // Grants have a generator of their own, so that other seeds play as they did before there were any.
        var grantsGenerator = SeededGenerator(seed: scenario.seed &* 0xC2B2_AE3D_27D4_EB4F &+ 7)
        // A liar under grants bears the name of another in vain.
        settings.hasGrants =
            features.contains(.grants) && scenario.sabotage != .ownWord && Bool.random(using: &grantsGenerator)
        var signaturesGenerator = SeededGenerator(seed: scenario.seed &* 0x9FB2_1C65_1E98_DF25 &+ 7)
        // Other protections are taken away by changing frames, which signatures would tell.
        settings.hasSignatures =
            features.contains(.signatures) && [nil, .signatures].contains(scenario.sabotage)
            && Int.random(in: 0..<8, using: &signaturesGenerator) == 0
        simulation = Simulation(
            seed: scenario.seed, conditions: conditions, settings: settings, isTold: scenario.isTold)
        simulation.watched = scenario.watched
        self.generator = generator
        liarGenerator = SeededGenerator(seed: scenario.seed &* 0xD1B5_4A32_D192_ED03 &+ 5)
    }

    mutating func run() {
        do {
            try populate()
            try play()
            try simulation.settle()
            if isCalm, !hasLoop { checkCalm() }
            checkDifferences()
            simulation.endLessor()
        } catch let failure as SimulationFailure {
            simulation.fail(nil, failure.what)
        } catch {
            simulation.fail(nil, "\(error)")
        }
        for node in simulation.nodes { node.watch.stop() }
    }

    // MARK: Nodes

    private mutating func populate() throws {
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            let id = try simulation.addPublisher(
                "origin-\(index)", partitions: [.one, .one, .sixteen].pick(&generator), disk: disk(),
                tickMicroseconds: tick())
            publishers.append(simulation.nodes[id.index])
        }
        var senders = try relays(publishers.map(\.id))
        if features.contains(.jobs) { try addJobs() }
        try addLiar(&senders)
        let relays = simulation.nodes.filter { $0.kind == .relay }.map(\.index)
        for node in publishers where node.disk.mode == .none && Bool.random(using: &generator) {
            if features.contains(.recovery) { node.recoversFrom = relays }
        }
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            let prefixes = ["m/", "m/", "m/User/"].pick(&generator)
            let joinsAt = UInt64([0, 0, 50, 400].pick(&generator))
            let (disk, tick) = (disk(), tick())
            let limits = lazily(limits())
            // Observers are not told of evictions, so they know more than a copy with limits holds.
            let isObserved = Int.random(in: 0..<4, using: &generator) == 0 && limits == nil
            simulation.plan(after: joinsAt) { simulation in
                if joinsAt > 0 { simulation.faults[.lateJoin] += 1 }
                _ = simulation.addSubscriber(
                    "replica-\(index)", listeningTo: senders, prefixes: [Array(prefixes.utf8)], disk: disk,
                    isObserved: isObserved, limits: limits, tickMicroseconds: tick)
            }
        }
        guard clockJumps else { return }
        for node in simulation.nodes { jump(node) }
    }

    /// Adds a liar to some scenarios in which something may break. Relays and subscribers listen to it beside others.
    /// - Parameter senders: the nodes that subscribers listen to.
    private mutating func addLiar(_ senders: inout [NodeID]) throws {
        // With many names a relay tells of them in few bytes, which a liar alone would fill.
        guard features.contains(.liars), !isCalm, !hasManyNames, Int.random(in: 0..<4, using: &liarGenerator) == 0
        else { return }
        let relays = simulation.nodes.filter { $0.kind == .relay }.map(\.id)
        let id = try simulation.addPublisher("liar", partitions: .one, disk: .none)
        simulation.nodes[id.index].liar = Liar(isForgetful: isForgetful, using: &liarGenerator)
        liar = simulation.nodes[id.index]
        let settings = simulation.settings
        simulation.nodes[id.index].liar?.forgesBatches = settings.hasGrants || settings.hasSignatures
        // Records have no signatures: only grants tell who may bring them.
        simulation.nodes[id.index].liar?.forgesRecords = settings.hasGrants && !settings.hasSignatures
        if features.contains(.floods), Int.random(in: 0..<6, using: &floodGenerator) == 0 {
            simulation.nodes[id.index].liar?.flood = Liar.Flood(using: &floodGenerator)
        }
        if features.contains(.madeUpOrigins), Int.random(in: 0..<4, using: &madeUpGenerator) == 0 {
            simulation.nodes[id.index].liar?.madeUp = Liar.MadeUpOrigins(
                incarnation: Simulation.wallStartMilliseconds << 16, using: &madeUpGenerator)
        }
        // A liar that some relays do not hear writes nothing, as all copies must be equal.
        let heard = relays.filter { _ in Int.random(in: 0..<4, using: &liarGenerator) > 0 }
        for relay in heard { simulation.listen(relay, to: id) }
        liarWrites = heard.count == relays.count
        if heard.isEmpty || Bool.random(using: &liarGenerator) { senders.append(id) }
    }

    /// Makes the relays, if there are any.
    /// - Returns: the nodes that subscribers listen to.
    private mutating func relays(_ origins: [NodeID]) throws -> [NodeID] {
        switch Topology.allCases.pick(&generator) {
        case .direct: return origins
        case .one: return [try relay(0, origins)]
        case .sideBySide: return [try relay(0, origins), try relay(1, origins)]
        case .chain: return [try relay(1, [try relay(0, origins)])]
        case .loop:
            hasLoop = true
            let first = try relay(0, origins)
            let second = try relay(1, [first])
            simulation.listen(first, to: second)
            return [first, second]
        case .relayAndDirect: return [try relay(0, origins)] + origins
        }
    }

    /// Adds jobs that push to relays, in some of the scenarios that have relays.
    private mutating func addJobs() throws {
        let relays = simulation.nodes.filter { $0.kind == .relay }.map(\.id)
        guard !relays.isEmpty, Bool.random(using: &generator) || hasManyNames else { return }
        let more = hasManyNames ? Int.random(in: 3...6, using: &namesGenerator) : 0
        for index in 0..<Int.random(in: 1...2, using: &generator) + more {
            let targets = Bool.random(using: &generator) ? relays : [relays.pick(&generator)]
            let configuration = PusherConfiguration(
                acknowledgement: PusherConfiguration.Acknowledgement.allCases.pick(&generator),
                windowCount: Int.random(in: 1...8, using: &generator),
                requestTimeout: simulation.settings.requestTimeout, pause: .milliseconds(20),
                pauseMax: .milliseconds(500), byteCountMax: [600, 1 << 20].pick(&generator))
            let id = try simulation.addJob("job-\(index)", pushingTo: targets, configuration, tickMicroseconds: tick())
            jobs.append(simulation.nodes[id.index])
        }
    }

    /// Which nodes listen to which.
    private enum Topology: CaseIterable {
        case direct, one, sideBySide, chain, loop, relayAndDirect
    }

    private mutating func relay(_ index: Int, _ senders: [NodeID]) throws -> NodeID {
        try simulation.addRelay("relay-\(index)", listeningTo: senders, disk: disk(), tickMicroseconds: tick())
    }

    /// The limits of a subscriber's copy; nil for none.
    private mutating func limits() -> CacheLimits? {
        guard hasLimits, Int.random(in: 0..<3, using: &limitGenerator) > 0 else { return nil }
        var limits = ModelLimits(count: Int.random(in: 1...6, using: &limitGenerator))
        if Int.random(in: 0..<3, using: &limitGenerator) == 0 { limits.idle = .milliseconds(300) }
        if Int.random(in: 0..<3, using: &limitGenerator) == 0 { limits.bytes = 1_000 }
        return switch Int.random(in: 0..<3, using: &limitGenerator) {
        case 0: CacheLimits(types: ["User": limits])
        case 1: CacheLimits(types: ["User": limits, "Order": ModelLimits(count: 2)])
        default: CacheLimits(all: limits)
        }
    }

    /// The limits of a copy that may be lazy.
    private mutating func lazily(_ limits: CacheLimits?) -> CacheLimits? {
        guard hasLazyCopies, Bool.random(using: &lazyGenerator) else { return limits }
        var limits = limits ?? CacheLimits()
        limits.prefetch = hasCopiesOfIDs && Bool.random(using: &idsGenerator) ? .ids : .none
        return limits
    }

    /// Now and then somebody asks for models that have left a copy.
    mutating func fetch() {
        guard hasLimits || hasLazyCopies, Int.random(in: 0..<3, using: &limitGenerator) == 0 else { return }
        for node in simulation.nodes where node.limits != nil {
            simulation.fetch(node, count: Int.random(in: 0...3, using: &limitGenerator))
        }
    }

    private mutating func disk() -> SimulatedDisk.Mode {
        [SimulatedDisk.Mode.none, .writeBehind, .beforeSend].pick(&generator)
    }

    private mutating func tick() -> UInt64 { [5_000, 10_000, 25_000].pick(&generator) }
}
