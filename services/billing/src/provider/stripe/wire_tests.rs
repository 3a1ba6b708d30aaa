use super::*;
use crate::domain::plan::Tier;
use crate::domain::subscription::Interval;

const OFFER: Offer = Offer {
    tier: Tier::Professional,
    interval: Interval::Year,
};

fn at(seconds: i64) -> DateTime<Utc> {
    time(seconds).expect("a time")
}

/// A subscription with the period 1000 to 2000 and additional fields.
fn subscription(fields: &str) -> Subscription {
    let text = format!(
        r#"{{"id": "sub_1", "created": 500, "object": "subscription", "cancel_at_period_end": false,
            "items": {{"object": "list", "has_more": false, "data": [{{
                "id": "si_1", "price": {{"id": "price_1", "active": true}},
                "current_period_start": 1000, "current_period_end": 2000
            }}]}}, {fields}}}"#
    );
    miniserde::json::from_str(&text).expect("a subscription")
}

fn parse(fields: &str) -> ProviderSubscription {
    let parsed = subscription(fields).to_provider_subscription(OFFER, at(1500));
    parsed.expect("a provider subscription")
}

#[test]
fn subscription_active_is_parsed() {
    let parsed = parse(r#""status": "active", "latest_invoice": "in_1""#);
    assert_eq!(
        parsed,
        ProviderSubscription {
            subscription_id: "sub_1".to_owned(),
            created_at: at(500),
            offer: OFFER,
            payment_status: PaymentStatus::Paid,
            period_start: at(1000),
            period_end: at(2000),
            cancel_at_period_end: false,
            paused_until: None,
            waived: false,
            in_trial: false,
        }
    );
}

#[test]
fn subscription_statuses_are_mapped() {
    for (status, payment_status) in [
        ("active", PaymentStatus::Paid),
        ("trialing", PaymentStatus::Paid),
        ("past_due", PaymentStatus::PastDue),
        ("unpaid", PaymentStatus::PastDue),
        ("paused", PaymentStatus::PastDue),
    ] {
        let parsed = parse(&format!(r#""status": "{status}""#));
        assert_eq!(parsed.payment_status, payment_status, "{status}");
    }
    for status in ["incomplete", "incomplete_expired"] {
        assert!(!subscription(&format!(r#""status": "{status}""#)).was_paid());
    }
    let strange = subscription(r#""status": "dreaming""#).to_provider_subscription(OFFER, at(1500));
    let Err(PaymentError::NotConfigured(error)) = strange else {
        panic!("{strange:?}");
    };
    assert_eq!(
        error,
        r#"subscription sub_1 at Stripe has the status "dreaming""#
    );
}

#[test]
fn subscription_ended_has_end_time() {
    for (fields, ended) in [
        (r#""ended_at": 1200, "canceled_at": 1100"#, 1200),
        (r#""ended_at": null, "canceled_at": 1100"#, 1100),
        (r#""ended_at": null"#, 2000),
    ] {
        let parsed = parse(&format!(r#""status": "canceled", {fields}"#));
        assert_eq!(
            parsed.payment_status,
            PaymentStatus::Ended(at(ended)),
            "{fields}"
        );
    }
}

#[test]
fn subscription_in_trial_unless_a_paid_period_was_moved() {
    assert!(!parse(r#""status": "active""#).in_trial);
    assert!(parse(r#""status": "trialing""#).in_trial);
    let paid = |until: &str| {
        parse(&format!(
            r#""status": "trialing", "metadata": {{"paid_until": "{until}"}}"#
        ))
    };
    assert!(!paid("2000").in_trial);
    assert!(paid("1999").in_trial);
}

#[test]
fn subscription_cancel_at_limits_period() {
    let by_date = parse(r#""status": "active", "cancel_at": 1700"#);
    assert!(by_date.cancel_at_period_end);
    assert_eq!(by_date.period_end, at(1700));
    let later = parse(r#""status": "active", "cancel_at": 9000"#);
    assert!(later.cancel_at_period_end);
    assert_eq!(later.period_end, at(2000));
}

#[test]
fn subscription_pause_end() {
    let paused = |resumes: &str| {
        let fields =
            r#""status": "active", "pause_collection": {"behavior": "void", "resumes_at": "#;
        parse(&format!("{fields}{resumes}}}")).paused_until
    };
    assert_eq!(paused("1501"), Some(at(1501)));
    assert_eq!(paused("1500"), None);
    assert_eq!(paused("null"), Some(at(500) + chrono::Days::new(36_525)));
}

#[test]
fn subscription_period_of_older_api_versions() {
    let text = r#"{"id": "sub_1", "created": 500, "cancel_at_period_end": true, "status": "active",
        "current_period_start": 1000, "current_period_end": 2000,
        "items": {"has_more": false, "data": [{"id": "si_1", "price": {"id": "price_1"}}]}}"#;
    let subscription: Subscription = miniserde::json::from_str(text).expect("a subscription");
    let parsed = subscription
        .to_provider_subscription(OFFER, at(1500))
        .expect("a provider subscription");
    assert_eq!(
        (parsed.period_start, parsed.period_end),
        (at(1000), at(2000))
    );
}

#[test]
fn subscription_error_names_the_field() {
    let text = r#"{"id": "sub_1", "created": 500, "cancel_at_period_end": true, "status": "active",
        "items": {"has_more": false, "data": [{"id": "si_1", "price": {"id": "price_1"}}]}}"#;
    let subscription: Subscription = miniserde::json::from_str(text).expect("a subscription");
    let error = subscription
        .to_provider_subscription(OFFER, at(1500))
        .expect_err("no period");
    assert!(
        error
            .to_string()
            .ends_with("has no usable current_period_start"),
        "{error}"
    );
}

#[test]
fn subscription_voided_invoice_means_waived_period() {
    for (invoice, began_in_pause) in [
        (r#"{"id": "in_1", "status": "void"}"#, true),
        (
            r#"{"id": "in_1", "status": "void", "attempt_count": 0}"#,
            true,
        ),
        (
            r#"{"id": "in_1", "status": "void", "attempt_count": 2}"#,
            false,
        ),
        (r#"{"id": "in_1", "status": "paid"}"#, false),
        (r#"{"id": "in_1", "status": "draft"}"#, false),
        (r#""in_1""#, false),
        ("null", false),
    ] {
        let subscription = subscription(&format!(
            r#""status": "active", "latest_invoice": {invoice}"#
        ));
        assert_eq!(
            subscription.period_began_in_pause(),
            began_in_pause,
            "{invoice}"
        );
        let parsed = subscription
            .to_provider_subscription(OFFER, at(1500))
            .expect("a provider subscription");
        assert_eq!(parsed.waived, began_in_pause, "{invoice}");
    }
}
