/// Milliseconds since 1970 as text of ISO 8601, and back.
enum ISO8601Text {
    /// The years 1 to 9999.
    static let range = days(1, 1, 1) * dayLength...days(10_000, 1, 1) * dayLength - 1

    private static let dayLength: Int64 = 86_400_000

    /// The text in UTC, with a fraction where it is not a whole second.
    static func text(_ milliseconds: Int64) -> String {
        var day = milliseconds / dayLength
        if day * dayLength > milliseconds { day -= 1 }
        let rest = milliseconds - day * dayLength
        let (year, month, dayOfMonth) = date(day)
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60)
        let fraction = rest % 1000 == 0 ? "" : "." + padded(rest % 1000, 3)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
            + "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))\(fraction)Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Reads `YYYY-MM-DDThh:mm:ss`, a fraction of any length or none, and `Z`, `+hh:mm` or `+hhmm`. Second 60, a leap
    /// second, is the one that follows.
    /// - Returns: nil for any other text, and for a day or time that does not exist.
    static func milliseconds(_ text: String) -> Int64? {
        var reader = Reader(text.utf8)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T"), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        guard year > 0, 1...12 ~= month, day > 0, day <= dayCount(year, month), hour < 24, minute < 60,
            second < 60 || (second == 60 && minute == 59)
        else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1000 + fraction
    }

    private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
        days(month == 12 ? year + 1 : year, month % 12 + 1, 1) - days(year, month, 1)
    }

    /// The days from 1970 to a date. Years begin in March here, so that the leap day comes last, and make eras of 400.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = (shiftedMonth + 2) % 12 + 1
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private struct Reader {
        private var rest: Substring.UTF8View

        init(_ text: String.UTF8View) { rest = text[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func digit() -> Int64? {
            guard let byte = rest.first, 0x30...0x39 ~= byte else { return nil }
            rest.removeFirst()
            return Int64(byte) - 0x30
        }

        mutating func number(_ width: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<width {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Milliseconds, rounded; 0 where there is no point.
        mutating func fraction() -> Int64? {
            guard take(".") else { return 0 }
            guard let first = digit() else { return nil }
            var (milliseconds, digitCount, next) = (first, 1, Int64(0))
            while let digit = digit() {
                digitCount += 1
                if digitCount <= 3 { milliseconds = milliseconds * 10 + digit }
                if digitCount == 4 { next = digit }
            }
            while digitCount < 3 {
                milliseconds *= 10
                digitCount += 1
            }
            return milliseconds + (next >= 5 ? 1 : 0)
        }

        /// Minutes east of UTC.
        mutating func offset() -> Int64? {
            if take("Z") { return 0 }
            let isWest = rest.first == UInt8(ascii: "-")
            guard take("+") || take("-"), let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isWest ? -1 : 1)
        }
    }
}
