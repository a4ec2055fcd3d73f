//! The kernel programs: read arguments, call the pure code, write maps.
//!
//! Each tracepoint has two programs over one body: one for a BTF tracepoint, which
//! loads kernel memory directly, and one for a raw tracepoint, which has to copy it.
#![no_std]
#![no_main]
#![feature(asm_experimental_arch)]
#![allow(missing_docs, reason = "programs are found by name, not read as an API")]

mod access;
mod diagnose;
mod empty;
mod events;
mod layout;
mod maps;
mod pids;
mod programs;
mod proof;
mod switch;
mod time;

#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// What the kernel's licence check wants: GPL-only helpers are used.
#[unsafe(link_section = "license")]
#[unsafe(no_mangle)]
static LICENSE: [u8; 13] = *b"Dual MIT/GPL\0";
