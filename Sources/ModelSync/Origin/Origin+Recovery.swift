@_spi(CacheWriting) import ModelCache
import ModelGrants
@_spi(RecordWriting) public import ModelRecord
public import ModelWire

/// Recovery: what an origin learns of its own earlier starts.
extension Origin {
    /// Takes back a model that an earlier start of this origin has published, as a relay holds it. For an origin
    /// without a store, before it publishes, so that it can delete what is gone.
    ///
    /// Only what this origin has written itself is taken: of the writes of others the relay may hold one half of a
    /// transaction, which a snapshot of this origin would show. The clock moves past all stamps. Nothing is sent: call
    /// ``resume(_:now:)`` with the types of which something was taken.
    /// - Returns: false when nothing is taken: no part of the record is of this origin, all of it is here already, or a
    ///   stamp lies further ahead of the wall clock than ``OriginConfiguration/clockLeadMax``.
    @discardableResult
    public mutating func adopt(_ record: CellRecord, type: String, now: Moment) -> Bool {
        var plan = MergePlan()
        guard let own = record.part(of: configuration.name, plan: &plan), (try? Names.check(type: type)) != nil,
            !isTooFarAhead(record.lastStamp, now: now)
        else { return false }
        clock.observe(record.lastStamp)
        topics.hasTransactions = true
        let (_, summary) = cache.commit { commit in commit.join(own, type: type) }
        noteExpiry(of: record.id, type: type, now: now)
        return summary.changed > 0
    }

    /// Takes note of what a relay tells of an earlier start of this origin, so that this one is later.
    /// - Returns: false for heads of another origin, or of a start further ahead of the wall clock than
    ///   ``OriginConfiguration/clockLeadMax``.
    @discardableResult
    public mutating func adopt(_ heads: Heads, now: Moment) -> Bool {
        let last = max(heads.incarnation, heads.stamp)
        guard heads.origin == configuration.name, !isTooFarAhead(last, now: now) else { return false }
        // Heads of an earlier start, or of this one, tell nothing later than its clock.
        guard heads.incarnation > incarnation || (heads.incarnation == incarnation && last > clock.last) else {
            clock.observe(last)
            return true
        }
        beginIncarnation(after: last, now: now)
        return true
    }

    /// Begins a later start, because the cache has come to hold models of an earlier start of these types. Replicas may
    /// have asked this start already for all that it holds: the later start makes them ask again.
    public mutating func resume(_ types: [String], now: Moment) {
        guard !types.isEmpty else { return }
        beginIncarnation(after: incarnation, now: now)
        holdFormer(types)
    }

    /// Takes note that the cache holds models of an earlier start of these types. Their topics are told with head 0, so
    /// that replicas learn of this start and ask for what they hold.
    mutating func holdFormer(_ types: [String]) {
        for type in types {
            guard let state = try? state(of: type) else { continue }
            for index in state.firstTopic..<(state.firstTopic + state.partitions.rawValue) {
                topics.former.insert(index)
                topics[index].isHeadNews = true
            }
        }
    }

    /// The writes of earlier starts, of the types whose models this one goes on with.
    public var formerWrites: FormerWrites {
        let types = Set(topics.former.compactMap { topics[$0].topic.type })
        return FormerWrites(
            cache: cache, origin: configuration.name, incarnation: incarnation, types: types.sorted())
    }

    /// Sends again what earlier starts have written of these models, in batches of this start and with the versions
    /// that it had, for a relay that lacks it. A replica that has it is not changed by that, and what others have
    /// written later stays.
    /// - Returns: the models that cannot be sent under the present limits, and why; nothing of these is sent.
    public mutating func sendAgain(
        _ ids: [String], type: String, now: Moment
    ) -> [(id: String, reason: String)] {
        let state: OriginType
        do { state = try self.state(of: type) } catch { return ids.map { ($0, "\(error)") } }
        var unsendable: [(id: String, reason: String)] = []
        var updates: [Int: [(id: String, update: FormerPart.Update, fields: EncodedFields)]] = [:]
        for id in ids {
            guard let record = cache.record(type: type, id: id, includingTombstones: true),
                let part = FormerPart(record, of: configuration.name, before: incarnation)
            else { continue }
            let topic = state.topicIndex(bucket: Fingerprint.bucket(idHash: record.idHash))
            do throws(WireError) {
                // The models may have been written under other limits. A batch beyond the present limits could be read
                // by nobody.
                var encoded: [(id: String, update: FormerPart.Update, fields: EncodedFields)] = []
                for update in part.updates {
                    encoded.append((id, update, try EncodedFields(update.fields, limits: configuration.limits)))
                }
                updates[topic, default: []] += encoded
            } catch { unsendable.append((id, "\(error)")) }
        }
        for (topic, updates) in updates.sorted(by: { $0.key < $1.key }) {
            // The stamps of a batch rise, and these lie below those of the open batch.
            close(topic, group: nil)
            var last: Stamp?
            for (id, update, fields) in updates.sorted(by: { $0.update.stamp < $1.update.stamp }) {
                if update.stamp == last { close(topic, group: nil) }
                last = update.stamp
                append(
                    update.operation, to: topic, id: id.utf8.span, fields: fields.bytes.span, fieldCount: fields.count,
                    stamp: update.stamp, now: now)
            }
            close(topic, group: nil)
        }
        return unsendable
    }

