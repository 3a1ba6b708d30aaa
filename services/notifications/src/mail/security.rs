//! Mail about the security of a person's account, which nobody can turn off.

use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::Contact;
use hourmeter_proto::notifications::v1::SecurityEventKind as Event;
use maud::html;

use super::content::{Mail, one_line};
use crate::fact::{Notification, What};
use crate::texts::Texts;

/// Subject and meaning in English, and both in Spanish. None: an event of a later release.
const fn texts_of(event: Event) -> Option<[&'static str; 4]> {
    Some(match event {
        Event::Unspecified => return None,
        Event::NewBrowser => [
            "New sign-in to Hourmeter",
            "Someone signed in to your account from a browser that you had not used before.",
            "Nuevo inicio de sesión en Hourmeter",
            "Alguien entró a tu cuenta desde un navegador que no habías usado antes.",
        ],
        Event::PasswordChanged => [
            "Your Hourmeter password was changed",
            "Your other devices were signed out.",
            "Se cambió tu contraseña de Hourmeter",
            "Se cerró la sesión en tus otros dispositivos.",
        ],
        Event::PasswordRecovered => [
            "Your Hourmeter password was reset",
            "Someone set a new password with your security questions or a mailed link. All your devices were signed out.",
            "Se restableció tu contraseña de Hourmeter",
            "Alguien creó una contraseña nueva con tus preguntas de seguridad o con un enlace enviado por correo. Se cerró la sesión en todos tus dispositivos.",
        ],
        Event::PasswordReset => [
            "A new Hourmeter password was set for you",
            "Another person set it and knows it. All your devices were signed out. Choose a password that only you know.",
            "Se te asignó una contraseña nueva de Hourmeter",
            "Otra persona te la asignó y la conoce. Se cerró la sesión en todos tus dispositivos. Elige una contraseña que solo tú sepas.",
        ],
        Event::EmailChanged => [
            "Your Hourmeter email address was changed",
            "You sign in with the new address now.",
            "Se cambió tu correo de Hourmeter",
            "Ahora entras con la dirección nueva.",
        ],
        Event::AuthenticatorAdded => [
            "An authenticator app was added in Hourmeter",
            "Its codes are now a second step when you sign in.",
            "Se agregó una aplicación de autenticación en Hourmeter",
            "Ahora sus códigos son un segundo paso para entrar.",
        ],
        Event::SecondFactorOff => [
            "Two-step sign-in to Hourmeter was turned off",
            "Your password alone signs you in now.",
            "Se desactivó la verificación en dos pasos de Hourmeter",
            "Ahora basta tu contraseña para entrar.",
        ],
        Event::SecondFactorReset => [
            "Your two-step sign-in to Hourmeter was reset",
            "Another person reset it. Your authenticator app, passkeys and recovery codes no longer work, and all your devices were signed out.",
            "Se restableció tu verificación en dos pasos de Hourmeter",
            "Otra persona la restableció. Tu aplicación de autenticación, tus llaves de acceso y tus códigos de recuperación ya no sirven, y se cerró la sesión en todos tus dispositivos.",
        ],
        Event::RecoveryCodeUsed => [
            "A Hourmeter recovery code was used",
            "Someone signed in with one of your recovery codes. It no longer works.",
            "Se usó un código de recuperación de Hourmeter",
            "Alguien entró con uno de tus códigos de recuperación. Ese código ya no sirve.",
        ],
        Event::RecoveryCodesReplaced => [
            "New Hourmeter recovery codes were made",
            "The earlier recovery codes no longer work.",
            "Se generaron códigos de recuperación nuevos de Hourmeter",
            "Los códigos anteriores ya no sirven.",
        ],
        Event::PasskeyAdded => [
            "A passkey was added in Hourmeter",
            "It can be used to sign you in after your password.",
            "Se agregó una llave de acceso en Hourmeter",
            "Sirve para entrar a tu cuenta después de la contraseña.",
        ],
        Event::PasskeyRemoved => [
            "A passkey was removed in Hourmeter",
            "It no longer signs you in.",
            "Se quitó una llave de acceso en Hourmeter",
            "Ya no sirve para entrar a tu cuenta.",
        ],
    })
}

