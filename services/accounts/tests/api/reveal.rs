//! Revealing the operator password to managers and support staff.

use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::StaffIdentity;
use uuid::Uuid;

use crate::staff_support::{Desk, NAME, by_staff};
use crate::support::{OPERATOR_PASSWORD, Signed, assert_fields, by, read};

const REASON: &str = "The owner asked on the phone";
const BREAK: &str = "UPDATE companies SET operator_password_box =
    set_byte(operator_password_box, 7, get_byte(operator_password_box, 7) # 1)";

async fn own(desk: &Desk, who: &Signed) -> Result<String, ServiceError> {
    let request = by(who, RevealOperatorPasswordRequest {});
    read(desk.client().reveal_operator_password(request).await)
        .map(|answer| answer.operator_password)
}

async fn by_support(
    desk: &Desk,
    who: &StaffIdentity,
    account_id: &str,
    reason: &str,
) -> Result<String, ServiceError> {
    let request = RevealAccountOperatorPasswordRequest {
        account_id: account_id.to_owned(),
        reason: reason.to_owned(),
    };
    let request = by_staff(who, request);
    let answer = desk
        .client()
        .reveal_account_operator_password(request)
        .await;
    read(answer).map(|answer| answer.operator_password)
}

async fn lines(desk: &Desk, company: Uuid, event: &str, outcome: &str) -> i64 {
    let what = format!(
        "audit_events WHERE company_id = '{company}' AND event = '{event}' AND outcome = '{outcome}'"
    );
    desk.app.count(&what).await
}

async fn support_lines(desk: &Desk, company: Uuid) -> i64 {
    lines(
        desk,
        company,
        "operator_password_revealed_by_support",
        "success",
    )
    .await
}

#[tokio::test]
async fn reveal_returns_the_own_companys_password() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let other = desk.app.company("Borealis").await;
    desk.app.set_operator_password(&owner).await;
    let manager = desk.app.manager(&owner, "mo@mail.example").await;
    for who in [&owner, &manager] {
        assert_eq!(own(&desk, who).await.unwrap(), OPERATOR_PASSWORD);
    }
    let failure = own(&desk, &other).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    assert_eq!(failure.message, "No operator password has been set.");
    let company = owner.identity.company_id;
    assert_eq!(
        lines(&desk, company, "operator_password_revealed", "success").await,
        2
    );
    assert_eq!(
        lines(
            &desk,
            other.identity.company_id,
            "operator_password_revealed",
            "success"
        )
        .await,
        0
    );
}

#[tokio::test]
async fn reveal_rejects_operators_and_old_sign_ins() {
    let desk = Desk::new().await;
    let mut owner = desk.app.company("Acme").await;
    desk.app.set_operator_password(&owner).await;
    let shared = desk.app.operate("Acme", OPERATOR_PASSWORD).await.unwrap();
    let shared = desk.app.signed(shared).await;
    assert_eq!(own(&desk, &shared).await.unwrap_err().kind, Kind::Forbidden);
    owner.identity.authenticated_at = desk.clock.now().timestamp() - 30 * 60;
    assert!(own(&desk, &owner).await.is_ok());
    owner.identity.authenticated_at -= 1;
    assert_eq!(
        own(&desk, &owner).await.unwrap_err().reason,
        "REAUTH_REQUIRED"
    );
}

#[tokio::test]
async fn reveal_of_a_broken_copy_is_internal_and_audited() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let company = owner.identity.company_id;
    desk.app.set_operator_password(&owner).await;
    let staff = desk.at_work().await;
    let id = company.to_string();
    for (count, sql) in [
        (2, BREAK),
        (4, "UPDATE companies SET operator_password_key_id = 'gone'"),
    ] {
        desk.app.execute(sql).await;
        assert_eq!(own(&desk, &owner).await.unwrap_err().kind, Kind::Internal);
        let failure = by_support(&desk, &staff, &id, REASON).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Internal);
        assert_eq!(lines(&desk, company, "key_failure", "failed").await, count);
    }
    assert_eq!(
        lines(&desk, company, "operator_password_revealed", "success").await,
        0
    );
    assert_eq!(support_lines(&desk, company).await, 0);
    assert_eq!(support_lines(&desk, Uuid::nil()).await, 0);
}

#[tokio::test]
async fn reveal_rejects_a_copy_of_another_company() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let other = desk.app.company("Borealis").await;
    desk.app.set_operator_password(&owner).await;
    desk.app.set_operator_password(&other).await;
    desk.app
        .execute(
            "UPDATE companies c SET operator_password_nonce = o.operator_password_nonce,
                operator_password_box = o.operator_password_box
            FROM companies o WHERE c.name = 'Acme' AND o.name = 'Borealis'",
        )
        .await;
    assert_eq!(own(&desk, &owner).await.unwrap_err().kind, Kind::Internal);
    assert_eq!(own(&desk, &other).await.unwrap(), OPERATOR_PASSWORD);
}

#[tokio::test]
async fn support_reveal_requires_a_reason_and_is_audited() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let company = owner.identity.company_id;
    desk.app.set_operator_password(&owner).await;
    let staff = desk.at_work().await;
    let padded = format!("  {REASON}\r\nsecond line ");
    let password = by_support(&desk, &staff, &company.to_string(), &padded).await;
    assert_eq!(password.unwrap(), OPERATOR_PASSWORD);

    let request = by(&owner, ListAuditEventsRequest::default());
    let seen = desk
        .client()
        .list_audit_events(request)
        .await
        .unwrap()
        .into_inner();
    let line = &seen.events[0];
    assert_eq!(line.event, "operator_password_revealed_by_support");
    assert_eq!((&*line.actor_name, &*line.scope), (NAME, "staff"));
    assert_eq!(line.actor_id, Some(staff.staff_id.to_string()));
    assert_eq!(line.detail, format!("{REASON}\nsecond line"));
    assert_eq!(line.request_id, staff.request_id.to_string());
    assert_eq!(line.address_prefix, staff.address_prefix);
    let platform = "audit_events WHERE event = 'operator_password_revealed_by_support'
        AND company_id = '00000000-0000-0000-0000-000000000000' AND target_name = 'Acme'
        AND detail LIKE 'The owner asked on the phone%' AND actor_name = 'Sam Support'";
    assert_eq!(desk.app.count(platform).await, 1);
}

