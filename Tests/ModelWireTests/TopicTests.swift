import ModelRecord
import ModelWire
import TestSupport
import Testing

@Suite struct TopicTests {
    @Test func `a data topic shows as many digits of the bucket as there are partitions`() {
        #expect(Topic.data(type: "User").description == "m/User/")
        #expect(Topic.data(type: "User", partitions: .sixteen, bucket: 0xA3).description == "m/User/a")
        #expect(Topic.data(type: "User", partitions: .twoHundredFiftySix, bucket: 0xA3).description == "m/User/a3")
        #expect(Topic.data(type: "User", partitions: .twoHundredFiftySix, bucket: 7).description == "m/User/07")
    }

    @Test(arguments: Partitions.allCases)
    func `every bucket is covered by its own topic and by no other of the type`(partitions: Partitions) {
        let topics = Set((0..<256).map { Topic.data(type: "User", partitions: partitions, bucket: $0) })
        #expect(topics.count == partitions.rawValue)
        for bucket in 0..<256 {
            let mine = Topic.data(type: "User", partitions: partitions, bucket: bucket)
            #expect(topics.filter { $0.covers(bucket) } == [mine])
            #expect(mine.type == "User" && mine.partitions == partitions)
            #expect(mine.buckets?.count == 256 / partitions.rawValue)
        }
    }

    @Test(arguments: [
        "", "m", "m/", "m/User", "m//", "m/User/g", "m/User/A", "m/User/a3f", "m/1x/", "h/users-1", "m/User/a/",
    ])
    func `what is no data topic has no type and no buckets`(text: String) {
        let topic = Topic(bytes: Array(text.utf8))
        #expect(topic.type == nil && topic.buckets == nil && topic.partitions == nil)
        #expect(!topic.covers(0))
    }

    @Test func `the topic of a type is a prefix of those of its partitions, and of no other type's`() {
        let all = Topic.data(type: "User")
        #expect(all.isPrefix(of: .data(type: "User", partitions: .sixteen, bucket: 255)))
        #expect(!all.isPrefix(of: .data(type: "UserCard")))
        #expect(Topic.dataPrefix.isPrefix(of: all))
        #expect(!all.isPrefix(of: .dataPrefix))
    }

    @Test func `heads go out on a topic that names the origin`() {
        let topic = Topic.heads(origin: "users-1")
        #expect(topic.description == "h/users-1")
        #expect(topic.headsOrigin == "users-1")
        #expect(Topic.headsPrefix.isPrefix(of: topic))
        #expect(Topic.headsPrefix.headsOrigin == nil)
        #expect(Topic.data(type: "User").headsOrigin == nil)
        #expect(Topic(bytes: Array("h/a b".utf8)).headsOrigin == nil)
    }

    @Test func `a barrier is 0xFF and 16 random bytes`() {
        var generator = SeededGenerator(seed: 1)
        let barrier = Topic.barrier(using: &generator)
        #expect(barrier.bytes.count == 17 && barrier.bytes[0] == 0xFF && barrier.isBarrier && barrier.isValid)
        #expect(barrier != Topic.barrier(using: &generator))
        #expect(Topic(barrier: barrier.bytes) == barrier)
        #expect(Topic.barrier([1, 2]).description == "0xff0102")
        #expect(barrier.type == nil && barrier.headsOrigin == nil)
    }

    @Test func `a subscription that does not begin with 0xFF, or is too long, is no barrier`() {
        #expect(Topic(barrier: []) == nil)
        #expect(Topic(barrier: Array("m/".utf8)) == nil)
        #expect(Topic(barrier: [UInt8](repeating: 0xFF, count: 199)) != nil)
        #expect(Topic(barrier: [UInt8](repeating: 0xFF, count: 200)) == nil)
    }

    @Test func `a topic has 1 to 199 bytes`() {
        #expect(!Topic(bytes: []).isValid)
        #expect(Topic(bytes: [1]).isValid)
        #expect(Topic(bytes: [UInt8](repeating: 65, count: 199)).isValid)
        #expect(!Topic(bytes: [UInt8](repeating: 65, count: 200)).isValid)
    }

    @Test func `the longest type and origin make valid topics`() {
        let name = String(repeating: "x", count: 64)
        #expect(Topic.data(type: name, partitions: .twoHundredFiftySix, bucket: 255).isValid)
        #expect(Topic.heads(origin: name).isValid)
    }
}
