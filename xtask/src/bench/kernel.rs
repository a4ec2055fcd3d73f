//! Programs of the kernel object that only the bench loads.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, anyhow};
use aya::{
    Btf, Ebpf, EbpfLoader,
    maps::{MapData, PerCpuArray},
    programs::BtfTracePoint,
};

use super::probe::{KernelTypes, Layout};

/// The kernel's own types.
const VMLINUX: &str = "/sys/kernel/btf/vmlinux";

/// The tracepoints, the one that ends waits first.
const EVENTS: [&str; 3] = ["sched_switch", "sched_wakeup_new", "sched_wakeup"];

/// Attaches the programs that do nothing.
///
/// # Errors
/// What the kernel refused.
pub fn empty(object: &Path) -> Result<Ebpf> {
    let mut ebpf = load(object, &[], &[])?;
    attach(&mut ebpf, "empty")?;
    Ok(ebpf)
}

/// Attaches the programs that stamp with both clocks; maps get these sizes.
///
/// # Errors
/// What the kernel refused, or what this kernel does not have.
pub fn proof(object: &Path, sizes: &[(&str, u32)]) -> Result<Ebpf> {
    let types = KernelTypes::read(Path::new(VMLINUX))?;
    let layout = Layout::resolve(&types)?;
    if let Some(reason) = &layout.no_rq_clock {
        return Err(anyhow!("there is nothing to compare: {reason}"));
    }
    let mut globals = layout.globals().to_vec();
    if globals.contains(&("ARG_PREV_STATE", 0)) {
        return Err(anyhow!("this kernel's sched_switch does not pass prev_state (before 5.18)"));
    }
    globals.push(("USE_RQ_CLOCK", 1));
    let mut ebpf = load(object, &globals, sizes)?;
    attach(&mut ebpf, "proof")?;
    Ok(ebpf)
}

/// Loads the maps, not the programs; maps get these sizes.
///
/// # Errors
/// What the kernel refused.
pub fn load(object: &Path, globals: &[(&'static str, u16)], sizes: &[(&str, u32)]) -> Result<Ebpf> {
    let bytes = fs::read(object).with_context(|| format!("could not read {}", object.display()))?;
    let mut loader = EbpfLoader::new();
    loader.btf(None);
    for (name, value) in globals {
        loader.override_global(name, value, true);
    }
    for (name, size) in sizes {
        loader.map_max_entries(name, *size);
    }
    loader.load(&bytes).context("the kernel refused the maps")
}

fn attach(ebpf: &mut Ebpf, prefix: &str) -> Result<()> {
    let btf = Btf::parse_file(VMLINUX, aya::Endianness::default())
        .with_context(|| format!("could not read the kernel's types from {VMLINUX}"))?;
    for event in EVENTS {
        let name = format!("{prefix}_{event}");
        let program = ebpf.program_mut(&name).with_context(|| format!("the kernel object has no program {name}"))?;
        let program: &mut BtfTracePoint = program.try_into()?;
        program.load(event, &btf).with_context(|| format!("the kernel refused {name}"))?;
        program.attach().with_context(|| format!("could not attach {name}"))?;
    }
    Ok(())
}

/// A per-CPU array map.
///
/// # Errors
/// When there is none of that name and value.
pub fn per_cpu_array<'a, V: aya::Pod>(ebpf: &'a Ebpf, name: &str) -> Result<PerCpuArray<&'a MapData, V>> {
    let map = ebpf.map(name).with_context(|| format!("the kernel object has no map {name}"))?;
    PerCpuArray::try_from(map).with_context(|| format!("map {name}"))
}
