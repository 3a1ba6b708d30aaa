//! The wire format of events in Redis: one channel per company and a small JSON message.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Event;

/// Matches the channels of all companies. One pattern subscription is simpler than one per watched
/// company, and events are few and small. The company is in the channel name as the hash tag by
/// which a Redis cluster shards channels, and so that a gateway could subscribe to fewer companies.
pub const PATTERN: &str = "{*}:events";

/// Format version; messages of another version are ignored.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Message {
    v: u8,
    /// The sending process, which ignores its own messages.
    from: Uuid,
    #[serde(flatten)]
    event: Event,
}

pub fn channel(company_id: Uuid) -> String {
    format!("{{{company_id}}}:events")
}

/// Encodes an event sent by process `from`.
pub fn write(event: &Event, from: Uuid) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Message {
        v: VERSION,
        from,
        event: *event,
    })
}

/// Decodes a message from a channel; None if it is invalid, names another company than the channel,
/// or was sent by process `own`.
pub fn read(from_channel: &str, text: &[u8], own: Uuid) -> Option<Event> {
    let Message { v, from, event } = serde_json::from_slice(text).ok()?;
    let valid = v == VERSION && from != own && from_channel == channel(event.company_id);
    valid.then_some(event)
}

#[cfg(test)]
mod tests {
    use super::super::Topic;
    use super::*;

    #[test]
    fn read_returns_written_events_except_own() {
        let (from, own) = (Uuid::now_v7(), Uuid::now_v7());
        for topic in Topic::ALL {
            for id in [None, Some(Uuid::now_v7())] {
                let event = Event {
                    company_id: Uuid::now_v7(),
                    topic,
                    person_id: id,
                    equipment_id: id,
                };
                let text = write(&event, from).expect("JSON");
                assert!(text.len() < 300, "{}", text.len());
                let channel = channel(event.company_id);
                assert_eq!(read(&channel, &text, own), Some(event));
                assert_eq!(read(&channel, &text, from), None);
            }
        }
    }

    #[test]
    fn write_keeps_topic_names_of_earlier_releases() {
        // During a deployment processes of two releases exchange events.
        for (topic, word) in [
            (Topic::OperatorUpdates, "operator-updates"),
            (Topic::Equipment, "equipment"),
            (Topic::Subscription, "subscription"),
            (Topic::Notifications, "notifications"),
        ] {
            let event = Event {
                company_id: Uuid::now_v7(),
                topic,
                person_id: None,
                equipment_id: None,
            };
            let text = write(&event, Uuid::now_v7()).expect("JSON");
            let text: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
            assert_eq!(text["topic"], word);
        }
    }

    #[test]
    fn read_ignores_invalid_messages_and_other_channels() {
        let company = Uuid::now_v7();
        let event = Event {
            company_id: company,
            topic: Topic::Equipment,
            person_id: None,
            equipment_id: None,
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
        // A later release may add fields.
        assert_eq!(
            read(&here, &good.replace("\"v\":1", "\"x\":7,\"v\":1")),
            Some(event)
        );
    }

    #[test]
    fn channel_matches_the_pattern() {
        let (before, after) = PATTERN.split_once('*').expect("a pattern");
        let channel = channel(Uuid::now_v7());
        assert!(channel.starts_with(before) && channel.ends_with(after));
    }
}
