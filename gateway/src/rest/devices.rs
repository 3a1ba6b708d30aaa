//! Phones on which operators sign in without signal, and the updates that such a phone signs.

use std::future::Future;
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
use super::operator_updates::{OperatorUpdate, submission};
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::sign_in::client_origin;
use super::values::{Id, Instant, all};
use super::wire_enums::WireName;
use crate::api_error::ApiError;
use crate::outgoing::{self, Outgoing};
use crate::refusals;
use crate::session;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    vec![
        Route::new(
            (Post, "/api/devices"),
            rpc("EnrolDevice"),
            "Enrols the caller's phone for signing in without signal; 200 if it is enrolled, for one more person",
            enrol,
        )
        .body(enrolment)
        .created::<EnrolledDevice>()
        .ok::<EnrolledDevice>(),
        Route::new(
            (Get, "/api/devices"),
            rpc("ListDevices"),
            "Phones on which operators sign in without signal; removed ones for 90 days",
            list,
        )
        .list::<Device>(),
        Route::new(
            (Delete, "/api/devices/{id}"),
            rpc("RemoveDevice"),
            "Removes a phone; what is captured on it afterwards waits for review",
            remove,
        )
        .empty(),
        Route::new(
            (Delete, "/api/devices/{id}/people/me"),
            rpc("LeaveDevice"),
            "Removes the caller from the people of a phone",
            leave,
        )
        .empty(),
        Route::new(
            (Post, "/api/devices/{id}/contact"),
            AccessRule::Public,
            "Returns whether an enrolled phone, which signed the request, and its people are still enrolled",
            contact,
        )
        .body(signed_payload)
        .ok::<Contact>(),
        Route::new(
            (Post, "/api/devices/{id}/updates"),
            AccessRule::Public,
            "Submits an update that an enrolled phone signed for one of its people; 200 with the stored one if its clientId is known",
            submit,
        )
        .body(signed_payload)
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

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EnrolledDevice {
    id: Id,
    label: String,
    company_id: Id,
    enrolled_at: Instant,
}

async fn enrol(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(enrolment)?;
    let enrolled = call.accounts().enrol_device(request).await?.into_inner();
    let created = enrolled.created;
    let device = EnrolledDevice {
        id: Id(enrolled.id),
        label: enrolled.label,
        company_id: Id(enrolled.company_id),
        enrolled_at: enrolled.enrolled_at.into(),
    };
    if created {
        RestResponse::created(&device)
    } else {
        RestResponse::ok(&device)
    }
}

#[derive(Serialize, JsonSchema)]
struct DevicePerson {
    id: Id,
    name: String,
}

impl From<proto::DevicePerson> for DevicePerson {
    fn from(person: proto::DevicePerson) -> Self {
        Self {
            id: Id(person.id),
            name: person.name,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Device {
    id: Id,
    label: String,
    enrolled_by: String,
    enrolled_at: Instant,
    last_contact: Instant,
    people: Vec<DevicePerson>,
    removed_at: Option<Instant>,
}

impl From<proto::Device> for Device {
    fn from(device: proto::Device) -> Self {
        Self {
            id: Id(device.id),
            label: device.label,
            enrolled_by: device.enrolled_by,
            enrolled_at: device.enrolled_at.into(),
            last_contact: device.last_contact.into(),
            people: all(device.people),
            removed_at: device.removed_at.map(Instant::from),
        }
    }
}

async fn list(call: Call) -> Result<RestResponse, ApiError> {
    let found = call.accounts().list_devices(ListDevicesRequest {}).await?;
    RestResponse::ok(&all::<_, Device>(found.into_inner().devices))
}

async fn remove(call: Call) -> Result<RestResponse, ApiError> {
    let request = RemoveDeviceRequest {
        id: call.id.clone(),
    };
    call.accounts().remove_device(request).await?;
    Ok(RestResponse::empty())
}

async fn leave(call: Call) -> Result<RestResponse, ApiError> {
    let request = LeaveDeviceRequest {
        id: call.id.clone(),
    };
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
    let id = text(signed, "deviceId");
    if id.eq_ignore_ascii_case(&call.id) {
        call.id.clone()
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
    let attempt = call.services.limits.device_sign_in(address).await?;
    let verified = verification
        .await
        .map_err(|status| ServiceError::from_status(&status));
    if !matches!(&verified, Err(failure) if failure.kind == Kind::Unauthenticated) {
        attempt.not_refused().await;
    }
    Ok(verified?.into_inner())
}

#[derive(Serialize, JsonSchema)]
struct PersonState {
    id: Id,
    state: Enrolment,
}

#[derive(Serialize, JsonSchema)]
struct Contact {
    device: Enrolment,
    /// Everyone who is, or was, on the phone.
    people: Vec<PersonState>,
}

async fn contact(call: Call) -> Result<RestResponse, ApiError> {
    let (payload, signature) = call.body(signed_payload)?;
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
    let (device, company) = (id(&call.id)?, id(&found.company_id)?);
    let _in_flight = call.services.limits.device_call(device, company).await?;
    fields::read(&object(&signed), false, |fields| {
        if signed["contactAt"].is_null() {
            fields.wrong("contactAt", refusals::FIELD_MISSING);
        }
        fields.instant("contactAt");
    })?;
    let people = found.people.into_iter();
    RestResponse::ok(&Contact {
        device: Enrolment::of(found.device_removed_at.as_ref()),
        people: people
            .map(|person| PersonState {
                id: Id(person.id),
                state: Enrolment::of(person.removed_at.as_ref()),
            })
            .collect(),
    })
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

impl Enrolment {
    const fn of(removed_at: Option<&Timestamp>) -> Self {
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

async fn submit(call: Call) -> Result<RestResponse, ApiError> {
    let (payload, signature) = call.body(signed_payload)?;
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
    let _in_flight = match requester.identity() {
        Some(identity) => {
            let (device, company) = (identity.session_id, identity.company_id);
            limits.device_call(device, company).await?
        }
        None => return Err(ServiceError::unauthenticated().into()),
    };
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
    let device = Enrolment::of(verified.device_removed_at.as_ref());
    let person = Enrolment::of(verified.person_removed_at.as_ref());
    let response = match (&device, &person) {
        (Enrolment::Active, Enrolment::Active) => DeviceUpdate::Enrolled {
            update: Box::new(update.into()),
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
    if stored.created {
        RestResponse::created(&response)
    } else {
        RestResponse::ok(&response)
    }
}
