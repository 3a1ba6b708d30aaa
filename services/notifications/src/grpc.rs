//! RPC handlers.

mod digest;
mod push;
mod settings;
mod sms;

use std::collections::BTreeSet;

use hourmeter_proto::accounts::v1::Role;
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::digest_service_server::DigestService;
use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsService;
use hourmeter_proto::notifications::v1::push_service_server::PushService;
use hourmeter_proto::notifications::v1::settings_service_server::SettingsService;
use hourmeter_proto::notifications::v1::sms_service_server::SmsService;
use hourmeter_runtime::clock::{Clock, timestamp};
use hourmeter_runtime::db::{Database, TenantTx};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use hourmeter_runtime::page::{MAX_LIMIT, Page};
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::Channels;
use crate::fact::{Fact, Settled};
use crate::input::between;
use crate::mail::MailSettings;
use crate::refusals;
use crate::sources::Groups;
use crate::store::messages::{self, MessageKind};
use crate::store::{self, Reader, digests, queue};

const MAX_FACTS: usize = 100;
const MAX_SANDBOX_MAIL: i64 = 50;

#[derive(Debug)]
pub struct Api {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub channels: Channels,
    pub groups: Groups,
}

/// Implements a service: each RPC with its messages and its handler.
macro_rules! rpcs {
    ($service:ident: $($rpc:ident($request:ident) -> $response:ident => $handler:path;)+) => {
        #[tonic::async_trait]
        impl $service for Api {
            $(
                async fn $rpc(
                    &self,
                    request: Request<v1::$request>,
                ) -> Result<Response<v1::$response>, Status> {
                    respond($handler(self, request).await)
                }
            )+
        }
    };
}

rpcs! { NotificationsService:
    record_facts(RecordFactsRequest) -> RecordFactsResponse => Self::record;
    list_notifications(ListNotificationsRequest) -> ListNotificationsResponse => Self::list;
    count_unread(CountUnreadRequest) -> CountUnreadResponse => Self::count;
    send_address_verification(SendAddressVerificationRequest)
        -> SendAddressVerificationResponse => Self::queue_verification;
    send_recovery_link(SendRecoveryLinkRequest) -> SendRecoveryLinkResponse => Self::queue_recovery;
    list_sandbox_mail(ListSandboxMailRequest) -> ListSandboxMailResponse => Self::sandbox_mail;
    mark_read(MarkReadRequest) -> MarkReadResponse => Self::mark_numbers;
    mark_all_read(MarkAllReadRequest) -> MarkAllReadResponse => Self::mark_up_to;
}

rpcs! { DigestService:
    get_digest_schedule(GetDigestScheduleRequest)
        -> GetDigestScheduleResponse => Self::digest_schedule;
    set_digest_schedule(SetDigestScheduleRequest)
        -> SetDigestScheduleResponse => Self::store_schedule;
    send_digest(SendDigestRequest) -> SendDigestResponse => Self::queue_digest;
    stop_digest(StopDigestRequest) -> StopDigestResponse => Self::end_digest;
}

rpcs! { PushService:
    get_push_key(GetPushKeyRequest) -> GetPushKeyResponse => Self::push_key;
    add_push_subscription(AddPushSubscriptionRequest)
        -> AddPushSubscriptionResponse => Self::add_browser;
    remove_push_subscription(RemovePushSubscriptionRequest)
        -> RemovePushSubscriptionResponse => Self::remove_browser;
    send_test_push(SendTestPushRequest) -> SendTestPushResponse => Self::queue_test_push;
}

rpcs! { SettingsService:
    get_settings(GetSettingsRequest) -> GetSettingsResponse => Self::settings;
    set_settings(SetSettingsRequest) -> SetSettingsResponse => Self::store_settings;
    get_watch(GetWatchRequest) -> GetWatchResponse => Self::watch;
    set_watch(SetWatchRequest) -> SetWatchResponse => Self::store_watch;
}

rpcs! { SmsService:
    get_sms_number(GetSmsNumberRequest) -> GetSmsNumberResponse => Self::sms_number;
    set_sms_number(SetSmsNumberRequest) -> SetSmsNumberResponse => Self::store_sms_number;
    verify_sms_number(VerifySmsNumberRequest) -> VerifySmsNumberResponse => Self::check_sms_code;
    remove_sms_number(RemoveSmsNumberRequest) -> RemoveSmsNumberResponse => Self::delete_sms_number;
}

