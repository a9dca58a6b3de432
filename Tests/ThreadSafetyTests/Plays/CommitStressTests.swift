import Dispatch
import ModelCache
import TestSupport
import Testing

/// Commits of many threads to one cache, with snapshots and observers of every kind meanwhile.
@Suite(.timeLimit(.minutes(15)))
struct CommitStressTests {
    @Test func `snapshots are what the log of commits leads to, and observers are told just that`() async {
        await StressRun.play("commits") { seed in
            let play = CommitPlay(seed: seed, watcherMax: 40)
            await Crew.run(play.clients, count: StressRun.share(of: play.clients.count))
            return try await play.end()
        }
    }

    @Test func `an observer that blocks holds up nobody, and is told the rest when it goes on`() async {
        await StressRun.play("blocked observers") { seed in
            let play = CommitPlay(seed: seed, watcherMax: 12)
            // Something is there, so that each is told an initial state, in which it stays.
            await Crew.run(play.committers, count: 40)
            guard let key = SnapshotClient.models(of: play.shared.cache.snapshot()).keys.min() else {
                throw CaseFailure("nothing is there")
            }
            let interests: [Interest] = [
                .everything, .type(key.type), .model(type: key.type, id: key.id), .everything,
            ]
            play.audience.registerBlocked(interests)
            guard await eventually({ play.gate.arrived == interests.count }) else {
                throw CaseFailure("only \(play.gate.arrived) of \(interests.count) observers were told anything")
            }
            await Crew.run(play.clients, count: StressRun.share(of: play.clients.count))
            // All commits have been made, and those who block have not gone on.
            let stuck = play.audience.watchers.count { $0.habit == .blocks && $0.told.count == 1 }
            guard stuck == interests.count else { throw CaseFailure("only \(stuck) observers were blocked") }
            play.gate.open(for: interests.count)
            return try await play.end()
        }
    }
}
