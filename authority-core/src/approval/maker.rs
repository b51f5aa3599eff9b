//! Where the parts of a preview come from: the request, the thread's policy, or the effect.

use std::borrow::Cow;

use crate::approval::coverage::{AdvisoryField, Coverage, EffectField};
use crate::approval::effect::{Effect, Part};
use crate::approval::preview_error::PreviewError;
use crate::approval::value::Value;
use crate::approval::{http, path};
use crate::bindings::{BindingRevisions, RequiredBinding};
use crate::credential::{CredentialGrant, CredentialTarget};
use crate::policy::ThreadPolicy;
use crate::request::Request;
use crate::target::{FilesystemTarget, Target, digest_of_arguments};
use crate::vocabulary::{Protocol, operations};

/// Takes each value from the request, the policy or the effect.
pub(super) struct Maker<'m> {
    pub(super) policy: &'m ThreadPolicy,
    pub(super) request: &'m Request<'m>,
    pub(super) effect: &'m Effect<'m>,
}

impl Maker<'_> {
    /// The value of a field, checked.
    pub(super) fn value(&self, field: EffectField) -> Result<Value, PreviewError> {
        let missing = PreviewError::Missing { field };
        let request = self.request;
        match field {
            EffectField::OwnDirectory => {
                let is_own = matches!(
                    request.target(),
                    Target::Filesystem(FilesystemTarget { path: None, .. })
                );
                Ok(Value::Flag(is_own))
            }
            EffectField::Argv => {
                let arguments = request.arguments().ok_or(missing)?;
                let arguments: Vec<_> = arguments.map(str::to_owned).collect();
                let digest = digest_of_arguments(&arguments);
                Ok(Value::Arguments(arguments, digest))
            }
            EffectField::Cwd => {
                let directory = request.working_directory().ok_or(missing)?;
                Ok(Value::Directory(directory.clone().into_owned()))
            }
            EffectField::Environment => {
                Ok(Value::Ids(self.policy.environment().cloned().collect()))
            }
            EffectField::Thread => {
                let thread = request.thread().ok_or(missing)?;
                Ok(Value::Ids(vec![thread.clone().into_owned()]))
            }
            EffectField::File => {
                let file = request.file().ok_or(missing)?;
                Ok(Value::File(file.clone().into_owned()))
            }
            EffectField::PathAndQuery => self.path(),
            EffectField::HeadersSha256 => self.headers(),
            EffectField::Method => self.method(),
            EffectField::Operands => self.operands(),
            EffectField::CeilingDeclarationSha256 => self.ceiling(),
            _ => self.given(field).cloned(),
        }
    }

    fn given(&self, field: EffectField) -> Result<&Value, PreviewError> {
        match self.effect.part(field) {
            Some(Part::Value(value)) => Ok(value),
            _ => Err(PreviewError::Missing { field }),
        }
    }

    /// A path stands in the request's URL, in the effect, or in both alike.
    fn path(&self) -> Result<Value, PreviewError> {
        let field = EffectField::PathAndQuery;
        let in_url = self.request.url().and_then(path::of_url);
        if let Some(Part::Value(Value::None)) = self.effect.part(field) {
            return if self.is_web_socket() {
                Err(PreviewError::Missing { field })
            } else if in_url.is_some_and(|path| path != "/") {
                Err(PreviewError::Conflict { field })
            } else {
                Ok(Value::None)
            };
        }
        let in_effect = match self.effect.part(field) {
            Some(Part::Path(path)) => {
                let path = path::canonical(path).ok_or(PreviewError::Malformed { field })?;
                Some(Cow::Owned(path))
            }
            _ => None,
        };
        match (in_url, in_effect) {
            (Some(in_url), Some(in_effect)) if in_url != in_effect => {
                Err(PreviewError::Conflict { field })
            }
            (Some(path), _) => Ok(Value::shown(path.to_owned())),
            (None, Some(path)) => Ok(Value::shown(path.into_owned())),
            (None, None) => Err(PreviewError::Missing { field }),
        }
    }

    fn headers(&self) -> Result<Value, PreviewError> {
        let field = EffectField::HeadersSha256;
        let (Some(Part::Headers(headers)), Target::Network(target)) =
            (self.effect.part(field), self.request.target())
        else {
            return self.given(field).cloned();
        };
        let is_connect = self.request.operation() == operations::network::Connect.into();
        if is_connect && !self.is_web_socket() {
            return Err(PreviewError::OtherEffect);
        }
        http::headers_sha256(headers, &target.endpoint, self.body_bytes())
            .map(Value::Digest)
            .ok_or(PreviewError::Malformed { field })
    }

    fn method(&self) -> Result<Value, PreviewError> {
        let field = EffectField::Method;
        let Value::Text(method) = self.given(field)? else {
            return Err(PreviewError::Missing { field });
        };
        if !http::is_method(method) {
            return Err(PreviewError::Malformed { field });
        }
        let headers = match self.effect.part(EffectField::HeadersSha256) {
            Some(Part::Headers(headers)) => headers,
            _ => [].as_slice(),
        };
        let is_safe = http::is_safe(method, self.body_bytes(), headers);
        if is_safe == (self.request.operation() == operations::network::RequestSafe.into()) {
            Ok(Value::Text(method.clone()))
        } else {
            Err(PreviewError::OtherEffect)
        }
    }

    fn body_bytes(&self) -> u64 {
        match self.given(EffectField::BodyBytes) {
            Ok(Value::Number(bytes)) => *bytes,
            _ => 0,
        }
    }

    fn is_web_socket(&self) -> bool {
        match self.request.target() {
            Target::Network(target) => {
                matches!(target.endpoint.protocol(), Protocol::Ws | Protocol::Wss)
            }
            _ => false,
        }
    }

    /// Each operand is another argument, and one that there is.
    fn operands(&self) -> Result<Value, PreviewError> {
        let field = EffectField::Operands;
        let value = self.given(field)?;
        let count = self
            .request
            .arguments()
            .map_or(0, |arguments| arguments.len());
        match value {
            Value::Operands(operands)
                if operands.iter().all(|(argument, _)| *argument < count)
                    && operands.windows(2).all(|pair| pair[0].0 != pair[1].0) =>
            {
                Ok(value.clone())
            }
            _ => Err(PreviewError::Malformed { field }),
        }
    }

    /// The child is one of the agent that the request names, and a child of this thread.
    fn ceiling(&self) -> Result<Value, PreviewError> {
        let field = EffectField::CeilingDeclarationSha256;
        let (Some(Part::Child(child)), Target::ChildAgent(target)) =
            (self.effect.part(field), self.request.target())
        else {
            return Err(PreviewError::Missing { field });
        };
        let child = child.policy();
        let agent = child.identity().agent_path().last();
        if child.is_child_of(self.policy) && agent == Some(&target.agent) {
            Ok(Value::Digest(child.declaration_sha256()))
        } else {
            Err(PreviewError::OtherEffect)
        }
    }

    /// The credential that the request names, or that its server needs.
    pub(super) fn credential(&self) -> Result<Option<CredentialGrant>, PreviewError> {
        let named = self.request.credential();
        let target = match (self.request.target(), named) {
            (Target::Mcp(target), None) => CredentialTarget::McpServer(target.server.borrowed()),
            (Target::Mcp(target), Some(named)) if *named == target.server => {
                CredentialTarget::McpServer(target.server.borrowed())
            }
            (Target::Mcp(_), Some(_)) => return Err(PreviewError::CredentialNotHeld),
            (_, Some(named)) => CredentialTarget::Provider(named.borrowed()),
            (_, None) => return Ok(None),
        };
        let held = self.policy.credential(&target);
        held.cloned()
            .map(Some)
            .ok_or(PreviewError::CredentialNotHeld)
    }

    /// What every binding that the operation uses stands for.
    pub(super) fn bindings(
        &self,
        credential: Option<&CredentialGrant>,
    ) -> Result<BindingRevisions, PreviewError> {
        let mut used = Vec::new();
        match self.request.target().clone().into_owned() {
            Target::Filesystem(target) => used.push(RequiredBinding::Filesystem(target.binding)),
            Target::Subprocess(target) => {
                used.push(RequiredBinding::Executable(target.executable));
                let directory = self.request.working_directory();
                used.extend(directory.map(|directory| {
                    RequiredBinding::Filesystem(directory.binding.clone().into_owned())
                }));
                let environment = self.policy.environment();
                used.extend(environment.cloned().map(RequiredBinding::Environment));
            }
            Target::Mcp(target) => used.push(RequiredBinding::McpServer(target.server)),
            Target::Integration(target) => used.push(RequiredBinding::Integration {
                integration: target.integration,
                revision_sha256: target.revision_sha256,
            }),
            Target::ChildAgent(target) => used.push(RequiredBinding::Agent(target.agent)),
            Target::Network(_) | Target::Github(_) | Target::Browser(_) => {}
        }
        let file = self.request.file();
        used.extend(
            file.map(|file| RequiredBinding::Filesystem(file.binding.clone().into_owned())),
        );
        if let Some(CredentialGrant {
            target,
            binding: Some(binding),
        }) = credential
        {
            used.push(RequiredBinding::Credential {
                target: target.clone(),
                binding: binding.clone(),
            });
        }
        let revisions =
            used.into_iter()
                .map(|binding| match self.policy.binding_revision(&binding) {
                    Some(revision) => Ok((binding, revision)),
                    None => Err(PreviewError::Unresolved { binding }),
                });
        Ok(BindingRevisions::of(revisions.collect::<Result<_, _>>()?))
    }
}

/// What the effect gives and the operation does not have.
pub(super) fn check_needless(coverage: &Coverage, effect: &Effect<'_>) -> Result<(), PreviewError> {
    let needless = effect
        .parts
        .iter()
        .map(|(field, _)| field)
        .find(|field| !coverage.effect.contains(field));
    if let Some(field) = needless {
        return Err(PreviewError::Needless {
            field: field.name(),
        });
    }
    let given = AdvisoryField::ALL.iter();
    let mut given = given.filter(|field| effect.advice.has(**field));
    match given.find(|field| !coverage.advisory.contains(field)) {
        Some(field) => Err(PreviewError::Needless {
            field: field.name(),
        }),
        None => Ok(()),
    }
}
