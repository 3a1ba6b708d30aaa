//! Phones on which operators sign in without signal, and the updates that such a phone signs.

use std::sync::Arc;

use hourmeter_proto::accounts::v1::{
    self as proto, ContactDeviceRequest, EnrolDeviceRequest, LeaveDeviceRequest,
    ListDevicesRequest, RemoveDeviceRequest, VerifyDeviceRequest,
};
use hourmeter_proto::operator_updates::v1::UpdateStatus;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service::Accounts;
use prost_types::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tonic::{Response, Status};
use uuid::Uuid;

use super::call::Call;
use super::fields::{self, Fields};
use super::from_proto::{FromProto, objects};
use super::operator_updates::{OperatorUpdate, submission};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::sign_in::client_origin;
use super::values::{Id, Instant};
use super::wire_enums::WireName;
use crate::api_error::ApiError;
use crate::outgoing::{self, Outgoing};
use crate::refusals;
use crate::session;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    vec![
        rpc("EnrolDevice")
            .at(Post, "/api/devices")
            .body(enrolment, enrol)
            .summary(
                "Enrols the caller's phone for signing in without signal; 200 if it is enrolled, \
                 for one more person",
            )
            .created::<EnrolledDevice>()
            .ok::<EnrolledDevice>(),
        rpc("ListDevices")
            .route(Get, "/api/devices", list)
            .summary("Phones on which operators sign in without signal; removed ones for 90 days")
            .list::<Device>(),
        rpc("RemoveDevice")
            .route(Delete, "/api/devices/{id}", remove)
            .summary("Removes a phone; what is captured on it afterwards waits for review")
            .empty(),
        rpc("LeaveDevice")
            .route(Delete, "/api/devices/{id}/people/me", leave)
            .summary("Removes the caller from the people of a phone")
            .empty(),
        AccessRule::Public
            .at(Post, "/api/devices/{id}/contact")
            .body(signed_payload, contact)
            .summary(
                "Returns whether an enrolled phone, which signed the request, and its people are \
                 still enrolled",
            )
            .ok::<Contact>(),
        AccessRule::Public
            .at(Post, "/api/devices/{id}/updates")
            .body(signed_payload, submit)
            .summary(
                "Submits an update that an enrolled phone signed for one of its people; 200 with \
                 the stored one if its clientId is known",
            )
            .created::<DeviceUpdate>()
            .ok::<DeviceUpdate>(),
    ]
}

fn enrolment(fields: &mut Fields) -> EnrolDeviceRequest {
    EnrolDeviceRequest {
        id: fields.required_text("id"),
        label: fields.required_text_in("label", 1..=60),
        public_key: fields.required_text("publicKey"),
    }
}

objects! {
    struct EnrolledDevice(enrolled: proto::EnrolDeviceResponse) {
        id: Id,
        label: String,
        company_id: Id,
        enrolled_at: Instant,
    }
}

async fn enrol(call: Call, request: EnrolDeviceRequest) -> RestResult {
    let enrolled = call.accounts().enrol_device(request).await?.into_inner();
    RestResponse::ok_or_created(enrolled.created, &EnrolledDevice::from_proto(enrolled))
}

objects! {
    struct DevicePerson(person: proto::DevicePerson) {
        id: Id,
        name: String,
    }

    struct Device(device: proto::Device) {
        id: Id,
        label: String,
        enrolled_by: String,
        enrolled_at: Instant,
        last_contact: Instant,
        people: Vec<DevicePerson>,
        removed_at: Option<Instant>,
    }
}

async fn list(call: Call) -> RestResult {
    let found = call.accounts().list_devices(ListDevicesRequest {}).await?;
    RestResponse::ok(&Vec::<Device>::from_proto(found.into_inner().devices))
}

async fn remove(call: Call) -> RestResult {
    let request = RemoveDeviceRequest { id: call.id() };
    call.accounts().remove_device(request).await?;
    Ok(RestResponse::empty())
}

async fn leave(call: Call) -> RestResult {
    let request = LeaveDeviceRequest { id: call.id() };
    call.accounts().leave_device(request).await?;
    Ok(RestResponse::empty())
}

/// The JSON text that was signed, and the signature.
fn signed_payload(fields: &mut Fields) -> (String, String) {
    let (payload, signature) = (
        fields.required_long_text("payload"),
        fields.required_text("signature"),
    );
    for (name, text) in [("payload", &payload), ("signature", &signature)] {
        if text.is_empty() {
            fields.wrong(name, refusals::FIELD_MISSING);
        }
    }
    (payload, signature)
}

fn text<'a>(signed: &'a Value, name: &str) -> &'a str {
    signed[name].as_str().unwrap_or_default()
}

