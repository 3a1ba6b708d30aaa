//! grpc-web encoding as in a browser.

use bytes::{BufMut as _, Bytes, BytesMut};
use prost::Message;

pub const CONTENT_TYPE: &str = "application/grpc-web+proto";
/// Flag of the trailers frame.
const TRAILERS: u8 = 0x80;
/// Flag byte and length before each frame.
const HEAD: usize = 5;

pub enum Frame {
    Message(Bytes),
    /// The end: status code, and all trailers as text.
    Trailers(Option<u16>, String),
}

/// Encodes a message as a request body.
pub fn encode(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut body = BytesMut::with_capacity(HEAD + length);
    body.put_u8(0);
    body.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    body.extend_from_slice(&message.encode_to_vec());
    body.freeze()
}

/// Takes the next frame if it is complete.
pub fn take_frame(read: &mut BytesMut) -> Option<Frame> {
    let (flag, length) = read.split_at_checked(HEAD)?.0.split_first()?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    let (flag, end) = (*flag, HEAD + usize::try_from(length).ok()?);
    if read.len() < end {
        return None;
    }
    let frame = read.split_to(end).freeze().slice(HEAD..);
    if flag & TRAILERS == 0 {
        return Some(Frame::Message(frame));
    }
    let text = String::from_utf8_lossy(&frame).into_owned();
    let mut lines = text.lines();
    let status = lines.find_map(|line| line.strip_prefix("grpc-status:"));
    let status = status.and_then(|status| status.trim().parse().ok());
    Some(Frame::Trailers(status, text))
}

/// Message and status of a complete response; no status if it was cut off.
pub fn decode(body: &Bytes) -> (Option<Bytes>, Option<u16>) {
    let (mut read, mut message) = (BytesMut::from(&body[..]), None);
    while let Some(frame) = take_frame(&mut read) {
        match frame {
            Frame::Message(frame) => message = Some(frame),
            Frame::Trailers(status, _) => return (message, status),
        }
    }
    (message, None)
}
