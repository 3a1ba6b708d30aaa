//! No secret or personal data is logged.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, span};

use super::*;

/// Records all logs and spans with their fields.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        span.record(&mut self.clone());
        span::Id::from_u64(1)
    }

    fn record(&self, _span: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _span: &span::Id, _follows: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _span: &span::Id) {}

    fn exit(&self, _span: &span::Id) {}
}

#[tokio::test]
async fn logs_contain_no_secret() {
    let log = Log::default();
    let _listening = tracing::subscriber::set_default(log.clone());
    let (billing, fake) = serving(TIMEOUT).await;
    let company = paying(&billing, &fake).await;
    for error in [FakeFault::Status(500), FakeFault::Cut] {
        fake.set_fault(Some(error));
        assert_away(company.portal().await);
    }
    fake.set_fault(None);
    let wrong = provider(&billing, &fake, "sk_test_wrong_77a1");
    let tenant = Tenant::from_lookup(Uuid::now_v7());
    let said = wrong.create_customer(tenant, "c").await.unwrap_err();
    assert_eq!(
        said.to_string(),
        "payments are not configured: Stripe does not accept the API key"
    );
    let bad = {
        let mut settings = fake.settings();
        settings.api_key = "sk_test_bad\n_key".into();
        StripePayments::new(&settings, billing.database.database.clone(), TIMEOUT).unwrap_err()
    };
    let right = provider(&billing, &fake, API_KEY);
    let event = format!(
        "{right:?} {:?} {:?} {said:?} {bad:?}",
        billing.service,
        fake.settings()
    );
    let logged = log.0.lock().unwrap().clone();
    assert!(logged.contains("sending request"), "the log is captured");
    for secret in [
        API_KEY,
        WEBHOOK_SECRET,
        "sk_test_wrong_77a1",
        "sk_test_bad",
        "Bearer",
    ] {
        assert!(!logged.contains(secret), "{secret} is logged");
        assert!(!event.contains(secret), "{secret} in an event");
    }
}
