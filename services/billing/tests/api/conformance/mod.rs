//! Conformance tests of the payment provider interface, run for both providers.

macro_rules! on_both_providers {
    ($($case:ident),* $(,)?) => {
        mod stripe {
            $(#[tokio::test] async fn $case() {
                super::$case(crate::customer::TestCustomer::stripe().await).await;
            })*
        }
        mod sandbox {
            $(#[tokio::test] async fn $case() {
                super::$case(crate::customer::TestCustomer::sandbox().await).await;
            })*
        }
    };
}

mod changes;
mod checkouts;
mod pauses;
mod renewals;
