//! What serialises with serde: scopes, targets, money and permissions.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, Serializer};

use crate::declaration::json::{MoneyForm, Value};
use crate::money::MicroDollars;
use crate::permissions::ThreadPermissions;
use crate::scope::{SCHEMA_VERSION, Scope};
use crate::target::{Target, wire};

/// The semantic payload: `{"operations":[…],"schema_version":1,"target":{…}}`.
impl Serialize for Scope<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut scope = serializer.serialize_struct("Scope", 3)?;
        scope.serialize_field("operations", &self.operations().sorted_names())?;
        scope.serialize_field("schema_version", &SCHEMA_VERSION)?;
        scope.serialize_field("target", self.target())?;
        scope.end()
    }
}

/// The wire form.
impl Serialize for Target<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = self.members();
        let mut map = serializer.serialize_map(Some(members.len()))?;
        for (key, value) in members {
            match value {
                wire::Value::Null => map.serialize_entry(key, &())?,
                wire::Value::Bool(value) => map.serialize_entry(key, &value)?,
                wire::Value::Number(number) => map.serialize_entry(key, &number)?,
                wire::Value::Text(text) => map.serialize_entry(key, text)?,
                wire::Value::Digest(digest) => map.serialize_entry(key, &digest.to_hex())?,
            }
        }
        map.end()
    }
}

/// US dollars as a number, for people: serde has no decimal, so that it is a float unless it is
/// whole. What is compared or hashed is [`MicroDollars::micros`].
impl Serialize for MicroDollars {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.micros().is_multiple_of(1_000_000) {
            return serializer.serialize_u64(self.micros() / 1_000_000);
        }
        #[allow(clippy::cast_precision_loss)]
        serializer.serialize_f64(self.micros() as f64 / 1e6)
    }
}

/// For people to look at; nothing decodes it.
impl Serialize for ThreadPermissions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_json_parts(|parts| parts.to_value(MoneyForm::Decimal).serialize(serializer))
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(value) => serializer.serialize_u64(*value),
            Value::Money(value) => value.serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Scope(scope, _) => scope.serialize(serializer),
            Value::List(elements) => {
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    list.serialize_element(element)?;
                }
                list.end()
            }
            Value::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialised() {
        for (micros, json) in [(0, "0"), (2_500_000, "2.5"), (7_000_000, "7")] {
            assert_eq!(
                serde_json::to_string(&MicroDollars::new(micros)).unwrap(),
                json
            );
        }
    }
}
