//! The machine that the guest sees, as QEMU's arguments.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use clap::ValueEnum;

/// The emulator.
pub const QEMU: &str = "qemu-system-x86_64";

/// Where the device is that turns a byte into QEMU's exit status.
pub const EXIT_PORT: u16 = 0x501;

/// Initial calls of Debian's kernels that nothing here needs: a source of randomness that
/// measures itself, certificates for modules, a self-test. 4 of 13 s of the guest's time.
const SLOW: [&str; 3] = ["jent_mod_init", "load_system_certificate_list", "crypto_kdf108_init"];

/// 300 MiB would do; the rest is for loads with many threads.
const MEMORY_MIB: &str = "1024";

/// How instructions of the guest are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Accel {
    /// Emulated, CPUs take turns, and the guest's clock counts instructions: figures do
    /// not depend on what else the host does
    #[default]
    Icount,
    /// Emulated, a host thread a CPU: races show, but times mean little
    Multi,
    /// By the host's processor, where that can be had
    Kvm,
}

/// One boot.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The kernel's image.
    pub kernel: PathBuf,
    /// The guest's root.
    pub initramfs: PathBuf,
    /// CPUs, in QEMU's words.
    pub smp: String,
    /// How they are executed.
    pub accel: Accel,
    /// Kernel arguments beside ours.
    pub append: Option<String>,
    /// Where the second serial port is written.
    pub report: PathBuf,
}

impl Machine {
    /// QEMU's arguments.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut arguments = Vec::new();
        // Nothing that QEMU would choose by itself: the machine is what stands here. The
        // maker of the processor matters: the kernel reads threads differently by it.
        push(&mut arguments, ["-machine", "q35", "-m", MEMORY_MIB, "-smp", &self.smp]);
        let (cpu, accel, clock): (_, &[&str], _) = match self.accel {
            // 8 ns an instruction. With 2 or 4 ns, tasks on two siblings that should get
            // half of the time each came out unequal; sleep=off lets idle time pass at once.
            Accel::Icount => {
                ("max,vendor=GenuineIntel", &["-accel", "tcg,thread=single", "-icount", "shift=3,sleep=off"], "vm")
            }
            Accel::Multi => ("max,vendor=GenuineIntel", &["-accel", "tcg,thread=multi"], "host"),
            Accel::Kvm => ("host", &["-accel", "kvm"], "host"),
        };
        push(&mut arguments, ["-cpu", cpu]);
        push(&mut arguments, accel);
        push(&mut arguments, ["-rtc", &format!("base=2026-01-01,clock={clock}")]);
        push(&mut arguments, ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
        push(&mut arguments, ["-serial", "stdio"]);
        let mut report = OsString::from("file:");
        // A comma would begin an option of QEMU's.
        report.push(self.report.as_os_str());
        push(&mut arguments, [OsStr::new("-serial"), &report]);
        push(&mut arguments, ["-device", &format!("isa-debug-exit,iobase={EXIT_PORT:#x},iosize=1")]);
        push(&mut arguments, [OsStr::new("-kernel"), self.kernel.as_os_str()]);
        push(&mut arguments, [OsStr::new("-initrd"), self.initramfs.as_os_str()]);
        push(&mut arguments, ["-append", &self.kernel_arguments()]);
        arguments
    }

    fn kernel_arguments(&self) -> String {
        // A panic reboots at once, which with -no-reboot ends QEMU.
        let ours = format!("console=ttyS0 panic=-1 quiet rdinit=/init initcall_blacklist={}", SLOW.join(","));
        self.append.as_deref().map_or_else(|| ours.clone(), |more| format!("{ours} {more}"))
    }
}

fn push(arguments: &mut Vec<OsString>, words: impl IntoIterator<Item: AsRef<OsStr>>) {
    arguments.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
}

/// Refuses KVM where it would not work. A /dev/kvm that opens is not enough: on some
/// machines it does, and guests hang.
///
/// # Errors
/// When the processor, or the device, says no.
pub fn check_accel(accel: Accel) -> Result<()> {
    if accel != Accel::Kvm {
        return Ok(());
    }
    if !virtualizes(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()) {
        bail!("no KVM: /proc/cpuinfo has neither vmx nor svm; leave --accel out");
    }
    if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/kvm") {
        bail!("no KVM: /dev/kvm cannot be opened ({error}); leave --accel out");
    }
    Ok(())
}

fn virtualizes(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    flags.split_whitespace().any(|flag| matches!(flag, "vmx" | "svm"))
}

/// Where a path has a character that QEMU would take for its own.
///
/// # Errors
/// When it has.
pub fn check_path(path: &Path) -> Result<()> {
    if path.to_string_lossy().contains(',') {
        bail!("{} has a comma, which QEMU takes for the end of the name", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(accel: Accel, append: Option<&str>) -> String {
        let machine = Machine {
            kernel: "/k".into(),
            initramfs: "/i".into(),
            smp: "2,cores=1,threads=2".into(),
            accel,
            append: append.map(str::to_owned),
            report: "/r".into(),
        };
        machine.arguments().join(OsStr::new(" ")).to_string_lossy().into_owned()
    }

    #[test]
    fn by_default_the_clock_counts_instructions() {
        let line = machine(Accel::Icount, Some("maxcpus=2"));
        for part in [
            "-smp 2,cores=1,threads=2 ",
            "-accel tcg,thread=single -icount shift=3,sleep=off -rtc base=2026-01-01,clock=vm ",
            "-serial stdio -serial file:/r ",
            "isa-debug-exit,iobase=0x501,iosize=1 -kernel /k -initrd /i -append console=ttyS0 ",
        ] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
        assert!(line.contains(" rdinit=/init ") && line.ends_with(" maxcpus=2"), "{line}");
        assert!(!line.contains("kvm"), "{line}");
    }

    #[test]
    fn only_emulation_in_turns_counts_instructions() {
        let line = machine(Accel::Multi, None);
        assert!(line.contains("tcg,thread=multi") && !line.contains("icount"), "{line}");
        let line = machine(Accel::Kvm, None);
        assert!(line.contains("-accel kvm") && line.contains("-cpu host") && !line.contains("icount"), "{line}");
    }

    #[test]
    fn the_flag_is_a_whole_word() {
        assert!(virtualizes("model name\t: x\nflags\t\t: fpu vmx sse\n"));
        assert!(!virtualizes("flags\t\t: fpu avmx svm_lock\nbugs: svm\n"));
    }
}
