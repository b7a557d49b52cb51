//! Experiment files of papers: what they mean, and what is said of bad ones.
use crawl::Span;
use papers::{Axis, LabelledPolicy, PAPERS, Part, Plan, WebKind, Work, analysis, parse};

const SMALL: &str = r#"
paper = "tan-2007"
world = { pages = 100, seeds = [1, 2] }

[[part]]
name = "figure-5"
title = "A title"
figure = "Figure 5"
webs = ["together", "world"]
cycle = ["8w", "2w"]
budgets = [0.351, 0.088]
axis = "d"
metrics = ["change_ratio", "freshness"]
policies = ["DB = directory-sample:d=0..2", "RNS = random"]

[[part]]
name = "sizes"
title = "Sizes"
figure = "Figure 2"
webs = ["sites"]
survey = "sizes"
"#;

#[test]
fn the_papers_own_files_can_be_read() {
    for paper in PAPERS {
        let plan = parse(paper.experiment).unwrap_or_else(|error| panic!("{}: {error}", paper.id));
        assert_eq!(plan.paper.unwrap().id, paper.id);
        assert!(plan.parts.len() >= 6);
    }
}

#[test]
fn the_full_scale_of_tan_2010_has_the_papers_clusters_and_visits_enough_for_them() {
    let plan = parse(include_str!("../../../../lab/experiments/tan-2010-full-scale.toml")).unwrap();
    assert_eq!(
        (plan.paper.unwrap().id, plan.world.pages, plan.world.seeds.len()),
        ("tan-2010", 28_469, 10)
    );
    let Work::Runs(runs) = &plan.parts[0].work else { panic!("it runs policies") };
    let clusters = |entry: &&LabelledPolicy| entry.policy.name().starts_with("cluster-sample");
    let clustered: Vec<&LabelledPolicy> = runs.policies.iter().filter(clusters).collect();
    // 100 is the default, which names leave out.
    assert_eq!(clustered.len(), 4);
    assert!(clustered.iter().all(|entry| !entry.policy.name().contains("clusters=")));
    assert!(runs.budgets[0] * plan.world.pages as f64 > 20.0 * 100.0);
}

#[test]
fn tan_2010_on_small_sites_has_pages_enough_for_its_clusters() {
    let plan =
        parse(include_str!("../../../../lab/experiments/tan-2010-small-sites.toml")).unwrap();
    let Work::Runs(runs) = &plan.parts[0].work else { panic!("it runs policies") };
    let clustered =
        runs.policies.iter().filter(|entry| entry.policy.name().contains("clusters=20"));
    assert_eq!((plan.paper.unwrap().id, clustered.count()), ("tan-2010", 4));
}

#[test]
fn tan_2010_without_history_has_no_full_cycles_and_no_features_that_need_them() {
    let plan = parse(include_str!("../../../../lab/experiments/tan-2010-no-history.toml")).unwrap();
    let Work::Runs(runs) = &plan.parts[0].work else { panic!("it runs policies") };
    assert_eq!((plan.world.pages, runs.paper.full_cycles), (28_469, 0));
    assert!(runs.policies.iter().all(|entry| !entry.policy.name().contains("dynamic")));
}

#[test]
fn pandey_2005_in_its_world_has_ten_seeds_and_the_papers_thresholds() {
    let plan = parse(include_str!("../../../../lab/experiments/pandey-2005-world.toml")).unwrap();
    assert_eq!((plan.paper.unwrap().id, plan.world.pages), ("pandey-2005", 500));
    assert_eq!(plan.world.seeds.len(), 10);
    assert_eq!(thresholds(&plan), [10, 10]);
}

#[test]
fn pandey_2005_on_sites_has_twenty_pages_of_each_and_five_thresholds() {
    let plan = parse(include_str!("../../../../lab/experiments/pandey-2005-sites.toml")).unwrap();
    assert_eq!((plan.repositories.pairs, plan.repositories.pages), (5, 20));
    assert_eq!(thresholds(&plan), [5, 5]);
}

/// How many thresholds SBR has in each panel of figure 4.
fn thresholds(plan: &Plan) -> Vec<usize> {
    let panels = plan.parts.iter().filter(|part| part.name.starts_with("figure-4"));
    let of_panel = |part: &Part| {
        let Work::Runs(runs) = &part.work else { panic!("it runs policies") };
        runs.policies.iter().filter(|entry| entry.label.starts_with("SBR at ")).count()
    };
    panels.map(of_panel).collect()
}

#[test]
fn a_file_of_before_calls_the_world_clustered() {
    let before = SMALL.replace("world", "clustered");
    let (old, new) = (parse(&before).unwrap(), parse(SMALL).unwrap());
    assert_eq!((old.world, &old.parts), (new.world, &new.parts));
}

#[test]
fn repositories_are_drawn_as_the_file_says() {
    let usual = parse(SMALL).unwrap().repositories;
    assert_eq!((usual.pairs, usual.pages), (5, 60));
    let text = format!("repositories = {{ pairs = 2, pages = 30 }}\n{SMALL}");
    let drawn = parse(&text).unwrap().repositories;
    assert_eq!((drawn.pairs, drawn.pages), (2, 30));
    let none = format!("repositories = {{ pairs = 0, pages = 30 }}\n{SMALL}");
    let error = parse(&none).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 16: repositories needs pairs and pages above 0");
}

