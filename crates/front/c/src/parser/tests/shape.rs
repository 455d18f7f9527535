//! The syntax trees of small sources.

use super::*;
use crate::syntax::*;

fn declaration(text: &str) -> Declaration {
    let (session, mut externals) = parse(text);
    assert_eq!(session.diagnostics.iter().count(), 0, "{text}");
    match externals.pop() {
        Some(ExternalDecl::Declaration(declaration)) => declaration,
        other => panic!("{text} should be a declaration, not {other:?}"),
    }
}

/// The steps of the first declarator, abbreviated.
fn steps(text: &str) -> String {
    let declaration = declaration(text);
    let steps = declaration.declarators[0].declarator.derivations.iter().map(|step| match step {
        Derivation::Pointer { .. } => "pointer",
        Derivation::Array { .. } => "array",
        Derivation::Function { .. } => "function",
    });
    steps.collect::<Vec<_>>().join(" ")
}

/// An expression with all its parentheses.
fn grouped(expr: &Expr, text: &str) -> String {
    let show = |expr: &Expr| grouped(expr, text);
    match &expr.kind {
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", show(left), show(right)),
        ExprKind::Assign(_, left, right) => format!("({} = {})", show(left), show(right)),
        ExprKind::Comma(left, right) => format!("({}, {})", show(left), show(right)),
        ExprKind::Unary(op, operand) => format!("({op:?} {})", show(operand)),
        ExprKind::Cast(_, operand) => format!("(cast {})", show(operand)),
        ExprKind::Cond(a, Some(b), c) => format!("({} ? {} : {})", show(a), show(b), show(c)),
        ExprKind::Call(callee, arguments) => format!("{}/{}", show(callee), arguments.len()),
        ExprKind::Paren(inner) => show(inner),
        _ => text[expr.span.lo as usize - 1..expr.span.hi as usize - 1].to_owned(),
    }
}

fn initial(text: &str) -> String {
    let text = format!("int x = {text};");
    match declaration(&text).declarators.remove(0).init {
        Some(Initializer::Expr(expr)) => grouped(&expr, &text),
        other => panic!("{text} should have a scalar initialiser, not {other:?}"),
    }
}

/// The items of the body of the last function.
fn body(text: &str) -> Vec<BlockItem> {
    let (_, mut externals) = parse(text);
    match externals.pop() {
        Some(ExternalDecl::Function(function)) => function.body.items,
        other => panic!("{text} should end with a function, not {other:?}"),
    }
}

#[test]
fn declarators_are_turned_inside_out() {
    assert_eq!(steps("int *a[3];"), "pointer array");
    assert_eq!(steps("int (*a)[3];"), "array pointer");
    assert_eq!(steps("int (*f(int))(char);"), "function pointer function");
    assert_eq!(steps("int (*(*f)[2])(void);"), "function pointer array pointer");
    let declaration = declaration("int a[2][3];");
    let sizes = declaration.declarators[0].declarator.derivations.iter().map(|step| match step {
        Derivation::Array { len: ArrayLen::Expr(expr), .. } => match expr.kind {
            ExprKind::Int(literal) => literal.value,
            _ => 0,
        },
        _ => 0,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(initial("a + b * c - d"), "((a Add (b Mul c)) Sub d)");
    assert_eq!(initial("a = b = c"), "(a = (b = c))");
    assert_eq!(initial("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    assert_eq!(initial("a | b ^ c & d == e < f << g"), "(a BitOr (b BitXor (c BitAnd (d Eq (e Lt (f Shl g))))))");
    assert_eq!(initial("-a++ + *p--"), "((Minus (PostInc a)) Add (Deref (PostDec p)))");
    assert_eq!(initial("(int)a + b"), "((cast a) Add b)");
    assert_eq!(initial("!f(1, 2)"), "(Not f/2)");
    assert_eq!(initial("a || b && c"), "(a LogOr (b LogAnd c))");
    assert_eq!(initial("(a, b)"), "(a, b)");
    assert_eq!(initial("(u8)b"), "(cast b)");
    assert_eq!(initial("(a)(b)"), "a/1");
}

#[test]
fn undeclared_names_become_types_only_where_they_must() {
    assert!(matches!(body("void f(void) { a * b; }")[0], BlockItem::Declaration(_)));
    assert!(matches!(body("void f(int b) { a * b; }")[0], BlockItem::Stmt(_)));
    assert!(matches!(body("void f(int b) { a *b = 0; }")[0], BlockItem::Declaration(_)));
    assert!(matches!(body("int a; void f(int b) { a * b; }")[0], BlockItem::Stmt(_)));
    assert!(matches!(body("typedef int a; void f(int b) { a * b; }")[0], BlockItem::Declaration(_)));
    assert!(matches!(body("void f(void) { g(x); }")[0], BlockItem::Stmt(_)));
    assert!(matches!(body("void f(void) { int g(int x) { return x; } }")[0], BlockItem::Function(_)));
}

#[test]
fn labels_before_declarations_have_empty_bodies() {
    let items = body("void f(void) { a: int x; b: }");
    let is_empty = |item: &BlockItem| match item {
        BlockItem::Stmt(Stmt { kind: StmtKind::Label { body, .. }, .. }) => matches!(body.kind, StmtKind::Empty),
        _ => false,
    };
    assert!(is_empty(&items[0]) && matches!(items[1], BlockItem::Declaration(_)) && is_empty(&items[2]));
}

#[test]
fn attributes_go_where_they_belong() {
    let declaration = declaration(
        "__attribute__((__cold__)) struct { int a; } __attribute__((packed)) x __attribute__((aligned(8)));",
    );
    assert_eq!(declaration.specs.attrs.len(), 1);
    let TypeSpec::Record(record) = &declaration.specs.ty else { panic!("should be a record") };
    assert_eq!(record.attrs.len(), 1);
    let aligned = &declaration.declarators[0].declarator.attrs[0];
    assert!(matches!(aligned.args[..], [AttrArg::Expr(_)]));
}

#[test]
fn pragmas_keep_their_places() {
    let text = "#pragma pack(1)\nstruct s { int a;\n#pragma pack(2)\nint b; };\n#pragma pack(pop)\n";
    let (_, externals) = parse(text);
    assert!(matches!(externals[0], ExternalDecl::PragmaPack(PragmaPack::Set(1))));
    let ExternalDecl::Declaration(declaration) = &externals[1] else { panic!("should be a declaration") };
    let TypeSpec::Record(record) = &declaration.specs.ty else { panic!("should be a record") };
    let members = record.members.as_ref().expect("members");
    assert!(matches!(members[1], Member::PragmaPack(PragmaPack::Set(2))));
    assert!(matches!(externals[2], ExternalDecl::PragmaPack(PragmaPack::Pop)));
}

#[test]
fn old_and_new_parameters() {
    let params = |text: &str| match parse(text).1.pop() {
        Some(ExternalDecl::Function(mut function)) => match function.declarator.derivations.pop() {
            Some(Derivation::Function { params, .. }) => (params, function.old_style.len()),
            other => panic!("{other:?} should be a function"),
        },
        other => panic!("{other:?} should be a definition"),
    };
    assert!(matches!(params("f(a, b) int a; char b; {}"), (Params::Names(names), 2) if names.len() == 2));
    assert!(matches!(params("int f() {}"), (Params::Empty, 0)));
    assert!(
        matches!(params("int f(void) {}"), (Params::Prototype { params, is_variadic: false }, 0) if params.is_empty())
    );
    assert!(
        matches!(params("int f(int, ...) {}"), (Params::Prototype { params, is_variadic: true }, 0) if params.len() == 1)
    );
}
