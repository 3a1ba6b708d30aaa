//! How people are notified.

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::digest::MAX_MINUTE;
use super::{Api, acts_for_another, reader};
use crate::changes::publish;
use crate::input::between;
use crate::refusals;
use crate::settings::{QuietHours, Settings};
use crate::store::{self, digests, watches};
use crate::watch::Watch;

pub async fn get_settings(
    api: &Api,
    request: Request<v1::GetSettingsRequest>,
) -> Result<v1::GetSettingsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let found = store::settings::find(&mut reads, identity.user_id).await?;
    reads.done();
    Ok(v1::GetSettingsResponse {
        settings: Some(v1::Settings {
            flagged_mail: found.flagged_mail,
            flagged_push: found.flagged_push,
            returned_push: found.returned_push,
            status_push: Some(found.status_push.unwrap_or(!reader(&identity).is_manager)),
            flagged_sms: Some(found.flagged_sms.unwrap_or_default()),
            returned_sms: Some(found.returned_sms.unwrap_or_default()),
            status_sms: Some(found.status_sms.unwrap_or_default()),
            quiet_hours: found.quiet_hours.map(|hours| v1::QuietHours {
                start: hours.start.cast_unsigned(),
                end: hours.end.cast_unsigned(),
            }),
        }),
    })
}

pub async fn set_settings(
    api: &Api,
    request: Request<v1::SetSettingsRequest>,
) -> Result<v1::SetSettingsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let settings = request.into_inner().settings.unwrap_or_default();
    let settings = Settings {
        flagged_mail: settings.flagged_mail,
        flagged_push: settings.flagged_push,
        returned_push: settings.returned_push,
        status_push: settings.status_push,
        flagged_sms: settings.flagged_sms,
        returned_sms: settings.returned_sms,
        status_sms: settings.status_sms,
        quiet_hours: settings.quiet_hours.map(quiet_hours).transpose()?,
    };
    let (tenant, person_id) = (identity.tenant(), identity.user_id);
    let mut tx = api.database.tenant(tenant).await?;
    if settings.flagged_mail {
        // Its row has the key of the link that ends mail.
        digests::start(&mut tx, person_id, api.clock.now()).await?;
    }
    store::settings::set(&mut tx, person_id, &settings).await?;
    tx.commit().await?;
    Ok(v1::SetSettingsResponse {})
}

pub async fn get_watch(
    api: &Api,
    request: Request<v1::GetWatchRequest>,
) -> Result<v1::GetWatchResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let found = watches::find(&mut reads, identity.user_id).await?;
    reads.done();
    Ok(v1::GetWatchResponse {
        watch: found.map(Into::into),
    })
}

pub async fn set_watch(
    api: &Api,
    request: Request<v1::SetWatchRequest>,
) -> Result<v1::SetWatchResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    if acts_for_another(&identity) {
        return Err(ServiceError::forbidden());
    }
    let (tenant, reader) = (identity.tenant(), reader(&identity));
    let watch = request
        .into_inner()
        .watch
        .map(Watch::try_from)
        .transpose()?;
    let mut tx = api.database.tenant(tenant).await?;
    match &watch {
        Some(watch) => {
            watches::set(&mut tx, reader, watch, api.clock.now()).await?;
        }
        None => watches::clear(&mut tx, reader.person_id).await?,
    }
    tx.commit().await?;
    publish(&api.events, tenant, Some(reader.person_id));
    Ok(v1::SetWatchResponse {})
}

fn quiet_hours(received: v1::QuietHours) -> Result<QuietHours, ServiceError> {
    between("settings.quietHours.start", received.start, 0..=MAX_MINUTE)?;
    between("settings.quietHours.end", received.end, 0..=MAX_MINUTE)?;
    if received.start == received.end {
        let field = "settings.quietHours.end";
        return Err(ServiceError::field(field, refusals::QUIET_HOURS_EMPTY));
    }
    Ok(QuietHours {
        start: received.start.cast_signed(),
        end: received.end.cast_signed(),
    })
}
