/// The answer to whether a batch was sealed by one of the keys that its origin has.
public enum SealVerdict: Hashable, Sendable {
    /// One of the keys has made it.
    case genuine
    /// The frame ends in no seal.
    case unsealed
    /// The seal names a key that is none of them.
    case unknownKey
    /// The seal is none of this batch: something was changed, or made up.
    case forged
}