/// The phone of the path. A payload for another phone counts as one of an unknown phone, for the same
/// work.
fn device_id(call: &Call, signed: &Value) -> String {
    let id = call.id();
    if id.eq_ignore_ascii_case(text(signed, "deviceId")) {
        id
    } else {
        String::new()
    }
}

/// Awaits the verification of a signature, within the limit of failed ones of the address.
async fn accepted<T>(
    call: &Call,
    verification: impl Future<Output = Result<Response<T>, Status>>,
) -> Result<T, ApiError> {
    let address = call.requester.context.address;
    let attempt = call.services.limits.failed_sign_in(address).await?;
    let verified = verification
        .await
        .map_err(|status| ServiceError::from_status(&status));
    if !matches!(&verified, Err(failure) if failure.kind == Kind::Unauthenticated) {
        attempt.take_back().await;
    }
    Ok(verified?.into_inner())
}

objects! {
    struct PersonState(person: proto::DevicePersonState) {
        id: Id,
        state: Enrolment = person.removed_at,
    }

    struct Contact(found: proto::ContactDeviceResponse) {
        device: Enrolment = found.device_removed_at,
        /// Everyone who is, or was, on the phone.
        people: Vec<PersonState>,
    }
}

async fn contact(call: Call, (payload, signature): (String, String)) -> RestResult {
    let signed = fields::parse(payload.as_bytes()).unwrap_or_default();
    let request = ContactDeviceRequest {
        device_id: device_id(&call, &signed),
        payload: payload.into_bytes(),
        signature,
        origin: Some(client_origin(&call)),
    };
    let mut accounts = call.edge_accounts();
    let found = accepted(&call, accounts.contact_device(request)).await?;
    let id = |text: &str| Uuid::parse_str(text).map_err(ServiceError::internal);
    let (device, company) = (id(&call.id())?, id(&found.company_id)?);
    let _in_flight = call.services.limits.device_call(device, company).await?;
    fields::read(&object(&signed), false, |fields| {
        if signed["contactAt"].is_null() {
            fields.wrong("contactAt", refusals::FIELD_MISSING);
        }
        fields.instant("contactAt");
    })?;
    RestResponse::ok(&Contact::from_proto(found))
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Whether a phone or a person is still enrolled.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Enrolment {
    Active,
    Removed,
}

impl FromProto<Option<Timestamp>> for Enrolment {
    fn from_proto(removed_at: Option<Timestamp>) -> Self {
        match removed_at {
            None => Self::Active,
            Some(_) => Self::Removed,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum DeviceUpdate {
    Enrolled {
        #[serde(flatten)]
        update: Box<OperatorUpdate>,
        device: Enrolment,
        person: Enrolment,
    },
    /// Of a removed phone or person, which learns nothing about the machine and the decision.
    #[serde(rename_all = "camelCase")]
    Removed {
        id: Id,
        client_id: String,
        status: WireName<UpdateStatus>,
        device: Enrolment,
        person: Enrolment,
    },
}

async fn submit(call: Call, (payload, signature): (String, String)) -> RestResult {
    let signed = fields::parse(payload.as_bytes()).unwrap_or_default();
    let request = VerifyDeviceRequest {
        device_id: device_id(&call, &signed),
        person_id: text(&signed, "operatorId").to_owned(),
        payload: payload.into_bytes(),
        signature,
        origin: Some(client_origin(&call)),
    };
    let mut accounts = call.edge_accounts();
    let verified = accepted(&call, accounts.verify_device(request)).await?;
    let limits = &call.services.limits;
    let requester = session::signed_by_device(&call.services, &call.requester, &verified).await?;
    let identity = requester
        .identity()
        .ok_or_else(ServiceError::unauthenticated)?;
    let (device, company) = (identity.session_id, identity.company_id);
    let _in_flight = limits.device_call(device, company).await?;
    let request = fields::read(&object(&signed["update"]), false, |fields| {
        for name in ["clientId", "capturedAt"] {
            if fields.missing(name) {
                fields.wrong(name, refusals::FIELD_MISSING);
            }
        }
        submission(fields)
    })?;
    let outgoing = Outgoing::as_requester(call.services.clone(), Arc::new(requester));
    let stored = outgoing::operator_updates(outgoing)
        .submit_update(request)
        .await?
        .into_inner();
    let update = stored.update.unwrap_or_default();
    let device = Enrolment::from_proto(verified.device_removed_at);
    let person = Enrolment::from_proto(verified.person_removed_at);
    let response = match (&device, &person) {
        (Enrolment::Active, Enrolment::Active) => DeviceUpdate::Enrolled {
            update: Box::new(OperatorUpdate::from_proto(update)),
            device,
            person,
        },
        _ => DeviceUpdate::Removed {
            status: WireName(update.status()),
            id: Id(update.id),
            client_id: update.client_id,
            device,
            person,
        },
    };
    RestResponse::ok_or_created(stored.created, &response)
}
