//! A cursor over token trees.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A position in a list of tokens. Looking never fails: past the end there is nothing.
pub(crate) struct Cursor {
    tokens: Vec<TokenTree>,
    position: usize,
    /// Where the list ends: the closing brace, or the call.
    end: Span,
}

impl Cursor {
    pub(crate) fn new(stream: TokenStream, end: Span) -> Self {
        Cursor {
            tokens: stream.into_iter().map(transparent).collect(),
            position: 0,
            end,
        }
    }

    pub(crate) fn of_group(group: &Group) -> Self {
        Cursor::new(group.stream(), group.span_close())
    }

    pub(crate) fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.position)
    }

    pub(crate) fn peek_nth(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.position + ahead)
    }

    pub(crate) fn next(&mut self) -> Option<TokenTree> {
        let token = self.tokens.get(self.position).cloned();
        self.position += usize::from(token.is_some());
        token
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.position >= self.tokens.len()
    }

    /// Where the next token stands, or the end.
    pub(crate) fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    /// Where the last token that was taken stands.
    pub(crate) fn last_span(&self) -> Span {
        let last = self
            .position
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last));
        last.map_or(self.end, TokenTree::span)
    }

    pub(crate) fn is_punct(&self, ahead: usize, character: char) -> bool {
        matches!(self.peek_nth(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
    }

    pub(crate) fn take_punct(&mut self, character: char) -> bool {
        let found = self.is_punct(0, character);
        self.position += usize::from(found);
        found
    }

    /// `=>`
    pub(crate) fn is_arrow(&self) -> bool {
        self.is_punct(0, '=') && self.is_punct(1, '>')
    }

    pub(crate) fn take_arrow(&mut self) -> bool {
        let found = self.is_arrow();
        self.position += 2 * usize::from(found);
        found
    }

    pub(crate) fn peek_ident(&self) -> Option<&Ident> {
        match self.peek() {
            Some(TokenTree::Ident(ident)) => Some(ident),
            _ => None,
        }
    }

    pub(crate) fn take_ident(&mut self) -> Option<Ident> {
        let ident = self.peek_ident().cloned();
        self.position += usize::from(ident.is_some());
        ident
    }

    pub(crate) fn take_word(&mut self, word: &str) -> Option<Ident> {
        self.peek_ident().filter(|ident| *ident == word)?;
        self.take_ident()
    }

    pub(crate) fn take_group(&mut self, delimiter: Delimiter) -> Option<Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let group = group.clone();
                self.position += 1;
                Some(group)
            }
            _ => None,
        }
    }

    pub(crate) fn is_literal(&self, ahead: usize) -> bool {
        matches!(self.peek_nth(ahead), Some(TokenTree::Literal(_)))
    }
}

/// What a caller's own `macro_rules!` passes in as `$x:literal` or `$x:ident` arrives in a group
/// without delimiters: it is the token in it.
fn transparent(token: TokenTree) -> TokenTree {
    if let TokenTree::Group(group) = &token
        && group.delimiter() == Delimiter::None
    {
        let mut inner = group.stream().into_iter();
        if let (Some(only), None) = (inner.next(), inner.next()) {
            return transparent(only);
        }
    }
    token
}
