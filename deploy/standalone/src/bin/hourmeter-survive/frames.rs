//! grpc-web as a browser writes and reads it.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use prost::Message;

/// The type of such a body.
pub const GRPC_WEB: &str = "application/grpc-web+proto";
/// The kind of the last frame.
const TRAILERS: u8 = 0x80;
/// Length of a frame's head: what kind it is, and how long.
const HEAD: usize = 5;

/// One message as a body.
pub fn framed(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut body = BytesMut::with_capacity(HEAD + length);
    body.put_u8(0);
    body.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    body.extend_from_slice(&message.encode_to_vec());
    body.freeze()
}

/// The message of an answer, if there is one, and its status; none of that: it was cut off.
pub fn read(mut body: Bytes) -> (Option<Bytes>, Option<u16>) {
    let mut message = None;
    while body.remaining() >= HEAD {
        let kind = body.get_u8();
        let length = usize::try_from(body.get_u32()).unwrap_or(usize::MAX);
        if body.remaining() < length {
            break;
        }
        let frame = body.split_to(length);
        if kind & TRAILERS == 0 {
            message = Some(frame);
        } else {
            return (message, status(&frame));
        }
    }
    (message, None)
}

fn status(trailers: &[u8]) -> Option<u16> {
    let text = String::from_utf8_lossy(trailers);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("grpc-status:"));
    line.and_then(|line| line.trim().parse().ok())
}
