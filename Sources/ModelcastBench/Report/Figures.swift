/// The formats of numbers in reports.
public enum Figures {
    /// A whole number with commas: 1,234,567.
    public static func grouped(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// A number rounded to a whole one, with commas.
    public static func grouped(_ number: Double) -> String { grouped(Int(number.rounded())) }

    /// A number with some digits behind the point.
    public static func fixed(_ number: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number * scale).rounded())
        guard digits > 0 else { return grouped(scaled) }
        let rest = String(scaled.magnitude % UInt(scale))
        let sign = scaled < 0 ? "-" : ""
        return sign + grouped(scaled.magnitude / UInt(scale)) + "."
            + String(repeating: "0", count: digits - rest.count) + rest
    }

    /// Bytes as MiB.
    public static func mebibytes(_ byteCount: UInt64) -> String { "\(grouped(byteCount >> 20)) MiB" }
}
