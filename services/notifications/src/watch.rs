//! Which machines people watch.

use std::collections::BTreeSet;

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::refusals;
use uuid::Uuid;

use crate::input::between;

const MAX_EQUIPMENT: usize = 500;
const MAX_GROUPS: usize = 50;
/// As of the groups of equipment.
const MAX_GROUP_NAME: usize = 60;

/// Machines that a person has chosen, each once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, sqlx_macros::FromRow)]
pub struct Watch {
    pub equipment_ids: Vec<Uuid>,
    #[sqlx(rename = "equipment_groups")]
    pub groups: Vec<String>,
}

impl TryFrom<v1::Watch> for Watch {
    type Error = ServiceError;

    fn try_from(received: v1::Watch) -> Result<Self, ServiceError> {
        let count = received.equipment_ids.len();
        between("watch.equipmentIds", count, 0..=MAX_EQUIPMENT)?;
        between("watch.groups", received.groups.len(), 0..=MAX_GROUPS)?;
        let ids = received.equipment_ids.iter().map(|id| Uuid::parse_str(id));
        let ids: BTreeSet<Uuid> = ids
            .collect::<Result<_, _>>()
            .map_err(|_| ServiceError::field("watch.equipmentIds", refusals::NOT_AN_ID))?;
        let groups: BTreeSet<String> = received.groups.into_iter().collect();
        for group in &groups {
            between("watch.groups", group.chars().count(), 1..=MAX_GROUP_NAME)?;
        }
        Ok(Self {
            equipment_ids: ids.into_iter().collect(),
            groups: groups.into_iter().collect(),
        })
    }
}

impl From<Watch> for v1::Watch {
    fn from(watch: Watch) -> Self {
        Self {
            equipment_ids: watch.equipment_ids.iter().map(Uuid::to_string).collect(),
            groups: watch.groups,
        }
    }
}
