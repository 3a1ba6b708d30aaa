//! Which machines people watch.

use std::collections::BTreeSet;

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::refusals;
use uuid::Uuid;

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
        at_most(
            "watch.equipmentIds",
            received.equipment_ids.len(),
            MAX_EQUIPMENT,
        )?;
        at_most("watch.groups", received.groups.len(), MAX_GROUPS)?;
        let ids = received.equipment_ids.iter().map(|id| Uuid::parse_str(id));
        let ids: BTreeSet<Uuid> = ids
            .collect::<Result<_, _>>()
            .map_err(|_| ServiceError::field("watch.equipmentIds", refusals::NOT_AN_ID))?;
        let groups: BTreeSet<String> = received.groups.into_iter().collect();
        let lengths = groups.iter().map(|group| group.chars().count());
        if lengths
            .into_iter()
            .any(|length| !(1..=MAX_GROUP_NAME).contains(&length))
        {
            let text = refusals::BETWEEN.with("min", 1).with("max", MAX_GROUP_NAME);
            return Err(ServiceError::field("watch.groups", text));
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

fn at_most(field: &str, count: usize, max: usize) -> Result<(), ServiceError> {
    if count <= max {
        return Ok(());
    }
    let text = refusals::BETWEEN.with("min", 0).with("max", max);
    Err(ServiceError::field(field, text))
}
