import Foundation
import ModelJSON
import ModelRecord

extension JSONWriter {
    /// Writes a version with what people want to know of it: who wrote, and when.
    mutating func write(_ version: Version) {
        append(#"{"version":"#)
        write(version.description)
        append(#","origin":"#)
        write(version.origin)
        append(#","time":"#)
        write(milliseconds: version.stamp >> 16)
        append("}")
    }

    /// Writes a time, given in milliseconds since 1970, as RFC 3339 has it; null where it is none of our era, as a
    /// stranger may make up any.
    mutating func write(milliseconds: UInt64) {
        guard milliseconds < 253_402_300_800_000 else { return append("null") }
        let seconds = Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601).dropLast()
        // A fraction of a second as a binary number is often a little less.
        write("\(seconds).\(String(milliseconds % 1000 + 1000).dropFirst())Z")
    }
}
