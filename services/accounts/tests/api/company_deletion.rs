use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::{
    CancelCompanyDeletionRequest, CompanySettings, RequestCompanyDeletionRequest,
};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::{Kind, ServiceError};

use crate::support::{App, Signed, assert_fields, by, read};

async fn request(app: &App, who: &Signed, name: &str) -> Result<CompanySettings, ServiceError> {
    let request = RequestCompanyDeletionRequest {
        company_name: name.to_owned(),
    };
    let mut client = app.client();
    let answer = client.request_company_deletion(by(who, request)).await;
    read(answer).map(|answer| answer.settings.unwrap())
}

async fn cancel(app: &App, who: &Signed) -> Result<CompanySettings, ServiceError> {
    let request = CancelCompanyDeletionRequest {};
    let mut client = app.client();
    let answer = client.cancel_company_deletion(by(who, request)).await;
    read(answer).map(|answer| answer.settings.unwrap())
}

#[tokio::test]
async fn request_company_deletion_schedules_it_in_seven_days_and_can_be_canceled() {
    let app = App::new().await;
    let owner = app.company("Acme").await;
    let refused = request(&app, &owner, "acme").await.unwrap_err();
    assert_fields(&refused, &["companyName"]);
    assert_eq!(app.settings(&owner).await.deletion_due_at, None);

    let before = Clock::system().now();
    let settings = request(&app, &owner, " Acme ").await.unwrap();
    let due = settings.deletion_due_at.unwrap();
    let waiting = due.seconds - before.timestamp();
    assert!((0..60).contains(&(waiting - TimeDelta::days(7).num_seconds())));
    app.execute("UPDATE companies SET deletion_due_at = deletion_due_at - interval '1 day'")
        .await;
    let earlier = app.settings(&owner).await.deletion_due_at;
    let repeated = request(&app, &owner, "Acme").await.unwrap();
    assert_eq!(repeated.deletion_due_at, earlier);

    for _ in 0..2 {
        assert_eq!(cancel(&app, &owner).await.unwrap().deletion_due_at, None);
    }
    assert_eq!(app.settings(&owner).await.deletion_due_at, None);
    for event in ["company_deletion_requested", "company_deletion_canceled"] {
        assert_eq!(app.audited(event, "success", "true").await, 1);
    }
}

#[tokio::test]
async fn request_company_deletion_is_for_owners_who_signed_in_recently() {
    let app = App::new().await;
    let mut owner = app.company("Acme").await;
    let manager = app.manager(&owner, "mo@mail.example").await;
    for refused in [
        request(&app, &manager, "Acme").await,
        cancel(&app, &manager).await,
    ] {
        assert_eq!(refused.unwrap_err().kind, Kind::Forbidden);
    }
    owner.identity.authenticated_at -= 31 * 60;
    let late = request(&app, &owner, "Acme").await.unwrap_err();
    assert_eq!(
        (late.kind, &*late.reason),
        (Kind::Forbidden, "REAUTH_REQUIRED")
    );
    // Canceling is always possible, also without a subscription.
    owner.identity.entitlements.active = false;
    assert!(cancel(&app, &owner).await.is_ok());
}
