use super::*;
use crate::host::fixture::Fixture;

const ROOT: u64 = 0x1ff_ffff_ffff;

fn rights(uid: u64, capabilities: u64) -> Rights {
    Rights {
        uid: Measured::Value(uid),
        capabilities: Measured::Value(CapabilitySet::from_bits_retain(capabilities)),
        initial_user_ns: Measured::Value(true),
        lockdown: Measured::Value("none".to_owned()),
        unprivileged_bpf_disabled: Measured::Value(2),
        seccomp: Measured::Value(0),
        container: None,
    }
}

#[test]
fn which_capabilities_are_enough() {
    let (bpf, perfmon, admin) = (1 << 39, 1 << 38, 1 << 21);
    for enough in [ROOT, admin, bpf | perfmon, bpf | perfmon | admin] {
        assert!(rights(0, enough).missing().is_empty());
    }
    assert_eq!(rights(1000, 0).missing(), ["CAP_BPF", "CAP_PERFMON"]);
    assert_eq!(rights(1000, bpf).missing(), ["CAP_PERFMON"]);
    assert_eq!(rights(1000, perfmon).missing(), ["CAP_BPF"]);
}

#[test]
fn one_sentence_a_cause() {
    assert_eq!(
        explain_eperm(&rights(1000, 0)),
        "no CAP_BPF and CAP_PERFMON (uid 1000): run as root, for instance with sudo"
    );
    let container = Rights { container: Some("docker".to_owned()), ..rights(0, 1 << 39) };
    assert_eq!(
        explain_eperm(&container),
        "no CAP_PERFMON in this container: start it with --cap-add=CAP_PERFMON, or --privileged"
    );
    let user = Rights { container: Some("docker".to_owned()), ..rights(1000, 0) };
    assert_eq!(
        explain_eperm(&user),
        "no CAP_BPF and CAP_PERFMON (uid 1000): run as root, in a container that was started with \
         --cap-add=CAP_BPF --cap-add=CAP_PERFMON, or --privileged"
    );
    let user_ns = Rights { initial_user_ns: Measured::Value(false), ..rights(0, ROOT) };
    assert!(explain_eperm(&user_ns).starts_with("this is a user namespace of its own"));
    let locked = Rights { lockdown: Measured::Value("confidentiality".to_owned()), ..rights(0, ROOT) };
    assert!(explain_eperm(&locked).starts_with("the kernel is locked down for confidentiality"));
    let filtered = Rights { seccomp: Measured::Value(2), ..rights(0, ROOT) };
    assert!(explain_eperm(&filtered).starts_with("a seccomp filter watches this process"));
    let both = Rights { container: Some("lxc".to_owned()), ..filtered };
    assert!(explain_eperm(&both).contains("--security-opt seccomp=unconfined"));
    assert!(explain_eperm(&rights(0, ROOT)).contains("security module"));
    let integrity = Rights { lockdown: Measured::Value("integrity".to_owned()), ..rights(0, ROOT) };
    assert_eq!(integrity.obstacle(), None);
}

#[test]
fn what_cannot_be_read_accuses_nobody() {
    let fixture = Fixture::new();
    let nothing = Rights::read(fixture.root());
    assert!(nothing.uid.reason().is_some() && nothing.capabilities.reason().is_some());
    assert!(nothing.lockdown.reason().is_some() && nothing.seccomp.reason().is_some());
    assert_eq!((nothing.obstacle(), nothing.container), (None, None));
}

#[test]
fn files_of_a_confined_process() {
    let fixture = Fixture::new();
    fixture
        .file("proc/self/status", "Uid:\t0\t1000\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n")
        .file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        .file("proc/sys/kernel/unprivileged_bpf_disabled", "1\n")
        .file(".dockerenv", "")
        .link("proc/self/ns/user", "user:[4026531837]");
    let rights = Rights::read(fixture.root());
    assert_eq!((rights.uid.value(), rights.unprivileged_bpf_disabled.value()), (Some(&1000), Some(&1)));
    assert_eq!(rights.lockdown, Measured::Value("integrity".to_owned()));
    assert_eq!(rights.initial_user_ns, Measured::Value(true));
    assert_eq!(rights.missing(), ["CAP_BPF", "CAP_PERFMON"]);
    fixture.file("sys/kernel/security/lockdown", "garbage\n");
    assert!(Rights::read(fixture.root()).lockdown.reason().is_some_and(|reason| reason.contains("`garbage`")));
}

#[test]
fn the_live_machine() {
    let rights = Rights::read(Path::new("/"));
    assert_eq!(rights.uid.value(), Some(&u64::from(rustix::process::geteuid().as_raw())));
    let effective = rustix::thread::capabilities(None).map(|sets| sets.effective.bits());
    assert_eq!(rights.capabilities.value().map(|held| held.bits()), effective.ok());
}
