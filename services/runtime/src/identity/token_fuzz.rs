use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bolero::check;
use uuid::Uuid;

use super::*;

const SECRET: [u8; 32] = [7; 32];

fn edge() -> Caller {
    Caller::Edge {
        request_id: Uuid::nil(),
    }
}

/// Replaces characters of the text: each pair of input bytes is a position and a character.
fn mutated(text: &str, input: &[u8]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for change in input.chunks_exact(2) {
        let at = usize::from(change[0]) * 2 % bytes.len();
        bytes[at] = change[1] & 0x7f;
    }
    String::from_utf8(bytes).expect("ASCII")
}

#[test]
fn verify_rejects_forged_tokens() {
    let issuers = TrustedIssuers::default().with("gateway", TrustedIssuers::public_key(&SECRET));
    let verifier = Verifier::new(Service::Equipment, &issuers);
    check!().for_each(|input: &[u8]| {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let token = signer.sign(Service::Equipment, &edge()).expect("a token");
        // Tokens made without the key, with any header and claims.
        let text = String::from_utf8_lossy(input);
        assert!(verifier.verify(&text).is_err());
        let part = BASE64_URL_SAFE_NO_PAD.encode(input);
        let [header, claims, signature] = token
            .split('.')
            .collect::<Vec<_>>()
            .try_into()
            .expect("three parts");
        for forged in [
            format!("{part}.{claims}.{signature}"),
            format!("{header}.{part}.{signature}"),
            format!("{header}.{claims}.{part}"),
            format!("{part}.{claims}."),
        ] {
            assert!(verifier.verify(&forged).is_err(), "{forged}");
        }
        // A changed token is rejected or yields the signed caller.
        if let Ok(caller) = verifier.verify(&mutated(&token, input)) {
            assert_eq!(caller, edge());
        }
        let elsewhere = signer.sign(Service::Billing, &edge()).expect("a token");
        assert!(verifier.verify(&elsewhere).is_err());
    });
}