#[test]
fn a_file_says_what_is_done() {
    let plan = parse(SMALL).unwrap();
    assert_eq!(plan.detector, "digest");
    assert_eq!((plan.world.pages, plan.world.seeds.as_slice()), (100, &[1, 2][..]));
    let [first, second] = plan.parts.as_slice() else { panic!("two parts") };
    assert_eq!(first.webs, [WebKind::Together, WebKind::World]);
    let sizes = Work::Analysis { analysis: analysis("sizes").unwrap(), queries: 0 };
    assert_eq!(second.work, sizes);
    let Work::Runs(runs) = &first.work else { panic!("runs") };
    // From short to long, from small to large.
    assert_eq!(runs.cycle, [Span::from_days(14), Span::from_days(56)]);
    assert_eq!(runs.budgets, [0.088, 0.351]);
    assert_eq!((runs.seeds.as_slice(), runs.queries), (&[1][..], 0));
    assert_eq!(runs.axis, Axis::Parameter("d".to_owned()));
    assert_eq!(runs.metric_names(), ["change_ratio", "freshness"]);
    let entry = |label: &str, policy: &str, x| LabelledPolicy {
        label: label.to_owned(),
        policy: policy.parse().unwrap(),
        x,
    };
    // A value that is the default is left out of the name, as it is in results.
    assert_eq!(
        runs.policies,
        [
            entry("DB", "directory-sample:d=0", Some(0)),
            entry("DB", "directory-sample", Some(1)),
            entry("DB", "directory-sample:d=2", Some(2)),
            entry("RNS", "random", None),
        ]
    );
}

#[test]
fn runs_with_growing_pages_have_a_filter_unless_it_is_switched_off() {
    let filter = |keys: &str| {
        let text = SMALL.replacen("axis = \"d\"", &format!("axis = \"d\"\n{keys}"), 1);
        let plan = parse(&text).unwrap();
        let Work::Runs(runs) = &plan.parts[0].work else { panic!("runs") };
        runs.filter.map(|filter| filter.name)
    };
    assert_eq!(filter(""), None);
    assert_eq!(filter("pages = \"growing\""), Some("discoverable"));
    assert_eq!(filter("pages = \"growing\"\nfilter = \"none\""), None);
    assert_eq!(filter("filter = \"discoverable\""), Some("discoverable"));
}

/// What is said of the small file with something else in it.
fn said(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    parse(&SMALL.replacen(old, new, 1)).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (old, new, expected) in [
        (
            "\"8w\", \"2w\"",
            "\"8y\"",
            "line 10, column 10: \"8y\" is not a length of time such as 1d or 2w",
        ),
        (
            "\"together\", \"world\"",
            "\"all\"",
            "line 9, column 9: no kind of web is called \"all\"; there are: together, sites, world",
        ),
        ("\"freshness\"]", "\"frsh\"]", "line 13, column 28: no metric is called \"frsh\""),
        (
            "\"RNS = random\"",
            "\"RNS = randm\"",
            "line 14, column 45: no policy is called \"randm\"",
        ),
        (
            "d=0..2",
            "d=2..0",
            "line 14, column 13: \"d=2..0\" must go from a number to one that is not less, over at \
             most 200",
        ),
        ("d=0..2", "d=0..99", "line 14, column 13: directory-sample: d cannot be \"21\""),
        ("[0.351, 0.088]", "[0]", "line 11, column 11: 0 is not a budget; it must be above 0"),
        (
            "\"tan-2007\"",
            "\"tan-1907\"",
            "line 2, column 9: no paper is called \"tan-1907\"; there are: dasgupta-2007, \
             pandey-2005, radinsky-2013, tan-2007, tan-2010",
        ),
        (
            "survey = \"sizes\"",
            "survey = \"size\"",
            "line 21, column 10: no survey is called \"size\"",
        ),
        (
            "name = \"sizes\"",
            "name = \"figure-5\"",
            "line 17, column 8: two parts are called \"figure-5\"",
        ),
        (
            "axis = \"d\"",
            "axis = \"e\"",
            "line 6, column 8: no policy has the parameter \"e\" of the axis",
        ),
        (
            "budgets = [0.351, 0.088]\n",
            "",
            "line 6, column 8: a part that runs policies needs budgets",
        ),
        (
            "[0.351, 0.088]",
            "[]",
            "line 6, column 8: a part that runs policies needs at least a budget",
        ),
        (
            "cycle = [",
            "cycles = 6\ncycle = [",
            "line 10, column 10: with cycles of several lengths",
        ),
        (
            "world = { pages = 100, seeds = [1, 2] }\n",
            "",
            "is done on synthetic webs, but the file has no world",
        ),
        ("survey = \"sizes\"", "survey = \"sizes\"\nbudgets = [1]", "a survey runs no policies"),
        (
            "axis = \"d\"",
            "axis = \"d\"\nfilter = \"large\"",
            "line 13, column 10: no filter is called \"large\"; there are: none, discoverable",
        ),
    ] {
        let text = said(old, new);
        assert!(text.contains(expected), "{new}: {text}");
    }
    assert_eq!(parse("").unwrap_err().to_string(), "there is no [[part]]");
}

#[test]
fn keys_that_mean_nothing_and_values_of_another_kind_are_errors() {
    let text = said("axis = \"d\"", "axes = \"d\"");
    assert!(text.starts_with("line 12, column 1: unknown field `axes`"), "{text}");
    let text = said("seeds = [1, 2]", "seeds = \"1\"");
    assert!(text.starts_with("line 3, column "), "{text}");
    let text = parse("paper = ").unwrap_err().to_string();
    assert!(text.starts_with("line 1, column "), "{text}");
}
