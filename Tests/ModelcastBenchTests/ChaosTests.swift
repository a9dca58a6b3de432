import Foundation
import Logging
import Modelcast
import TestSupport
import Testing

@testable import ModelcastBench

@Suite struct ChaosScheduleTests {
    private static let targets =
        (1...2).map { ChaosSchedule.Target(name: "publisher-\($0)", role: .publisher) }
        + (1...2).map { ChaosSchedule.Target(name: "relay-\($0)", role: .relay) }
        + (1...3).map { ChaosSchedule.Target(name: "subscriber-\($0)", role: .subscriber) }

    private func schedule(
        seed: UInt64, faults: [ChaosFault] = ChaosFault.allCases, seconds: Double = 60
    ) -> ChaosSchedule {
        ChaosSchedule(seed: seed, targets: ChaosScheduleTests.targets, faults: faults, seconds: seconds)
    }

    @Test func `the same seed makes the same schedule, another seed another`() {
        forEachSeed(200) { seed, _ in
            #expect(schedule(seed: seed) == schedule(seed: seed))
            #expect(schedule(seed: seed) != schedule(seed: seed &+ 1))
        }
    }

    @Test func `a longer trial begins like a shorter one`() {
        forEachSeed(50) { seed, _ in
            let (short, long) = (schedule(seed: seed, seconds: 20).steps, schedule(seed: seed, seconds: 60).steps)
            // Only what the end has cut short may differ.
            for (one, other) in zip(short, long) {
                #expect(one.start == other.start && one.fault == other.fault && one.target == other.target)
            }
        }
    }

    @Test func `in the short trial of Scripts test every kind of process has every fault`() {
        let targets = ChaosConfiguration(seed: 0).targets
        let pairCount = ChaosSchedule.pairCount(targets, ChaosFault.allCases)
        #expect(pairCount == 24)
        forEachSeed(1_000) { seed, _ in
            let steps = ChaosSchedule(seed: seed, targets: targets, faults: ChaosFault.allCases, seconds: 40).steps
            let struck = Set(steps.map { "\($0.fault) \($0.target.role)" })
            #expect(struck.count == pairCount, "seed \(seed): \(struck.sorted())")
            #expect(steps.count >= 40, "seed \(seed): \(steps.count) steps")
        }
    }

    @Test func `a process has one fault at a time and a moment after it, and all end in time`() {
        forEachSeed(200) { seed, _ in
            var freeAt: [String: Double] = [:]
            var last = 0.0
            for step in schedule(seed: seed).steps {
                #expect(step.start >= last && step.start < step.end && step.end <= 60)
                #expect(step.start >= freeAt[step.target.name, default: 0], "seed \(seed): \(step)")
                freeAt[step.target.name] = step.end + ChaosSchedule.recovery
                last = step.start
            }
        }
    }

    @Test func `relays keep stores, and of publishers and subscribers some do and some do not`() {
        let configuration = ChaosConfiguration(seed: 0)
        func stores(_ role: ChaosRole) -> Set<Bool> {
            Set((0..<2).map { configuration.hasStore(ChaosNode(name: "n", role: role, index: $0, endpoint: "")) })
        }
        #expect(stores(.relay) == [true])
        #expect(stores(.publisher) == [true, false])
        #expect(stores(.subscriber) == [true, false])
        #expect(stores(.pusher) == [false])
    }

    @Test func `several processes are struck at once`() {
        let steps = schedule(seed: 1).steps
        #expect(zip(steps, steps.dropFirst()).contains { $1.start < $0.end })
    }

    @Test func `only faults that can be injected are scheduled`() {
        let faults: [ChaosFault] = [.kill, .restart]
        #expect(Set(schedule(seed: 3, faults: faults).steps.map(\.fault)) == Set(faults))
        #expect(schedule(seed: 3, faults: []).steps == [])
    }

    @Test func `every fault begins once and ends once, in the order of time`() {
        let schedule = schedule(seed: 7)
        let moments = schedule.moments
        #expect(moments.count == 2 * schedule.steps.count)
        #expect(moments.map(\.time) == moments.map(\.time).sorted())
        var open: [String: ChaosFault] = [:]
        for moment in moments {
            let name = moment.step.target.name
            if moment.isStart {
                #expect(open.updateValue(moment.step.fault, forKey: name) == nil)
            } else {
                #expect(open.removeValue(forKey: name) == moment.step.fault)
            }
        }
        #expect(open.isEmpty)
    }
}

