//! Settings of the billing service.

use hourmeter_runtime::config::{AppEnv, Settings};
use secrecy::{ExposeSecret as _, SecretString};

#[derive(Clone, Debug)]
pub struct BillingSettings {
    /// 1 to 365.
    pub trial_days: u32,
    pub payments: PaymentSettings,
}

#[derive(Clone, Debug)]
pub enum PaymentSettings {
    Sandbox,
    Stripe(StripeSettings),
}

#[derive(Clone, Debug)]
pub struct StripeSettings {
    pub api_key: SecretString,
    /// Several during a rotation.
    pub webhook_secrets: Vec<SecretString>,
    /// Another base URL of the API.
    pub api_base: Option<String>,
    /// Scheme and host of this site without a trailing slash, for redirects from Stripe's pages.
    pub public_origin: String,
}

impl PaymentSettings {
    /// Reads `STRIPE_API_KEY`, `STRIPE_WEBHOOK_SECRETS` (one per line), `STRIPE_API_BASE` and
    /// `PUBLIC_ORIGIN`. Without a key the sandbox is used, except in production.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Self {
        let api_key = settings.secret("STRIPE_API_KEY", env);
        let is_set = |key: &SecretString| !key.expose_secret().trim().is_empty();
        let Some(api_key) = api_key.filter(is_set) else {
            if env == AppEnv::Production {
                settings.problem("STRIPE_API_KEY_FILE is missing");
            }
            return Self::Sandbox;
        };
        Self::Stripe(StripeSettings {
            api_key,
            webhook_secrets: webhook_secrets(settings, env),
            api_base: api_base(settings, env),
            public_origin: public_origin(settings, env),
        })
    }
}

impl StripeSettings {
    /// Whether real money moves.
    pub fn is_live(&self) -> bool {
        let key = self.api_key.expose_secret();
        key.starts_with("sk_live_") || key.starts_with("rk_live_")
    }
}

fn webhook_secrets(settings: &mut Settings, env: AppEnv) -> Vec<SecretString> {
    let secrets = settings.secret("STRIPE_WEBHOOK_SECRETS", env);
    let secrets: Vec<_> = secrets
        .iter()
        .flat_map(|secrets| secrets.expose_secret().lines())
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(SecretString::from)
        .collect();
    if secrets.is_empty() {
        settings.problem("STRIPE_WEBHOOK_SECRETS_FILE is missing");
    }
    secrets
}

fn api_base(settings: &mut Settings, env: AppEnv) -> Option<String> {
    let base = settings.text("STRIPE_API_BASE")?;
    if !is_address(&base, env) {
        settings.problem(format!("STRIPE_API_BASE {}", requirement(env)));
    }
    Some(base)
}

fn public_origin(settings: &mut Settings, env: AppEnv) -> String {
    let Some(origin) = settings.text("PUBLIC_ORIGIN") else {
        settings.problem("PUBLIC_ORIGIN is missing");
        return String::new();
    };
    let origin = origin.trim_end_matches('/').to_owned();
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    if !is_address(&origin, env) || host.contains(['/', '?', '#', '@']) {
        settings.problem(format!(
            "PUBLIC_ORIGIN {}, without a path",
            requirement(env)
        ));
    }
    origin
}

/// Production requires https.
fn is_address(text: &str, env: AppEnv) -> bool {
    let host = match text.split_once("://") {
        Some(("https", host)) => host,
        Some(("http", host)) if env != AppEnv::Production => host,
        _ => return false,
    };
    let host = host.split('/').next().unwrap_or_default();
    !host.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

const fn requirement(env: AppEnv) -> &'static str {
    match env {
        AppEnv::Production => "is not an https address",
        _ => "is not an http or https address",
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
