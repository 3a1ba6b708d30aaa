//! Generated calls of every documented operation by every kind of caller: no 5xx, every response as
//! documented, and no undocumented body accepted.
//!
//! `HOURMETER_CONTRACT_ROUNDS` sets the number of rounds, each with a new company, and
//! `HOURMETER_CONTRACT_SEED` the seed of the generator.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use hourmeter_runtime::config::Settings;
use http::Method;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::matrix::Things;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, Reply, filled};

/// Default number of rounds; takes some seconds.
const ROUNDS: usize = 5;
/// Calls of an operation by each caller a round.
const CALLS: usize = 4;
/// Index of the owner among the callers.
const OWNER: usize = 5;
/// An unknown id.
const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";
/// Longer ones are not sent: the client refuses URIs of more than 65,534 bytes.
const MAX_PATH: usize = 65_000;
/// Operations that consume resources which others need.
const CONSUMES: [&str; 4] = ["/retire", "/restore", "/move", "/void"];
/// Operations that may end the callers' sessions.
const ENDS_SESSIONS: [&str; 5] = ["password", "settings", "reauth", "profile", "employees"];
/// The least share of operations with a successful call, in percent. Each new route changes what the
/// generator makes, and so the share by some percent. Calls that need a phone's key, a passkey or a
/// one-time code never succeed.
const MIN_SUCCESSFUL: usize = 70;

/// One operation of the document.
struct Operation {
    method: Method,
    path: String,
    query: Vec<(String, Value)>,
    body: Option<Value>,
    accepts: Option<Validator>,
    /// By status: content type and schema.
    answers: BTreeMap<String, (Option<String>, Option<Validator>)>,
}

/// A validator for a schema of the document.
fn validator(schema: &Value, document: &Value) -> Validator {
    let mut schema = schema.clone();
    // The target of references.
    schema["components"] = document["components"].clone();
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).expect("a schema")
}

impl Operation {
    fn all(document: &Value) -> Vec<Self> {
        let mut all = Vec::new();
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, operation) in operations.as_object().expect("operations") {
                all.push(Self::read(document, (method, path), operation));
            }
        }
        // Resources are read and changed before they are removed.
        all.sort_by_key(|operation| {
            let is_of = |parts: &[&str]| parts.iter().any(|part| operation.path.contains(part));
            match operation.method {
                Method::GET => 0,
                _ if is_of(&ENDS_SESSIONS) => 4,
                Method::DELETE => 3,
                _ if is_of(&CONSUMES) => 2,
                _ => 1,
            }
        });
        all
    }

    fn read(document: &Value, (method, path): (&str, &str), operation: &Value) -> Self {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query");
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let body = body.is_object().then(|| body.clone());
        let answers = operation["responses"].as_object().expect("responses");
        let answers = answers.iter().map(|(status, answer)| {
            let content = answer["content"].as_object();
            let content = content.and_then(|content| content.iter().next());
            let json = content.filter(|(content_type, _)| *content_type == "application/json");
            let json = json.map(|(_, content)| validator(&content["schema"], document));
            let content_type = content.map(|(content_type, _)| content_type.clone());
            (status.clone(), (content_type, json))
        });
        Self {
            method: method.to_uppercase().parse().expect("a method"),
            path: path.to_owned(),
            query: query
                .map(|query| {
                    let name = query["name"].as_str().expect("a name");
                    (name.to_owned(), query["schema"].clone())
                })
                .collect(),
            accepts: body.as_ref().map(|schema| validator(schema, document)),
            body,
            answers: answers.collect(),
        }
    }

    /// Whether it creates or ends a session, which changes its caller.
    fn replaces_the_session(&self) -> bool {
        let parts = ["/logout", "/login", "/signup"];
        parts.iter().any(|part| self.path.contains(part))
    }

    fn name(&self) -> String {
        format!("{} {}", self.method.as_str().to_lowercase(), self.path)
    }

    fn wrong(&self, reply: &Reply) -> Option<String> {
        let status = reply.status;
        if status.is_server_error() {
            return Some("a server error".to_owned());
        }
        let documented = self.answers.get(status.as_str());
        if documented.is_none() && !status.is_client_error() {
            return Some("an undocumented status".to_owned());
        }
        let (content_type, schema) = documented.unwrap_or(&self.answers["default"]);
        let Some(content_type) = content_type else {
            return (!reply.body.is_empty()).then(|| "an undocumented body".to_owned());
        };
        let given = reply.header("content-type");
        if given.split(';').next() != Some(content_type) {
            return Some(format!("{given}, not {content_type}"));
        }
        let schema = schema.as_ref()?;
        let Ok(value) = serde_json::from_slice(&reply.body) else {
            return Some("no JSON".to_owned());
        };
        let mut errors = schema.iter_errors(&value);
        errors
            .next()
            .map(|error| format!("{error} at {}", error.instance_path()))
    }
}

