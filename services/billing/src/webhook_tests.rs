use super::*;

fn now() -> DateTime<Utc> {
    "2026-11-02T08:00:00Z".parse().expect("a time")
}

fn ago(seconds: i64) -> DateTime<Utc> {
    now() - chrono::TimeDelta::seconds(seconds)
}

fn webhooks(secrets: &[&str], live: bool) -> Webhooks {
    let secrets = secrets.iter().map(|secret| SecretString::from(*secret));
    Webhooks::new(secrets.collect(), live)
}

fn verifier() -> Webhooks {
    webhooks(&["whsec_new", "whsec_old"], false)
}

const BODY: &str = r#"{"id":"evt_1","type":"invoice.paid","created":1793606400,"livemode":false,
    "data":{"object":{"id":"in_1","customer":"cus_1","more":[1,{"x":null}]}}}"#;

fn signed(secret: &str, body: &[u8], at: DateTime<Utc>) -> String {
    sign(&secret.into(), body, at)
}

fn read(header: &str) -> Result<ProviderEvent, Refusal> {
    verifier().read(BODY.as_bytes(), header, now())
}

#[test]
fn read_event() {
    let event = read(&signed("whsec_new", BODY.as_bytes(), now())).expect("an event");
    let expected = ProviderEvent {
        id: "evt_1".to_owned(),
        kind: "invoice.paid".to_owned(),
        made_at: DateTime::from_timestamp(1_793_606_400, 0).expect("a time"),
        customer_id: Some("cus_1".to_owned()),
    };
    assert_eq!(event, expected);
    assert!(event.is_relevant());
}

/// Computed with `printf '1793606400.{}' | openssl dgst -sha256 -hmac whsec_new`.
#[test]
fn sign_matches_openssl() {
    let at = DateTime::from_timestamp(1_793_606_400, 0).expect("a time");
    let expected =
        "t=1793606400,v1=1e866c5545d32ef8eed80d7a49a7c52ff3c95cb0959232d158f4d00c7ecd0cd5";
    assert_eq!(signed("whsec_new", b"{}", at), expected);
}

#[test]
fn read_accepts_any_signature_under_any_secret() {
    let good = signed("whsec_new", BODY.as_bytes(), now());
    let old = signed("whsec_old", BODY.as_bytes(), now());
    let (time, v1) = good.split_once(',').expect("two parts");
    let zeros = "0".repeat(64);
    for header in [
        good.clone(),
        old,
        format!("{time},v1={zeros},{v1}"),
        format!("{time},{v1},v1={zeros}"),
        format!("{time}, v0=abc, {v1}, other"),
        format!("{v1},{time}"),
    ] {
        assert!(read(&header).is_ok(), "{header}");
    }
}

#[test]
fn read_rejects_forged_signatures() {
    let good = signed("whsec_new", BODY.as_bytes(), now());
    let (time, v1) = good.split_once(',').expect("two parts");
    let hex = v1.trim_start_matches("v1=");
    let unsigned = now().timestamp() + 1;
    for header in [
        String::new(),
        "nonsense".to_owned(),
        time.to_owned(),
        v1.to_owned(),
        format!("{time},v1="),
        format!("{time},v1={}", &hex[1..]),
        format!("{time},v1={hex}0"),
        format!("{time},v1={}", hex.to_uppercase()),
        format!("{time},v0={hex}"),
        format!("t={unsigned},{v1}"),
        format!("t=,{v1}"),
        format!("{time},v1={}", "0".repeat(64)),
        format!("{time},{}", vec!["v1=x"; 16].join(",")) + "," + v1,
        signed("whsec_other", BODY.as_bytes(), now()),
        signed("", BODY.as_bytes(), now()),
        signed("whsec_new", b"{}", now()),
    ] {
        assert_eq!(read(&header), Err(Refusal::Signature), "{header}");
    }
    let none = webhooks(&[], false);
    assert_eq!(
        none.read(BODY.as_bytes(), &good, now()),
        Err(Refusal::Signature)
    );
    assert_eq!(none.sign(b"{}", now()), "");
}

