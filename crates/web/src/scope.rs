//! Which linked addresses belong to a crawl.
use std::{fmt, net::Ipv4Addr, str::FromStr};

use extract::read::address;
use rustc_hash::{FxHashMap, FxHashSet};

/// How far from its seeds a crawl may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeKind {
    /// The hosts of the seeds, with or without `www.`.
    Host,
    /// The sites of the seeds: their registrable domains with all hosts.
    Domain,
    /// The folders of the seeds on their hosts.
    Prefix,
    /// The whole web.
    Any,
}

/// The text is not the name of a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`: it is host, domain, prefix or any")]
pub struct UnknownScope(pub String);

impl FromStr for ScopeKind {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let all = [Self::Host, Self::Domain, Self::Prefix, Self::Any];
        all.into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

impl ScopeKind {
    fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Prefix => "prefix",
            Self::Any => "any",
        }
    }
}

impl fmt::Display for ScopeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The addresses that belong to one crawl.
///
/// The scheme and a default port do not matter: most sites are both `http` and `https`. Another port
/// matters, except between the hosts of a registrable domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope(Inside);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Inside {
    /// Hosts without `www.`, with their ports.
    Hosts(FxHashSet<String>),
    /// Registrable domains; for hosts without one, the host with its port.
    Domains(FxHashSet<String>),
    /// The folders under each host.
    Folders(FxHashMap<String, Vec<String>>),
    Everything,
}

impl Scope {
    /// The scope around `seeds`. A seed that is not `http` or `https` adds nothing.
    pub fn new(kind: ScopeKind, seeds: &[String]) -> Self {
        let seeds: Vec<String> = seeds.iter().filter_map(|seed| address::canonical(seed)).collect();
        let parts = seeds.iter().filter_map(|seed| Parts::parse(seed));
        Self(match kind {
            ScopeKind::Host => {
                Inside::Hosts(parts.map(|seed| without_www(seed.authority).to_owned()).collect())
            }
            ScopeKind::Domain => {
                Inside::Domains(parts.map(|seed| site(seed.authority).to_owned()).collect())
            }
            ScopeKind::Prefix => {
                let mut folders: FxHashMap<String, Vec<String>> = FxHashMap::default();
                for seed in parts {
                    let end = seed.path.rfind('/').map_or(0, |slash| slash + 1);
                    let host = without_www(seed.authority).to_owned();
                    folders.entry(host).or_default().push(seed.path[..end].to_owned());
                }
                Inside::Folders(folders)
            }
            ScopeKind::Any => Inside::Everything,
        })
    }

    /// Whether the page at the canonical `address` belongs to the crawl.
    pub fn admits(&self, address: &str) -> bool {
        let Some(parts) = Parts::parse(address) else { return false };
        match &self.0 {
            Inside::Hosts(hosts) => hosts.contains(without_www(parts.authority)),
            Inside::Domains(domains) => domains.contains(site(parts.authority)),
            Inside::Folders(folders) => folders
                .get(without_www(parts.authority))
                .is_some_and(|folders| folders.iter().any(|it| parts.path.starts_with(&**it))),
            Inside::Everything => true,
        }
    }
}

/// The parts of a canonical address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// The host, with the port if it is not the default.
    pub(crate) authority: &'a str,
    /// Starts with a slash.
    pub(crate) path: &'a str,
    /// The text after the question mark.
    pub(crate) query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// `None` if `address` is not `http` or `https`.
    pub(crate) fn parse(address: &'a str) -> Option<Self> {
        let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, "/"),
        };
        (!authority.is_empty()).then_some(Self { authority, path, query })
    }
}

/// Removes `www.`: people who name a seed take `www.example.org` and `example.org` for one host. The
/// host `www.org` keeps it.
fn without_www(authority: &str) -> &str {
    authority.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(authority)
}