/// Ids of the company's and another company's resources, by the first segment of their paths.
type Pools = BTreeMap<&'static str, Vec<String>>;

struct Draw<'a> {
    rng: &'a mut Rng,
    pools: &'a Pools,
    /// The name of the company.
    company: &'a str,
    /// The last segment of its checkout path.
    session: &'a str,
    questions: &'a [String],
}

/// Typical or unusual values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Typical,
    Unusual,
}

impl Draw<'_> {
    fn of<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.rng.usize(..values.len())]
    }

    fn value(&mut self, name: &str, schema: &Value, values: Values) -> Value {
        if let Some(words) = schema["enum"].as_array() {
            return self.of(words).clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) if self.rng.u8(..8) == 0 => &kinds[kinds.len() - 1],
            Value::Array(kinds) => &kinds[0],
            kind => kind,
        };
        match kind.as_str() {
            Some("string") => self.text(name, schema, values).into(),
            Some("boolean") => self.rng.bool().into(),
            Some("integer") if name == "alertThreshold" && values == Values::Typical => 15.into(),
            Some("integer") => self.whole(values),
            Some("number") => self.number(values),
            Some("array") => {
                let count = self.rng.usize(..4);
                (0..count)
                    .map(|_| self.value(name, &schema["items"], values))
                    .collect()
            }
            Some("object") => self.object(schema, values),
            _ => Value::Null,
        }
    }

    /// All required fields and some optional ones.
    fn object(&mut self, schema: &Value, values: Values) -> Value {
        let required = schema["required"].as_array().into_iter().flatten();
        let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
        let mut object = Map::new();
        let most = self.rng.u8(..=4);
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(name.as_str()) || self.rng.u8(..4) < most {
                object.insert(name.clone(), self.value(name, field, values));
            }
        }
        object.into()
    }

    fn text(&mut self, name: &str, schema: &Value, values: Values) -> String {
        const ODD: [&str; 14] = [
            "",
            " ",
            "\u{0}",
            "\u{202e}x",
            "\u{200b}",
            "Jose\u{301}",
            "\u{1f69c}",
            "a\nb\tc",
            "'; DROP TABLE ledger; --",
            "=1+1",
            "../../etc/passwd",
            "null",
            "-1",
            "%00%0a",
        ];
        if values == Values::Unusual && self.rng.bool() {
            return match self.rng.u8(..4) {
                0 => "x".repeat(*self.of(&[101, 129, 255, 1025, 5001, 20_000])),
                _ => (*self.of(&ODD)).to_owned(),
            };
        }
        let drawn = match name {
            _ if schema["format"] == "date-time" => {
                self.of(&["2026-11-20T08:15:00Z", "2026-11-21T10:00:00.5-06:00"])
            }
            _ if schema.to_string().contains("YYYY-MM-DD") => {
                self.of(&["2026-11-20", "2026-01-31T00:00:00Z", "2027-02-28"])
            }
            "id" | "equipmentId" => return self.id("equipment"),
            "ids" => return self.id("operator-updates"),
            "targetUserId" => return self.id("employees"),
            "cursor" => "",
            _ if name.starts_with("securityQuestion") => return self.of(self.questions).clone(),
            _ if name.starts_with("securityAnswer") => self.of(&["Blue mill", "Old bridge"]),
            "emailOrBusinessName" | "operatorName" if self.rng.bool() => self.company,
            "emailOrBusinessName" | "operatorName" => "Nobody Rentals",
            "password" | "currentPassword" => self.of(&[PASSWORD, OPERATOR_PASSWORD]),
            "masterPassword" => OPERATOR_PASSWORD,
            "timeZone" => "America/Mexico_City",
            "reason" => "Customer called about ticket 4711",
            _ if name.to_lowercase().contains("email") => {
                return format!("p{}@contract.example", self.rng.u32(..));
            }
            "businessName" | "companyName" => return format!("Rentals {}", self.rng.u32(..)),
            "clientId" => return format!("client-{}", self.rng.u32(..)),
            "newPassword" => return format!("gravel-road-{}", self.rng.u16(..)),
            _ => self.of(&["Crane 7", "Todo bien", "Oil filter", "x"]),
        };
        drawn.to_owned()
    }

    /// Half of the time one of the newest ids.
    fn id(&mut self, pool: &str) -> String {
        let ids = &self.pools[pool];
        match self.rng.u8(..8) {
            0 => UNKNOWN.to_owned(),
            1..4 => ids[ids.len() - 1].clone(),
            _ => self.of(ids).clone(),
        }
    }

    fn whole(&mut self, values: Values) -> Value {
        let usual = [1, 3, 6, 10, 15, 20, 25, 100].map(Value::from);
        let odd = [
            json!(0),
            json!(-1),
            json!(501),
            json!(u32::MAX),
            json!(u64::MAX),
            json!(1e20),
        ];
        match values {
            Values::Typical => self.of(&usual).clone(),
            Values::Unusual => self.of(&odd).clone(),
        }
    }

    fn number(&mut self, values: Values) -> Value {
        let usual = [1.0, 2.5, 12.25, 100.0, 101.5, 250.0].map(Value::from);
        let odd = [0.0, -0.01, 0.001, 1e9, 1_000_000_000.01, 1e308].map(Value::from);
        match values {
            Values::Typical => self.of(&usual).clone(),
            Values::Unusual => self.of(&odd).clone(),
        }
    }

    /// A body, often with an invalid or missing field.
    fn body(&mut self, schema: &Value) -> Value {
        let values = if self.rng.u8(..4) == 0 {
            Values::Unusual
        } else {
            Values::Typical
        };
        let mut body = self.value("", schema, values);
        let Some(fields) = body.as_object_mut() else {
            // The webhook has no schema.
            return json!({"id": "evt_1"});
        };
        let names: Vec<&String> = schema["properties"]
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .collect();
        if self.rng.u8(..3) == 0 && !names.is_empty() {
            let name = (*self.of(&names)).clone();
            match self.rng.u8(..8) {
                0 => drop(fields.remove(&name)),
                choice => {
                    let wrong = [
                        json!({}),
                        json!([]),
                        json!([{}]),
                        json!(1.5),
                        json!("x"),
                        json!(true),
                        json!(null),
                    ];
                    fields.insert(name, wrong[usize::from(choice) - 1].clone());
                }
            }
        }
        body
    }

    fn path(&mut self, operation: &Operation, things: [&Things; 2]) -> String {
        let pool = operation.path.split('/').nth(2).unwrap_or_default();
        let mut path = operation.path.replace("{session}", self.session);
        let alone = operation.path.matches('{').count() == 1;
        if alone && self.pools.contains_key(pool) && self.rng.u8(..4) > 0 {
            path = path.replace("{id}", &self.id(pool));
        }
        path = match self.rng.u8(..10) {
            0 => filled(&operation.path, UNKNOWN),
            1 => filled(&operation.path, "not-an-id"),
            2 => things[1].filled(&path),
            _ => things[0].filled(&path),
        };
        let mut separator = '?';
        for (name, schema) in &operation.query {
            if self.rng.u8(..4) > 0 {
                continue;
            }
            let values = if self.rng.u8(..4) == 0 {
                Values::Unusual
            } else {
                Values::Typical
            };
            let value = match self.value(name, schema, values) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let encoded = value
                .bytes()
                .fold(String::new(), |text, byte| format!("{text}%{byte:02x}"));
            if path.len() + encoded.len() > MAX_PATH {
                continue;
            }
            path = format!("{path}{separator}{name}={encoded}");
            separator = '&';
        }
        path
    }
}

