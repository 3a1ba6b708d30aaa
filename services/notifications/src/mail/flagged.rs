//! Mail about flagged updates.

use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::Contact;
use maud::html;
use uuid::Uuid;

use super::content::{Mail, Row, one_line};
use crate::fact::{Notification, What};
use crate::texts::Texts;

/// Notifications that one mail lists.
const ROWS: usize = 20;

/// The mail about these notifications, oldest first. None: the address is invalid.
pub fn flagged(
    origin: &str,
    contact: &Contact,
    key: Uuid,
    zone: Tz,
    notifications: &[Notification],
) -> Option<Mail> {
    let texts = Texts::of(contact);
    let pick = |english, spanish| texts.pick(english, spanish);
    let mut rows: Vec<Row> = notifications
        .iter()
        .filter_map(|one| row(one, zone, texts))
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
    rows.extend(Row::more(texts, left, "/review"));
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
    Some(Mail {
        unsubscribe: Some(format!("{origin}/api/unsubscribe/{key}?mail=flagged")),
        ..Mail::to(contact, &subject, &content, plain)?
    })
}

/// None: it is not about a flagged update.
fn row(notification: &Notification, zone: Tz, texts: Texts) -> Option<Row> {
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
    let when = texts.time(notification.happened_at, zone);
    let reasons = flags.iter().map(|flag| texts.flag(flag));
    let reasons: Vec<_> = reasons.filter(|text| !text.is_empty()).collect();
    let detail = format!("{operator_name}, {when}: {}", reasons.join(", "));
    Some(Row {
        name: one_line(equipment_name),
        detail: one_line(detail.trim_end_matches(": ")),
        path: format!("/review?update={update_id}"),
    })
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::accounts::v1::Language;

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
            email: "dana@example.com".to_owned(),
            language: language.into(),
            ..Contact::default()
        };
        let (origin, zone) = ("https://hm.example", chrono_tz::America::Chicago);
        flagged(origin, &contact, Uuid::nil(), zone, &notifications(count)).unwrap()
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
