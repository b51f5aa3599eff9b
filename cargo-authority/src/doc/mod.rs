//! Documentation of the declarations: a model, and a renderer a form.

mod html;
mod links;
mod markdown;
mod model;

pub(crate) use html::html;
pub(crate) use links::Links;
pub(crate) use markdown::markdown;
pub(crate) use model::Document;
