//! A payment provider whose calls can be made to fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use hourmeter_billing::provider::{
    Change, Checkout, Offer, Payer, PaymentError, Payments, ProviderSubscription,
};
use hourmeter_runtime::identity::Tenant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Before,
    /// The call takes effect, but its response is lost.
    After,
    /// The call takes effect, but its caller is killed.
    Killed,
    /// The call takes effect after half a second.
    Slow,
    Panic,
    Refused,
}

pub struct Faulty {
    inner: Arc<dyn Payments>,
    faults: Mutex<HashMap<&'static str, Fault>>,
    calls: Mutex<Vec<&'static str>>,
}

impl Faulty {
    pub fn new(inner: Arc<dyn Payments>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            faults: Mutex::default(),
            calls: Mutex::default(),
        })
    }

    /// Makes later calls fail; `None` stops it.
    pub fn fail(&self, call: &'static str, fault: Option<Fault>) {
        let mut faults = self.faults.lock().unwrap();
        match fault {
            Some(fault) => faults.insert(call, fault),
            None => faults.remove(call),
        };
    }

    /// Number of calls so far.
    pub fn count(&self, call: &str) -> usize {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|made| **made == call).count()
    }

    async fn run<T>(
        &self,
        call: &'static str,
        done: impl Future<Output = Result<T, PaymentError>> + Send,
    ) -> Result<T, PaymentError> {
        self.calls.lock().unwrap().push(call);
        let fault = self.faults.lock().unwrap().get(call).copied();
        match fault {
            None => done.await,
            Some(Fault::Before) => Err(PaymentError::Unavailable("no connection".into())),
            Some(Fault::Refused) => Err(PaymentError::Refused("not now".to_owned())),
            Some(Fault::After) => {
                done.await?;
                Err(PaymentError::Unavailable("timed out".into()))
            }
            Some(Fault::Slow) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
                done.await
            }
            Some(Fault::Panic) => panic!("as requested"),
            Some(Fault::Killed) => {
                done.await?;
                std::future::pending().await
            }
        }
    }
}

#[tonic::async_trait]
impl Payments for Faulty {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    async fn create_customer(&self, tenant: Tenant, key: &str) -> Result<String, PaymentError> {
        self.run("customer", self.inner.create_customer(tenant, key))
            .await
    }

    async fn open_checkout(
        &self,
        payer: &Payer,
        offer: Offer,
        first_charge: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<Checkout, PaymentError> {
        let opened = self
            .inner
            .open_checkout(payer, offer, first_charge, now, key);
        self.run("open", opened).await
    }

    async fn close_checkout(&self, payer: &Payer, checkout_id: &str) -> Result<(), PaymentError> {
        self.run("close", self.inner.close_checkout(payer, checkout_id))
            .await
    }

    async fn subscriptions(
        &self,
        payer: &Payer,
        now: DateTime<Utc>,
    ) -> Result<Vec<ProviderSubscription>, PaymentError> {
        self.run("read", self.inner.subscriptions(payer, now)).await
    }

    async fn change(
        &self,
        payer: &Payer,
        id: &str,
        change: Change,
        now: DateTime<Utc>,
        key: &str,
    ) -> Result<(), PaymentError> {
        let done = self.inner.change(payer, id, change, now, key);
        self.run(change.name(), done).await
    }

    async fn open_portal(&self, payer: &Payer, key: &str) -> Result<String, PaymentError> {
        self.run("portal", self.inner.open_portal(payer, key)).await
    }
}
