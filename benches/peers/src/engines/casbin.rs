//! Casbin. Its matcher is evaluated for one policy rule after the other until one allows (a rule a
//! right takes time in proportion to N: 0.8 ms for 1,000); roles say what many rules would
//! (casbin.org, «RBAC»). So rights are members of one role, and there is one rule. Of
//! `CachedEnforcer` nothing is measured: it keeps decisions, and its figure is that of a hash table.

use casbin::{CoreApi, DefaultModel, Enforcer, StringAdapter};

use super::{Engine, right, rights};
use crate::work::{Grant, Query};

const MODEL: &str = "[request_definition]
r = right
[policy_definition]
p = right
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.right, p.right)
";

pub struct Casbin(Enforcer);

impl Engine for Casbin {
    const NAME: &'static str = "`casbin`, one rule for a role";
    /// A new member of a role is searched for among all members.
    const MOST: usize = 1_000;

    type Prepared = String;

    fn load(grants: &[Grant]) -> Self {
        let members = rights(grants).map(|right| format!("g, {right}, granted\n"));
        let rules = format!("p, granted\n{}", members.collect::<String>());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let model = DefaultModel::from_str(MODEL).await.expect("a model");
            let enforcer = Enforcer::new(model, StringAdapter::new(rules)).await;
            Casbin(enforcer.expect("rules"))
        })
    }

    fn prepare(&self, query: &Query) -> String {
        right(&query.target, query.operation)
    }

    fn decide(&mut self, right: &String) -> bool {
        let decision = self.0.enforce((right.as_str(),));
        decision.is_ok_and(|is_allowed| is_allowed)
    }
}
