//! runqlat.bt where the headers of kernel and C library do not suit bpftrace.

/// The script without `#include` and the one name it takes from there.
pub fn without_header(script: &str) -> String {
    let lines: Vec<String> = script
        .lines()
        .filter(|line| !line.starts_with("#include") && !line.starts_with("#!"))
        .map(|line| line.replace("TASK_RUNNING", "0"))
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_header_goes() {
        let script = "#!/usr/bin/env bpftrace\n#include <linux/sched.h>\nif (args->prev_state == TASK_RUNNING) { }";
        assert_eq!(without_header(script), "if (args->prev_state == 0) { }");
    }
}
