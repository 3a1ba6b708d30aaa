//! Mutual TLS between processes, and certificates that change while they run.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::server::ServicePort;
use hourmeter_runtime::shutdown::Shutdown;
use hourmeter_runtime::telemetry::metrics_text;
use hourmeter_runtime::testing;
use hourmeter_runtime::tls::{Tls, TlsFiles};
use http::Request;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;
use tonic::Code;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt as _;

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let common = rcgen::DnType::CommonName;
    params.distinguished_name.push(common, name);
    let key = KeyPair::generate().expect("a key");
    CertifiedIssuer::self_signed(params, key).expect("an authority")
}

fn pem(authority: &Authority) -> String {
    let certificate: &rcgen::Certificate = authority.as_ref();
    certificate.pem()
}

/// Writes a certificate signed by `issuer`, and the trusted authorities.
fn write(folder: &Path, name: &str, issuer: &Authority, trusted: &[&Authority]) -> TlsFiles {
    let params = CertificateParams::new(vec![name.to_owned()]).expect("names");
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, issuer).expect("a certificate");
    let files = TlsFiles {
        certificate: folder.join("tls.crt"),
        key: folder.join("tls.key"),
        authorities: folder.join("ca.crt"),
    };
    let trusted: String = trusted.iter().map(|authority| pem(authority)).collect();
    fs::write(&files.authorities, trusted).expect("written");
    fs::write(&files.certificate, certificate.pem()).expect("written");
    fs::write(&files.key, key.serialize_pem()).expect("written");
    files
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A service that accepts every call.
async fn serve(tls: Tls) -> (SocketAddr, CancellationToken) {
    let stop = CancellationToken::new();
    let database = Database::connect(&testing::server_url(), 2).expect("a pool");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let port = ServicePort::open(Service::Equipment, address, database);
    let mut port = port.await.expect("a port");
    port.tls = Some(tls);
    let answer = async || {
        let answer = http::Response::builder().header("grpc-status", "0");
        answer.body(Body::empty()).expect("an answer")
    };
    let routes = Routes::from(Router::new().fallback(answer));
    tokio::spawn(port.serve(routes, Shutdown::from(stop.clone())));
    (address, stop)
}

fn reach(host: &str, address: SocketAddr, tls: &Tls) -> Backend {
    let policy = Arc::new(policy_table().expect("a complete table"));
    let address = format!("https://{host}:{}", address.port());
    over_tcp(Service::Equipment, &address, policy, Some(tls)).expect("a backend")
}

async fn call(backend: &Backend) -> Result<(), Code> {
    let request = Request::post("/hourmeter.equipment.v1.EquipmentService/Any");
    let request = request.body(Body::empty()).expect("a request");
    let answer = backend.clone().oneshot(request).await;
    answer.map(drop).map_err(|status| status.code())
}

#[tokio::test]
async fn tls_requires_certificates_of_a_trusted_authority() {
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let (server, client, foreign, trusting) = (folder(), folder(), folder(), folder());
    let server = Tls::open(write(server.path(), "localhost", &ours, &[&ours])).expect("good files");
    let (address, _stop) = serve(server).await;

    let client = Tls::open(write(client.path(), "gateway", &ours, &[&ours])).expect("good files");
    assert_eq!(call(&reach("localhost", address, &client)).await, Ok(()));
    // A host name that is not in the server certificate.
    let unnamed = call(&reach("127.0.0.1", address, &client)).await;
    assert_eq!(unnamed, Err(Code::Unavailable));

    // A client that does not trust the authority of the server.
    let foreign = write(foreign.path(), "gateway", &theirs, &[&theirs]);
    let foreign = Tls::open(foreign).expect("good files");
    let refused = call(&reach("localhost", address, &foreign)).await;
    assert_eq!(refused, Err(Code::Unavailable));
    // A client whose certificate is from an untrusted authority.
    let trusting = write(trusting.path(), "gateway", &theirs, &[&theirs, &ours]);
    let trusting = Tls::open(trusting).expect("good files");
    let refused = call(&reach("localhost", address, &trusting)).await;
    assert_eq!(refused, Err(Code::Unavailable));
}

#[tokio::test]
async fn tls_rejects_clients_without_certificate() {
    let ours = authority("ours");
    let server = folder();
    let server = Tls::open(write(server.path(), "localhost", &ours, &[&ours])).expect("good files");
    let (address, _stop) = serve(server).await;
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(pem(&ours).as_bytes()).expect("PEM");
    roots.add(root).expect("an authority");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.expect("a connection");
    let name = ServerName::try_from("localhost").expect("a name");
    let mut stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .expect("a handshake");
    let _ = stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    let mut received = Vec::new();
    let error = stream
        .read_to_end(&mut received)
        .await
        .expect_err("an alert");
    assert!(received.is_empty(), "{received:?}");
    assert!(error.to_string().contains("CertificateRequired"), "{error}");

    // Nor are clients without TLS accepted.
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let _ = stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received).await;
    assert!(
        !received.windows(4).any(|part| part == [0, 0, 0, 4]),
        "{received:?}"
    );
}

