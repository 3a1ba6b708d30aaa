//! How mail is sent, from the environment.

use std::path::PathBuf;

use hourmeter_proto::notifications::v1::SandboxMail;
use hourmeter_runtime::config::{AppEnv, Settings};
use lettre::message::Mailbox;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::content::Mail;
use super::mailbox;
use super::transport::Transport;
use crate::outbox::Delivery;

const SANDBOX_SENDER: &str = "Hourmeter <hourmeter@localhost>";

/// Where links lead, who sends, and how.
#[derive(Clone, Debug)]
pub struct MailSettings {
    /// Without a slash at the end.
    pub origin: String,
    pub from: Mailbox,
    transport: Transport,
    smtp_url: Option<SecretString>,
}

impl MailSettings {
    /// Reads `SMTP_URL` and `MAIL_FROM`, or `MAIL_DIR`, a folder in place of an SMTP server, which
    /// production rejects; and `PUBLIC_ORIGIN`. None: no mail is sent, or a setting is wrong.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        let smtp_url = settings.secret("SMTP_URL", env);
        let from = settings.text("MAIL_FROM");
        let transport = match (&smtp_url, &from, settings.text("MAIL_DIR")) {
            (None, None, None) => return None,
            (Some(url), Some(_), None) => {
                Transport::smtp(url).map_err(|problem| format!("SMTP_URL {problem}"))
            }
            (None, None, Some(folder)) if env != AppEnv::Production => {
                Ok(Transport::Folder(folder.into()))
            }
            (_, _, Some(_)) => Err("MAIL_DIR is for trying the product: set SMTP_URL and \
                 MAIL_FROM instead"
                .to_owned()),
            (Some(_), None, None) => Err("MAIL_FROM is missing: SMTP_URL is set".to_owned()),
            (None, Some(_), None) => Err("SMTP_URL is missing: MAIL_FROM is set".to_owned()),
        };
        let from = from.as_deref().unwrap_or(SANDBOX_SENDER).parse();
        let from = from.map_err(|_| {
            "MAIL_FROM is not an address like \"Hourmeter <mail@example.com>\"".to_owned()
        });
        let origin = settings.text("PUBLIC_ORIGIN");
        let origin = origin.ok_or("PUBLIC_ORIGIN is missing: mail contains links".to_owned());
        match (transport, from, origin) {
            (Ok(transport), Ok(from), Ok(origin)) => Some(Self {
                origin: origin.trim_end_matches('/').to_owned(),
                from,
                transport,
                smtp_url,
            }),
            (transport, from, origin) => {
                let problems = [transport.err(), from.err(), origin.err()];
                for problem in problems.into_iter().flatten() {
                    settings.problem(problem);
                }
                None
            }
        }
    }

    /// Writes mail to a folder.
    pub fn folder(folder: PathBuf, origin: &str) -> Self {
        Self {
            origin: origin.trim_end_matches('/').to_owned(),
            from: SANDBOX_SENDER.parse().expect("an address"),
            transport: Transport::Folder(folder),
            smtp_url: None,
        }
    }

    pub(super) async fn send(&self, id: Uuid, mail: Mail) -> Delivery {
        self.transport.send(id, mail, &self.from).await
    }

    /// Reads a mail from the folder; None without a folder or a file.
    pub async fn read_sandbox(&self, id: Uuid) -> std::io::Result<Option<SandboxMail>> {
        match &self.transport {
            Transport::Folder(folder) => mailbox::read(folder, id).await,
            Transport::Smtp { .. } => Ok(None),
        }
    }

    /// Whether mail is written to a folder.
    pub const fn is_sandbox(&self) -> bool {
        matches!(self.transport, Transport::Folder(_))
    }

    /// The variables from which another process reads the same settings.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![("PUBLIC_ORIGIN", self.origin.clone())];
        if let Some(url) = &self.smtp_url {
            variables.push(("SMTP_URL", url.expose_secret().to_owned()));
            variables.push(("MAIL_FROM", self.from.to_string()));
        }
        if let Transport::Folder(folder) = &self.transport {
            variables.push(("MAIL_DIR", folder.display().to_string()));
        }
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(env: AppEnv, pairs: &[(&str, &str)]) -> Result<Option<MailSettings>, String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut settings = Settings::from_pairs(pairs);
        let mail = MailSettings::read(&mut settings, env);
        let read = settings.finish(mail);
        read.map_err(|problems| problems.0.join("; "))
    }

    const ORIGIN: (&str, &str) = ("PUBLIC_ORIGIN", "https://hm.example/");
    const SMTP: (&str, &str) = ("SMTP_URL", "smtp://127.0.0.1:2525");
    const FROM: (&str, &str) = ("MAIL_FROM", "Hourmeter <mail@hm.example>");
    const FOLDER: (&str, &str) = ("MAIL_DIR", "/tmp/mail");

    #[tokio::test]
    async fn read_returns_none_without_mail() {
        assert!(read(AppEnv::Production, &[ORIGIN]).unwrap().is_none());
    }

    #[tokio::test]
    async fn read_returns_server_and_sender() {
        let mail = read(AppEnv::Development, &[ORIGIN, SMTP, FROM]);
        let mail = mail.unwrap().unwrap();
        assert_eq!(mail.origin, "https://hm.example");
        assert!(!mail.is_sandbox());
        let variables = mail.variables();
        let again: Vec<_> = variables
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        let again = read(AppEnv::Development, &again).unwrap().unwrap();
        assert_eq!(again.variables(), variables);
    }

    #[tokio::test]
    async fn read_returns_a_folder_outside_production() {
        let mail = read(AppEnv::Development, &[ORIGIN, FOLDER]).unwrap();
        assert!(mail.unwrap().is_sandbox());
        assert!(read(AppEnv::Production, &[ORIGIN, FOLDER]).is_err());
    }

    #[tokio::test]
    async fn read_names_what_is_missing_or_wrong() {
        for (pairs, expected) in [
            (&[ORIGIN, SMTP][..], "MAIL_FROM is missing"),
            (&[ORIGIN, FROM][..], "SMTP_URL is missing"),
            (&[SMTP, FROM][..], "PUBLIC_ORIGIN is missing"),
            (&[ORIGIN, SMTP, FROM, FOLDER][..], "MAIL_DIR"),
            (
                &[ORIGIN, SMTP, ("MAIL_FROM", "nobody")][..],
                "MAIL_FROM is not",
            ),
            (
                &[ORIGIN, ("SMTP_URL", "http://mail"), FROM][..],
                "SMTP_URL is not the URL",
            ),
        ] {
            let problem = read(AppEnv::Development, pairs).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
