//! Redis over TLS, its certificate from an authority of one's own.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hourmeter_runtime::redis_link::{RedisLink, Unavailable, open};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use secrecy::SecretString;

/// A Redis that speaks TLS alone.
struct Server(Child, u16);

impl Server {
    /// Its certificate is for `localhost`, signed by what is then in `ca.crt` of the folder.
    fn start(folder: &Path) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        let of_authority: &rcgen::Certificate = authority.as_ref();
        let names = vec!["localhost".to_owned()];
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(names).expect("names");
        let certificate = params.signed_by(&key, &authority).expect("a certificate");
        for (name, text) in [
            ("ca.crt", of_authority.pem()),
            ("tls.crt", certificate.pem()),
            ("tls.key", key.serialize_pem()),
        ] {
            fs::write(folder.join(name), text).expect("written");
        }
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let child = Command::new("redis-server")
            .current_dir(folder)
            .args(["--port", "0", "--tls-port", &port.to_string()])
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--tls-cert-file", "tls.crt", "--tls-key-file", "tls.key"])
            .args(["--tls-ca-cert-file", "ca.crt", "--tls-auth-clients", "no"])
            .args(["--requirepass", "secret"])
            .stdout(Stdio::null())
            .spawn();
        Self(child.expect("redis-server; deploy/gate installs it"), port)
    }

    fn url(&self, rest: &str) -> SecretString {
        format!("rediss://:secret@localhost:{}/{rest}", self.1).into()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn ping(url: &SecretString) -> Result<String, Unavailable> {
    let timeout = Duration::from_secs(5);
    let link = RedisLink::new(url, timeout, "limits", "this is a test").expect("a URL");
    let mut connection = link.connection();
    let command = redis::cmd("PING");
    link.call(command.query_async(&mut connection)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_tls_trusts_only_the_named_authority() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let [ours, others] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let server = Server::start(ours.path());
    // Creates the authority of another installation.
    drop(Server::start(others.path()));
    let naming = |folder: &Path| {
        let file = folder.join("ca.crt");
        server.url(&format!("?sslrootcert={}", file.display()))
    };
    let mut pong = ping(&naming(ours.path())).await;
    for _ in 0..100 {
        if pong.is_ok() {
            break;
        }
        // The server is starting.
        tokio::time::sleep(Duration::from_millis(100)).await;
        pong = ping(&naming(ours.path())).await;
    }
    assert_eq!(pong.expect("an answer"), "PONG");
    assert!(ping(&naming(others.path())).await.is_err());
    assert!(ping(&server.url("")).await.is_err());
}

#[test]
fn open_errors_do_not_contain_the_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty");
    fs::write(&empty, "").expect("written");
    let empty = empty.display();
    for (url, expected) in [
        (
            "rediss://:secret@localhost/?sslrootcert=/nowhere/ca.crt".to_owned(),
            "/nowhere/ca.crt of REDIS_URL: No such file",
        ),
        (
            format!("rediss://:secret@localhost/?sslrootcert={empty}"),
            "no certificate in the file",
        ),
        (
            format!("redis://:secret@localhost/?sslrootcert={empty}"),
            "is not a rediss:// URL",
        ),
        (
            "rediss://:secret@:port/?sslrootcert=/dev/null".to_owned(),
            "no certificate in the file",
        ),
        ("http://:secret@localhost/".to_owned(), "not a Redis URL"),
    ] {
        let problem = open(&url.clone().into()).expect_err(&url);
        let problem = format!("{problem:?} {problem}");
        assert!(problem.contains(expected), "{url}: {problem}");
        assert!(!problem.contains("secret"), "{problem}");
    }
}
