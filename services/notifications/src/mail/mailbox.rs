//! A folder in place of an SMTP server: a file for mail programs, and one for the mailbox page.

use std::io;
use std::path::Path;

use hourmeter_proto::notifications::v1::SandboxMail;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::content::Mail;

#[derive(Serialize, Deserialize)]
struct Stored {
    to: String,
    subject: String,
    plain: String,
}

pub async fn write(folder: &Path, id: Uuid, mail: &Mail, message: Vec<u8>) -> io::Result<()> {
    let stored = Stored {
        to: mail.to.to_string(),
        subject: mail.subject.clone(),
        plain: mail.plain.clone(),
    };
    tokio::fs::create_dir_all(folder).await?;
    put(folder, &format!("{id}.json"), serde_json::to_vec(&stored)?).await?;
    put(folder, &format!("{id}.eml"), message).await
}

/// Writes a draft first, so that readers never see half a file.
async fn put(folder: &Path, name: &str, text: Vec<u8>) -> io::Result<()> {
    let draft = folder.join(format!("{name}.draft"));
    tokio::fs::write(&draft, text).await?;
    tokio::fs::rename(&draft, folder.join(name)).await
}

/// Reads a mail; None if its file is gone.
pub async fn read(folder: &Path, id: Uuid) -> io::Result<Option<SandboxMail>> {
    let text = match tokio::fs::read(folder.join(format!("{id}.json"))).await {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let stored: Stored = serde_json::from_slice(&text)?;
    Ok(Some(SandboxMail {
        id: id.to_string(),
        to: stored.to,
        subject: stored.subject,
        plain: stored.plain,
        sent_at: None,
    }))
}
