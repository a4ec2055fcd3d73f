//! `collector check`.

use collector::check::{Item, Status};

use crate::support::answer;

#[test]
fn both_forms_say_the_same() {
    let (json, text) = (answer(&["check", "--json"]), answer(&["check"]));
    let items: Vec<Item> = serde_json::from_str(&json.stdout).unwrap();
    let works = !items.iter().any(|item| item.required && item.status == Status::Missing);
    let code = i32::from(!works);
    assert_eq!((json.code, json.stderr.as_str()), (code, ""));
    assert_eq!((text.code, text.stderr.as_str()), (code, ""));
    let mut lines = text.stdout.lines();
    for item in &items {
        let line = lines.find(|line| line.starts_with(&item.name)).unwrap_or_else(|| panic!("no {}", item.name));
        assert!(line.contains(item.status.word()), "{line}");
        assert_eq!(item.remedy.is_none(), item.status == Status::Ok, "{item:?}");
    }
}
