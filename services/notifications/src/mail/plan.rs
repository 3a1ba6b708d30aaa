//! Mail about the company's plan.

use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::Contact;
use maud::html;

use super::content::Mail;
use crate::fact::{Notification, What};
use crate::texts::Texts;

/// None: the notification is about something else, or the address is invalid.
pub fn plan(
    origin: &str,
    contact: &Contact,
    zone: Tz,
    notification: &Notification,
) -> Option<Mail> {
    let texts = Texts::of(contact);
    let (subject, body) = match notification.what {
        What::FailedPayment { access_until } => {
            let until = texts.day(access_until, zone);
            let subject = texts.pick(
                "Your Hourmeter payment failed",
                "Tu pago de Hourmeter no pasó",
            );
            let body = texts.pick(
                format!(
                    "Everything stays open until {until}; update your card and we'll retry the payment."
                ),
                format!(
                    "Todo sigue abierto hasta el {until}; actualiza tu tarjeta y volvemos a intentar el cobro."
                ),
            );
            (subject, body)
        }
        What::LimitReached { limit } => {
            let subject = texts.pick(
                "The equipment limit of your Hourmeter plan is reached",
                "Llegaste al límite de equipos de tu plan de Hourmeter",
            );
            let body = texts.pick(
                format!(
                    "Equipment in use: {limit} of {limit}. To add more, choose a larger plan, or retire equipment that you no longer use."
                ),
                format!(
                    "Equipos en uso: {limit} de {limit}. Para agregar más, elige un plan más grande o retira los equipos que ya no usas."
                ),
            );
            (subject, body)
        }
        _ => return None,
    };
    let greeting = texts.greeting(contact);
    let action = texts.pick("Open the subscription", "Ver la suscripción");
    let why = texts.pick(
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
    Mail::to(contact, subject, &content, plain)
}
