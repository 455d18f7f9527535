//! Tests of tokens, line markers and stray bytes.

use super::*;

fn lex(text: &str) -> (Session, Lexed) {
    let mut session = Session::default();
    let index = session.sources.add("t.c", text).unwrap();
    let lexed = tokenize(&mut session, index);
    (session, lexed)
}

fn kinds(text: &str) -> Vec<TokenKind> {
    let (session, lexed) = lex(text);
    assert_eq!(session.diagnostics.n_errors(), 0, "{text}: {:?}", session.diagnostics);
    lexed.tokens[..lexed.tokens.len() - 1].iter().map(|token| token.kind).collect()
}

fn messages(text: &str) -> Vec<String> {
    let (session, _) = lex(text);
    session.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect()
}

#[test]
fn words_and_punctuators() {
    use TokenKind::*;
    assert_eq!(kinds("a+++b"), [Ident, PlusPlus, Plus, Ident]);
    assert_eq!(kinds("x<<=y>>=z..."), [Ident, ShlAssign, Ident, ShrAssign, Ident, Ellipsis]);
    assert_eq!(kinds("<: :> <% %>"), [LBracket, RBracket, LBrace, RBrace]);
    assert_eq!(kinds("$a é_1 \\u00e9x"), [Ident, Ident, Ident]);
    assert_eq!(kinds("1.5e+3 0x1p-2 .5 1'000 a.b"), [Number, Number, Number, Number, Ident, Dot, Ident]);
    assert_eq!(kinds("L\"a\" u8\"b\" u'c' U'd' 'e' \"\\\"\""), [Str, Str, Char, Char, Char, Str]);
    assert_eq!(kinds("a /* b \n * c */ d // e \\\n f\n g"), [Ident, Ident, Ident]);
    assert_eq!(kinds("__const__ const __volatile"), [Const, Const, Volatile]);
    assert_eq!(kinds("\u{feff}int a\\\nb"), [Int, Ident, Ident]);
}

#[test]
fn markers_lead_to_the_users_file() {
    let text = "# 1 \"a \\\"b.c\"\nint x;\n#line 40\nint y;\n# 3 \"/usr/include/z.h\" 1 3 4\nint z;";
    let (session, _) = lex(text);
    let place = |needle: &str| session.sources.place(1 + text.find(needle).unwrap() as u32).unwrap();
    assert_eq!((&*place("int x").file, place("int x").line), ("a \"b.c", 1));
    assert_eq!((&*place("int y").file, place("int y").line), ("a \"b.c", 40));
    assert_eq!((place("int z").line, place("int z").system), (3, true));
}

#[test]
fn pragmas_other_than_pack_vanish() {
    let text = "#pragma once\n#pragma pack(push, 1)\nint\n#  pragma pack()\na;_Pragma(\"pack(2)\")_Pragma(\"GCC x \\\"y\\\"\") b\n#pragma pack(pop)";
    let (session, lexed) = lex(text);
    assert_eq!(session.diagnostics.iter().count(), 0);
    let want = [(0, PragmaPack::Push(Some(1))), (1, PragmaPack::Reset), (3, PragmaPack::Set(2)), (4, PragmaPack::Pop)];
    assert_eq!(lexed.pragmas, want);
    assert_eq!(lexed.tokens.len(), 5);
}

#[test]
fn leftover_directives_warn_once() {
    assert_eq!(
        messages("#include <a.h>\n#define X \\\n 1 {{{\nint a;\n"),
        ["preprocessor directive `#include` is ignored"]
    );
    assert_eq!(messages("_Pragma x"), ["expected `(\"...\")` after `_Pragma`"]);
}

#[test]
fn garbage_is_named_precisely() {
    assert_eq!(messages("int a\0b\0c"), ["the text contains a NUL byte"]);
    assert_eq!(messages("int @@@ a;"), ["stray character `@` in program"]);
    assert_eq!(messages("char *s = “x”;").len(), 2);
    assert_eq!(messages("a # b"), ["stray `#` in program"]);
    assert_eq!(messages("int a; /* b"), ["comment is never closed"]);
    assert_eq!(messages("\"abc\nint"), ["string literal is never closed"]);
    assert_eq!(messages("'a"), ["character constant is never closed"]);
    assert_eq!(messages("\"abc\\"), ["string literal is never closed"]);
    let many = messages(&"@ 1\n".repeat(500));
    assert_eq!(many.len(), MAX_ERRORS + 1);
    assert!(many[MAX_ERRORS].starts_with("too many errors"));
}

#[test]
fn attribute_names_lose_their_underscores() {
    let (session, lexed) = lex("__packed__ packed");
    assert_eq!(lexed.bare_names[&lexed.tokens[0].symbol], lexed.tokens[1].symbol);
    assert_eq!(session.interner.name(lexed.tokens[1].symbol), "packed");
}
