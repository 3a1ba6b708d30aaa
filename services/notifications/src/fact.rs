//! Facts, and who is notified of them.

use chrono::{DateTime, Utc};
use hourmeter_proto::notifications::v1::fact::What as Received;
use hourmeter_proto::notifications::v1::notification::What as Shown;
use hourmeter_proto::notifications::v1::{self, SecurityEventKind};
use hourmeter_runtime::clock::{read_timestamp, timestamp};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use prost_types::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::input::between;

const MAX_KEY: usize = 200;

/// What happened, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    FlaggedUpdate {
        update_id: Uuid,
        equipment_id: Uuid,
        equipment_name: String,
        operator_name: String,
        flags: Vec<String>,
    },
    ReturnedUpdate {
        update_id: Uuid,
        equipment_id: Uuid,
        equipment_name: String,
        operator_id: Uuid,
        reason: String,
        returned_by: String,
        /// Missing in older ones.
        #[serde(default)]
        voided: bool,
    },
    SecurityEvent {
        person_id: Uuid,
        /// The name of a [`SecurityEventKind`], also of a later release.
        event: String,
        browser: String,
    },
    FailedPayment {
        access_until: DateTime<Utc>,
    },
    LimitReached {
        limit: i32,
    },
    StatusChange {
        equipment_id: Uuid,
        equipment_name: String,
        status: String,
        changed_by: String,
    },
}

impl What {
    /// None: it is not about a machine.
    pub const fn equipment_id(&self) -> Option<Uuid> {
        match self {
            Self::FlaggedUpdate { equipment_id, .. }
            | Self::ReturnedUpdate { equipment_id, .. }
            | Self::StatusChange { equipment_id, .. } => Some(*equipment_id),
            Self::SecurityEvent { .. } | Self::FailedPayment { .. } | Self::LimitReached { .. } => {
                None
            }
        }
    }

    /// None: it is not about a machine.
    pub fn equipment_name(&self) -> Option<&str> {
        match self {
            Self::FlaggedUpdate { equipment_name, .. }
            | Self::ReturnedUpdate { equipment_name, .. }
            | Self::StatusChange { equipment_name, .. } => Some(equipment_name),
            Self::SecurityEvent { .. } | Self::FailedPayment { .. } | Self::LimitReached { .. } => {
                None
            }
        }
    }
}

/// A flagged update that does not wait any more, or waits again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    pub update_id: Uuid,
    pub is_settled: bool,
}

impl Settled {
    /// None: another fact.
    pub fn read(fact: &v1::Fact) -> Result<Option<Self>, ServiceError> {
        let Some(Received::SettledUpdate(update)) = &fact.what else {
            return Ok(None);
        };
        Ok(Some(Self {
            update_id: id("update_id", &update.update_id)?,
            is_settled: update.settled,
        }))
    }
}

/// A fact that notifies people.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct Fact {
    #[sqlx(rename = "origin")]
    pub key: String,
    pub happened_at: DateTime<Utc>,
    /// The person who is not notified.
    pub actor_id: Option<Uuid>,
    #[sqlx(rename = "fact", json)]
    pub what: What,
    /// Of a security event: the verified address before a change, which is mailed too and not stored here.
    #[sqlx(skip)]
    pub former_address: Option<String>,
    /// The group of its machine; None: unknown or none.
    pub equipment_group: Option<String>,
    /// Of a status: the operator notified.
    #[sqlx(skip)]
    pub operator_id: Option<Uuid>,
}

impl Fact {
    /// The person notified; None: owner and managers.
    pub const fn person_id(&self) -> Option<Uuid> {
        match self.what {
            What::FlaggedUpdate { .. } | What::FailedPayment { .. } | What::LimitReached { .. } => {
                None
            }
            What::ReturnedUpdate { operator_id, .. } => Some(operator_id),
            What::SecurityEvent { person_id, .. } => Some(person_id),
            What::StatusChange { .. } => self.operator_id,
        }
    }

    /// The same for an operator.
    pub fn copy_for(&self, operator_id: Uuid) -> Self {
        Self {
            key: format!("{}:{operator_id}", self.key),
            operator_id: Some(operator_id),
            ..self.clone()
        }
    }

    /// The service that records such facts.
    pub const fn source(&self) -> Service {
        match self.what {
            What::FlaggedUpdate { .. } | What::ReturnedUpdate { .. } => Service::OperatorUpdates,
            What::SecurityEvent { .. } => Service::Accounts,
            What::FailedPayment { .. } => Service::Billing,
            What::LimitReached { .. } | What::StatusChange { .. } => Service::Equipment,
        }
    }
}

impl TryFrom<v1::Fact> for Fact {
    type Error = ServiceError;

