//! The bounds of single fields in the OpenAPI document are those that the services enforce.

use std::sync::Arc;

use hourmeter_gateway::{RestRoute, rest_routes};
use hourmeter_proto::common::v1::Audience;
use http::Method;
use serde_json::{Map, Value, json};

use crate::matrix::{Things, access};
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, id};

/// Refusals of values within the bounds: because of what is stored or of other fields.
const OTHER_REFUSALS: [&str; 23] = [
    "AUDIT_EVENT_UNKNOWN",
    "BUSINESS_NAME_TAKEN",
    "COMPANY_NAME_NOT_CONFIRMED",
    "CURRENT_PASSWORD_WRONG",
    "CURRENT_USAGE_TOO_LARGE",
    "CURSOR_INVALID",
    "DEVICE_KEY_INVALID",
    "EMAIL_TAKEN",
    "FINAL_BELOW_METER",
    "INTERVAL_MISSING",
    "LAST_SERVICE_ABOVE_USAGE",
    "MAINTENANCE_TOO_FAR",
    "METER_OUT_OF_RANGE",
    "NOT_AN_ID",
    "PASSKEY_NOT_ADDED",
    "QUESTION_UNKNOWN",
    "READING_BELOW_METER",
    "SNOOZE_END_PASSED",
    "TASK_NAME_REPEATED",
    "TIME_ZONE_UNKNOWN",
    "TRIAL_ALREADY_LONGER",
    "WARNING_NOT_BELOW_INTERVAL",
    "WRONG_ENROLMENT_CODE",
];
/// Checked only after the code in the same body, which works once.
const BEHIND_A_CODE: &str = "POST /api/auth/staff-enrolment/finish newPassword";

const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

/// One field of a request, also of an object in it.
struct Spot {
    /// The name in errors, such as `items[0].name`.
    name: String,
    schema: Value,
    /// The whole body, or the whole query, with a value in this field.
    with: Whole,
}

fn is(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"][0] == kind
}

/// A valid value.
fn sample(name: &str, schema: &Value) -> Value {
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    match schema["type"].as_str() {
        Some("array") => items(name, 1),
        Some("integer" | "number") => json!(schema["minimum"].as_u64().unwrap_or(1).max(1)),
        _ => match name {
            "password" | "currentPassword" => json!(PASSWORD),
            "masterPassword" => json!(OPERATOR_PASSWORD),
            "newPassword" => json!("gravel-road-77"),
            _ if name.ends_with("Id") => json!(UNKNOWN),
            _ => text(name, 12),
        },
    }
}

/// The required fields of an object.
fn required(schema: &Value) -> Value {
    let names = schema["required"].as_array().into_iter().flatten();
    let fields = names.filter_map(Value::as_str).map(|name| {
        let value = sample(name, &schema["properties"][name]);
        (name.to_owned(), value)
    });
    fields.collect::<Map<_, _>>().into()
}

/// A valid text of this length.
fn text(name: &str, length: usize) -> Value {
    if !name.to_lowercase().contains("email") || name == "emailOrBusinessName" || length < 6 {
        return "x".repeat(length).into();
    }
    // Parts of at most 64 and 63 characters.
    let local = "x".repeat((length - 5).min(64));
    let mut domain = ".co".to_owned();
    while local.len() + 1 + domain.len() < length {
        let left = length - local.len() - 1 - domain.len();
        let label = match left {
            65 => 62,
            left => (left - usize::from(left > 63)).min(63),
        };
        domain.insert_str(0, &"y".repeat(label));
        if left > label {
            domain.insert(0, '.');
        }
    }
    format!("{local}@{domain}").into()
}

type Whole = Arc<dyn Fn(Value) -> Value + Send + Sync>;