impl Api {
    async fn record(
        &self,
        request: Request<v1::RecordFactsRequest>,
    ) -> Result<v1::RecordFactsResponse, ServiceError> {
        let tenant = Caller::service(&request)?;
        let caller = match request.extensions().get() {
            Some(Caller::Service { name, .. }) => *name,
            _ => return Err(ServiceError::forbidden()),
        };
        let facts = request.into_inner().facts;
        between("facts", facts.len(), 1..=MAX_FACTS)?;
        let (mut notifying, mut settled) = (Vec::new(), Vec::new());
        for fact in facts {
            match Settled::read(&fact)? {
                Some(update) => settled.push(update),
                None => notifying.push(Fact::try_from(fact)?),
            }
        }
        if notifying.iter().any(|fact| fact.source() != caller) {
            return Err(ServiceError::forbidden());
        }
        self.add_groups(tenant, &mut notifying).await?;
        let mut tx = self.database.tenant(tenant).await?;
        let mut people = store::record(&mut tx, self.clock.now(), &notifying).await?;
        if store::settle(&mut tx, &settled).await? {
            people.push(None);
        }
        tx.commit().await?;
        people.sort_unstable();
        people.dedup();
        for person_id in people {
            self.publish(tenant, person_id);
        }
        Ok(v1::RecordFactsResponse {})
    }

    /// Adds the groups of machines, which people may watch.
    async fn add_groups(&self, tenant: Tenant, facts: &mut [Fact]) -> Result<(), ServiceError> {
        let machines: BTreeSet<Uuid> = facts
            .iter()
            .filter(|fact| fact.person_id().is_none())
            .filter_map(|fact| fact.what.equipment_id())
            .collect();
        if machines.is_empty() {
            return Ok(());
        }
        let groups = self.groups.find(tenant, &machines).await?;
        for fact in facts {
            let machine = fact.what.equipment_id();
            fact.equipment_group = machine.and_then(|id| groups.get(&id.to_string()).cloned());
        }
        Ok(())
    }

