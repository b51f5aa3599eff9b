//! Path and query of a URL, in the one form that is hashed, shown and sent.

/// Path and query as the WHATWG URL standard serialises them. Without the feature `url` only what
/// has that form already is taken.
///
/// `None` for what does not begin with `/`, and for a fragment, a control character or white space
/// at an end, which the parser of a URL would silently drop.
#[cfg(feature = "url")]
pub(super) fn canonical(text: &str) -> Option<String> {
    let is_plain =
        text.starts_with('/') && !text.contains('#') && !text.chars().any(char::is_control);
    if !is_plain || text.trim() != text {
        return None;
    }
    // Which host it is makes no difference: that of the target was checked.
    let parsed = url::Url::parse(&format!("https://host{text}")).ok()?;
    Some(of_url(parsed.as_str())?.to_owned())
}

/// Path and query, checked to have the form in which the WHATWG URL standard serialises them.
#[cfg(not(feature = "url"))]
pub(super) fn canonical(text: &str) -> Option<String> {
    is_canonical(text).then(|| text.to_owned())
}

/// Path and query of a whole URL, `None` when it ends with its authority.
pub(super) fn of_url(url: &str) -> Option<&str> {
    let (_, after) = url.split_once("://")?;
    after.find(['/', '?']).map(|start| &after[start..])
}

/// Whether the URL parser leaves this as it is. It refuses some texts that the parser would leave.
#[cfg(any(test, not(feature = "url")))]
fn is_canonical(text: &str) -> bool {
    let (path, query) = match text.split_once('?') {
        Some((path, query)) => (path, query),
        None => (text, ""),
    };
    let is_dots = |segment: &str| {
        let segment = segment.to_ascii_lowercase().replace("%2e", ".");
        segment == "." || segment == ".."
    };
    let is_path = |byte: u8| byte.is_ascii_graphic() && !b"\"#<>\\^`{}".contains(&byte);
    let is_query = |byte: u8| byte.is_ascii_graphic() && !b"\"#'<>".contains(&byte);
    path.starts_with('/')
        && path.bytes().all(is_path)
        && !path.split('/').any(is_dots)
        && query.bytes().all(is_query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_as_it_is() {
        for text in [
            "/",
            "//a",
            "/a/b%20c",
            "/%zz",
            "/a?",
            "/a?b=c&d=e/../f?g",
            "/.well-known/x",
            "/a..b",
        ] {
            assert!(is_canonical(text), "{text}");
            assert_eq!(canonical(text).as_deref(), Some(text));
        }
        for text in [
            "",
            "a",
            "?b",
            "/a b",
            "/a/../b",
            "/a/%2E%2e/b",
            "/.",
            "/a#b",
            "/a\\b",
            "/é",
            "/a?b'c",
            "/a\n",
        ] {
            assert!(!is_canonical(text), "{text}");
        }
    }

    #[test]
    fn of_urls() {
        assert_eq!(of_url("https://[::1]:8443/a?b"), Some("/a?b"));
        assert_eq!(of_url("tcp://a.example:1"), None);
        assert_eq!(of_url("tcp://a.example:1?b"), Some("?b"));
    }

    #[cfg(feature = "url")]
    mod with_url {
        use proptest::prelude::*;

        use super::*;

        #[test]
        fn other_spellings() {
            for (text, expected) in [
                ("/a b", Some("/a%20b")),
                ("/a/../b", Some("/b")),
                ("/a/%2e%2e/b", Some("/b")),
                ("/\\evil.example", Some("//evil.example")),
                ("/é?'", Some("/%C3%A9?%27")),
                ("/a#b", None),
                ("/a\tb", None),
                ("/a ", None),
                ("a", None),
                ("", None),
            ] {
                assert_eq!(canonical(text).as_deref(), expected, "{text:?}");
            }
        }

        proptest! {
            #[test]
            fn both_features_mean_the_same(text in "/[ -~é/.%2eE?]{0,24}") {
                if is_canonical(&text) {
                    let found = canonical(&text);
                    prop_assert_eq!(found.as_deref(), Some(text.as_str()));
                }
            }

            #[test]
            fn a_form_is_final(text in any::<String>(), tail in "/[ -~é/.%2eE?]{0,24}") {
                for text in [text, tail] {
                    if let Some(form) = canonical(&text) {
                        prop_assert!(form.starts_with('/'));
                        let again = canonical(&form);
                        prop_assert_eq!(again.as_deref(), Some(form.as_str()));
                    }
                }
            }
        }
    }
}
