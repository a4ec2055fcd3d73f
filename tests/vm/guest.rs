use libtest_mimic::Trial;
pub fn tests() -> Vec<Trial> { vec![super::needs::test("guest::x", &[], || { println!("{:?}", super::harness::run(&[], &["true"]).code); })] }