/// The fields of an object; `whole` makes the body of it.
fn spots(schema: &Value, prefix: &str, whole: &Whole) -> Vec<Spot> {
    let mut found = Vec::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let (base, key, whole) = (required(schema), name.clone(), whole.clone());
        let with: Whole = Arc::new(move |value| {
            let mut fields = base.clone();
            fields[&key] = value;
            whole(fields)
        });
        let name = format!("{prefix}{name}");
        if is(field, "object") {
            found.extend(spots(field, &format!("{name}."), &with));
        } else if is(field, "array") && is(&field["items"], "object") {
            let list = with.clone();
            let one: Whole = Arc::new(move |item| list(json!([item])));
            found.extend(spots(&field["items"], &format!("{name}[0]."), &one));
        }
        let schema = field.clone();
        found.push(Spot { name, schema, with });
    }
    found
}

impl Spot {
    /// Values at the bounds, and values beyond them.
    fn values(&self) -> (Vec<Value>, Vec<Value>) {
        let own = self.name.rsplit('.').next().unwrap_or_default();
        let is_whole = is(&self.schema, "integer");
        if let Some(numbers) = self.schema["enum"].as_array().filter(|_| is_whole) {
            let numbers = numbers.iter().filter_map(Value::as_u64);
            let next = numbers.clone().map(|number| json!(number + 1));
            return (numbers.map(Value::from).collect(), next.collect());
        }
        let (mut at, mut beyond) = (Vec::new(), Vec::new());
        if is_whole {
            for (name, step) in [("minimum", -1), ("maximum", 1)] {
                let bound = self.schema[name].as_i64().expect("a bound");
                at.push(json!(bound));
                beyond.push(json!(bound + step));
            }
            beyond.push(json!(1.5));
        } else if is(&self.schema, "number") {
            let step = self.schema["multipleOf"].as_f64().unwrap_or(0.01);
            for (name, step) in [("minimum", -step), ("maximum", step)] {
                let bound = self.schema[name].as_f64().expect("a bound");
                at.push(json!(bound));
                beyond.push(json!(bound + step));
            }
            beyond.push(json!(1.0 + step / 2.0));
        }
        let lists: [(&str, Make); 2] = [("Length", text), ("Items", items)];
        for (what, make) in lists {
            let make = |count| make(own, count);
            let bound = |which: &str| {
                let bound = self.schema[format!("{which}{what}")].as_u64();
                bound.and_then(|bound| usize::try_from(bound).ok())
            };
            at.extend(bound("max").map(make));
            beyond.extend(bound("max").map(|most| make(most + 1)));
            at.extend(bound("min").map(make));
            beyond.extend(bound("min").map(|least| make(least - 1)));
        }
        (at, beyond)
    }
}

/// Makes a value of a field with this length.
type Make = fn(&str, usize) -> Value;

/// A list of ids or of objects.
fn items(name: &str, count: usize) -> Value {
    let item = match name {
        "items" => json!({"name": "Grease", "usageInterval": 50}),
        "skips" => json!({"equipmentId": UNKNOWN, "itemId": UNKNOWN}),
        "serviceParts" => json!({"part": "Filter"}),
        _ => json!(UNKNOWN),
    };
    vec![item; count].into()
}

/// A company with a machine of each kind, and the caller of an operation.
struct Stage {
    product: Product,
    staff: Browser,
    things: Things,
    task: String,
    companies: usize,
}

impl Stage {
    async fn new() -> Self {
        let product = Product::new().await;
        let staff = product.staff().await;
        let (things, task) = company(&product, 0).await;
        Self {
            product,
            staff,
            things,
            task,
            companies: 0,
        }
    }

    /// Fields that the others of a body need.
    fn more(&self, place: &str) -> Value {
        match place {
            "POST /api/employees email" => json!({"role": "manager"}),
            "POST /api/admin/accounts/{id}/equipment-limit reason" => json!({"equipmentLimit": 5}),
            "POST /api/equipment/{id}/service-tasks/{taskId}/snooze reason" => {
                json!({"untilDate": "2030-01-01"})
            }
            _ if place.starts_with("POST /api/admin/reset") && !place.ends_with("Id") => {
                json!({"targetUserId": self.things.operator})
            }
            _ => json!({}),
        }
    }

