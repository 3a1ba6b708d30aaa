//! The OpenAPI 3.1 document, built from the same route table as the router.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hourmeter_proto::access::PolicyTable;
use hourmeter_proto::common::v1::Audience;
use serde_json::{Map, Value, json};

use crate::rest::fields::kind::{Field, FieldKind, Numbers};
use crate::rest::response::NEXT_CURSOR;
use crate::rest::route::{ResponseDoc, Route, Verb};
use crate::session::cookie_name;

/// The largest quantity.
const LARGEST_NUMBER: u32 = 1_000_000_000;

/// Builds the document; the name of the session cookie depends on `https`.
pub fn document(routes: &[Route], policy: &PolicyTable, https: bool) -> Value {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut schemas = Map::new();
    schemas.insert("Error".to_owned(), error_schema());
    for route in routes {
        for (_, doc) in &route.responses {
            if let ResponseDoc::One(name, schema)
            | ResponseDoc::List(name, schema)
            | ResponseDoc::Pages(name, schema) = doc
            {
                schemas.insert(name.to_string(), schema());
            }
        }
        let method = route.method.method().as_str().to_lowercase();
        let path = paths.entry(route.path).or_default();
        path.insert(method, operation(route, policy));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hourmeter",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Equipment, usage, fuel and service. Every call that is not a GET \
                carries the header X-Requested-With: XMLHttpRequest. Sign in first; the session \
                is a cookie. Errors are {message, code?, fields?, requestId?}.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": cookie_name(https)},
            },
        },
    })
}

