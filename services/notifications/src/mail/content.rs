//! Subject, text and HTML of mail.

use hourmeter_proto::accounts::v1::{Contact, Language, MailLinkPurpose};
use lettre::Message;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use uuid::Uuid;

use crate::texts::Texts;

/// The product's colors in light and dark, with their background, because some mail programs keep a white one
/// in dark mode. Mail programs that drop it keep their own.
const STYLE: &str = "body{background:#ffffff;color:#15262f}a,.brand{color:#14566b}.late{color:#b3261e}\
    @media (prefers-color-scheme:dark){body{background:#161e24;color:#e7edf0}\
    a,.brand{color:#74cbe3}.late{color:#ff8f85}}";

/// Texts of one kind of mail with a link in one language.
struct LinkTexts {
    subject: &'static str,
    body: &'static str,
    action: &'static str,
    footer: &'static str,
}

const VERIFICATION_EN: LinkTexts = LinkTexts {
    subject: "Verify your email for Hourmeter",
    body: "Open this link to verify that this address is yours. It works once, for 24 hours.",
    action: "Verify this email",
    footer: "If you did not ask for this, ignore this mail: nothing changes.",
};

const VERIFICATION_ES: LinkTexts = LinkTexts {
    subject: "Verifica tu correo para Hourmeter",
    body: "Abre este enlace para verificar que esta dirección es tuya. Sirve una vez, durante 24 horas.",
    action: "Verificar este correo",
    footer: "Si no lo pediste, ignora este mensaje: nada cambia.",
};

const RECOVERY_EN: LinkTexts = LinkTexts {
    subject: "Set a new Hourmeter password",
    body: "Open this link to set a new password. It works once, for 30 minutes. All devices are signed out then.",
    action: "Set a new password",
    footer: "If you did not ask for this, ignore this mail: your password stays the same.",
};

const RECOVERY_ES: LinkTexts = LinkTexts {
    subject: "Crea una contraseña nueva para Hourmeter",
    body: "Abre este enlace para crear una contraseña nueva. Sirve una vez, durante 30 minutos. Después se cierra la sesión en todos los dispositivos.",
    action: "Crear contraseña nueva",
    footer: "Si no lo pediste, ignora este mensaje: tu contraseña no cambia.",
};

/// A mail with a link. None: the address is invalid.
pub fn link(
    purpose: MailLinkPurpose,
    origin: &str,
    contact: &Contact,
    secret: &str,
) -> Option<Mail> {
    let (path, english, spanish) = match purpose {
        MailLinkPurpose::Recovery => ("new-password", RECOVERY_EN, RECOVERY_ES),
        _ => ("verify-email", VERIFICATION_EN, VERIFICATION_ES),
    };
    let texts = Texts::of(contact).pick(english, spanish);
    // After `#`, so that no log of requests contains it.
    let link = format!("{origin}/{path}#{secret}");
    let greeting = Texts::of(contact).greeting(contact);
    let plain = format!(
        "{greeting}\n\n{}\n\n{link}\n\n{}\n",
        texts.body, texts.footer
    );
    let content = html! {
        p { (greeting) }
        p { (texts.body) }
        p {
            a href=(link) style="display:inline-block;padding:12px 20px;border-radius:6px;\
                background:#14566b;color:#ffffff;font-weight:600;text-decoration:none"
                { (texts.action) }
        }
        p style="word-break:break-all" { (link) }
        p style="font-size:14px" { (texts.footer) }
    };
    Mail::to(contact, texts.subject, &content, plain)
}

impl Texts {
    pub fn greeting(self, contact: &Contact) -> String {
        let name = one_line(&contact.name);
        self.pick(format!("Hello {name},"), format!("Hola, {name}:"))
    }
}

#[derive(Debug)]
pub struct Mail {
    pub to: Mailbox,
    pub subject: String,
    pub plain: String,
    pub html: String,
    /// The address that ends mail of this kind when it is called with POST (RFC 8058).
    pub unsubscribe: Option<String>,
}

