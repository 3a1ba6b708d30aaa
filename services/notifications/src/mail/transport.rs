//! Sends mail by SMTP, or writes it to a folder.

use std::path::PathBuf;
use std::time::Duration;

use hourmeter_runtime::error::chain;
use lettre::message::Mailbox;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor};
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::content::Mail;
use super::mailbox;
use crate::outbox::Delivery;

/// For a whole message: a relay that stops responding must not hold the queue.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub enum Transport {
    Smtp {
        relay: AsyncSmtpTransport<Tokio1Executor>,
        timeout: Duration,
    },
    Folder(PathBuf),
}

impl Transport {
    /// `smtps://user:password@host`, or `smtp://host:587?tls=required`.
    pub fn smtp(url: &SecretString) -> Result<Self, &'static str> {
        Self::smtp_within(url, TIMEOUT)
    }

    fn smtp_within(url: &SecretString, timeout: Duration) -> Result<Self, &'static str> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose_secret());
        // The error may contain the password.
        let builder = builder.map_err(|_| "is not the URL of an SMTP server")?;
        Ok(Self::Smtp {
            relay: builder.timeout(Some(timeout)).build(),
            timeout,
        })
    }

    pub async fn send(&self, id: Uuid, mail: Mail, from: &Mailbox) -> Delivery {
        let message = match mail.message(from, id) {
            Ok(message) => message,
            Err(error) => return Delivery::Refused(chain(&error)),
        };
        match self {
            Self::Smtp { relay, timeout } => {
                let sent = tokio::time::timeout(*timeout, relay.send(message)).await;
                match sent {
                    Ok(Ok(_)) => Delivery::Accepted,
                    Ok(Err(error)) if error.is_permanent() => Delivery::Refused(problem(&error)),
                    Ok(Err(error)) => Delivery::Later(problem(&error)),
                    Err(_) => Delivery::Later("the relay does not respond".to_owned()),
                }
            }
            Self::Folder(folder) => {
                let written = mailbox::write(folder, id, &mail, message.formatted()).await;
                written.map_or_else(
                    |error| Delivery::Later(chain(&error)),
                    |()| Delivery::Accepted,
                )
            }
        }
    }
}

/// Without the text of a reply, which may contain the recipient's address.
fn problem(error: &lettre::transport::smtp::Error) -> String {
    let reply = error.status();
    reply.map_or_else(|| chain(error), |code| format!("the relay replied {code}"))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// Sends a mail through a relay that replies with these lines, in order, and then closes. `None`: it
    /// keeps the connection open without a reply.
    async fn send_through(replies: &'static [Option<&'static str>]) -> Delivery {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let relay = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (reads, mut writes) = stream.split();
            let mut lines = BufReader::new(reads).lines();
            for reply in replies {
                let Some(reply) = reply else {
                    return std::future::pending().await;
                };
                let text = format!("{reply}\r\n");
                writes.write_all(text.as_bytes()).await.unwrap();
                // Content ends with a line of one dot.
                let is_content = reply.starts_with("354");
                while let Ok(Some(line)) = lines.next_line().await {
                    if !is_content || line == "." {
                        break;
                    }
                }
            }
        });
        let mail = Mail {
            to: "Dana <dana@example.com>".parse().unwrap(),
            subject: "Hello".to_owned(),
            plain: "Text".to_owned(),
            html: "<p>Text</p>".to_owned(),
            unsubscribe: None,
        };
        let transport = Transport::smtp_within(&url.into(), Duration::from_secs(2)).unwrap();
        let from = "Hourmeter <mail@example.com>".parse().unwrap();
        let sent = transport.send(Uuid::now_v7(), mail, &from).await;
        relay.abort();
        sent
    }

    const GREETING: Option<&str> = Some("220 relay");
    const HELLO: Option<&str> = Some("250 relay");
    const OK: Option<&str> = Some("250 ok");
    const DATA: Option<&str> = Some("354 go on");

    const fn is_later(sent: &Delivery) -> bool {
        matches!(sent, Delivery::Later(_))
    }

    #[tokio::test]
    async fn send_is_ok_after_the_relay_accepts() {
        let sent = send_through(&[GREETING, HELLO, OK, OK, DATA, OK]).await;
        assert_eq!(sent, Delivery::Accepted);
    }

    #[tokio::test]
    async fn send_is_refused_by_a_permanent_status() {
        const UNKNOWN: Option<&str> = Some("550 no mailbox <dana@example.com>");
        let sent = send_through(&[GREETING, HELLO, OK, UNKNOWN, OK]).await;
        let problem = "the relay replied 550".to_owned();
        assert_eq!(sent, Delivery::Refused(problem));
    }

    #[tokio::test]
    async fn send_is_retried_after_greylisting() {
        const GREYLISTED: Option<&str> = Some("451 try again later");
        let sent = send_through(&[GREETING, HELLO, OK, GREYLISTED, OK]).await;
        assert!(is_later(&sent), "{sent:?}");
    }

    #[tokio::test]
    async fn send_is_retried_if_the_relay_closes() {
        for replies in [
            &[][..],
            &[GREETING][..],
            &[GREETING, HELLO, OK, OK, DATA][..],
        ] {
            let sent = send_through(replies).await;
            assert!(is_later(&sent), "{replies:?}: {sent:?}");
        }
    }

    #[tokio::test]
    async fn send_is_retried_if_the_relay_hangs() {
        for replies in [&[None][..], &[GREETING, HELLO, OK, OK, DATA, None][..]] {
            let sent = send_through(replies).await;
            assert!(is_later(&sent), "{replies:?}: {sent:?}");
        }
    }

    #[test]
    fn smtp_error_does_not_contain_the_url() {
        let url = "ftp://user:secret@mail.example".to_owned().into();
        let problem = Transport::smtp(&url).unwrap_err();
        assert_eq!(problem, "is not the URL of an SMTP server");
    }
}
