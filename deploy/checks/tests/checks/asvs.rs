//! `deploy/asvs.md`: every requirement once, and only files and tests that exist.

use std::collections::BTreeMap;

use crate::{read, root};

/// The requirements of levels 1 and 2 of ASVS 5.0.0, by section; those between them are of level 3.
const SECTIONS: [(&str, &[u8]); 75] = [
    ("1.1", &[1, 2]),
    ("1.2", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("1.3", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ("1.4", &[1, 2, 3]),
    ("1.5", &[1, 2]),
    ("2.1", &[1, 2, 3]),
    ("2.2", &[1, 2, 3]),
    ("2.3", &[1, 2, 3, 4]),
    ("2.4", &[1]),
    ("3.2", &[1, 2]),
    ("3.3", &[1, 2, 3, 4]),
    ("3.4", &[1, 2, 3, 4, 5, 6]),
    ("3.5", &[1, 2, 3, 4, 5]),
    ("3.7", &[1, 2]),
    ("4.1", &[1, 2, 3]),
    ("4.2", &[1]),
    ("4.3", &[1, 2]),
    ("4.4", &[1, 2, 3, 4]),
    ("5.1", &[1]),
    ("5.2", &[1, 2, 3]),
    ("5.3", &[1, 2]),
    ("5.4", &[1, 2, 3]),
    ("6.1", &[1, 2, 3]),
    ("6.2", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ("6.3", &[1, 2, 3, 4]),
    ("6.4", &[1, 2, 3, 4]),
    ("6.5", &[1, 2, 3, 4, 5]),
    ("6.6", &[1, 2, 3]),
    ("6.8", &[1, 2, 3, 4]),
    ("7.1", &[1, 2, 3]),
    ("7.2", &[1, 2, 3, 4]),
    ("7.3", &[1, 2]),
    ("7.4", &[1, 2, 3, 4, 5]),
    ("7.5", &[1, 2]),
    ("7.6", &[1, 2]),
    ("8.1", &[1, 2]),
    ("8.2", &[1, 2, 3]),
    ("8.3", &[1]),
    ("8.4", &[1]),
    ("9.1", &[1, 2, 3]),
    ("9.2", &[1, 2, 3, 4]),
    ("10.1", &[1, 2]),
    ("10.2", &[1, 2]),
    ("10.3", &[1, 2, 3, 4]),
    ("10.4", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ("10.5", &[1, 2, 3, 4, 5]),
    ("10.6", &[1, 2]),
    ("10.7", &[1, 2, 3]),
    ("11.1", &[1, 2]),
    ("11.2", &[1, 2, 3]),
    ("11.3", &[1, 2, 3]),
    ("11.4", &[1, 2, 3, 4]),
    ("11.5", &[1]),
    ("11.6", &[1]),
    ("12.1", &[1, 2, 3]),
    ("12.2", &[1, 2]),
    ("12.3", &[1, 2, 3, 4]),
    ("13.1", &[1]),
    ("13.2", &[1, 2, 3, 4, 5]),
    ("13.3", &[1, 2]),
    ("13.4", &[1, 2, 3, 4, 5]),
    ("14.1", &[1, 2]),
    ("14.2", &[1, 2, 3, 4]),
    ("14.3", &[1, 2, 3]),
    ("15.1", &[1, 2, 3]),
    ("15.2", &[1, 2, 3]),
    ("15.3", &[1, 2, 3, 4, 5, 6, 7]),
    ("16.1", &[1]),
    ("16.2", &[1, 2, 3, 4, 5]),
    ("16.3", &[1, 2, 3, 4]),
    ("16.4", &[1, 2, 3]),
    ("16.5", &[1, 2, 3]),
    ("17.1", &[1]),
    ("17.2", &[1, 2, 3, 4]),
    ("17.3", &[1, 2]),
];

/// Rows of the tables: requirements, state, and where.
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
fn asvs_names_every_requirement_once() {
    let page = read("deploy/asvs.md");
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (requirements, state, _) in rows(&page) {
        let states = ["met", "partly", "not met", "does not apply"];
        assert!(states.contains(&state), "{requirements:?}: {state}");
        for requirement in requirements {
            *named.entry(requirement.to_owned()).or_default() += 1;
            open.entry(state).or_default().push(requirement);
        }
    }
    let wanted = SECTIONS.iter().flat_map(|(section, numbers)| {
        let number = move |number| (format!("{section}.{number}"), 1);
        numbers.iter().map(number)
    });
    assert_eq!(named, wanted.collect());
    // What is open is also named at the top.
    let (top, _) = page.split_once("## V1 ").expect("a first chapter");
    for state in ["not met", "partly"] {
        for requirement in &open[state] {
            assert!(top.contains(requirement), "{requirement} is {state}");
        }
    }
}

#[test]
fn asvs_names_files_and_tests_that_exist() {
    let page = read("deploy/asvs.md");
    let mut checked = 0;
    for (requirements, state, place) in rows(&page) {
        let mut quoted = place.split('`').skip(1).step_by(2).peekable();
        // What is not met, or holds by the language, needs no place.
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
