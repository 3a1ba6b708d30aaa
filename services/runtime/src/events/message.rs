//! How an event travels: one channel a company, and a small message that says again whose it is.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Event, Topic};

/// All companies' channels. Those who tell name the company all the same: it is the hash tag by
/// which a cluster divides channels, and a gateway with few companies could subscribe to theirs
/// alone without a change on the telling side. One pattern needs no keeping of who watches what,
/// and events are few and small beside what they stand for.
pub const PATTERN: &str = "{*}:events";

/// The form that is written; another one is not understood and left out.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Message {
    v: u8,
    /// Who told it, so that it does not come back.
    from: Uuid,
    company: Uuid,
    topic: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<Uuid>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    OperatorUpdates,
    Equipment,
    Subscription,
}

impl From<Topic> for Word {
    fn from(topic: Topic) -> Self {
        match topic {
            Topic::OperatorUpdates => Self::OperatorUpdates,
            Topic::Equipment => Self::Equipment,
            Topic::Subscription => Self::Subscription,
        }
    }
}

impl From<Word> for Topic {
    fn from(word: Word) -> Self {
        match word {
            Word::OperatorUpdates => Self::OperatorUpdates,
            Word::Equipment => Self::Equipment,
            Word::Subscription => Self::Subscription,
        }
    }
}

/// The channel of a company.
pub fn channel(company_id: Uuid) -> String {
    format!("{{{company_id}}}:events")
}

/// The text of an event.
pub fn write(event: &Event, from: Uuid) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Message {
        v: VERSION,
        from,
        company: event.company_id,
        topic: event.topic.into(),
        person: event.person_id,
    })
}

/// The event that arrived on a channel; none when it can't be read, is not of the company whose
/// channel it came by, or was told by `own`.
pub fn read(came_by: &str, text: &[u8], own: Uuid) -> Option<Event> {
    let message: Message = serde_json::from_slice(text).ok()?;
    let good = message.v == VERSION && message.from != own && came_by == channel(message.company);
    good.then(|| Event {
        company_id: message.company,
        topic: message.topic.into(),
        person_id: message.person,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let (from, own) = (Uuid::now_v7(), Uuid::now_v7());
        for topic in Topic::ALL {
            for person_id in [None, Some(Uuid::now_v7())] {
                let event = Event {
                    company_id: Uuid::now_v7(),
                    topic,
                    person_id,
                };
                let text = write(&event, from).expect("JSON");
                assert!(text.len() < 250, "{}", text.len());
                let channel = channel(event.company_id);
                assert_eq!(read(&channel, &text, own), Some(event));
                // One's own does not come back.
                assert_eq!(read(&channel, &text, from), None);
            }
        }
    }

    #[test]
    fn topics_keep_their_words() {
        // Processes of two releases talk to each other while one replaces the other.
        for (topic, word) in [
            (Topic::OperatorUpdates, "operator-updates"),
            (Topic::Equipment, "equipment"),
            (Topic::Subscription, "subscription"),
        ] {
            let event = Event {
                company_id: Uuid::now_v7(),
                topic,
                person_id: None,
            };
            let text = write(&event, Uuid::now_v7()).expect("JSON");
            let text: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
            assert_eq!(text["topic"], word);
        }
    }

    #[test]
    fn what_is_not_whole_or_not_of_the_channel_is_left_out() {
        let company = Uuid::now_v7();
        let event = Event {
            company_id: company,
            topic: Topic::Equipment,
            person_id: None,
        };
        let from = Uuid::now_v7();
        let good = String::from_utf8(write(&event, from).expect("JSON")).expect("text");
        let read = |channel: &str, text: &str| read(channel, text.as_bytes(), Uuid::nil());
        let here = channel(company);
        assert_eq!(read(&here, &good), Some(event));
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("equipment", "engines"),
            ("\"company\":\"", "\"company\":\"x"),
            ("}", ""),
        ] {
            assert!(good.contains(from), "{good}");
            assert_eq!(read(&here, &good.replace(from, to)), None, "{from}");
        }
        assert_eq!(read(&channel(Uuid::now_v7()), &good), None);
        assert_eq!(read("events", &good), None);
        assert_eq!(read(&here, ""), None);
        // A later version may say more.
        assert_eq!(
            read(&here, &good.replace("\"v\":1", "\"x\":7,\"v\":1")),
            Some(event)
        );
    }

    #[test]
    fn channels_match_the_pattern() {
        let (before, after) = PATTERN.split_once('*').expect("a pattern");
        let channel = channel(Uuid::now_v7());
        assert!(channel.starts_with(before) && channel.ends_with(after));
    }
}
