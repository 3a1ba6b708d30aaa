//! Phones on which operators sign in without signal. The PIN never leaves the phone; the phone signs
//! what it sends for a person.

use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean};
use tonic::Request;
use uuid::Uuid;

use super::employees::unknown_object;
use super::{Api, convert};
use crate::domain::{FieldErrors, device};
use crate::refusals;
use crate::store::audit::{self, AuditContext, AuditEntry, Event, NO_COMPANY};
use crate::store::companies;
use crate::store::devices::{self, Device, KEPT_AFTER_REMOVAL, ListedDevice};

/// Audit detail of an unknown id, and of a person who was added to an enrolled phone or left it.
const DEVICE: &str = "device";
const PERSON: &str = "person";

pub(super) async fn enrol_device(
    api: &Api,
    request: Request<v1::EnrolDeviceRequest>,
) -> Result<v1::EnrolDeviceResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    if identity.effective_role() != Role::Operator {
        let text = refusals::DEVICE_OPERATORS_ONLY;
        return Err(ServiceError::forbidden_because(text));
    }
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let asked = read_device(api, request.get_ref())?;
    let mut tx = api.database.tenant(tenant).await?;
    // The number of phones is counted while no other one is enrolled.
    companies::lock(&mut tx).await?;
    let enrolled = devices::lock(&mut tx, asked.id).await?;
    let created = enrolled.is_none();
    let device = match enrolled {
        Some(device) if device.public_key != asked.public_key => {
            return Err(ServiceError::conflict(refusals::DEVICE_TAKEN));
        }
        Some(Device {
            removed_at: Some(_),
            ..
        }) => return Err(ServiceError::device_removed()),
        Some(device) => device,
        None => {
            if devices::limit_reached(&mut tx, &identity).await? {
                return Err(ServiceError::conflict(refusals::DEVICE_LIMIT));
            }
            devices::insert(&mut tx, &identity, &asked).await?;
            asked
        }
    };
    devices::touch(&mut tx, device.id, now).await?;
    let added = devices::add_person(&mut tx, &identity, device.id, now).await?;
    if added {
        let detail = if created { "" } else { PERSON };
        record(&mut tx, &identity, Event::DeviceEnrolled, &device, detail).await?;
    }
    tx.commit().await?;
    Ok(v1::EnrolDeviceResponse {
        id: device.id.to_string(),
        label: device.label,
        company_id: tenant.company_id().to_string(),
        enrolled_at: Some(timestamp(device.enrolled_at)),
        created,
    })
}

fn read_device(api: &Api, request: &v1::EnrolDeviceRequest) -> Result<Device, ServiceError> {
    let mut errors = FieldErrors::default();
    let id = convert::id(&request.id).ok_or(shared::NOT_AN_ID);
    let label = clean(&request.label, device::MAX_LABEL, LineBreaks::Forbidden);
    let key = device::public_key(&request.public_key).ok_or(refusals::DEVICE_KEY_INVALID);
    let device = Device {
        id: errors.take("id", id),
        label: errors.take("label", label),
        public_key: errors.take("publicKey", key),
        enrolled_at: api.clock.now(),
        removed_at: None,
    };
    if device.label.is_empty() {
        errors.add("label", refusals::FIELDS_MISSING);
    }
    errors.finish()?;
    Ok(device)
}

async fn record(
    tx: &mut TenantTx,
    identity: &Identity,
    event: Event,
    device: &Device,
    detail: &str,
) -> Result<(), ServiceError> {
    let context = AuditContext::from_identity(identity);
    let entry = AuditEntry::success(event).target(device.id, &device.label);
    audit::record(tx, &context, &entry.detail(detail)).await
}

pub(super) async fn list_devices(
    api: &Api,
    request: Request<v1::ListDevicesRequest>,
) -> Result<v1::ListDevicesResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let devices = devices::list(&mut tx, api.clock.now()).await?;
    tx.commit().await?;
    Ok(v1::ListDevicesResponse {
        devices: devices.into_iter().map(Into::into).collect(),
    })
}

impl From<ListedDevice> for v1::Device {
    fn from(device: ListedDevice) -> Self {
        let people = device.people_ids.into_iter().zip(device.people_names);
        Self {
            id: device.id.to_string(),
            label: device.label,
            enrolled_by: device.enrolled_by,
            enrolled_at: Some(timestamp(device.enrolled_at)),
            last_contact: Some(timestamp(device.last_contact)),
            people: people
                .map(|(id, name)| v1::DevicePerson {
                    id: id.to_string(),
                    name,
                })
                .collect(),
            removed_at: device.removed_at.map(timestamp),
        }
    }
}

pub(super) async fn remove_device(
    api: &Api,
    request: Request<v1::RemoveDeviceRequest>,
) -> Result<v1::RemoveDeviceResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let id = convert::id(&request.get_ref().id);
    let mut tx = api.database.tenant(tenant).await?;
    let found = match id {
        Some(id) => devices::lock(&mut tx, id).await?,
        None => None,
    };
    let Some(device) = found else {
        let context = AuditContext::from_identity(&identity);
        return Err(unknown_object(tx, &context, DEVICE, id).await);
    };
    if devices::remove(&mut tx, &identity, device.id, api.clock.now()).await? {
        record(&mut tx, &identity, Event::DeviceRemoved, &device, "").await?;
    }
    tx.commit().await?;
    Ok(v1::RemoveDeviceResponse {})
}