/// The callers and the resources of the company.
struct Stage {
    callers: Vec<(&'static str, Browser)>,
    ours: Things,
    theirs: Things,
    pools: Pools,
    name: String,
    session: String,
}

impl Stage {
    async fn new(product: &Product, round: usize) -> Self {
        let name = format!("Contract {round}");
        let owner = product.professional(&product.owner(&name).await);
        let ours = Things::of(product, owner.clone()).await;
        let theirs = product.owner(&format!("Other {round}")).await;
        let theirs = Things::of(product, theirs).await;
        let callers = [
            ("public", product.visitor()),
            ("operator", product.operator_of(&owner).await),
            ("shared", product.shared_session(&name).await),
            ("manager", product.manager_of(&owner).await),
            ("staff", product.staff().await),
            ("owner", owner),
        ];
        let end = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
        let parts = [
            "equipment",
            "operator-updates",
            "retired-equipment",
            "employees",
        ];
        let mut pools = Pools::new();
        for part in parts {
            let path = format!("/api/{part}/{{id}}");
            let ids = [&theirs, &ours].map(|things| end(things.filled(&path)));
            pools.insert(part, ids.into());
        }
        let session = end(ours.filled("/{session}"));
        let router = callers[OWNER].1.router.clone();
        Self {
            callers: callers
                .map(|(who, browser)| {
                    (
                        who,
                        Browser {
                            router: router.clone(),
                            ..browser
                        },
                    )
                })
                .into(),
            ours,
            theirs,
            pools,
            name,
            session,
        }
    }

