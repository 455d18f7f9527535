//! Values in traces are shown as what they mean: bytes, floats, library types, heap places, inputs, interrupt handlers.

use std::process::Command;

fn check(name: &str, source: &str, words: &[&str]) -> String {
    let folder = std::env::temp_dir().join(format!("unpick-values-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder should be writable");
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a temporary file should be writable");
    let output = Command::new(env!("CARGO_BIN_EXE_unpick"))
        .args(["check", "--trace", "full", "--width", "160"])
        .args(words)
        .arg(&file)
        .env("NO_COLOR", "1")
        .output()
        .expect("unpick should start");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn main_of(body: &str) -> String {
    format!("#include <assert.h>\n#include <stdlib.h>\n{body}")
}

#[test]
fn bytes_are_numbers_with_the_character_beside() {
    let source = main_of(
        "#include <string.h>\nint main(void)\n{\n    char letter = 'x';\n    unsigned char none = 200;\n    \
         int number = 120;\n    unsigned char copy[5];\n    memcpy(copy, \"\\1\\2\\3\\4\\5\", 5);\n    \
         assert(letter + none + number + copy[1] == 0);\n}\n",
    );
    let text = check("bytes.c", &source, &[]);
    assert!(text.contains("letter = 120 'x'\n") && text.contains("none = 200\n"), "{text}");
    // An integer of the same value is no character.
    assert!(text.contains("number = 120\n"), "{text}");
    assert!(text.contains("copy = bytes 01 02 03 04 05\n"), "{text}");
}

#[test]
fn inputs_are_shown_by_their_type() {
    let source = main_of(
        "extern float __VERIFIER_nondet_float(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern signed char __VERIFIER_nondet_char(void);\n\
         int main(void)\n{\n    float f = __VERIFIER_nondet_float();\n    unsigned char u = __VERIFIER_nondet_uchar();\n    \
         signed char s = __VERIFIER_nondet_char();\n    assert(!(f > 1 && u > 200 && s < -3));\n}\n",
    );
    let text = check("inputs.c", &source, &[]);
    let chosen = |name: &str| {
        let line = text.lines().find(|line| line.contains(&format!("{name}() chose "))).unwrap_or_default();
        line.rsplit(' ').next().unwrap_or_default().to_owned()
    };
    assert!(chosen("nondet_float").contains(['.', 'e', 'i']), "{text}");
    assert!(chosen("nondet_uchar").parse::<u8>().is_ok_and(|value| value > 200), "{text}");
    assert!(chosen("nondet_char").parse::<i8>().is_ok_and(|value| value < -3), "{text}");
}

#[test]
fn objects_of_the_library_are_shown_as_what_they_mean() {
    let source = "#include <assert.h>\n#include <pthread.h>\n\
        struct box { pthread_mutex_t lock; int n; };\n\
        struct mine { int __lock; int __kind; };\n\
        int main(void)\n{\n    struct box box = {PTHREAD_MUTEX_INITIALIZER, 3};\n    struct mine mine = {1, 2};\n    \
        pthread_mutex_lock(&box.lock);\n    assert(box.n + mine.__lock == 0);\n}\n";
    let text = check("library.c", source, &[]);
    assert!(text.contains("box.lock = free") && text.contains("box.lock: free -> held by thread 0"), "{text}");
    assert!(!text.contains("__data"), "{text}");
    // A struct of the user's own is shown by its members, whatever they are called.
    assert!(text.contains("mine.__lock = 1"), "{text}");
}

#[test]
fn heap_places_are_named_by_the_path_that_leads_there() {
    let source = main_of(
        "struct list { struct list *next, *prev; };\n\
         struct queue { struct list links; int a, b, c, d; };\n\
         struct work { int action; struct work *next; };\n\
         struct pool { struct work *w; };\n\
         static void fill(struct pool *fp)\n{\n    fp->w[0].action = 4;\n    fp->w[1].next = &fp->w[1];\n}\n\
         static void mark(struct list *t, struct queue *q)\n{\n    t->next = t;\n    q->c = 7;\n}\n\
         static int run(void)\n{\n    struct pool *pool = malloc(sizeof *pool);\n    \
         struct queue *queue = malloc(sizeof *queue);\n    pool->w = calloc(2, sizeof *pool->w);\n    \
         fill(pool);\n    mark(&queue->links, queue);\n    return pool->w[0].action + queue->c;\n}\n\
         int main(void)\n{\n    assert(run() == 0);\n}\n",
    );
    let text = check("heap.c", &source, &[]);
    assert!(text.contains("fp->w[0].action: 0 -> 4") && text.contains("fp->w[1].next: NULL -> &heap#"), "{text}");
    assert!(text.contains("q->c = 7"), "{text}");
}

#[test]
fn interrupt_handlers_go_by_their_names() {
    let source = "#include <assert.h>\nstatic int seconds;\nvoid tick(void)\n{\n    seconds = 1;\n}\n\
        int main(void)\n{\n    return seconds > 1;\n}\n";
    let text = check("handler.c", source, &["--isr", "tick"]);
    assert!(text.contains("in interrupt tick and ") && text.contains("in the interrupt handler `tick`"), "{text}");
    assert!(!text.contains("thread 1"), "{text}");
    // Threads keep their numbers.
    let source = "#include <pthread.h>\nstatic int seconds;\nstatic void *tick(void *unused)\n{\n    seconds = 1;\n    return unused;\n}\n\
        int main(void)\n{\n    pthread_t thread;\n    pthread_create(&thread, 0, tick, 0);\n    return seconds > 1;\n}\n";
    let text = check("thread.c", source, &[]);
    assert!(text.contains("thread 1") && !text.contains("interrupt"), "{text}");
}