#[tokio::test]
async fn support_reveal_rejects_invalid_requests() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let unset = desk.app.company("Borealis").await;
    let company = owner.identity.company_id;
    desk.app.set_operator_password(&owner).await;
    let staff = desk.at_work().await;
    let id = company.to_string();
    let (long, hidden) = ("x".repeat(501), "a\u{200B}".repeat(9));
    for bad in [
        "",
        "123456789",
        "     12345     ",
        "a\0 reason for it",
        "\u{202E}reason for it",
        &long,
        &hidden,
    ] {
        assert_fields(
            &by_support(&desk, &staff, &id, bad).await.unwrap_err(),
            &["reason"],
        );
    }
    let unknown = Uuid::now_v7().to_string();
    let nil = Uuid::nil().to_string();
    for bad in [unknown.as_str(), &nil, "", "nonsense"] {
        let failure = by_support(&desk, &staff, bad, REASON).await.unwrap_err();
        assert_eq!(failure.kind, Kind::NotFound, "{bad}");
    }
    assert_eq!(
        lines(&desk, Uuid::nil(), "unknown_object", "failed").await,
        4
    );
    let unset = unset.identity.company_id;
    let failure = by_support(&desk, &staff, &unset.to_string(), REASON)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, Kind::Conflict);
    for company in [company, unset, Uuid::nil()] {
        assert_eq!(support_lines(&desk, company).await, 0);
    }
    for good in ["0123456789", &"é".repeat(500)] {
        assert!(by_support(&desk, &staff, &id, good).await.is_ok());
    }
}

#[tokio::test]
async fn support_reveal_is_limited_to_ten_a_day() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    let company = owner.identity.company_id;
    desk.app.set_operator_password(&owner).await;
    let staff = desk.at_work().await;
    let id = company.to_string();
    let tries = (0..16).map(|_| by_support(&desk, &staff, &id, REASON));
    let done = futures::future::join_all(tries).await;
    assert_eq!(done.iter().filter(|tried| tried.is_ok()).count(), 10);
    for failure in done.into_iter().filter_map(Result::err) {
        assert_eq!(failure.kind, Kind::TooMany);
        let wait = failure.retry_after.unwrap();
        assert!((86_000..=86_400).contains(&wait), "{wait}");
    }
    assert_eq!(support_lines(&desk, company).await, 10);
    assert_eq!(support_lines(&desk, Uuid::nil()).await, 10);
    let limited = "operator_password_revealed_by_support";
    assert_eq!(lines(&desk, Uuid::nil(), limited, "limited").await, 6);
    assert_eq!(lines(&desk, company, limited, "limited").await, 0);

    // The limit is per person.
    let output = desk
        .command(&["add", "--name", "Al", "--email", "al@help.example"])
        .await;
    let code = crate::staff_support::enrolment_code(&output.unwrap());
    let other = desk.enrolled(&code).await;
    let token = desk.signed_in(&other).await.token;
    let other = desk.identity(&token).await;
    assert!(by_support(&desk, &other, &id, REASON).await.is_ok());

    // One is older than 24 hours, so one more is allowed.
    let oldest = "UPDATE audit_events SET at = now() - interval '23 h 59 min' WHERE id = (
        SELECT id FROM audit_events WHERE company_id = '00000000-0000-0000-0000-000000000000'
        AND event = 'operator_password_revealed_by_support' AND outcome = 'success'
        AND actor_name = 'Sam Support' ORDER BY at LIMIT 1)";
    desk.app.execute(oldest).await;
    let wait = by_support(&desk, &staff, &id, REASON)
        .await
        .unwrap_err()
        .retry_after;
    assert!((30..=60).contains(&wait.unwrap()), "{wait:?}");
    desk.app
        .execute(&oldest.replace("23 h 59 min", "24 h 1 s"))
        .await;
    assert!(by_support(&desk, &staff, &id, REASON).await.is_ok());
    assert!(by_support(&desk, &staff, &id, REASON).await.is_err());
}

#[tokio::test]
async fn support_reveal_requires_a_recent_sign_in() {
    let desk = Desk::new().await;
    let owner = desk.app.company("Acme").await;
    desk.app.set_operator_password(&owner).await;
    let id = owner.identity.company_id.to_string();
    let mut staff = desk.at_work().await;
    let now = desk.clock.now().timestamp();
    staff.authenticated_at = now - 30 * 60;
    assert!(by_support(&desk, &staff, &id, REASON).await.is_ok());
    staff.authenticated_at -= 1;
    let failure = by_support(&desk, &staff, &id, REASON).await.unwrap_err();
    assert_eq!(failure.reason, "REAUTH_REQUIRED");
    staff.authenticated_at = now;
    desk.command(&["remove", "--email", crate::staff_support::EMAIL])
        .await
        .unwrap();
    let failure = by_support(&desk, &staff, &id, REASON).await.unwrap_err();
    assert_eq!(failure.kind, Kind::Unauthenticated);
    assert_eq!(support_lines(&desk, owner.identity.company_id).await, 1);
}