pub(super) async fn leave_device(
    api: &Api,
    request: Request<v1::LeaveDeviceRequest>,
) -> Result<v1::LeaveDeviceResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let id = convert::id(&request.get_ref().id).ok_or_else(ServiceError::not_found)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let device = devices::lock(&mut tx, id).await?;
    let device = device.ok_or_else(ServiceError::not_found)?;
    let was_on_it = devices::remove_person(&mut tx, &identity, id, api.clock.now()).await?;
    if was_on_it.ok_or_else(ServiceError::not_found)? {
        record(&mut tx, &identity, Event::DeviceRemoved, &device, PERSON).await?;
    }
    tx.commit().await?;
    Ok(v1::LeaveDeviceResponse {})
}

pub(super) async fn verify_device(
    api: &Api,
    request: Request<v1::VerifyDeviceRequest>,
) -> Result<v1::VerifyDeviceResponse, ServiceError> {
    let message = request.get_ref();
    let context = convert::edge_context(&request, message.origin.as_ref())?;
    // An unknown id is looked up too, for the same work.
    let device_id = convert::id(&message.device_id).unwrap_or_default();
    let person_id = convert::id(&message.person_id).unwrap_or_default();
    let mut lookup = api.database.lookup().await?;
    let found = devices::find_key(&mut lookup, device_id, person_id).await?;
    drop(lookup);
    let key = found.as_ref().map(|(_, key)| key.as_slice());
    if !device::has_signed(key, &message.payload, &message.signature) {
        record_refusal(api, &context, device_id).await?;
        return Err(refused());
    }
    let (tenant, _) = found.ok_or_else(refused)?;
    let mut tx = api.database.tenant(tenant).await?;
    let session = devices::session(&mut tx, device_id, person_id).await?;
    let session = session.ok_or_else(refused)?;
    let now = api.clock.now();
    let mut removals = session
        .device_removed_at
        .iter()
        .chain(&session.person_removed_at);
    if removals.any(|at| *at <= now - KEPT_AFTER_REMOVAL) {
        return Err(refused());
    }
    devices::touch(&mut tx, device_id, now).await?;
    tx.commit().await?;
    Ok(v1::VerifyDeviceResponse {
        session: Some(session.session.into()),
        label: session.label,
        device_removed_at: session.device_removed_at.map(timestamp),
        person_removed_at: session.person_removed_at.map(timestamp),
    })
}

fn refused() -> ServiceError {
    ServiceError::new(Kind::Unauthenticated, refusals::DEVICE_NOT_ACCEPTED)
}

/// Records a refused request in the audit log of each company that has the phone.
async fn record_refusal(
    api: &Api,
    context: &AuditContext,
    device_id: Uuid,
) -> Result<(), ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = devices::find_keys(&mut lookup, device_id).await?;
    drop(lookup);
    let mut tenants: Vec<_> = found.into_iter().map(|(tenant, _)| tenant).collect();
    if tenants.is_empty() {
        // For the same work as that of a known phone.
        tenants.push(NO_COMPANY);
    }
    for tenant in tenants {
        let mut tx = api.database.tenant(tenant).await?;
        let label = devices::note_refusal(&mut tx, device_id, api.clock.now()).await?;
        if let Some(label) = label {
            let entry = AuditEntry::failed(Event::DeviceRefused).target(device_id, &label);
            audit::record(&mut tx, context, &entry).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

pub(super) async fn contact_device(
    api: &Api,
    request: Request<v1::ContactDeviceRequest>,
) -> Result<v1::ContactDeviceResponse, ServiceError> {
    let message = request.get_ref();
    let context = convert::edge_context(&request, message.origin.as_ref())?;
    let id = convert::id(&message.device_id).unwrap_or_default();
    let mut lookup = api.database.lookup().await?;
    let found = devices::find_keys(&mut lookup, id).await?;
    drop(lookup);
    let has_signed = |key| device::has_signed(key, &message.payload, &message.signature);
    if found.is_empty() {
        // For the same work as that of a known phone.
        has_signed(None);
    }
    let signed = found.iter().find(|(_, key)| has_signed(Some(key)));
    let Some((tenant, _)) = signed else {
        record_refusal(api, &context, id).await?;
        return Err(refused());
    };
    let tenant = *tenant;
    let mut tx = api.database.tenant(tenant).await?;
    let device = devices::lock(&mut tx, id).await?;
    let device = device.ok_or_else(refused)?;
    devices::touch(&mut tx, id, api.clock.now()).await?;
    let people = devices::people(&mut tx, id).await?;
    tx.commit().await?;
    let people = people.into_iter();
    Ok(v1::ContactDeviceResponse {
        company_id: tenant.company_id().to_string(),
        device_removed_at: device.removed_at.map(timestamp),
        people: people
            .map(|(id, removed_at)| v1::DevicePersonState {
                id: id.to_string(),
                removed_at: removed_at.map(timestamp),
            })
            .collect(),
    })
}
