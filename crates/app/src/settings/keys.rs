//! Every setting of a crawl, once: its key in `sanderling.toml`, its flag, its environment variable,
//! its line in `--help` and in the file that `sanderling init` writes all come from this table.
use std::{collections::BTreeMap, ffi::OsString, fmt::Write, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// One setting.
pub(crate) struct Key {
    /// As in the file; its flag has dashes for underscores, its variable is `SANDERLING_KEY`.
    pub(crate) name: &'static str,
    /// What stands for the value in `--help`.
    pub(crate) value: &'static str,
    /// What holds where nothing is written, in words of the file; `None` where nothing does.
    pub(crate) default: Option<&'static str>,
    /// A value to show in the file that `init` writes, where there is no default.
    pub(crate) example: &'static str,
    /// What it means.
    pub(crate) help: &'static str,
}

/// Settings that belong together, under one heading.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) keys: &'static [Key],
}

const fn key(
    name: &'static str,
    value: &'static str,
    default: Option<&'static str>,
    example: &'static str,
    help: &'static str,
) -> Key {
    Key { name, value, default, example, help }
}

/// All settings.
pub(crate) static GROUPS: &[Group] = &[
    Group {
        title: "What to crawl",
        keys: &[
            key(
                "contact",
                "URL|E-MAIL",
                None,
                "\"https://example.org/bot\"",
                "How a site owner can reach you; part of the user agent, and needed before any host \
                 but this machine is visited",
            ),
            key(
                "data",
                "DIR",
                Some("\"sanderling-data\""),
                "",
                "The folder that holds everything: database, WARC files, indexes",
            ),
            key(
                "seeds",
                "URLS",
                None,
                "[\"https://docs.example.org/\"]",
                "Addresses to begin with",
            ),
            key(
                "scope",
                "SCOPE",
                Some("\"host\""),
                "",
                "Which links are followed: host (the hosts of the seeds), domain (their registrable \
                 domains), prefix (below the seeds' folders), any",
            ),
        ],
    },
    Group {
        title: "How to spend the budget",
        keys: &[
            key("budget", "N", None, "200", "Visits in each cycle of refresh and run"),
            key("every", "TIME", None, "\"1d\"", "The time from one cycle of run to the next"),
            key(
                "policy",
                "NAME",
                None,
                "\"mix:share=0.2\"",
                "Which policy chooses the visits (`sanderling lab names` lists them); with parameters \
                 NAME:KEY=VALUE:KEY=VALUE. Without, mix, which looks for new pages with a tenth of the \
                 budget; its refresh policy is user-centric-index where it is known what people ask for, \
                 else freshness-index",
            ),
            key("detector", "NAME", Some("\"digest\""), "", "What counts as a change"),
            key("seed", "N", Some("1"), "", "The seed of policies that use chance"),
            key(
                "cycle_limit",
                "TIME",
                Some("\"1h\""),
                "",
                "The longest a cycle of refresh or run may take; what is not reached by then is \
                 said so, not taken for unchanged. crawl has no limit unless one is given",
            ),
        ],
    },
    Group {
        title: "Searching",
        keys: &[
            key(
                "index",
                "YES|NO",
                Some("\"yes\""),
                "",
                "Whether what is fetched can be searched at once. Without, crawling does nothing for it; \
                 sanderling index does it later",
            ),
            key(
                "index_wait",
                "TIME",
                Some("\"10s\""),
                "",
                "The longest time, while a crawl runs, until what was fetched can be found",
            ),
            key(
                "queries",
                "FILE",
                None,
                "\"queries.tsv\"",
                "What people ask for: lines of a query, a tab and how often it is asked. Without, the \
                 search page's own log, and before there is one, pseudo-queries made from titles, headings \
                 and links",
            ),
            key(
                "listen",
                "ADDRESS:PORT",
                Some("\"127.0.0.1:8088\""),
                "",
                "Where serve opens the search page and the API; only this machine reaches it there. \
                 Port 0 takes any that is free",
            ),
            key(
                "listen_names",
                "HOSTS",
                None,
                "[\"search.example\"]",
                "Other names that the search page answers to while it listens on this machine only, \
                 as behind a proxy",
            ),
            key(
                "query_log",
                "YES|NO",
                Some("\"yes\""),
                "",
                "Whether queries are counted by day, without who asked",
            ),
        ],
    },
    Group {
        title: "Politeness",
        keys: &[
            key(
                "delay",
                "TIME",
                Some("\"1s\""),
                "",
                "The least time between an answer of a host and the next request to it. A host's \
                 Crawl-delay makes it longer, never shorter",
            ),
            key(
                "response_multiple",
                "NUMBER",
                Some("2"),
                "",
                "The wait is also at least so many times the host's last response time",
            ),
            key(
                "hosts_at_once",
                "N",
                Some("200"),
                "",
                "How many hosts are asked at the same time, \
                 with one connection each",
            ),
        ],
    },
    Group {
        title: "Limits of one answer",
        keys: &[
            key("max_body", "SIZE", Some("\"10MiB\""), "", "The longest body that is taken"),
            key(
                "max_decompressed",
                "SIZE",
                Some("\"40MiB\""),
                "",
                "The longest body after decompression",
            ),
            key("max_header", "SIZE", Some("\"64KiB\""), "", "The longest head of a response"),
            key("connect_time", "TIME", Some("\"10s\""), "", "The longest wait for a connection"),
            key(
                "first_byte_time",
                "TIME",
                Some("\"20s\""),
                "",
                "The longest wait for an answer to begin",
            ),
            key("total_time", "TIME", Some("\"60s\""), "", "The longest wait for a whole answer"),
        ],
    },
    Group {
        title: "Safety",
        keys: &[
            key(
                "allow",
                "HOSTS",
                None,
                "[\"intranet.example\"]",
                "Hosts that may be at private or loopback addresses; all others there are refused",
            ),
            key(
                "resolve",
                "HOST=ADDRESS",
                None,
                "[\"docs.example=127.0.0.1:8080\"]",
                "Addresses for names, instead of asking the system",
            ),
            key(
                "roots",
                "FILE",
                None,
                "\"company-ca.pem\"",
                "Certificates (PEM) to trust beside the system's",
            ),
            key("pages_per_host", "N", Some("100000"), "", "The most pages of one host"),
            key("path_depth", "N", Some("20"), "", "The deepest path that is followed"),
            key(
                "repeated_segments",
                "N",
                Some("3"),
                "",
                "How often one segment may occur in a path",
            ),
            key("query_parameters", "N", Some("10"), "", "The most parameters of a query"),
            key("queries_per_path", "N", Some("5000"), "", "The most queries of one path"),
            key(
                "dated_pages",
                "N",
                Some("5000"),
                "",
                "The most pages of one host that differ only in a date",
            ),
        ],
    },
];

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

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let config = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("The settings file [default: sanderling.toml, where there is one]");
        let mut command = command.arg(config);
        for group in GROUPS {
            for key in group.keys.iter().filter(|key| is_flag(key)) {
                let default = key.default.map_or(String::new(), |default| {
                    format!(" [default: {}]", default.trim_matches('"'))
                });
                command = command.arg(
                    Arg::new(key.name)
                        .long(key.name.replace('_', "-"))
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

/// Whether a key is given as a flag: seeds are named without one.
fn is_flag(key: &Key) -> bool {
    key.name != "seeds"
}

/// Whether a key is yes or no, and so has a flag for no.
fn is_switch(key: &Key) -> bool {
    key.value == "YES|NO"
}

/// What the command line knows the flag for no by.
fn negative(key: &Key) -> String {
    format!("no_{}", key.name)
}

/// The environment variable of a key.
pub(crate) fn variable(key: &Key) -> OsString {
    format!("SANDERLING_{}", key.name.to_uppercase()).into()
}

/// The file that `sanderling init` writes: every key with its meaning, commented out where its
/// default holds.
pub(crate) fn file(contact: Option<&str>, seeds: &[String]) -> String {
    let mut text = String::from(
        "# Settings of Sanderling. Every key is also a flag (--cycle-limit 2h) and an environment\n\
         # variable (SANDERLING_CYCLE_LIMIT=2h); a flag overrules the variable, which overrules this\n\
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
