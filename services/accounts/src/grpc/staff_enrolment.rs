//! Enrolment of support staff with a code from the command line: they set up an authenticator and
//! choose a password.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_runtime::error::ServiceError;
use tonic::Request;
use zeroize::Zeroizing;

use super::{Api, convert, new_password, staff_sessions};
use crate::domain::totp::TotpSecret;
use crate::domain::{FieldErrors, one_time_code};
use crate::refusals;
use crate::secrets::Subject;
use crate::store::audit::{self, Event, NO_COMPANY};
use crate::store::staff;

pub(super) async fn start_staff_enrolment(
    api: &Api,
    request: Request<v1::StartStaffEnrolmentRequest>,
) -> Result<v1::StartStaffEnrolmentResponse, ServiceError> {
    convert::edge_context(&request, None)?;
    let code = Zeroizing::new(request.into_inner().code);
    let hash = one_time_code::hash(&code);
    let mut lookup = api.database.lookup().await?;
    let found = staff::find_invited(&mut lookup, &hash).await?;
    let (staff, _) = found.ok_or_else(wrong_code)?;
    let secret = TotpSecret::random()?;
    let text = secret.to_text();
    let sealed = api.keyring.seal(Subject::StaffTotp(staff.id), &text)?;
    if !staff::set_invited_totp(&mut lookup, &hash, &sealed).await? {
        return Err(wrong_code());
    }
    Ok(v1::StartStaffEnrolmentResponse {
        secret: text.to_string(),
        url: secret.url(&staff.email).to_string(),
        email: staff.email,
        name: staff.name,
    })
}

pub(super) async fn finish_staff_enrolment(
    api: &Api,
    request: Request<v1::FinishStaffEnrolmentRequest>,
) -> Result<v1::FinishStaffEnrolmentResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let (code, typed) = (
        Zeroizing::new(message.code),
        Zeroizing::new(message.new_password),
    );
    let hash = one_time_code::hash(&code);
    let mut lookup = api.database.lookup().await?;
    let found = staff::find_invited(&mut lookup, &hash).await?;
    drop(lookup);
    let (staff, pending) = found.ok_or_else(wrong_code)?;
    let pending = pending.ok_or_else(wrong_code)?;
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    let secret = staff_sessions::open_totp(api, staff.id, &pending, &context).await?;
    let mut errors = FieldErrors::default();
    let step = secret.step_of(&message.totp, api.clock.now().timestamp(), 0);
    let step = errors.take("totp", step.ok_or(refusals::TOTP_INVALID));
    let form = new_password::read_staff(&staff, &typed);
    let form = errors.take(new_password::FIELD, form);
    errors.finish()?;
    let hashed = api.passwords.hash(form).await?;

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    // Of two concurrent requests, the second finds the code used.
    let holds = staff::lock(&mut tx, &staff).await?;
    if !holds || !staff::use_invitation(&mut tx, &hash, &pending).await? {
        return Err(wrong_code());
    }
    staff::set_password(&mut tx, staff.id, &hashed).await?;
    staff::set_totp(&mut tx, staff.id, &pending, step).await?;
    audit::done(
        &mut tx,
        &context,
        Event::StaffEnrolled,
        staff.id,
        &staff.name,
    )
    .await?;
    let token = staff_sessions::start(&mut tx, &staff, &message.previous_token, &context).await?;
    tx.commit().await?;
    Ok(v1::FinishStaffEnrolmentResponse {
        session: Some(staff_sessions::grant(&staff, &token)),
    })
}

fn wrong_code() -> ServiceError {
    ServiceError::field("code", refusals::WRONG_ENROLMENT_CODE)
}
