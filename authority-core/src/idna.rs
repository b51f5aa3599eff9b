//! Internationalised host names: UTS 46 (non-transitional, STD 3 rules, no hyphen first or last,
//! bidirectional text checked) on the tables of the crate `idna_mapping`, and Punycode (RFC 3492).
//!
//! The crate `idna` does the same and more on ICU's data, which would be built for every host of the
//! macro. A test compares the two. Stricter here: joiners, which do not show, are refused.

use idna_mapping::Mapper;
use unicode_bidi::{BidiClass, bidi_class};
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

const PREFIX: &str = "xn--";

/// The name in ASCII: labels folded and mapped, those with other letters as A-labels. `None` for
/// what is no host name, but for lengths.
pub(crate) fn to_ascii(host: &str) -> Option<String> {
    if host.contains(is_joiner) {
        return None;
    }
    let mapped: String = Mapper::new(host.chars(), false).nfc().collect();
    let labels: Vec<String> = mapped
        .split('.')
        .map(to_unicode_label)
        .collect::<Option<_>>()?;
    if !is_bidi_valid(&labels) {
        return None;
    }
    let ascii: Vec<String> = labels
        .iter()
        .map(|label| to_ascii_label(label))
        .collect::<Option<_>>()?;
    Some(ascii.join("."))
}

/// Whether a lower-case ASCII name is one that [`to_ascii`] leaves alone.
pub(crate) fn is_ascii_form(host: &str) -> bool {
    let labels: Option<Vec<String>> = host.split('.').map(to_unicode_label).collect();
    labels.is_some_and(|labels| is_bidi_valid(&labels))
}

/// A mapped label in its Unicode form, if it is valid.
fn to_unicode_label(label: &str) -> Option<String> {
    if let Some(encoded) = label.strip_prefix(PREFIX) {
        let decoded = decode(encoded)?;
        let is_round_trip = !decoded.is_ascii() && encode(&decoded)? == encoded;
        return (is_round_trip && is_unicode_label(&decoded)).then_some(decoded);
    }
    is_unicode_label(label).then(|| label.to_owned())
}

fn to_ascii_label(label: &str) -> Option<String> {
    if label.is_ascii() {
        Some(label.to_owned())
    } else {
        Some(PREFIX.to_owned() + &encode(label)?)
    }
}

/// The validity criteria of UTS 46, section 4.1.
fn is_unicode_label(label: &str) -> bool {
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && (label.is_ascii() || is_nfc(label))
        && !label
            .starts_with(|first: char| first.general_category_group() == GeneralCategoryGroup::Mark)
        && label.chars().all(is_valid)
}

fn is_valid(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    }
    let mut mapped = Mapper::new(std::iter::once(character), true);
    !is_joiner(character) && mapped.next() == Some(character) && mapped.next().is_none()
}

fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// The bidi rule of RFC 5893, section 2: it holds for every label as soon as one runs right to left.
fn is_bidi_valid(labels: &[String]) -> bool {
    let runs_right_to_left = |character| {
        matches!(
            bidi_class(character),
            BidiClass::R | BidiClass::AL | BidiClass::AN
        )
    };
    !labels
        .iter()
        .any(|label| label.chars().any(runs_right_to_left))
        || labels.iter().all(|label| follows_bidi_rule(label))
}

fn follows_bidi_rule(label: &str) -> bool {
    use BidiClass::{AL, AN, BN, CS, EN, ES, ET, L, NSM, ON, R};
    let classes: Vec<_> = label.chars().map(bidi_class).collect();
    let last = classes.iter().rev().find(|class| **class != NSM);
    match classes.first() {
        Some(R | AL) => {
            classes
                .iter()
                .all(|class| matches!(class, R | AL | AN | EN | ES | CS | ET | ON | BN | NSM))
                && matches!(last, Some(R | AL | EN | AN))
                && !(classes.contains(&EN) && classes.contains(&AN))
        }
        Some(L) => {
            classes
                .iter()
                .all(|class| matches!(class, L | EN | ES | CS | ET | ON | BN | NSM))
                && matches!(last, Some(L | EN))
        }
        _ => false,
    }
}

// The parameters of RFC 3492, section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_N: u32 = 128;

fn decode(encoded: &str) -> Option<String> {
    let (basic, extended) = encoded.rsplit_once('-').unwrap_or(("", encoded));
    let mut output: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (INITIAL_N, 0_u32, INITIAL_BIAS);
    let mut digits = extended.bytes().peekable();
    while digits.peek().is_some() {
        let before = i;
        let mut weight = 1_u32;
        for k in (BASE..).step_by(BASE as usize) {
            let digit = digit_value(digits.next()?)?;
            i = i.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold(k, bias);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
        }
        let length = u32::try_from(output.len()).ok()? + 1;
        bias = adapt(i - before, length, before == 0);
        n = n.checked_add(i / length)?;
        i %= length;
        output.insert(i as usize, char::from_u32(n)?);
        i += 1;
    }
    Some(output.into_iter().collect())
}

