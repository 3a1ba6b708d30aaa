//! Which machines people watch, and who is notified of a machine's status.

use chrono::TimeDelta;
use hourmeter_notifications::Channels;
use hourmeter_proto::accounts::v1::{Contact, ListContactsResponse};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::notification::What as Shown;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::events::Topic;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};
use uuid::Uuid;

use crate::facts::manager_of;
use crate::fake_contacts::FakeContacts;
use crate::office::Office;
use crate::support::{TestNotifications, flagged, now, out_of_service, returned};

fn flagged_on(key: &str, machine: Uuid) -> Fact {
    let mut fact = flagged(key);
    if let Some(What::FlaggedUpdate(update)) = &mut fact.what {
        update.equipment_id = machine.to_string();
    }
    fact
}

fn watch(machines: &[Uuid], groups: &[&str]) -> Watch {
    Watch {
        equipment_ids: machines.iter().map(Uuid::to_string).collect(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
    }
}

impl TestNotifications {
    async fn watch_of(&self, by: &Identity) -> Option<Watch> {
        let request = as_person(Service::Notifications, by, GetWatchRequest {});
        let found = self.settings().get_watch(request).await;
        found.unwrap().into_inner().watch
    }

    /// The machines of the person's notifications, newest first.
    async fn machines(&self, by: &Identity) -> Vec<String> {
        let rows = self.list(by).await.into_iter();
        rows.map(|row| match row.what.unwrap() {
            Shown::FlaggedUpdate(update) => update.equipment_id,
            Shown::ReturnedUpdate(update) => update.equipment_id,
            Shown::StatusChange(change) => change.equipment_id,
            _ => "none".to_owned(),
        })
        .collect()
    }

    /// Waits until operators are notified.
    async fn operators_notified(&self) {
        let waiting = "messages WHERE kind = 'operators' AND state = 'queued'";
        self.wait_for(waiting, 0).await;
    }
}

#[tokio::test]
async fn watch_is_the_persons_own() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let machine = Uuid::now_v7();
    assert_eq!(app.watch_of(&owner).await, None);
    let chosen = watch(&[machine], &["North yard"]);
    app.set_watch(&owner, Some(chosen.clone())).await.unwrap();
    assert_eq!(app.watch_of(&owner).await, Some(chosen));
    for other in [manager_of(&owner), operator_of(&owner), self::owner()] {
        assert_eq!(app.watch_of(&other).await, None);
    }
    let none = watch(&[], &[]);
    app.set_watch(&owner, Some(none.clone())).await.unwrap();
    assert_eq!(app.watch_of(&owner).await, Some(none));
    app.set_watch(&owner, None).await.unwrap();
    assert_eq!(app.watch_of(&owner).await, None);
}

#[tokio::test]
async fn watch_has_limits() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let machines: Vec<Uuid> = (0..501).map(Uuid::from_u128).collect();
    let names: Vec<String> = (0..51).map(|number| format!("Group {number}")).collect();
    let groups: Vec<&str> = names.iter().map(String::as_str).collect();
    let fine = watch(&machines[..500], &groups[..50]);
    app.set_watch(&owner, Some(fine)).await.unwrap();
    // Repeated ones count once.
    let twice = watch(&[machines[0], machines[0]], &["A", "A"]);
    app.set_watch(&owner, Some(twice)).await.unwrap();
    let once = watch(&machines[..1], &["A"]);
    assert_eq!(app.watch_of(&owner).await, Some(once.clone()));
    let wrong_id = Watch {
        equipment_ids: vec!["EX-7".to_owned()],
        ..Watch::default()
    };
    let long = "x".repeat(61);
    for (wrong, field) in [
        (watch(&machines, &[]), "watch.equipmentIds"),
        (wrong_id, "watch.equipmentIds"),
        (watch(&[], &groups), "watch.groups"),
        (watch(&[], &[""]), "watch.groups"),
        (watch(&[], &[&long]), "watch.groups"),
    ] {
        let failure = app.set_watch(&owner, Some(wrong)).await.unwrap_err();
        assert_eq!(failure.kind, Kind::Invalid);
        assert_eq!(failure.fields[0].0, field);
    }
    assert_eq!(app.watch_of(&owner).await, Some(once));
}

