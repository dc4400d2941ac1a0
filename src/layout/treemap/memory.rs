//! New memory for columns of a million blocks: most of a first layout's time goes into touching it.

/// Smaller columns are left as they are.
const LARGE: usize = 4 << 20;

/// Makes room for `len` elements in all, in large pages where the system has them to give: then it is asked for memory
/// some twenty times and not ten thousand times.
pub(super) fn reserve<T>(column: &mut Vec<T>, len: usize) {
    if column.capacity() >= len {
        return;
    }
    // What it held is about to be overwritten.
    column.clear();
    column.reserve_exact(len);
    let bytes = len.saturating_mul(size_of::<T>());
    if bytes >= LARGE {
        in_large_pages(column.as_mut_ptr().cast(), bytes);
    }
}

#[cfg(target_os = "linux")]
fn in_large_pages(start: *mut u8, bytes: usize) {
    const PAGE: usize = 4096;
    let before = start.align_offset(PAGE);
    if before >= bytes {
        return;
    }
    let whole = (bytes - before) / PAGE * PAGE;
    // SAFETY: the range lies inside of the column's own memory and holds whole pages; the advice changes how they are
    // mapped and nothing of what they hold. Where it is refused they stay as they are.
    unsafe {
        libc::madvise(start.add(before).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_any_size_hold_what_is_put_into_them() {
        for len in [0, 1, 1000, LARGE / 8 - 1, LARGE / 8 + 1, LARGE + 4097] {
            let mut column = vec![7u64];
            reserve(&mut column, len);
            assert!(column.capacity() >= len);
            column.clear();
            column.extend(0..len as u64);
            assert!((0..len as u64).eq(column.iter().copied()));
        }
    }
}
