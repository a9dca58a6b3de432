import ModelRecord

/// Values of fields. Most are written once in a play, so that a value that is seen tells who wrote it.
enum StressValues {
    /// Up to here values are small numbers that several writes share.
    static let shared: Int64 = 16

    /// The value number `count` of a client.
    static func unique(client: Int, count: Int) -> Int64 { Int64(client + 1) << 32 | Int64(count) }
}
