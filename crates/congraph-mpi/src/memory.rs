//! Says who ran out of memory: without it, a job of many processes would end with a signal and no name.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

static NAME: OnceLock<String> = OnceLock::new();

/// From now on this process has a name.
pub(crate) fn is_process(name: String) {
    let _ = NAME.set(name);
}

/// The system's memory, with a last word.
struct Named;

#[global_allocator]
static MEMORY: Named = Named;

// SAFETY: every call is handed on to the system's allocator as it came, and its answer handed back unchanged. Where that is
// "none left", nothing is handed back: the process says so and ends.
unsafe impl GlobalAlloc for Named {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        some(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        some(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        some(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}

fn some(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        out_of_memory(size);
    }
    memory
}

static IS_TOLD: AtomicBool = AtomicBool::new(false);

/// A few words, for which no memory is needed, and the end of all processes.
#[cold]
fn out_of_memory(size: usize) -> ! {
    // Whatever runs out of memory on the way out is not told again.
    if IS_TOLD.swap(true, Ordering::SeqCst) {
        std::process::abort();
    }
    let name = NAME.get().map_or("a process", String::as_str);
    let mut words = [0_u8; 300];
    let mut rest = &mut words[..];
    let _ = writeln!(
        rest,
        "error: {name}: out of memory: {size} bytes more were refused; use more processes on more nodes, or fewer views"
    );
    let n_left = rest.len();
    let _ = std::io::stderr().write_all(&words[..words.len() - n_left]);
    SimpleCommunicator::world().abort(7)
}
