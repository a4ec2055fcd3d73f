//! Cores and their siblings: which CPUs the programs look at together, and what they
//! counted of them.

use std::os::fd::BorrowedFd;

use aya::{
    Ebpf, EbpfLoader, Pod,
    maps::{Array, HashMap, MapData},
};
use collector_ebpf::{
    abi::{self, Blame, Core, Culprit, Episodes, Place, Sibling, episodes_index},
    core_state::{LOSSES, SLOTS},
};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::source::{CoreReading, Losses};

/// Wraps a map value for aya.
macro_rules! pod {
    ($($name:ident $value:ty)*) => {
        $(
            #[derive(Clone, Copy)]
            #[repr(transparent)]
            struct $name($value);
            // SAFETY: integers in a repr(C) struct without padding: any bits are valid.
            unsafe impl Pod for $name {}
        )*
    };
}

pod! {
    PlaceValue Place
    CoreValue Core
    CulpritValue Culprit
    BlameValue Blame
}

/// The cores with siblings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores {
    /// CPUs of each, in order of number.
    cores: Vec<Vec<u32>>,
    /// The largest number of a possible CPU.
    last_cpu: u32,
}

impl Cores {
    /// Of lists of siblings, those that the programs can look at: two to eight CPUs
    /// with numbers below 65,536.
    pub fn new(lists: impl IntoIterator<Item = Vec<u32>>, last_cpu: u32) -> Self {
        let fits = |cpus: &Vec<u32>| (2..=SLOTS).contains(&cpus.len()) && cpus.iter().all(|&cpu| cpu <= 0xffff);
        Self { cores: lists.into_iter().filter(fits).collect(), last_cpu }
    }

    /// Whether there is any.
    pub fn any(&self) -> bool {
        !self.cores.is_empty()
    }

    /// Gives the maps their sizes.
    pub(super) fn size(&self, loader: &mut EbpfLoader<'_>) {
        let (cpus, cores) = if self.any() { (self.last_cpu + 1, self.cores.len() as u32) } else { (1, 1) };
        loader
            .map_max_entries(abi::PLACES, cpus)
            .map_max_entries(abi::CORES, cores)
            .map_max_entries(abi::EPISODES, if self.any() { cpus * LOSSES as u32 } else { 1 })
            .map_max_entries(abi::BLAMES, if self.any() { abi::BLAMES_KEPT } else { 1 });
    }

    /// Where each CPU of a core is.
    fn places(&self) -> impl Iterator<Item = (u32, Place)> + '_ {
        (0..).zip(&self.cores).flat_map(|(core, cpus)| {
            let siblings = cpus.len() as u16;
            (0..).zip(cpus).map(move |(slot, &cpu)| (cpu, Place { core, slot, siblings }))
        })
    }

    /// Tells the programs, before they are attached.
    pub(super) fn prepare(&self, ebpf: &mut Ebpf) -> Result<(), String> {
        if !self.any() {
            return Ok(());
        }
        let mut places: Array<&mut MapData, PlaceValue> = array(ebpf, abi::PLACES)?;
        for (cpu, place) in self.places() {
            places.set(cpu, PlaceValue(place), 0).map_err(|error| failed(abi::PLACES, &error))?;
        }
        let mut cores: Array<&mut MapData, CoreValue> = array(ebpf, abi::CORES)?;
        for (index, cpus) in (0..).zip(&self.cores) {
            let mut core = Core::default();
            for (sibling, &cpu) in core.siblings.iter_mut().zip(cpus) {
                *sibling = Sibling { cpu, ..Sibling::default() };
            }
            cores.set(index, CoreValue(core), 0).map_err(|error| failed(abi::CORES, &error))?;
        }
        Ok(())
    }

    /// Reads what was counted so far.
    ///
    /// # Errors
    ///
    /// If a map cannot be used.
    pub(super) fn read(&self, cores: BorrowedFd<'_>, episodes: BorrowedFd<'_>) -> std::io::Result<Vec<CoreReading>> {
        if !self.any() {
            return Ok(Vec::new());
        }
        let values: Vec<Core> = copy(cores, self.cores.len())?;
        let losses: Vec<Episodes> = copy(episodes, (self.last_cpu as usize + 1) * LOSSES)?;
        let of = |cpu: u32, loss| losses[episodes_index(cpu, loss) as usize];
        let core = |(cpus, core): (&Vec<u32>, &Core)| CoreReading {
            core: *core,
            losses: cpus.iter().map(|&cpu| Losses { cpu, episodes: [of(cpu, 0), of(cpu, 1)] }).collect(),
        };
        Ok(self.cores.iter().zip(&values).map(core).collect())
    }

    /// Bytes of the maps' values.
    pub(super) fn memory(&self) -> u64 {
        if !self.any() {
            return 0;
        }
        let cpus = u64::from(self.last_cpu) + 1;
        let of = |size: usize| size as u64;
        cpus * (of(size_of::<Place>()) + LOSSES as u64 * of(size_of::<Episodes>()))
            + self.cores.len() as u64 * of(size_of::<Core>())
            + u64::from(abi::BLAMES_KEPT) * of(size_of::<Culprit>() + size_of::<Blame>())
    }
}