#[test]
fn read_rejects_events_older_than_five_minutes() {
    for (seconds, fresh) in [
        (0, true),
        (300, true),
        (301, false),
        (-300, true),
        (-301, false),
    ] {
        let header = signed("whsec_new", BODY.as_bytes(), ago(seconds));
        let expected = if fresh { None } else { Some(Refusal::Stale) };
        assert_eq!(read(&header).err(), expected, "{seconds}");
    }
    for time in ["0", "-5", "9223372036854775807"] {
        let v1 = signature(&"whsec_new".into(), time, BODY.as_bytes());
        assert_eq!(
            read(&format!("t={time},v1={v1}")),
            Err(Refusal::Stale),
            "{time}"
        );
    }
    let v1 = signature(&"whsec_new".into(), "soon", BODY.as_bytes());
    assert_eq!(read(&format!("t=soon,v1={v1}")), Err(Refusal::Signature));
}

#[test]
fn read_rejects_other_mode() {
    let header = signed("whsec_new", BODY.as_bytes(), now());
    let live = webhooks(&["whsec_new"], true);
    let refused = live.read(BODY.as_bytes(), &header, now());
    assert_eq!(refused, Err(Refusal::Livemode));
    let body = BODY.replace("false", "true");
    let header = signed("whsec_new", body.as_bytes(), now());
    assert!(live.read(body.as_bytes(), &header, now()).is_ok());
    let refused = verifier().read(body.as_bytes(), &header, now());
    assert_eq!(refused, Err(Refusal::Livemode));
}

#[test]
fn read_rejects_malformed_bodies() {
    let long = format!("\"{}\"", "x".repeat(300));
    for body in [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{".to_owned(),
        BODY.replace("\"evt_1\"", "\"\""),
        BODY.replace("\"evt_1\"", "7"),
        BODY.replace("\"evt_1\"", &long),
        BODY.replace("\"evt_1\"", "\"a\\u0000b\""),
        BODY.replace("1793606400", "\"now\""),
        BODY.replace("1793606400", "-1"),
        BODY.replace("1793606400", "9223372036854775807"),
        BODY.replace("\"cus_1\"", &long),
        BODY.replace("\"livemode\":false,", ""),
        BODY.replace("\"type\"", "\"kind\""),
    ] {
        let header = signed("whsec_new", body.as_bytes(), now());
        let refused = verifier().read(body.as_bytes(), &header, now());
        assert_eq!(refused, Err(Refusal::Form), "{body}");
    }
    let bytes = [0xff, 0xfe, b'{'];
    let header = signed("whsec_new", &bytes, now());
    assert_eq!(verifier().read(&bytes, &header, now()), Err(Refusal::Form));
}

#[test]
fn read_limits_body_to_256_kib() {
    for (length, fine) in [(MAX_BODY_BYTES, true), (MAX_BODY_BYTES + 1, false)] {
        let body = format!("{BODY}{}", " ".repeat(length - BODY.len()));
        let header = signed("whsec_new", body.as_bytes(), now());
        let read = verifier().read(body.as_bytes(), &header, now());
        assert_eq!(read.is_ok(), fine, "{length}");
        assert!(fine || read == Err(Refusal::Form));
    }
}

#[test]
fn read_customer_id_or_object() {
    for (customer, expected) in [
        ("\"cus_1\"", Some("cus_1")),
        ("{\"id\":\"cus_2\",\"name\":\"x\"}", Some("cus_2")),
        ("null", None),
        ("7", None),
        ("{}", None),
    ] {
        let body = BODY.replace("\"cus_1\"", customer);
        let header = signed("whsec_new", body.as_bytes(), now());
        let event = verifier()
            .read(body.as_bytes(), &header, now())
            .expect("an event");
        assert_eq!(event.customer_id.as_deref(), expected, "{customer}");
    }
    for (kind, is_relevant) in [
        ("customer.subscription.deleted", true),
        ("checkout.session.completed", true),
        ("customer.created", false),
        ("payment_intent.created", false),
    ] {
        let body = BODY.replace("invoice.paid", kind);
        let header = signed("whsec_new", body.as_bytes(), now());
        let event = verifier()
            .read(body.as_bytes(), &header, now())
            .expect("an event");
        assert_eq!(event.is_relevant(), is_relevant, "{kind}");
    }
}
