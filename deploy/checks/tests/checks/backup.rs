//! The `archive_command` of `deploy/backup.md` neither loses nor overwrites WAL segments.

use std::path::Path;
use std::process::Command;

use crate::read;

/// Runs the command like the server and returns whether it succeeded.
fn archive(folder: &Path, segment: &Path) -> bool {
    let page = read("deploy/backup.md");
    let command = page
        .lines()
        .find_map(|line| line.strip_prefix("archive_command = '")?.strip_suffix('\''));
    let name = segment.file_name().expect("a name").to_string_lossy();
    let command = command
        .expect("a command in quotes")
        .replace("%p", &segment.to_string_lossy());
    let command = command
        .replace("%f", &name)
        .replace("/backup", &folder.to_string_lossy());
    Command::new("sh")
        .arg("-c")
        .arg(command)
        .status()
        .expect("a shell")
        .success()
}

#[test]
fn archive_command_is_idempotent_and_never_overwrites() {
    let folder = std::env::temp_dir().join(format!("hourmeter-archive-{}", std::process::id()));
    let segment = folder.join("000000010000000000000001");
    let archived = folder.join("wal/000000010000000000000001");
    std::fs::create_dir_all(folder.join("wal")).expect("a folder");
    std::fs::write(&segment, "the first").expect("a segment");
    // Left over by an interrupted copy.
    std::fs::write(folder.join("wal/.000000010000000000000001"), "the").expect("a part");
    let kept = || std::fs::read_to_string(&archived).expect("a copy");

    assert!(archive(&folder, &segment), "a new one");
    assert_eq!(kept(), "the first");
    let kept_files = std::fs::read_dir(folder.join("wal")).expect("a folder");
    assert_eq!(kept_files.count(), 1);
    // The server retries if it stopped before it recorded the success.
    assert!(archive(&folder, &segment), "the same again");
    std::fs::write(&segment, "another").expect("a segment");
    // A segment of another server with the same name.
    assert!(!archive(&folder, &segment));
    assert_eq!(kept(), "the first");
    std::fs::remove_file(&segment).expect("no segment");
    std::fs::remove_file(&archived).expect("no copy");
    assert!(!archive(&folder, &segment) && !archived.exists());
    std::fs::remove_dir_all(&folder).expect("removed");
}
