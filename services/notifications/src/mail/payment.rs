//! Mail about a failed payment.

use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::{Contact, Language};
use lettre::Address;
use lettre::message::Mailbox;
use maud::html;

use super::content::{Mail, one_line, page};
use super::flagged::day;
use crate::fact::{Notification, What};

/// None: the notification is about something else.
pub fn failed_payment(
    origin: &str,
    (contact, address): (&Contact, Address),
    zone: Tz,
    notification: &Notification,
) -> Option<Mail> {
    let What::FailedPayment { access_until } = notification.what else {
        return None;
    };
    let language = contact.language();
    let is_spanish = language == Language::Spanish;
    let name = one_line(&contact.name);
    let until = day(access_until, zone, is_spanish);
    let (greeting, subject, body, action, why) = if is_spanish {
        (
            format!("Hola, {name}:"),
            "Tu pago de Hourmeter no pasó",
            format!(
                "Todo sigue abierto hasta el {until}; actualiza tu tarjeta y volvemos a intentar el cobro."
            ),
            "Ver la suscripción",
            "Los correos sobre pagos que no pasan se envían siempre al propietario y a los encargados.",
        )
    } else {
        (
            format!("Hello {name},"),
            "Your Hourmeter payment failed",
            format!(
                "Everything stays open until {until}; update your card and we'll retry the payment."
            ),
            "Open the subscription",
            "Mail about failed payments is always sent to the owner and managers.",
        )
    };
    let link = format!("{origin}/subscription");
    let content = html! {
        p { (greeting) }
        h1 style="margin:0 0 16px;font-size:20px" { (subject) }
        p { (body) }
        p { a href=(link) style="font-weight:600" { (action) } }
        p style="margin-top:32px;font-size:14px" { (why) }
    };
    let plain = format!("{greeting}\n\n{subject}\n{body}\n\n{action}: {link}\n\n{why}\n");
    Some(Mail {
        html: page(language, subject, &content),
        to: Mailbox::new(Some(name), address),
        subject: subject.to_owned(),
        plain,
        unsubscribe: None,
    })
}
