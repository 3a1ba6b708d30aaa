//! The client's files as they were when the program was built.

use std::future::{Ready, ready};
use std::io::{self, Cursor, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use rust_embed::{Embed, EmbeddedFile};
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File, Metadata};

#[derive(Embed)]
#[folder = "../web/dist"]
struct Client;

/// The files within the program, for what serves files.
#[derive(Clone, Debug)]
pub struct Embedded;

#[derive(Debug)]
pub struct ClientFile {
    content: Cursor<&'static [u8]>,
    about: About,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    bytes: u64,
    modified: SystemTime,
}

impl Backend for Embedded {
    type File = ClientFile;
    type Metadata = About;
    type OpenFuture = Ready<io::Result<ClientFile>>;
    type MetadataFuture = Ready<io::Result<About>>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        ready(find(&path))
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        ready(find(&path).map(|file| file.about))
    }
}

fn find(path: &Path) -> io::Result<ClientFile> {
    let name = path.strip_prefix(".").unwrap_or(path);
    let file = name.to_str().and_then(Client::get);
    let file = file.ok_or(ErrorKind::NotFound)?;
    let std::borrow::Cow::Borrowed(content) = file.data else {
        return Err(ErrorKind::Unsupported.into());
    };
    Ok(ClientFile {
        about: About {
            bytes: content.len() as u64,
            modified: modified(&file),
        },
        content: Cursor::new(content),
    })
}

/// The time of the build, and below the second a figure from the content: the entity tag is made
/// from time and size, and two builds whose clock was held still must not share one.
fn modified(file: &EmbeddedFile) -> SystemTime {
    let seconds = file.metadata.last_modified().unwrap_or_default();
    let hash = file.metadata.sha256_hash();
    let figure = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    SystemTime::UNIX_EPOCH + Duration::new(seconds, figure % 1_000_000_000)
}

impl File for ClientFile {
    type Metadata = About;
    type MetadataFuture<'a> = Ready<io::Result<About>>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        ready(Ok(self.about))
    }
}

impl Metadata for About {
    fn is_dir(&self) -> bool {
        false
    }

    fn modified(&self) -> io::Result<SystemTime> {
        Ok(self.modified)
    }

    fn len(&self) -> u64 {
        self.bytes
    }
}

impl AsyncRead for ClientFile {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.content).poll_read(cx, buf)
    }
}

impl AsyncSeek for ClientFile {
    fn start_seek(mut self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.content).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.content).poll_complete(cx)
    }
}
