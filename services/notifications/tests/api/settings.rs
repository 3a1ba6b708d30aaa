//! How people are notified, and mail about flagged updates.

use hourmeter_proto::accounts::v1::Language;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_edge, as_person, operator_of, owner};

use crate::mail::read;
use crate::office::Office;
use crate::support::{flagged, returned};

/// The owner wants mail.
async fn office_with_mail() -> Office {
    let office = Office::new().await;
    office.set(with_mail()).await;
    office
}

impl Office {
    async fn set(&self, settings: Settings) {
        self.app.set_settings(&self.owner, settings).await.unwrap();
    }

    /// Without text messages that are off.
    async fn get(&self, by: &Identity) -> Settings {
        let request = as_person(Service::Notifications, by, GetSettingsRequest {});
        let found = self.app.settings().get_settings(request).await;
        let found = found.unwrap().into_inner().settings.unwrap();
        let chosen = |sms: Option<bool>| sms.filter(|is_on| *is_on);
        Settings {
            flagged_sms: chosen(found.flagged_sms),
            returned_sms: chosen(found.returned_sms),
            status_sms: chosen(found.status_sms),
            ..found
        }
    }

    async fn flag(&self, key: &str) {
        self.record(flagged(key)).await;
    }

    async fn record(&self, fact: Fact) {
        let company = self.owner.company_id;
        self.app.record(company, vec![fact]).await.unwrap();
    }

    /// Lets the wait of all mail end, and returns the mail once each was tried.
    async fn sent_after_wait(&self) -> Vec<String> {
        self.app
            .execute("UPDATE messages SET next_try_at = now() WHERE state = 'queued'")
            .await;
        self.app.wait_for("messages WHERE attempts = 0", 0).await;
        self.sent().await
    }

    async fn states(&self, state: &str) -> i64 {
        let rows = format!("messages WHERE state = '{state}'");
        self.app.count_rows(&rows).await
    }
}

fn with_mail() -> Settings {
    Settings {
        flagged_mail: true,
        ..Settings::default()
    }
}

#[tokio::test]
async fn settings_are_the_persons_own() {
    let office = office_with_mail().await;
    let (operator, stranger) = (operator_of(&office.owner), owner());
    let quiet = Settings {
        quiet_hours: Some(QuietHours {
            start: 1439,
            end: 0,
        }),
        status_push: Some(true),
        status_sms: Some(true),
        ..with_mail()
    };
    office.set(quiet).await;
    assert_eq!(office.get(&office.owner).await, quiet);
    // Operators are notified of the status of machines.
    for (other, status_push) in [(&operator, true), (&stranger, false)] {
        let usual = Settings {
            flagged_push: true,
            returned_push: true,
            status_push: Some(status_push),
            ..Settings::default()
        };
        assert_eq!(office.get(other).await, usual);
    }
    // A client of an earlier release does not send the optional ones.
    office.set(with_mail()).await;
    let kept = Settings {
        status_push: Some(true),
        status_sms: Some(true),
        ..with_mail()
    };
    assert_eq!(office.get(&office.owner).await, kept);
}

#[tokio::test]
async fn quiet_hours_are_two_different_minutes() {
    let office = office_with_mail().await;
    for (start, end, field) in [
        (1440, 0, "settings.quietHours.start"),
        (0, 1440, "settings.quietHours.end"),
        (u32::MAX, 0, "settings.quietHours.start"),
        (60, 60, "settings.quietHours.end"),
    ] {
        let settings = Settings {
            quiet_hours: Some(QuietHours { start, end }),
            ..with_mail()
        };
        let set = office.app.set_settings(&office.owner, settings).await;
        let failure = set.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, field);
    }
    let kept = Settings {
        status_push: Some(false),
        ..with_mail()
    };
    assert_eq!(office.get(&office.owner).await, kept);
}

