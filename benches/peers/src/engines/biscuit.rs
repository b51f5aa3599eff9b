//! Biscuit. Rights are facts of the authority block, as in its tutorial; an authorizer that has run
//! is asked by query, which spares building one a decision (five times and more as slow). The
//! limits of time are lifted: they would deny at random under load.

use std::collections::BTreeSet;
use std::time::Duration;

use biscuit_auth::builder::{
    AuthorizerBuilder, Binary, Expression, Fact, Op, Rule, Term, constrained_rule, fact, pred, set,
    string, var,
};
use biscuit_auth::{Authorizer, AuthorizerLimits, KeyPair};

use super::{Engine, text};
use crate::work::{Grant, Query};

pub struct Biscuit(Authorizer);

impl Engine for Biscuit {
    const NAME: &'static str = "`biscuit-auth`, a fact a grant, query of a prepared authorizer";
    /// A token finds each of its symbols by searching all of them.
    const MOST: usize = 1_000;

    type Prepared = Rule;

    fn load(grants: &[Grant]) -> Self {
        let mut token = biscuit_auth::Biscuit::builder();
        for grant in grants {
            let operations: BTreeSet<Term> = grant
                .operations
                .iter()
                .map(|operation| string(operation.name()))
                .collect();
            let right = fact("right", &[string(&text(&grant.target)), set(operations)]);
            token = token.fact(right).expect("a fact");
        }
        let token = token.build(&KeyPair::new()).expect("a token");
        let authorizer = AuthorizerBuilder::new().set_limits(limits()).build(&token);
        let mut authorizer = authorizer.expect("an authorizer");
        authorizer.run().expect("no rule to run");
        Biscuit(authorizer)
    }

    fn prepare(&self, query: &Query) -> Rule {
        let contains = Expression {
            ops: vec![
                Op::Value(var("operations")),
                Op::Value(string(query.operation.name())),
                Op::Binary(Binary::Contains),
            ],
        };
        constrained_rule(
            "found",
            &[var("operations")],
            &[pred(
                "right",
                &[string(&text(&query.target)), var("operations")],
            )],
            &[contains],
        )
    }

    fn decide(&mut self, rule: &Rule) -> bool {
        let found: Result<Vec<Fact>, _> = self.0.query_with_limits(rule.clone(), limits());
        found.is_ok_and(|found| !found.is_empty())
    }
}

fn limits() -> AuthorizerLimits {
    AuthorizerLimits {
        max_facts: u64::MAX,
        max_iterations: u64::MAX,
        max_time: Duration::from_secs(3_600),
    }
}
