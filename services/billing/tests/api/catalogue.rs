//! Syncing the plan catalogue to Stripe.

use std::collections::BTreeMap;

use hourmeter_billing::domain::plan::{PLANS, Plan};
use hourmeter_billing::provider::stripe::StripePayments;
use hourmeter_billing::provider::{Payer, PaymentError, Payments as _};
use hourmeter_billing::{MIGRATIONS, catalogue};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::{Service, Tenant};
use hourmeter_runtime::testing::{self, TestDatabase};
use uuid::Uuid;

use crate::customer::{BASIC, TIMEOUT};
use crate::fake::{Fake, FakeFault};
use crate::support::start;

struct Shop {
    fake: Fake,
    database: TestDatabase,
}

impl Shop {
    async fn new() -> Self {
        Self {
            fake: Fake::start(start()).await,
            database: testing::database(Service::Billing, &MIGRATIONS).await,
        }
    }

    /// Runs the command and returns its report.
    async fn sync(&self, plans: &[Plan]) -> Result<Vec<String>, PaymentError> {
        let (mut said, settings) = (Vec::new(), self.fake.settings());
        let database = &self.database.database;
        catalogue::sync(&settings, database, plans, start(), &mut said).await?;
        let said = String::from_utf8(said).unwrap();
        Ok(said.lines().map(str::to_owned).collect())
    }

    fn payments(&self) -> StripePayments {
        let database = self.database.database.clone();
        StripePayments::new(&self.fake.settings(), database, TIMEOUT).unwrap()
    }

    fn active(&self) -> BTreeMap<String, i64> {
        self.fake.world(|world| {
            let prices = world
                .prices
                .values()
                .filter(|price| price["active"] == true);
            let entry = |price: &serde_json::Value| {
                let key = price["lookup_key"].as_str().unwrap_or("none");
                (key.to_owned(), price["unit_amount"].as_i64().unwrap())
            };
            prices.map(entry).collect()
        })
    }

    async fn stored(&self) -> Vec<(String, String, i32, bool)> {
        let mut admin = connect_admin(&self.database.admin_url).await.unwrap();
        sqlx::query_as(
            "SELECT price_id, tier || ' ' || billing_interval, cents, sold
            FROM stripe_prices ORDER BY price_id",
        )
        .fetch_all(&mut admin)
        .await
        .unwrap()
    }

    async fn sold(&self) -> BTreeMap<String, i32> {
        let stored = self.stored().await.into_iter();
        let sold = stored.filter(|(.., sold)| *sold);
        sold.map(|(_, offer, cents, _)| (offer, cents)).collect()
    }
}

/// The catalogue with a higher price of the smallest plan.
fn higher_prices() -> [Plan; 3] {
    let mut plans = PLANS;
    plans[0].monthly_cents = 3500;
    plans
}

#[tokio::test]
async fn sync_creates_product_and_two_prices_per_plan() {
    let shop = Shop::new().await;
    let said = shop.sync(&PLANS).await.unwrap();
    assert_eq!(said.len(), 9, "{said:#?}");
    assert_eq!(said[0], "Product hourmeter_basic created.");
    assert_eq!(
        said[1],
        "Price hourmeter_basic_month created: USD 32.00 per month."
    );
    assert_eq!(
        said[2],
        "Price hourmeter_basic_year created: USD 326.40 per year."
    );
    let expected = [
        ("hourmeter_basic_month", 3200),
        ("hourmeter_basic_year", 32_640),
        ("hourmeter_professional_month", 5400),
        ("hourmeter_professional_year", 55_080),
        ("hourmeter_enterprise_month", 10_000),
        ("hourmeter_enterprise_year", 102_000),
    ];
    let expected: BTreeMap<_, _> = expected.map(|(key, cents)| (key.to_owned(), cents)).into();
    assert_eq!(shop.active(), expected);
    let sold = shop.sold().await;
    assert_eq!(sold.len(), 6);
    assert_eq!(sold["professional year"], 55_080);
}

#[tokio::test]
async fn sync_is_idempotent() {
    let shop = Shop::new().await;
    shop.sync(&PLANS).await.unwrap();
    let (writes, stored) = (shop.fake.writes(), shop.stored().await);
    let said = shop.sync(&PLANS).await.unwrap();
    assert_eq!(said[0], "Product hourmeter_basic is up to date.");
    assert_eq!(
        said[1],
        "Price hourmeter_basic_month unchanged: USD 32.00 per month."
    );
    assert_eq!(shop.fake.writes(), writes);
    assert_eq!(shop.stored().await, stored);
}

#[tokio::test]
async fn sync_reads_all_pages_of_prices() {
    let shop = Shop::new().await;
    shop.sync(&PLANS).await.unwrap();
    let writes = shop.fake.writes();
    // Archived prices that are newer than the sold one.
    shop.fake.world(|world| {
        let sold = world.prices.values().next().cloned().unwrap();
        for number in 0..100 {
            let (id, mut price) = (format!("price_old_{number:03}"), sold.clone());
            price["id"] = id.clone().into();
            price["active"] = false.into();
            price["lookup_key"] = serde_json::Value::Null;
            world.prices.insert(id, price);
        }
    });
    shop.sync(&PLANS).await.unwrap();
    assert_eq!(shop.fake.writes(), writes);
}