    /// Makes the owner's account recoverable, and retires a machine.
    async fn prepare(&mut self, questions: &[String]) {
        let body = json!({
            "securityQuestion1": questions[0], "securityAnswer1": "Blue mill",
            "securityQuestion2": questions[1], "securityAnswer2": "Old bridge",
        });
        let path = "/api/auth/setup-security-questions";
        let reply = self.ours.owner.post_as(path, body).await;
        assert!(reply.status.is_success(), "{}", reply.text());
        self.replenish().await;
        let machine = self.pools["equipment"].last().cloned().unwrap_or_default();
        let path = format!("/api/equipment/{machine}/retire");
        let retired = self.ours.owner.post_as(&path, json!({})).await;
        self.learn(&path, &retired);
        self.replenish().await;
    }

    /// Adds a machine and an update, which operations consume.
    async fn replenish(&mut self) {
        let body =
            json!({"name": "Spare", "type": "machinery", "unit": "hours", "fuelType": "diesel"});
        let owner = self.callers[OWNER].1.clone();
        let machine = owner.post_as("/api/equipment", body).await;
        self.learn("/api/equipment", &machine);
        let machine = self.pools["equipment"].last().cloned();
        let report = json!({"equipmentId": machine, "fuelAdded": 1, "fuelType": "diesel"});
        let report = owner.post_as("/api/operator-updates", report).await;
        self.learn("/api/operator-updates", &report);
    }

