//! How work is shared out and made fast: chunks in a fixed order, vector units, buffers.

mod buffer;
pub(crate) mod chunks;
pub(crate) mod kernels;
pub(crate) mod simd;

pub(crate) use buffer::HugePageBuffer;
