import ModelRecord
import ModelWire

/// A sender that was cut off from an origin for longer than deleted models are remembered holds what has been deleted
/// and forgotten since: its copy would bring that back.
extension Replica {
    /// The origins of which this replica knows more recent things than the sender, whose copy is older than that.
    ///
    /// What is only pushed grows old everywhere, and each relay may hold its own part of it: it is taken from all.
    func outdatedOrigins(of sender: SenderID, now: Moment) -> Set<String> {
        let retention = configuration.tombstoneRetention.wholeMicroseconds / 1000
        // Who has heard the same heartbeats need not have heard the last one.
        let slack = min(retention / 8, Replica.outdatedSlackMilliseconds)
        var outdated: Set<String> = []
        for (origin, told) in sessions[sender.index].ages where !pushedOrigins.contains(origin) {
            let age = Replica.age(told, now)
            guard age > retention else { continue }
            let least = sessions.lazy.filter { $0.id != sender }.compactMap { $0.ages[origin] }
                .map { Replica.age($0, now) }.min()
            if let least, least + slack < age { outdated.insert(origin) }
        }
        return outdated
    }

    private static func age(_ told: (milliseconds: UInt64, at: UInt64), _ now: Moment) -> UInt64 {
        told.milliseconds + now.uptimeMicroseconds.subtractingOrZero(told.at) / 1000
    }

    private static let outdatedSlackMilliseconds: UInt64 = 60_000

    /// What others have written of these records; all of them where nothing is outdated.
    func withoutOutdated(_ records: [Record], of sender: SenderID, now: Moment) -> [Record] {
        let outdated = outdatedOrigins(of: sender, now: now)
        guard !outdated.isEmpty else { return records }
        return records.flatMap { record -> [Record] in
            let origins = record.origins
            guard !origins.isDisjoint(with: outdated) else { return [record] }
            return origins.subtracting(outdated).sorted().compactMap { record.part(of: $0) }
        }
    }
}
