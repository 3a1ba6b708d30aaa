//! Notifications of what operators report, over grpc-web.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_proto::notifications::v1::notification::What;
use hourmeter_proto::notifications::v1::{
    CountUnreadRequest, CountUnreadResponse, ListNotificationsRequest, ListNotificationsResponse,
    MarkAllReadRequest, MarkAllReadResponse,
};
use prost::Message;
use serde_json::json;
use tonic::Code;

use crate::grpc_web::{outcome, request};
use crate::product::{Browser, Product, id};

pub async fn call<R: Message + Default>(
    browser: &Browser,
    method: &str,
    message: impl Message,
) -> R {
    let path = format!("/hourmeter.notifications.v1.{method}");
    let reply = browser
        .send(request(browser, &path, &message.encode_to_vec()))
        .await;
    let (status, message) = outcome(&reply);
    assert_eq!(status.code(), Code::Ok, "{method}: {}", status.message());
    R::decode(message.as_slice()).expect("a message")
}

async fn unread(browser: &Browser) -> u32 {
    let counted: CountUnreadResponse = call(
        browser,
        "NotificationsService/CountUnread",
        CountUnreadRequest {},
    )
    .await;
    counted.unread
}

async fn wait_for_unread(browser: &Browser) {
    for _ in 0..200 {
        if unread(browser).await > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn flagged_update_notifies_the_managers_of_its_company() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let stranger = product.owner("Beta").await;
    let operator = product.operator_of(&owner).await;
    let machine = id(&owner.machine("Crane").await);
    // Captured after the machine was read.
    let later = product.clock.now() + TimeDelta::seconds(1);
    product.clock.set(later);
    let body = json!({"equipmentId": machine, "newUsage": 1});
    let reply = operator.post_as("/api/operator-updates", body).await;
    let update = reply.expect(201);
    assert_eq!(update["flags"], json!(["below_meter"]));
    wait_for_unread(&owner).await;
    assert_eq!(unread(&owner).await, 1);
    assert_eq!(unread(&stranger).await, 0);
    assert_eq!(unread(&operator).await, 0);

    let list = ListNotificationsRequest::default();
    let listed: ListNotificationsResponse =
        call(&owner, "NotificationsService/ListNotifications", list).await;
    let [notification] = listed.notifications.as_slice() else {
        panic!("{listed:?}");
    };
    let Some(What::FlaggedUpdate(what)) = &notification.what else {
        panic!("{notification:?}");
    };
    assert_eq!(what.update_id, id(&update));
    assert_eq!(what.flags, ["below_meter"]);

    let up_to = notification.number;
    let mark = MarkAllReadRequest { up_to };
    let marked: MarkAllReadResponse = call(&owner, "NotificationsService/MarkAllRead", mark).await;
    assert_eq!(marked.unread, 0);
    assert_eq!(unread(&owner).await, 0);
}

#[tokio::test]
async fn status_notifies_the_operators_of_the_machine() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let machine = id(&owner.machine("Crane").await);
    let later = product.clock.now() + TimeDelta::seconds(1);
    product.clock.set(later);
    let body = json!({"equipmentId": machine, "newUsage": 101});
    operator
        .post_as("/api/operator-updates", body)
        .await
        .expect(201);
    let path = format!("/api/equipment/{machine}");
    let stops = json!({"operationalStatus": "out_of_service"});
    owner.patch(&path, stops).await.expect(200);
    wait_for_unread(&operator).await;
    assert_eq!(unread(&owner).await, 0);
    let list = ListNotificationsRequest::default();
    let listed: ListNotificationsResponse =
        call(&operator, "NotificationsService/ListNotifications", list).await;
    let [notification] = listed.notifications.as_slice() else {
        panic!("{listed:?}");
    };
    let Some(What::StatusChange(what)) = &notification.what else {
        panic!("{notification:?}");
    };
    assert_eq!(what.equipment_name, "Crane");
    assert_eq!(what.status, "out_of_service");
}
