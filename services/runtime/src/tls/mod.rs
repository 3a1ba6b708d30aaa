//! TLS between processes, both sides with a certificate of the cluster's authority. The files may be
//! replaced while the process runs: new connections are made with the new ones.

mod certificate;
mod incoming;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub(crate) use self::incoming::incoming;
use crate::config::Settings;
use crate::telemetry::names;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(5);
/// What is spoken on top.
const HTTP2: &[u8] = b"h2";

/// Where the three files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of this process and those between it and the authority, PEM.
    pub certificate: PathBuf,
    /// Its private key, PEM.
    pub key: PathBuf,
    /// The certificates of the authorities that are believed, PEM.
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

/// The certificates in use.
#[derive(Clone)]
pub struct Tls(Arc<Shared>);

struct Shared {
    files: TlsFiles,
    now: RwLock<Loaded>,
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
    /// Loads the files and keeps looking whether they changed; needs a runtime. An error says what
    /// is wrong with them.
    pub fn open(files: TlsFiles) -> Result<Self, String> {
        let text = files.load();
        let text = text.map_err(|error| format!("the TLS files can't be read: {error}"))?;
        let loaded = Loaded::new(text).map_err(|problem| format!("the TLS files: {problem}"))?;
        let now = RwLock::new(loaded);
        let shared = Arc::new(Shared { files, now });
        tokio::spawn(keep_looking(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Looks at the files now, and takes over what they say if it changed. An error says what is wrong
    /// with them; what was in use before stays in use.
    pub fn look(&self) -> Result<(), String> {
        self.0.refresh()
    }

    /// Takes a connection with the certificate that is in use now.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.0.with(|loaded| loaded.server.clone()))
    }

    /// Makes a connection with the certificate that is in use now.
    pub(crate) fn connector(&self) -> TlsConnector {
        TlsConnector::from(self.0.with(|loaded| loaded.client.clone()))
    }
}

impl Shared {
    fn with<T>(&self, take: impl FnOnce(&Loaded) -> T) -> T {
        take(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes over what the files say now. What is wrong with them, if they are wrong.
    fn refresh(&self) -> Result<(), String> {
        let text = self.files.load().map_err(|error| error.to_string())?;
        if self.with(|loaded| loaded.text == text) {
            return Ok(());
        }
        let loaded = Loaded::new(text)?;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        tracing::info!("new certificates are in use");
        Ok(())
    }
}

async fn keep_looking(shared: Weak<Shared>) {
    let mut problems = Problems::default();
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let looked = tokio::task::spawn_blocking(move || shared.refresh()).await;
        let problem = match looked {
            Ok(Ok(())) => None,
            Ok(Err(problem)) => Some(problem),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problems.note(problem) {
            names::KEY_FAILURES.count(["tls"]);
            tracing::error!(
                problem,
                "the TLS files are wrong; those from before stay in use"
            );
        }
    }
}

/// What looks at the files found.
#[derive(Default)]
struct Problems {
    last: Option<String>,
    told: bool,
}

impl Problems {
    /// The problem when it is to be told: once, and not before a second look finds the same, since one
    /// look may fall between the writing of two files.
    fn note(&mut self, problem: Option<String>) -> Option<&str> {
        let again = problem.is_some() && self.last == problem;
        let tell = again && !self.told;
        self.told = again;
        self.last = problem;
        self.last.as_deref().filter(|_| tell)
    }
}

/// What is wrong with a certificate, in words that are the same at the next look.
fn lasting(error: &rustls::Error) -> String {
    use rustls::{CertificateError, Error};

    match error {
        Error::InvalidCertificate(CertificateError::ExpiredContext { .. }) => {
            "it has expired".into()
        }
        Error::InvalidCertificate(CertificateError::NotValidYetContext { .. }) => {
            "it is not valid yet".into()
        }
        other => other.to_string(),
    }
}

impl Loaded {
    fn new(text: [Vec<u8>; 3]) -> Result<Self, String> {
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
            WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone()).build();
        let verifier = verifier.map_err(|error| error.to_string())?;
        // What others would refuse is refused here, where it can be told.
        let (own, between) = chain.split_first().ok_or("no certificate in the file")?;
        verifier
            .verify_client_cert(own, between, UnixTime::now())
            .map_err(|error| {
                let why = lasting(&error);
                format!("the certificate is not one its own authorities take: {why}")
            })?;
        let ends = certificate::not_after(own).ok_or("the certificate has no end")?;

        let versions = [&rustls::version::TLS13];
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions)
            .map_err(|error| error.to_string())?;
        let mut server = server
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.clone(), key.clone_key())
            .map_err(|error| format!("certificate and key do not belong together: {error}"))?;
        server.alpn_protocols = vec![HTTP2.to_vec()];
        // Every connection shows its certificate anew.
        server.send_tls13_tickets = 0;

        let client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(|error| error.to_string())?;
        let mut client = client
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .map_err(|error| error.to_string())?;
        client.alpn_protocols = vec![HTTP2.to_vec()];
        client.resumption = Resumption::disabled();
        names::CERTIFICATE_EXPIRY
            .gauge(names::NO_LABELS)
            .set(to_float(ends));
        Ok(Self {
            text,
            server: Arc::new(server),
            client: Arc::new(client),
        })
    }
}

fn read_certificates(text: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let all = all.map_err(|_| format!("the file of the {what} is not PEM"))?;
    if all.is_empty() {
        return Err(format!("no {what} in the file"));
    }
    Ok(all)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "seconds since 1970 fit for ages"
)]
const fn to_float(seconds: i64) -> f64 {
    seconds as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_in_the_same_words_at_the_next_look() {
        use rustls::CertificateError::{ExpiredContext, NotValidYetContext};

        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let told = |error| lasting(&rustls::Error::InvalidCertificate(error));
        let [ended, later] = [105, 110].map(|now| {
            told(ExpiredContext {
                time: at(now),
                not_after: at(100),
            })
        });
        assert_eq!(ended, later);
        let [early, still] = [90, 95].map(|now| {
            told(NotValidYetContext {
                time: at(now),
                not_before: at(100),
            })
        });
        assert_eq!(early, still);
        assert_ne!(ended, early);
    }

    #[test]
    fn a_problem_is_told_once_when_it_is_seen_twice() {
        let mut problems = Problems::default();
        for (at, (problem, told)) in [
            ("", false),
            // Between two files.
            ("mismatch", false),
            ("", false),
            // Between the first two files, and then between the last two.
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
            assert_eq!(problems.note(problem).is_some(), told, "{at}");
        }
    }

    #[test]
    fn the_three_files_come_together() {
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
