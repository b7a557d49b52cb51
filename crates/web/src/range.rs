//! IP addresses that do not belong to the public web.
//!
//! A link, a redirect or a host name can lead to an address inside our own network, where a request
//! can do what its author could not (server-side request forgery). The ranges are those of the
//! special-purpose registries of IANA (IPv4 and IPv6, October 2025), including the globally reachable
//! ones: they serve relays and name servers, not pages. An IPv6 address that embeds an IPv4 address is
//! classified by the IPv4 address.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const METADATA: &str = "metadata service";
const RESERVED: &str = "reserved";

/// The metadata services of clouds, which serve secrets. That of Azure is in the public range, but is
/// not reachable from outside.
const METADATA_V4: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// The first address of a range, its prefix length, and its kind. The first match counts.
const RANGES_V4: [(Ipv4Addr, u32, &str); 20] = [
    (Ipv4Addr::UNSPECIFIED, 32, "unspecified"),
    (Ipv4Addr::UNSPECIFIED, 8, RESERVED),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 52, 193, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 88, 99, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, RESERVED),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::BROADCAST, 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, RESERVED),
];

/// As for IPv4. Only `2000::/3` is allocated for global use; everything else is reserved.
const RANGES_V6: [(Ipv6Addr, u32, &str); 9] = [
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, "benchmarking"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, RESERVED),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48, RESERVED),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique local"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// The kind of `ip` if it does not belong to the public web; `None` if it does.
pub fn not_public(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => not_public_v4(ip),
        IpAddr::V6(ip) => not_public_v6(ip),
    }
}

fn not_public_v4(ip: Ipv4Addr) -> Option<&'static str> {
    if METADATA_V4.contains(&ip) {
        return Some(METADATA);
    }
    RANGES_V4
        .iter()
        .find(|(start, bits, _)| (u32::from(ip) ^ u32::from(*start)).leading_zeros() >= *bits)
        .map(|&(_, _, kind)| kind)
}

fn not_public_v6(ip: Ipv6Addr) -> Option<&'static str> {
    if METADATA_V6.contains(&ip) {
        return Some(METADATA);
    }
    // Before the embedded address: `::1` is not 0.0.0.1.
    if ip.is_loopback() {
        return Some("loopback");
    }
    match embedded(ip) {
        Embedded::Addresses(inside) => return inside.into_iter().find_map(not_public_v4),
        Embedded::Unclear => return Some(RESERVED),
        Embedded::Nothing => {}
    }
    let range = RANGES_V6
        .iter()
        .find(|(start, bits, _)| (u128::from(ip) ^ u128::from(*start)).leading_zeros() >= *bits)
        .map(|&(_, _, kind)| kind);
    let is_allocated = ip.segments()[0] >> 13 == 1;
    range.or((!is_allocated).then_some(RESERVED))
}

/// The IPv4 addresses embedded in an IPv6 address.
enum Embedded {
    Nothing,
    /// The packet ends at, or passes through, these two (often the same).
    Addresses([Ipv4Addr; 2]),
    /// One is embedded, but its position is unknown.
    Unclear,
}

