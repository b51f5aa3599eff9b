//! Several modules in one call: visibility, `cfg`, lint levels, docs inside, names of children.
#![deny(warnings, missing_docs)]
#![deny(rustdoc::all)]

mod inner {
    use authority::operations::{child_agent, filesystem, github};
    use authority::{PermissionsBuilder, ThreadPermissions, authority};

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

    fn builder() -> PermissionsBuilder {
        ThreadPermissions::builder()
    }

    fn built_private() -> ThreadPermissions {
        let read = || builder().filesystem("ws", [filesystem::Read]);
        let written = builder().filesystem("ws", [filesystem::Write]);
        let both = builder()
            .filesystem("ws", [filesystem::Read, filesystem::Write])
            .child("1st", [child_agent::Delegate], read());
        let built = builder()
            .filesystem("ws", [filesystem::Read, filesystem::Write, filesystem::Execute])
            .github("acme/widgets", [github::Read])
            .child("1st", [child_agent::Delegate], read())
            .child("type", [child_agent::Delegate], written)
            .child("a-b.c:d", [child_agent::Delegate], both);
        built.build().expect("builds")
    }

    pub(crate) fn checks() {
        let built = built_private();
        assert_eq!(private::PERMISSIONS, built);
        assert_eq!(Some(&private::_1st::CEILING), built.child("1st"));
        assert_eq!(Some(&private::r#type::CEILING), built.child("type"));
        assert_eq!(Some(&private::a_b_c_d::CEILING), built.child("a-b.c:d"));
        let nested = built.child("a-b.c:d").and_then(|child| child.child("1st"));
        assert_eq!(Some(&private::a_b_c_d::_1st::CEILING), nested);
        let here = builder().filesystem("here", [filesystem::Read]).build().expect("builds");
        assert_eq!(twice::PERMISSIONS, here);
        let whole = builder().filesystem("ws", [filesystem::Read]).build().expect("builds");
        assert_eq!(crate_wide::PERMISSIONS, whole);
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
