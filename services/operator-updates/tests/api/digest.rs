//! What the digest says about updates.

use hourmeter_proto::operator_updates::v1::digest_service_client::DigestServiceClient;
use hourmeter_proto::operator_updates::v1::{CountReviewRequest, CountReviewResponse};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_notifications, as_person, as_relay, operator_of, owner};
use tonic::{Code, Request, Status};

use crate::support::TestUpdates;

async fn count(
    updates: &TestUpdates,
    request: Request<CountReviewRequest>,
) -> Result<CountReviewResponse, Status> {
    let mut client = DigestServiceClient::new(updates.backend.clone());
    client
        .count_review(request)
        .await
        .map(tonic::Response::into_inner)
}

fn of(company: &Identity) -> Request<CountReviewRequest> {
    let to = Service::OperatorUpdates;
    as_notifications(to, company.company_id, CountReviewRequest {})
}

#[tokio::test]
async fn digest_counts_updates_that_wait_and_flagged_ones() {
    let updates = TestUpdates::new().await;
    let (owner, other) = (owner(), owner());
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    updates.submitted(&operator, equipment, 101.0).await;
    updates.submitted(&operator, equipment, 5.0).await;
    let found = count(&updates, of(&owner)).await.unwrap();
    assert_eq!((found.pending, found.flagged), (2, 1));
    let none = count(&updates, of(&other)).await.unwrap();
    assert_eq!((none.pending, none.flagged), (0, 0));
}

#[tokio::test]
async fn digest_is_for_the_notifications_service() {
    let updates = TestUpdates::new().await;
    let (owner, to) = (owner(), Service::OperatorUpdates);
    for request in [
        as_person(to, &owner, CountReviewRequest {}),
        as_relay(to, owner.company_id, CountReviewRequest {}),
    ] {
        let refused = count(&updates, request).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
    }
}
