//! Memory of a state: objects by number, in chunks that states share until one of them changes one.

use std::rc::Rc;

use unpick_term::{Term, Terms};

use crate::object::Object;
use crate::value::ObjectId;

/// Objects of a chunk.
const CHUNK: usize = 16;

type Chunk = [Option<Rc<Object>>; CHUNK];

/// All objects of one state.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    chunks: Vec<Option<Rc<Chunk>>>,
}

impl Memory {
    /// An object, if it was made on the path.
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Rc<Object>> {
        let at = id.0 as usize;
        self.chunks.get(at / CHUNK)?.as_ref()?[at % CHUNK].as_ref()
    }

    /// An object to be changed.
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        let at = id.0 as usize;
        let chunk = Rc::make_mut(self.chunks.get_mut(at / CHUNK)?.as_mut()?);
        chunk[at % CHUNK].as_mut().map(Rc::make_mut)
    }

    /// Puts a new object.
    pub(crate) fn put(&mut self, id: ObjectId, object: Object) {
        self.put_shared(id, Rc::new(object));
    }

    fn put_shared(&mut self, id: ObjectId, object: Rc<Object>) {
        let at = id.0 as usize;
        if self.chunks.len() <= at / CHUNK {
            self.chunks.resize(at / CHUNK + 1, None);
        }
        let chunk = self.chunks[at / CHUNK].get_or_insert_with(|| Rc::new([const { None }; CHUNK]));
        Rc::make_mut(chunk)[at % CHUNK] = Some(object);
    }

    /// One memory or the other.
    pub(crate) fn join(terms: &mut Terms, when: Term, left: &Memory, right: &Memory, pointer_bytes: u64) -> Memory {
        let mut joined = left.clone();
        for at in 0..left.chunks.len().max(right.chunks.len()) {
            let (one, other) = (chunk(left, at), chunk(right, at));
            let is_shared = match (one, other) {
                (Some(one), Some(other)) => Rc::ptr_eq(one, other),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            if is_shared {
                continue;
            }
            for in_chunk in 0..CHUNK {
                let one = one.and_then(|chunk| chunk[in_chunk].as_ref());
                let other = other.and_then(|chunk| chunk[in_chunk].as_ref());
                let id = ObjectId((at * CHUNK + in_chunk) as u32);
                match (one, other) {
                    (Some(one), Some(other)) if !Rc::ptr_eq(one, other) => {
                        joined.put(id, Object::join(terms, when, one, other, pointer_bytes));
                    }
                    // Nobody can have a pointer to it on the path on which it was not made.
                    (None, Some(object)) => joined.put_shared(id, object.clone()),
                    (Some(_), Some(_) | None) | (None, None) => {}
                }
            }
        }
        joined
    }
}

fn chunk(memory: &Memory, at: usize) -> Option<&Rc<Chunk>> {
    memory.chunks.get(at).and_then(Option::as_ref)
}
