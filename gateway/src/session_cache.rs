//! Caches resolved sessions in this process for at most [`MAX_AGE`].
//!
//! Each company has a generation that changes with every write to accounts on its behalf, before
//! the write returns. A cached session is used only while the generation equals the one read before
//! accounts resolved it, so a revoked session is rejected on the next request, at every gateway.
//! Gateways share generations through Redis. A lost change takes effect after [`MAX_AGE`]. While
//! Redis is unavailable, the cache is not used: accounts resolves every request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::accounts::v1::ResolveSessionResponse;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::redis_link::{self, RedisLink, Unavailable};
use moka::sync::Cache;
use redis::AsyncCommands as _;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::measure::CacheMeter;

/// How long a session is cached: the longest that a revoked one can live.
pub const KEEP: TimeDelta = TimeDelta::seconds(5);
/// How long an entry stores its session's company.
const REMEMBER: Duration = Duration::from_mins(10);
const CAPACITY: u64 = 100_000;
/// How long an invalid token is cached. A token never becomes valid again.
const DEAD_FOR: Duration = Duration::from_secs(5);
const DEAD_CAPACITY: u64 = 20_000;
/// Lifetime of a changed generation in Redis, in seconds. Sessions resolved before the change have
/// expired by then.
const STAMP_LIFE: u64 = 60;
/// Number of local generations, which companies share; a collision only costs a call to accounts.
const LOCAL_STAMPS: usize = 4096;
/// Redis key of the generation of all companies.
const ALL: &str = "sessions:stamp:all";

/// SHA-256 of a token; tokens themselves are not stored.
type Key = [u8; 32];

pub struct SessionCache {
    entries: Cache<Key, Entry>,
    dead: Cache<Key, ()>,
    stamps: Stamps,
    meter: CacheMeter,
}

#[derive(Clone)]
struct Entry {
    company_id: Uuid,
    /// None until the company, and with it the generation, was known before resolving.
    resolved: Option<Resolved>,
}

#[derive(Clone)]
struct Resolved {
    stamp: Stamp,
    at: DateTime<Utc>,
    session: Arc<KeptSession>,
}

/// A resolved session.
pub struct KeptSession {
    pub session: ResolveSessionResponse,
    /// The response of `GET /api/auth/user`, once it was read. Any change of it is a write to
    /// accounts, which invalidates the session.
    pub user: OnceLock<Bytes>,
}

impl KeptSession {
    pub fn new(session: ResolveSessionResponse) -> Arc<Self> {
        let user = OnceLock::new();
        Arc::new(Self { session, user })
    }
}

impl std::fmt::Debug for KeptSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptSession").finish_non_exhaustive()
    }
}

pub enum Found {
    Session(Arc<KeptSession>),
    /// Accounts must resolve the session; pass the result to [`SessionCache::insert`].
    Nothing(Look),
}

/// The state of the cache before accounts is asked.
pub struct Look {
    key: Key,
    at: DateTime<Utc>,
    /// The session's company and its generation, if both are known.
    known: Option<(Uuid, Stamp)>,
}

impl SessionCache {
    /// Redis need not respond at the start.
    pub fn new(redis: Option<&SecretString>) -> Result<Self, ServiceError> {
        Ok(Self {
            entries: Cache::builder()
                .max_capacity(CAPACITY)
                .time_to_live(REMEMBER)
                .build(),
            dead: Cache::builder()
                .max_capacity(DEAD_CAPACITY)
                .time_to_live(DEAD_FOR)
                .build(),
            stamps: match redis {
                Some(url) => Stamps::shared(url)?,
                None => Stamps::local(),
            },
            meter: CacheMeter::new("sessions"),
        })
    }

    /// Whether a token had a valid session within the last minutes.
    pub fn remembers(&self, token: &SecretString) -> bool {
        self.entries.contains_key(&key(token))
    }

    /// Whether a token was invalid at its last lookup.
    pub fn is_dead(&self, token: &SecretString) -> bool {
        self.dead.contains_key(&key(token))
    }

