//! Every audit event that any process writes is known to the client.

use hourmeter_runtime::audit::EVENTS;
use hourmeter_runtime::identity::Service;

use crate::{migrations_of, rust_files};

/// Source text before the name of an audit event.
const PLACES: [&str; 7] = [
    "AuditEntry::success(\"",
    "AuditEntry::failed(\"",
    "const EVENT: &str = \"",
    "const BY_SUPPORT: &str = \"",
    "refuse(api, \"",
    "end(tx, &previous, \"",
    "end(&mut lookup, &token, \"",
];

/// Quoted texts that end with `mark`.
fn before<'a>(text: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let marks = text.match_indices(mark);
    marks.filter_map(move |(at, _)| Some(text[..at].rsplit_once(&mark[..1])?.1))
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
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        // One place writes audit entries, so that every event name is checked.
        let writes = source.contains("INTO audit_events");
        assert!(!writes, "{path} writes to the audit log itself");
        written.extend(before(&source, "\", AuditOutcome::").map(str::to_owned));
        for place in PLACES {
            let words = source
                .split(place)
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            written.extend(words.map(str::to_owned));
        }
        all += &source.replace('"', "'");
    }
    for migration in Service::ALL
        .into_iter()
        .flat_map(|service| migrations_of(service).iter())
    {
        let sql = migration
            .sql
            .as_str()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        for insert in sql.split("INTO public.audit_events").skip(1) {
            let insert = insert.split(';').next().unwrap_or_default();
            for mark in ["', 'success'", "', 'failed'"] {
                written.extend(before(insert, mark).map(str::to_owned));
            }
        }
        all += &sql;
    }
    assert!(written.len() > 50, "only {} were found", written.len());
    written.retain(|word| !EVENTS.contains(&word.as_str()));
    assert_eq!(written, [""; 0], "not in audit::EVENTS");
    let unwritten: Vec<_> = EVENTS
        .iter()
        .filter(|word| !all.contains(&format!("'{word}'")))
        .collect();
    assert_eq!(unwritten, [&""; 0], "nobody writes them");
}