/// Who caused forced idle, and who waited for it, so far.
pub(super) fn blames(ebpf: &mut Ebpf) -> Result<Vec<(Culprit, Blame)>, String> {
    let map = ebpf.map_mut(abi::BLAMES).ok_or_else(|| failed(abi::BLAMES, &"not in the kernel object"))?;
    let map: HashMap<&mut MapData, CulpritValue, BlameValue> =
        HashMap::try_from(map).map_err(|error| failed(abi::BLAMES, &error))?;
    // An entry that goes while the map is read ends the reading early; what was read stands.
    Ok(map.iter().map_while(Result::ok).map(|(culprit, blame)| (culprit.0, blame.0)).collect())
}

fn array<'a, V: Pod>(ebpf: &'a mut Ebpf, name: &'static str) -> Result<Array<&'a mut MapData, V>, String> {
    let map = ebpf.map_mut(name).ok_or_else(|| failed(name, &"not in the kernel object"))?;
    Array::try_from(map).map_err(|error| failed(name, &error))
}

fn failed(map: &str, error: &impl std::fmt::Display) -> String {
    format!("cannot use the kernel map {map}: {error}")
}

/// Copies the first values of a map that can be mapped. Mapped for the moment, so that
/// it does not count as this program's memory; what is written meanwhile may be in the
/// copy or not, number by number.
fn copy<T: Copy>(map: BorrowedFd<'_>, count: usize) -> std::io::Result<Vec<T>> {
    let length = (count * size_of::<T>()).next_multiple_of(rustix::param::page_size());
    // SAFETY: a new mapping where the kernel likes; nothing existing is touched.
    let address = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, map, 0) }?;
    // SAFETY: the map has so many values of this type, which are integers throughout.
    let values = (0..count).map(|i| unsafe { address.cast::<T>().add(i).read_volatile() }).collect();
    // SAFETY: the mapping made above, no longer used.
    unsafe { munmap(address, length) }?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cores_with_two_to_eight_siblings_are_looked_at() {
        let lists = vec![vec![0, 4], vec![1], vec![2, 6], (10..19).collect(), vec![3, 70_000], (20..28).collect()];
        let cores = Cores::new(lists, 70_000);
        assert_eq!(cores.cores, [vec![0, 4], vec![2, 6], (20..28).collect()]);
        let places: Vec<_> = cores.places().take(4).map(|(cpu, place)| (cpu, place.core, place.slot)).collect();
        assert_eq!(places, [(0, 0, 0), (4, 0, 1), (2, 1, 0), (6, 1, 1)]);
        assert!(!Cores::new(vec![vec![0], vec![1]], 1).any());
    }
}
