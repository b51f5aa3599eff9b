//! `explain CODE`: the long text of a code.

use authority_syntax::Code;

use crate::error::Error;
use crate::lint::Lint;
use crate::{Verdict, print};

pub(crate) fn run(code: &str) -> Result<Verdict, Error> {
    let text = match (Code::from_name(code), Lint::from_code(code)) {
        (Some(code), _) => authority_syntax::docs::error(code),
        (None, Some(lint)) => format!(
            "## {}: {}\n\n{}\n\nWhat to do: {}.\n",
            lint.code(),
            lint.title(),
            lint.explanation(),
            lint.help()
        ),
        (None, None) => {
            return Err(Error::Unknown {
                what: "code",
                word: code.to_owned(),
                known: ": codes are A0101 to A0603 for errors and C0101 to C0206 for what `check` notices"
                    .to_owned(),
            });
        }
    };
    print(&text)?;
    Ok(Verdict::Fine)
}
