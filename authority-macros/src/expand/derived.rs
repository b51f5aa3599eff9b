//! What is computed from the names: digests, bindings, numbers, and the constructor calls.

use std::collections::HashSet;

use authority_core::draft::module_name;
use authority_core::vocabulary::Setting;
use authority_core::{
    ChildCeiling, CredentialTarget, Declaration, Digest, ThreadPermissions, ToolBinding,
};
use authority_syntax::docs;
use authority_syntax::tree::{Body, Content, Scope};
use proc_macro2::{Ident, Literal, TokenStream};

use crate::expand::own;

/// The statics of a root and its children, and the root by value.
pub(super) fn expression(facade: &TokenStream, permissions: &ThreadPermissions) -> TokenStream {
    let mut derived = Derived { facade, bodies: 0 };
    let mut statics = TokenStream::new();
    let root = derived.flat(permissions.declaration(), &mut statics);
    tokens! { #statics #root.permissions() }
}

/// The items of a root's module: `PERMISSIONS`, the digests, and a module for each child.
pub(super) fn items(facade: &TokenStream, permissions: &ThreadPermissions) -> TokenStream {
    let mut derived = Derived { facade, bodies: 0 };
    let root = permissions.declaration();
    let (statics, body, children) = derived.body(root);
    let digests = digests(facade, root.ceiling_sha256(), root.declaration_sha256());
    tokens! {
        #statics
        /// The declared root authority.
        pub static PERMISSIONS: #facade::ThreadPermissions = #body.permissions();
        #digests
        #children
    }
}

/// In place of a root with an error: authority over nothing.
pub(super) fn denied_root(facade: &TokenStream) -> TokenStream {
    tokens! { #facade::__private::BodyV1::DENIED.permissions() }
}

/// In place of the items of a module with an error: the same names, authority over nothing.
pub(super) fn denied_items(facade: &TokenStream, body: &Body) -> TokenStream {
    let root = denied_root(facade);
    let digests = denied_digests(facade);
    let children = denied_children(facade, body);
    tokens! {
        /// Nothing: the declaration has an error.
        pub static PERMISSIONS: #facade::ThreadPermissions = #root;
        #digests
        #children
    }
}

fn denied_digests(facade: &TokenStream) -> TokenStream {
    let zero = Digest::from_bytes([0; 32]);
    digests(facade, zero, zero)
}

fn denied_children(facade: &TokenStream, body: &Body) -> TokenStream {
    let mut seen = HashSet::new();
    let blocks = body
        .entries
        .iter()
        .filter_map(|entry| match &entry.content {
            Content::Scope(Scope {
                first: Some(agent),
                block: Some(block),
                ..
            }) => Some((module_name(agent.value.as_deref()?)?, block)),
            _ => None,
        });
    let modules = blocks.filter(|(name, _)| is_identifier(name) && seen.insert(name.clone())).map(|(name, block)| {
        let name = own(&name);
        let digests = denied_digests(facade);
        let children = denied_children(facade, block);
        tokens! {
            /// A child of a declaration with an error.
            pub mod #name {
                /// Nothing: the declaration has an error.
                pub static CEILING: #facade::ChildCeiling = #facade::__private::BodyV1::DENIED.ceiling();
                #digests
                #children
            }
        }
    });
    modules.collect()
}

/// An agent's id may have an error of its own.
fn is_identifier(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|rest| rest.is_ascii_alphanumeric() || rest == '_')
}

fn digests(facade: &TokenStream, ceiling: Digest, declaration: Digest) -> TokenStream {
    let [ceiling, declaration] =
        [ceiling, declaration].map(|digest| Literal::byte_string(digest.as_bytes()));
    tokens! {
        /// Digest of the ceiling: the scopes without the `child_agent` ones, which carry it.
        pub const CEILING_SHA256: #facade::Digest = #facade::__private::digest(#ceiling);
        /// Digest of everything that a reviewer reads.
        pub const DECLARATION_SHA256: #facade::Digest = #facade::__private::digest(#declaration);
    }
}

struct Derived<'a> {
    facade: &'a TokenStream,
    /// Bodies so far: their tables are numbered in source order.
    bodies: usize,
}

