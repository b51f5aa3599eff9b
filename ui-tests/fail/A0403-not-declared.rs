use authority::authority;

authority! {
    pub mod host {
        github "acme/widgets" => read;
        subprocess "git" ["status"] in "ws" => execute;
        mcp "docs" => list;
        tool "search_docs" = mcp "wiki" / "search";
    }
}

fn main() {}
