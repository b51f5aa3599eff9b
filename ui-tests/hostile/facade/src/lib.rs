//! A crate that passes the macro on.

pub use authority;
pub use authority::authority as declare;