    fn try_from(fact: v1::Fact) -> Result<Self, ServiceError> {
        between("facts.key", fact.key.chars().count(), 1..=MAX_KEY)?;
        let actor_id = match fact.actor_id.as_str() {
            "" => None,
            text => Some(id("actor_id", text)?),
        };
        let mut former_address = None;
        let what = match fact.what {
            Some(Received::FlaggedUpdate(update)) => What::FlaggedUpdate {
                update_id: id("update_id", &update.update_id)?,
                equipment_id: id("equipment_id", &update.equipment_id)?,
                equipment_name: update.equipment_name,
                operator_name: update.operator_name,
                flags: update.flags,
            },
            Some(Received::ReturnedUpdate(update)) => What::ReturnedUpdate {
                update_id: id("update_id", &update.update_id)?,
                equipment_id: id("equipment_id", &update.equipment_id)?,
                equipment_name: update.equipment_name,
                operator_id: id("operator_id", &update.operator_id)?,
                reason: update.reason,
                returned_by: update.returned_by,
                voided: update.voided,
            },
            Some(Received::SecurityEvent(event)) => {
                let kind = event.kind();
                if kind == SecurityEventKind::Unspecified {
                    return Err(wrong("kind", shared::CHOICE_UNKNOWN));
                }
                former_address = Some(event.former_address).filter(|text| !text.is_empty());
                What::SecurityEvent {
                    person_id: id("person_id", &event.person_id)?,
                    event: kind.as_str_name().to_owned(),
                    browser: event.browser,
                }
            }
            Some(Received::FailedPayment(payment)) => What::FailedPayment {
                access_until: time("access_until", payment.access_until)?,
            },
            Some(Received::LimitReached(reached)) => What::LimitReached {
                limit: reached.limit,
            },
            Some(Received::StatusChange(change)) => What::StatusChange {
                equipment_id: id("equipment_id", &change.equipment_id)?,
                equipment_name: change.equipment_name,
                status: change.status,
                changed_by: change.changed_by,
            },
            Some(Received::SettledUpdate(_)) | None => {
                return Err(wrong("what", shared::CHOICE_UNKNOWN));
            }
        };
        Ok(Self {
            key: fact.key,
            happened_at: time("happened_at", fact.happened_at)?,
            actor_id,
            what,
            former_address,
            equipment_group: None,
            operator_id: None,
        })
    }
}

fn id(field: &str, text: &str) -> Result<Uuid, ServiceError> {
    Uuid::parse_str(text).map_err(|_| wrong(field, shared::NOT_AN_ID))
}

fn time(field: &str, at: Option<Timestamp>) -> Result<DateTime<Utc>, ServiceError> {
    at.and_then(read_timestamp)
        .ok_or_else(|| wrong(field, shared::NOT_A_TIME))
}

fn wrong(field: &str, text: impl Into<Message>) -> ServiceError {
    ServiceError::field(format!("facts.{field}"), text)
}

/// A stored notification of a reader.
#[derive(sqlx_macros::FromRow)]
pub struct Notification {
    pub number: i64,
    pub happened_at: DateTime<Utc>,
    #[sqlx(rename = "fact", json)]
    pub what: What,
    pub read: bool,
}

impl From<Notification> for v1::Notification {
    fn from(notification: Notification) -> Self {
        let what = match notification.what {
            What::FlaggedUpdate {
                update_id,
                equipment_id,
                equipment_name,
                operator_name,
                flags,
            } => Shown::FlaggedUpdate(v1::FlaggedUpdate {
                update_id: update_id.to_string(),
                equipment_id: equipment_id.to_string(),
                equipment_name,
                operator_name,
                flags,
            }),
            What::ReturnedUpdate {
                update_id,
                equipment_id,
                equipment_name,
                operator_id,
                reason,
                returned_by,
                voided,
            } => Shown::ReturnedUpdate(v1::ReturnedUpdate {
                update_id: update_id.to_string(),
                equipment_id: equipment_id.to_string(),
                equipment_name,
                operator_id: operator_id.to_string(),
                reason,
                returned_by,
                voided,
            }),
            What::SecurityEvent {
                person_id,
                event,
                browser,
            } => Shown::SecurityEvent(v1::SecurityEvent {
                person_id: person_id.to_string(),
                kind: SecurityEventKind::from_str_name(&event)
                    .unwrap_or_default()
                    .into(),
                browser,
                former_address: String::new(),
            }),
            What::FailedPayment { access_until } => Shown::FailedPayment(v1::FailedPayment {
                access_until: Some(timestamp(access_until)),
            }),
            What::LimitReached { limit } => Shown::LimitReached(v1::LimitReached { limit }),
            What::StatusChange {
                equipment_id,
                equipment_name,
                status,
                changed_by,
            } => Shown::StatusChange(v1::StatusChange {
                equipment_id: equipment_id.to_string(),
                equipment_name,
                status,
                changed_by,
            }),
        };
        Self {
            number: notification.number,
            happened_at: Some(timestamp(notification.happened_at)),
            read: notification.read,
            what: Some(what),
        }
    }
}
