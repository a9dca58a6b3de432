import ModelCache
import ModelWire

/// The open batch of one topic, and what has been sent on it.
struct TopicState {
    let topic: Topic
    /// The updates that wait for the batch to be closed.
    var batch = BatchWriter()
    /// The last sequence sent.
    var head: UInt64 = 0
    /// The head has changed since the last `heads`.
    var isHeadNews = false
    /// The digest that the last `heads` told.
    var toldDigest: UInt64?
    /// The topic is in the list of open batches of the origin.
    var isOpen = false
    /// When the open batch was opened, on the clock of ``Moment/uptimeMicroseconds``.
    var openSince: UInt64 = 0

    init(topic: Topic) { self.topic = topic }
}

/// An origin's knowledge of one type: its partitioning and its topics. A class, so that a write takes one reference.
final class OriginType: Sendable {
    let name: String
    let partitions: Partitions
    /// The models of the type in the own copy of the origin.
    let table: ModelTable
    /// The index of the first topic of the type; those of the other partitions follow.
    let firstTopic: Int

    init(name: String, partitions: Partitions, table: ModelTable, firstTopic: Int) {
        (self.name, self.partitions, self.table, self.firstTopic) = (name, partitions, table, firstTopic)
    }

    /// The index of the topic that carries the ids of this bucket.
    func topicIndex(bucket: Int) -> Int {
        switch partitions {
        case .one: firstTopic
        case .sixteen: firstTopic + bucket >> 4
        case .twoHundredFiftySix: firstTopic + bucket
        }
    }
}
