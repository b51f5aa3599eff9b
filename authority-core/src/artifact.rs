//! Artifacts: what describes a child agent, and can only restrict it.

use std::borrow::Cow;

use crate::id::Id;
use crate::json::{self, DecodeError, DecodeRule, Reader, members};
use crate::policy::PolicyIntersectionError;
use crate::restriction::{BUDGETS_EXTENSION, Restriction, THREAD_POLICY_EXTENSION};
use crate::rule::Rule;
use crate::text;

/// The model that a thread uses: a selection within its authority, not part of it.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ModelRoute {
    /// The provider, which needs a credential.
    pub provider_id: Id<'static>,
    /// The provider's name of the model.
    pub model_id: String,
}

/// An artifact: an agent's id, perhaps a model, and restrictions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Artifact {
    /// The agent.
    pub id: Id<'static>,
    /// The model that the artifact names; `None` inherits the parent's.
    pub model: Option<ModelRoute>,
    restriction: Restriction,
    is_restricted: bool,
}

impl Artifact {
    /// An artifact that restricts nothing.
    pub fn new(id: Id<'static>) -> Self {
        Artifact {
            id,
            model: None,
            restriction: Restriction::INHERIT_ALL,
            is_restricted: false,
        }
    }

    /// The same artifact with this extension, as JSON text. Other extensions than those that
    /// restrict are other readers' business, and ignored.
    ///
    /// # Errors
    ///
    /// When the document does not decode, or when the name is a misspelt one of ours: a misspelt
    /// restriction must not inherit everything.
    pub fn with_extension(
        mut self,
        name: &str,
        json: &str,
    ) -> Result<Self, PolicyIntersectionError> {
        let extension = Extension::of(name).ok_or(PolicyIntersectionError::UnsupportedShape {
            section: "extensions",
            pointer: String::new(),
        })?;
        let (section, decoded) = match extension {
            Extension::ThreadPolicy => (THREAD_POLICY_EXTENSION, Restriction::from_json(json)),
            Extension::Budgets => (BUDGETS_EXTENSION, Restriction::from_budgets_json(json)),
            Extension::Other => return Ok(self),
        };
        let restriction = decoded.map_err(|error| PolicyIntersectionError::UnsupportedShape {
            section,
            pointer: error.pointer().to_owned(),
        })?;
        self.add(extension, restriction);
        Ok(self)
    }

    /// Decodes `{"id":…,"model":{…}|null,"extensions":{…}}`.
    ///
    /// # Errors
    ///
    /// The first error in document order, with its JSON Pointer.
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        json::decode(json, Artifact::decode)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut id = None;
        let mut model = None;
        let mut extensions = Artifact::new(Id("artifact".into()));
        reader.object(|reader, key| {
            match key {
                Key::Id => id = Some(reader.text::<Id<'_>>()?.into_owned()),
                Key::Model => model = reader.nullable(route)?,
                Key::Extensions => extensions.extensions(reader)?,
            }
            Ok(())
        })?;
        let id = id.ok_or_else(|| reader.error(DecodeRule::MissingKey("id")))?;
        Ok(Artifact {
            id,
            model,
            ..extensions
        })
    }

    fn extensions(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        reader.map(
            |name: Cow<'_, str>| {
                let nearest = Some(THREAD_POLICY_EXTENSION);
                Extension::of(&name).ok_or(DecodeRule::UnknownKey { nearest })
            },
            |reader, extension| {
                let restriction = match extension {
                    Extension::ThreadPolicy => Restriction::decode(reader)?,
                    Extension::Budgets => Restriction::decode_budgets(reader)?,
                    Extension::Other => return reader.skip(),
                };
                self.add(extension, restriction);
                Ok(())
            },
        )
    }

    /// Of numbers in both places the lower one holds.
    fn add(&mut self, extension: Extension, restriction: Restriction) {
        let settings = self.restriction.settings.tighter(&restriction.settings);
        if extension == Extension::ThreadPolicy {
            self.restriction = restriction;
            self.is_restricted = true;
        }
        self.restriction.settings = settings;
    }

    pub(crate) fn restriction(&self) -> &Restriction {
        &self.restriction
    }

    /// Whether the artifact has the extension [`THREAD_POLICY_EXTENSION`].
    pub fn is_restricted(&self) -> bool {
        self.is_restricted
    }
}

/// What an extension is to this reader.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Extension {
    ThreadPolicy,
    Budgets,
    Other,
}

impl Extension {
    /// `None` for an unknown name of our own namespace, or a misspelt one of ours.
    fn of(name: &str) -> Option<Self> {
        let plain = |name: &str| name.to_lowercase().replace(['.', '_', '-'], "");
        match name {
            THREAD_POLICY_EXTENSION => Some(Extension::ThreadPolicy),
            BUDGETS_EXTENSION => Some(Extension::Budgets),
            _ if name.starts_with("uar.") => None,
            _ if [THREAD_POLICY_EXTENSION, BUDGETS_EXTENSION]
                .iter()
                .any(|ours| plain(ours) == plain(name)) =>
            {
                None
            }
            _ => Some(Extension::Other),
        }
    }
}

members! {
    enum Key {
        Id "id",
        Model "model",
        Extensions "extensions",
    }
}

members! {
    enum RouteKey {
        ModelId "model_id",
        ProviderId "provider_id",
    }
}

fn route(reader: &mut Reader<'_>) -> Result<ModelRoute, DecodeError> {
    let mut provider = None;
    let mut model = None;
    reader.object(|reader, key| {
        match key {
            RouteKey::ProviderId => provider = Some(reader.text::<Id<'_>>()?.into_owned()),
            RouteKey::ModelId => {
                let start = reader.start();
                let name = reader.string()?;
                text::check("a model", &name, Rule::Id)
                    .map_err(|error| DecodeError::new(error.rule().into(), start))?;
                model = Some(name.into_owned());
            }
        }
        Ok(())
    })?;
    let missing = |key: &'static str| reader.error(DecodeRule::MissingKey(key));
    Ok(ModelRoute {
        provider_id: provider.ok_or_else(|| missing("provider_id"))?,
        model_id: model.ok_or_else(|| missing("model_id"))?,
    })
}
