import ModelCache
import ModelJSON
import Modelcast

/// The events of some changes of one type in one commit, as one query wants them. Between two events stands
/// ``following``; the end of the last one is left to who knows what comes behind.
struct EncodedChanges {
    let bytes: [UInt8]
    /// Where the event of each change ends, from the first position on. A change that is not asked for has no event.
    private let ends: [Int]

    /// The ids of the events, by what they say.
    enum Marks {
        /// Nothing can go on behind them.
        case none
        /// All of this commit has been told.
        case commit(UInt64)
        /// This commit has been told up to the change.
        case positions(UInt64)
    }

    /// The end of an event behind which others of the same commit come.
    static let following = Array(#","more":true}"#.utf8) + [0x0A, 0x0A]
    /// The end of the last event of a commit.
    static let closing = Array("}\n\n".utf8)

    /// - Parameters:
    ///   - positions: the positions of the changes in the section.
    init(_ section: ChangeSection, _ positions: Range<Int>, _ query: ModelQuery, epoch: String, _ marks: Marks) {
        var writer = JSONWriter(query.form)
        var ends: [Int] = []
        ends.reserveCapacity(positions.count)
        for position in positions {
            let change = section.change(at: position)
            if let told = query.told(change) {
                if !writer.bytes.isEmpty { writer.bytes += EncodedChanges.following }
                let id =
                    switch marks {
                    case .none: ChangePosition.none
                    case .commit(let commit): "\(commit)"
                    case .positions(let commit): "\(commit)-\(position)-\(section.type)"
                    }
                writer.append("id: \(epoch)-\(id)\nevent: change\ndata: ")
                writer.open(change, changed: told.changed, old: told.old, new: told.new)
            }
            ends.append(writer.bytes.count)
        }
        (bytes, self.ends) = (writer.bytes, ends)
    }

    /// Where the events begin that are behind so many changes.
    func start(behind count: Int) -> Int {
        guard count > 0, ends[count - 1] > 0 else { return 0 }
        return min(bytes.count, ends[count - 1] + EncodedChanges.following.count)
    }
}
