/// Models as Swift types, in one process. All but the last two are nanoseconds of one call.
struct TypedModelCosts {
    /// Of a record by what `@Model` writes, by an initialiser by hand, and of its JSON by `JSONDecoder`.
    var decodeNanoseconds = 0.0
    var byHandNanoseconds = 0.0
    var jsonNanoseconds = 0.0
    /// Reads of models at random: of the record, of the model that is kept on it, and of one that is not yet.
    var pointReadNanoseconds = 0.0
    var warmReadNanoseconds = 0.0
    /// Of the model where it is kept: one property, and something of each.
    var lentReadNanoseconds = 0.0
    var lentWholeNanoseconds = 0.0
    var coldReadNanoseconds = 0.0
    var withNanoseconds = 0.0
    /// Where one property differs.
    var diffNanoseconds = 0.0
    /// Typed reads by eight queues while one thread commits, and what that commits meanwhile.
    var concurrentReadsPerSecond = 0.0
    var concurrentUpdatesPerSecond = 0.0

    var figures: [BenchFigure] {
        [
            BenchFigure(
                "typed read, warm", warmReadNanoseconds, .nanoseconds, against: "point read", pointReadNanoseconds,
                mark: .atMost(1.5)),
            BenchFigure(
                "typed read in place, one property", lentReadNanoseconds, .nanoseconds, against: "point read",
                pointReadNanoseconds),
            BenchFigure(
                "typed read in place, all properties", lentWholeNanoseconds, .nanoseconds, against: "point read",
                pointReadNanoseconds),
            BenchFigure(
                "typed read, cold", coldReadNanoseconds, .nanoseconds, against: "point read", pointReadNanoseconds),
            BenchFigure(
                "decoding a model, beside by hand", decodeNanoseconds, .nanoseconds, against: "by hand",
                byHandNanoseconds),
            BenchFigure(
                "decoding a model, beside JSON", decodeNanoseconds, .nanoseconds, against: "JSONDecoder",
                jsonNanoseconds),
            BenchFigure("with one property changed", withNanoseconds, .nanoseconds),
            BenchFigure("diff of one property", diffNanoseconds, .nanoseconds),
            BenchFigure("typed reads, 8 queues, writer running", concurrentReadsPerSecond, .perSecond),
            BenchFigure("updates committed meanwhile", concurrentUpdatesPerSecond, .perSecond),
        ]
    }
}
