//! How a request ended, as whoever sent it sees it.

use std::fmt;

use crate::frames;
use crate::http::{Answer, Trouble};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was done.
    Done,
    /// A part is away or busy (503), and it says when to come again.
    Unavailable,
    /// It comes too often (429), and it says when to come again.
    Limited,
    /// The provider of payments is away (502).
    Provider,
    /// No answer.
    Lost(Trouble),
    /// An answer that nothing justifies.
    Wrong(u16),
    /// 429 or 503 that does not say when to come again.
    Unsaid(u16),
}

impl Outcome {
    /// Of what came back. The codes of gRPC are told as their HTTP statuses.
    pub fn of(answer: &Result<Answer, Trouble>, grpc_web: bool) -> Self {
        let answer = match answer {
            Ok(answer) => answer,
            Err(trouble) => return Self::Lost(*trouble),
        };
        let status = if grpc_web && answer.status == 200 {
            let in_body = || frames::read(answer.body.clone()).1;
            match answer.grpc_status.or_else(in_body) {
                Some(code) => http_status(code),
                None => return Self::Lost(Trouble::Cut),
            }
        } else {
            answer.status
        };
        match (status, answer.retry_after.is_some()) {
            (200..300, _) => Self::Done,
            (503, true) => Self::Unavailable,
            (429, true) => Self::Limited,
            (503 | 429, false) => Self::Unsaid(status),
            (502, _) => Self::Provider,
            (other, _) => Self::Wrong(other),
        }
    }

    /// Whether asking again may help.
    pub const fn passes(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::Limited | Self::Lost(_) | Self::Unsaid(_)
        )
    }
}

/// As in the table of `runtime/src/error.rs`.
const fn http_status(code: u16) -> u16 {
    match code {
        0 => 200,
        3 | 11 => 400,
        16 => 401,
        7 => 403,
        5 => 404,
        6 | 9 | 10 => 409,
        8 => 429,
        14 => 503,
        12 => 501,
        _ => 500,
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("ok"),
            Self::Unavailable => f.write_str("503"),
            Self::Limited => f.write_str("429"),
            Self::Provider => f.write_str("502"),
            Self::Lost(Trouble::Nowhere) => f.write_str("no gateway"),
            Self::Lost(Trouble::Cut) => f.write_str("cut"),
            Self::Lost(Trouble::Late) => f.write_str("late"),
            Self::Wrong(status) => write!(f, "WRONG {status}"),
            Self::Unsaid(status) => write!(f, "{status} WITHOUT RETRY-AFTER"),
        }
    }
}
