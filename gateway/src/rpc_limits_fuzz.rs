use bolero::check;

use super::*;

#[test]
fn is_export_recognizes_any_bytes() {
    check!().for_each(|input: &[u8]| {
        let Ok(length) = u32::try_from(input.len()) else {
            return;
        };
        let framed = [&[0], length.to_be_bytes().as_slice(), input].concat();
        for (body, is_export) in [
            (input, all_history as fn(&[u8]) -> bool),
            (&framed, all_history),
            (input, all_events),
            (&framed, all_events),
        ] {
            let export = is_export(body);
            // A truncated or compressed message is unreadable and counts as an export.
            if let [flag, rest @ ..] = body {
                let compressed = [&[flag | 1], rest].concat();
                assert!(is_export(&compressed));
            }
            if !export {
                let message =
                    first_message::<ListHistoryRequest>(body).map(|request| request.encoded_len());
                let events = first_message::<ListAuditEventsRequest>(body)
                    .map(|request| request.encoded_len());
                // Any other request has fields.
                assert!(message.max(events) > Some(0));
                let more = [body, input].concat();
                assert!(
                    !is_export(&more),
                    "bytes after the message changed the result"
                );
            }
        }
    });
}
