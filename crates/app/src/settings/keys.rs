//! Every setting of a crawl, once. Its key in `sanderling.toml`, its flag, its environment variable,
//! its line in `--help` and its lines in the file that `sanderling init` writes come from this table.
use std::{collections::BTreeMap, ffi::OsString, fmt::Write, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// One setting.
pub(crate) struct Key {
    /// As in the file. Its flag has dashes for underscores, its variable is `SANDERLING_KEY`.
    pub(crate) name: &'static str,
    /// What stands for the value in `--help`.
    pub(crate) value: &'static str,
    /// The default, as written in the file; `None` if there is none.
    pub(crate) default: Option<&'static str>,
    /// A value to show in the file that `init` writes, if there is no default.
    pub(crate) example: &'static str,
    /// What it means.
    pub(crate) help: &'static str,
}

/// Settings that belong together, under one heading.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) keys: &'static [Key],
}

/// Earlier names of keys. They still work: in the file, as a variable and as a flag.
pub(crate) const ALIASES: &[(&str, &str)] = &[("every", "interval")];

/// The table: groups of `key VALUE = default, "help"`; a key without a default has `like example`.
macro_rules! groups {
    ($($title:literal: $($name:ident $value:literal $how:ident $word:literal, $help:literal;)*)*) => {
        &[$(Group { title: $title, keys: &[$(groups!(@$how $name $value $word $help)),*] }),*]
    };
    (@default $name:ident $value:literal $word:literal $help:literal) => {
        Key { name: stringify!($name), value: $value, default: Some($word), example: "", help: $help }
    };
    (@like $name:ident $value:literal $word:literal $help:literal) => {
        Key { name: stringify!($name), value: $value, default: None, example: $word, help: $help }
    };
}

