//! Calls to Stripe: who calls, how long it may take, and what an error means.

use std::fmt;
use std::time::Duration;

use futures::future::BoxFuture;
use hourmeter_runtime::error::ServiceError;
use miniserde::Deserialize;
use secrecy::ExposeSecret as _;
use stripe::{
    ApiErrors, ApiErrorsCode, Client, ClientBuilder, IdempotencyKey, RequestStrategy, StripeError,
};
use stripe_client_core::RequestBuilder;

use crate::provider::PaymentError;
use crate::settings::StripeSettings;

/// A way to Stripe's API. Its `Debug` tells nothing.
pub struct Api {
    client: Client,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

impl Api {
    /// A way with the key and the address of the settings; every call ends after `timeout`. It
    /// follows no redirects, so the key reaches nobody else.
    pub fn new(settings: &StripeSettings, timeout: Duration) -> Result<Self, ServiceError> {
        let mut builder = ClientBuilder::new(settings.api_key.expose_secret()).timeout(timeout);
        if let Some(base) = &settings.api_base {
            builder = builder.url(base.clone());
        }
        // The library's error may quote the key.
        let client = builder
            .build()
            .map_err(|_| ServiceError::internal("the settings of Stripe can't be used"))?;
        Ok(Self { client })
    }

    /// Reads. Of the answer only the fields of `T` count: Stripe's objects change with its versions,
    /// and the library's types fail on any field they miss.
    pub async fn read<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
    ) -> Result<T, PaymentError> {
        self.send(request, RequestStrategy::Once).await
    }

    /// Changes something once, however often it is asked with this key.
    pub async fn write<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
        key: &str,
    ) -> Result<T, PaymentError> {
        let key = IdempotencyKey::new(key).map_err(ServiceError::internal)?;
        self.send(request, RequestStrategy::Idempotent(key)).await
    }

    /// Boxed: that the library's HTTP client is `Send` takes the compiler seconds to show, for each
    /// future that holds it.
    fn send<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
        strategy: RequestStrategy,
    ) -> BoxFuture<'_, Result<T, PaymentError>> {
        let request = request.customize::<T>().request_strategy(strategy);
        Box::pin(async move { request.send(&self.client).await.map_err(meaning) })
    }
}

/// What an error of the library means to billing. Of what Stripe says only its own sentence and its
/// code are kept: the rest may hold the card and the address of a person.
fn meaning(error: StripeError) -> PaymentError {
    match error {
        StripeError::Stripe(said, status) => refusal(&said, status),
        StripeError::ConfigError(problem) => PaymentError::Setup(problem),
        error @ (StripeError::JSONDeserialize(_)
        | StripeError::ClientError(_)
        | StripeError::Timeout) => PaymentError::Away(Box::new(error)),
    }
}

fn refusal(said: &ApiErrors, status: u16) -> PaymentError {
    let sentence = said.message.clone().unwrap_or_default();
    let code = said.code.as_ref().map_or("", ApiErrorsCode::as_str);
    match status {
        401 | 403 => PaymentError::Setup("Stripe does not accept the API key".to_owned()),
        // 409: the same key is being worked on; 424: something behind Stripe is away.
        409 | 424 | 429 | 500.. => {
            PaymentError::Away(format!("Stripe answered {status} {code}").into())
        }
        402 => PaymentError::Declined(format!("{code}: {sentence}")),
        _ if is_about_the_customer(said) => PaymentError::NoCustomer,
        _ if is_about_a_price(said) => PaymentError::Setup(sentence),
        _ => PaymentError::Refused(format!("{code}: {sentence}")),
    }
}

/// A customer that was deleted, or made with a key of the other mode.
fn is_about_the_customer(said: &ApiErrors) -> bool {
    let missing = matches!(said.code, Some(ApiErrorsCode::ResourceMissing));
    missing && said.param.as_deref() == Some("customer")
}

/// A price that Stripe does not know, or sells no more: the catalogue was not brought there.
fn is_about_a_price(said: &ApiErrors) -> bool {
    let missing = matches!(said.code, Some(ApiErrorsCode::ResourceMissing));
    let param = said.param.as_deref().unwrap_or_default();
    let sentence = said.message.as_deref().unwrap_or_default();
    param.contains("price") && (missing || sentence.contains("inactive"))
}

/// Whether Stripe has no such thing.
pub fn is_missing(error: &PaymentError) -> bool {
    matches!(error, PaymentError::Refused(said) if said.starts_with("resource_missing"))
}
