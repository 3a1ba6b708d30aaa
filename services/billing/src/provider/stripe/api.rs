//! HTTP calls to Stripe, timeouts and error mapping.

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

use super::wire::List;
use crate::provider::PaymentError;
use crate::settings::StripeSettings;

/// Objects of a page; Stripe's maximum.
pub const PAGE: i64 = 100;

/// Client for Stripe's API. `Debug` is redacted.
pub struct Api {
    client: Client,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

impl Api {
    /// Creates a client whose calls time out after `timeout`. It follows no redirects, so the key
    /// is sent to no other host.
    pub fn new(settings: &StripeSettings, timeout: Duration) -> Result<Self, ServiceError> {
        let mut builder = ClientBuilder::new(settings.api_key.expose_secret()).timeout(timeout);
        if let Some(base) = &settings.api_base {
            builder = builder.url(base.clone());
        }
        // The library's error may contain the key.
        let client = builder
            .build()
            .map_err(|_| ServiceError::internal("invalid Stripe settings"))?;
        Ok(Self { client })
    }

    /// Sends a read. Only the fields of `T` are parsed: Stripe's objects change between API
    /// versions, and the library's types fail on missing fields.
    pub async fn read<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
    ) -> Result<T, PaymentError> {
        self.send(request, RequestStrategy::Once).await
    }

    /// Reads all pages of a list, which `list` requests with [`PAGE`] as its limit.
    pub async fn read_all<T: Deserialize + Send + 'static>(
        &self,
        list: impl Fn() -> RequestBuilder,
        id: fn(&T) -> &str,
    ) -> Result<Vec<T>, PaymentError> {
        let mut found: Vec<T> = Vec::new();
        loop {
            let mut request = list();
            if let Some(last) = found.last() {
                let query = request.query.get_or_insert_default();
                query.push_str("&starting_after=");
                query.push_str(id(last));
            }
            let page: List<T> = self.read(request).await?;
            let more = page.has_more && !page.data.is_empty();
            found.extend(page.data);
            if !more {
                return Ok(found);
            }
        }
    }

    /// Sends a write with an idempotency key.
    pub async fn write<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
        key: &str,
    ) -> Result<T, PaymentError> {
        let key = IdempotencyKey::new(key).map_err(ServiceError::internal)?;
        self.send(request, RequestStrategy::Idempotent(key)).await
    }

    /// Boxed because proving `Send` for the library's client takes the compiler seconds per future.
    fn send<T: Deserialize + Send + 'static>(
        &self,
        request: RequestBuilder,
        strategy: RequestStrategy,
    ) -> BoxFuture<'_, Result<T, PaymentError>> {
        let request = request.customize::<T>().request_strategy(strategy);
        Box::pin(async move { request.send(&self.client).await.map_err(meaning) })
    }
}

/// Maps a library error. Of Stripe's error only message and code are kept: the rest may contain
/// personal data.
fn meaning(error: StripeError) -> PaymentError {
    match error {
        StripeError::Stripe(error, status) => refusal(&error, status),
        StripeError::ConfigError(problem) => PaymentError::NotConfigured(problem),
        error @ (StripeError::JSONDeserialize(_)
        | StripeError::ClientError(_)
        | StripeError::Timeout) => PaymentError::Unavailable(Box::new(error)),
    }
}

fn refusal(error: &ApiErrors, status: u16) -> PaymentError {
    let sentence = error.message.clone().unwrap_or_default();
    let code = error.code.as_ref().map_or("", ApiErrorsCode::as_str);
    let is_missing = matches!(error.code, Some(ApiErrorsCode::ResourceMissing));
    let param = error.param.as_deref().unwrap_or_default();
    match status {
        401 | 403 => PaymentError::NotConfigured("Stripe does not accept the API key".to_owned()),
        // 409: a call with the same key is running; 424: a dependency of Stripe failed.
        409 | 424 | 429 | 500.. => {
            PaymentError::Unavailable(format!("Stripe answered {status} {code}").into())
        }
        402 => PaymentError::Declined(format!("{code}: {sentence}")),
        // The customer was deleted, or belongs to a key of the other mode.
        _ if is_missing && param == "customer" => PaymentError::NoCustomer,
        // The price is unknown or inactive: the catalogue was not synced.
        _ if param.contains("price") && (is_missing || sentence.contains("inactive")) => {
            PaymentError::NotConfigured(sentence)
        }
        _ => PaymentError::Refused(format!("{code}: {sentence}")),
    }
}

pub fn is_missing(error: &PaymentError) -> bool {
    matches!(error, PaymentError::Refused(error) if error.starts_with("resource_missing"))
}