/// All settings.
#[rustfmt::skip]
pub(crate) static GROUPS: &[Group] = groups! {
    "What to crawl":
    contact "URL|E-MAIL" like "\"https://example.org/bot\"",
        "How a site owner can reach you. Part of the user agent; required before any host other than \
         this machine is visited";
    data "DIR" default "\"sanderling-data\"",
        "The data folder: database, WARC files, indexes";
    seeds "URLS" like "[\"https://docs.example.org/\"]",
        "URLs to start from";
    seeds_from "FILE" like "\"urls.txt\"",
        "A file with more URLs to start from, one per line; lines that begin with # are ignored. - reads \
         standard input";
    scope "SCOPE" default "\"host\"",
        "Which links to follow: host (the hosts of the seeds), domain (their registrable domains), \
         prefix (below the folders of the seeds), any";
    follow "WHAT" default "\"links\"",
        "Which URLs become pages: links (those that pages, sitemaps and feeds link to), sitemaps (only \
         those in sitemaps and feeds, and targets of redirects)";

    include "PATTERNS" like "[\"/docs/*\"]",
        "Visit only URLs that match one of these patterns, and the seeds. A pattern is a glob of the whole \
         URL (*guide*), of the path if it begins with a slash (/docs/*), or a regular expression after re: \
         (re:/v[0-9]+/)";
    exclude "PATTERNS" like "[\"*/tag/*\", \"re:[?&]sort=\"]",
        "Do not visit URLs that match one of these patterns, except the seeds";
    types "PATTERNS" default "\"text/*, application/xhtml+xml, application/xml, application/*+xml, application/json, application/pdf\"",
        "Types of content to visit, as patterns. The ending of a URL tells the type before it is visited \
         (.jpg, .zip), the Content-Type header after. Write * for all";
    exclude_types "PATTERNS" like "\"application/pdf\"",
        "Types of content not to visit";

    "How to spend the budget":
    budget "BUDGET" like "200",
        "Fetch budget of each cycle of refresh and run: visits (200), bytes received (20MB) or time \
         (10min)";
    interval "TIME" like "\"1d\"",
        "Time from the start of one cycle of run to the next";
    policy "NAME" like "\"unified:new=4\"",
        "The policy that chooses the visits (`sanderling lab names` lists them), with parameters as \
         NAME:KEY=VALUE:KEY=VALUE. Default: unified, which gives every visit a price, also those \
         that look for new pages; it weighs pages by their effect on search results if a query workload \
         is known";
    weights "URL=WEIGHT" like "{ \"https://docs.example.org/2.1/\" = 3, \"*/archive/*\" = 0.2 }",
        "What pages are worth to you, by the start of their URLs or by a pattern with * for any text; other \
         pages count 1, and of several matches the longest counts. Used where no query workload says what \
         pages are worth to searchers";
    detector "NAME" default "\"main-text\"",
        "What counts as a change: main-text (menus, headers and footers do not), digest (any visible \
         text), and others (`sanderling lab names` lists them)";
    seed "N" default "1",
        "Seed of policies that choose at random";
    cycle_limit "TIME" default "\"1h\"",
        "Time limit of a cycle of refresh or run. Pages not reached by then are reported as not \
         reached, not as unchanged. crawl has no limit unless you set one, such as 30m";
    recheck_share "SHARE" default "\"2%\"",
        "Largest share of a budget for checking whether dead links and gone pages are there now";

    "Searching":
    index "YES|NO" default "\"yes\"",
        "Update the search index while crawling; otherwise run `sanderling index`";
    index_wait "TIME" default "\"10s\"",
        "Longest time, while a crawl runs, until a fetched page can be found";
    queries "FILE" like "\"queries.tsv\"",
        "Query workload (TSV: query, count). Default: the query log of the search page, once it has \
         50 different queries";
    listen "ADDRESS:PORT" default "\"127.0.0.1:8088\"",
        "Where serve opens the search page and the API. At 127.0.0.1 only this machine reaches it; another \
         address needs token_file or public. Port 0 takes a free port";
    token_file "FILE" like "\"token.txt\"",
        "File whose first line is the token that others need, at least 16 characters: as the header \
         Authorization: Bearer TOKEN, or typed in at /login";
    public "YES|NO" default "\"no\"",
        "Open the search page to everyone who reaches the address. The dashboard, the lists of hosts and \
         changes, metrics and the corpus need the token even so";
    tls_cert "FILE" like "\"cert.pem\"",
        "Certificates (PEM) for encrypted connections, that of this server first";
    tls_key "FILE" like "\"key.pem\"",
        "Key (PEM) of that certificate";
    listen_names "HOSTS" like "[\"search.example\"]",
        "Other host names to answer to while only this machine reaches the page, as behind a proxy";
    query_log "YES|NO" default "\"yes\"",
        "Count queries by day, without who searched";

    "Dashboard":
    freshness_target "SHARE" like "\"95 %\"",
        "Share of held pages that should be up to date. The dashboard draws it beside the estimate";
    webhook "URL" like "\"https://example.org/hooks/changes\"",
        "Where run and serve send changes as they are found: POST, JSON. What could not be delivered is \
         sent again, also after a restart";
    webhook_secret "SECRET" like "\"a long random text\"",
        "Key that signs what is sent to the webhook (HMAC-SHA-256). As a flag other users of this machine \
         could read it; SANDERLING_WEBHOOK_SECRET hides it";

    "Politeness":
    delay "TIME" default "\"1s\"",
        "Shortest time between a host's response and the next request to it. A Crawl-delay of the host \
         can make it longer, never shorter";
    response_multiple "NUMBER" default "2",
        "Also wait at least this many times the host's last response time";
    hosts_at_once "N" default "200",
        "Hosts to fetch from at the same time, with one connection each";

    "Access":
    headers "HOST=NAME:VALUE" like "[\"docs.example.org=Accept-Language: de\"]",
        "Extra request headers for single hosts. A host means https; write http://HOST for an open \
         connection. A value may be @FILE or $VARIABLE. Sent to no other host, never logged, not archived";
    basic_auth "HOST=SOURCE" like "[\"docs.example.org=$DOCS_LOGIN\"]",
        "Name and password (name:password) for single hosts, each from @FILE or $VARIABLE";
    cookies "HOST=SOURCE" like "[\"docs.example.org=@cookies.txt\"]",
        "Cookies (name=value; name=value) for single hosts, each from @FILE or $VARIABLE";
    archive_headers "YES|NO" default "\"no\"",
        "Keep these headers in the request records of WARC files";
    proxy "URL" like "\"http://proxy.example:3128\"",
        "HTTP proxy to all hosts, as http://HOST:PORT or http://NAME:PASSWORD@HOST:PORT, or from @FILE or \
         $VARIABLE. It resolves names, so only addresses that are numbers can be checked";

    "Archive":
    warc_size "SIZE" default "\"1GB\"",
        "Size after which a new WARC file begins";

    "Limits of one response":
    max_body "SIZE" default "\"10MiB\"",
        "Longest body";
    max_decompressed "SIZE" default "\"50MiB\"",
        "Longest body after decompression. The data folder remembers the largest value it was crawled with, \
         so that a smaller one later leaves every held page readable";
    max_header "SIZE" default "\"64KiB\"",
        "Longest response header";
    connect_time "TIME" default "\"10s\"",
        "Longest wait for a connection";
    first_byte_time "TIME" default "\"20s\"",
        "Longest wait for the first byte of a response";
    total_time "TIME" default "\"60s\"",
        "Longest wait for a whole response";

    "Safety":
    allow "HOSTS" like "[\"intranet.example\"]",
        "Hosts that may have private or loopback addresses; all others with such addresses are refused";
    resolve "HOST=IP:PORT" like "[\"docs.example=127.0.0.1:8080\"]",
        "IP addresses of hosts, each with its port, instead of DNS: docs.example=127.0.0.1:8080";
    roots "FILE" like "\"company-ca.pem\"",
        "Certificates (PEM) to trust in addition to the system's";
    pages_per_host "N" default "100000",
        "Most pages of one host";
    path_depth "N" default "20",
        "Deepest path to follow";
    repeated_segments "N" default "3",
        "How often a segment may occur in a path";
    query_parameters "N" default "10",
        "Most parameters in the query of a URL";
    queries_per_path "N" default "5000",
        "Most different queries of one path";
    dated_pages "N" default "5000",
        "Most pages of one host whose URLs differ only in a date";
};