/// The registrable domain, or the whole authority of a host without one.
fn site(authority: &str) -> &str {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    // The public suffix list would find a domain in the last two numbers of an IP address.
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return authority;
    }
    psl::domain_str(host).unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(kind: &str, seeds: &[&str]) -> Scope {
        let seeds: Vec<String> = seeds.iter().map(|&seed| seed.to_owned()).collect();
        Scope::new(kind.parse().unwrap(), &seeds)
    }

    fn assert_admits(scope: &Scope, inside: &[&str], outside: &[&str]) {
        for address in inside {
            assert!(scope.admits(address), "{address} should be inside");
        }
        for address in outside {
            assert!(!scope.admits(address), "{address} should be outside");
        }
    }

    #[test]
    fn a_kind_is_read_as_it_is_written() {
        for kind in [ScopeKind::Host, ScopeKind::Domain, ScopeKind::Prefix, ScopeKind::Any] {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!(
            "site".parse::<ScopeKind>().unwrap_err().to_string(),
            "unknown scope `site`: it is host, domain, prefix or any"
        );
    }

    #[test]
    fn a_host_is_in_scope_with_and_without_www_over_http_and_https() {
        let inside = [
            "https://docs.example.org/",
            "http://docs.example.org/a?b",
            "https://www.docs.example.org/",
        ];
        let outside =
            ["https://example.org/", "https://a.docs.example.org/", "https://docs.example.org.uk/"];
        assert_admits(&scope("host", &["https://docs.example.org/guide"]), &inside, &outside);
        assert_admits(&scope("host", &["http://WWW.docs.example.org:80"]), &inside, &outside);
    }

    #[test]
    fn a_port_that_is_named_must_be_the_same() {
        assert_admits(
            &scope("host", &["http://a.org:8080/"]),
            &["http://a.org:8080/x", "https://www.a.org:8080/"],
            &["http://a.org/", "http://a.org:80801/", "http://a.org:8081/"],
        );
        assert_admits(
            &scope("host", &["http://a.org/"]),
            &["https://a.org/"],
            &["http://a.org:8080/", "http://a.org:443/"],
        );
    }

    #[test]
    fn www_before_a_top_level_domain_is_a_name_of_its_own() {
        assert_admits(
            &scope("host", &["https://www.com/"]),
            &["http://www.com/"],
            &["http://com/"],
        );
    }

    #[test]
    fn a_domain_is_what_one_can_register_by_the_public_suffix_list() {
        assert_admits(
            &scope("domain", &["https://news.example.co.uk/"]),
            &["http://example.co.uk/", "https://a.b.example.co.uk:8443/x"],
            &["https://other.co.uk/", "https://co.uk/", "https://badexample.co.uk/"],
        );
        assert_admits(
            &scope("domain", &["https://me.github.io/"]),
            &["https://www.me.github.io/"],
            &["https://you.github.io/", "https://github.io/"],
        );
    }

    #[test]
    fn an_ip_address_or_a_bare_name_is_a_domain_of_its_own() {
        assert_admits(
            &scope("domain", &["http://127.0.0.1:8000/", "http://[2001:db8::1]/", "http://wiki/"]),
            &["http://127.0.0.1:8000/x", "https://[2001:db8::1]/", "http://wiki/y"],
            &[
                "http://127.0.0.1/",
                "http://127.0.0.1:8001/",
                "http://10.0.0.1:8000/",
                "http://[2001:db8::2]/",
                "http://a.wiki/",
                "http://wiki:8000/",
            ],
        );
        assert_admits(
            &scope("domain", &["http://github.io/"]),
            &["https://github.io/x"],
            &["http://me.github.io/"],
        );
    }

    #[test]
    fn a_prefix_is_the_folder_of_the_seed() {
        assert_admits(
            &scope("prefix", &["https://a.org/docs/2/index.html?go=/x/y", "https://b.org"]),
            &[
                "https://a.org/docs/2/index.html",
                "http://www.a.org/docs/2/",
                "https://a.org/docs/2/deep/er?q",
                "http://b.org/anything",
            ],
            &[
                "https://a.org/docs/2",
                "https://a.org/docs/21/",
                "https://a.org/",
                "https://a.org:8080/docs/2/",
                "https://c.org/docs/2/",
            ],
        );
    }

    #[test]
    fn any_is_the_whole_web_and_nothing_else() {
        assert_admits(
            &scope("any", &[]),
            &["http://a.org/", "https://[::1]:8000/x"],
            &["ftp://a.org/", "mailto:a@b.org", "", "https://"],
        );
    }

    #[test]
    fn a_seed_that_is_no_address_admits_nothing() {
        for kind in ["host", "domain", "prefix"] {
            assert_admits(
                &scope(kind, &["", "not an address", "ftp://a.org/"]),
                &[],
                &["http://a.org/", "http://not/"],
            );
        }
    }
}
