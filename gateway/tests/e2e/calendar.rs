//! Calendars of due services at secret addresses.

use hourmeter_proto::accounts::v1::CreateCalendarFeedResponse;
use prost::Message as _;
use serde_json::json;
use tonic::Code;

use crate::grpc_web::{outcome, request};
use crate::product::{Browser, Product, id};

const CREATE: &str = "/hourmeter.accounts.v1.AccountsService/CreateCalendarFeed";
const DELETE: &str = "/hourmeter.accounts.v1.AccountsService/DeleteCalendarFeed";

/// The path of a new address.
async fn address(browser: &Browser) -> String {
    let (status, message) = outcome(&browser.send(request(browser, CREATE, &[])).await);
    assert_eq!(status.code(), Code::Ok);
    let created = CreateCalendarFeedResponse::decode(message.as_slice()).expect("a message");
    format!("/api/calendar/{}.ics", created.secret)
}

/// The lines of a calendar, unfolded.
async fn lines(product: &Product, path: &str) -> Vec<String> {
    let reply = product.visitor().get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(reply.header("cache-control"), "no-store");
    let text = reply.text().replace("\r\n ", "");
    text.split("\r\n").map(str::to_owned).collect()
}

#[tokio::test]
async fn calendar_has_the_tasks_that_have_a_date() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let other = product.owner("Other").await;
    let machine = owner.machine("Excavator, big; 320").await;
    other.machine("Crane").await;
    let path = format!("/api/equipment/{}", id(&machine));
    let number = json!({"unitNumber": "EX-7"});
    owner.patch(&path, number).await.expect(200);
    let task = json!({
        "name": "Inspection", "calendarInterval": 2, "calendarUnit": "months",
        "lastDoneOn": "2026-11-01",
    });
    let tasks = format!("{path}/service-tasks");
    let task = owner.post_as(&tasks, task).await.expect(201);
    let mine = address(&owner).await;
    let found = lines(&product, &mine).await;
    let day = task["nextDueDate"]
        .as_str()
        .expect("a day")
        .replace('-', "");
    for line in [
        "BEGIN:VCALENDAR".to_owned(),
        "NAME:Service (Hourmeter)".to_owned(),
        format!("UID:{}@hourmeter", id(&task)),
        format!("DTSTART;VALUE=DATE:{day}"),
        "SUMMARY:EX-7 Excavator\\, big\\; 320: Inspection".to_owned(),
        "DESCRIPTION:Due by calendar.".to_owned(),
    ] {
        assert!(found.contains(&line), "{line} in {found:#?}");
    }
    let link = format!("/equipment/item/{}", id(&machine));
    assert!(
        found
            .iter()
            .any(|line| line.starts_with("URL:") && line.ends_with(&link))
    );
    // A day without an end is a whole one.
    assert!(found.iter().all(|line| !line.starts_with("DTEND")));
    let events = found.iter().filter(|line| *line == "BEGIN:VEVENT");
    assert_eq!(events.count(), 1);
    assert!(
        lines(&product, &address(&other).await)
            .await
            .iter()
            .all(|line| !line.contains("EX-7"))
    );
}

#[tokio::test]
async fn calendar_by_usage_is_in_the_persons_language() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator").await;
    let usage = format!("/api/equipment/{}/usage", id(&machine));
    owner
        .patch(&usage, json!({"usageIncrease": 300}))
        .await
        .expect(200);
    let language = json!({"language": "es"});
    owner.patch("/api/user/profile", language).await.expect(200);
    let found = lines(&product, &address(&owner).await).await;
    for line in [
        "NAME:Mantenimiento (Hourmeter)",
        "SUMMARY:Excavator: servicio regular",
        "DESCRIPTION:Vencido: tocaba a 350 horas.",
    ] {
        assert!(
            found.iter().any(|known| known == line),
            "{line} in {found:#?}"
        );
    }
}

#[tokio::test]
async fn calendar_of_an_ended_or_unknown_address_is_not_found() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (first, second) = (address(&owner).await, address(&owner).await);
    let visitor = product.visitor();
    visitor.get(&first).await.error(404);
    visitor.get("/api/calendar/x.ics").await.error(404);
    lines(&product, &second).await;
    let (status, _) = outcome(&owner.send(request(&owner, DELETE, &[])).await);
    assert_eq!(status.code(), Code::Ok);
    visitor.get(&second).await.error(404);
}

#[tokio::test]
async fn operators_have_no_calendar() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let (status, _) = outcome(&operator.send(request(&operator, CREATE, &[])).await);
    assert_eq!(status.code(), Code::PermissionDenied);
}
