use super::*;

fn read(env: AppEnv, pairs: &[(&str, &str)]) -> Result<PaymentSettings, Vec<String>> {
    let pairs = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut settings = Settings::from_pairs(pairs);
    let payments = PaymentSettings::read(&mut settings, env);
    settings.finish(payments).map_err(|error| error.0)
}

const KEY: (&str, &str) = ("STRIPE_API_KEY", "sk_test_abc");
const SECRETS: (&str, &str) = ("STRIPE_WEBHOOK_SECRETS", " whsec_one \n\nwhsec_two\n");
const ORIGIN: (&str, &str) = ("PUBLIC_ORIGIN", "https://hourmeter.example/");

fn stripe(env: AppEnv, pairs: &[(&str, &str)]) -> StripeSettings {
    match read(env, pairs) {
        Ok(PaymentSettings::Stripe(stripe)) => stripe,
        other => panic!("{other:?}"),
    }
}

#[test]
fn settings_without_key_use_sandbox_except_in_production() {
    for env in [AppEnv::Development, AppEnv::Test] {
        for pairs in [&[][..], &[SECRETS, ORIGIN], &[("STRIPE_API_KEY", "  ")]] {
            let sandbox = read(env, pairs).expect("fine");
            assert!(matches!(sandbox, PaymentSettings::Sandbox));
        }
    }
    let problems = read(AppEnv::Production, &[SECRETS, ORIGIN]).expect_err("no key");
    assert_eq!(problems, ["STRIPE_API_KEY_FILE is missing"]);
}

#[test]
fn settings_key_requires_secrets_and_origin() {
    let found = stripe(AppEnv::Test, &[KEY, SECRETS, ORIGIN]);
    let secrets: Vec<_> = found
        .webhook_secrets
        .iter()
        .map(secrecy::ExposeSecret::expose_secret)
        .collect();
    assert_eq!(secrets, ["whsec_one", "whsec_two"]);
    assert_eq!(found.public_origin, "https://hourmeter.example");
    assert_eq!(found.api_base, None);
    let problems = read(AppEnv::Test, &[KEY]).expect_err("two are missing");
    assert_eq!(
        problems,
        [
            "STRIPE_WEBHOOK_SECRETS_FILE is missing",
            "PUBLIC_ORIGIN is missing"
        ]
    );
    let blank = ("STRIPE_WEBHOOK_SECRETS", "\n \n");
    assert!(read(AppEnv::Test, &[KEY, blank, ORIGIN]).is_err());
}

#[test]
fn settings_check_urls() {
    for (origin, fine) in [
        ("http://localhost:8080", true),
        ("https://hourmeter.example", true),
        ("hourmeter.example", false),
        ("ftp://hourmeter.example", false),
        ("https://", false),
        ("https://hourmeter.example/app", false),
        ("https://someone@hourmeter.example", false),
        ("https://hour meter.example", false),
    ] {
        let read = read(AppEnv::Test, &[KEY, SECRETS, ("PUBLIC_ORIGIN", origin)]);
        assert_eq!(read.is_ok(), fine, "{origin}");
    }
    for (base, fine) in [
        ("http://127.0.0.1:12111/", true),
        ("https://api.stripe.com/", true),
        ("api.stripe.com", false),
        ("file:///etc/passwd", false),
    ] {
        let read = read(
            AppEnv::Test,
            &[KEY, SECRETS, ORIGIN, ("STRIPE_API_BASE", base)],
        );
        assert_eq!(read.is_ok(), fine, "{base}");
    }
    for (base, fine) in [("https://api.stripe.com/", true), ("http://a.b/", false)] {
        assert_eq!(is_address(base, AppEnv::Production), fine, "{base}");
    }
}

#[test]
fn settings_detect_live_keys_and_redact_secrets() {
    for (key, live) in [
        ("sk_live_1", true),
        ("rk_live_1", true),
        ("sk_test_1", false),
        ("rk_test_1", false),
        ("pk_live_1", false),
    ] {
        let found = stripe(AppEnv::Test, &[("STRIPE_API_KEY", key), SECRETS, ORIGIN]);
        assert_eq!(found.is_live(), live, "{key}");
        let shown = format!("{found:?}");
        assert!(!shown.contains(key) && !shown.contains("whsec"), "{shown}");
    }
}
