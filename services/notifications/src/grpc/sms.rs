//! Numbers of people for text messages.

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::refusals as shared;
use tonic::Request;

use super::{Api, acts_for_another, reader};
use crate::refusals;
use crate::sms::{Code, read_number};
use crate::store::queue;
use crate::store::sms::{self, SmsNumber, Verification};

pub async fn get_sms_number(
    api: &Api,
    request: Request<v1::GetSmsNumberRequest>,
) -> Result<v1::GetSmsNumberResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    if api.channels.sms.is_none() || acts_for_another(&identity) {
        return Ok(v1::GetSmsNumberResponse::default());
    }
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let found = sms::find(&mut reads, tenant, identity.user_id).await?;
    reads.done();
    let found = found.as_ref();
    Ok(v1::GetSmsNumberResponse {
        available: true,
        number: found.map(SmsNumber::last_digits).unwrap_or_default(),
        verified: found.is_some_and(|number| number.is_verified),
    })
}

pub async fn set_sms_number(
    api: &Api,
    request: Request<v1::SetSmsNumberRequest>,
) -> Result<v1::SetSmsNumberResponse, ServiceError> {
    let identity = person(&request)?;
    let provider = api.channels.sms.as_ref();
    let provider = provider.ok_or_else(|| ServiceError::conflict(refusals::SMS_NOT_CONFIGURED))?;
    let message = request.into_inner();
    let number = read_number(&message.number)
        .ok_or_else(|| ServiceError::field("number", refusals::SMS_NUMBER_INVALID))?;
    if !provider.accepts(&number) {
        let text = refusals::SMS_COUNTRY_CODE.with("codes", provider.country_codes());
        return Err(ServiceError::field("number", text));
    }
    let language @ ("en" | "es") = message.language.as_str() else {
        return Err(ServiceError::field("language", shared::CHOICE_UNKNOWN));
    };
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    let number = (number.as_str(), language);
    if !sms::set(&mut tx, reader(&identity), number, now).await? {
        return Err(ServiceError::conflict(refusals::SMS_CODES_USED_UP));
    }
    queue::sms_code(&mut tx, identity.user_id, now).await?;
    tx.commit().await?;
    Ok(v1::SetSmsNumberResponse {})
}

pub async fn verify_sms_number(
    api: &Api,
    request: Request<v1::VerifySmsNumberRequest>,
) -> Result<v1::VerifySmsNumberResponse, ServiceError> {
    let identity = person(&request)?;
    let (tenant, person_id) = (identity.tenant(), identity.user_id);
    let code = Code::read(&request.get_ref().code);
    let hash = code.map(|code| code.hash(tenant.company_id(), person_id));
    let mut tx = api.database.tenant(tenant).await?;
    let verification = sms::verify(&mut tx, person_id, hash, api.clock.now()).await?;
    let number = sms::find(&mut tx, tenant, person_id).await?;
    // Wrong ones count.
    tx.commit().await?;
    match verification {
        Verification::Verified => Ok(v1::VerifySmsNumberResponse {}),
        // The response to the first call was lost.
        Verification::Expired if number.is_some_and(|number| number.is_verified) => {
            Ok(v1::VerifySmsNumberResponse {})
        }
        Verification::Wrong => Err(ServiceError::field("code", refusals::SMS_CODE_WRONG)),
        Verification::Expired => Err(ServiceError::conflict(refusals::SMS_CODE_EXPIRED)),
    }
}

pub async fn remove_sms_number(
    api: &Api,
    request: Request<v1::RemoveSmsNumberRequest>,
) -> Result<v1::RemoveSmsNumberResponse, ServiceError> {
    let identity = person(&request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    sms::remove(&mut tx, identity.user_id).await?;
    tx.commit().await?;
    Ok(v1::RemoveSmsNumberResponse {})
}

fn person<T>(request: &Request<T>) -> Result<Identity, ServiceError> {
    let identity = Caller::person(request)?;
    if acts_for_another(&identity) {
        return Err(ServiceError::forbidden());
    }
    Ok(identity)
}
