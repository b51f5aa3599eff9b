use proptest::prelude::*;

use super::*;

fn check(text: &str) -> Result<(), DecodeError> {
    decode(text, Reader::skip)
}

fn refused(text: &str) -> (String, DecodeRule) {
    let error = decode(text, document).unwrap_err();
    (error.pointer().to_owned(), error.rule())
}

members! {
    enum Outer {
        Version "version",
        Entries "entries",
        Any "any",
    }
}

members! {
    enum Entry {
        Name "na/me~",
        Port "port",
        Flag "flag",
    }
}

/// A document that uses every reading method.
fn document(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    reader.object(|reader, member| match member {
        Outer::Version => reader.integer(1..=2).map(drop),
        Outer::Any => reader.skip(),
        Outer::Entries => reader.list(|reader, _| {
            reader.object(|reader, member| match member {
                Entry::Name => reader.nullable(Reader::string).map(drop),
                Entry::Port => reader.integer(1..=65_535).map(drop),
                Entry::Flag => reader.boolean().map(drop),
            })
        }),
    })
}

#[test]
fn accepted() {
    for text in [
        "{}",
        " { \"version\" : 1 ,\t\"entries\" : [ ] } \r\n",
        r#"{"any":[null,true,false,0,-0,-1.5e+10,1E-3,"\u0000\"\\\/\b\f\n\r\t",{},[],{"a":{"a":1}}]}"#,
        r#"{"entries":[{"na/me~":null,"port":65535,"flag":true},{"na/me~":"🦀\ud83e\udd80"}]}"#,
        r#"{"v\u0065rsion":2}"#,
    ] {
        decode(text, document).unwrap();
    }
}

