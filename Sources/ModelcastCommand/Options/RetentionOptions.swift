import ArgumentParser

/// How long deletes are remembered; the same option for all subcommands that keep a copy.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How long deleted models are remembered; the same everywhere, and two minutes at least. Whoever was away \
            for longer begins anew.
            """,
            valueName: "seconds"))
    var tombstoneRetention = Seconds.day
}
