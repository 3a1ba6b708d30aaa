//! Calls of other services: addresses, sessions, and what the digest says.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc, Weekday};
use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::contacts_service_client::ContactsServiceClient;
use hourmeter_proto::accounts::v1::{
    Contact, CreateMailLinkRequest, CreateMailLinkResponse, ListActivePeopleRequest,
    ListActiveSessionsRequest, ListContactsRequest, ListSilentDevicesRequest, MailLinkPurpose,
};
use hourmeter_proto::billing::v1::FindSubscriptionRequest;
use hourmeter_proto::billing::v1::digest_service_client::DigestServiceClient as BillingDigest;
use hourmeter_proto::equipment::v1::digest_service_client::DigestServiceClient as EquipmentDigest;
use hourmeter_proto::equipment::v1::{
    DigestSelection, FindGroupsRequest, GetDigestRequest, GetDigestResponse,
};
use hourmeter_proto::operator_updates::v1::digest_service_client::DigestServiceClient as UpdatesDigest;
use hourmeter_proto::operator_updates::v1::{
    CountReviewRequest, CountReviewResponse, ListRecentOperatorsRequest,
};
use hourmeter_runtime::client::{Backend, CallerSigner, call_within};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Service, Signer, Tenant};
use hourmeter_runtime::page::MAX_LIMIT;
use tonic::Request;
use uuid::Uuid;

use crate::payment::Payment;
use crate::silent_phones::{SilentPhone, silent_period};
use crate::watch::Watch;

const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const DAYS_OF_WEEK: u32 = 7;
/// On Mondays.
const DAYS_OF_OUTLOOK: u32 = 28;
/// Machines of a list in the digest.
const MAX_MACHINES: u32 = 10;

/// The services that mail is made from.
#[derive(Clone, Debug)]
pub struct Backends {
    pub accounts: Backend,
    pub equipment: Backend,
    pub operator_updates: Backend,
    pub billing: Backend,
}

#[derive(Clone, Debug)]
pub struct Sources {
    accounts: ContactsServiceClient<Backend>,
    equipment: EquipmentDigest<Backend>,
    operator_updates: UpdatesDigest<Backend>,
    billing: BillingDigest<Backend>,
    callers: Arc<CallerSigner>,
}

/// People of a company who have an address, and its time zone.
#[derive(Debug)]
pub struct Contacts {
    pub people: Vec<Contact>,
    pub time_zone: Tz,
    stale_after_days: u32,
}

impl Contacts {
    pub fn find(&self, person_id: Uuid) -> Option<&Contact> {
        let id = person_id.to_string();
        self.people.iter().find(|contact| contact.person_id == id)
    }

    /// `NOT_FOUND` for a person who was removed or whose address is not verified.
    pub fn find_verified(&self, person_id: Uuid) -> Result<&Contact, ServiceError> {
        let contact = self.find(person_id).filter(|contact| contact.verified);
        contact.ok_or_else(ServiceError::not_found)
    }
}

/// The groups of machines, from equipment.
#[derive(Clone, Debug)]
pub struct Groups {
    equipment: EquipmentDigest<Backend>,
    callers: Arc<CallerSigner>,
}

impl Groups {
    pub fn new(equipment: Backend, signer: Signer) -> Self {
        Self {
            equipment: EquipmentDigest::new(equipment),
            callers: CallerSigner::new(signer),
        }
    }

    /// The groups of those machines that have one, by id.
    pub async fn find(
        &self,
        tenant: Tenant,
        machines: &BTreeSet<Uuid>,
    ) -> Result<HashMap<String, String>, ServiceError> {
        let message = FindGroupsRequest {
            equipment_ids: machines.iter().map(Uuid::to_string).collect(),
        };
        let service = Service::Notifications;
        let request = self.callers.request(service, tenant, message);
        let found = answer(self.equipment.clone().find_groups(request)).await?;
        Ok(found.groups)
    }
}

/// What the digest of a company says on a day.
#[derive(Debug)]
pub struct Facts {
    pub today: NaiveDate,
    /// Days ahead within which service counts as due.
    pub due_within_days: u32,
    pub equipment: GetDigestResponse,
    pub review: CountReviewResponse,
    /// What payments or the trial need.
    pub payment: Option<Payment>,
    /// Phones of operators that did not reach the server on the last workday.
    pub silent_phones: Vec<SilentPhone>,
    /// Whether the equipment is only what the person watches.
    pub watched_only: bool,
}

impl Facts {
    /// Whether nothing needs a decision.
    pub fn is_empty(&self) -> bool {
        let found = &self.equipment;
        let lists = [&found.overdue, &found.due, &found.stale];
        let machines = lists.into_iter().flatten();
        self.payment.is_none()
            && self.review.pending == 0
            && self.silent_phones.is_empty()
            && machines.map(|list| list.total).sum::<u32>() == 0
    }
}

impl Sources {
    pub fn new(backends: Backends, signer: Signer) -> Self {
        Self {
            accounts: ContactsServiceClient::new(backends.accounts),
            equipment: EquipmentDigest::new(backends.equipment),
            operator_updates: UpdatesDigest::new(backends.operator_updates),
            billing: BillingDigest::new(backends.billing),
            callers: CallerSigner::new(signer),
        }
    }

    pub async fn mail_link(
        &self,
        tenant: Tenant,
        person_id: Uuid,
        purpose: MailLinkPurpose,
    ) -> Result<CreateMailLinkResponse, ServiceError> {
        let message = CreateMailLinkRequest {
            person_id: person_id.to_string(),
            purpose: purpose.into(),
        };
        let request = self.request(tenant, message);
        answer(self.accounts.clone().create_mail_link(request)).await
    }

