//! The programs' own diagnostics, through aya-log: in an object built with the
//! feature `debug-log`. Without it nothing of them is in the object: no instruction,
//! no map, no string.

/// Says something of rare events; see the module.
macro_rules! diagnose {
    ($($args:tt)*) => {
        #[cfg(feature = "debug-log")]
        aya_log_ebpf::debug!((), $($args)*);
    };
}

pub(crate) use diagnose;
