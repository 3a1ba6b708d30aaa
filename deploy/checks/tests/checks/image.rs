//! The Dockerfile does what `make` and `deploy/image/build` do, which the other tests run.

use crate::kubernetes::read;

/// A file's commands, with continued lines in one and nothing that only makes them quiet.
fn commands(path: &str) -> String {
    let text = read(path).replace("\\\n", " ");
    let words = text.split_whitespace();
    let words = words.filter(|word| !matches!(*word, "--silent" | "--quiet"));
    words.collect::<Vec<_>>().join(" ")
}

/// What the Dockerfile says after this word at a line's beginning, line by line.
fn said(word: &str) -> Vec<String> {
    let file = read("deploy/image/Dockerfile").replace("\\\n", " ");
    let lines = file.lines().filter_map(|line| line.strip_prefix(word));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn the_dockerfile_builds_as_make_and_the_script_do() {
    let (makefile, script) = (commands("Makefile"), commands("deploy/image/build"));
    let script = script.replace("\"$profile\"", "dist");
    let runs = said("RUN ").join(" && ");
    let (mut of_client, mut of_program) = (0, 0);
    for command in runs.split("&&").map(str::trim) {
        if command.starts_with("npm ") {
            assert!(makefile.contains(command), "make does not `{command}`");
            of_client += 1;
        } else if command.starts_with("cargo ") {
            assert!(script.contains(command), "the script does not `{command}`");
            of_program += 1;
        }
    }
    assert_eq!((of_client, of_program), (3, 1), "{runs}");
}

#[test]
fn both_images_are_told_the_same() {
    let script = commands("deploy/image/build");
    let mut told = 0;
    let mut is_told = |option: String| {
        // Whole, not the beginning of something longer.
        let whole = format!("{option} ");
        assert!(script.contains(&whole), "the script has no {option}");
        told += 1;
    };
    for (word, option) in [("USER ", "--user"), ("WORKDIR ", "--workingdir")] {
        let last = said(word).pop().expect("the image's own");
        is_told(format!("{option} {last}"));
    }
    let entrypoint = said("ENTRYPOINT ").pop().expect("one");
    is_told(format!("--entrypoint '{entrypoint}'"));
    let signal = said("STOPSIGNAL ").pop().expect("one");
    is_told(format!("--stop-signal {signal}"));
    for (word, option) in [
        ("EXPOSE ", "--port"),
        ("ENV ", "--env"),
        ("LABEL ", "--label"),
    ] {
        for value in said(word).join(" ").split_whitespace() {
            is_told(format!("{option} {value}"));
        }
    }
    assert_eq!(told, 13, "of options");
}
