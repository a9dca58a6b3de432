// Re-exports the types that users of Modelcast meet, so that one import is enough.
@_exported public import ModelCache
@_exported public import ModelRecord
@_exported public import ModelTypes
@_exported public import ModelViews

@_exported public import struct ModelGrants.Grant
@_exported public import struct ModelGrants.Grants
@_exported public import struct ModelGrants.GrantsError
@_exported public import struct ModelGrants.GrantsProblem
@_exported public import struct ModelGrants.NamePattern
@_exported public import struct ModelGrants.Rights
@_exported public import struct ModelSigning.SigningKey
@_exported public import struct ModelSigning.VerifyingKey
@_exported public import struct ModelStore.StoreError
@_exported public import enum ModelStore.StoreHealth
@_exported public import struct ModelStore.WriteBehindConfiguration
@_exported public import struct ModelStore.WriteBehindStatus
@_exported public import struct ModelSync.BatchOutcome
@_exported public import struct ModelSync.Counters
@_exported public import enum ModelSync.Mending
@_exported public import struct ModelSync.Peer
@_exported public import enum ModelSync.PublishOutcome
@_exported public import struct ModelSync.PushStatus
@_exported public import struct ModelSync.PusherConfiguration
@_exported public import enum ModelSync.ReplicaState
@_exported public import struct ModelSync.SenderStatus
@_exported public import struct ModelSync.StreamStatus
@_exported public import enum ModelWire.Partitions
@_exported public import struct ModelWire.Topic
@_exported public import struct ModelWire.WireError
@_exported public import struct ModelWire.WireLimits
@_exported public import enum ZeroMQ.Curve
