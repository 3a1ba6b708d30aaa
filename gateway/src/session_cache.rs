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

use crate::cache_metrics::CacheMetrics;

/// How long a session is cached: the longest that a revoked one can live.
pub const MAX_AGE: TimeDelta = TimeDelta::seconds(5);
/// How long an entry stores its session's company.
const ENTRY_TTL: Duration = Duration::from_mins(10);
const CAPACITY: u64 = 100_000;
/// How long an invalid token is cached. A token never becomes valid again.
const INVALID_TTL: Duration = Duration::from_secs(5);
const INVALID_CAPACITY: u64 = 20_000;
/// Lifetime of a changed generation in Redis, in seconds. Sessions resolved before the change have
/// expired by then.
const GENERATION_TTL: u64 = 60;
/// Number of local generations, which companies share; a collision only costs a call to accounts.
const LOCAL_GENERATIONS: usize = 4096;
const ALL_KEY: &str = "sessions:stamp:all";

/// SHA-256 of a token; tokens themselves are not stored.
type Key = [u8; 32];

pub struct SessionCache {
    entries: Cache<Key, Entry>,
    invalid: Cache<Key, ()>,
    generations: Generations,
    metrics: CacheMetrics,
}

#[derive(Clone)]
struct Entry {
    company_id: Uuid,
    /// None until the company, and with it the generation, was known before resolving.
    resolved: Option<Resolved>,
}

#[derive(Clone)]
struct Resolved {
    generation: Generation,
    at: DateTime<Utc>,
    session: Arc<CachedSession>,
}

pub struct CachedSession {
    pub session: ResolveSessionResponse,
    /// The response of `GET /api/auth/user`, once it was read. Any change of it is a write to
    /// accounts, which invalidates the session.
    pub user: OnceLock<Bytes>,
}

impl CachedSession {
    pub fn new(session: ResolveSessionResponse) -> Arc<Self> {
        let user = OnceLock::new();
        Arc::new(Self { session, user })
    }
}

impl std::fmt::Debug for CachedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CachedSession").finish_non_exhaustive()
    }
}

pub enum Lookup {
    Hit(Arc<CachedSession>),
    /// Accounts must resolve the session; pass the result to [`SessionCache::insert`].
    Miss(Miss),
}

/// The state of the cache before accounts is asked.
pub struct Miss {
    key: Key,
    at: DateTime<Utc>,
    /// The session's company and its generation, if both are known.
    known: Option<(Uuid, Generation)>,
}

impl SessionCache {
    /// Redis need not respond at the start.
    pub fn new(redis: Option<&SecretString>) -> Result<Self, ServiceError> {
        Ok(Self {
            entries: Cache::builder()
                .max_capacity(CAPACITY)
                .time_to_live(ENTRY_TTL)
                .build(),
            invalid: Cache::builder()
                .max_capacity(INVALID_CAPACITY)
                .time_to_live(INVALID_TTL)
                .build(),
            generations: match redis {
                Some(url) => {
                    let meanwhile = "accounts resolves the session of every request";
                    let link = RedisLink::new(url, redis_link::TIMEOUT, "sessions", meanwhile)?;
                    Generations::Shared(link)
                }
                None => Generations::Local {
                    companies: (0..LOCAL_GENERATIONS).map(|_| AtomicU64::new(0)).collect(),
                    all: AtomicU64::new(0),
                },
            },
            metrics: CacheMetrics::new("sessions"),
        })
    }

    /// Whether a token had a valid session within the last minutes.
    pub fn contains(&self, token: &SecretString) -> bool {
        self.entries.contains_key(&key(token))
    }

    /// Whether a token was invalid at its last lookup.
    pub fn is_invalid(&self, token: &SecretString) -> bool {
        self.invalid.contains_key(&key(token))
    }

    pub fn mark_invalid(&self, token: &SecretString) {
        let key = key(token);
        self.entries.invalidate(&key);
        self.invalid.insert(key, ());
    }

    pub async fn find(&self, token: &SecretString, now: DateTime<Utc>) -> Lookup {
        let key = key(token);
        let entry = self.entries.get(&key);
        let mut known = None;
        if let Some(Entry { company_id, .. }) = entry {
            let generation = self.generations.read(company_id).await;
            known = generation.ok().map(|generation| (company_id, generation));
        }
        let current = known.map(|(_, generation)| generation);
        let session = entry.and_then(|entry| entry.resolved).filter(|resolved| {
            Some(resolved.generation) == current
                && (resolved.at..resolved.at + MAX_AGE).contains(&now)
        });
        match self.metrics.count(session) {
            Some(resolved) => Lookup::Hit(resolved.session),
            None => Lookup::Miss(Miss {
                key,
                at: now,
                known,
            }),
        }
    }

    /// Caches what accounts returned after `miss`. Not for staff, who have no company, nor for a
    /// response with a new token, which is for one browser.
    pub fn insert(&self, miss: &Miss, cached: &Arc<CachedSession>) {
        let session = &cached.session;
        let Ok(company_id) = session.company_id.parse() else {
            return;
        };
        let Miss { key, at, known } = *miss;
        let resolved = known
            .filter(|(known, _)| *known == company_id && session.new_token.is_empty())
            .map(|(_, generation)| Resolved {
                generation,
                at,
                session: cached.clone(),
            });
        let entry = Entry {
            company_id,
            resolved,
        };
        self.entries.insert(key, entry);
    }

    /// Invalidates sessions at every gateway; call before a write to accounts returns.
    pub async fn invalidate(&self, affected: AffectedSessions) {
        match affected {
            AffectedSessions::None => {}
            AffectedSessions::Company(id) => self.generations.change(Some(id)).await,
            AffectedSessions::All => self.generations.change(None).await,
        }
    }
}

