//! Outcomes of requests.

use std::fmt;

use hourmeter_runtime::error::ServiceError;
use tonic::{Code, Status};

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
                Some(0) => 200,
                Some(code) => {
                    let status = Status::new(Code::from(i32::from(code)), "");
                    ServiceError::from_status(&status).http_status()
                }
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
