public import ArgumentParser
public import Modelcast

extension SubscriberConfiguration.Prefetch: ExpressibleByArgument {}
