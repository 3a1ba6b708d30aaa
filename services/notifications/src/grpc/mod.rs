//! RPC handlers, one file per group.

mod digest;
mod mail;
mod notifications;
mod push;
mod settings;
mod sms;

use hourmeter_proto::accounts::v1::Role;
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::digest_service_server::DigestService;
use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsService;
use hourmeter_proto::notifications::v1::push_service_server::PushService;
use hourmeter_proto::notifications::v1::settings_service_server::SettingsService;
use hourmeter_proto::notifications::v1::sms_service_server::SmsService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::rpcs;

use crate::Channels;
use crate::mail::MailSettings;
use crate::refusals;
use crate::sources::Groups;
use crate::store::Reader;

#[derive(Debug)]
pub struct Api {
    pub database: Database,
    pub clock: Clock,
    pub events: Events,
    pub channels: Channels,
    pub groups: Groups,
}

rpcs! { Api, NotificationsService:
    notifications {
        record_facts(RecordFactsRequest) -> RecordFactsResponse;
        list_notifications(ListNotificationsRequest) -> ListNotificationsResponse;
        count_unread(CountUnreadRequest) -> CountUnreadResponse;
        mark_read(MarkReadRequest) -> MarkReadResponse;
        mark_all_read(MarkAllReadRequest) -> MarkAllReadResponse;
    }
    mail {
        send_address_verification(SendAddressVerificationRequest) -> SendAddressVerificationResponse;
        send_recovery_link(SendRecoveryLinkRequest) -> SendRecoveryLinkResponse;
        list_sandbox_mail(ListSandboxMailRequest) -> ListSandboxMailResponse;
    }
}

rpcs! { Api, DigestService:
    digest {
        get_digest_schedule(GetDigestScheduleRequest) -> GetDigestScheduleResponse;
        set_digest_schedule(SetDigestScheduleRequest) -> SetDigestScheduleResponse;
        send_digest(SendDigestRequest) -> SendDigestResponse;
        stop_digest(StopDigestRequest) -> StopDigestResponse;
    }
}

rpcs! { Api, PushService:
    push {
        get_push_key(GetPushKeyRequest) -> GetPushKeyResponse;
        add_push_subscription(AddPushSubscriptionRequest) -> AddPushSubscriptionResponse;
        remove_push_subscription(RemovePushSubscriptionRequest) -> RemovePushSubscriptionResponse;
        send_test_push(SendTestPushRequest) -> SendTestPushResponse;
    }
}

rpcs! { Api, SettingsService:
    settings {
        get_settings(GetSettingsRequest) -> GetSettingsResponse;
        set_settings(SetSettingsRequest) -> SetSettingsResponse;
        get_watch(GetWatchRequest) -> GetWatchResponse;
        set_watch(SetWatchRequest) -> SetWatchResponse;
    }
}

rpcs! { Api, SmsService:
    sms {
        get_sms_number(GetSmsNumberRequest) -> GetSmsNumberResponse;
        set_sms_number(SetSmsNumberRequest) -> SetSmsNumberResponse;
        verify_sms_number(VerifySmsNumberRequest) -> VerifySmsNumberResponse;
        remove_sms_number(RemoveSmsNumberRequest) -> RemoveSmsNumberResponse;
    }
}

impl Api {
    fn mail(&self) -> Result<&MailSettings, ServiceError> {
        let mail = self.channels.mail.as_ref();
        mail.ok_or_else(|| ServiceError::conflict(refusals::MAIL_NOT_CONFIGURED))
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
