//! Staff enrol by a code that the command line printed: they set up their authenticator and choose
//! their password, which nobody else ever sees.

use hourmeter_proto::accounts::v1::{
    FinishStaffEnrolmentRequest, FinishStaffEnrolmentResponse, Scope, StartStaffEnrolmentRequest,
    StartStaffEnrolmentResponse,
};
use hourmeter_runtime::audit::{AuditEntry, NO_COMPANY, record};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use tonic::Request;
use zeroize::Zeroizing;

use super::{Api, convert, new_password, sealed, staff_sessions};
use crate::domain::totp::TotpSecret;
use crate::domain::{Problems, names, password, staff_code};
use crate::refusals;
use crate::store::staff::{self, Staff};

/// `StartStaffEnrolment`.
pub(super) async fn start(
    api: &Api,
    request: Request<StartStaffEnrolmentRequest>,
) -> Result<StartStaffEnrolmentResponse, ServiceError> {
    convert::edge_trail(&request, None)?;
    let code = Zeroizing::new(request.into_inner().code);
    let hash = staff_code::hash(&code);
    let mut lookup = api.database.lookup().await?;
    let found = staff::find_invited(&mut lookup, &hash).await?;
    let (staff, _) = found.ok_or_else(wrong_code)?;
    let secret = TotpSecret::random()?;
    let text = secret.to_text();
    let sealed = api.keyring.seal_totp(staff.id, &text);
    let sealed = sealed.map_err(ServiceError::internal)?;
    if !staff::set_invited_totp(&mut lookup, &hash, &sealed).await? {
        return Err(wrong_code());
    }
    Ok(StartStaffEnrolmentResponse {
        secret: text.to_string(),
        url: secret.url(&staff.email).to_string(),
        email: staff.email,
        name: staff.name,
    })
}

/// `FinishStaffEnrolment`.
pub(super) async fn finish(
    api: &Api,
    request: Request<FinishStaffEnrolmentRequest>,
) -> Result<FinishStaffEnrolmentResponse, ServiceError> {
    let trail = convert::edge_trail(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let (code, typed) = (
        Zeroizing::new(message.code),
        Zeroizing::new(message.new_password),
    );
    let hash = staff_code::hash(&code);
    let mut lookup = api.database.lookup().await?;
    let found = staff::find_invited(&mut lookup, &hash).await?;
    drop(lookup);
    let (staff, pending) = found.ok_or_else(wrong_code)?;
    let pending = pending.ok_or_else(wrong_code)?;
    let trail = trail.with_actor(staff.id, &staff.name, Scope::Staff);
    let secret = match api.keyring.open_totp(staff.id, &pending) {
        Ok(text) => TotpSecret::parse(&text),
        Err(error) => return Err(sealed::failed(api, NO_COMPANY, &trail, "totp", error).await),
    };
    let secret = secret.ok_or_else(|| ServiceError::internal("a sealed secret is none"))?;
    let mut problems = Problems::default();
    let step = secret.step_of(&message.totp, api.clock.now().timestamp(), 0);
    let step = problems.take("totp", step.ok_or(refusals::TOTP_INVALID));
    let form = problems.take(new_password::FIELD, read_password(&staff, &typed));
    problems.finish()?;
    let hashed = api.passwords.hash(form).await?;

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    // Of two who finish at once, the second finds the code used.
    let holds = staff::hold(&mut tx, &staff).await?;
    if !holds || !staff::use_invitation(&mut tx, &hash, &pending).await? {
        return Err(wrong_code());
    }
    staff::set_password(&mut tx, staff.id, &hashed).await?;
    staff::set_totp(&mut tx, staff.id, &pending, step).await?;
    let line = AuditEntry::success("staff_enrolled").target(staff.id, &staff.name);
    record(&mut tx, NO_COMPANY, &trail, &line).await?;
    let token = staff_sessions::begin(&mut tx, &staff, &message.previous_token, &trail).await?;
    tx.commit().await?;
    Ok(FinishStaffEnrolmentResponse {
        session: Some(staff_sessions::grant(&staff, &token)),
    })
}

fn wrong_code() -> ServiceError {
    ServiceError::field("code", refusals::WRONG_ENROLMENT_CODE)
}

/// The password in the form to hash; a guesser would try what is known of its holder first.
pub(super) fn read_password(staff: &Staff, typed: &str) -> Result<Zeroizing<String>, Message> {
    let context = [
        staff.email.as_str(),
        names::local_part(&staff.email),
        &staff.name,
    ];
    password::new_password(typed, &context)
}
