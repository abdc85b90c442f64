//! A buffer for very many numbers, in large pages where the system has them: touching gigabytes in pages of 4 KiB takes
//! longer than computing their content. Clearing new pages takes long too: what is let go is kept for the next that needs
//! as much, up to a limit.

use std::sync::{Mutex, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

/// Numbers that can be written.
pub(crate) struct HugePageBuffer<T: Pod> {
    memory: Memory<T>,
    length: usize,
}

enum Memory<T> {
    /// Straight from the system, or from an earlier buffer.
    Mapped(Option<MmapMut>),
    /// From the allocator: small ones, and where the system gives no map.
    Allocated(Vec<T>),
}

/// Buffers below this many bytes come from the allocator, which uses their pages again; larger ones it would have from the
/// system each time.
const LARGE: usize = 1 << 17;
/// From here on large pages are asked for.
const HUGE: usize = 1 << 20;
/// The most bytes that are kept, and the most of one buffer.
const MOST_KEPT: usize = 256 << 20;
const LARGEST_KEPT: usize = 64 << 20;

/// What earlier buffers let go.
static KEPT: Mutex<Vec<MmapMut>> = Mutex::new(Vec::new());

/// The smallest that is kept and large enough, if it is not much larger.
fn kept(bytes: usize) -> Option<MmapMut> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |map: &MmapMut| (bytes..=2 * bytes).contains(&map.len());
    let sizes = kept.iter().enumerate().filter(|(_, map)| fits(map));
    let (place, _) = sizes.min_by_key(|(_, map)| map.len())?;
    Some(kept.swap_remove(place))
}

/// Keeps a map; the oldest ones go where there is no room.
fn keep(map: MmapMut) {
    if map.len() > LARGEST_KEPT {
        return;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push(map);
    while kept.iter().map(|map| map.len()).sum::<usize>() > MOST_KEPT {
        kept.remove(0);
    }
}

impl<T: Pod> HugePageBuffer<T> {
    /// Zeros.
    pub(crate) fn zeros(length: usize) -> Self {
        let mut buffer = Self::room(length);
        buffer.values_mut().fill(T::zeroed());
        buffer
    }

    /// Any numbers: for those who write them all.
    pub(crate) fn room(length: usize) -> Self {
        let bytes = length * size_of::<T>();
        let memory = if bytes < LARGE {
            Memory::Allocated(vec![T::zeroed(); length])
        } else if let Some(map) = kept(bytes) {
            Memory::Mapped(Some(map))
        } else {
            match MmapMut::map_anon(bytes) {
                Ok(map) => {
                    // Advice: without large pages it is only slower.
                    #[cfg(target_os = "linux")]
                    if bytes >= HUGE {
                        let _ = map.advise(memmap2::Advice::HugePage);
                    }
                    Memory::Mapped(Some(map))
                }
                Err(_) => Memory::Allocated(vec![T::zeroed(); length]),
            }
        };
        Self { memory, length }
    }

    pub(crate) fn values(&self) -> &[T] {
        match &self.memory {
            Memory::Mapped(Some(map)) => bytemuck::cast_slice(&map[..self.length * size_of::<T>()]),
            Memory::Mapped(None) => &[],
            Memory::Allocated(values) => values,
        }
    }

    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Mapped(Some(map)) => bytemuck::cast_slice_mut(&mut map[..self.length * size_of::<T>()]),
            Memory::Mapped(None) => &mut [],
            Memory::Allocated(values) => values,
        }
    }
}

impl<T: Pod> Drop for HugePageBuffer<T> {
    fn drop(&mut self) {
        if let Memory::Mapped(map) = &mut self.memory
            && let Some(map) = map.take()
        {
            keep(map);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HugePageBuffer;

    #[test]
    fn room_is_zero_and_keeps_what_is_written() {
        for length in [1003, 2_000_003] {
            let mut buffer = HugePageBuffer::<f32>::zeros(length);
            assert!(buffer.values().len() == length && buffer.values().iter().all(|&x| x == 0.0));
            buffer.values_mut()[length - 1] = 7.0;
            assert_eq!(buffer.values()[length - 1], 7.0);
        }
        assert!(HugePageBuffer::<f64>::zeros(0).values().is_empty());
    }

    #[test]
    fn what_is_let_go_is_used_again() {
        // A length that no other test asks for.
        let length = 7_654_321;
        let mut buffer = HugePageBuffer::<u8>::room(length);
        buffer.values_mut().fill(9);
        drop(buffer);
        let again = HugePageBuffer::<u8>::zeros(length - 5);
        assert!(again.values().len() == length - 5 && again.values().iter().all(|&x| x == 0));
        assert_eq!(
            HugePageBuffer::<u64>::room(length / 8 + 1).values().len(),
            length / 8 + 1
        );
    }
}
