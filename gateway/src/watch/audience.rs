//! Topics, and the audience of a watcher.

use hourmeter_runtime::events::Topic;
use hourmeter_runtime::identity::Identity;
use uuid::Uuid;

/// A set of topics, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Topics(pub u8);

impl Topics {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(0b1111);

    pub const fn of(topic: Topic) -> Self {
        Self(1 << topic as u8)
    }

    pub const fn contains(self, topic: Topic) -> bool {
        self.0 & Self::of(topic).0 != 0
    }

    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn list(self) -> impl Iterator<Item = Topic> {
        let all = Topic::ALL.into_iter();
        all.filter(move |topic| self.contains(*topic))
    }
}

/// Whose updates a watcher sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// All of the company, for managers.
    All,
    /// Those of one operator.
    Of(Uuid),
}

impl Audience {
    pub fn of(identity: &Identity) -> Self {
        if identity.is_manager() {
            Self::All
        } else {
            Self::Of(identity.user_id)
        }
    }

    /// Whether a change about a person, or about all, concerns this audience.
    pub fn concerns(self, topic: Topic, person_id: Option<Uuid>) -> bool {
        match (self, topic) {
            (Self::All, _) | (_, Topic::Equipment) => true,
            (Self::Of(own), Topic::OperatorUpdates) => person_id.is_none_or(|about| about == own),
            // An operator's permissions do not depend on the plan.
            (Self::Of(_), Topic::Subscription) => false,
            // Without a person it is for owner and managers.
            (Self::Of(own), Topic::Notifications) => person_id == Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concerns_limits_operators_to_their_own() {
        let (own, other) = (Uuid::now_v7(), Uuid::now_v7());
        for (audience, topic, about, concerned) in [
            (Audience::All, Topic::OperatorUpdates, Some(other), true),
            (Audience::All, Topic::OperatorUpdates, None, true),
            (Audience::All, Topic::Equipment, None, true),
            (Audience::Of(own), Topic::OperatorUpdates, Some(own), true),
            (Audience::Of(own), Topic::OperatorUpdates, None, true),
            (
                Audience::Of(own),
                Topic::OperatorUpdates,
                Some(other),
                false,
            ),
            (Audience::Of(own), Topic::Equipment, Some(other), true),
            (Audience::All, Topic::Subscription, None, true),
            (Audience::Of(own), Topic::Subscription, None, false),
            (Audience::All, Topic::Notifications, None, true),
            (Audience::Of(own), Topic::Notifications, None, false),
            (Audience::Of(own), Topic::Notifications, Some(other), false),
            (Audience::Of(own), Topic::Notifications, Some(own), true),
        ] {
            assert_eq!(
                audience.concerns(topic, about),
                concerned,
                "{audience:?} {topic:?}"
            );
        }
    }
}