#[tokio::test]
async fn notifications_are_of_watched_machines() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let manager = manager_of(&owner);
    let [by_id, by_group, other] = [1, 2, 3].map(Uuid::from_u128);
    app.digest.state().groups = [(by_group.to_string(), "North yard".to_owned())].into();
    let facts = [("a", by_id), ("b", by_group), ("c", other)];
    let facts = facts.map(|(key, machine)| flagged_on(key, machine));
    app.record(owner.company_id, facts.to_vec()).await.unwrap();
    let before = app.count(&owner).await;
    assert_eq!(before.unread, 3);

    let mut events = app.events.subscribe();
    let chosen = watch(&[by_id], &["North yard", "South yard"]);
    app.set_watch(&owner, Some(chosen)).await.unwrap();
    let changed = events.recv().await.unwrap();
    assert_eq!(changed.topic, Topic::Notifications);
    assert_eq!(changed.person_id, Some(owner.user_id));
    let watched = [by_group, by_id].map(|id| id.to_string());
    assert_eq!(app.machines(&owner).await, watched);
    let after = app.count(&owner).await;
    assert_eq!(after.unread, 2);
    assert_ne!(after.marker, before.marker);
    assert_eq!(app.count(&manager).await.unread, 3);
    // A notification that is not listed can't be read.
    let hidden = app.list(&manager).await[0].number;
    app.mark(&owner, vec![hidden]).await.unwrap();
    assert_eq!(app.count_rows("read_notifications").await, 0);

    app.set_watch(&owner, Some(watch(&[], &[]))).await.unwrap();
    assert!(app.list(&owner).await.is_empty());
    app.set_watch(&owner, None).await.unwrap();
    assert_eq!(app.count(&owner).await.unread, 3);
}

#[tokio::test]
async fn notifications_to_a_person_need_no_watch() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    for person in [&owner, &operator] {
        app.set_watch(person, Some(watch(&[], &[]))).await.unwrap();
    }
    let rejected = returned("a", &operator);
    app.record(owner.company_id, vec![rejected]).await.unwrap();
    assert_eq!(app.count(&operator).await.unread, 1);
    let limit = Fact {
        what: Some(What::LimitReached(LimitReached { limit: 2 })),
        ..flagged("b")
    };
    app.record_status(owner.company_id, limit).await.unwrap();
    assert_eq!(app.count(&owner).await.unread, 1);
}

#[tokio::test]
async fn flagged_mail_is_about_watched_machines() {
    let office = Office::new().await;
    let with_mail = Settings {
        flagged_mail: true,
        ..Settings::default()
    };
    let (app, owner) = (&office.app, &office.owner);
    app.set_settings(owner, with_mail).await.unwrap();
    let [watched, other] = [1, 2].map(Uuid::from_u128);
    let chosen = watch(&[watched, other], &[]);
    app.set_watch(owner, Some(chosen)).await.unwrap();
    let facts = [("a", watched), ("b", other), ("c", Uuid::from_u128(3))];
    let facts = facts.map(|(key, machine)| flagged_on(key, machine));
    app.record(owner.company_id, facts.to_vec()).await.unwrap();
    assert_eq!(app.count_rows("messages").await, 2);
    // What the person does not watch any more is left out.
    let chosen = watch(&[watched], &[]);
    app.set_watch(owner, Some(chosen)).await.unwrap();
    app.execute("UPDATE messages SET next_try_at = now()").await;
    app.wait_for("messages WHERE attempts = 0", 0).await;
    let [mail] = office.sent().await.try_into().unwrap();
    assert!(
        mail.contains("Subject: Flagged report: Excavator 7"),
        "{mail}"
    );
}

