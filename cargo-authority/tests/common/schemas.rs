//! The schemas that the tool prints, and documents held against them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jsonschema::Validator;
use serde_json::Value;

use super::Project;

/// The schemas that the tool prints.
pub struct Schemas {
    pub project: Project,
    compiled: RefCell<BTreeMap<&'static str, Rc<Validator>>>,
}

impl Schemas {
    pub fn new() -> Self {
        Schemas {
            project: Project::new(&[]),
            compiled: RefCell::default(),
        }
    }

    pub fn schema(&self, name: &str) -> Value {
        self.project.run(&["schema", name]).json(0)
    }

    pub fn of(&self, name: &'static str) -> Rc<Validator> {
        let mut compiled = self.compiled.borrow_mut();
        let validator = compiled.entry(name).or_insert_with(|| {
            let schema = self.schema(name);
            Rc::new(jsonschema::validator_for(&schema).expect("a schema"))
        });
        Rc::clone(validator)
    }

    /// Fails with what is wrong.
    pub fn check(&self, name: &'static str, value: &Value) {
        let validator = self.of(name);
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {value}: {errors:?}");
    }

    pub fn is_valid(&self, name: &'static str, value: &Value) -> bool {
        self.of(name).is_valid(value)
    }
}
