//! What is traced while something runs; nothing without the feature `tracing`.

use std::sync::{Arc, Mutex};

/// Keeps the fields of every event.
#[derive(Clone, Default)]
pub(crate) struct Traced(Arc<Mutex<Vec<(String, String)>>>);

impl Traced {
    /// Runs it.
    #[cfg(feature = "tracing")]
    pub(crate) fn during<T>(&self, run: impl FnOnce() -> T) -> T {
        tracing::subscriber::with_default(self.clone(), run)
    }

    /// Runs it.
    #[cfg(not(feature = "tracing"))]
    pub(crate) fn during<T>(&self, run: impl FnOnce() -> T) -> T {
        run()
    }

    /// Each field as `name=value`.
    pub(crate) fn fields(&self) -> Vec<String> {
        let fields = self.0.lock().unwrap();
        fields
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }
}

#[cfg(feature = "tracing")]
mod subscriber {
    use std::fmt::Debug;

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::Traced;

    impl Visit for Traced {
        fn record_str(&mut self, field: &Field, value: &str) {
            let pair = (field.name().to_owned(), value.to_owned());
            self.0.lock().unwrap().push(pair);
        }

        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.record_str(field, &format!("{value:?}"));
        }
    }

    impl Subscriber for Traced {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "authority"
        }

        fn event(&self, event: &Event<'_>) {
            event.record(&mut self.clone());
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
}
