//! The command of `backup.md` that archives the database's log.

use std::path::Path;
use std::process::Command;

use crate::kubernetes::read;

/// Runs it as the server would, on this segment; whether the server takes that for success.
fn archive(folder: &Path, segment: &Path) -> bool {
    let page = read("deploy/backup.md");
    let lines = page.lines();
    let mut commands = lines.filter_map(|line| line.strip_prefix("archive_command = '"));
    let command = commands.next().and_then(|rest| rest.strip_suffix('\''));
    let name = segment.file_name().expect("a name").to_string_lossy();
    let command = command
        .expect("a command in quotes")
        .replace("%p", &segment.to_string_lossy())
        .replace("%f", &name)
        .replace("/backup", &folder.to_string_lossy());
    let ended = Command::new("sh").arg("-c").arg(command).status();
    ended.expect("it runs").success()
}

#[test]
fn a_segment_is_archived_once_and_may_be_told_again() {
    let name = format!("hourmeter-archive-{}", uuid::Uuid::now_v7());
    let folder = std::env::temp_dir().join(name);
    let wal = folder.join("wal");
    std::fs::create_dir_all(&wal).expect("a folder");
    let segment = folder.join("000000010000000000000001");
    let archived = wal.join("000000010000000000000001");
    std::fs::write(&segment, "the first").expect("a segment");

    // What an end in the middle of a copy leaves behind.
    std::fs::write(wal.join(".000000010000000000000001"), "the").expect("a part");
    assert!(archive(&folder, &segment), "a new one");
    let kept = || std::fs::read_to_string(&archived).expect("a copy");
    assert_eq!(kept(), "the first");
    let count = std::fs::read_dir(&wal).expect("a folder").count();
    assert_eq!(count, 1, "nothing is left over");

    // The server ended before it had noted the success, so it asks again.
    assert!(archive(&folder, &segment), "the same again");
    // Another server's log under the same name is never written over.
    std::fs::write(&segment, "another").expect("a segment");
    assert!(!archive(&folder, &segment), "another of the same name");
    assert_eq!(kept(), "the first");

    std::fs::remove_file(&segment).expect("no segment");
    std::fs::remove_file(&archived).expect("no copy");
    assert!(!archive(&folder, &segment), "nothing to copy");
    assert!(!archived.exists());
    std::fs::remove_dir_all(&folder).expect("tidy");
}
