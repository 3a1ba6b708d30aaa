//! Mail about flagged updates.

use chrono::{DateTime, Locale, Utc};
use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::{Contact, Language};
use lettre::Address;
use lettre::message::Mailbox;
use maud::html;
use uuid::Uuid;

use super::content::{Mail, Row, one_line, page};
use crate::fact::{Notification, What};
use crate::flags::flag_text;

/// Rows of a mail.
const ROWS: usize = 20;

/// The mail about these notifications, oldest first.
pub fn flagged(
    origin: &str,
    (contact, address): (&Contact, Address),
    key: Uuid,
    zone: Tz,
    notifications: &[Notification],
) -> Mail {
    let language = contact.language();
    let spanish = language == Language::Spanish;
    let pick = |english, spanish_text| if spanish { spanish_text } else { english };
    let mut rows: Vec<Row> = notifications
        .iter()
        .filter_map(|one| row(one, zone, spanish))
        .collect();
    let subject = match rows.as_slice() {
        [row] => format!(
            "{}: {}",
            pick("Flagged report", "Reporte marcado"),
            row.name
        ),
        rows => format!(
            "{} {}",
            rows.len(),
            pick("flagged reports", "reportes marcados")
        ),
    };
    let left = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    if left > 0 {
        rows.push(Row {
            name: format!("{} {left} {}", pick("and", "y"), pick("more", "más")),
            detail: String::new(),
            path: "/review".to_owned(),
        });
    }
    let why = pick(
        "You get this mail because you chose to in Hourmeter.",
        "Recibes este correo porque así lo elegiste en Hourmeter.",
    );
    let (change, stop) = (
        pick("Change notifications", "Cambiar notificaciones"),
        pick("Stop these mails", "Dejar de recibirlos"),
    );
    let change_link = format!("{origin}/notifications");
    let stop_link = format!("{origin}/unsubscribe?mail=flagged#{key}");
    let content = html! {
        h1 style="margin:0 0 16px;font-size:20px" { (subject) }
        @for row in &rows { (row.html(origin)) }
        p style="margin-top:32px;font-size:14px" {
            (why) " " a href=(change_link) { (change) } " · " a href=(stop_link) { (stop) }
        }
    };
    let lines: Vec<String> = rows.iter().map(|row| row.plain(origin)).collect();
    let plain = format!(
        "{subject}\n\n{}\n\n{why}\n{change}: {change_link}\n{stop}: {stop_link}\n",
        lines.join("\n")
    );
    Mail {
        html: page(language, &subject, &content),
        to: Mailbox::new(Some(one_line(&contact.name)), address),
        plain,
        subject,
        unsubscribe: Some(format!("{origin}/api/unsubscribe/{key}?mail=flagged")),
    }
}

/// None: it is not about a flagged update.
fn row(notification: &Notification, zone: Tz, spanish: bool) -> Option<Row> {
    let What::FlaggedUpdate {
        update_id,
        equipment_name,
        operator_name,
        flags,
        ..
    } = &notification.what
    else {
        return None;
    };
    let when = time(notification.happened_at, zone, spanish);
    let reasons = flags.iter().map(|flag| flag_text(flag, spanish));
    let reasons: Vec<_> = reasons.filter(|text| !text.is_empty()).collect();
    let detail = format!("{operator_name}, {when}: {}", reasons.join(", "));
    Some(Row {
        name: one_line(equipment_name),
        detail: one_line(detail.trim_end_matches(": ")),
        path: format!("/review?update={update_id}"),
    })
}

/// A day and a time, such as "Nov 2, 2:05 am".
pub(super) fn time(at: DateTime<Utc>, zone: Tz, spanish: bool) -> String {
    // The Spanish locale has no halves of the day.
    let time = at.with_timezone(&zone).format("%-I:%M %P");
    format!("{}, {time}", day(at, zone, spanish))
}

/// A day, such as "Nov 2".
pub(super) fn day(at: DateTime<Utc>, zone: Tz, spanish: bool) -> String {
    let (format, locale) = if spanish {
        ("%-d %b", Locale::es_MX)
    } else {
        ("%b %-d", Locale::en_US)
    };
    let local = at.with_timezone(&zone);
    local.format_localized(format, locale).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notifications(count: u128) -> Vec<Notification> {
        let one = |number: u128| Notification {
            number: 1,
            happened_at: "2026-11-02T08:05:00Z".parse().unwrap(),
            what: What::FlaggedUpdate {
                update_id: Uuid::from_u128(number),
                equipment_id: Uuid::nil(),
                equipment_name: "CAT\r\n320".to_owned(),
                operator_name: "María".to_owned(),
                flags: vec!["below_meter".to_owned(), "of_a_newer_release".to_owned()],
            },
            read: false,
        };
        (0..count).map(one).collect()
    }

    fn mail(count: u128, language: Language) -> Mail {
        let contact = Contact {
            language: language.into(),
            ..Contact::default()
        };
        let address = "dana@example.com".parse().unwrap();
        let zone = chrono_tz::America::Chicago;
        let origin = "https://hm.example";
        flagged(
            origin,
            (&contact, address),
            Uuid::nil(),
            zone,
            &notifications(count),
        )
    }

    #[test]
    fn flagged_names_the_machine_of_one() {
        let english = mail(1, Language::English);
        assert_eq!(english.subject, "Flagged report: CAT 320");
        let row = "- CAT 320: María, Nov 2, 2:05 am: below the meter\n  https://hm.example/review?update=";
        assert!(english.plain.contains(row), "{}", english.plain);
        let spanish = mail(1, Language::Spanish);
        assert_eq!(spanish.subject, "Reporte marcado: CAT 320");
        let detail = "María, 2 nov, 2:05 am: menor que el horómetro";
        assert!(spanish.html.contains(detail), "{}", spanish.html);
    }

    #[test]
    fn flagged_leads_to_the_rest() {
        let several = mail(23, Language::English);
        assert_eq!(several.subject, "23 flagged reports");
        assert_eq!(several.plain.matches("/review?update=").count(), ROWS);
        assert!(
            several
                .plain
                .contains("- and 3 more\n  https://hm.example/review\n")
        );
    }
}