@Suite struct ChaosReportTests {
    @Test func `faults are counted by kind and by role`() {
        var tally = ChaosTally()
        tally.add(.kill, to: .publisher)
        tally.add(.kill, to: .subscriber)
        tally.add(.kill, to: .subscriber)
        tally.add(.stop, to: .relay)
        #expect(tally.count(.kill) == 3)
        #expect(tally.count(.kill, of: .subscriber) == 2)
        #expect(tally.total == 4)
        let lines = tally.table(roles: ChaosRole.allCases, available: [.kill, .stop, .restart]).lines
        #expect(
            lines == [
                "fault      publishers  relays  subscribers  pushers      all",
                "kill                1       0            2        0        3",
                "stop                0       1            0        0        1",
                "restart             0       0            0        0        0",
                "loss                -       -            -        -  skipped",
                "delay               -       -            -        -  skipped",
                "partition           -       -            -        -  skipped",
                "all                 1       1            2        0        4",
            ])
    }

    @Test func `the oldest that a copy became is the longest time between two beats`() {
        let gaps = BeatGaps()
        #expect(gaps.longestMilliseconds == 0)
        gaps.note("a", sentAt: 1_000_000_000, now: 1_001_000_000)
        // Of the other publisher nothing was seen before.
        gaps.note("b", sentAt: 9_000_000_000, now: 9_001_000_000)
        #expect(gaps.longestMilliseconds == 0)
        gaps.note("a", sentAt: 3_000_000_000, now: 3_500_000_000)
        #expect(gaps.longestMilliseconds == 2_500)
        gaps.note("a", sentAt: 3_100_000_000, now: 3_501_000_000)
        #expect(gaps.longestMilliseconds == 2_500)
    }

    @Test func `fields that differ are told with a sign for the side`() throws {
        let folder = try TemporaryDirectory()
        let paths = ["expected", "held"].map { folder.path($0) }
        try Data("A\t1\tx\tv1\nA\t2\tx\tv1\nA\t3\tx\tv1\n".utf8).write(to: URL(fileURLWithPath: paths[0]))
        try Data("A\t1\tx\tv1\nA\t2\tx\tv0\n".utf8).write(to: URL(fileURLWithPath: paths[1]))
        let all = try ChaosVerdict.differences(paths[0], paths[1], limit: 10)
        #expect(all == ["+ A\t2\tx\tv0", "- A\t2\tx\tv1", "- A\t3\tx\tv1"])
        let some = try ChaosVerdict.differences(paths[0], paths[1], limit: 1)
        #expect(some == ["+ A\t2\tx\tv0", "… 3 lines differ in all"])
    }

    @Test func `a command line repeats the trial`() {
        var configuration = ChaosConfiguration(seed: 42)
        configuration.seconds = 12.5
        configuration.usesNamespaces = false
        #expect(
            configuration.commandLine
                == "modelcast chaos --seed 42 --seconds 12.5 --publishers 2 --relays 2 --subscribers 3 --pushers 1 "
                + "--rate 3000 --models 2000 --no-namespaces")
    }
}

@Suite struct ChaosJobTests {
    @Test func `jobs have models of their own, a line for each`() {
        let (one, other) = (ChaosJob(pusher: 0, number: 1), ChaosJob(pusher: 0, number: 2))
        #expect(Set(one.ids).isDisjoint(with: other.ids))
        #expect(one.input.split(separator: "\n").count == ChaosJob.modelCount)
        #expect(one.input.hasPrefix(#"{"id":"push-0-1-0","job":1,"pusher":0}"#))
        #expect(
            one.arguments(name: "p", file: "f", relays: ["tcp://a:1", "tcp://b:1"])
                == [
                    "publish", "--name", "p", "--type", "Pushed", "--id-field", "id", "--acknowledged-by", "every",
                    "--push", "tcp://a:1", "--push", "tcp://b:1", "f",
                ])
    }
}

@Suite(.timeLimit(.minutes(15))) struct ChaosLoadTests {
    @Test func `a publisher that starts again first replaces everything that it may ever write`() async throws {
        let plan = ChaosPlan(
            writes: StressPlan(index: 1, models: 30, rate: 1_000_000), generation: 3, isDurable: false)
        let publisher = try Publisher(
            PublisherConfiguration(name: "p", endpoints: SenderEndpoints(control: "tcp://127.0.0.1:*")),
            logger: .init(label: "p") { _ in SwiftLogNoOpLogHandler() })
        let gauge = LoadGauge()
        // Told to stop before it has begun: the part that makes the end defined is done all the same.
        gauge.stop()
        try ChaosLoad(plan: plan).run(publisher, gauge: gauge)
        for (type, ids) in plan.writes.ids {
            #expect(publisher.cache.count(of: type) == ids.count)
            for id in ids { #expect(publisher.cache[type, id]?["generation_1"] == .int(3)) }
        }
        #expect(gauge.published == 61)
    }
}
