//! Cedar. Its authorizer evaluates every policy of the set for every request (a policy a grant takes
//! time in proportion to N: 2.8 ms for 1,000), and looks members of a set up in a hash table. So one
//! policy over the set of the principal's rights is the least that it can do; a group of entities in
//! place of the set was not faster.
//!
//! The documentation (docs.cedarpolicy.com, «Best practices») advises to express who holds what by
//! attributes and relations of entities rather than by a policy each, and `Authorizer` takes parsed
//! policies, entities and requests by reference.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid,
    PolicySet, Request, RestrictedExpression,
};

use super::{Engine, right, rights};
use crate::work::{Grant, Query};

const POLICY: &str =
    "permit(principal, action, resource) when { principal.rights.contains(resource) };";

pub struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
}

impl Engine for Cedar {
    const NAME: &'static str = "`cedar-policy`, one policy over a set of rights";
    const MOST: usize = 1_000_000;

    type Prepared = Request;

    fn load(grants: &[Grant]) -> Self {
        let rights =
            rights(grants).map(|right| RestrictedExpression::new_entity_uid(uid("Right", &right)));
        let rights = RestrictedExpression::new_set(rights);
        let attributes = HashMap::from([("rights".to_owned(), rights)]);
        let agent = Entity::new(uid("Agent", "root"), attributes, HashSet::new());
        let entities = Entities::from_entities([agent.expect("an entity")], None);
        Cedar {
            authorizer: Authorizer::new(),
            policies: POLICY.parse().expect("a policy"),
            entities: entities.expect("entities"),
        }
    }

    fn prepare(&self, query: &Query) -> Request {
        let resource = uid("Right", &right(&query.target, query.operation));
        let (principal, action) = (uid("Agent", "root"), uid("Action", "use"));
        Request::new(principal, action, resource, Context::empty(), None).expect("a request")
    }

    fn decide(&mut self, request: &Request) -> bool {
        let response = self
            .authorizer
            .is_authorized(request, &self.policies, &self.entities);
        response.decision() == Decision::Allow
    }
}

fn uid(kind: &str, id: &str) -> EntityUid {
    let kind = EntityTypeName::from_str(kind).expect("a name");
    EntityUid::from_type_name_and_id(kind, EntityId::new(id))
}