#[tokio::test]
async fn digest_is_about_watched_machines() {
    let office = Office::new().await;
    let (app, owner) = (&office.app, &office.owner);
    let send = async || {
        let request = as_person(Service::Notifications, owner, SendDigestRequest {});
        app.digests().send_digest(request).await.unwrap();
        office.sent().await
    };
    let request = as_person(
        Service::Notifications,
        owner,
        SendAddressVerificationRequest {},
    );
    app.client()
        .send_address_verification(request)
        .await
        .unwrap();
    let all = send().await;
    assert_eq!(app.digest.state().requested.selection, None);
    let note = "Only the machines that you watch are listed";
    assert!(!all.iter().any(|mail| mail.contains(note)), "{all:?}");

    let machine = Uuid::now_v7();
    let chosen = watch(&[machine], &["North yard"]);
    app.set_watch(owner, Some(chosen)).await.unwrap();
    app.clock.set(now() + TimeDelta::minutes(2));
    let mail = send().await;
    let selection = app.digest.state().requested.selection.clone().unwrap();
    assert_eq!(selection.equipment_ids, [machine.to_string()]);
    assert_eq!(selection.groups, ["North yard"]);
    assert!(mail.iter().any(|mail| mail.contains(note)), "{mail:?}");
}

#[tokio::test]
async fn digests_of_a_company_are_read_once_for_each_watch() {
    let office = Office::new().await;
    let (app, owner) = (&office.app, &office.owner);
    let people = [owner.clone(), manager_of(owner), manager_of(owner)];
    let contacts = people.iter().map(|person| Contact {
        person_id: person.user_id.to_string(),
        email: "dana@example.com".to_owned(),
        verified: true,
        ..Contact::default()
    });
    office.contacts.state().contacts = Some(ListContactsResponse {
        contacts: contacts.collect(),
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    let chosen = watch(&[Uuid::now_v7()], &[]);
    app.set_watch(&people[0], Some(chosen.clone()))
        .await
        .unwrap();
    app.set_watch(&people[1], Some(chosen)).await.unwrap();
    for person in &people {
        let request = as_person(Service::Notifications, person, SendDigestRequest {});
        app.digests().send_digest(request).await.unwrap();
    }
    assert_eq!(office.sent().await.len(), 3);
    let selections = app.digest.state().selections.clone();
    let chosen = selections.iter().filter(|selection| selection.is_some());
    // A round of the sender may begin between the requests.
    assert!((1..=2).contains(&chosen.count()), "{selections:?}");
    assert!(selections.contains(&None), "{selections:?}");
}

#[tokio::test]
async fn status_is_for_managers_and_operators_of_the_machine() {
    let contacts = FakeContacts::default();
    let app = TestNotifications::with(&contacts, Channels::default()).await;
    let owner = owner();
    let manager = manager_of(&owner);
    let [user, former, watching, other, group, removed] = [(); 6].map(|()| operator_of(&owner));
    // The manager has reported on it, too.
    contacts.state().managers = [manager.user_id.to_string()].into();
    contacts.state().removed = [removed.user_id.to_string()].into();
    let machine = Uuid::now_v7();
    let days = |days| now() - TimeDelta::days(days);
    {
        let mut state = app.digest.state();
        state.groups = [(machine.to_string(), "North yard".to_owned())].into();
        state.reports = vec![
            (machine, user.user_id, days(14)),
            (machine, manager.user_id, days(1)),
            (machine, removed.user_id, days(1)),
            (machine, former.user_id, days(14) - TimeDelta::seconds(1)),
            (machine, other.user_id, days(1)),
            (Uuid::now_v7(), watching.user_id, days(1)),
        ];
    }
    for (person, chosen) in [
        (&watching, watch(&[machine], &[])),
        (&other, watch(&[Uuid::now_v7()], &[])),
        (&group, watch(&[], &["North yard"])),
    ] {
        app.set_watch(person, Some(chosen)).await.unwrap();
    }
    let mut fact = out_of_service("a", machine);
    fact.actor_id = owner.user_id.to_string();
    // Equipment repeats what was not confirmed.
    for _ in 0..2 {
        app.record_status(owner.company_id, fact.clone())
            .await
            .unwrap();
    }
    app.operators_notified().await;
    for (person, expected) in [
        (&owner, 0),
        (&manager, 1),
        (&user, 1),
        (&former, 0),
        (&removed, 0),
        (&watching, 1),
        (&other, 0),
        (&group, 1),
        (&operator_of(&self::owner()), 0),
    ] {
        assert_eq!(app.count(person).await.unread, expected, "{person:?}");
    }
    let [row] = app.list(&user).await.try_into().unwrap();
    let Some(Shown::StatusChange(change)) = row.what else {
        panic!("{row:?}");
    };
    assert_eq!(change.status, "out_of_service");
    assert_eq!(change.changed_by, "Olivia Owner");
    // Others can't record it.
    app.record(owner.company_id, vec![out_of_service("b", machine)])
        .await
        .unwrap_err();
}

#[tokio::test]
async fn status_reaches_operators_after_an_outage() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = Uuid::now_v7();
    {
        let mut state = app.digest.state();
        state.reports = vec![(machine, operator.user_id, now())];
        state.down = true;
    }
    let fact = out_of_service("a", machine);
    app.record_status(owner.company_id, fact).await.unwrap();
    app.wait_for("messages WHERE attempts = 1 AND problem <> ''", 1)
        .await;
    assert_eq!(app.count(&owner).await.unread, 1);
    assert_eq!(app.count(&operator).await.unread, 0);
    app.digest.state().down = false;
    app.execute("UPDATE messages SET next_try_at = now()").await;
    app.operators_notified().await;
    assert_eq!(app.count(&operator).await.unread, 1);
}

#[tokio::test]
async fn statuses_reach_operators_in_their_order() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = Uuid::now_v7();
    {
        let mut state = app.digest.state();
        state.reports = vec![(machine, operator.user_id, now())];
        state.down = true;
    }
    let statuses = ["in_shop", "in_use", "out_of_service", "standing"];
    for status in statuses {
        let mut fact = out_of_service(status, machine);
        if let Some(What::StatusChange(change)) = &mut fact.what {
            change.status = status.to_owned();
        }
        app.record_status(owner.company_id, fact).await.unwrap();
    }
    app.wait_for("messages WHERE problem <> ''", 4).await;
    app.digest.state().down = false;
    app.execute("UPDATE messages SET next_try_at = now()").await;
    app.operators_notified().await;
    let rows = app.list(&operator).await.into_iter().rev();
    let found: Vec<String> = rows
        .map(|row| match row.what.unwrap() {
            Shown::StatusChange(change) => change.status,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, statuses);
}

#[tokio::test]
async fn status_reaches_ten_thousand_watchers_once() {
    let app = TestNotifications::new().await;
    let owner = owner();
    let machine = Uuid::now_v7();
    let operator = operator_of(&owner);
    let chosen = watch(&[machine], &[]);
    app.set_watch(&operator, Some(chosen)).await.unwrap();
    app.execute(
        "INSERT INTO watches
        SELECT company_id, gen_random_uuid(), is_manager, equipment_ids, equipment_groups, now()
        FROM watches, generate_series(2, 10000)",
    )
    .await;
    let fact = out_of_service("a", machine);
    app.record_status(owner.company_id, fact).await.unwrap();
    app.operators_notified().await;
    assert_eq!(app.count(&operator).await.unread, 1);
    assert_eq!(app.count_rows("notifications").await, 10_001);
    let people = "(SELECT DISTINCT person_id FROM notifications) people";
    assert_eq!(app.count_rows(people).await, 10_001);
}
