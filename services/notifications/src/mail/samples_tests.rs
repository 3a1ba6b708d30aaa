//! A sample of each mail in both languages, in the folder `samples`. People read them there, and a browser
//! test renders them. `UPDATE_SAMPLES=1` writes them after a change.

use std::path::Path;

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::{Contact, Language, MailLinkPurpose};
use hourmeter_proto::equipment::v1::{
    DigestMachines, Equipment, GetDigestResponse, MeterUnit, ServiceTask,
};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_proto::operator_updates::v1::CountReviewResponse;
use uuid::Uuid;

use super::content::{Mail, link};
use super::digest::digest;
use super::flagged::flagged;
use super::plan::plan;
use super::security::security;
use crate::fact::{Notification, What};
use crate::payment::Payment;
use crate::silent_phones::SilentPhone;
use crate::sources::Facts;

const ORIGIN: &str = "https://hm.example";
const ZONE: chrono_tz::Tz = chrono_tz::America::Chicago;

fn at() -> DateTime<Utc> {
    "2026-12-07T13:00:00Z".parse().unwrap()
}

fn machine(number: usize, name: &str, task: ServiceTask) -> Equipment {
    Equipment {
        id: Uuid::from_u128(number as u128).to_string(),
        name: name.to_owned(),
        unit_number: Some(format!("EX-{number:02}")),
        unit: MeterUnit::Hours.into(),
        current_usage: 1250.5,
        meter_age_days: Some(9),
        tasks: vec![task],
        ..Equipment::default()
    }
}

/// Machines of which some are not listed.
fn machines(task: &ServiceTask, names: &[&str], total: u32) -> DigestMachines {
    let all = names.iter().enumerate();
    DigestMachines {
        machines: all
            .map(|(at, name)| machine(at + 1, name, task.clone()))
            .collect(),
        total,
    }
}

/// With all sections.
fn facts() -> Facts {
    let overdue = ServiceTask {
        name: "Engine oil & filter".to_owned(),
        next_due_usage: Some(1200.0),
        ..ServiceTask::default()
    };
    let due = ServiceTask {
        next_due_usage: Some(1300.0),
        projected_due_date: "2026-12-10".to_owned(),
        ..overdue.clone()
    };
    let long = "Caterpillar 950M wheel loader with the large bucket, quarry north of San Antonio";
    Facts {
        today: at().with_timezone(&ZONE).date_naive(),
        due_within_days: 28,
        equipment: GetDigestResponse {
            overdue: Some(machines(&overdue, &["CAT 320 Excavator", long], 2)),
            due: Some(machines(&due, &["John Deere 310SL", "Bobcat S650"], 12)),
            stale: Some(machines(&overdue, &["Wacker Neuson light tower"], 1)),
        },
        review: CountReviewResponse {
            pending: 7,
            flagged: 2,
        },
        payment: at().date_naive().succ_opt().map(Payment::TrialEnds),
        silent_phones: vec![SilentPhone {
            label: "Crew truck 2".to_owned(),
            people: vec!["Juan Salazar".to_owned(), "María Salazar".to_owned()],
            last_contact: "2026-12-02".parse().unwrap(),
        }],
        watched_only: true,
    }
}

fn notification(what: What) -> Notification {
    Notification {
        number: 1,
        happened_at: at(),
        what,
        read: false,
    }
}

fn flagged_update(number: u128) -> Notification {
    notification(What::FlaggedUpdate {
        update_id: Uuid::from_u128(number),
        equipment_id: Uuid::from_u128(number),
        equipment_name: format!("CAT 320 Excavator {number}"),
        operator_name: "María Salazar".to_owned(),
        flags: vec!["below_meter".to_owned(), "fuel_high".to_owned()],
    })
}

/// One of each kind, by name.
fn samples(language: Language) -> Vec<(&'static str, Mail)> {
    let contact = Contact {
        name: "Dana Ruiz".to_owned(),
        email: "dana@example.com".to_owned(),
        language: language.into(),
        ..Contact::default()
    };
    let key = Uuid::from_u128(7);
    let new_browser = notification(What::SecurityEvent {
        person_id: Uuid::nil(),
        event: SecurityEventKind::NewBrowser.as_str_name().to_owned(),
        browser: "Chrome, Windows".to_owned(),
    });
    let payment = notification(What::FailedPayment { access_until: at() });
    let limit = notification(What::LimitReached { limit: 15 });
    let empty = Facts {
        equipment: GetDigestResponse::default(),
        review: CountReviewResponse::default(),
        payment: None,
        silent_phones: Vec::new(),
        watched_only: false,
        ..facts()
    };
    let links = [
        ("verification", MailLinkPurpose::Verification),
        ("recovery", MailLinkPurpose::Recovery),
    ];
    let links = links.map(|(name, purpose)| {
        let secret = "FtPqHkX0m3VYw8cW1oGvJzQ4bN7sR2eTdL5uA9iCxKE";
        (name, link(purpose, ORIGIN, &contact, secret))
    });
    let updates: Vec<_> = (1..=22).map(flagged_update).collect();
    let rest = [
        ("digest", digest(ORIGIN, &contact, key, &facts())),
        ("empty-digest", digest(ORIGIN, &contact, key, &empty)),
        ("flagged", flagged(ORIGIN, &contact, key, ZONE, &updates)),
        ("security", security(ORIGIN, &contact, ZONE, &new_browser)),
        ("payment", plan(ORIGIN, &contact, ZONE, &payment)),
        ("limit", plan(ORIGIN, &contact, ZONE, &limit)),
    ];
    let all = links.into_iter().chain(rest);
    all.map(|(name, mail)| (name, mail.unwrap())).collect()
}

#[test]
fn samples_are_those_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let writes = std::env::var_os("UPDATE_SAMPLES").is_some();
    for (suffix, language) in [("en", Language::English), ("es", Language::Spanish)] {
        for (name, mail) in samples(language) {
            let text = format!("{}\n\n{}", mail.subject, mail.plain);
            let html = format!("{}\n", mail.html);
            for (ending, content) in [("txt", text), ("html", html)] {
                let file = folder.join(format!("{name}-{suffix}.{ending}"));
                if writes {
                    std::fs::write(&file, &content).unwrap();
                }
                let stored = std::fs::read_to_string(&file).unwrap_or_default();
                assert_eq!(
                    content,
                    stored,
                    "UPDATE_SAMPLES=1 writes {}",
                    file.display()
                );
            }
        }
    }
}
