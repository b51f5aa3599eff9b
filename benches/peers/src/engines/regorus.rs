//! Regorus, by its register machine: its documentation (`docs/rvm` of the crate) compiles a policy
//! once to a program, loads the data once, and sets an input a decision. The interpreter, `Engine`,
//! is slower; so are objects by kind, target and operation in place of one object of rights.

use std::collections::BTreeMap;

use regorus::Value;
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::vm::RegoVM;
use serde_json::json;

use super::{Engine, right, rights};
use crate::work::{Grant, Query};

const POLICY: &str = "package authz
import rego.v1
default allow := false
allow if data.rights[input.right]
";
const ALLOW: &str = "data.authz.allow";

pub struct Regorus {
    machine: RegoVM,
    yes: Value,
}

impl Engine for Regorus {
    const NAME: &'static str = "`regorus`, register machine, an object of rights";
    const MOST: usize = 1_000_000;

    type Prepared = Value;

    fn load(grants: &[Grant]) -> Self {
        let mut engine = regorus::Engine::new();
        engine
            .add_policy("authz.rego".to_owned(), POLICY.to_owned())
            .expect("a policy");
        let compiled = engine.compile_with_entrypoint(&ALLOW.into());
        let compiled = compiled.expect("a policy that compiles");
        let program = Compiler::compile_from_policy(&compiled, &[ALLOW]);
        let mut machine = RegoVM::new();
        machine.set_max_instructions(usize::MAX);
        machine.load_program(program.expect("a program"));
        let rights: BTreeMap<String, bool> = rights(grants).map(|right| (right, true)).collect();
        let data = value(&json!({ "rights": rights }));
        machine.set_data(data).expect("data without conflicts");
        Regorus {
            machine,
            yes: Value::from(true),
        }
    }

    fn prepare(&self, query: &Query) -> Value {
        value(&json!({ "right": right(&query.target, query.operation) }))
    }

    fn decide(&mut self, input: &Value) -> bool {
        self.machine.set_input(input.clone());
        let decision = self.machine.execute_entry_point_by_index(0);
        decision.is_ok_and(|decision| decision == self.yes)
    }
}

fn value(json: &serde_json::Value) -> Value {
    Value::from_json_str(&json.to_string()).expect("JSON")
}