    async fn list(
        &self,
        request: Request<v1::ListNotificationsRequest>,
    ) -> Result<v1::ListNotificationsResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let tenant = identity.tenant();
        let request = request.into_inner();
        let page = Page::from_request(request.page.as_ref())?;
        let mut reads = self.database.read(tenant).await?;
        let unread_only = request.unread_only;
        let mut rows = store::list(&mut reads, reader(&identity), unread_only, &page).await?;
        reads.done();
        let next = page.cut(&mut rows, |row| row.number);
        Ok(v1::ListNotificationsResponse {
            notifications: rows.into_iter().map(Into::into).collect(),
            page: Some(next),
        })
    }

    async fn count(
        &self,
        request: Request<v1::CountUnreadRequest>,
    ) -> Result<v1::CountUnreadResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let tenant = identity.tenant();
        let mut reads = self.database.read(tenant).await?;
        // The marker is read first: a change in between changes it again.
        let marker = store::marker(&mut reads, reader(&identity)).await?;
        let unread = store::count_unread(&mut reads, tenant, reader(&identity)).await?;
        reads.done();
        Ok(v1::CountUnreadResponse {
            unread: count(unread),
            marker,
        })
    }

    async fn queue_verification(
        &self,
        request: Request<v1::SendAddressVerificationRequest>,
    ) -> Result<v1::SendAddressVerificationResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let sandbox = self.mail()?.is_sandbox();
        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let (kind, now) = (MessageKind::AddressVerification, self.clock.now());
        queue::mail(&mut tx, kind, identity.user_id, now).await?;
        // It is mailed once the address is verified.
        digests::start(&mut tx, identity.user_id, now).await?;
        tx.commit().await?;
        Ok(v1::SendAddressVerificationResponse { sandbox })
    }

    async fn queue_recovery(
        &self,
        request: Request<v1::SendRecoveryLinkRequest>,
    ) -> Result<v1::SendRecoveryLinkResponse, ServiceError> {
        let message = request.into_inner();
        let ids = Uuid::parse_str(&message.company_id).ok();
        let ids = ids.zip(Uuid::parse_str(&message.person_id).ok());
        let (company_id, person_id) = ids.ok_or_else(ServiceError::not_found)?;
        self.mail()?;
        // The gateway has found both by a name.
        let tenant = Tenant::from_lookup(company_id);
        let (kind, now) = (MessageKind::PasswordRecovery, self.clock.now());
        let mut tx = self.database.tenant(tenant).await?;
        queue::mail(&mut tx, kind, person_id, now).await?;
        tx.commit().await?;
        Ok(v1::SendRecoveryLinkResponse {})
    }

    async fn sandbox_mail(
        &self,
        request: Request<v1::ListSandboxMailRequest>,
    ) -> Result<v1::ListSandboxMailResponse, ServiceError> {
        let tenant = Caller::person(&request)?.tenant();
        let sandbox = self.channels.mail.as_ref().filter(|mail| mail.is_sandbox());
        let sandbox = sandbox.ok_or_else(ServiceError::not_found)?;
        let mut reads = self.database.read(tenant).await?;
        let sent = messages::sent(&mut reads, MAX_SANDBOX_MAIL).await?;
        reads.done();
        let mut mail = Vec::with_capacity(sent.len());
        for (id, at) in sent {
            let found = sandbox.read_sandbox(id).await;
            let found = found.map_err(ServiceError::internal)?;
            mail.extend(found.map(|mail| v1::SandboxMail {
                sent_at: Some(timestamp(at)),
                ..mail
            }));
        }
        Ok(v1::ListSandboxMailResponse { mail })
    }

    async fn mark_numbers(
        &self,
        request: Request<v1::MarkReadRequest>,
    ) -> Result<v1::MarkReadResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let numbers = request.into_inner().numbers;
        between("numbers", numbers.len(), 1..=MAX_LIMIT as usize)?;
        let (tenant, reader) = (identity.tenant(), reader(&identity));
        let mut tx = self.database.tenant(tenant).await?;
        store::mark_read(&mut tx, reader, &numbers).await?;
        let unread = self.commit_reading(tx, reader).await?;
        Ok(v1::MarkReadResponse { unread })
    }

    async fn mark_up_to(
        &self,
        request: Request<v1::MarkAllReadRequest>,
    ) -> Result<v1::MarkAllReadResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let (tenant, reader) = (identity.tenant(), reader(&identity));
        let mut tx = self.database.tenant(tenant).await?;
        store::mark_all_read(&mut tx, reader, request.get_ref().up_to).await?;
        let unread = self.commit_reading(tx, reader).await?;
        Ok(v1::MarkAllReadResponse { unread })
    }

    /// Returns how many are unread.
    async fn commit_reading(&self, mut tx: TenantTx, reader: Reader) -> Result<u32, ServiceError> {
        let tenant = tx.tenant();
        let unread = store::count_unread(&mut tx, tenant, reader).await?;
        tx.commit().await?;
        self.publish(tenant, Some(reader.person_id));
        Ok(count(unread))
    }

    fn mail(&self) -> Result<&MailSettings, ServiceError> {
        let mail = self.channels.mail.as_ref();
        mail.ok_or_else(|| ServiceError::new(Kind::Conflict, refusals::MAIL_NOT_CONFIGURED))
    }

    /// Publishes a change for a person or, with None, for owner and managers.
    fn publish(&self, tenant: Tenant, person_id: Option<Uuid>) {
        self.events.publish(Event {
            company_id: tenant.company_id(),
            topic: Topic::Notifications,
            person_id,
            equipment_id: None,
        });
    }
}

fn reader(identity: &Identity) -> Reader {
    Reader {
        person_id: identity.user_id,
        is_manager: matches!(identity.effective_role(), Role::Owner | Role::Manager),
    }
}

/// Whether somebody with the operators' password acts for an owner or a manager, whose choices are not theirs.
fn acts_for_another(identity: &Identity) -> bool {
    identity.effective_role() != identity.role
}

fn count(unread: i64) -> u32 {
    u32::try_from(unread).unwrap_or_default()
}