/// Every key, in order.
pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    GROUPS.iter().flat_map(|group| group.keys)
}

/// The key with this name, for messages and defaults.
pub(crate) fn by_name(name: &str) -> &'static Key {
    all().find(|key| key.name == name).expect("every key in use is in the table")
}

/// The settings given as flags, and the file that holds the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) config: Option<PathBuf>,
    pub(crate) given: BTreeMap<&'static str, String>,
}

impl Flags {
    /// The flags that the next command on the same folder needs, as they were given.
    pub(crate) fn repeated(&self) -> String {
        let config = self.config.as_ref().map(|file| format!(" --config {}", file.display()));
        let data = self.given.get("data").map(|folder| format!(" --data {folder}"));
        [config, data].into_iter().flatten().collect()
    }
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("The settings file [default: sanderling.toml, if it exists]");
        let mut command = command.arg(config);
        for group in GROUPS {
            for key in group.keys.iter().filter(|key| is_flag(key)) {
                let default = key.default.map_or(String::new(), |default| {
                    format!(" [default: {}]", default.trim_matches('"'))
                });
                command = command.arg(
                    Arg::new(key.name)
                        .long(key.name.replace('_', "-"))
                        .visible_aliases(aliases(key))
                        .value_name(key.value)
                        .action(ArgAction::Set)
                        .allow_hyphen_values(true)
                        .help(format!("{}{default}", key.help))
                        .help_heading(group.title),
                );
                if is_switch(key) {
                    let name = key.name.replace('_', "-");
                    command = command.arg(
                        Arg::new(negative(key))
                            .long(format!("no-{name}"))
                            .action(ArgAction::SetTrue)
                            .conflicts_with(key.name)
                            .help(format!("The same as --{name} no"))
                            .help_heading(group.title),
                    );
                }
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.config = matches.get_one::<PathBuf>("config").cloned();
        for key in all().filter(|key| is_flag(key)) {
            if let Some(value) = matches.get_one::<String>(key.name) {
                self.given.insert(key.name, value.clone());
            } else if is_switch(key) && matches.get_flag(&negative(key)) {
                self.given.insert(key.name, "no".to_owned());
            }
        }
        Ok(())
    }
}

/// The earlier names of a key.
pub(crate) fn aliases(key: &Key) -> impl Iterator<Item = &'static str> {
    let name = key.name;
    ALIASES.iter().filter(move |(_, of)| *of == name).map(|&(alias, _)| alias)
}

/// Whether a key has a flag: seeds are given without one.
fn is_flag(key: &Key) -> bool {
    key.name != "seeds"
}

/// Whether a key is yes or no, and so has a flag for no.
fn is_switch(key: &Key) -> bool {
    key.value == "YES|NO"
}

/// The name of the flag for no on the command line.
fn negative(key: &Key) -> String {
    format!("no_{}", key.name)
}

/// The environment variable of a key or of its alias.
pub(crate) fn variable(name: &str) -> OsString {
    format!("SANDERLING_{}", name.to_uppercase()).into()
}

/// The file that `sanderling init` writes: every key with its meaning, commented out unless it is
/// set.
pub(crate) fn file(contact: Option<&str>, seeds: &[String]) -> String {
    let mut text = String::from(
        "# Settings of Sanderling. Every key is also a flag (--cycle-limit 2h) and an environment\n\
         # variable (SANDERLING_CYCLE_LIMIT=2h). A flag overrides the variable, which overrides this\n\
         # file. Times: 500ms, 1s, 30m, 12h, 1d, 1w. Sizes: 512KiB, 10MiB, 1GiB.\n",
    );
    for group in GROUPS {
        let _ = writeln!(text, "\n# {}", group.title);
        for key in group.keys {
            for line in wrapped(key.help) {
                let _ = writeln!(text, "# {line}");
            }
            let written = match (key.name, contact) {
                ("contact", Some(contact)) => format!("contact = {contact:?}\n"),
                ("seeds", _) if !seeds.is_empty() => format!("seeds = {seeds:?}\n"),
                (name, _) => format!("#{name} = {}\n", key.default.unwrap_or(key.example)),
            };
            text.push_str(&written);
        }
    }
    text
}

/// `text` in lines of at most 96 characters, full stop at its end.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in format!("{text}.").split_whitespace() {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && line.len() + 1 + word.len() > 96 {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
