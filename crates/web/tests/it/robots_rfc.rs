//! The examples of RFC 9309, and of Google's page "How Google interprets the robots.txt specification"
//! (developers.google.com/search/docs/crawling-indexing/robots/robots_txt), as tables.
use web::robots::Rules;

fn allows(body: &str, token: &str, path: &str) -> bool {
    Rules::parse(body.as_bytes(), token).allows(&address(path))
}

fn address(path: &str) -> String {
    format!("https://www.example.com{path}")
}

/// Whether a `Disallow` line with `pattern` refuses `path`.
fn matches(pattern: &str, path: &str) -> bool {
    !allows(&format!("User-agent: *\nDisallow: {pattern}\n"), "foobot", path)
}

#[test]
fn rfc_9309_section_2_2_1_the_groups_of_one_agent_are_one_group() {
    let body = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\n\
                user-agent: ExampleBot\ndisallow: /baz\n";
    for refused in ["/foo", "/bar", "/baz"] {
        assert!(!allows(body, "examplebot", refused), "{refused}");
    }
    assert!(allows(body, "examplebot", "/"));
    assert!(allows(body, "otherbot", "/foo"));
}

#[test]
fn rfc_9309_section_2_2_1_everyones_group_is_for_those_without_one_of_their_own() {
    let body = "User-agent: *\nDisallow: /all\nUser-Agent: ExampleBot\nDisallow: /own\n\
                user-agent: empty-bot\n";
    assert!(!allows(body, "other", "/all"));
    assert!(allows(body, "other", "/own"));
    assert!(allows(body, "EXAMPLEBOT", "/all"));
    assert!(!allows(body, "EXAMPLEBOT", "/own"));
    // An empty group of our name still is ours.
    assert!(allows(body, "empty-bot", "/all"));
}

/// The token in the file is letters, underscores and hyphens; versions and remarks are not part of it.
#[test]
fn rfc_9309_section_2_2_1_the_product_token_is_matched_whole_in_any_case() {
    for (name, is_ours) in [
        ("sanderling", true),
        ("SanderLing", true),
        ("Sanderling/1.0", true),
        ("sanderling the crawler", true),
        ("sanderling-news", false),
        ("sander", false),
        ("mysanderling", false),
        ("", false),
    ] {
        let body = format!("User-agent: {name}\nDisallow: /\n");
        assert_eq!(!allows(&body, "sanderling", "/x"), is_ours, "{name}");
    }
}

#[test]
fn rfc_9309_section_2_2_2_escapes_are_brought_to_one_form() {
    // Path, encoded path, path to match.
    let table = [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        (
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
        ),
        ("/foo/bar/\u{30C4}", "/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/%62%61%7A", "/foo/bar/baz"),
    ];
    for (written, encoded, to_match) in table {
        for pattern in [written, encoded] {
            for path in [written, encoded, to_match] {
                assert!(matches(pattern, path), "{pattern} should match {path}");
            }
        }
    }
}