fn encode(label: &str) -> Option<String> {
    let mut output: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(output.len()).ok()?;
    if basic > 0 {
        output.push('-');
    }
    let (mut n, mut delta, mut bias) = (INITIAL_N, 0_u32, INITIAL_BIAS);
    let mut handled = basic;
    let count = u32::try_from(label.chars().count()).ok()?;
    while handled < count {
        let next = label
            .chars()
            .map(u32::from)
            .filter(|code| *code >= n)
            .min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for code in label.chars().map(u32::from) {
            if code < n {
                delta = delta.checked_add(1)?;
            }
            if code == n {
                push_number(&mut output, delta, bias);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n += 1;
    }
    Some(output)
}

/// A generalised variable-length integer.
fn push_number(output: &mut String, number: u32, bias: u32) {
    let mut rest = number;
    for k in (BASE..).step_by(BASE as usize) {
        let threshold = threshold(k, bias);
        if rest < threshold {
            break;
        }
        output.push(digit(threshold + (rest - threshold) % (BASE - threshold)));
        rest = (rest - threshold) / (BASE - threshold);
    }
    output.push(digit(rest));
}

fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(T_MIN, T_MAX)
}

fn adapt(delta: u32, length: u32, is_first: bool) -> u32 {
    let mut delta = if is_first { delta / DAMP } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

/// Letters count before digits.
fn digit(value: u32) -> char {
    const DIGITS: [u8; 36] = *b"abcdefghijklmnopqrstuvwxyz0123456789";
    char::from(DIGITS[value as usize % DIGITS.len()])
}

fn digit_value(digit: u8) -> Option<u32> {
    match digit {
        b'a'..=b'z' => Some(u32::from(digit - b'a')),
        b'0'..=b'9' => Some(u32::from(digit - b'0') + 26),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the crate `idna` says, on the same settings.
    fn reference(host: &str) -> Option<String> {
        let ascii = idna::uts46::Uts46::new()
            .to_ascii(
                host.as_bytes(),
                idna::uts46::AsciiDenyList::STD3,
                idna::uts46::Hyphens::CheckFirstLast,
                idna::uts46::DnsLength::Ignore,
            )
            .ok()?
            .into_owned();
        // The crate lets empty labels pass where lengths are ignored.
        (!ascii.split('.').any(str::is_empty)).then_some(ascii)
    }

    /// The tables of `idna_mapping` are of Unicode 16, those of `idna` of a later version.
    fn is_newer_than_the_table(label: &str) -> bool {
        let decoded = label
            .strip_prefix(PREFIX)
            .and_then(decode)
            .unwrap_or_default();
        let is_disallowed =
            |character| Mapper::new(std::iter::once(character), true).next() == Some('\u{fffd}');
        decoded
            .chars()
            .any(|character| !character.is_ascii() && is_disallowed(character))
    }

    #[test]
    fn known_names() {
        for (host, ascii) in [
            ("example.com", Some("example.com")),
            ("EXAMPLE.com", Some("example.com")),
            ("bücher.example", Some("xn--bcher-kva.example")),
            ("BÜCHER.example", Some("xn--bcher-kva.example")),
            ("faß.example", Some("xn--fa-hia.example")),
            ("пример.example", Some("xn--e1afmkfd.example")),
            ("xn--bcher-kva.example", Some("xn--bcher-kva.example")),
            ("example。test", Some("example.test")),
            ("ｅxample.test", Some("example.test")),
            ("אבג.example", Some("xn--4dbcd.example")),
            ("xn--a.example", None),
            ("xn--.example", None),
            ("xn--bcher-kvb9.example", None),
            ("xn--example-.test", None),
            ("a\u{200d}b.example", None),
            ("\u{300}a.example", None),
            ("אa.example", None),
            ("אבג.1a", None),
            ("a..b", None),
            ("-a.example", None),
            ("r3---sn.example", Some("r3---sn.example")),
            ("a_b.example", None),
            ("", None),
        ] {
            assert_eq!(to_ascii(host).as_deref(), ascii, "{host:?}");
            if let Some(ascii) = ascii {
                assert!(is_ascii_form(ascii), "{ascii}");
                assert_eq!(reference(host).as_deref(), Some(ascii), "{host:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn agrees_with_idna(host in r"([a-zA-Z0-9äöüßÄéñçабвгАБαβγאבגاب١中日本あア。．ﬀ①İıK\u{300}\u{5bf}-]{1,8}\.?){1,3}") {
            prop_assert_eq!(to_ascii(&host), reference(&host));
        }

        #[test]
        fn agrees_with_idna_about_a_labels(label in "xn--[a-z0-9-]{0,12}") {
            let expected = reference(&label).as_deref() == Some(label.as_str());
            prop_assume!(!expected || !is_newer_than_the_table(&label));
            prop_assert_eq!(is_ascii_form(&label), expected);
        }

        #[test]
        fn punycode_round_trips(label in "[a-zäöабגあ中🦀-]{1,20}") {
            let encoded = encode(&label).unwrap();
            prop_assert_eq!(decode(&encoded).unwrap(), label);
        }

        #[test]
        fn nothing_panics(text in any::<String>()) {
            let _ = (to_ascii(&text), is_ascii_form(&text), decode(&text));
        }
    }
}
