use bolero::check;
use uuid::Uuid;

use super::*;

/// A key with every type that occurs in keys.
type Key = (String, bool, i64, String, Uuid);

fn after(cursor: String) -> Result<Option<Key>, ServiceError> {
    let request = PageRequest { limit: 1, cursor };
    Page::from_request(Some(&request)).map(|page| page.after)
}

/// The cursor of the page after this key.
fn cursor(key: &Key) -> String {
    let page = Page {
        limit: 1,
        after: None,
    };
    page.cut(&mut vec![(), ()], |()| key.clone()).next_cursor
}

#[test]
fn cursor_round_trip_keeps_the_key() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input).into_owned();
        // Any text, and any content in valid base64.
        for sent in [text.clone(), BASE64_URL_SAFE_NO_PAD.encode(input)] {
            match after(sent.clone()) {
                Ok(None) => assert!(sent.is_empty()),
                Ok(Some(key)) => assert_eq!(after(cursor(&key)).ok(), Some(Some(key))),
                Err(failure) => assert_eq!(failure.fields[0].0, "cursor"),
            }
        }
        let mut bytes = [0; 16];
        let length = input.len().min(bytes.len());
        bytes[..length].copy_from_slice(&input[..length]);
        let id = Uuid::from_bytes(bytes);
        let rank = i64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|at: usize| bytes[at]));
        let key = (text.clone(), rank % 2 == 0, rank, text, id);
        assert_eq!(after(cursor(&key)).ok(), Some(Some(key)));
    });
}