#[test]
fn rfc_9309_section_2_2_3_special_characters() {
    assert!(allows("User-agent: * # everyone\nDisallow: # /\n", "foobot", "/"));
    // `$` marks the end.
    let body = "User-agent: *\nDisallow: /\nAllow: /this/path/exactly$\n";
    assert!(allows(body, "foobot", "/this/path/exactly"));
    assert!(!allows(body, "foobot", "/this/path/exactly/not"));
    // `*` stands for any characters.
    let body = "User-agent: *\nDisallow: /\nAllow: /this/*/exactly\n";
    assert!(allows(body, "foobot", "/this/path/or/another/exactly"));
    // Escaped, both stand for themselves.
    assert!(matches("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
    assert!(!matches("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"));
    assert!(matches("/path/foo-%24", "/path/foo-$"));
    assert!(matches("/path/foo-%24", "/path/foo-$bar"));
}

#[test]
fn rfc_9309_section_2_2_4_other_records_do_not_end_a_group() {
    let body = "User-agent: foobot\nSitemap: https://www.example.com/a.xml\nUser-agent: barbot\n\
                Crawl-delay: 3\nDisallow: /a\nSitemap: https://www.example.com/b.xml\nX: y\n\
                Disallow: /b\n";
    for token in ["foobot", "barbot"] {
        assert!(!allows(body, token, "/a"), "{token}");
        assert!(!allows(body, token, "/b"), "{token}");
    }
}

const SIMPLE_EXAMPLE: &str = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\n\
    Allow: /publications/\n\n\
    User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
    User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
    User-Agent: quxbot\n";

#[test]
fn rfc_9309_section_5_1_simple_example() {
    // In the order of: any other, foobot, barbot, bazbot, quxbot.
    let table = [
        ("/", [true, false, true, true, true]),
        ("/picture.gif", [false, false, true, true, true]),
        ("/picture.gif?x", [true, false, true, true, true]),
        ("/publications/picture.gif", [true, false, true, true, true]),
        ("/example/page.html", [false, true, false, false, true]),
        ("/example/allowed.gif", [false, true, true, true, true]),
        ("/publications/", [true, false, true, true, true]),
        ("/robots.txt", [true, true, true, true, true]),
    ];
    for (path, expected) in table {
        let allowed = ["other", "foobot", "barbot", "bazbot", "quxbot"]
            .map(|token| allows(SIMPLE_EXAMPLE, token, path));
        assert_eq!(allowed, expected, "{path}");
    }
}

#[test]
fn rfc_9309_section_5_2_longest_match() {
    let body = "User-Agent: foobot\nAllow: /example/page/\n\
                Disallow: /example/page/disallowed.gif\n";
    assert!(!allows(body, "foobot", "/example/page/disallowed.gif"));
    assert!(allows(body, "foobot", "/example/page/"));
}

#[test]
fn google_url_matching_based_on_path_values() {
    let fish = ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html"];
    let not_fish = ["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"];
    let everything = ["/", "/a", "/a/b?c"];
    let table: [(&str, &[&str], &[&str]); 8] = [
        ("/", &everything, &[]),
        ("/*", &everything, &[]),
        ("/fish", &fish, &not_fish),
        ("/fish*", &fish, &not_fish),
        (
            "/fish/",
            &["/fish/", "/fish/?id=anything", "/fish/salmon.htm"],
            &["/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"],
        ),
        (
            "/*.php",
            &[
                "/index.php",
                "/filename.php",
                "/folder/filename.php",
                "/folder/filename.php?parameters",
                "/folder/any.php.file.html",
                "/filename.php/",
            ],
            &["/", "/windows.PHP"],
        ),
        (
            "/*.php$",
            &["/filename.php", "/folder/filename.php"],
            &["/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP"],
        ),
        ("/fish*.php", &["/fish.php", "/fishheads/catfish.php?parameters"], &["/Fish.PHP"]),
    ];
    for (pattern, matching, not_matching) in table {
        for path in matching {
            assert!(matches(pattern, path), "{pattern} should match {path}");
        }
        for path in not_matching {
            assert!(!matches(pattern, path), "{pattern} should not match {path}");
        }
    }
    assert!(matches("/fish", "/fish.php?id=anything"));
}

#[test]
fn google_order_of_precedence_for_rules() {
    let table = [
        ("allow: /p", "disallow: /", "/page", "allow: /p"),
        ("allow: /folder", "disallow: /folder", "/folder/page", "allow: /folder"),
        ("allow: /page", "disallow: /*.htm", "/page.htm", "disallow: /*.htm"),
        ("allow: /page", "disallow: /*.ph", "/page.php5", "allow: /page"),
        ("allow: /$", "disallow: /", "/", "allow: /$"),
        ("allow: /$", "disallow: /", "/page.htm", "disallow: /"),
    ];
    for (one, other, path, deciding) in table {
        for body in [format!("{one}\n{other}"), format!("{other}\n{one}")] {
            let rules = Rules::parse(format!("user-agent: *\n{body}").as_bytes(), "foobot");
            assert_eq!(rules.matched(&address(path)), Some(deciding), "{body}");
            assert_eq!(rules.allows(&address(path)), deciding.starts_with("allow"), "{body}");
        }
    }
}

#[test]
fn google_order_of_precedence_for_user_agents() {
    let body = "user-agent: googlebot-news\ndisallow: /news\n\nuser-agent: *\ndisallow: /all\n\n\
                user-agent: googlebot\ndisallow: /google\n";
    let table = [
        ("googlebot-news", "/news"),
        ("googlebot", "/google"),
        ("otherbot", "/all"),
        ("googlebot-images", "/all"),
    ];
    for (token, refused) in table {
        let refuses = |path: &&str| !allows(body, token, path);
        let found: Vec<&str> =
            ["/news", "/all", "/google"].into_iter().filter(|path| refuses(path)).collect();
        assert_eq!(found, [refused], "{token}");
    }
}

#[test]
fn google_grouping_of_rules() {
    let body = "user-agent: a\ndisallow: /c\n\nuser-agent: b\ndisallow: /d\n\n\
                user-agent: e\nuser-agent: f\ndisallow: /g\n\nuser-agent: h\n";
    for (token, expected) in [
        ("a", [false, true, true]),
        ("b", [true, false, true]),
        ("e", [true, true, false]),
        ("f", [true, true, false]),
        ("h", [true, true, true]),
    ] {
        assert_eq!(["/c", "/d", "/g"].map(|path| allows(body, token, path)), expected, "{token}");
    }
}

#[test]
fn lines_may_end_in_any_way_and_hold_spaces_and_comments() {
    for end in ["\n", "\r", "\r\n", "\n\n", "\r\r"] {
        let lines =
            ["  User-Agent \t: * ", "# a remark", " DISALLOW:\t/a # not this", "allow:/a/b", ""];
        let body = lines.join(end);
        assert!(!allows(&body, "foobot", "/a"), "{end:?}");
        assert!(allows(&body, "foobot", "/a/b"), "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    assert!(!allows("\u{FEFF}User-agent: *\nDisallow: /a", "foobot", "/a"));
}

#[test]
fn rules_outside_a_group_and_records_misspelt_say_nothing() {
    assert!(allows("Disallow: /\nUser-agent: *\n", "foobot", "/"));
    assert!(allows("User-agent: *\nDissalow: /\nDisallow /\n", "foobot", "/"));
    assert!(allows("Useragent: foobot\nDisallow: /\n", "foobot", "/"));
    assert!(allows("<html><body>Not found: /</body></html>", "foobot", "/"));
}

#[test]
fn matching_is_case_sensitive() {
    assert!(matches("/A", "/A"));
    assert!(!matches("/A", "/a"));
}
