import ArgumentParser

/// The flag that lets a process without keys serve other machines; the same for all subcommands that serve models.
struct InsecureOption: ParsableArguments {
    @Flag(help: "Without keys: allow --bind to addresses that other machines reach. Nothing protects the data then.")
    var insecure = false
}
