/// A field that may be absent, cleared or set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FieldChange<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> FieldChange<T> {
    /// The new value of a field.
    pub fn or(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Keep => current,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}
