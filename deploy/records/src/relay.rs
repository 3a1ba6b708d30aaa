//! Compares submissions in operator-updates and equipment: shows if one was restored to an earlier
//! moment than the other.

use futures::TryStreamExt as _;
use hourmeter_runtime::identity::Service;
use uuid::Uuid;

use crate::databases::RecordsError;
use crate::mark::Snapshot;

/// Submissions that differ between the two databases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    /// Applied according to operator-updates, unknown to equipment: lost.
    pub lost: Vec<(Uuid, Uuid)>,
    /// Applied, not confirmed, and still in the outbox: harmless.
    pub under_way: u64,
    /// Applied, but not in the outbox: a manager would decide a second time.
    pub undecided: Vec<(Uuid, Uuid)>,
}

/// Compares applied submissions of operator-updates with those of equipment, by company and
/// submission.
pub async fn deliveries(snapshot: &mut Snapshot) -> Result<Deliveries, RecordsError> {
    let [_, (equipment_of, equipment), (updates_of, updates), _, _] = &mut snapshot.connections[..]
    else {
        return Err(RecordsError::Refused(
            "five databases are needed".to_owned(),
        ));
    };
    debug_assert_eq!(*equipment_of, Service::Equipment);
    debug_assert_eq!(*updates_of, Service::OperatorUpdates);
    let mut applied = sqlx::query_as::<_, (Uuid, Uuid)>(
        "SELECT company_id, update_id FROM applied_updates ORDER BY 1, 2",
    )
    .fetch(equipment);
    let mut submissions = sqlx::query_as::<_, (Uuid, Uuid, bool, bool)>(
        "SELECT u.company_id, u.id, u.status IN ('applied', 'recent') AS took_effect,
                d.update_id IS NOT NULL AND d.parked_at IS NULL AS is_decided
         FROM updates u
         LEFT JOIN decisions d ON d.company_id = u.company_id AND d.update_id = u.id
         ORDER BY 1, 2",
    )
    .fetch(updates);
    let mut result = Deliveries::default();
    let mut next = applied.try_next().await?;
    while let Some((company, update, took_effect, is_decided)) = submissions.try_next().await? {
        let id = (company, update);
        while next.is_some_and(|applied| applied < id) {
            // A submission that the other database never had.
            result.undecided.extend(next);
            next = applied.try_next().await?;
        }
        let is_applied = next == Some(id);
        match (is_applied, took_effect) {
            (false, true) => result.lost.push(id),
            (true, false) if is_decided => result.under_way += 1,
            (true, false) => result.undecided.push(id),
            (true, true) | (false, false) => {}
        }
        if is_applied {
            next = applied.try_next().await?;
        }
    }
    result.undecided.extend(next);
    result
        .undecided
        .extend(applied.try_collect::<Vec<_>>().await?);
    Ok(result)
}