    /// Takes note of a report on this origin. A later start, or a later stamp, than its own means that the clock was
    /// set back while the origin was down, or that two processes have one name: what this start writes would lose
    /// against what the former has written.
    /// - Parameter reporter: who has sent it.
    mutating func learn(from report: ReplicaReport, of reporter: Grantee, now: Moment) {
        noteClock(of: report, now: now)
        let later = report.applied.filter { heads in
            heads.origin == configuration.name && (heads.incarnation > incarnation || heads.stamp > clock.last)
        }
        let stamps = later.map { max($0.incarnation, $0.stamp) }
        // A stamp too far ahead may be a lie. It is left out, so that the greatest of the others is followed.
        if let last = stamps.filter({ !isTooFarAhead($0, now: now) }).max() {
            guard pauses.starts.takeTurn(at: now.uptimeMicroseconds) else { return }
            let advice = "starts anew above it; if there is another process of this name, give each its own"
            tell(ofLaterStart: last, advice, of: reporter, now: now)
            beginIncarnation(after: last, now: now)
            writeAgain(now: now)
        } else if let last = stamps.max(), pauses.notices.takeTurn(at: now.uptimeMicroseconds) {
            let advice = "too far ahead of this clock to follow: set the clock right and start again"
            tell(ofLaterStart: last, advice, of: reporter, now: now)
        }
    }

    private mutating func tell(ofLaterStart stamp: Stamp, _ advice: String, of reporter: Grantee, now: Moment) {
        let ahead = (stamp >> 16).subtractingOrZero(now.wallMilliseconds)
        let metadata = [
            "origin": configuration.name, "ahead_ms": "\(ahead)", "told_by": reporter.title, "advice": advice,
        ]
        outbox.actions.append(.notice(Notice(kind: .laterStart, metadata: metadata)))
    }

    func isTooFarAhead(_ stamp: Stamp, now: Moment) -> Bool {
        now.isPassed(by: stamp, leadMilliseconds: configuration.clockLeadMax.wholeMicroseconds / 1000)
    }

    /// Goes on as a later start: sequences begin again at 1, and the topics of the former start are told with head 0,
    /// so that replicas ask for what they hold.
    mutating func beginIncarnation(after stamp: Stamp, now: Moment) {
        flush()
        clock.observe(stamp)
        incarnation = clock.tick(nowMilliseconds: now.wallMilliseconds)
        for index in topics.indices where topics[index].head > 0 {
            topics.former.insert(index)
            topics[index].head = 0
            topics[index].isHeadNews = true
        }
    }

    /// Publishes the own cells and deletes of the copy once more: their stamps were below those of the former start,
    /// and lost.
    private mutating func writeAgain(now: Moment) {
        let snapshot = cache.snapshot()
        for type in snapshot.types {
            guard let state = try? state(of: type) else { continue }
            snapshot.forEach(type: type, includingTombstones: true) { record in
                writeAgain(record, state, now: now)
                return true
            }
        }
    }

    private mutating func writeAgain(_ record: CellRecord, _ state: OriginType, now: Moment) {
        var fields: Fields = [:]
        for cell in record.cells where cell.version.origin == configuration.name { fields[cell.field] = cell.value }
        let isOwn =
            record.exists ? record.touched?.origin == configuration.name : record.floor?.origin == configuration.name
        guard isOwn || !fields.isEmpty, let encoded = try? EncodedFields(fields) else { return }
        let stamp = clock.tick(nowMilliseconds: now.wallMilliseconds)
        let operation = record.exists ? UpdateOperation.merge : .delete
        let pairs = record.exists ? encoded : EncodedFields()
        cache.commit(
            UpdateView(
                operation: operation, stamp: stamp, origin: name.bytes.span, originHash: name.hash, id: record.idBytes,
                idHash: record.idHash, fields: pairs.bytes.span, fieldCount: pairs.count),
            in: state.table)
        append(
            operation, to: state.topicIndex(bucket: Fingerprint.bucket(idHash: record.idHash)), id: record.idBytes,
            fields: pairs.bytes.span, fieldCount: pairs.count, stamp: stamp, now: now)
    }
}
