//! A buffer for very many numbers, in large pages where the system has them: touching gigabytes in pages of 4 KiB takes
//! longer than computing their content.

use bytemuck::Pod;
use memmap2::MmapMut;

/// Zeros that can be written.
pub(crate) enum HugePageBuffer<T> {
    /// Straight from the system.
    Mapped(MmapMut),
    /// From the allocator: small ones, and where the system gives no map.
    Allocated(Vec<T>),
}

/// Buffers below this many bytes come from the allocator, which uses their pages again: mapping and clearing new ones for
/// each view took a quarter of a small fit.
const LARGE: usize = 4 << 20;

impl<T: Pod> HugePageBuffer<T> {
    pub(crate) fn zeros(length: usize) -> Self {
        if length * size_of::<T>() < LARGE {
            return Self::Allocated(vec![T::zeroed(); length]);
        }
        match MmapMut::map_anon((length * size_of::<T>()).max(1)) {
            Ok(map) => {
                // Advice: without large pages it is only slower.
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage);
                Self::Mapped(map)
            }
            Err(_) => Self::Allocated(vec![T::zeroed(); length]),
        }
    }

    pub(crate) fn values(&self) -> &[T] {
        match self {
            Self::Mapped(map) => bytemuck::cast_slice(&map[..map.len() / size_of::<T>() * size_of::<T>()]),
            Self::Allocated(values) => values,
        }
    }

    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        match self {
            Self::Mapped(map) => {
                let whole = map.len() / size_of::<T>() * size_of::<T>();
                bytemuck::cast_slice_mut(&mut map[..whole])
            }
            Self::Allocated(values) => values,
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
}
