//! Sessions that accounts has resolved, kept in this process for at most [`KEEP`].
//!
//! Each company has a stamp that changes with every write to accounts on its behalf, before the
//! write is answered. A kept session is used only while the stamp equals the one read before
//! accounts resolved it, so a revoked session is refused on the next request, at every gateway.
//! Gateways share stamps through Redis. A lost change has effect after at most [`KEEP`]. While Redis
//! does not answer, sessions are neither kept nor used: accounts resolves every request.

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

/// How long a session counts as resolved: the longest that a revoked one can live.
pub const KEEP: TimeDelta = TimeDelta::seconds(5);
/// How long an entry remembers its session's company.
const REMEMBER: Duration = Duration::from_mins(10);
/// How many sessions are kept.
const CAPACITY: u64 = 100_000;
/// How long an unknown token is cached. A token never becomes valid again.
const DEAD_FOR: Duration = Duration::from_secs(5);
/// How many such tokens are kept.
const DEAD_CAPACITY: u64 = 20_000;
/// How long Redis keeps a changed stamp, in seconds. Sessions that were resolved before the change
/// are too old by then.
const STAMP_LIFE: u64 = 60;
/// Companies share these local stamps; a change only costs the others a question to accounts.
const LOCAL_STAMPS: usize = 4096;
/// Redis key of the stamp that all companies share.
const ALL: &str = "sessions:stamp:all";

/// SHA-256 of a token; tokens themselves are not kept.
type Key = [u8; 32];

/// Resolved sessions.
pub struct SessionCache {
    entries: Cache<Key, Entry>,
    /// Tokens without a session.
    dead: Cache<Key, ()>,
    stamps: Stamps,
    meter: CacheMeter,
}

#[derive(Clone)]
struct Entry {
    company_id: Uuid,
    /// None until the company, and with it the stamp, was known before resolving.
    resolved: Option<Resolved>,
}

#[derive(Clone)]
struct Resolved {
    stamp: Stamp,
    at: DateTime<Utc>,
    session: Arc<KeptSession>,
}

/// A resolved session, with what was read of its person since.
pub struct KeptSession {
    /// What accounts answered.
    pub session: ResolveSessionResponse,
    /// The person as the API answers it. It lasts as long as the session is kept: whatever changes
    /// it is a write to accounts.
    pub user: OnceLock<Bytes>,
}

impl KeptSession {
    /// A session that was just resolved.
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

/// What a look found.
pub enum Found {
    /// The session.
    Session(Arc<KeptSession>),
    /// Accounts must resolve it; [`SessionCache::keep`] takes the answer.
    Nothing(Look),
}

/// A look into the cache before accounts is asked.
pub struct Look {
    key: Key,
    at: DateTime<Utc>,
    /// The session's company and its stamp, where both are known.
    known: Option<(Uuid, Stamp)>,
}

impl SessionCache {
    /// An empty cache. Redis need not answer at the start.
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

    /// Whether a token had a living session within the last minutes.
    pub fn remembers(&self, token: &SecretString) -> bool {
        self.entries.contains_key(&key(token))
    }

    /// Whether a token was unknown at its last lookup.
    pub fn is_dead(&self, token: &SecretString) -> bool {
        self.dead.contains_key(&key(token))
    }

    /// Notes that accounts said so.
    pub fn note_dead(&self, token: &SecretString) {
        let key = key(token);
        self.entries.invalidate(&key);
        self.dead.insert(key, ());
    }

    /// Looks for the session of a token.
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

    /// Keeps what accounts answered after `look`. Not the sessions of staff, who have no company,
    /// nor an answer with a new token, which is for one browser.
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

    /// Drops sessions at every gateway; to be called before a write to accounts is answered.
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

/// Whose sessions a write to accounts may have ended or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affected {
    /// Nobody's.
    Nobody,
    /// Those of a company.
    Company(Uuid),
    /// Those of a company that is not known here.
    Anybody,
}

/// The company's stamp and that of all companies. Zero is one that has not changed lately.
type Stamp = (u64, u64);

enum Stamps {
    /// Of this process only.
    Local {
        companies: Box<[AtomicU64]>,
        all: AtomicU64,
    },
    /// In Redis.
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

    /// Changes the stamp of a company, or the one of all. Asks Redis even while it is left alone:
    /// another gateway may reach it.
    async fn change(&self, company_id: Option<Uuid>) {
        match self {
            Self::Local { companies, all } => {
                let stamp = company_id.map_or(all, |id| slot(companies, id));
                stamp.fetch_add(1, Ordering::AcqRel);
            }
            Self::Shared(link) => {
                let mut connection = link.connection();
                let key = company_id.map_or_else(|| ALL.to_owned(), stamp_key);
                // Random, so that no stamp comes again once Redis has forgotten it.
                let stamp = Uuid::new_v4().as_u64_pair().0;
                let change = connection.set_ex::<_, _, ()>(key, stamp, STAMP_LIFE);
                // When it is lost, sessions live on for KEEP; the link logs it.
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

    /// A cache that has resolved the token's session twice: once to learn its company.
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
        // A clock that was set back makes nothing last longer.
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
