/// Looks for a place among the writes for each of many reads.
///
/// The writes stand in a known order, so a history is linearizable if and only if every read can be given a position
/// such that
/// - it sees there what it saw,
/// - all writes that had ended when it began are before it, and none that began after its end,
/// - a read that had ended when another began has no later position than that.
///
/// Reads in the order of their beginnings are given the first position that will do. A smaller one never spoils a
/// later read, so where this finds none there is none.
///
/// With several lanes a read has a position in each, as a replica takes the writes of each type in their order, but a
/// write that concerns several types is before it in all or in none.
struct Placement {
    private let lanes: [SharedInbox]
    private let links: [[(lane: Int, position: Int)]]
    /// Reads of a replica need not see what has been written.
    private let isLagging: Bool

    private struct Placed {
        let read: ReadEvent
        let positions: [Int]
    }

    init(_ timelines: [Timeline], isLagging: Bool) {
        lanes = timelines.map(SharedInbox.init)
        self.isLagging = isLagging
        var places: [UInt64: [(lane: Int, position: Int)]] = [:]
        for (lane, timeline) in timelines.enumerated() where timelines.count > 1 {
            for (index, write) in timeline.writes.enumerated() where write.steps.count > 1 {
                places[write.stamp ?? 0, default: []].append((lane, index + 1))
            }
        }
        links = places.values.filter { $0.count > 1 }
    }

    /// - Parameter lane: where a model belongs.
    /// - Throws: ``Violation`` for the first read that has no place.
    func check(_ reads: [ReadEvent], lane: (ModelKey) -> Int) throws {
        var open: [Placed] = []
        var floors = [Int](repeating: 0, count: lanes.count)
        /// The read that a floor comes from; nil for writes.
        var causes = [ReadEvent?](repeating: nil, count: lanes.count)
        for read in reads.sorted(by: { $0.interval.invoked < $1.interval.invoked }) {
            for placed in open where placed.read.interval.responded < read.interval.invoked {
                for index in floors.indices where placed.positions[index] > floors[index] {
                    (floors[index], causes[index]) = (placed.positions[index], placed.read)
                }
            }
            open.removeAll { $0.read.interval.responded < read.interval.invoked }
            if !isLagging {
                for index in lanes.indices {
                    let ended = lanes[index].ended(before: read.interval.invoked)
                    if ended > floors[index] { (floors[index], causes[index]) = (ended, nil) }
                }
            }
            let ends = lanes.map { $0.begun(before: read.interval.responded) }
            guard let positions = place(read, from: floors, through: ends, lane) else {
                throw violation(read, floors, ends, causes, lane)
            }
            open.append(Placed(read: read, positions: positions))
        }
    }

    private func place(
        _ read: ReadEvent, from floors: [Int], through ends: [Int], _ lane: (ModelKey) -> Int
    ) -> [Int]? {
        var positions = floors
        while true {
            let before = positions
            for (key, sighting) in read.seen {
                let index = lane(key)
                guard
                    let position = lanes[index].timeline.position(
                        of: sighting, key, from: positions[index], through: ends[index])
                else { return nil }
                positions[index] = position
            }
            for link in links where link.contains(where: { $0.position <= positions[$0.lane] }) {
                for part in link where part.position > positions[part.lane] { positions[part.lane] = part.position }
            }
            if positions == before { return positions }
            for index in positions.indices where positions[index] > ends[index] { return nil }
        }
    }

    /// The read, what it should have seen, and where that which it did see belongs.
    private func violation(
        _ read: ReadEvent, _ floors: [Int], _ ends: [Int], _ causes: [ReadEvent?], _ lane: (ModelKey) -> Int
    ) -> Violation {
        var events = [read.description]
        for (key, sighting) in read.seen.sorted(by: { $0.key < $1.key }) {
            let index = lane(key)
            let timeline = lanes[index].timeline
            guard timeline.position(of: sighting, key, from: floors[index], through: ends[index]) == nil else {
                continue
            }
            if let cause = causes[index] { events.append("after: \(cause)") }
            if floors[index] > 0 { events.append("after: \(timeline.writes[floors[index] - 1])") }
            events.append("\(key) was \(ModelStep.text(timeline.contents(of: key, at: floors[index]))) then")
            if let old = timeline.position(of: sighting, key, from: 0, through: floors[index] - 1) {
                events.append(old > 0 ? "stale, since: \(timeline.writes[old - 1])" : "stale, since the beginning")
            } else if let new = timeline.position(
                of: sighting, key, from: ends[index] + 1, through: timeline.writes.count)
            {
                events.append("only later: \(timeline.writes[new - 1])")
            } else {
                events.append("\(key) never was that")
            }
            return Violation(rule: "a read has no place among the writes", events: events)
        }
        events.append("each model may have been like that, but not all at once")
        return Violation(rule: "a cut has no place among the writes", events: events)
    }
}

/// One timeline with its writes by their beginnings and ends.
private struct SharedInbox {
    let timeline: Timeline
    /// Ends of writes, and up to each the greatest position.
    private let ends: [(time: UInt64, position: Int)]
    /// Beginnings of writes, and from each on the smallest position.
    private let beginnings: [(time: UInt64, position: Int)]

    init(_ timeline: Timeline) {
        self.timeline = timeline
        let writes = timeline.writes.enumerated().map { (interval: $1.interval, position: $0 + 1) }
        var greatest = 0
        ends = writes.sorted { $0.interval.responded < $1.interval.responded }.map { write in
            greatest = max(greatest, write.position)
            return (write.interval.responded, greatest)
        }
        var smallest = Int.max
        beginnings = Array(
            writes.sorted { $0.interval.invoked > $1.interval.invoked }.map { write in
                smallest = min(smallest, write.position)
                return (write.interval.invoked, smallest)
            }
            .reversed())
    }

    /// The position of the last of the writes that had ended by then.
    func ended(before time: UInt64) -> Int {
        let count = SharedInbox.count(of: ends) { $0.time < time }
        return count == 0 ? 0 : ends[count - 1].position
    }

    /// The position before the first of the writes that had not begun by then.
    func begun(before time: UInt64) -> Int {
        let count = SharedInbox.count(of: beginnings) { $0.time < time }
        return count == beginnings.count ? timeline.writes.count : beginnings[count].position - 1
    }

    /// How many of a sorted list come before what does not meet the condition.
    private static func count<T>(of list: [T], _ isBefore: (T) -> Bool) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
