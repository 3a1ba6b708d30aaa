//! Mail about the company's plan.

use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::{Contact, Language};
use lettre::Address;
use lettre::message::Mailbox;
use maud::html;

use super::content::{Mail, one_line, page};
use super::flagged::day;
use crate::fact::{Notification, What};

/// None: the notification is about something else.
pub fn plan(
    origin: &str,
    (contact, address): (&Contact, Address),
    zone: Tz,
    notification: &Notification,
) -> Option<Mail> {
    let language = contact.language();
    let is_spanish = language == Language::Spanish;
    let (subject, body) = match notification.what {
        What::FailedPayment { access_until } => {
            let until = day(access_until, zone, is_spanish);
            (
                pick(
                    is_spanish,
                    "Your Hourmeter payment failed",
                    "Tu pago de Hourmeter no pasó",
                ),
                pick(
                    is_spanish,
                    format!(
                        "Everything stays open until {until}; update your card and we'll retry the payment."
                    ),
                    format!(
                        "Todo sigue abierto hasta el {until}; actualiza tu tarjeta y volvemos a intentar el cobro."
                    ),
                ),
            )
        }
        What::LimitReached { limit } => (
            pick(
                is_spanish,
                "The equipment limit of your Hourmeter plan is reached",
                "Llegaste al límite de equipos de tu plan de Hourmeter",
            ),
            pick(
                is_spanish,
                format!(
                    "Equipment in use: {limit} of {limit}. To add more, choose a larger plan, or retire equipment that you no longer use."
                ),
                format!(
                    "Equipos en uso: {limit} de {limit}. Para agregar más, elige un plan más grande o retira los equipos que ya no usas."
                ),
            ),
        ),
        _ => return None,
    };
    let name = one_line(&contact.name);
    let greeting = pick(
        is_spanish,
        format!("Hello {name},"),
        format!("Hola, {name}:"),
    );
    let action = pick(is_spanish, "Open the subscription", "Ver la suscripción");
    let why = pick(
        is_spanish,
        "Mail about the plan is always sent to the owner and managers.",
        "Los correos sobre el plan se envían siempre al propietario y a los encargados.",
    );
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

fn pick<T>(is_spanish: bool, english: T, spanish: T) -> T {
    if is_spanish { spanish } else { english }
}
