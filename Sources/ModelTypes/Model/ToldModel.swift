import ModelRecord

/// The last good model that an observer was told before it was told of this record, which makes none. Kept where the
/// record has none that is as new: the one that was carried over may be older, as a model is made when somebody reads
/// its record, and a record may be replaced before that.
package struct ToldModel<M: Model>: KeptOnRecord {
    /// The first property: a value and its model have one address.
    let model: M
    /// The last stamp of the record that the model was made of.
    let stamp: Stamp

    package func carried() -> ToldModel? { self }
}
