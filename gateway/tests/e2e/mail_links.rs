//! Mailed links, from the request to their use.

use std::time::Duration;

use hourmeter_proto::notifications::v1::{
    ListSandboxMailRequest, ListSandboxMailResponse, SendAddressVerificationRequest,
    SendAddressVerificationResponse,
};
use serde_json::json;

use crate::notifications::call;
use crate::product::{Browser, PASSWORD, Product};

/// Waits for mail with this subject and returns the secret of its link.
async fn mailed(owner: &Browser, subject: &str) -> String {
    for _ in 0..200 {
        let request = ListSandboxMailRequest {};
        let listed: ListSandboxMailResponse = call(owner, "ListSandboxMail", request).await;
        if let Some(mail) = listed.mail.iter().find(|mail| mail.subject == subject) {
            let (_, rest) = mail.plain.split_once('#').expect("a link");
            return rest.split_whitespace().next().expect("a secret").to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no mail with the subject {subject}");
}

async fn request_recovery(visitor: &Browser, name: &str) {
    let body = json!({"emailOrBusinessName": name});
    let reply = visitor.post_as("/api/auth/recovery-link", body).await;
    assert_eq!(reply.status, 204, "{}", reply.text());
}

#[tokio::test]
async fn mailed_links_verify_an_address_and_recover_a_password() {
    const NEW: &str = "quarry-road-52";
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (visitor, email) = (product.visitor(), "owner@acme.example");
    request_recovery(&visitor, email).await;

    let request = SendAddressVerificationRequest {};
    let sent: SendAddressVerificationResponse =
        call(&owner, "SendAddressVerification", request).await;
    assert!(sent.sandbox);
    let secret = mailed(&owner, "Verify your email for Hourmeter").await;
    let body = json!({ "secret": secret });
    let reply = visitor.post_as("/api/auth/verify-email", body).await;
    assert_eq!(reply.expect(200)["email"], email);

    request_recovery(&visitor, "nobody@example.com").await;
    request_recovery(&visitor, email).await;
    let secret = mailed(&owner, "Set a new Hourmeter password").await;
    let body = json!({"secret": secret, "newPassword": NEW});
    let reply = visitor
        .post_as("/api/auth/new-password", body.clone())
        .await;
    assert_eq!(reply.status, 204, "{}", reply.text());
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
    let again = visitor.post_as("/api/auth/new-password", body).await;
    assert_eq!(again.status, 404);

    for (password, status) in [(PASSWORD, 401), (NEW, 200)] {
        let mut browser = product.visitor();
        let body = json!({"emailOrBusinessName": email, "password": password});
        let reply = browser.post("/api/auth/login", body).await;
        assert_eq!(reply.status, status, "{}", reply.text());
    }
}
