import Foundation
import Modelcast
import ModelcastMacros

// example: session-cache-model
@Model struct Session {
    @ID let id: Int
    var user: String
    var visits: Int = 0
}
// end example

/// A process that keeps the sessions that are in use, in front of many more.
enum SessionCache: Story {
    static let name = "session-cache"

    /// A million is a matter of seconds in a release build; the examples are built for debugging.
    private static let sessionCount =
        ProcessInfo.processInfo.environment["SESSIONS"].flatMap(Int.init) ?? 20_000

    static func write(_ publisher: Publisher, _ reader: OtherProcess) async throws {
        try await reader.says("ready")
        for start in stride(from: 0, to: sessionCount, by: 1_000) {
            try await publisher.waitForRoom()
            try publisher.batch { writes in
                for id in start..<min(start + 1_000, sessionCount) {
                    try writes.merge(Session(id: id, user: "user \(id)"))
                }
            }
        }
        try publisher.merge("Progress", "sessions", ["isLoaded": true])
        try await reader.says("200 at most are here, and others have left: true", "session 7 is evicted")
        try await reader.says("session 7 belongs to user 7, visits: 0", "session 7 is here")
        try publisher.update(Session.self, 7) { $0.visits += 1 }
        try await reader.says("session 7 belongs to user 7, visits: 1")
        try await reader.says("nobody has used session 7 for long: it is evicted")
        try publisher.update(Session.self, 7) { $0.visits += 1 }
        try publisher.delete(Session.self, 8)
        try publisher.merge("Progress", "sessions", ["isChanged": true])
        try await reader.says("session 7 belongs to user 7, visits: 2", "session 8 does not exist")
    }

    // example: session-cache-limits
    static func prepare(_ configuration: inout SubscriberConfiguration) {
        configuration.modelLimits.types["Session"] = ModelLimits(count: 200, idle: .seconds(2))
    }
    // end example

    // example: session-cache-read
    static func read(_ subscriber: Subscriber, _ say: @escaping @Sendable (String) -> Void) async throws {
        /// A look-up where the session is here, and a round trip where it has left.
        func tell(_ id: Int) async throws {
            guard let session = try await subscriber.fetch(Session.self, id) else {
                return say("session \(id) does not exist")
            }
            say("session \(id) belongs to \(session.user), visits: \(session.visits)")
        }
        say("ready")
        await subscriber.first { $0["Progress", "sessions"]?["isLoaded"] == true }
        let (here, gone) = (subscriber.cache.count(of: "Session"), subscriber.cache.evictedCount(of: "Session"))
        say("200 at most are here, and others have left: \(here <= 200 && gone >= sessionCount - 200)")
        say("session 7 is \(subscriber.presence(of: Session.self, 7))")

        try await tell(7)
        say("session 7 is \(subscriber.presence(of: Session.self, 7))")
        await subscriber.first { $0[lastGood: Session.self, 7]?.visits == 1 }
        try await tell(7)

        // `presence` is no use of a model, so this one leaves when it has been idle for two to three seconds.
        while subscriber.presence(of: Session.self, 7) == .here { try await Task.sleep(for: .milliseconds(100)) }
        say("nobody has used session 7 for long: it is \(subscriber.presence(of: Session.self, 7))")
        await subscriber.first { $0["Progress", "sessions"]?["isChanged"] == true }
        try await tell(7)
        try await tell(8)
    }
    // end example
}

extension Subscriber {
    /// Waits until the copy is so.
    fileprivate func first(_ isSo: (Snapshot) -> Bool) async {
        let changes = changes(.everything)
        if isSo(snapshot()) { return }
        for await _ in changes where isSo(snapshot()) { return }
    }
}