impl Mail {
    /// None: the address is invalid.
    pub fn to(contact: &Contact, subject: &str, content: &Markup, plain: String) -> Option<Self> {
        let address = contact.email.parse().ok()?;
        Some(Self {
            to: Mailbox::new(Some(one_line(&contact.name)), address),
            subject: subject.to_owned(),
            plain,
            html: page(contact.language(), subject, content),
            unsubscribe: None,
        })
    }

    /// With headers; the `id` is in the Message-ID.
    pub fn message(&self, from: &Mailbox, id: Uuid) -> Result<Message, lettre::error::Error> {
        let domain = from.email.domain();
        let mut message = Message::builder()
            .from(from.clone())
            .to(self.to.clone())
            .subject(self.subject.as_str())
            .message_id(Some(format!("<{id}@{domain}>")))
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(address) = &self.unsubscribe {
            message = message
                .raw_header(header("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(header(
                    "List-Unsubscribe-Post",
                    "List-Unsubscribe=One-Click",
                ));
        }
        message.multipart(MultiPart::alternative_plain_html(
            self.plain.clone(),
            self.html.clone(),
        ))
    }
}

/// A line that leads to a page.
pub struct Row {
    pub name: String,
    /// Empty: none, for the line that leads to the rest.
    pub detail: String,
    pub path: String,
}

impl Row {
    /// Leads to those that are left; None: there are none.
    pub fn more(texts: Texts, left: usize, path: &str) -> Option<Self> {
        (left > 0).then(|| Self {
            name: texts.more(left),
            detail: String::new(),
            path: path.to_owned(),
        })
    }

    pub fn html(&self, origin: &str) -> Markup {
        let link = format!("{origin}{}", self.path);
        html! {
            @if self.detail.is_empty() {
                p style="margin:0;padding:6px 0" { a href=(link) { (self.name) } }
            } @else {
                p style="margin:0;padding:6px 0;border-bottom:1px solid #8884" {
                    a href=(link) style="font-weight:600" { (self.name) }
                    br; (self.detail)
                }
            }
        }
    }

    pub fn plain(&self, origin: &str) -> String {
        let Self { name, detail, path } = self;
        match detail.as_str() {
            "" => format!("- {name}\n  {origin}{path}"),
            detail => format!("- {name}: {detail}\n  {origin}{path}"),
        }
    }
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::new(name, value.to_owned())
}

/// The frame of all mail.
fn page(language: Language, title: &str, content: &Markup) -> String {
    let language = match language {
        Language::Spanish => "es",
        Language::English | Language::Unspecified => "en",
    };
    let page = html! {
        (DOCTYPE)
        html lang=(language) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif" {
                div style="max-width:560px;margin:0 auto" {
                    p class="brand" style="margin:0 0 16px;font-weight:700" { "Hourmeter" }
                    (content)
                }
            }
        }
    };
    page.into_string()
}

/// Without control characters, on which lettre panics in a header.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_has_one_recipient_for_every_name() {
        let controls: String = (0..=u8::MAX).map(char::from).collect();
        for name in [
            "",
            " ",
            "Dana\r\nBcc: all@example.com",
            "\"Dana\" <all@example.com>, all@example.com",
            "Lucía \u{202e}añeP \u{1f69c}",
            "\u{0}\u{7f}\u{85}\u{2028}",
            &"ñ".repeat(500),
            &controls,
        ] {
            let contact = Contact {
                name: name.to_owned(),
                email: "dana@example.com".to_owned(),
                language: Language::Spanish.into(),
                ..Contact::default()
            };
            let origin = "https://a.example";
            let mail = link(MailLinkPurpose::Verification, origin, &contact, "s").unwrap();
            let from = "Hourmeter <mail@example.com>".parse().unwrap();
            let message = mail.message(&from, Uuid::nil()).unwrap();
            assert_eq!(message.envelope().to().len(), 1, "{name:?}");
            let text = String::from_utf8(message.formatted()).unwrap();
            let (headers, _) = text.split_once("\r\n\r\n").unwrap();
            assert_eq!(headers.matches("\r\nTo: ").count(), 1, "{headers}");
            assert!(!headers.contains("\r\nBcc"), "{headers}");
        }
    }
}
