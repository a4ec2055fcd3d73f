//! The machine as a record's header keeps it.

use std::path::Path;

use super::{ReadError, cpuinfo, topology::Topology};
use crate::record::Machine;

/// Describes the running machine; names are those of `uname`, the rest is read under `root`.
///
/// # Errors
/// Those of [`Topology::read`].
pub fn machine(root: &Path) -> Result<Machine, ReadError> {
    let topology = Topology::read(root)?;
    let name = rustix::system::uname();
    Ok(Machine {
        hostname: name.nodename().to_string_lossy().into_owned(),
        kernel: name.release().to_string_lossy().into_owned(),
        arch: name.machine().to_string_lossy().into_owned(),
        model: cpuinfo::model(root),
        possible: topology.possible.to_string(),
        present: topology.present.to_string(),
        online: topology.online.to_string(),
        smt: topology.smt.clone().map(|control| control.to_string()),
        topology: topology.places(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::{host::fixture::Fixture, record::Measured};

    #[test]
    fn a_made_up_machine() {
        let fixture = Fixture::smt(2, 4, "on");
        fixture.lists("0-15", "0-7", "0-7").file("proc/cpuinfo", "cpu : POWER10\n");
        let machine = machine(fixture.root()).unwrap();
        assert_eq!(machine.model, Measured::Value("POWER10".to_owned()));
        assert_eq!(
            (machine.possible.as_str(), machine.present.as_str(), machine.online.as_str()),
            ("0-15", "0-7", "0-7")
        );
        assert_eq!(machine.smt, Measured::Value("on".to_owned()));
        assert_eq!(machine.topology.len(), 8);
        assert_eq!(machine.topology[5].siblings, Measured::Value("4-7".to_owned()));
    }

    #[test]
    fn the_live_machine() {
        let machine = machine(Path::new("/")).unwrap();
        assert!(!machine.kernel.is_empty() && !machine.topology.is_empty());
    }
}
