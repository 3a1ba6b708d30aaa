//! Audit events are written in one place, by name of their enum, and none is left over.

use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::identity::Service;

use crate::{migrations_of, rust_files};

/// Quoted texts that end with `mark`.
fn before<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let marks = text.match_indices(mark);
    marks.filter_map(move |(at, _)| Some(text[..at].rsplit_once(&mark[..1])?.1))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn audit_events_are_all_known_and_used() {
    let mut sources = rust_files(&[
        "services",
        "gateway/src",
        "deploy/records/src",
        "deploy/standalone/src",
    ]);
    sources.retain(|(path, _)| {
        let outside = ["/tests/", "/bin/", "_tests.rs", "runtime/src/audit.rs"];
        !outside.iter().any(|part| path.contains(part))
    });
    let (mut all, mut written) = (String::new(), Vec::new());
    for (path, source) in sources {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let source = one_line(source);
        let writes = source.contains("INTO audit_events");
        assert!(!writes, "{path} writes to the audit log itself");
        all += &source;
    }
    for migration in Service::ALL
        .into_iter()
        .flat_map(|service| migrations_of(service).iter())
    {
        let sql = one_line(migration.sql.as_str());
        for insert in sql.split("INTO public.audit_events").skip(1) {
            let insert = insert.split(';').next().unwrap_or_default();
            for mark in ["', 'success'", "', 'failed'"] {
                written.extend(before(insert, mark).map(str::to_owned));
            }
        }
        all += &sql;
    }
    assert!(!written.is_empty(), "no event was found in migrations");
    written.retain(|name| AuditEventType::from_name(name).is_none());
    assert_eq!(written, [""; 0], "not the name of an AuditEventType");
    let mut events = (1..).map_while(|number| AuditEventType::try_from(number).ok());
    let unwritten = events.find(|event| {
        let is_word = |rest: &str| !rest.starts_with(char::is_alphanumeric);
        let variant = format!("::{event:?}");
        !all.split(&variant).skip(1).any(is_word) && !all.contains(&format!("'{}'", event.name()))
    });
    assert_eq!(unwritten, None, "no code writes it");
}