    /// Why the value was refused: the code of the field, or the status.
    async fn refusal(&mut self, route: &RestRoute, spot: &Spot, value: Value) -> Option<String> {
        let place = place(route, spot);
        let mut sent = (spot.with)(value);
        let more = self.more(&place);
        let more = more.as_object().expect("fields").clone();
        sent.as_object_mut().expect("fields").extend(more);
        let path = route.path.replace("{taskId}", &self.task);
        let mut path = self.things.filled(&path);
        if route.method == Method::GET {
            let values = sent.as_object().expect("fields").iter();
            let values = values.map(|(name, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{name}={value}")
            });
            path = format!("{path}?{}", values.collect::<Vec<_>>().join("&"));
        }
        let body = (route.method != Method::GET).then_some(sent);
        let for_staff = access(route.access_rule).audience() == Audience::Staff;
        let browser = match route.path {
            "/api/devices" => self.product.operator_of(&self.things.owner).await,
            _ if for_staff => self.staff.clone(),
            _ => self.things.owner.clone(),
        };
        let reply = browser.call(route.method.clone(), &path, body).await;
        if reply.status.is_success() && route.method != Method::GET {
            // The call may have consumed something.
            self.companies += 1;
            (self.things, self.task) = company(&self.product, self.companies).await;
        }
        if !reply.status.is_client_error() {
            return None;
        }
        // The increase has two names.
        let name = spot.name.replace("additionalUsage", "usageIncrease");
        let code = reply.json()["fieldCodes"][&name].clone();
        let code = code.as_str().map(str::to_owned);
        Some(code.unwrap_or_else(|| reply.status.to_string()))
    }
}

async fn company(product: &Product, number: usize) -> (Things, String) {
    let owner = product.owner(&format!("Company {number}")).await;
    let things = Things::of(product, product.professional(&owner)).await;
    let tasks = things.filled("/api/equipment/{id}/service-tasks");
    let task = json!({"name": "Grease", "usageInterval": 50});
    let task = things.owner.post_as(&tasks, task).await.expect(201);
    (things, id(&task))
}

fn place(route: &RestRoute, spot: &Spot) -> String {
    format!("{} {} {}", route.method, route.path, spot.name)
}

/// The fields of the body and of the query.
fn all_spots(operation: &Value) -> Vec<Spot> {
    let same: Whole = Arc::new(|whole| whole);
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let query = operation["parameters"].as_array().into_iter().flatten();
    let query = query.filter(|parameter| parameter["in"] == "query");
    let query = query.map(|parameter| {
        let name = parameter["name"].as_str().unwrap_or_default();
        (name.to_owned(), parameter["schema"].clone())
    });
    let query = json!({"properties": query.collect::<Map<_, _>>()});
    let mut found = spots(body, "", &same);
    found.extend(spots(&query, "", &same));
    found
}

#[tokio::test]
async fn documented_bounds_are_enforced() {
    let mut stage = Stage::new().await;
    let document = stage.staff.get("/api/openapi.json").await.expect(200);
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for route in rest_routes() {
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        for spot in all_spots(operation) {
            let place = place(&route, &spot);
            let (within, beyond) = spot.values();
            for value in beyond.into_iter().filter(|_| place != BEHIND_A_CODE) {
                tried += 1;
                let code = stage.refusal(&route, &spot, value.clone()).await;
                let is_refused = match &code {
                    // Nothing has an empty name.
                    Some(_) if value == "" => true,
                    Some(code) => !OTHER_REFUSALS.contains(&&**code) && !code.starts_with('4'),
                    None => false,
                };
                if !is_refused {
                    wrong.push(format!(
                        "{place}: {} was not refused: {code:?}",
                        short(&value)
                    ));
                }
            }
            for value in within {
                let code = stage.refusal(&route, &spot, value.clone()).await;
                let code = code.filter(|code| !code.starts_with('4'));
                if let Some(code) = code.filter(|code| !OTHER_REFUSALS.contains(&&**code)) {
                    wrong.push(format!("{place}: {} was refused: {code}", short(&value)));
                }
            }
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {tried}:\n{}",
        wrong.join("\n")
    );
    assert!(tried > 400, "only {tried} tried");
}

/// A value in a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    format!("{:.20} ({} characters)", text, text.len())
}