#[test]
fn strings_are_borrowed_where_they_can_be() {
    let plain = decode(r#""a🦀/""#, Reader::string).unwrap();
    assert!(matches!(plain, Cow::Borrowed("a🦀/")));
    let escaped = decode(r#""a\ud83e\udd80\u00E9\/\nb""#, Reader::string).unwrap();
    assert_eq!(escaped, "a🦀é/\nb");
}

#[test]
#[allow(clippy::too_many_lines)]
fn the_first_error_is_reported_at_its_pointer() {
    use DecodeRule::{DuplicateKey, Not, NumberForm, NumberRange, Syntax, UnknownKey};
    let port = NumberRange {
        least: 1,
        most: 65_535,
    };
    for (text, pointer, rule) in [
        ("[]", "", Not("an object")),
        ("", "", Syntax("a value is expected")),
        (
            "{\"versoin\":1}",
            "",
            UnknownKey {
                nearest: Some("version"),
            },
        ),
        ("{\"secret\":1}", "", UnknownKey { nearest: None }),
        (
            "{\"version\":1,\"v\\u0065rsion\":1}",
            "",
            DuplicateKey {
                known: Some("version"),
            },
        ),
        (
            "{\"version\":1,\"version\":1}",
            "",
            DuplicateKey {
                known: Some("version"),
            },
        ),
        (
            "{\"any\":{\"b\":[{\"c\":1,\"c\":1}]}}",
            "/any",
            DuplicateKey { known: None },
        ),
        (
            "{\"any\":{\"c\":1,\"\\u0063\":1}}",
            "/any",
            DuplicateKey { known: None },
        ),
        ("{\"version\":1.0}", "/version", NumberForm),
        ("{\"version\":1e0}", "/version", NumberForm),
        ("{\"version\":-0}", "/version", NumberForm),
        ("{\"version\":\"1\"}", "/version", Not("a whole number")),
        ("{\"version\":true}", "/version", Not("a whole number")),
        ("{\"version\":null}", "/version", Not("a whole number")),
        (
            "{\"version\":NaN}",
            "/version",
            Syntax("a value is expected"),
        ),
        ("{\"version\":01}", "/version", Syntax("a leading zero")),
        (
            "{\"version\":1.}",
            "/version",
            Syntax("a digit is expected"),
        ),
        ("{\"version\":-}", "/version", Syntax("a digit is expected")),
        ("{\"entries\":{}}", "/entries", Not("a list")),
        ("{\"entries\":[{},{\"port\":0}]}", "/entries/1/port", port),
        ("{\"entries\":[{\"port\":65536}]}", "/entries/0/port", port),
        (
            "{\"entries\":[{\"port\":18446744073709551617}]}",
            "/entries/0/port",
            port,
        ),
        (
            "{\"entries\":[{\"flag\":\"true\"}]}",
            "/entries/0/flag",
            Not("`true` or `false`"),
        ),
        (
            "{\"entries\":[{\"na/me~\":1}]}",
            "/entries/0/na~1me~0",
            Not("a string"),
        ),
        (
            "{\"entries\":[{},]}",
            "/entries/1",
            Syntax("a value is expected"),
        ),
        (
            "{\"entries\":[{} {}]}",
            "/entries",
            Syntax("`,` or `]` is expected"),
        ),
        (
            "{\"version\":1,}",
            "",
            Syntax("a key in double quotes is expected"),
        ),
        ("{,}", "", Syntax("a key in double quotes is expected")),
        ("{\"version\" 1}", "", Syntax("`:` is expected")),
        ("{} x", "", Syntax("text after the document")),
        ("{}{}", "", Syntax("text after the document")),
        ("\u{feff}{}", "", Syntax("a byte order mark")),
        ("{\"any\":\"\\ud800\"}", "/any", Syntax("a lone surrogate")),
        (
            "{\"any\":\"\\ud800\\u0041\"}",
            "/any",
            Syntax("a lone surrogate"),
        ),
        (
            "{\"any\":\"\\udc00\\ud800\"}",
            "/any",
            Syntax("a lone surrogate"),
        ),
        (
            "{\"any\":\"a\nb\"}",
            "/any",
            Syntax("a control character in a string"),
        ),
        ("{\"any\":\"a", "/any", Syntax("a string without end")),
        ("{\"any\":\"\\x\"}", "/any", Syntax("an unknown escape")),
        (
            "{\"any\":\"\\u+123\"}",
            "/any",
            Syntax("an escape is `\\u` and four hexadecimal digits"),
        ),
    ] {
        assert_eq!(refused(text), (pointer.to_owned(), rule), "{text}");
    }
}

#[test]
fn duplicates_among_many_keys() {
    let keys = |count: usize| -> String {
        let members: Vec<_> = (0..count).map(|index| format!("\"k{index}\":0")).collect();
        members.join(",")
    };
    for count in [1, 15, 16, 17, 18, 100] {
        check(&format!("{{{}}}", keys(count))).unwrap();
        for again in [0, count / 2, count - 1] {
            let error = check(&format!("{{{},\"k{again}\":0}}", keys(count))).unwrap_err();
            assert_eq!(error.rule(), DecodeRule::DuplicateKey { known: None });
        }
    }
}

#[test]
fn maps_name_a_valid_key_and_no_other() {
    let read = |text: &str| {
        decode(text, |reader| {
            reader.map(
                |key| match &*key {
                    "bad" => Err(DecodeRule::Not("an id")),
                    _ => Ok(()),
                },
                |reader, ()| reader.boolean().map(drop),
            )
        })
        .map_err(|error| error.pointer().to_owned())
    };
    assert_eq!(read(r#"{"ws":true,"x":false}"#), Ok(()));
    assert_eq!(read(r#"{"ws":0}"#), Err("/ws".to_owned()));
    assert_eq!(read(r#"{"bad":true}"#), Err(String::new()));
    assert_eq!(read(r#"{"ws":true,"w\u0073":true}"#), Err(String::new()));
}

#[test]
fn at_most_64_levels() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    check(&nested(64)).unwrap();
    assert_eq!(check(&nested(65)).unwrap_err().rule(), DecodeRule::TooDeep);
    let objects = "{\"a\":".repeat(1_000_000);
    assert_eq!(check(&objects).unwrap_err().rule(), DecodeRule::TooDeep);
    let side_by_side = format!("[{}0]", "[],{},".repeat(1000));
    check(&side_by_side).unwrap();
}

#[test]
fn messages() {
    for (text, message) in [
        (
            "{",
            "the document: not JSON: a key in double quotes is expected (byte 1)",
        ),
        (
            r#"{"entries":[{"prot":1}]}"#,
            "/entries/0: an unknown key; `port` is the nearest known one",
        ),
        (r#"{"version":3}"#, "/version: not a number from 1 to 2"),
    ] {
        assert_eq!(decode(text, document).unwrap_err().to_string(), message);
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn valid_json_is_read(value in any_json()) {
        prop_assert_eq!(check(&value.to_string()), Ok(()));
        prop_assert_eq!(check(&serde_json::to_string_pretty(&value).unwrap()), Ok(()));
    }

    /// One character of a valid text is replaced, added or removed: both readers agree whether it
    /// still is JSON.
    #[test]
    fn agrees_with_serde_json(
        value in any_json(),
        place in any::<prop::sample::Index>(),
        replaced in any::<bool>(),
        with in prop_oneof![
            Just(String::new()),
            "[\\[\\]{}\",:\\\\0-9eE.+\\-a-z \n\t\u{1f}\u{7f}\u{feff}é]",
        ],
    ) {
        let text = value.to_string();
        let (at, character) = text.char_indices().nth(place.index(text.chars().count())).unwrap();
        let after = at + if replaced { character.len_utf8() } else { 0 };
        let text = format!("{}{with}{}", &text[..at], &text[after..]);
        match (check(&text), serde_json::from_str::<serde_json::Value>(&text)) {
            (Ok(()), Ok(_)) | (Err(_), Err(_)) => {}
            (Err(error), Ok(_)) => {
                prop_assert_eq!(error.rule(), DecodeRule::DuplicateKey { known: None });
            }
            (Ok(()), Err(error)) => {
                prop_assert!(error.to_string().contains("number out of range"), "{}", error);
            }
        }
    }

    #[test]
    fn strings_are_what_serde_json_reads(text in any::<String>(), ascii in any::<bool>()) {
        let json = if ascii {
            let mut json = String::new();
            crate::canonical::push_string(&mut json, &text);
            json
        } else {
            serde_json::to_string(&text).unwrap()
        };
        prop_assert_eq!(decode(&json, Reader::string).unwrap(), text);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), json in "[\\[\\]{}\",:\\\\u0-9dDeE.\\-tfn ]{0,64}") {
        let _ = decode(&text, document);
        let _ = check(&json);
        let _ = decode(&json, document);
    }
}
