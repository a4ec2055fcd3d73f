#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use crate::host::fixture::Fixture;

fn read(fixture: &Fixture) -> Topology {
    Topology::read(fixture.root()).unwrap()
}

fn shown(lists: &BTreeSet<&CpuList>) -> Vec<String> {
    lists.iter().map(ToString::to_string).collect()
}

#[test]
fn smt_1_2_4_8() {
    for threads in [1, 2, 4, 8] {
        let fixture = Fixture::smt(3, threads, if threads == 1 { "notsupported" } else { "on" });
        let topology = read(&fixture);
        assert_eq!(topology.threads_per_core(), Measured::Value(threads as usize));
        assert_eq!(topology.cpus.len(), 3 * threads as usize);
        assert_eq!(topology.cores().len(), 3);
        assert_eq!((topology.packages().len(), topology.nodes().len(), topology.caches().len()), (1, 1, 1));
        let last = topology.cpus.last().unwrap();
        assert_eq!(last.core, Measured::Value(2));
        assert_eq!(last.siblings.value().unwrap().len(), threads as usize);
        assert_eq!(last.llc, Measured::Value(Llc { level: 3, cpus: topology.online.clone() }));
    }
}

#[test]
fn possible_present_and_online_differ_and_offline_cpus_have_no_place() {
    let fixture = Fixture::smt(2, 2, "off");
    // SMT was switched off: CPUs 1 and 3 are gone from the lists, CPU 3's folder too.
    fixture.lists("0-127", "0-3", "0,2").cpu(0, 0, 0, "0").cpu(2, 0, 1, "2");
    fixture.remove("sys/devices/system/cpu/cpu1/topology").remove("sys/devices/system/cpu/cpu3");
    let topology = read(&fixture);
    assert_eq!((topology.possible.len(), topology.present.len(), topology.online.len()), (128, 4, 2));
    assert_eq!(topology.present.without(&topology.online).to_string(), "1,3");
    assert_eq!(topology.cpus.iter().map(|cpu| cpu.cpu).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(topology.threads_per_core(), Measured::Value(1));
    assert_eq!(topology.smt, Measured::Value(SmtControl::Off));
    assert_eq!(shown(&topology.cores()), ["0", "2"]);
}

#[test]
fn sparse_numbers_and_split_pairs() {
    let fixture = Fixture::new();
    // Siblings are far apart, core numbers repeat in each package, packages and nodes have holes.
    fixture.lists("0-99", "0-99", "8,17,40,99").nodes("0,3,7", &[(0, ""), (3, "8,40"), (7, "17,99")]);
    fixture.cpu(8, 0, 64, "8,40").cpu(40, 0, 64, "8,40").cpu(17, 36, 64, "17,99").cpu(99, 36, 64, "17,99");
    fixture.cache(8, 0, 1, "Data", "8,40").cache(8, 1, 1, "Instruction", "8,40").cache(8, 2, 2, "Unified", "8,40");
    let topology = read(&fixture);
    assert_eq!(shown(&topology.cores()), ["8,40", "17,99"]);
    assert_eq!(topology.packages(), [0, 36].into());
    assert_eq!(topology.nodes(), [3, 7].into());
    let places = topology.places();
    assert_eq!(places[3].siblings, Measured::Value("17,99".to_owned()));
    assert_eq!((&places[3].package, &places[3].core), (&Measured::Value(36), &Measured::Value(64)));
    // What CPU 8 says of its cache holds for CPU 40, which has no cache folder here.
    assert_eq!(topology.cpus[2].llc, Measured::Value(Llc { level: 2, cpus: "8,40".parse().unwrap() }));
    assert!(
        topology.cpus[1].llc.reason().is_some_and(|reason| reason.ends_with("cpu17/cache/index0/level does not exist"))
    );
}

#[test]
fn more_than_1024_cpus() {
    let fixture = Fixture::new();
    fixture.lists("0-1119", "0-1119", "0-1119").nodes("0", &[(0, "0-1119")]);
    fixture.cache(0, 0, 3, "Unified", "0-1119");
    for core in 0..140 {
        let first = core * 8;
        fixture.cpu(first, 0, core as i32, &format!("{first}-{}", first + 7));
        // Thousands of files take seconds on a busy disk: siblings share a folder here.
        for cpu in first + 1..first + 8 {
            fixture.link(&format!("sys/devices/system/cpu/cpu{cpu}"), &format!("cpu{first}"));
        }
    }
    let topology = read(&fixture);
    assert_eq!((topology.online.len(), topology.cores().len()), (1120, 140));
    let last = topology.cpus.last().unwrap();
    assert_eq!((last.cpu, last.siblings.value().unwrap().to_string().as_str()), (1119, "1112-1119"));
    assert!(topology.cpus.iter().all(|cpu| cpu.llc.value().is_some() && cpu.node == Measured::Value(0)));
}

#[test]
fn a_container_without_topology() {
    let fixture = Fixture::new();
    fixture.lists("0-3", "0-3", "0-1,3");
    let topology = read(&fixture);
    assert_eq!(topology.cpus.len(), 3);
    for cpu in &topology.cpus {
        let reasons =
            [cpu.package.reason(), cpu.core.reason(), cpu.node.reason(), cpu.llc.reason(), cpu.siblings.reason()];
        assert!(
            reasons.iter().all(|reason| reason.is_some_and(|reason| reason.ends_with("does not exist"))),
            "{cpu:?}"
        );
    }
    assert!(topology.smt.reason().is_some() && topology.threads_per_core().reason().is_some());
    assert!(topology.cores().is_empty());
}

#[test]
fn empty_files_and_garbage() {
    let fixture = Fixture::smt(2, 2, "on");
    let folder = "sys/devices/system/cpu/cpu1/topology";
    fixture
        .bytes(&format!("{folder}/core_id"), &[0xff, 0xfe, 0])
        .file(&format!("{folder}/physical_package_id"), "")
        .file(&format!("{folder}/core_cpus_list"), "\n")
        .cpu(2, -1, -7, "0-1")
        .file("sys/devices/system/node/node0/cpulist", "zero");
    let topology = read(&fixture);
    let said = |measured: &Measured<u32>| measured.reason().unwrap().replace(&fixture.prefix(), "/");
    let cpu = &topology.cpus[1];
    assert_eq!(said(&cpu.package), "/sys/devices/system/cpu/cpu1/topology/physical_package_id is empty");
    assert!(said(&cpu.core).ends_with("was not expected"));
    assert_eq!(cpu.siblings.reason().unwrap(), "the siblings of CPU 1 are given as ``, without itself");
    let cpu = &topology.cpus[2];
    assert_eq!(said(&cpu.package), "the kernel does not know the physical_package_id of CPU 2");
    assert_eq!(said(&cpu.core), "core_id of CPU 2 is -7");
    assert!(cpu.siblings.value().is_none());
    assert!(said(&cpu.node).contains("`zero` is neither"));
    assert_eq!(topology.cpus[0].siblings, Measured::Value("0-1".parse().unwrap()));
}

#[test]
fn the_old_name_of_the_siblings_file() {
    let fixture = Fixture::smt(1, 2, "on");
    fixture.remove("sys/devices/system/cpu/cpu0/topology/core_cpus_list");
    fixture.file("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
    assert_eq!(read(&fixture).cpus[0].siblings, Measured::Value("0-1".parse().unwrap()));
}

#[test]
fn without_the_lists_there_is_one_sentence() {
    let fixture = Fixture::new();
    let said =
        |fixture: &Fixture| Topology::read(fixture.root()).unwrap_err().to_string().replace(&fixture.prefix(), "/");
    assert_eq!(said(&fixture), "/sys/devices/system/cpu/possible does not exist");
    fixture.lists("0", "0", "");
    assert_eq!(said(&fixture), "/sys/devices/system/cpu/online is empty");
    fixture.lists("0-", "0", "0");
    assert!(said(&fixture).starts_with("/sys/devices/system/cpu/possible: `0-` is neither"));
}

#[test]
fn the_live_machine() {
    let topology = Topology::read(Path::new("/")).unwrap();
    assert!(topology.online.without(&topology.present).is_empty());
    assert!(topology.present.without(&topology.possible).is_empty());
    let allowed = rustix::thread::sched_getaffinity(None).unwrap();
    let allowed: CpuList = (0..1024).filter(|&cpu| allowed.is_set(cpu as usize)).collect();
    assert!(allowed.without(&topology.online).is_empty(), "{allowed} of {}", topology.online);
    for cpu in &topology.cpus {
        if let Measured::Value(siblings) = &cpu.siblings {
            assert!(siblings.without(&topology.online).is_empty());
        }
    }
}
