//! The plan cache mode of connections.

use hourmeter_runtime::db::{Database, url_for};
use hourmeter_runtime::testing::server_url;
use secrecy::{ExposeSecret as _, SecretString};

#[tokio::test]
async fn connect_uses_the_plan_cache_mode_of_its_url() {
    let server = server_url();
    let (server, _) = server
        .expose_secret()
        .split_once('?')
        .unwrap_or((server.expose_secret(), ""));
    for (options, expected) in [
        ("", "force_generic_plan"),
        ("?options[plan_cache_mode]=auto", "auto"),
        (
            "?options[application_name]=x&options[plan_cache_mode]=auto",
            "auto",
        ),
    ] {
        let url = SecretString::from(format!("{server}{options}"));
        let database = Database::connect(&url, 1).expect("a pool");
        let mut connection = database.lookup().await.expect("a connection");
        let mode: String = sqlx::query_scalar("SHOW plan_cache_mode")
            .fetch_one(&mut *connection)
            .await
            .expect("a mode");
        assert_eq!(mode, expected, "{options}");

        // The URL of another role has the same mode.
        let other = url_for(&url, "role", &"password".into(), "other").expect("a URL");
        let suffix = if expected == "auto" {
            "/other?options[plan_cache_mode]=auto"
        } else {
            "/other"
        };
        assert!(other.expose_secret().ends_with(suffix), "{options}");
    }
}