fn embedded(ip: Ipv6Addr) -> Embedded {
    let b = ip.octets();
    let at = |n: usize| Ipv4Addr::new(b[n], b[n + 1], b[n + 2], b[n + 3]);
    let one = |ip: Ipv4Addr| Embedded::Addresses([ip, ip]);
    match ip.segments() {
        // IPv4-compatible and IPv4-mapped (RFC 4291), IPv4-translated (RFC 7915), and NAT64 with the
        // well-known prefix (RFC 6052) or a local one (RFC 8215). The operator chooses the
        // length of the local prefix. The two forms cannot be confused: an address in one is 0.0.0.0
        // in the other.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0 | 1, 0, 0, 0, ..] => one(at(12)),
        [0x64, 0xff9b, 1, ..] if b[8] == 0 && b[11..].iter().all(|&byte| byte == 0) => {
            one(Ipv4Addr::new(b[6], b[7], b[9], b[10]))
        }
        [0x64, 0xff9b, 1, ..] => Embedded::Unclear,
        // 6to4 (RFC 3056).
        [0x2002, ..] => one(at(2)),
        // Teredo (RFC 4380): the server, and the client with its bits turned over.
        [0x2001, 0, ..] => {
            let client = Ipv4Addr::from(!u32::from(at(12)));
            Embedded::Addresses([at(4), client])
        }
        _ => Embedded::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(ip: &str) -> Option<&'static str> {
        not_public(ip.parse().unwrap())
    }

    /// First and last address of each range, the kind of both, and the kinds of their neighbours.
    #[test]
    fn each_ipv4_range_is_refused_from_its_first_address_to_its_last() {
        let table = [
            ("0.0.0.1", "0.255.255.255", "reserved", Some("unspecified"), None),
            ("10.0.0.0", "10.255.255.255", "private", None, None),
            ("100.64.0.0", "100.127.255.255", "carrier-grade NAT", None, None),
            ("127.0.0.0", "127.255.255.255", "loopback", None, None),
            ("169.254.0.0", "169.254.255.255", "link-local", None, None),
            ("172.16.0.0", "172.31.255.255", "private", None, None),
            ("192.0.0.0", "192.0.0.255", "reserved", None, None),
            ("192.0.2.0", "192.0.2.255", "documentation", None, None),
            ("192.31.196.0", "192.31.196.255", "reserved", None, None),
            ("192.52.193.0", "192.52.193.255", "reserved", None, None),
            ("192.88.99.0", "192.88.99.255", "reserved", None, None),
            ("192.168.0.0", "192.168.255.255", "private", None, None),
            ("192.175.48.0", "192.175.48.255", "reserved", None, None),
            ("198.18.0.0", "198.19.255.255", "benchmarking", None, None),
            ("198.51.100.0", "198.51.100.255", "documentation", None, None),
            ("203.0.113.0", "203.0.113.255", "documentation", None, None),
            ("224.0.0.0", "239.255.255.255", "multicast", None, Some("reserved")),
            ("240.0.0.0", "255.255.255.254", "reserved", Some("multicast"), Some("broadcast")),
        ];
        for (first, last, expected, before, after) in table {
            assert_eq!(kind(first), Some(expected), "{first}");
            assert_eq!(kind(last), Some(expected), "{last}");
            let number = |ip: &str| u32::from(ip.parse::<Ipv4Addr>().unwrap());
            let neighbour = |number: u32| not_public(Ipv4Addr::from(number).into());
            assert_eq!(neighbour(number(first) - 1), before, "before {first}");
            assert_eq!(neighbour(number(last) + 1), after, "after {last}");
        }
        assert_eq!(kind("0.0.0.0"), Some("unspecified"));
        assert_eq!(kind("255.255.255.255"), Some("broadcast"));
    }

    #[test]
    fn each_ipv6_range_is_refused_from_its_first_address_to_its_last() {
        let end = "ffff:ffff:ffff:ffff";
        let table = [
            ("100::", "100::ffff:ffff:ffff:ffff", "reserved"),
            ("100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "benchmarking"),
            ("2001:1::1", "2001:1::3", "reserved"),
            ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:2:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
            ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
            ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique local"),
            ("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved"),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
        ];
        for (first, last, expected) in table {
            assert_eq!(kind(first), Some(expected), "{first}");
            assert_eq!(kind(last), Some(expected), "{last}");
        }
        assert_eq!(kind("::"), Some("unspecified"));
        assert_eq!(kind("::1"), Some("loopback"));
        for public in [
            "2000::".to_owned(),
            format!("2000:ffff:ffff:ffff:{end}"),
            "2001:200::".to_owned(),
            format!("2001:db7:ffff:ffff:{end}"),
            "2001:db9::".to_owned(),
            format!("2620:4f:7fff:ffff:{end}"),
            "2620:4f:8001::".to_owned(),
            "3fff:1000::".to_owned(),
            format!("3ffe:ffff:ffff:ffff:{end}"),
            "2606:2800:21f:cb07:6820:80da:af6b:8b2c".to_owned(),
        ] {
            assert_eq!(kind(&public), None, "{public}");
        }
    }

    #[test]
    fn metadata_services_are_called_what_they_are() {
        for ip in [
            "169.254.169.254",
            "169.254.170.2",
            "100.100.100.200",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd20:ce::254",
            "::ffff:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
        ] {
            assert_eq!(kind(ip), Some("metadata service"), "{ip}");
        }
    }

    #[test]
    fn an_ipv6_address_is_judged_by_the_ipv4_address_inside() {
        for (ip, expected) in [
            ("::ffff:127.0.0.1", Some("loopback")),
            ("::ffff:0:0", Some("unspecified")),
            ("::ffff:255.255.255.255", Some("broadcast")),
            ("::ffff:93.184.216.34", None),
            ("::ffff:0:10.0.0.1", Some("private")),
            ("::10.0.0.1", Some("private")),
            ("::2", Some("reserved")),
            ("64:ff9b::192.168.1.1", Some("private")),
            ("64:ff9b::93.184.216.34", None),
            ("64:ff9b:1::10.0.0.1", Some("private")),
            ("64:ff9b:1::93.184.216.34", None),
            ("64:ff9b:1:7f00:0:100::", Some("loopback")),
            ("64:ff9b:1:5db8:d8:2200::", None),
            ("64:ff9b:1:5db8:d8:2200:0:1", Some("reserved")),
            ("64:ff9b:2::1", Some("reserved")),
            ("2002:7f00:1::", Some("loopback")),
            ("2002:5db8:d822::1", None),
            // The server is 65.54.227.120; the client 192.0.2.45 in the RFC's example, then 93.184.216.34.
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", Some("documentation")),
            ("2001:0:4136:e378:8000:63bf:a247:27dd", None),
            ("2001:0:7f00:1:8000:63bf:a247:27dd", Some("loopback")),
        ] {
            assert_eq!(kind(ip), expected, "{ip}");
        }
    }
}