#[tokio::test]
async fn sync_changed_amount_creates_price_and_keeps_old() {
    let shop = Shop::new().await;
    shop.sync(&PLANS).await.unwrap();
    let payments = shop.payments();
    let tenant = Tenant::from_lookup(Uuid::now_v7());
    let customer_id = payments.create_customer(tenant, "c").await.unwrap();
    let payer = Payer {
        tenant,
        customer_id,
    };
    let old = payments
        .open_checkout(&payer, BASIC, None, start(), "1")
        .await
        .unwrap();
    assert!(shop.fake.world(|world| world.pay(&old.id)));

    let said = shop.sync(&higher_prices()).await.unwrap();
    assert_eq!(
        said[1],
        "Price hourmeter_basic_month created: USD 35.00 per month."
    );
    assert!(
        said[2].ends_with("archived: USD 32.00 per month."),
        "{said:#?}"
    );
    assert_eq!(said.len(), 10);
    assert_eq!(shop.active()["hourmeter_basic_month"], 3500);
    assert_eq!(shop.active().len(), 6);
    assert_eq!(shop.stored().await.len(), 7);
    assert_eq!(shop.sold().await["basic month"], 3500);

    // Existing subscriptions keep the old price; new ones pay the new one.
    let paid = shop.fake.world(|world| world.paid());
    let readings = payments.subscriptions(&payer, start()).await.unwrap();
    assert_eq!(readings[0].offer, BASIC);
    let new = payments
        .open_checkout(&payer, BASIC, None, start(), "2")
        .await
        .unwrap();
    assert!(shop.fake.world(|world| world.pay(&new.id)));
    assert_eq!(shop.fake.world(|world| world.paid()) - paid, 3500);

    let writes = shop.fake.writes();
    shop.sync(&higher_prices()).await.unwrap();
    assert_eq!(shop.fake.writes(), writes);
    // Restoring the amount creates another price: the old one stays archived.
    shop.sync(&PLANS).await.unwrap();
    assert_eq!(shop.active()["hourmeter_basic_month"], 3200);
    assert_eq!(shop.stored().await.len(), 8);
    assert_eq!(shop.sold().await["basic month"], 3200);
}

#[tokio::test]
async fn sync_repairs_manual_changes() {
    let shop = Shop::new().await;
    shop.sync(&PLANS).await.unwrap();
    shop.fake.world(|world| {
        let product = world.products.get_mut("hourmeter_basic").unwrap();
        product["active"] = false.into();
        product["name"] = "Something else".into();
        let prices = world.prices.values_mut();
        let month = prices
            .into_iter()
            .find(|price| price["lookup_key"] == "hourmeter_basic_month");
        month.unwrap()["active"] = false.into();
    });
    let said = shop.sync(&PLANS).await.unwrap();
    assert_eq!(said[0], "Product hourmeter_basic updated.");
    assert_eq!(
        said[1],
        "Price hourmeter_basic_month created: USD 32.00 per month."
    );
    assert_eq!(shop.active().len(), 6);
    let name = shop
        .fake
        .world(|world| world.products["hourmeter_basic"]["name"].clone());
    assert_eq!(name, "Hourmeter Basic");
}

#[tokio::test]
async fn sync_completes_interrupted_run() {
    let shop = Shop::new().await;
    let mut runs = 0;
    // Each run gets one write further before its response is lost.
    loop {
        shop.fake.cut_after_writes(1);
        runs += 1;
        if shop.sync(&PLANS).await.is_ok() {
            break;
        }
        assert!(runs < 30);
    }
    assert_eq!(
        runs, 10,
        "three products and six prices, each with one lost response"
    );
    assert_eq!(shop.active().len(), 6);
    assert_eq!(
        shop.fake.world(|world| world.prices.len()),
        6,
        "no price is created twice"
    );
    assert_eq!(shop.sold().await.len(), 6);
}

#[tokio::test]
async fn sync_restores_stored_prices() {
    let shop = Shop::new().await;
    shop.sync(&PLANS).await.unwrap();
    shop.sync(&higher_prices()).await.unwrap();
    let (stored, writes) = (shop.stored().await, shop.fake.writes());
    let mut admin = connect_admin(&shop.database.admin_url).await.unwrap();
    sqlx::query("DELETE FROM stripe_prices")
        .execute(&mut admin)
        .await
        .unwrap();
    shop.sync(&higher_prices()).await.unwrap();
    assert_eq!(shop.stored().await, stored);
    assert_eq!(shop.fake.writes(), writes);
}

#[tokio::test]
async fn sync_stores_nothing_while_stripe_is_unavailable() {
    let shop = Shop::new().await;
    for status in [500, 503, 429] {
        shop.fake.set_fault(Some(FakeFault::Status(status)));
        let said = shop.sync(&PLANS).await;
        assert!(
            matches!(said, Err(PaymentError::Unavailable(_))),
            "{said:?}"
        );
    }
    assert_eq!(shop.stored().await, []);
}
