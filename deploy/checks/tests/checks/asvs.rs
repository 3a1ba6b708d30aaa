//! References in `deploy/asvs.md` to files and tests.

use crate::{read, root};

/// Requirements, state and places of each table row.
fn rows(page: &str) -> impl Iterator<Item = (Vec<&str>, &str, &str)> {
    page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.trim_end_matches(" |").split(" | ");
        let requirements = cells.next()?;
        let is_number = requirements.starts_with(|first: char| first.is_ascii_digit());
        let (state, _, place) = (cells.next()?, cells.next()?, cells.next());
        is_number.then(|| {
            let requirements = requirements.split(", ").collect();
            (requirements, state, place.unwrap_or_default())
        })
    })
}

#[test]
fn asvs_references_exist() {
    let page = read("deploy/asvs.md");
    let mut checked = 0;
    for (requirements, state, place) in rows(&page) {
        let mut quoted = place.split('`').skip(1).step_by(2).peekable();
        // Requirements that are not met, or met by the language, need no place.
        assert!(
            state != "partly" || quoted.peek().is_some(),
            "{requirements:?}: no place"
        );
        for reference in quoted {
            let (path, test) = match reference.split_once(": ") {
                Some((path, test)) => (path, Some(test)),
                None => (reference, None),
            };
            assert!(root().join(path).exists(), "{requirements:?}: {path}");
            let Some(test) = test else { continue };
            let source = read(path);
            // Tests of the client have a sentence as their name.
            let is_there = source.contains(&format!("fn {test}("))
                || (test.contains(' ') && source.contains(test));
            assert!(is_there, "{requirements:?}: {path} has no test {test}");
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} tests are named");
}
