//! Checks of a page that shows in a browser: that everyone can use it.
use serde_json::Value;

use super::chromium::Tab;

/// For every piece of text that shows: its contrast with what is behind it, where that is too small
/// (WCAG 2.2, 1.4.3: 4.5, and 3 for large text).
const CONTRAST: &str = r"
(() => {
  const parse = (colour) => {
    const found = colour.match(/[\d.]+/g).map(Number);
    return { red: found[0], green: found[1], blue: found[2], alpha: found[3] ?? 1 };
  };
  const channel = (value) => {
    value /= 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const light = (c) => 0.2126 * channel(c.red) + 0.7152 * channel(c.green) + 0.0722 * channel(c.blue);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.alpha > 0.99) return colour;
      if (colour.alpha > 0) return null;
    }
    return parse(getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
      matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)');
  };
  const faults = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const element = node.parentElement;
    const style = getComputedStyle(element);
    if (!node.data.trim() || element.closest('[hidden]') || !element.checkVisibility()) continue;
    const back = behind(element);
    if (!back) { faults.push('half-transparent background behind ' + node.data.trim()); continue; }
    const [a, b] = [light(parse(style.color)), light(back)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) {
      faults.push(`${contrast.toFixed(2)} for ${node.data.trim().slice(0, 40)}`);
    }
  }
  return faults;
})()";

/// What is wrong with the structure of the page.
const STRUCTURE: &str = r"
(() => {
  const faults = [];
  const one = (selector) => {
    const count = document.querySelectorAll(selector).length;
    if (count !== 1) faults.push(`${count} of ${selector}`);
  };
  one('main'); one('h1'); one('head > title');
  if (!document.documentElement.lang) faults.push('no language');
  if (!document.title.trim()) faults.push('no title');
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`heading ${next} after ${level}`);
    level = next;
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push('an id stands twice');
  for (const image of document.querySelectorAll('img:not([alt])')) faults.push('an image without alt');
  for (const element of document.querySelectorAll('[tabindex]')) {
    if (element.tabIndex > 0) faults.push('a tabindex above 0 changes the focus order');
  }
  for (const script of document.scripts) {
    if (!script.src.startsWith(location.origin + '/assets/live-')) faults.push('a script');
  }
  if (document.documentElement.scrollWidth > innerWidth) {
    faults.push(`wider than the screen: ${document.documentElement.scrollWidth} on ${innerWidth}`);
  }
  for (const link of document.querySelectorAll('a[href], button, input, select, summary')) {
    const box = link.getBoundingClientRect();
    const inline = getComputedStyle(link).display === 'inline';
    if (box.height > 0 && !inline && (box.height < 24 || box.width < 24) && link.type !== 'radio') {
      faults.push(`a target of ${box.width.toFixed(0)} x ${box.height.toFixed(0)}: ${link.textContent}`);
    }
  }
  return faults;
})()";

/// The focused element: its place in the document, and whether its focus can be seen.
const FOCUSED: &str = r"
(() => {
  const all = [...document.querySelectorAll('*')];
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  return [element === document.body ? -1 : all.indexOf(element), shown, element.outerHTML.slice(0, 80)];
})()";

/// Every check on the page that is open, on a phone and a desk, light and dark.
pub(crate) fn check(tab: &mut Tab, page: &str) {
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")] {
        tab.screen(width, scheme);
        for expression in [CONTRAST, STRUCTURE] {
            let faults = tab.value(expression);
            assert_eq!(faults, serde_json::json!([]), "{page} at {width}, {scheme}");
        }
    }
    tab.screen(1280, "light");
    check_names(tab, page);
    check_focus(tab, page);
}

/// Everything that can be used has a name that a screen reader can say.
fn check_names(tab: &mut Tab, page: &str) {
    let tree = tab.call("Accessibility.getFullAXTree", &serde_json::json!({}));
    let roles = ["link", "button", "textbox", "searchbox", "combobox", "radio", "checkbox"];
    let mut landmarks = vec![];
    for node in tree["nodes"].as_array().unwrap() {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default().trim();
        if node["ignored"] == Value::Bool(true) {
            continue;
        }
        landmarks.push(role.to_owned());
        assert!(!roles.contains(&role) || !name.is_empty(), "{page}: a {role} without a name");
    }
    for landmark in ["main", "search"] {
        assert!(landmarks.iter().any(|role| role == landmark), "{page}: no {landmark}");
    }
}

/// With the key Tab one comes to everything, in the order of reading, and sees where one is.
fn check_focus(tab: &mut Tab, page: &str) {
    // Where Tab begins is where the focus was last, also after it was taken away: so it is put to the
    // top, which only what has a tabindex can take.
    tab.value(
        "document.body.tabIndex = -1, document.body.focus(), \
         document.body.removeAttribute('tabindex'), scrollTo(0, 0)",
    );
    let everything = tab.value(
        "[...document.querySelectorAll('a[href], button, input, select, summary')] \
         .filter((e) => e.checkVisibility() && e.type !== 'radio' && e.type !== 'hidden').length",
    );
    let (mut last, mut visited) = (-1, 0);
    for _ in 0..everything.as_u64().unwrap() + 20 {
        tab.press("Tab", 9, "");
        let focused = tab.value(FOCUSED);
        let place = focused[0].as_i64().unwrap();
        if place <= last {
            break;
        }
        assert_eq!(focused[1], true, "{page}: the focus cannot be seen on {}", focused[2]);
        (last, visited) = (place, visited + 1);
    }
    assert!(visited >= everything.as_u64().unwrap(), "{page}: {visited} of {everything} reached");
}
