//! The command line program: parse, run, exit code. A closed pipe is success.

use std::process::ExitCode;

fn main() -> ExitCode {
    collector::cli::main()
}