#[tokio::test]
async fn flagged_updates_of_five_minutes_are_one_mail() {
    let office = office_with_mail().await;
    office.flag("a").await;
    office.flag("b").await;
    let waiting = "messages
        WHERE attempts = 0
          AND next_try_at BETWEEN now() + interval '4 minutes' AND now() + interval '5 minutes'";
    assert_eq!(office.app.count_rows(waiting).await, 2);
    let [mail] = office.sent_after_wait().await.try_into().unwrap();
    for part in [
        "Subject: 2 flagged reports",
        "- Excavator 7: Oscar Operator, Nov 2, 2:00 am",
        "List-Unsubscribe: <https://hm.example/api/unsubscribe/",
    ] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    assert_eq!(office.states("sent").await, 1);
    assert_eq!(office.states("gathered").await, 1);
    // The operator's own is no business of the owner.
    let operator = operator_of(&office.owner);
    office.record(returned("c", &operator)).await;
    let mut own = flagged("d");
    own.actor_id = office.owner.user_id.to_string();
    office.record(own).await;
    assert_eq!(office.sent_after_wait().await.len(), 1);
}

#[tokio::test]
async fn decided_and_read_updates_are_not_mailed() {
    let office = office_with_mail().await;
    for key in ["a", "b", "c"] {
        office.flag(key).await;
    }
    let [_, read, _] = office.app.list(&office.owner).await.try_into().unwrap();
    office
        .app
        .mark(&office.owner, vec![read.number])
        .await
        .unwrap();
    office
        .app
        .execute("UPDATE notifications SET settled = true WHERE origin = 'a'")
        .await;
    let [mail] = office.sent_after_wait().await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Flagged report: Excavator 7"),
        "{mail}"
    );
    office.flag("d").await;
    let newest = office.app.list(&office.owner).await[0].number;
    office.app.mark_all(&office.owner, newest).await;
    assert_eq!(office.sent_after_wait().await.len(), 1);
    assert_eq!(office.states("suppressed").await, 1);
}

#[tokio::test]
async fn mail_goes_only_to_verified_addresses_of_the_company() {
    let office = office_with_mail().await;
    office.set_contact(false, Language::English);
    office.flag("a").await;
    // Operators have no mail.
    let operator = operator_of(&office.owner);
    office
        .app
        .set_settings(&operator, with_mail())
        .await
        .unwrap();
    office.flag("b").await;
    assert!(office.sent_after_wait().await.is_empty());
    assert_eq!(office.states("suppressed").await, 3);
}

#[tokio::test]
async fn mail_in_quiet_hours_waits_for_their_end() {
    let office = office_with_mail().await;
    let night = QuietHours {
        start: 21 * 60,
        end: 6 * 60,
    };
    office
        .set(Settings {
            quiet_hours: Some(night),
            ..with_mail()
        })
        .await;
    // 2:00 in Chicago.
    office.flag("a").await;
    office
        .app
        .execute("UPDATE messages SET next_try_at = now()")
        .await;
    let postponed = "messages
        WHERE state = 'queued'
          AND postponed_until = '2026-11-02T12:00:00Z'
          AND next_try_at > now() + interval '3 hours'";
    office.app.wait_for(postponed, 1).await;
    assert!(read(office.mailbox.path()).is_empty());
    // It is not late then.
    let morning = "2026-11-02T12:00:00Z".parse().unwrap();
    office.app.clock.set(morning);
    assert_eq!(office.sent_after_wait().await.len(), 1);
}

#[tokio::test]
async fn flagged_mail_ends_by_its_link_and_the_digest_goes_on() {
    let office = office_with_mail().await;
    let key = office
        .app
        .text("SELECT unsubscribe_key::text FROM digests")
        .await;
    let message = StopDigestRequest {
        key,
        flagged_mail: true,
    };
    office.flag("a").await;
    let request = as_edge(Service::Notifications, message);
    office.app.digests().stop_digest(request).await.unwrap();
    assert!(!office.get(&office.owner).await.flagged_mail);
    assert!(office.sent_after_wait().await.is_empty());
    let ended = "digests WHERE weekdays = '{}'";
    assert_eq!(office.app.count_rows(ended).await, 0);
}
