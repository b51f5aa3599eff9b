//! The error codes: the only list of them. Messages, docs and tests read it.
//!
//! A code is stable and never reused. Its examples are entries of a root's body; a test checks that
//! the wrong one gives exactly this code, and the right one nothing.

use std::fmt;

macro_rules! codes {
    ($( $Code:ident $title:literal $explanation:literal $wrong:literal $right:literal; )*) => {
        /// The stable code of an error in a declaration.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Code { $( #[doc = $title] $Code, )* }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[ $( Code::$Code, )* ];

            /// The code itself, `A0201`.
            pub const fn name(self) -> &'static str {
                match self { $( Code::$Code => stringify!($Code), )* }
            }

            /// What is wrong, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $( Code::$Code => $title, )* }
            }

            /// What the rule is, why it exists, and what to do.
            pub const fn explanation(self) -> &'static str {
                match self { $( Code::$Code => $explanation, )* }
            }

            /// Entries that break the rule.
            pub fn wrong(self) -> String {
                match self { $( Code::$Code => with_long_text($wrong), )* }
            }

            /// Entries that keep it.
            pub const fn right(self) -> &'static str {
                match self { $( Code::$Code => $right, )* }
            }
        }
    };
}

impl Code {
    /// The code with this name, in any letter case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// `{4097}` in an example stands for as many letters.
fn with_long_text(example: &str) -> String {
    example.replace("{4097}", &"x".repeat(4097))
}

codes! {
    A0101 "unknown entry keyword"
        "Every entry begins with a keyword: one of the eight kinds of targets, or `credential`, `tool`, `environment`, `execution`, `budget`, `rate`, `limit`, `expect`. A word that is not known is never skipped, because an entry that is silently ignored grants or limits something else than its author thinks."
        r#"filesytem "ws" => read;"#
        r#"filesystem "ws" => read;"#;
    A0102 "expected `=>` and operations"
        "After its target an entry says with `=>` which operations it grants. There is no default set of operations."
        r#"filesystem "ws" read;"#
        r#"filesystem "ws" => read;"#;
    A0103 "expected `;`"
        "Every entry ends in `;`, the last one too, so that adding an entry below changes one line. Only a child's block needs none."
        r#"filesystem "ws" => read"#
        r#"filesystem "ws" => read;"#;
    A0104 "a declaration or ceiling without a target"
        "A declaration, and the block of each child, names at least one target. One that grants nothing is a mistake, and an agent without a block in a root would leave open what it may do."
        r#"filesystem "ws" => read; child_agent "reviewer" => delegate;"#
        r#"filesystem "ws" => read, list; child_agent "reviewer" => delegate { filesystem "ws" => read; }"#;
    A0105 "not a plain string literal"
        "What is granted must be readable where it is granted. So a text is a plain string in double quotes, whose only escape is `\\\"`: no raw or byte string, no other escape, no constant, no macro. Only the arguments of a subprocess may be raw and have escapes, because they are data."
        r#"filesystem r"ws" => read;"#
        r#"filesystem "ws" => read;"#;
    A0106 "a deny rule, exception or pattern"
        "A declaration holds exact grants and nothing else. What is not declared is denied, so there is nothing to deny, and no grant stands for several targets, so there is nothing to except. To make sure that something stays denied, write an expectation."
        r#"filesystem "ws" => read; deny filesystem "ws" / "secret.txt" => read;"#
        r#"filesystem "ws" => read; expect deny filesystem "ws" / "secret.txt" => write;"#;
    A0107 "an attribute that is not allowed here"
        "An entry takes doc comments only: under another attribute its checks and digests would depend on what the macro cannot see. A module takes doc comments, `cfg`, lint levels, `doc(hidden)` and `deprecated`."
        r#"filesystem "ws" => read; #[cfg(test)] github "acme/widgets" => read;"#
        r#"filesystem "ws" => read; /** Widgets. */ github "acme/widgets" => read;"#;
    A0108 "a part of the entry is missing"
        "An entry states everything that makes its target exact: a subprocess its arguments (`[]` for none) and its working directory, an integration its revision, a setting its value. Nothing is filled in."
        r#"filesystem "ws" => read; subprocess "git" ["status"] => execute;"#
        r#"filesystem "ws" => read; subprocess "git" ["status"] in "ws" => execute;"#;
    A0109 "an unknown word"
        "Settings, redirect policies, execution modes and the words after `credential`, `tool` and `expect` are fixed. The names of settings are those of the wire without `max_`."
        r#"filesystem "ws" => read; execution sandbox;"#
        r#"filesystem "ws" => read; execution sandboxed;"#;
    A0110 "another token is expected"
        "Operations are separated with `,`, entries with `;`, and a path or tool stands after `/`. The message says what is expected at the place."
        r#"filesystem "ws" => read | list;"#
        r#"filesystem "ws" => read, list;"#;
    A0111 "a malformed module, or entries beside modules"
        "A call of `authority!` holds either entries, and is an expression, or modules, and is items. A module is written `pub mod name { … }` with its entries in the braces."
        r#"filesystem "ws" => read; pub mod inner { }"#
        r#"filesystem "ws" => read;"#;
    A0201 "a wildcard"
        "A target is exact. `*` and `?` would grant what nobody has looked at: files that do not exist yet, hosts that somebody else registers, tools that a server adds tomorrow. Name each target, or have the host bind a directory to an id of its own. In the arguments of a subprocess `*` is a character like any other."
        r#"filesystem "ws" / "src/*.rs" => read;"#
        r#"filesystem "ws" / "src/lib.rs" => read;"#;
    A0202 "a path prefix, an absolute path, or a segment that is none"
        "A path names exactly one file or directory below its binding, by segments joined with single `/`. A trailing `/` would look like a prefix, an absolute path like one of this machine, and `.` and `..` make two spellings of one path. To grant a whole directory, bind it to an id."
        r#"filesystem "ws" / "src/" => read;"#
        r#"filesystem "ws" / "src/lib.rs" => read;"#;
    A0203 "a control, bidirectional or invisible character"
        "A reader of a declaration must see what it grants. Characters that do not show, or that turn the reading direction, make two names that look the same."
        "filesystem \"w\u{200b}s\" => read;"
        r#"filesystem "ws" => read;"#;
    A0204 "not the canonical spelling"
        "Each target has one spelling, so that searching, comparing, hashing and deciding agree. A declaration in another spelling is refused and not repaired; the message offers the canonical one. Requests at run time may differ in what the model lists: letter case of hosts and repositories, default ports, Unicode host names."
        r#"github "Rust-Lang/Cargo" => read;"#
        r#"github "rust-lang/cargo" => read;"#;
    A0205 "a malformed id"
        "An id names something that the host resolves: a directory, an executable, a server, a credential. It is made of ASCII letters, digits and `.` `_` `:` `-`, begins with a letter or digit, and has at most 128 characters. Paths and addresses are the host's business."
        r#"filesystem "my workspace" => read;"#
        r#"filesystem "my-workspace" => read;"#;
    A0206 "a malformed path"
        "A path must mean the same on every system: no `\\`, no `:` (a drive, or a hidden stream), no segment that ends in a dot or space (some systems drop it), no device name of Windows."
        r#"filesystem "ws" / "notes.txt:secret" => read;"#
        r#"filesystem "ws" / "notes.txt" => read;"#;
    A0207 "a malformed host"
        "A host is a DNS name in lower-case ASCII, an IPv4 address of four decimals, or an IPv6 address as in RFC 5952. Numbers and short forms in place of an IPv4 address, IPv4-mapped IPv6 addresses, zones and user information are other names for a place that a reader would not recognise."
        r#"network "https://2130706433:443" => connect;"#
        r#"network "https://127.0.0.1:443" => connect;"#;
    A0208 "a port that is missing or invalid"
        "The port of a network endpoint is always written, from 1 to 65535 without a leading zero: an endpoint without one would mean any port to some readers and the default one to others."
        r#"network "https://api.example.com" => request.safe;"#
        r#"network "https://api.example.com:443" => request.safe;"#;
    A0209 "an unknown protocol"
        "The protocols are `https`, `http`, `wss`, `ws`, `ssh`, `tcp` and `udp`. Another protocol over TCP is declared as what it is for the network: `tcp` with its host and port."
        r#"network "postgres://db.internal:5432" => connect;"#
        r#"network "tcp://db.internal:5432" => connect;"#;
    A0210 "a malformed repository"
        "A repository is exactly `owner/name` on github.com, as GitHub allows them, in lower case: no URL, no `.git`, no branch."
        r#"github "https://github.com/acme/widgets" => read;"#
        r#"github "acme/widgets" => read;"#;
    A0211 "a malformed origin"
        "A browser origin is scheme, host and, unless it is the default, port. It has no path, query or fragment. Unencrypted `http` is for the local host only, and an opaque origin such as `null` has no rights."
        r#"browser "https://docs.rs/serde" => read;"#
        r#"browser "https://docs.rs" => read;"#;
    A0212 "a malformed digest"
        "An integration is granted at one immutable revision, `sha256:` and 64 lower-case hexadecimal digits. A tag, branch or version can be moved to other code."
        r#"integration "tracker" @ "v45" => invoke;"#
        r#"integration "tracker" @ "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" => invoke;"#;
    A0213 "a home directory or variable reference"
        "Nothing expands `~`, `$HOME`, `${HOME}` or `%USERPROFILE%`: taken literally the path would match nothing, and expanded it would mean another place on every machine. Bind the directory to an id in the host."
        r#"filesystem "ws" / "$HOME/notes.md" => read;"#
        r#"filesystem "home" / "notes.md" => read;"#;
    A0214 "letters of two scripts in one run"
        "Some Latin, Cyrillic and Greek letters look the same. A run of letters that mixes these scripts is a name that deceives its reader. A whole word in one script is fine, beside one in another script too."
        "filesystem \"ws\" / \"src/\u{430}pp.rs\" => read;"
        r#"filesystem "ws" / "src/app.rs" => read;"#;
    A0215 "an argument that is too long, or one too many"
        "A run has at most 1,024 arguments of at most 4,096 bytes each. Longer data belongs in a file or on standard input."
        r#"filesystem "ws" => read; subprocess "git" ["{4097}"] in "ws" => execute;"#
        r#"filesystem "ws" => read; subprocess "git" ["status"] in "ws" => execute;"#;
    A0301 "an empty set of operations"
        "An entry names at least one operation. An empty list has meant both nothing and everything in other systems."
        r#"filesystem "ws" => ;"#
        r#"filesystem "ws" => read;"#;
    A0302 "an unknown operation"
        "The operations of each kind are fixed. The message offers those that were probably meant."
        r#"filesystem "ws" => raed;"#
        r#"filesystem "ws" => read;"#;
    A0303 "an operation of another kind or level"
        "An operation belongs to a kind: `execute` of a file is not `execute` of a subprocess. The server and the tools of `mcp` are two levels with operations of their own. HTTP requests exist on `http` and `https` only, not on raw protocols."
        r#"mcp "docs" => call; credential mcp "docs" = none;"#
        r#"mcp "docs" / "search" => call; credential mcp "docs" = none;"#;
    A0304 "an operation named twice"
        "An operation stands once in an entry, so that taking it away is a change of one place."
        r#"filesystem "ws" => read, write, read;"#
        r#"filesystem "ws" => read, write;"#;
    A0401 "a target declared twice"
        "A target stands once in a body, with all its operations: two entries would let a reader who finds the first miss the second."
        r#"filesystem "ws" => read; filesystem "ws" => write;"#
        r#"filesystem "ws" => read, write;"#;
    A0402 "ids that differ only in case"
        "Ids are case-sensitive, and two of one namespace that differ only in case are an alias waiting to happen. This holds for the whole declaration, its blocks too."
        r#"filesystem "ws" => read; filesystem "WS" => write;"#
        r#"filesystem "ws" => read; filesystem "scratch" => write;"#;
    A0403 "a reference to something that is not declared"
        "The working directory of a subprocess is a binding that a filesystem entry of the same body names, or it could not be mounted. An MCP server has a credential entry (`= none` says that it needs none), or it would be unusable. A tool is bound to a declared MCP tool."
        r#"github "acme/widgets" => read; subprocess "git" ["status"] in "ws" => execute;"#
        r#"filesystem "ws" => read; subprocess "git" ["status"] in "ws" => execute;"#;
    A0404 "two bindings for one credential target"
        "A provider or server has one credential entry. With two, nobody could say which credential is used."
        r#"filesystem "ws" => read; credential provider "x" = "one"; credential provider "x" = "two";"#
        r#"filesystem "ws" => read; credential provider "x" = "one";"#;
    A0405 "an entry that limits nothing"
        "`none` drops what a child would inherit: beside named entries, or in a root, it says nothing. A credential of an MCP server for which no target stands looks like a limit and is none."
        r#"filesystem "ws" => read; credential mcp "github" = "gh-prod";"#
        r#"mcp "github" => start; credential mcp "github" = "gh-prod";"#;
    A0406 "a setting given twice"
        "A setting, the execution mode, a tool id and an environment entry stand once in a body. Nothing decides between two values."
        r#"filesystem "ws" => read; budget tokens_per_turn = 1; budget tokens_per_turn = 2;"#
        r#"filesystem "ws" => read; budget tokens_per_turn = 1; budget timeout_seconds = 2;"#;
    A0407 "a tool whose MCP tool is not granted `call`"
        "A tool id that is bound to an MCP tool is there to be called. Without `call` on that target a model would see a tool that is always denied."
        r#"mcp "docs" / "search" => inspect; credential mcp "docs" = none; tool "search" = mcp "docs" / "search";"#
        r#"mcp "docs" / "search" => call; credential mcp "docs" = none; tool "search" = mcp "docs" / "search";"#;
    A0408 "a path that its binding grants already"
        "A path under a whole binding that grants its operations already adds nothing, and takes nothing away, although a reader would think so. Declared so that a child can be given just this path, it says `delegable`; and `delegable` where nothing covers the path says nothing."
        r#"filesystem "ws" => read; filesystem "ws" / "Cargo.toml" => read;"#
        r#"filesystem "ws" => read; filesystem "ws" / "Cargo.toml" delegable => read;"#;
    A0501 "a child's target that the parent does not hold"
        "A child gets targets that are identical to ones of its parent. A path under a whole binding is another target than the binding: declare it `delegable` in the parent."
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" / "Cargo.toml" => read; }"#
        r#"filesystem "ws" => read, list; filesystem "ws" / "Cargo.toml" delegable => read; child_agent "a" => delegate { filesystem "ws" / "Cargo.toml" => read; }"#;
    A0502 "a child's operation that the parent does not hold"
        "The operations of a child's scope are a subset of those that the parent holds on the same target. A child is only ever narrower."
        r#"filesystem "ws" => read; child_agent "a" => delegate { filesystem "ws" => read, write; }"#
        r#"filesystem "ws" => read, write; child_agent "a" => delegate { filesystem "ws" => read; }"#;
    A0503 "a child's limit above the parent's"
        "Budgets, rates and limits of a child are charged to its parents too, so a number above the parent's promises what cannot be had."
        r#"filesystem "ws" => read, list; budget tokens_per_turn = 1; child_agent "a" => delegate { filesystem "ws" => read; budget tokens_per_turn = 2; }"#
        r#"filesystem "ws" => read, list; budget tokens_per_turn = 2; child_agent "a" => delegate { filesystem "ws" => read; budget tokens_per_turn = 1; }"#;
    A0504 "an expectation that is not met"
        "`expect allow` and `expect deny` are decided while compiling, by the code that decides at run time. One that fails says that the declaration does not mean what its author thinks. The binding's own directory can be looked at and never written, deleted or executed."
        r#"filesystem "ws" => read; expect allow filesystem "ws" / "src/lib.rs" => write;"#
        r#"filesystem "ws" => read; expect deny filesystem "ws" / "src/lib.rs" => write;"#;
    A0505 "a child's name or target that collides"
        "Each child with a block becomes a module, so two ids may not become one name, and `self`, `super`, `crate` and `Self` are reserved. A child's own child has a target of its own: one that its parent holds already is handed on without a block."
        r#"filesystem "ws" => read, list; child_agent "a-b" => delegate { filesystem "ws" => read; } child_agent "a.b" => delegate { filesystem "ws" => list; }"#
        r#"filesystem "ws" => read, list; child_agent "a-b" => delegate { filesystem "ws" => read; } child_agent "c" => delegate { filesystem "ws" => list; }"#;
    A0506 "a child's execution mode weaker than the parent's"
        "From weakest to strictest the modes are `direct`, `auto` and `sandboxed`. A child inherits its parent's mode and may only be stricter."
        r#"filesystem "ws" => read, list; child_agent "a" => delegate { filesystem "ws" => read; execution direct; }"#
        r#"filesystem "ws" => read, list; execution direct; child_agent "a" => delegate { filesystem "ws" => read; execution sandboxed; }"#;
    A0507 "a child's credential, tool or environment entry that the parent does not hold"
        "A child inherits its parent's bindings, or names some of them. One that the parent does not hold identically would be new authority."
        r#"filesystem "ws" => read, list; child_agent "a" => delegate { filesystem "ws" => read; environment "CI"; }"#
        r#"filesystem "ws" => read, list; environment "CI"; child_agent "a" => delegate { filesystem "ws" => read; environment "CI"; }"#;
    A0601 "a number out of range, or negative"
        "Counts are whole numbers from 0; zero is a real limit, and a setting that is left away is unbounded."
        r#"filesystem "ws" => read; limit agents = -1;"#
        r#"filesystem "ws" => read; limit agents = 1;"#;
    A0602 "money with more than six decimals"
        "Money is kept as whole millionths of a US dollar and never as a float, so that sums are exact."
        r#"filesystem "ws" => read; budget cost_per_session_usd = 0.0000001;"#
        r#"filesystem "ws" => read; budget cost_per_session_usd = 0.000001;"#;
    A0603 "not a number"
        "A setting takes a number in digits, with `_` between them if you like: no quotes, no unit, no exponent, no constant."
        r#"filesystem "ws" => read; budget tokens_per_turn = "8000";"#
        r#"filesystem "ws" => read; budget tokens_per_turn = 8_000;"#;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Form;

    fn codes_of(entries: &str) -> Vec<Code> {
        let parsed = crate::parse(entries.parse().expect("it lexes"));
        assert!(parsed.diagnostics.is_empty());
        let Form::Body(body) = parsed.form else {
            panic!("entries")
        };
        crate::check(&body)
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect()
    }

    #[test]
    fn examples_do_what_they_say() {
        for code in Code::ALL {
            assert_eq!(codes_of(&code.wrong()), [*code], "{}", code.wrong());
            assert_eq!(codes_of(code.right()), [], "{}", code.right());
        }
    }

    #[test]
    fn texts_and_names() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert!(names.is_sorted());
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(!code.title().is_empty() && !code.title().ends_with('.'));
            assert!(code.explanation().ends_with('.'));
            assert_eq!(Code::from_name(&code.name().to_lowercase()), Some(*code));
        }
        assert_eq!(Code::from_name("A9999"), None);
    }
}