    pub fn note_dead(&self, token: &SecretString) {
        let key = key(token);
        self.entries.invalidate(&key);
        self.dead.insert(key, ());
    }

    pub async fn find(&self, token: &SecretString, now: DateTime<Utc>) -> Found {
        let key = key(token);
        let entry = self.entries.get(&key);
        let mut look = Look {
            key,
            at: now,
            known: None,
        };
        if let Some(Entry { company_id, .. }) = entry {
            let stamp = self.stamps.read(company_id).await;
            look.known = stamp.ok().map(|stamp| (company_id, stamp));
        }
        let current = look.known.map(|(_, stamp)| stamp);
        let session = entry.and_then(|entry| entry.resolved).filter(|resolved| {
            Some(resolved.stamp) == current && (resolved.at..resolved.at + KEEP).contains(&now)
        });
        match self.meter.count(session) {
            Some(resolved) => Found::Session(resolved.session),
            None => Found::Nothing(look),
        }
    }

    /// Caches what accounts returned after `miss`. Not for staff, who have no company, nor for a
    /// response with a new token, which is for one browser.
    pub fn keep(&self, look: &Look, kept: &Arc<KeptSession>) {
        let session = &kept.session;
        let Ok(company_id) = session.company_id.parse() else {
            return;
        };
        let Look { key, at, known } = *look;
        let resolved = known
            .filter(|(known, _)| *known == company_id && session.new_token.is_empty())
            .map(|(_, stamp)| Resolved {
                stamp,
                at,
                session: kept.clone(),
            });
        let entry = Entry {
            company_id,
            resolved,
        };
        self.entries.insert(key, entry);
    }

    /// Invalidates sessions at every gateway; call before a write to accounts returns.
    pub async fn drop_affected(&self, affected: Affected) {
        match affected {
            Affected::Nobody => {}
            Affected::Company(id) => self.stamps.change(Some(id)).await,
            Affected::Anybody => self.stamps.change(None).await,
        }
    }
}

fn key(token: &SecretString) -> Key {
    Sha256::digest(token.expose_secret()).into()
}

/// Sessions that a write to accounts may have ended or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affected {
    Nobody,
    Company(Uuid),
    /// All, because the company is not known here.
    Anybody,
}

/// The generation of the company and that of all companies; zero if not changed lately.
type Stamp = (u64, u64);

enum Stamps {
    Local {
        companies: Box<[AtomicU64]>,
        all: AtomicU64,
    },
    Shared(RedisLink),
}

impl Stamps {
    fn local() -> Self {
        Self::Local {
            companies: (0..LOCAL_STAMPS).map(|_| AtomicU64::new(0)).collect(),
            all: AtomicU64::new(0),
        }
    }

    fn shared(url: &SecretString) -> Result<Self, ServiceError> {
        let meanwhile = "accounts resolves the session of every request";
        let link = RedisLink::new(url, redis_link::TIMEOUT, "sessions", meanwhile)?;
        Ok(Self::Shared(link))
    }

    async fn read(&self, company_id: Uuid) -> Result<Stamp, Unavailable> {
        match self {
            Self::Local { companies, all } => {
                let company = slot(companies, company_id).load(Ordering::Acquire);
                Ok((company, all.load(Ordering::Acquire)))
            }
            Self::Shared(link) => {
                let mut connection = link.connection();
                let keys = [stamp_key(company_id), ALL.to_owned()];
                let (company, all): (Option<u64>, Option<u64>) =
                    link.call(connection.mget(&keys)).await?;
                Ok((company.unwrap_or_default(), all.unwrap_or_default()))
            }
        }
    }

    /// Changes the generation of a company or of all. Ignores the circuit breaker: other gateways
    /// may reach Redis.
    async fn change(&self, company_id: Option<Uuid>) {
        match self {
            Self::Local { companies, all } => {
                let stamp = company_id.map_or(all, |id| slot(companies, id));
                stamp.fetch_add(1, Ordering::AcqRel);
            }
            Self::Shared(link) => {
                let mut connection = link.connection();
                let key = company_id.map_or_else(|| ALL.to_owned(), stamp_key);
                // Random, so that no value repeats after Redis has forgotten it.
                let stamp = Uuid::new_v4().as_u64_pair().0;
                let change = connection.set_ex::<_, _, ()>(key, stamp, STAMP_LIFE);
                // If it fails, sessions live on for MAX_AGE; the link logs the failure.
                let _ = link.call_ignoring_breaker(change).await;
            }
        }
    }
}