/// The counter of invalid TLS files, as exported.
fn failures() -> String {
    let text = metrics_text();
    let mut lines = text.lines();
    let found = lines.find(|line| line.starts_with("hourmeter_key_failures_total{key=\"tls\"}"));
    found.unwrap_or_default().to_owned()
}

#[tokio::test]
async fn tls_authority_rotation_fails_no_call() {
    let (old, new) = (authority("old"), authority("new"));
    let (server, client) = (folder(), folder());
    let pair = [(server.path(), "localhost"), (client.path(), "gateway")];
    let open = |(folder, name)| Tls::open(write(folder, name, &old, &[&old])).expect("good files");
    let [server_tls, client_tls] = pair.map(open);
    let (address, _stop) = serve(server_tls.clone()).await;
    let backend = reach("localhost", address, &client_tls);
    let failed = Arc::new(AtomicBool::new(false));
    let calling = tokio::spawn({
        let failed = failed.clone();
        async move {
            loop {
                if call(&backend).await.is_err() {
                    failed.store(true, Ordering::Relaxed);
                }
                sleep(Duration::from_millis(2)).await;
            }
        }
    });
    // Trust both authorities, sign with the new one, trust only the new one.
    for (issuer, trusted) in [
        (&old, &[&old, &new][..]),
        (&new, &[&old, &new]),
        (&new, &[&new]),
    ] {
        for (folder, name) in pair {
            write(folder, name, issuer, trusted);
        }
        for tls in [&server_tls, &client_tls] {
            tls.reload().expect("good files");
        }
        // A new connection with the new files.
        let fresh = reach("localhost", address, &client_tls);
        assert_eq!(call(&fresh).await, Ok(()));
    }
    assert!(!failed.load(Ordering::Relaxed), "a call failed meanwhile");
    calling.abort();
    // The old authority is no longer trusted.
    let late = folder();
    let late = Tls::open(write(late.path(), "gateway", &old, &[&old, &new])).expect("good files");
    assert_eq!(
        call(&reach("localhost", address, &late)).await,
        Err(Code::Unavailable)
    );
}

#[tokio::test]
async fn reload_rejects_invalid_files() {
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let own = folder();
    let files = write(own.path(), "localhost", &ours, &[&ours]);
    let tls = Tls::open(files.clone()).expect("good files");
    let (address, _stop) = serve(tls.clone()).await;
    let good = |path: &Path| fs::read(path).expect("a file");
    let (certificate, key) = (good(&files.certificate), good(&files.key));

    let elsewhere = folder();
    let others = write(elsewhere.path(), "localhost", &ours, &[&ours]);
    let wrong: [(&Path, Vec<u8>, &str); 4] = [
        (&files.certificate, b"nothing".to_vec(), "no certificate"),
        (&files.key, good(&others.key), "do not match"),
        (
            &files.authorities,
            pem(&theirs).into_bytes(),
            "the authorities in TLS_CA_FILE",
        ),
        (&files.key, Vec::new(), "no private key"),
    ];
    for (path, text, problem) in wrong {
        let before = good(path);
        fs::write(path, text).expect("written");
        let error = tls.reload().expect_err(problem);
        assert!(error.contains(problem), "{error}");
        assert_eq!(call(&reach("localhost", address, &tls)).await, Ok(()));
        let refused = Tls::open(files.clone()).expect_err("invalid files");
        assert!(refused.contains(problem), "{refused}");
        fs::write(path, before).expect("written");
    }
    assert_eq!(good(&files.certificate), certificate);
    assert_eq!(good(&files.key), key);
    // Polling counts the failure.
    fs::write(&files.key, "nothing").expect("written");
    while failures().is_empty() {
        sleep(Duration::from_millis(200)).await;
    }
    let expiry = "hourmeter_tls_certificate_expiry_timestamp_seconds ";
    assert!(metrics_text().contains(expiry), "{}", metrics_text());
}

#[tokio::test]
async fn open_rejects_expired_certificates() {
    let ours = authority("ours");
    let own = folder();
    let files = write(own.path(), "localhost", &ours, &[&ours]);
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("names");
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2021, 1, 1);
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, &ours).expect("a certificate");
    fs::write(&files.certificate, certificate.pem()).expect("written");
    fs::write(&files.key, key.serialize_pem()).expect("written");
    let error = Tls::open(files).expect_err("an expired certificate");
    assert!(error.to_lowercase().contains("expired"), "{error}");
}
