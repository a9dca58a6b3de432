/// How many models hold something that a key has pushed, and their bytes.
struct CreatedAmount: Sendable, Hashable {
    var ids = 0
    var byteCount = 0

    static func += (left: inout CreatedAmount, right: CreatedAmount) {
        left.ids += right.ids
        left.byteCount += right.byteCount
    }

    static func -= (left: inout CreatedAmount, right: CreatedAmount) {
        left.ids = max(left.ids - right.ids, 0)
        left.byteCount = max(left.byteCount - right.byteCount, 0)
    }
}
