//! Contracts of all services: message types, clients and servers, and the access policy of every
//! RPC, generated from the `.proto` files beside this crate.

#![warn(missing_docs)]

pub mod access;
mod audit;
mod redacted;

/// Encoded descriptors of all files, with custom options.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hourmeter.bin"));

/// Messages that several packages share.
pub mod common {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.common.v1");
    }
}

/// Companies, persons, sign-in and company settings.
pub mod accounts {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.accounts.v1");
    }
}

/// Equipment, its ledger and its service status.
pub mod equipment {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.equipment.v1");
    }
}

/// Operators' updates and their review.
pub mod operator_updates {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.operator_updates.v1");
    }
}

/// Plans, subscriptions and entitlements.
pub mod billing {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.billing.v1");
    }
}

/// Notifications of people.
pub mod notifications {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.notifications.v1");
    }
}

/// Change notifications.
pub mod events {
    /// Version 1.
    #[allow(clippy::all, clippy::pedantic, missing_docs)]
    pub mod v1 {
        tonic::include_proto!("hourmeter.events.v1");
    }
}