impl Derived<'_> {
    /// The constructor of a body, with the statics that it and its children need in `statics`.
    fn flat(&mut self, body: &Declaration, statics: &mut TokenStream) -> TokenStream {
        let facade = self.facade;
        let number = self.next();
        let children: Vec<_> = body
            .children()
            .map(|(agent, ceiling)| {
                let name = own(&format!("P{}", self.bodies));
                let child = self.flat(ceiling.declaration(), statics);
                statics.extend(tokens! { static #name: #facade::ChildCeiling = #child.ceiling(); });
                (agent.to_string(), tokens! { #name })
            })
            .collect();
        let (own_statics, constructor) = self.constructor(body, number, &children);
        statics.extend(own_statics);
        constructor
    }

    /// The statics, the constructor and the children's modules of a body.
    fn body(&mut self, body: &Declaration) -> (TokenStream, TokenStream, TokenStream) {
        let number = self.next();
        let mut modules = TokenStream::new();
        let children: Vec<_> = body
            .children()
            .map(|(agent, ceiling)| {
                let name = own(&module_name(agent.as_str()).unwrap_or_default());
                modules.extend(self.child(&name, ceiling, body));
                (agent.to_string(), tokens! { #name::CEILING })
            })
            .collect();
        let (statics, constructor) = self.constructor(body, number, &children);
        (statics, constructor, modules)
    }

    fn child(&mut self, name: &Ident, ceiling: &ChildCeiling, parent: &Declaration) -> TokenStream {
        let facade = self.facade;
        let (statics, body, children) = self.body(ceiling.declaration());
        let doc = docs::child(ceiling, parent);
        let digests = digests(
            facade,
            ceiling.ceiling_sha256(),
            ceiling.declaration_sha256(),
        );
        tokens! {
            #[doc = #doc]
            pub mod #name {
                #statics
                /// The declared ceiling of the child.
                pub static CEILING: #facade::ChildCeiling = #body.ceiling();
                #digests
                #children
            }
        }
    }

    fn next(&mut self) -> usize {
        self.bodies += 1;
        self.bodies - 1
    }

    /// The constructor call of a body, and the statics of its lists.
    fn constructor(
        &self,
        body: &Declaration,
        number: usize,
        children: &[(String, TokenStream)],
    ) -> (TokenStream, TokenStream) {
        let facade = self.facade;
        let private = tokens! { #facade::__private };
        let mut statics = TokenStream::new();
        let credentials = body.credentials().map(|credentials| {
            credentials.map(|grant| {
                let (function, id) = match &grant.target {
                    CredentialTarget::Provider(id) => (own("provider"), id.as_str()),
                    CredentialTarget::McpServer(id) => (own("server"), id.as_str()),
                };
                let binding = self.optional(grant.binding.as_ref().map(|binding| {
                    let binding = binding.as_str();
                    tokens! { #binding }
                }));
                tokens! { #private::#function(#id, #binding) }
            })
        });
        let credentials = self.list(
            &mut statics,
            &format!("C{number}"),
            &tokens! { CredentialGrant },
            credentials,
        );
        let tools = body.tools().map(|tools| {
            tools.map(|grant| {
                let id = grant.id.as_str();
                match &grant.binding {
                    ToolBinding::Native => tokens! { #private::native(#id) },
                    ToolBinding::Mcp(binding) => {
                        let (server, tool) = (binding.server.as_str(), binding.tool.as_str());
                        tokens! { #private::tool(#id, #server, #tool) }
                    }
                }
            })
        });
        let tools = self.list(
            &mut statics,
            &format!("K{number}"),
            &tokens! { ToolGrant },
            tools,
        );
        let environment = body.environment().map(|environment| {
            environment.map(|id| {
                let id = id.as_str();
                tokens! { #private::id_of(#id) }
            })
        });
        let environment = self.list(
            &mut statics,
            &format!("E{number}"),
            &tokens! { Id<'static> },
            environment,
        );
        let children = children
            .iter()
            .map(|(agent, ceiling)| tokens! { #private::child(#agent, &#ceiling) });
        let children: Vec<_> = children.collect();
        let children = if children.is_empty() {
            tokens! { &[] }
        } else {
            let name = own(&format!("B{number}"));
            statics.extend(tokens! {
                static #name: &[#private::DeclaredChild] = &[#(#children),*];
            });
            tokens! { #name }
        };
        let mode = self.optional(body.execution_mode().map(|mode| {
            let mode = own(&format!("{mode:?}"));
            tokens! { #private::Mode::#mode }
        }));
        let settings = Setting::ALL.iter().filter_map(|setting| {
            let value = Literal::u64_unsuffixed(body.settings().value(*setting)?);
            let setting = own(&format!("{setting:?}"));
            Some(tokens! { .with(#private::Setting::#setting, #value) })
        });
        let bytes = Literal::byte_string(body.derived_bytes());
        let texts = body.texts();
        let constructor = tokens! {
            #private::BodyV1 {
                derived: #bytes,
                texts: #texts,
                file: #private::file!(),
                credentials: #credentials,
                tools: #tools,
                environment: #environment,
                execution_mode: #mode,
                settings: #facade::Settings::UNBOUNDED #(#settings)*,
                children: #children,
            }
        };
        (statics, constructor)
    }

    /// A list of a body in a static of its own, or nothing where it is inherited.
    fn list(
        &self,
        statics: &mut TokenStream,
        name: &str,
        item: &TokenStream,
        items: Option<impl Iterator<Item = TokenStream>>,
    ) -> TokenStream {
        let facade = self.facade;
        let name = own(name);
        self.optional(items.map(|items| {
            let items: Vec<_> = items.collect();
            if items.is_empty() {
                return tokens! { &[] };
            }
            statics.extend(tokens! { static #name: &[#facade::#item] = &[#(#items),*]; });
            tokens! { #name }
        }))
    }

    fn optional(&self, value: Option<TokenStream>) -> TokenStream {
        let facade = self.facade;
        match value {
            Some(value) => tokens! { #facade::__private::Some(#value) },
            None => tokens! { #facade::__private::None },
        }
    }
}
