//! When people get the digest.

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;
use uuid::Uuid;

use super::Api;
use crate::input::between;
use crate::schedule::Schedule;
use crate::store::messages::MessageKind;
use crate::store::{digests, queue, settings};

pub(super) const MAX_MINUTE: u32 = 24 * 60 - 1;

pub async fn get_digest_schedule(
    api: &Api,
    request: Request<v1::GetDigestScheduleRequest>,
) -> Result<v1::GetDigestScheduleResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let found = digests::find(&mut reads, identity.user_id).await?;
    reads.done();
    let (schedule, former) = found.map_or_else(Default::default, |digest| {
        (digest.schedule, digest.former_weekdays.unwrap_or_default())
    });
    Ok(v1::GetDigestScheduleResponse {
        schedule: Some(v1::DigestSchedule {
            minute: schedule.minute.cast_unsigned(),
            weekdays: days(schedule.weekdays),
        }),
        former_weekdays: days(former),
    })
}

pub async fn set_digest_schedule(
    api: &Api,
    request: Request<v1::SetDigestScheduleRequest>,
) -> Result<v1::SetDigestScheduleResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let schedule = schedule(&request.into_inner().schedule.unwrap_or_default())?;
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    digests::set(&mut tx, identity.user_id, &schedule, now).await?;
    tx.commit().await?;
    Ok(v1::SetDigestScheduleResponse {})
}

pub async fn send_digest(
    api: &Api,
    request: Request<v1::SendDigestRequest>,
) -> Result<v1::SendDigestResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let sandbox = api.mail()?.is_sandbox();
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    // The mail has a link that ends the digest.
    digests::start(&mut tx, identity.user_id, now).await?;
    let kind = MessageKind::RequestedDigest;
    queue::mail(&mut tx, kind, identity.user_id, now).await?;
    tx.commit().await?;
    Ok(v1::SendDigestResponse { sandbox })
}

pub async fn stop_digest(
    api: &Api,
    request: Request<v1::StopDigestRequest>,
) -> Result<v1::StopDigestResponse, ServiceError> {
    let key = Uuid::parse_str(&request.get_ref().key);
    let key = key.map_err(|_| ServiceError::not_found())?;
    let mut lookup = api.database.lookup().await?;
    let found = digests::find_unsubscribe(&mut lookup, key).await?;
    lookup.done();
    let (tenant, person_id) = found.ok_or_else(ServiceError::not_found)?;
    let mut tx = api.database.tenant(tenant).await?;
    if request.get_ref().flagged_mail {
        settings::stop_flagged_mail(&mut tx, person_id).await?;
    } else {
        digests::stop(&mut tx, person_id).await?;
    }
    tx.commit().await?;
    Ok(v1::StopDigestResponse {})
}

fn days(stored: Vec<i32>) -> Vec<u32> {
    stored.into_iter().map(i32::cast_unsigned).collect()
}

/// Without repeated weekdays.
fn schedule(received: &v1::DigestSchedule) -> Result<Schedule, ServiceError> {
    between("schedule.minute", received.minute, 0..=MAX_MINUTE)?;
    for day in &received.weekdays {
        between("schedule.weekdays", *day, 1..=7)?;
    }
    let weekdays = (1..=7_u32).filter(|day| received.weekdays.contains(day));
    Ok(Schedule {
        minute: received.minute.cast_signed(),
        weekdays: weekdays.map(u32::cast_signed).collect(),
    })
}
