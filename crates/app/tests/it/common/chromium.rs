//! Headless Chromium, driven through its `DevTools` protocol.
use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// Names under which Chromium is installed.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// One tab of a browser of its own. Everything that happens in it is remembered.
pub(crate) struct Tab {
    browser: Child,
    _profile: tempfile::TempDir,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    next: u64,
    /// What the browser told without being asked, in order.
    pub(crate) events: Vec<Value>,
}

impl Tab {
    /// A tab, or `None` with a word where there is no Chromium on this machine.
    pub(crate) fn open() -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let Some(mut browser) = NAMES.iter().find_map(|name| start(name, profile.path())) else {
            println!("skipped: no Chromium here (Debian's package is called chromium)");
            return None;
        };
        let mut lines = BufReader::new(browser.stderr.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap_or_default();
            line.strip_prefix("DevTools listening on ").map(str::to_owned)
        });
        let address = address.expect("Chromium says where it listens");
        // Nobody may be left reading: a browser whose errors pile up would stand still.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.trim_start_matches("ws://").split('/').next().unwrap().to_owned();
        let stream = TcpStream::connect(host).unwrap();
        let (socket, _) = tungstenite::client(address.as_str(), stream).unwrap();
        let mut tab =
            Self { browser, _profile: profile, socket, session: None, next: 0, events: vec![] };
        let target = tab.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = tab.call("Target.attachToTarget", &attach);
        tab.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility", "DOM"] {
            tab.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(tab)
    }

    /// Calls a method of the protocol and waits for its result.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let told = self.hear();
            if told["id"] == self.next {
                assert!(told.get("error").is_none(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
            self.events.push(told);
        }
    }

    fn hear(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    /// Does something that leads to another page, and waits until that is there.
    pub(crate) fn load(&mut self, leave: impl FnOnce(&mut Self)) {
        let before = self.events.len();
        leave(self);
        let is_loaded = |event: &Value| event["method"] == "Page.loadEventFired";
        while !self.events[before..].iter().any(is_loaded) {
            let told = self.hear();
            self.events.push(told);
        }
    }

    pub(crate) fn go(&mut self, address: &str) {
        let address = json!({ "url": address });
        self.load(|tab| {
            tab.call("Page.navigate", &address);
        });
    }

    /// The value of an expression of JavaScript in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true });
        let found = self.call("Runtime.evaluate", &asked);
        assert!(found.get("exceptionDetails").is_none(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// The value of an expression that is a text.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Presses a key as a person would.
    pub(crate) fn press(&mut self, key: &str, code: u32, text: &str) {
        let mut event = json!({
            "type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code,
            "nativeVirtualKeyCode": code,
        });
        if !text.is_empty() {
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", &event);
        event["type"] = "keyUp".into();
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// Types where the focus is.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Shows pages as on a screen of this width, light or dark.
    pub(crate) fn screen(&mut self, width: u32, scheme: &str) {
        let size = json!({
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.call("Emulation.setDeviceMetricsOverride", &size);
        let scheme = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [scheme] }));
    }

    /// Every address that was asked for.
    pub(crate) fn requested(&self) -> Vec<String> {
        let asked =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        asked
            .filter_map(|event| event["params"]["request"]["url"].as_str().map(str::to_owned))
            .collect()
    }

    /// Everything that went wrong in pages: exceptions, errors on the console, dialogs.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let is_trouble = |event: &&Value| {
            let level = event["params"]["entry"]["level"].as_str();
            let kind = event["params"]["type"].as_str();
            match event["method"].as_str() {
                Some("Runtime.exceptionThrown" | "Page.javascriptDialogOpening") => true,
                Some("Log.entryAdded") => level == Some("error"),
                Some("Runtime.consoleAPICalled") => kind == Some("error"),
                _ => false,
            }
        };
        self.events.iter().filter(is_trouble).map(Value::to_string).collect()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

fn start(name: &str, profile: &Path) -> Option<Child> {
    Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--remote-debugging-port=0", "--remote-allow-origins=*"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()
}
