//! Mutual TLS between processes, with certificates of the cluster's authority. The files are
//! reloaded when they change, for new connections.

mod certificate;

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use crate::config::Settings;
use crate::telemetry::names;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_secs(5);
const HTTP2: &[u8] = b"h2";

/// Paths of the PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of this process and intermediate certificates.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
    /// The trusted authorities.
    pub authorities: PathBuf,
}

impl TlsFiles {
    /// Reads `TLS_CERT_FILE`, `TLS_KEY_FILE` and `TLS_CA_FILE`: all three or none.
    pub fn read(settings: &mut Settings) -> Option<Self> {
        let mut path = |name: &str| settings.text(name).map(PathBuf::from);
        let all = ["TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CA_FILE"].map(&mut path);
        match all {
            [Some(certificate), Some(key), Some(authorities)] => Some(Self {
                certificate,
                key,
                authorities,
            }),
            [None, None, None] => None,
            _ => {
                settings.problem("TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE: all three or none");
                None
            }
        }
    }

    fn load(&self) -> std::io::Result<[Vec<u8>; 3]> {
        let [certificate, key, authorities] =
            [&self.certificate, &self.key, &self.authorities].map(std::fs::read);
        Ok([certificate?, key?, authorities?])
    }
}

/// The TLS configuration in use; reloads its files.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    files: TlsFiles,
    loaded: RwLock<Loaded>,
}

struct Loaded {
    text: [Vec<u8>; 3],
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tls").field(&self.0.files).finish()
    }
}

impl Tls {
    /// Loads the files and polls them for changes. Needs a Tokio runtime. Fails if they are invalid.
    pub fn open(files: TlsFiles) -> Result<Self, String> {
        let text = files.load();
        let text = text.map_err(|error| format!("failed to read the TLS files: {error}"))?;
        let loaded = Loaded::new(text).map_err(|problem| format!("TLS files: {problem}"))?;
        let loaded = RwLock::new(loaded);
        let shared = Arc::new(Shared { files, loaded });
        tokio::spawn(poll_files(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Reloads the files if they changed. If they are invalid, the previous ones stay in use.
    pub fn reload(&self) -> Result<(), String> {
        self.0.reload()
    }

    /// Accepts a connection with the current certificate. None: the handshake failed.
    pub(crate) async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let acceptor = TlsAcceptor::from(self.0.with(|loaded| loaded.server.clone()));
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::warn!(%error, "TLS handshake failed");
                None
            }
            Err(_) => None,
        }
    }

    pub(crate) fn connector(&self) -> TlsConnector {
        TlsConnector::from(self.0.with(|loaded| loaded.client.clone()))
    }
}

