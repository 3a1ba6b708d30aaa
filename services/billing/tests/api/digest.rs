//! What the digest says about a subscription.

use hourmeter_proto::billing::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::billing::v1::{FindSubscriptionRequest, Subscription};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_notifications, owner};

use crate::support::TestBilling;

async fn found(billing: &TestBilling, company: &Identity) -> Option<Subscription> {
    let message = FindSubscriptionRequest {};
    let request = as_notifications(Service::Billing, company.company_id, message);
    let mut client = DigestServiceClient::new(billing.backend.clone());
    let response = client.find_subscription(request).await.unwrap();
    response.into_inner().subscription
}

#[tokio::test]
async fn digest_finds_the_subscription_and_begins_no_trial() {
    let billing = TestBilling::new().await;
    let (company, other) = (owner(), owner());
    assert_eq!(found(&billing, &company).await, None);
    assert_eq!(billing.rows().await, 0);
    billing.entitlements(company.company_id).await;
    let shown = billing.subscription(&company).await.unwrap();
    assert_eq!(found(&billing, &company).await, Some(shown));
    assert_eq!(found(&billing, &other).await, None);
}
