//! Texts of pushes: names and reasons, no other data.

use serde::Serialize;

use crate::fact::{Notification, What};
use crate::texts::Texts;

/// What the service worker shows.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Payload {
    pub title: String,
    pub body: String,
    /// The page that opens.
    pub url: String,
    /// A later one with this tag replaces it.
    pub tag: String,
}

/// The longest text; a payload must fit into 4 KB.
const MAX_TEXT: usize = 300;

/// None: it is not pushed.
pub fn of_notification(what: &What, texts: Texts) -> Option<Payload> {
    let payload = match what {
        What::FlaggedUpdate {
            update_id,
            equipment_name,
            operator_name,
            flags,
            ..
        } => {
            let flag = flags.first().map_or("", |flag| texts.flag(flag));
            let body = match flag {
                "" => operator_name.clone(),
                flag => format!("{operator_name}: {flag}"),
            };
            Payload {
                title: format!(
                    "{}: {equipment_name}",
                    texts.pick("Flagged report", "Reporte marcado")
                ),
                body,
                url: format!("/review?update={update_id}"),
                tag: update_id.to_string(),
            }
        }
        What::ReturnedUpdate {
            update_id,
            equipment_name,
            reason,
            returned_by,
            voided,
            ..
        } => {
            let title = if *voided {
                texts.pick("Report voided", "Reporte anulado")
            } else {
                texts.pick("Report rejected", "Reporte rechazado")
            };
            Payload {
                title: format!("{title}: {equipment_name}"),
                body: match reason.as_str() {
                    "" => returned_by.clone(),
                    reason => format!("{returned_by}: {reason}"),
                },
                url: "/notifications".to_owned(),
                tag: update_id.to_string(),
            }
        }
        What::StatusChange {
            equipment_id,
            equipment_name,
            status,
            changed_by,
        } => Payload {
            title: format!("{equipment_name}: {}", status_text(status, texts)),
            body: changed_by.clone(),
            url: "/notifications".to_owned(),
            // A later status replaces an earlier one.
            tag: equipment_id.to_string(),
        },
        What::SecurityEvent { .. } | What::FailedPayment { .. } | What::LimitReached { .. } => {
            return None;
        }
    };
    Some(payload.cut())
}

fn status_text(status: &str, texts: Texts) -> &'static str {
    let (english, spanish) = match status {
        "in_use" => ("in use again", "otra vez en uso"),
        "standing" => ("ready for use again", "otra vez disponible"),
        "in_shop" => ("in the shop", "en el taller"),
        "out_of_service" => ("out of service", "fuera de servicio"),
        _ => ("status changed", "cambió de estado"),
    };
    texts.pick(english, spanish)
}

/// Several notifications of one person as one.
pub fn of_several(notifications: &[Notification], texts: Texts) -> Payload {
    let count = notifications.len();
    let mut names: Vec<&str> = Vec::new();
    for name in notifications
        .iter()
        .filter_map(|one| one.what.equipment_name())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let are_flagged = notifications
        .iter()
        .all(|notification| matches!(notification.what, What::FlaggedUpdate { .. }));
    let (what, url) = if are_flagged {
        (
            texts.pick("flagged reports", "reportes marcados"),
            "/review",
        )
    } else {
        (
            texts.pick("notifications", "notificaciones"),
            "/notifications",
        )
    };
    Payload {
        title: format!("{count} {what}"),
        body: names.join(", "),
        url: url.to_owned(),
        tag: "several".to_owned(),
    }
    .cut()
}

pub fn test(texts: Texts) -> Payload {
    let body = texts.pick(
        "Notifications arrive on this device.",
        "Las notificaciones llegan a este dispositivo.",
    );
    Payload {
        title: "Hourmeter".to_owned(),
        body: body.to_owned(),
        url: "/notifications".to_owned(),
        tag: "test".to_owned(),
    }
}

impl Payload {
    fn cut(mut self) -> Self {
        for text in [&mut self.title, &mut self.body] {
            if let Some((at, _)) = text.char_indices().nth(MAX_TEXT) {
                text.truncate(at);
                text.push('…');
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn flagged(name: &str, flags: &[&str]) -> What {
        What::FlaggedUpdate {
            update_id: Uuid::nil(),
            equipment_id: Uuid::nil(),
            equipment_name: name.to_owned(),
            operator_name: "María".to_owned(),
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        }
    }

    #[test]
    fn of_notification_has_the_readers_language() {
        let what = flagged("CAT 320", &["below_meter", "repeated"]);
        let payload = of_notification(&what, Texts(false)).unwrap();
        assert_eq!(payload.title, "Flagged report: CAT 320");
        assert_eq!(payload.body, "María: below the meter");
        assert_eq!(payload.url, format!("/review?update={}", Uuid::nil()));
        let payload = of_notification(&what, Texts(true)).unwrap();
        assert_eq!(payload.title, "Reporte marcado: CAT 320");
        assert_eq!(payload.body, "María: menor que el horómetro");
    }

    #[test]
    fn of_notification_fits_into_a_push() {
        let long = "ñ".repeat(5000);
        let payload = of_notification(&flagged(&long, &["unknown"]), Texts(true)).unwrap();
        assert_eq!(payload.title.chars().count(), MAX_TEXT + 1);
        assert_eq!(payload.body, "María");
        assert!(serde_json::to_vec(&payload).unwrap().len() < 3000);
    }
}
