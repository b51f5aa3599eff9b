use authority::authority;

authority! {
    pub mod host {
        mcp "docs" / "search" => inspect;
        credential mcp "docs" = none;
        tool "search_docs" = mcp "docs" / "search";
    }
}

fn main() {}