fn operation(route: &Route, policy: &PolicyTable) -> Value {
    let mut operation = json!({
        "summary": route.summary,
        "operationId": operation_id(route),
        "parameters": parameters(route),
        "responses": responses(route),
        "security": security(route, policy),
    });
    if route.signature_header.is_some() {
        // The payment provider defines the body.
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": {}}}});
    } else if !route.body.is_empty() {
        let schema = object(&route.body);
        let required = route.body.iter().any(|field| field.required);
        operation["requestBody"] =
            json!({"required": required, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// Like `patchEquipmentIdUsage`.
fn operation_id(route: &Route) -> String {
    let mut id = route.method.method().as_str().to_lowercase();
    let path = route.path.trim_start_matches("/api");
    for word in path.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}

fn security(route: &Route, policy: &PolicyTable) -> Value {
    let access = route.access_rule.access(policy);
    if access.is_ok_and(|access| access.audience() == Audience::Public) {
        json!([])
    } else {
        json!([{"session": []}])
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut parameters = Vec::new();
    for name in path_parameters(route.path) {
        let schema = match name {
            "session" => json!({"type": "string"}),
            _ => json!({"type": "string", "format": "uuid"}),
        };
        parameters.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
    }
    for field in &route.query {
        let schema = kind(&field.kind);
        parameters.push(json!({"name": field.name, "in": "query", "schema": schema}));
    }
    if let Some(header) = route.signature_header {
        let schema = json!({"type": "string"});
        parameters
            .push(json!({"name": header, "in": "header", "required": true, "schema": schema}));
    } else if route.method != Verb::Get && !route.has_raw_body {
        let schema = json!({"type": "string", "const": "XMLHttpRequest"});
        parameters.push(json!({
            "name": "X-Requested-With", "in": "header", "required": true, "schema": schema,
        }));
    }
    parameters
}

fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn responses(route: &Route) -> Value {
    let mut responses = Map::new();
    for (status, doc) in &route.responses {
        let described = status.canonical_reason().unwrap_or("Done");
        let mut response = json!({"description": described});
        match doc {
            ResponseDoc::Empty => {}
            ResponseDoc::One(name, _) => response["content"] = json_content(&reference(name)),
            ResponseDoc::List(name, _) | ResponseDoc::Pages(name, _) => {
                let list = json!({"type": "array", "items": reference(name)});
                response["content"] = json_content(&list);
            }
            ResponseDoc::Json(schema) => response["content"] = json_content(schema),
            ResponseDoc::Other("") => {
                response["headers"] = json!({"Location": {"schema": {"type": "string"}}});
            }
            ResponseDoc::Other(content_type) => {
                response["content"] = json!({*content_type: {"schema": {"type": "string"}}});
            }
        }
        if let ResponseDoc::Pages(..) = doc {
            let schema = json!({"type": "string"});
            response["headers"] = json!({
                NEXT_CURSOR.as_str(): {"description": "How to go on; absent on the last page. A list without a limit ends at 5,000 rows or 8 MiB.", "schema": schema},
            });
        }
        responses.insert(status.as_str().to_owned(), response);
    }
    let error = json!({"description": "Refused", "content": json_content(&reference("Error"))});
    responses.insert("default".to_owned(), error);
    Value::Object(responses)
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn json_content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn object(fields: &[Field]) -> Value {
    let property = |field: &Field| (field.name.to_owned(), or_null(field));
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn or_null(field: &Field) -> Value {
    let mut schema = kind(&field.kind);
    if !field.required {
        schema["type"] = json!([schema["type"].clone(), "null"]);
        if let Some(Value::Array(words)) = schema.get_mut("enum") {
            words.push(Value::Null);
        }
    }
    schema
}

fn kind(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Text(length) => bounded("string", "Length", length),
        FieldKind::Date => json!({
            "type": "string",
            // Empty is the same as left out.
            "pattern": "^\\s*([0-9]{4}-[0-9]{2}-[0-9]{2}|$)",
            "description": "YYYY-MM-DD; of a date-time the first ten characters count.",
        }),
        FieldKind::Instant => json!({"type": "string", "format": "date-time"}),
        FieldKind::Flag => json!({"type": "boolean"}),
        FieldKind::Number(numbers) => {
            let least = match numbers {
                Numbers::FromZero | Numbers::Whole => json!(0),
                Numbers::Positive => json!(0.01),
                Numbers::FromOne => json!(1),
            };
            let mut schema = json!({"type": "number", "minimum": least, "maximum": LARGEST_NUMBER});
            if *numbers == Numbers::Whole {
                schema["multipleOf"] = json!(1);
            } else {
                schema["description"] = json!("At most 2 decimals.");
            }
            schema
        }
        FieldKind::Whole(range) => {
            json!({"type": "integer", "minimum": range.start(), "maximum": range.end()})
        }
        FieldKind::OneOf(numbers) => json!({"type": "integer", "enum": numbers}),
        FieldKind::WireName(words) => json!({"type": "string", "enum": words}),
        FieldKind::Ids(count) => {
            let mut schema = bounded("array", "Items", count);
            schema["items"] = json!({"type": "string", "format": "uuid"});
            schema
        }
        FieldKind::Object(fields) => object(fields),
        FieldKind::Objects(fields, most) => {
            json!({"type": "array", "maxItems": most, "items": object(fields)})
        }
    }
}

/// A type with a least and a most number of `what`.
fn bounded(kind: &str, what: &str, range: &RangeInclusive<usize>) -> Value {
    let mut schema = json!({"type": kind});
    if *range.end() < usize::MAX {
        schema[format!("max{what}")] = json!(range.end());
    }
    if *range.start() > 0 {
        schema[format!("min{what}")] = json!(range.start());
    }
    schema
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["message"],
        "properties": {
            "message": {"type": "string", "description": "For the person."},
            "code": {"type": "string", "description": "Stable word to branch on."},
            "textCode": {"type": "string", "description": "Stable word for the message, where several messages share the code."},
            "parameters": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Values in the message by name, and in the messages of fields as `field.name`.",
            },
            "fields": {"type": "object", "additionalProperties": {"type": "string"}},
            "fieldCodes": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Stable words for the messages of fields.",
            },
            "requestId": {"type": "string", "format": "uuid"},
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hourmeter_proto::access::policy_table;

    use super::*;
    use crate::rest::routes;

    fn policy() -> PolicyTable {
        policy_table().expect("a whole table")
    }

    #[test]
    fn security_is_empty_for_public_routes_only() {
        let document = document(&routes(), &policy(), true);
        let security =
            |path: &str, method: &str| document["paths"][path][method]["security"].clone();
        assert_eq!(security("/api/plans", "get"), json!([]));
        assert_eq!(security("/api/auth/login", "post"), json!([]));
        assert_eq!(
            security("/api/auth/reauth", "post"),
            json!([{"session": []}])
        );
        assert_eq!(security("/api/equipment", "get"), json!([{"session": []}]));
    }

    #[test]
    fn document_has_the_name_of_the_session_cookie() {
        for (https, name) in [(true, "__Host-sid"), (false, "sid")] {
            let document = document(&routes(), &policy(), https);
            let session = &document["components"]["securitySchemes"]["session"];
            assert_eq!(session["name"], name);
        }
    }

    #[test]
    fn document_describes_every_route_once() {
        let routes = routes();
        let document = document(&routes, &policy(), true);
        let paths = document["paths"].as_object().expect("paths");
        let described: usize = paths
            .values()
            .map(|path| path.as_object().map_or(0, Map::len))
            .sum();
        assert_eq!(described, routes.len());
        let ids: BTreeSet<String> = routes.iter().map(operation_id).collect();
        assert_eq!(ids.len(), routes.len(), "operation ids are not unique");
        for route in &routes {
            assert!(
                !route.responses.is_empty(),
                "{} has no response",
                route.path
            );
            assert!(!route.summary.is_empty(), "{} has no summary", route.path);
        }
    }

    #[test]
    fn schema_names_are_unique() {
        let mut schemas: BTreeMap<String, Value> = BTreeMap::new();
        for (_, doc) in routes().into_iter().flat_map(|route| route.responses) {
            if let ResponseDoc::One(name, schema)
            | ResponseDoc::List(name, schema)
            | ResponseDoc::Pages(name, schema) = doc
            {
                let known = schemas.entry(name.to_string()).or_insert_with(schema);
                assert_eq!(*known, schema(), "{name}");
            }
        }
    }

    #[test]
    fn references_resolve() {
        let document = document(&routes(), &policy(), true);
        let text = document.to_string();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("a name");
            assert!(
                document["components"]["schemas"].get(name).is_some(),
                "{name}"
            );
        }
    }
}
