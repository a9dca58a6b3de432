/// Runs of taken places in a table with linear probing.
enum Runs {
    /// The longest one of places that follow each other, the first behind the last not counted.
    static func longest(count: Int, _ isTaken: (Int) -> Bool) -> Int {
        var (longest, run) = (0, 0)
        for place in 0..<count {
            run = isTaken(place) ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}
