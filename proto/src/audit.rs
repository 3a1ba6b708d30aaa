//! Names of audit events in databases, messages and REST.

use crate::common::v1::AuditEventType;

const PREFIX: &str = "AUDIT_EVENT_TYPE_";

impl AuditEventType {
    /// The name, e.g. `sign_in`.
    pub fn name(self) -> String {
        let name = self.as_str_name();
        name.strip_prefix(PREFIX)
            .unwrap_or(name)
            .to_ascii_lowercase()
    }

    /// The event with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let event = Self::from_str_name(&format!("{PREFIX}{}", name.to_ascii_uppercase()))?;
        (event != Self::Unspecified && event.name() == name).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_name_accepts_only_stored_names() {
        assert_eq!(AuditEventType::SecondFactorOn.name(), "second_factor_on");
        let found = AuditEventType::from_name("second_factor_on");
        assert_eq!(found, Some(AuditEventType::SecondFactorOn));
        for wrong in ["SIGN_IN", "sign", "", "unspecified"] {
            assert_eq!(AuditEventType::from_name(wrong), None, "{wrong}");
        }
    }
}
