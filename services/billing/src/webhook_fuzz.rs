use bolero::check;

use super::*;

const SECRET: &str = "whsec_of_the_test";
const BODY: &str = r#"{"id":"evt_1","type":"invoice.paid","created":1793606400,"livemode":false,"data":{"object":{"customer":"cus_1"}}}"#;

fn now() -> DateTime<Utc> {
    "2026-11-02T08:00:00Z".parse().expect("a time")
}

fn verifier() -> Webhooks {
    Webhooks::new(vec![SECRET.into()], false)
}

/// Changes `bytes`: each triple of the input is a position, an operation and a byte.
fn mutated(bytes: &[u8], input: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in input.chunks_exact(3) {
        let place = usize::from(change[0]) % (bytes.len() + 1);
        match change[1] % 3 {
            0 if place < bytes.len() => bytes[place] = change[2],
            1 if place < bytes.len() => drop(bytes.remove(place)),
            _ => bytes.insert(place, change[2]),
        }
    }
    bytes
}

#[test]
fn forged_signatures_never_verify() {
    let signed = sign(&SECRET.into(), BODY.as_bytes(), now());
    let other = sign(&"whsec_of_another".into(), BODY.as_bytes(), now());
    let (time, v1) = signed.split_once(',').expect("two parts");
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        let verifier = verifier();
        // Without the secret.
        for header in [
            text.as_ref(),
            &format!("{time},{text}"),
            &format!("{other},{text}"),
        ] {
            if !header.contains(v1) {
                let refused = verifier.read(BODY.as_bytes(), header, now());
                assert_eq!(refused, Err(Refusal::Signature), "{header}");
            }
        }
        // A valid signature for another body.
        let body = mutated(BODY.as_bytes(), input);
        let read = verifier.read(&body, &signed, now());
        assert_eq!(read.is_ok(), body == BODY.as_bytes());
        // A valid body with a modified header.
        let header = String::from_utf8_lossy(&mutated(signed.as_bytes(), input)).into_owned();
        if verifier.read(BODY.as_bytes(), &header, now()).is_ok() {
            assert!(header.contains(v1) && header.contains(time), "{header}");
        }
    });
}

#[test]
fn signed_events_are_bounded_or_refused() {
    check!().for_each(|input: &[u8]| {
        for body in [input.to_vec(), mutated(BODY.as_bytes(), input)] {
            let header = sign(&SECRET.into(), &body, now());
            match verifier().read(&body, &header, now()) {
                Ok(event) => {
                    let texts = [
                        Some(&event.id),
                        Some(&event.kind),
                        event.customer_id.as_ref(),
                    ];
                    for text in texts.into_iter().flatten() {
                        assert!((1..=255).contains(&text.len()), "{text}");
                        assert!(!text.contains(char::is_control), "{text:?}");
                    }
                }
                Err(refused) => {
                    assert!(matches!(refused, Refusal::Form | Refusal::Livemode));
                }
            }
            // A stale event cannot be replayed.
            let later = now() + chrono::TimeDelta::seconds(TOLERANCE_SECONDS + 1);
            assert_eq!(verifier().read(&body, &header, later), Err(Refusal::Stale));
        }
    });
}
