//! Status depends on the day in the company's time zone, and follows a change of the time zone.

use serde_json::{Value, json};

use crate::product::{Browser, Product, id};

/// Days to maintenance, status and number of overdue machines, compared between all routes.
async fn days_and_status(browser: &Browser, path: &str) -> (Value, Value, usize) {
    let one = browser.get(path).await.expect(200);
    let all = browser.get("/api/equipment").await.expect(200);
    assert_eq!(all[0], one);
    let overdue = browser.get("/api/equipment?status=overdue").await;
    let overdue = overdue.expect(200);
    let count = overdue.as_array().expect("a list").len();
    let days = one["daysUntilMaintenance"].clone();
    (days, one["serviceStatus"].clone(), count)
}

#[tokio::test]
async fn changed_time_zone_takes_effect_immediately() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    let operator = product.operator_of(&owner).await;
    // At noon UTC it is tomorrow in Kiritimati and still today twelve hours further west.
    let today = product.clock.now().date_naive();
    let noon = today.and_hms_opt(12, 0, 0).expect("noon").and_utc();
    product.clock.set(noon);
    let start = today - chrono::Days::new(10);
    let schedule = json!({
        "hasScheduledMaintenance": true, "maintenanceStartDate": start.to_string(),
        "maintenanceInterval": 10, "maintenanceIntervalUnit": "days",
    });
    owner.patch(&path, schedule).await.expect(200);
    for (zone, days, status, overdue) in [
        ("UTC", 0, "time_for_service", 0),
        ("Pacific/Kiritimati", -1, "overdue", 1),
        ("Etc/GMT+12", 0, "time_for_service", 0),
        ("Pacific/Kiritimati", -1, "overdue", 1),
    ] {
        let zone = json!({"timeZone": zone});
        owner
            .post_as("/api/company-settings", zone.clone())
            .await
            .expect(200);
        for browser in [&owner, &operator] {
            let found = days_and_status(browser, &path).await;
            assert_eq!(found, (json!(days), json!(status), overdue), "{zone}");
        }
    }
}
