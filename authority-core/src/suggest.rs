//! The known name that a misspelt word is nearest to.

/// The candidate nearest to `word`, if one is near: equal but for case, `-` and `_`, or with at
/// most a third as many typing errors as `word` has letters. The first of several equally near.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    near(word, candidates)
        .min_by_key(|&(errors, _)| errors)
        .map(|(_, candidate)| candidate)
}

/// Every candidate near to `word`, the nearest first.
pub fn nearest_many<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let mut found: Vec<_> = near(word, candidates).collect();
    found.sort_by_key(|&(errors, _)| errors);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Longer words are not compared: no name is as long.
const LONGEST: usize = 128;

fn near<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> impl Iterator<Item = (usize, &'c str)> {
    let word = normal(word);
    let most = (word.len().max(3) / 3).min(word.len().saturating_sub(1));
    candidates.into_iter().filter_map(move |candidate| {
        let errors = typing_errors(&word, &normal(candidate));
        (word.len() <= LONGEST && errors <= most).then_some((errors, candidate))
    })
}

fn normal(word: &str) -> Vec<char> {
    word.chars()
        .filter(|character| !matches!(character, '-' | '_'))
        .map(|character| character.to_ascii_lowercase())
        .take(LONGEST + 1)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours between two words
/// (Damerau-Levenshtein distance, each letter being changed at most once).
fn typing_errors(left: &[char], right: &[char]) -> usize {
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, &letter) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, &other) in right.iter().enumerate() {
            let mut errors = (above[column] + usize::from(letter != other))
                .min(above[column + 1] + 1)
                .min(current[column] + 1);
            if row > 0 && column > 0 && letter == right[column - 1] && left[row - 1] == other {
                let swapped: &Vec<usize> = &before;
                errors = errors.min(swapped[column - 1] + 1);
            }
            current.push(errors);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (left, right, errors) in [
            ("", "", 0),
            ("", "abc", 3),
            ("scpoes", "scopes", 1),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("abc", "ca", 3),
        ] {
            assert_eq!(
                typing_errors(&normal(left), &normal(right)),
                errors,
                "{left} {right}"
            );
            assert_eq!(
                typing_errors(&normal(right), &normal(left)),
                errors,
                "{right} {left}"
            );
        }
    }

    #[test]
    fn nearest_names() {
        let names = ["read", "write", "pull_request.write", "scopes"];
        for (word, name) in [
            ("raed", Some("read")),
            ("Write", Some("write")),
            ("pull-request.write", Some("pull_request.write")),
            ("scpoes", Some("scopes")),
            ("scope", Some("scopes")),
            ("delete", None),
            ("", None),
            ("r", None),
            ("-", None),
        ] {
            assert_eq!(nearest(word, names), name, "{word}");
        }
        assert_eq!(
            nearest_many("rread", ["bread", "read", "other"]),
            ["bread", "read"]
        );
        assert_eq!(nearest(&"a".repeat(100_000), ["a"]), None);
    }
}
