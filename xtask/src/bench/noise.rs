//! Whether the machine was quiet, and waiting until it is.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

use super::{
    interrupt,
    machine::{Shares, Watch},
};

/// More than this of one CPU used by others makes a measurement noisy. Ticks are
/// 10 ms, so that a second on two CPUs is known to some 2 %.
const OTHERS: f64 = 0.10;

/// The same for what the hypervisor takes.
const STOLEN: f64 = 0.05;

/// How long the machine is looked at to tell whether it is quiet.
const LOOK: Duration = Duration::from_millis(150);

/// Who else used the CPUs during all measurements.
#[derive(Debug, Default)]
pub struct Noise {
    measurements: usize,
    noisy: usize,
    repeated: usize,
    others: Vec<f64>,
    stolen: f64,
    strangers: usize,
    patience: Duration,
    waited: Duration,
    turn: Option<Instant>,
}

impl Noise {
    /// Nothing measured yet; `patience` is how long may be waited in all.
    pub fn new(patience: Duration) -> Self {
        Self { patience, ..Self::default() }
    }

    /// Waits until others leave the CPUs alone, or patience is at its end.
    ///
    /// # Errors
    /// When interrupted.
    pub fn wait(&mut self) -> Result<()> {
        while self.waited < self.patience {
            interrupt::check()?;
            let watch = Watch::begin()?;
            thread::sleep(LOOK);
            let (_, shares) = watch.end(0.0)?;
            if shares.others <= OTHERS && shares.stolen <= STOLEN {
                break;
            }
            self.waited += LOOK;
        }
        self.turn = Some(Instant::now());
        Ok(())
    }

    /// Takes note of one measurement, during which others had these shares and,
    /// perhaps, loaded programs. `false` means that it was disturbed and is to be
    /// taken again.
    pub fn accepts(&mut self, shares: Shares, strangers: bool) -> bool {
        let noisy = shares.others > OTHERS || shares.stolen > STOLEN || strangers;
        if noisy && self.waited < self.patience {
            self.repeated += 1;
            self.waited += self.turn.map_or(Duration::ZERO, |turn| turn.elapsed());
            return false;
        }
        self.measurements += 1;
        self.noisy += usize::from(noisy);
        self.strangers += usize::from(strangers);
        self.others.push(shares.others);
        self.stolen = self.stolen.max(shares.stolen);
        true
    }

    /// One sentence or two.
    pub fn describe(&self) -> String {
        let mut others = self.others.clone();
        others.sort_by(f64::total_cmp);
        let median = others.get(others.len() / 2).copied().unwrap_or(0.0);
        let worst = others.last().copied().unwrap_or(0.0);
        let mut text = if self.noisy == 0 {
            format!("The machine was quiet in all {} measurements", self.measurements)
        } else {
            format!(
                "The machine was NOT quiet in {} of {} measurements: other processes used up to {worst:.2} CPUs \
                 (median {median:.2}), the hypervisor took up to {:.2}",
                self.noisy, self.measurements, self.stolen
            )
        };
        if self.repeated > 0 {
            text.push_str(&format!("; {} more were disturbed and taken again", self.repeated));
        }
        text.push('.');
        if self.strangers > 0 {
            text.push_str(&format!(" In {} of them another one loaded or unloaded BPF programs.", self.strangers));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_said_and_quiet_too() {
        let mut noise = Noise::default();
        assert!(noise.accepts(Shares { others: 0.02, stolen: 0.0 }, false));
        assert_eq!(noise.describe(), "The machine was quiet in all 1 measurements.");
        assert!(noise.accepts(Shares { others: 1.5, stolen: 0.01 }, true));
        let text = noise.describe();
        assert!(text.contains("NOT quiet in 1 of 2") && text.contains("up to 1.50 CPUs"), "{text}");
        assert!(text.ends_with("In 1 of them another one loaded or unloaded BPF programs."), "{text}");
    }

    #[test]
    fn with_patience_what_was_disturbed_is_taken_again() {
        let mut noise = Noise::new(Duration::from_secs(60));
        assert!(!noise.accepts(Shares { others: 1.5, stolen: 0.0 }, false));
        assert!(!noise.accepts(Shares { others: 0.0, stolen: 0.5 }, false));
        assert!(!noise.accepts(Shares { others: 0.0, stolen: 0.0 }, true));
        assert!(noise.accepts(Shares { others: 0.0, stolen: 0.0 }, false));
        let expected = "The machine was quiet in all 1 measurements; 3 more were disturbed and taken again.";
        assert_eq!(noise.describe(), expected);
    }

    #[test]
    fn without_patience_nothing_is_waited_for() {
        let mut noise = Noise::default();
        assert!(noise.wait().is_ok());
        assert!(noise.waited < LOOK);
    }
}