    /// `NOT_FOUND` for a company that was deleted.
    pub async fn contacts(&self, tenant: Tenant) -> Result<Contacts, ServiceError> {
        let request = self.request(tenant, ListContactsRequest {});
        let found = answer(self.accounts.clone().list_contacts(request)).await?;
        let time_zone = found.time_zone.parse().map_err(ServiceError::internal)?;
        Ok(Contacts {
            people: found.contacts,
            time_zone,
            stale_after_days: found.stale_after_days,
        })
    }

    pub async fn time_zone(&self, tenant: Tenant) -> Result<Tz, ServiceError> {
        Ok(self.contacts(tenant).await?.time_zone)
    }

    /// Those of these sessions that are active.
    pub async fn active_sessions(
        &self,
        tenant: Tenant,
        ids: &[Uuid],
    ) -> Result<Vec<Uuid>, ServiceError> {
        let message = ListActiveSessionsRequest {
            session_ids: ids.iter().map(Uuid::to_string).collect(),
        };
        let request = self.request(tenant, message);
        let found = answer(self.accounts.clone().list_active_sessions(request)).await?;
        parse_ids(&found.session_ids)
    }

    /// Whether the person is one of the company.
    pub async fn is_active(&self, tenant: Tenant, person_id: Uuid) -> Result<bool, ServiceError> {
        let found = self.active_people(tenant, &[person_id], false).await?;
        Ok(!found.is_empty())
    }

    /// Those of these people who are operators of the company.
    pub async fn operators(&self, tenant: Tenant, ids: &[Uuid]) -> Result<Vec<Uuid>, ServiceError> {
        let mut operators = Vec::new();
        for ids in ids.chunks(MAX_LIMIT as usize) {
            operators.extend(self.active_people(tenant, ids, true).await?);
        }
        Ok(operators)
    }

    async fn active_people(
        &self,
        tenant: Tenant,
        ids: &[Uuid],
        operators_only: bool,
    ) -> Result<Vec<Uuid>, ServiceError> {
        let message = ListActivePeopleRequest {
            person_ids: ids.iter().map(Uuid::to_string).collect(),
            operators_only,
        };
        let request = self.request(tenant, message);
        let found = answer(self.accounts.clone().list_active_people(request)).await?;
        parse_ids(&found.person_ids)
    }

    pub async fn facts(
        &self,
        tenant: Tenant,
        contacts: &Contacts,
        watch: Option<&Watch>,
        now: DateTime<Utc>,
    ) -> Result<Facts, ServiceError> {
        let today = now.with_timezone(&contacts.time_zone).date_naive();
        let due_within_days = match today.weekday() {
            Weekday::Mon => DAYS_OF_OUTLOOK,
            _ => DAYS_OF_WEEK,
        };
        let mut equipment = self.equipment.clone();
        let message = GetDigestRequest {
            time_zone: contacts.time_zone.name().to_owned(),
            stale_after_days: contacts.stale_after_days,
            due_within_days,
            limit: MAX_MACHINES,
            selection: watch.map(|watch| DigestSelection {
                equipment_ids: watch.equipment_ids.iter().map(Uuid::to_string).collect(),
                groups: watch.groups.clone(),
            }),
        };
        let equipment = equipment.get_digest(self.request(tenant, message));
        let mut updates = self.operator_updates.clone();
        let review = updates.count_review(self.request(tenant, CountReviewRequest {}));
        let mut billing = self.billing.clone();
        let subscription = self.request(tenant, FindSubscriptionRequest {});
        let subscription = billing.find_subscription(subscription);
        let mut accounts = self.accounts.clone();
        let period = silent_period(today, contacts.time_zone);
        let message = ListSilentDevicesRequest {
            since: Some(timestamp(period.start)),
            until: Some(timestamp(period.end)),
        };
        let phones = accounts.list_silent_devices(self.request(tenant, message));
        let (equipment, review, found, phones) = tokio::try_join!(
            answer(equipment),
            answer(review),
            answer(subscription),
            answer(phones)
        )?;
        Ok(Facts {
            watched_only: watch.is_some(),
            silent_phones: phones
                .devices
                .into_iter()
                .filter_map(|phone| SilentPhone::read(phone, contacts.time_zone))
                .collect(),
            today,
            due_within_days,
            equipment,
            review,
            payment: found
                .subscription
                .and_then(|found| Payment::of(&found, contacts.time_zone)),
        })
    }

    /// Operators who have reported on a machine since then, also removed ones.
    pub async fn recent_operators(
        &self,
        tenant: Tenant,
        machine: Uuid,
        since: DateTime<Utc>,
    ) -> Result<Vec<Uuid>, ServiceError> {
        let message = ListRecentOperatorsRequest {
            equipment_ids: vec![machine.to_string()],
            since: Some(timestamp(since)),
        };
        let request = self.request(tenant, message);
        let found = answer(self.operator_updates.clone().list_recent_operators(request)).await?;
        parse_ids(found.operators.iter().map(|one| &one.operator_id))
    }

    fn request<T>(&self, tenant: Tenant, message: T) -> Request<T> {
        let service = Service::Notifications;
        self.callers.request(service, tenant, message)
    }
}

async fn answer<T>(
    call: impl Future<Output = tonic::Result<tonic::Response<T>>>,
) -> Result<T, ServiceError> {
    call_within(CALL_TIMEOUT, call).await
}

fn parse_ids<'a>(ids: impl IntoIterator<Item = &'a String>) -> Result<Vec<Uuid>, ServiceError> {
    let ids = ids.into_iter().map(|id| Uuid::parse_str(id));
    ids.collect::<Result<_, _>>()
        .map_err(ServiceError::internal)
}
