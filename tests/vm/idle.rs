//! A machine that does nothing.

use libtest_mimic::{Completion, Trial};

use super::{
    guest::{Guest, test},
    harness::run,
};

pub fn tests() -> Vec<Trial> {
    vec![test("idle::is_the_kernel_s", is_the_kernel_s)]
}

/// Idle time of each CPU is the kernel's own, which no host takes a part of here. What
/// interrupts take of an idle CPU is idle to us and not to /proc/stat (`tick_irq_enter`);
/// an emulated one takes as much as 1.6 % for them, nothing would make it less.
fn is_the_kernel_s(_: &Guest) -> Completion {
    let outcome = run(&["--all", "--duration", "3s", "--interval", "1s"], &[]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for cpu in &outcome.summary.cpus {
        let (own, kernel) = (*cpu.idle_ns.value().unwrap(), *cpu.proc_idle_ns.value().unwrap());
        println!("CPU {}: idle {own} ns, {kernel} by /proc/stat, of {}", cpu.cpu, cpu.observed_ns);
        if kernel > cpu.observed_ns + cpu.observed_ns / 20 {
            // Seen with 7.3: 4.1 s of idle time in 3 s.
            return Completion::ignored_with("/proc/stat counts more idle time than there was: it is no witness here");
        }
        // It counts in hundredths of a second, and cuts off at either end.
        let range = kernel.saturating_sub(20_000_000)..=kernel + cpu.observed_ns * 3 / 100;
        assert!(range.contains(&own), "CPU {}: idle {own} ns, {kernel} by /proc/stat", cpu.cpu);
    }
    Completion::Completed
}
