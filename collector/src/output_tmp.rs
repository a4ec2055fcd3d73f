//! tmp
use crate::{agent::ReportFormat, engine::summary::Summary, record::*};
/// x
pub struct Report<'a> {
    /// h
    pub header: &'a Header,
    /// s
    pub summary: &'a Summary,
    /// t
    pub trailer: Option<&'a Trailer>,
}
/// x
pub struct Terminal;
impl Terminal {
    /// x
    pub fn of(_: &dyn std::any::Any) -> Self {
        Terminal
    }
}
/// x
pub fn render(_: ReportFormat, r: &Report<'_>, _: Option<&Terminal>) -> anyhow::Result<Vec<u8>> {
    let mut s = String::new();
    for c in &r.summary.cpus {
        s += &format!(
            "cpu {} {:?} n={} mean={:?} p50={:?} p99={:?} max={:?} open={:?} idle={:?} obs={}\n",
            c.cpu,
            c.counts,
            c.waits.n(),
            c.waits.mean_ns(),
            c.waits.percentile(50.),
            c.waits.percentile(99.),
            c.waits.max(),
            c.open,
            c.idle_ns,
            c.observed_ns
        );
    }
    for (n, h) in [
        ("workload", &r.summary.by_class.workload),
        ("others", &r.summary.by_class.others),
        ("collector", &r.summary.by_class.collector),
    ] {
        s += &format!(
            "{n} n={} sum={} mean={:?} p50={:?} p99={:?} max={:?}\n",
            h.n(),
            h.sum_ns,
            h.mean_ns(),
            h.percentile(50.),
            h.percentile(99.),
            h.max()
        );
    }
    for c in &r.summary.checks {
        s += &format!("{c:?}\n");
    }
    for c in &r.summary.concerns {
        s += &format!("{c:?}\n");
    }
    for c in r.summary.longest.iter().take(3) {
        s += &format!("{c:?}\n");
    }
    if let Some(t) = r.trailer {
        s += &format!("{:?} {} {:?}\n{:?}\n", t.reason, t.exit_code, t.open, t.quality);
    }
    Ok(s.into_bytes())
}
