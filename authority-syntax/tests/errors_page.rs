//! The page of error codes is made from the catalogue.

/// `UPDATE_DOCS=1 cargo test -p authority-syntax --test errors_page` writes the page anew.
#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/errors.md");
    let made = authority_syntax::docs::errors();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &made).expect("the page is written");
    }
    let page = std::fs::read_to_string(path).expect("the page");
    assert!(
        page == made,
        "docs/errors.md differs from the catalogue: run this test with UPDATE_DOCS=1"
    );
}