fn key(token: &SecretString) -> Key {
    Sha256::digest(token.expose_secret()).into()
}

/// Sessions that a write to accounts may have ended or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AffectedSessions {
    None,
    Company(Uuid),
    /// All, because the company is not known here.
    All,
}

/// The generation of the company and that of all companies; zero if not changed lately.
type Generation = (u64, u64);

enum Generations {
    Local {
        companies: Box<[AtomicU64]>,
        all: AtomicU64,
    },
    Shared(RedisLink),
}

impl Generations {
    async fn read(&self, company_id: Uuid) -> Result<Generation, Unavailable> {
        match self {
            Self::Local { companies, all } => {
                let company = slot(companies, company_id).load(Ordering::Acquire);
                Ok((company, all.load(Ordering::Acquire)))
            }
            Self::Shared(link) => {
                let mut connection = link.connection();
                let keys = [generation_key(company_id), ALL_KEY.to_owned()];
                let (company, all): (Option<u64>, Option<u64>) =
                    link.call(connection.mget(&keys)).await?;
                Ok((company.unwrap_or_default(), all.unwrap_or_default()))
            }
        }
    }

    /// Changes a generation, also while the breaker is open: other gateways may reach Redis.
    async fn change(&self, company_id: Option<Uuid>) {
        match self {
            Self::Local { companies, all } => {
                let generation = company_id.map_or(all, |id| slot(companies, id));
                generation.fetch_add(1, Ordering::AcqRel);
            }
            Self::Shared(link) => {
                let mut connection = link.connection();
                let key = company_id.map_or_else(|| ALL_KEY.to_owned(), generation_key);
                // Random, so that no value repeats after Redis has forgotten it.
                let generation = Uuid::new_v4().as_u64_pair().0;
                let change = connection.set_ex::<_, _, ()>(key, generation, GENERATION_TTL);
                // If it fails, sessions live on for MAX_AGE; the link logs the failure.
                let _ = link.call_ignoring_breaker(change).await;
            }
        }
    }
}

fn slot(generations: &[AtomicU64], company_id: Uuid) -> &AtomicU64 {
    // The last bytes of a UUID are random.
    let index = usize::try_from(company_id.as_u64_pair().1).unwrap_or_default() % LOCAL_GENERATIONS;
    &generations[index]
}

fn generation_key(company_id: Uuid) -> String {
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

    async fn is_cached(cache: &SessionCache, now: DateTime<Utc>) -> bool {
        matches!(cache.find(&token(), now).await, Lookup::Hit(_))
    }

    async fn miss(cache: &SessionCache, now: DateTime<Utc>) -> Miss {
        match cache.find(&token(), now).await {
            Lookup::Miss(miss) => miss,
            Lookup::Hit(_) => panic!("cached"),
        }
    }

    /// A cache after two resolutions: the first one learned the company.
    async fn filled(company_id: Uuid, now: DateTime<Utc>) -> SessionCache {
        let cache = SessionCache::new(None).expect("a cache");
        for _ in 0..2 {
            let miss = miss(&cache, now).await;
            cache.insert(&miss, &CachedSession::new(session(company_id)));
        }
        cache
    }

    #[tokio::test]
    async fn find_returns_sessions_for_5_seconds() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        assert!(is_cached(&cache, now).await);
        assert!(is_cached(&cache, now + MAX_AGE - TimeDelta::milliseconds(1)).await);
        assert!(!is_cached(&cache, now + MAX_AGE).await);
        // A clock that was set back extends nothing.
        assert!(!is_cached(&cache, now - TimeDelta::milliseconds(1)).await);
    }

    #[tokio::test]
    async fn invalidate_covers_a_company_or_all() {
        let (company, other, now) = (Uuid::from_u128(1), Uuid::from_u128(2), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        cache.invalidate(AffectedSessions::Company(other)).await;
        assert!(is_cached(&cache, now).await);
        cache.invalidate(AffectedSessions::Company(company)).await;
        assert!(!is_cached(&cache, now).await);

        let cache = filled(company, now).await;
        cache.invalidate(AffectedSessions::All).await;
        assert!(!is_cached(&cache, now).await);
    }

    #[tokio::test]
    async fn insert_after_invalidate_has_no_effect() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let cache = filled(company, now).await;
        let later = now + MAX_AGE;
        let miss = miss(&cache, later).await;
        cache.invalidate(AffectedSessions::Company(company)).await;
        cache.insert(&miss, &CachedSession::new(session(company)));
        assert!(!is_cached(&cache, later).await);
    }

    #[tokio::test]
    async fn insert_ignores_staff_and_new_tokens() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let staff = ResolveSessionResponse::default();
        let renewed = ResolveSessionResponse {
            new_token: "n".repeat(43),
            ..session(company)
        };
        for response in [staff, renewed] {
            let cache = SessionCache::new(None).expect("a cache");
            for _ in 0..3 {
                let miss = miss(&cache, now).await;
                cache.insert(&miss, &CachedSession::new(response.clone()));
            }
        }
    }

    #[tokio::test]
    async fn insert_has_no_effect_while_redis_is_unavailable() {
        let (company, now) = (Uuid::now_v7(), DateTime::UNIX_EPOCH);
        let nowhere = "redis://127.0.0.1:1/".into();
        let cache = SessionCache::new(Some(&nowhere)).expect("a cache");
        for _ in 0..3 {
            let miss = miss(&cache, now).await;
            cache.insert(&miss, &CachedSession::new(session(company)));
        }
    }
}