/// None: the notification is about something else, or of a later release, or the address is invalid.
pub fn security(
    origin: &str,
    contact: &Contact,
    zone: Tz,
    notification: &Notification,
) -> Option<Mail> {
    let What::SecurityEvent { event, browser, .. } = &notification.what else {
        return None;
    };
    let texts = Texts::of(contact);
    let pick = |english, spanish| texts.pick(english, spanish);
    let [english, english_meaning, spanish, spanish_meaning] =
        texts_of(Event::from_str_name(event)?)?;
    let (subject, meaning) = texts.pick((english, english_meaning), (spanish, spanish_meaning));
    let greeting = texts.greeting(contact);
    let happened_at = notification.happened_at;
    let when = format!(
        "{}: {} ({})",
        pick("When", "Cuándo"),
        texts.time(happened_at, zone),
        happened_at.with_timezone(&zone).format("%Z")
    );
    let browser = one_line(browser);
    let from = (!browser.is_empty()).then(|| format!("{}: {browser}", pick("From", "Desde")));
    let advice = pick(
        "If this was you, there is nothing to do. If it was not you, change your password now and check two-step sign-in in your profile.",
        "Si fuiste tú, no hay nada que hacer. Si no fuiste tú, cambia ahora tu contraseña y revisa la verificación en dos pasos en tu perfil.",
    );
    let check = pick("Open your profile", "Abrir tu perfil");
    let locked_out = pick(
        "If you cannot sign in, set a new password here, or ask the owner of your company",
        "Si no puedes entrar, crea una contraseña nueva aquí, o avisa al propietario de tu empresa",
    );
    let why = pick(
        "Mail about the security of your account is always sent.",
        "Los correos sobre la seguridad de tu cuenta se envían siempre.",
    );
    let (profile, recovery) = (
        format!("{origin}/profile"),
        format!("{origin}/forgot-password"),
    );
    let content = html! {
        p { (greeting) }
        h1 style="margin:0 0 16px;font-size:20px" { (subject) }
        p { (meaning) }
        p { (when) @if let Some(from) = &from { br; (from) } }
        p { (advice) }
        p { a href=(profile) style="font-weight:600" { (check) } }
        p { (locked_out) ": " a href=(recovery) { (recovery) } }
        p style="margin-top:32px;font-size:14px" { (why) }
    };
    let from = from.map(|line| format!("{line}\n")).unwrap_or_default();
    let plain = format!(
        "{greeting}\n\n{subject}\n{meaning}\n\n{when}\n{from}\n{advice}\n\n{check}: {profile}\n{locked_out}: {recovery}\n\n{why}\n"
    );
    Mail::to(contact, subject, &content, plain)
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::accounts::v1::Language;
    use uuid::Uuid;

    use super::*;

    fn mail(event: Event, browser: &str, language: Language) -> Option<Mail> {
        let notification = Notification {
            number: 1,
            happened_at: "2026-11-02T08:05:00Z".parse().unwrap(),
            what: What::SecurityEvent {
                person_id: Uuid::nil(),
                event: event.as_str_name().to_owned(),
                browser: browser.to_owned(),
            },
            read: false,
        };
        let contact = Contact {
            name: "Dana".to_owned(),
            email: "dana@example.com".to_owned(),
            language: language.into(),
            ..Contact::default()
        };
        let zone = chrono_tz::America::Chicago;
        security("https://hm.example", &contact, zone, &notification)
    }

    #[test]
    fn security_names_what_when_and_from_where() {
        let english = mail(Event::PasswordChanged, "Chrome, Windows", Language::English).unwrap();
        assert_eq!(english.subject, "Your Hourmeter password was changed");
        let lines = "When: Nov 2, 2:05 am (CST)\nFrom: Chrome, Windows\n";
        assert!(english.plain.contains(lines), "{}", english.plain);
        assert!(english.plain.contains("https://hm.example/profile\n"));
        assert!(english.unsubscribe.is_none());
        let spanish = mail(Event::NewBrowser, "a\r\nb", Language::Spanish).unwrap();
        assert_eq!(spanish.subject, "Nuevo inicio de sesión en Hourmeter");
        let lines = "Cuándo: 2 nov, 2:05 am (CST)\nDesde: a b\n";
        assert!(spanish.plain.contains(lines), "{}", spanish.plain);
    }

    #[test]
    fn security_has_texts_for_all_events() {
        let events = (0..).map_while(|number| Event::try_from(number).ok());
        for event in events.skip(1) {
            let [english, spanish] =
                [Language::English, Language::Spanish].map(|language| mail(event, "", language));
            let (english, spanish) = (english.unwrap(), spanish.unwrap());
            assert_ne!(english.subject, spanish.subject);
            assert!(!english.plain.contains("From: "), "{}", english.plain);
        }
        assert!(mail(Event::Unspecified, "", Language::English).is_none());
    }
}