    /// Stores the id of a created resource, and the checkout session.
    fn learn(&mut self, path: &str, reply: &Reply) {
        let body = serde_json::from_slice::<Value>(&reply.body).unwrap_or_default();
        if !reply.status.is_success() {
            return;
        }
        let end = body["url"].as_str().and_then(|url| url.rsplit('/').next());
        if let Some(session) = end.filter(|end| end.starts_with("cs_")) {
            session.clone_into(&mut self.session);
        }
        let part = path.strip_prefix("/api/").unwrap_or_default();
        let part = if part.ends_with("/retire") {
            "retired-equipment"
        } else {
            part
        };
        if let Some(ids) = self.pools.get_mut(part) {
            let made = [&body["originalEquipmentId"], &body["id"]];
            ids.extend(made.iter().filter_map(|id| id.as_str()).map(str::to_owned));
        }
    }
}

#[tokio::test]
async fn generated_calls_conform_to_the_document() {
    let mut settings = Settings::from_env();
    let rounds = settings.or("HOURMETER_CONTRACT_ROUNDS", ROUNDS);
    let seed = settings.or("HOURMETER_CONTRACT_SEED", 1_u64);
    let product = Product::new().await;
    let visitor = product.visitor();
    let document = visitor.get("/api/openapi.json").await.expect(200);
    let questions = visitor
        .get("/api/auth/security-questions")
        .await
        .expect(200);
    let questions: Vec<String> = serde_json::from_value(questions).expect("texts");
    let operations = Operation::all(&document);
    let (mut rng, mut wrongs, mut calls) = (Rng::with_seed(seed), Vec::new(), 0);
    let mut done: BTreeSet<String> = BTreeSet::new();
    // The last response of each operation without success.
    let mut refused: BTreeMap<String, String> = BTreeMap::new();
    for round in 0..rounds {
        let mut stage = Stage::new(&product, round).await;
        stage.prepare(&questions).await;
        for operation in &operations {
            stage.replenish().await;
            for caller in 0..stage.callers.len() {
                for _ in 0..CALLS {
                    let (who, browser) = &stage.callers[caller];
                    if operation.replaces_the_session() && browser.cookie.is_some() {
                        continue;
                    }
                    let mut draw = Draw {
                        rng: &mut rng,
                        pools: &stage.pools,
                        company: &stage.name,
                        session: &stage.session,
                        questions: &questions,
                    };
                    let path = draw.path(operation, [&stage.ours, &stage.theirs]);
                    let body = operation.body.as_ref().map(|schema| draw.body(schema));
                    let reply = browser
                        .call(operation.method.clone(), &path, body.clone())
                        .await;
                    calls += 1;
                    let fine = reply.status.is_success() || reply.status.is_redirection();
                    let valid = match (&operation.accepts, &body) {
                        (Some(accepts), Some(body)) => accepts.is_valid(body),
                        _ => true,
                    };
                    let wrong = if fine && !valid {
                        Some("an undocumented body was accepted".to_owned())
                    } else {
                        operation.wrong(&reply)
                    };
                    if let Some(wrong) = wrong {
                        let sent = body.unwrap_or_default();
                        wrongs.push(format!(
                            "{who}: {} {path} {sent}: {wrong}: {} {}",
                            operation.method,
                            reply.status,
                            reply.text()
                        ));
                    }
                    if fine {
                        done.insert(operation.name());
                    } else {
                        let why = format!("{who}: {path}: {}", reply.text());
                        refused.insert(operation.name(), why);
                    }
                    stage.learn(&path, &reply);
                    // The visitor stays signed out.
                    if caller > 0 {
                        stage.callers[caller].1.keep_cookie(&reply);
                    }
                }
            }
        }
    }
    for wrong in &wrongs {
        println!("{}", wrong.chars().take(1000).collect::<String>());
    }
    assert!(
        wrongs.is_empty(),
        "seed {seed}: {} of {calls} calls",
        wrongs.len()
    );
    refused.retain(|name, _| !done.contains(name));
    let share = 100 * done.len() / operations.len();
    assert!(
        share >= MIN_SUCCESSFUL,
        "only {share} % succeeded; without success: {refused:#?}"
    );
    println!(
        "{calls} calls; {share} % of the operations succeeded at least once; others: {refused:#?}"
    );
}
