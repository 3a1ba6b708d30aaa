//! Responses of the fake: objects, lists and errors in Stripe's format.

use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct Refused {
    pub status: u16,
    pub body: Value,
}

pub type Answer = Result<Value, Refused>;

pub fn invalid(status: u16, code: &str, param: &str, sentence: &str) -> Refused {
    refused(status, "invalid_request_error", code, Some(param), sentence)
}

pub fn missing(what: &str, param: &str, id: &str) -> Refused {
    let status = if param == "id" { 404 } else { 400 };
    let sentence = format!("No such {what}: '{id}'");
    invalid(status, "resource_missing", param, &sentence)
}

pub fn declined() -> Refused {
    let sentence = "Your card was declined.";
    let mut refused = refused(402, "card_error", "card_declined", None, sentence);
    refused.body["error"]["decline_code"] = json!("generic_decline");
    refused
}

pub fn refused(
    status: u16,
    kind: &str,
    code: &str,
    param: Option<&str>,
    sentence: &str,
) -> Refused {
    let mut error = json!({
        "type": kind,
        "message": sentence,
        "doc_url": "https://stripe.com/docs/error-codes",
    });
    if !code.is_empty() {
        error["code"] = json!(code);
    }
    if let Some(param) = param {
        error["param"] = json!(param);
    }
    Refused {
        status,
        body: json!({ "error": error }),
    }
}

/// A page of `all`, newest first, after the item `after`.
pub fn list(url: &str, all: Vec<Value>, after: Option<&str>, limit: Option<i64>) -> Value {
    let limit = usize::try_from(limit.unwrap_or(10)).unwrap();
    let begin = after.map_or(0, |after| {
        1 + all.iter().position(|one| one["id"] == after).unwrap()
    });
    let mut data: Vec<Value> = all.into_iter().skip(begin).collect();
    let more = data.len() > limit;
    data.truncate(limit);
    json!({"object": "list", "url": url, "has_more": more, "data": data})
}
