//! The types of calls, which clients and their metrics share.

use tonic::Status;
use tower::util::BoxCloneSyncService;

/// The request of a call.
pub type GrpcRequest = http::Request<tonic::body::Body>;
/// The response to a call.
pub type GrpcResponse = http::Response<tonic::body::Body>;
/// The transport of a generated client, in process or over TCP.
pub type Backend = BoxCloneSyncService<GrpcRequest, GrpcResponse, Status>;
