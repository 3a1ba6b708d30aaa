//! The OpenAPI document as a page without scripts.

use std::fmt::Write as _;

use serde_json::Value;

pub const STYLE: &str = include_str!("docs.css");

pub fn page(document: &Value) -> String {
    let mut body = String::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            section(&mut body, method, path, operation);
        }
    }
    let schemas = document["components"]["schemas"].as_object();
    body.push_str("<h1>Objects</h1>\n");
    for (name, schema) in schemas.into_iter().flatten() {
        let name = escape(name);
        let _ = writeln!(body, "<section id=\"{name}\"><h2>{name}</h2>");
        table(&mut body, schema);
        body.push_str("</section>\n");
    }
    let title = escape(text(&document["info"]["title"]));
    let about = escape(text(&document["info"]["description"]));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} API</title><link rel=\"stylesheet\" href=\"/api/docs/style.css\"></head>\n\
         <body><main><h1>{title} API</h1>\n<p>{about}</p>\
         <p><a href=\"/api/openapi.json\">OpenAPI document</a></p>\n{body}</main></body></html>\n"
    )
}

fn section(body: &mut String, method: &str, path: &str, operation: &Value) {
    let (method, path) = (escape(&method.to_uppercase()), escape(path));
    let summary = escape(text(&operation["summary"]));
    let open = operation["security"].as_array().is_some_and(Vec::is_empty);
    let who = if open { "Anyone." } else { "Needs a session." };
    let _ = writeln!(
        body,
        "<section><h2><code><span class=\"method\">{method}</span>{path}</code></h2>\
         <p>{summary}. {who}</p>"
    );
    let request = &operation["requestBody"]["content"]["application/json"]["schema"];
    if request.is_object() {
        body.push_str("<p>Reads:</p>\n");
        table(body, request);
    }
    query(body, operation);
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let schema = &response["content"]["application/json"]["schema"];
        let status = escape(status);
        let _ = writeln!(
            body,
            "<p>Responds <code>{status}</code> {}</p>",
            kind(schema)
        );
    }
    body.push_str("</section>\n");
}

fn query(body: &mut String, operation: &Value) {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let rows: String = parameters
        .filter(|parameter| parameter["in"] == "query")
        .map(|parameter| row(text(&parameter["name"]), &parameter["schema"], false))
        .collect();
    if !rows.is_empty() {
        let _ = writeln!(body, "<p>Query:</p><table>{rows}</table>");
    }
}

fn table(body: &mut String, schema: &Value) {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .map(text)
        .collect();
    body.push_str("<table>");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        body.push_str(&row(name, property, required.contains(&name.as_str())));
    }
    body.push_str("</table>\n");
}

fn row(name: &str, schema: &Value, required: bool) -> String {
    let name = escape(name);
    let note = if required { "" } else { "may be left out" };
    let kind = kind(schema);
    format!("<tr><td><code>{name}</code></td><td>{kind}</td><th>{note}</th></tr>")
}

fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        let name = escape(name);
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().map(|word| escape(&word.to_string()));
        return words.collect::<Vec<_>>().join(" | ");
    }
    if schema["items"].is_object() {
        return format!("list of {}", kind(&schema["items"]));
    }
    if let Some(fields) = schema["properties"].as_object() {
        let names: Vec<String> = fields.keys().map(|name| escape(name)).collect();
        let or_null = if schema["type"].is_array() {
            " or null"
        } else {
            ""
        };
        return format!("{{{}}}{or_null}", names.join(", "));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect::<Vec<_>>().join(" or "),
        other => text(other).to_owned(),
    };
    match schema["format"].as_str() {
        Some(format) => format!("{} ({})", escape(&types), escape(format)),
        None => escape(&types),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::access::PolicyTable;

    use super::*;

    #[test]
    fn page_has_no_scripts_or_inline_styles() {
        let page = page(&crate::openapi::document(
            &crate::rest::routes(),
            &PolicyTable::new(),
            true,
        ));
        assert!(page.contains("/api/equipment/{id}/usage"));
        // Nested objects are shown inline.
        assert!(
            page.contains("{at, by, reason, replacedBy, undone, usageAfter, usageBefore} or null")
        );
        for forbidden in ["<script", "style=", "<style", "onload"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
    }
}
