//! Several modules in one call: visibility, `cfg`, lint levels, docs inside, names of children.
#![deny(warnings, missing_docs)]
#![deny(rustdoc::all)]

mod inner {
    use authority::authority;

    authority! {
        /// Seen in this crate only.
        #[allow(dead_code)]
        pub(crate) mod crate_wide {
            //! Docs inside.
            //!
            //! More of them, with `code`, [brackets] and a | bar.
            filesystem "ws" => read;
        }

        #[cfg(all())]
        pub(in crate::inner) mod twice {
            filesystem "here" => read;
        }

        #[cfg(any())]
        pub(in crate::inner) mod twice {
            filesystem "elsewhere" => read;
        }

        mod private {
            filesystem "ws" => read, write, execute;
            /// A [note] with a | bar, `code|span`, <tags> and https://example.com/a|b.
            github "acme/widgets" => read;
            /* Children whose ids are no identifiers. */
            child_agent "1st" => delegate { filesystem "ws" => read; }
            child_agent "type" => delegate { filesystem "ws" => write; }
            child_agent "a-b.c:d" => delegate {
                //! The docs of a block.
                filesystem "ws" => read, write;
                child_agent "1st" => delegate { filesystem "ws" => read; }
            }
        }
    }

    pub(crate) fn checks() {
        assert_eq!(private::_1st::CEILING.scopes().count(), 1);
        assert_eq!(private::r#type::CEILING.scopes().count(), 1);
        assert_eq!(private::a_b_c_d::CEILING.scopes().count(), 2);
        assert_eq!(private::PERMISSIONS.children().count(), 3);
        assert!(twice::PERMISSIONS.scopes().all(|scope| scope.to_string().contains("here")));
    }
}

fn main() {
    inner::checks();
    assert_eq!(inner::crate_wide::PERMISSIONS.scopes().count(), 1);
}
