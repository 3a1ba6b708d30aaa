//! Access rules of every RPC in the contract.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::notifications::v1::sms_service_client::SmsServiceClient;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{as_edge, as_person, as_relay, operator_of, owner};
use tonic::{Code, Status};

use crate::support::{TestNotifications, flagged};

#[test]
fn contract_has_twenty_four_rpcs() {
    let table = policy_table().unwrap();
    let own = table
        .keys()
        .filter(|path| Service::from_path(path) == Some(Service::Notifications));
    assert_eq!(own.count(), 24);
}

#[tokio::test]
async fn record_facts_is_for_services() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let request = || RecordFactsRequest {
        facts: vec![flagged("a")],
    };
    for by in [&owner, &operator_of(&owner)] {
        let call = as_person(Service::Notifications, by, request());
        let refused = service.client().record_facts(call).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
    }
    let call = as_edge(Service::Notifications, request());
    let refused = service.client().record_facts(call).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(service.list(&owner).await.is_empty());
    service
        .record(owner.company_id, request().facts)
        .await
        .unwrap();
    assert_eq!(service.list(&owner).await.len(), 1);
}

#[tokio::test]
async fn other_rpcs_are_for_people() {
    let service = TestNotifications::new().await;
    let company = owner().company_id;
    let (mut client, mut digests) = (service.client(), service.digests());
    let mut pushes = service.pushes();
    let to = Service::Notifications;
    let codes = [
        client
            .list_notifications(as_relay(to, company, ListNotificationsRequest::default()))
            .await
            .unwrap_err(),
        client
            .count_unread(as_edge(to, CountUnreadRequest {}))
            .await
            .unwrap_err(),
        client
            .mark_read(as_relay(to, company, MarkReadRequest { numbers: vec![1] }))
            .await
            .unwrap_err(),
        client
            .mark_all_read(as_edge(to, MarkAllReadRequest { up_to: 1 }))
            .await
            .unwrap_err(),
        client
            .send_address_verification(as_edge(to, SendAddressVerificationRequest {}))
            .await
            .unwrap_err(),
        client
            .list_sandbox_mail(as_edge(to, ListSandboxMailRequest {}))
            .await
            .unwrap_err(),
        pushes
            .get_push_key(as_edge(to, GetPushKeyRequest {}))
            .await
            .unwrap_err(),
        pushes
            .add_push_subscription(as_relay(to, company, AddPushSubscriptionRequest::default()))
            .await
            .unwrap_err(),
        pushes
            .remove_push_subscription(as_edge(to, RemovePushSubscriptionRequest::default()))
            .await
            .unwrap_err(),
        pushes
            .send_test_push(as_edge(to, SendTestPushRequest {}))
            .await
            .unwrap_err(),
        digests
            .get_digest_schedule(as_edge(to, GetDigestScheduleRequest {}))
            .await
            .unwrap_err(),
        digests
            .set_digest_schedule(as_relay(to, company, SetDigestScheduleRequest::default()))
            .await
            .unwrap_err(),
        digests
            .send_digest(as_edge(to, SendDigestRequest {}))
            .await
            .unwrap_err(),
        digests
            .stop_digest(as_person(to, &owner(), StopDigestRequest::default()))
            .await
            .unwrap_err(),
    ];
    assert_refused(&codes);
}

#[tokio::test]
async fn settings_are_for_people() {
    let service = TestNotifications::new().await;
    let (company, to) = (owner().company_id, Service::Notifications);
    let mut settings = service.settings();
    let mut sms = SmsServiceClient::new(service.backend.clone());
    let codes = [
        settings
            .get_settings(as_edge(to, GetSettingsRequest {}))
            .await
            .unwrap_err(),
        settings
            .set_settings(as_relay(to, company, SetSettingsRequest::default()))
            .await
            .unwrap_err(),
        settings
            .get_watch(as_edge(to, GetWatchRequest {}))
            .await
            .unwrap_err(),
        settings
            .set_watch(as_relay(to, company, SetWatchRequest::default()))
            .await
            .unwrap_err(),
        sms.get_sms_number(as_edge(to, GetSmsNumberRequest {}))
            .await
            .unwrap_err(),
        sms.set_sms_number(as_relay(to, company, SetSmsNumberRequest::default()))
            .await
            .unwrap_err(),
        sms.verify_sms_number(as_edge(to, VerifySmsNumberRequest::default()))
            .await
            .unwrap_err(),
        sms.remove_sms_number(as_relay(to, company, RemoveSmsNumberRequest {}))
            .await
            .unwrap_err(),
    ];
    assert_refused(&codes);
}

fn assert_refused(codes: &[Status]) {
    for status in codes {
        assert!(
            matches!(
                status.code(),
                Code::PermissionDenied | Code::Unauthenticated
            ),
            "{status}"
        );
    }
}
