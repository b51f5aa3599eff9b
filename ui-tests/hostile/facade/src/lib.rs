//! A crate that passes the macro on.

pub use authority;
pub use authority::authority as declare;

/// A declaration by a macro of this crate's own: whoever calls it need not know `authority`.
#[macro_export]
macro_rules! read_only {
    ($visibility:vis $name:ident, $repository:literal) => {
        $crate::declare! { $visibility mod $name { github $repository => read; } }
    };
}
