//! What the tool notices beyond the errors of the grammar: the catalogue of its codes.

use crate::finding::{Finding, Place, Severity};

macro_rules! lints {
    ($( $Lint:ident $code:literal $severity:ident $title:literal $explanation:literal $help:literal; )*) => {
        /// A code of the tool's own. It is stable and never reused.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub(crate) enum Lint { $( $Lint, )* }

        impl Lint {
            pub(crate) const ALL: &'static [Lint] = &[ $( Lint::$Lint, )* ];

            pub(crate) const fn code(self) -> &'static str {
                match self { $( Lint::$Lint => $code, )* }
            }

            pub(crate) const fn severity(self) -> Severity {
                match self { $( Lint::$Lint => Severity::$severity, )* }
            }

            pub(crate) const fn title(self) -> &'static str {
                match self { $( Lint::$Lint => $title, )* }
            }

            pub(crate) const fn explanation(self) -> &'static str {
                match self { $( Lint::$Lint => $explanation, )* }
            }

            pub(crate) const fn help(self) -> &'static str {
                match self { $( Lint::$Lint => $help, )* }
            }
        }
    };
}

lints! {
    Unreadable "C0101" Error "a source file that cannot be read"
        "Every file that the modules of a crate lead to is read. What cannot be read, is not UTF-8 or does not parse may hold a declaration, so nothing is certain about it. The other files are read all the same."
        "mend the file; nothing in it was looked at";
    MissingModule "C0102" Warning "a module without a file"
        "A `mod name;` leads to no file where the language looks for it. A module under a `cfg`, and one among the tokens of a macro, may be missing."
        "add the file, or leave the `mod` away";
    HiddenDeclaration "C0103" Warning "a declaration inside a macro's rules"
        "A `macro_rules!` makes the declaration, from parts that only its caller knows. The compiler checks it, but this tool does not expand macros: it is in no list, lock or comparison. A macro that hands on all of its tokens, `($($t:tt)*) => { authority! { $($t)* } }`, is understood."
        "write the declaration out, or let the macro hand on all of its tokens";
    PathAlias "C0201" Warning "two paths that are one file on some systems"
        "Two paths of one binding differ only in letter case or in the Unicode form of a letter. Where file systems ignore that, both name one file, and what is granted on one of them is granted on the other."
        "use one spelling, or rename one of the files";
    MachineSpecific "C0202" Warning "an id or a host of one machine"
        "A binding is resolved by the host that runs the declaration. An id that spells a drive, a home directory or one computer, and a host of a private network, mean something else, or nothing, elsewhere."
        "name what it is for, and let the host bind the id";
    UnusedBinding "C0203" Warning "a binding that nothing uses"
        "Environment entries are given to processes, and the provider `github` to requests to repositories. Where there is neither, the entry grants nothing now, and something as soon as somebody adds a target."
        "leave the entry away until it is used";
    PatternInArgument "C0204" Warning "an argument that looks like a pattern"
        "Arguments of a subprocess are data: `*`, `?`, `~` and `$NAME` are characters of the argument, and no shell reads them."
        "write the arguments out, or leave this as it is if the program reads patterns itself";
    MutableRevision "C0205" Warning "a revision that can move, or that stands for nothing"
        "An argument such as `tool@latest` runs whatever stands behind the name on that day; a digest of zeros, or that of an empty file, is a placeholder and no revision."
        "name an immutable revision";
    UnnamedGrant "C0206" Warning "a delegable grant that no child and no code names"
        "An entry says `delegable` so that a child can be given just this. No child's block names it, and no other text in the sources does."
        "name it in a child's block, or leave the entry away";
}

impl Lint {
    /// The code with this name, in any letter case.
    pub(crate) fn from_code(code: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|lint| lint.code().eq_ignore_ascii_case(code))
    }

    pub(crate) fn at(self, place: Place) -> Finding {
        self.with_message(self.title().to_owned(), place)
    }

    pub(crate) fn with_message(self, message: String, place: Place) -> Finding {
        Finding {
            code: self.code(),
            severity: self.severity(),
            message,
            help: self.help().to_owned(),
            place,
        }
    }
}
