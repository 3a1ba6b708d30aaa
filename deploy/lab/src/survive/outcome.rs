//! Outcomes of requests.

use std::fmt;

use super::balancer::{Answer, NoResponse};
use crate::grpc_web;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Done,
    /// 503 with `Retry-After`.
    Unavailable,
    /// 429 with `Retry-After`.
    Limited,
    /// 502: the payment provider is unavailable.
    Provider,
    Lost(NoResponse),
    Wrong(u16),
    /// 429 or 503 without `Retry-After`.
    NoRetryAfter(u16),
}

impl Outcome {
    /// gRPC codes count as their HTTP statuses.
    pub fn of(answer: &Result<Answer, NoResponse>, grpc_web: bool) -> Self {
        let answer = match answer {
            Ok(answer) => answer,
            Err(no_response) => return Self::Lost(*no_response),
        };
        let status = if grpc_web && answer.status == 200 {
            let in_body = || grpc_web::decode(&answer.body).1;
            match answer.grpc_status.or_else(in_body) {
                Some(code) => http_status(code),
                None => return Self::Lost(NoResponse::Cut),
            }
        } else {
            answer.status
        };
        match (status, answer.retry_after.is_some()) {
            (200..300, _) => Self::Done,
            (503, true) => Self::Unavailable,
            (429, true) => Self::Limited,
            (503 | 429, false) => Self::NoRetryAfter(status),
            (502, _) => Self::Provider,
            (other, _) => Self::Wrong(other),
        }
    }

    /// Whether a retry may succeed.
    pub const fn is_temporary(self) -> bool {
        matches!(
            self,
            Self::Unavailable | Self::Limited | Self::Lost(_) | Self::NoRetryAfter(_)
        )
    }
}

/// Of the gRPC codes that the product may send; others are errors. A table of its own, so that a
/// wrong one of the product shows.
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
            Self::Lost(NoResponse::NoGateway) => f.write_str("no gateway"),
            Self::Lost(NoResponse::Cut) => f.write_str("cut"),
            Self::Lost(NoResponse::TimedOut) => f.write_str("late"),
            Self::Wrong(status) => write!(f, "WRONG {status}"),
            Self::NoRetryAfter(status) => write!(f, "{status} WITHOUT RETRY-AFTER"),
        }
    }
}