fn slot(stamps: &[AtomicU64], company_id: Uuid) -> &AtomicU64 {
    // The last bytes of a UUID are random.
    let index = usize::try_from(company_id.as_u64_pair().1).unwrap_or_default() % LOCAL_STAMPS;
    &stamps[index]
}

fn stamp_key(company_id: Uuid) -> String {
    format!("sessions:stamp:{}", company_id.as_simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> SecretString {
        "t".repeat(43).into()
    }

    fn session(company_id: Uuid) -> ResolveSessionResponse {
        ResolveSessionResponse {
            company_id: company_id.to_string(),
            ..ResolveSessionResponse::default()
        }
    }

    async fn is_kept(cache: &SessionCache, now: DateTime<Utc>) -> bool {
        matches!(cache.find(&token(), now).await, Found::Session(_))
    }

    async fn look(cache: &SessionCache, now: DateTime<Utc>) -> Look {
        match cache.find(&token(), now).await {
            Found::Nothing(look) => look,
            Found::Session(_) => panic!("kept"),
        }
    }

    /// A cache after two resolutions: the first one learned the company.
    async fn filled(company_id: Uuid, now: DateTime<Utc>) -> SessionCache {
        let cache = SessionCache::new(None).expect("a cache");
        for _ in 0..2 {
            let look = look(&cache, now).await;
            cache.keep(&look, &KeptSession::new(session(company_id)));
        }
        cache
    }

    #[tokio::test]
    async fn session_is_kept_for_five_seconds() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        assert!(is_kept(&cache, now).await);
        assert!(is_kept(&cache, now + KEEP - TimeDelta::milliseconds(1)).await);
        assert!(!is_kept(&cache, now + KEEP).await);
        // A clock that was set back extends nothing.
        assert!(!is_kept(&cache, now - TimeDelta::milliseconds(1)).await);
    }

    #[tokio::test]
    async fn session_is_dropped_with_its_company_or_all() {
        let (company, other, now) = (Uuid::from_u128(1), Uuid::from_u128(2), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        cache.drop_affected(Affected::Company(other)).await;
        assert!(is_kept(&cache, now).await);
        cache.drop_affected(Affected::Company(company)).await;
        assert!(!is_kept(&cache, now).await);

        let cache = filled(company, now).await;
        cache.drop_affected(Affected::Anybody).await;
        assert!(!is_kept(&cache, now).await);
    }

    #[tokio::test]
    async fn session_resolved_before_a_change_is_not_used() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        let later = now + KEEP;
        let look = look(&cache, later).await;
        cache.drop_affected(Affected::Company(company)).await;
        cache.keep(&look, &KeptSession::new(session(company)));
        assert!(!is_kept(&cache, later).await);
    }

    #[tokio::test]
    async fn session_of_staff_or_with_a_new_token_is_not_kept() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let staff = ResolveSessionResponse::default();
        let renewed = ResolveSessionResponse {
            new_token: "n".repeat(43),
            ..session(company)
        };
        for answer in [staff, renewed] {
            let cache = SessionCache::new(None).expect("a cache");
            for _ in 0..3 {
                let look = look(&cache, now).await;
                cache.keep(&look, &KeptSession::new(answer.clone()));
            }
        }
    }

    #[tokio::test]
    async fn session_is_not_kept_while_redis_is_away() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let nowhere = "redis://127.0.0.1:1/".into();
        let cache = SessionCache::new(Some(&nowhere)).expect("a cache");
        for _ in 0..3 {
            let look = look(&cache, now).await;
            cache.keep(&look, &KeptSession::new(session(company)));
        }
    }
}