impl Shared {
    fn with<T>(&self, take: impl FnOnce(&Loaded) -> T) -> T {
        take(&self.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn reload(&self) -> Result<(), String> {
        let text = self.files.load().map_err(|error| error.to_string())?;
        if self.with(|loaded| loaded.text == text) {
            return Ok(());
        }
        let loaded = Loaded::new(text).map_err(|problem| problem.to_string())?;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        tracing::info!("new certificates are in use");
        Ok(())
    }
}

async fn poll_files(shared: Weak<Shared>) {
    let mut problems = Problems::default();
    loop {
        tokio::time::sleep(POLL).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let reloaded = tokio::task::spawn_blocking(move || shared.reload()).await;
        let problem = match reloaded {
            Ok(Ok(())) => None,
            Ok(Err(problem)) => Some(problem),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problems.note(problem) {
            names::KEY_FAILURES.count(["tls"]);
            tracing::error!(
                problem,
                "invalid TLS files; previous certificates stay in use"
            );
        }
    }
}

/// Decides which problems of the files are logged.
#[derive(Default)]
struct Problems {
    last: Option<String>,
    reported: bool,
}

impl Problems {
    /// Returns the problem if it must be logged: once, and only after two polls found it, because one
    /// poll may run between the replacement of two files.
    fn note(&mut self, problem: Option<String>) -> Option<&str> {
        let again = problem.is_some() && self.last == problem;
        let report = again && !self.reported;
        self.reported = again;
        self.last = problem;
        self.last.as_deref().filter(|_| report)
    }
}

/// Describes a certificate error without the current time, so that each poll yields the same text.
fn stable_text(error: &rustls::Error) -> String {
    use rustls::CertificateError::{ExpiredContext, NotValidYetContext};
    use rustls::Error::InvalidCertificate;

    match error {
        InvalidCertificate(ExpiredContext { .. }) => "it has expired".to_owned(),
        InvalidCertificate(NotValidYetContext { .. }) => "it is not valid yet".to_owned(),
        other => other.to_string(),
    }
}

impl Loaded {
    fn new(text: [Vec<u8>; 3]) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let [certificate, key, authorities] = &text;
        let chain = read_certificates(certificate, "certificate")?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| "no private key in the file")?;
        let mut roots = RootCertStore::empty();
        for authority in read_certificates(authorities, "authority")? {
            roots
                .add(authority)
                .map_err(|error| format!("an authority can't be used: {error}"))?;
        }
        let roots = Arc::new(roots);
        let provider = Arc::new(ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone()).build()?;
        // Reject here, with a clear error, a certificate that other processes would reject.
        let (own, between) = chain.split_first().ok_or("no certificate in the file")?;
        verifier
            .verify_client_cert(own, between, UnixTime::now())
            .map_err(|error| {
                let reason = stable_text(&error);
                format!("the certificate is not valid for the authorities in TLS_CA_FILE: {reason}")
            })?;
        let expiry = certificate::not_after(own).ok_or("the certificate has no notAfter date")?;

        let versions = [&rustls::version::TLS13];
        let mut server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(|error| format!("certificate and key do not match: {error}"))?;
        server.alpn_protocols = vec![HTTP2.to_vec()];
        // No session resumption: every connection presents its certificate.
        server.send_tls13_tickets = 0;

        let mut client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)?;
        client.alpn_protocols = vec![HTTP2.to_vec()];
        client.resumption = Resumption::disabled();
        names::CERTIFICATE_EXPIRY
            .gauge(names::NO_LABELS)
            .set(to_float(expiry));
        Ok(Self {
            text,
            server: Arc::new(server),
            client: Arc::new(client),
        })
    }
}

fn read_certificates(text: &[u8], kind: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let all = all.map_err(|_| format!("the {kind} file is not PEM"))?;
    if all.is_empty() {
        return Err(format!("no {kind} in the file"));
    }
    Ok(all)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "seconds since 1970 are far below 2^52"
)]
const fn to_float(seconds: i64) -> f64 {
    seconds as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_text_omits_the_current_time() {
        use rustls::CertificateError::{ExpiredContext, NotValidYetContext};

        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let text = |error| stable_text(&rustls::Error::InvalidCertificate(error));
        let [ended, later] = [105, 110].map(|now| {
            text(ExpiredContext {
                time: at(now),
                not_after: at(100),
            })
        });
        assert_eq!(ended, later);
        let [early, still] = [90, 95].map(|now| {
            text(NotValidYetContext {
                time: at(now),
                not_before: at(100),
            })
        });
        assert_eq!(early, still);
        assert_ne!(ended, early);
    }

    #[test]
    fn problems_are_reported_once_after_two_polls() {
        let mut problems = Problems::default();
        for (at, (problem, reported)) in [
            ("", false),
            // A poll between the replacement of two files.
            ("mismatch", false),
            ("", false),
            // Two such polls in succession, with different problems.
            ("mismatch", false),
            ("other", false),
            ("other", true),
            ("other", false),
            ("other", false),
            ("", false),
            ("other", false),
            ("other", true),
        ]
        .into_iter()
        .enumerate()
        {
            let problem = (!problem.is_empty()).then(|| problem.to_owned());
            assert_eq!(problems.note(problem).is_some(), reported, "{at}");
        }
    }

    #[test]
    fn tls_files_are_all_set_or_none() {
        let name = |name: &str| (name.to_owned(), "/somewhere".to_owned());
        let all = ["TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CA_FILE"];
        for count in 0..=3 {
            let mut settings = Settings::from_pairs(all[..count].iter().map(|one| name(one)));
            let files = TlsFiles::read(&mut settings);
            assert_eq!(files.is_some(), count == 3, "{count}");
            assert_eq!(
                settings.finish(()).is_ok(),
                count == 0 || count == 3,
                "{count}"
            );
        }
    }
}
