//! Result folders: what is written is read back to the same bits.

// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;

use congraph::{Error, MultiviewGraph, ViewMatrix};
use congraph_io::output::NodeFacts;
use congraph_io::{
    ExportFormat, Folder, ViewRow, export, read_graph, read_precisions, write_graph, write_json, write_precision_graph,
};
use proptest::prelude::*;

fn written(graph: &MultiviewGraph) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path().join("out"), false).unwrap();
    let rows = vec![ViewRow {
        file: "a.csv".into(),
        n_samples: Some(7),
    }];
    write_graph(&folder, "", graph, &rows).unwrap();
    folder.commit().unwrap();
    place
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn small(consensus: Option<&[f64]>) -> MultiviewGraph {
    let weights = ViewMatrix::from_values(2, vec![0.1, 0.3, 0.0, 2.0]);
    MultiviewGraph::new(
        names(&["a", "b\t\"c", "d\ne"]),
        names(&["u", "v"]),
        &[[0, 1], [1, 2]],
        &weights,
        consensus,
    )
}

#[test]
fn the_tables_say_what_they_should() {
    let place = written(&small(Some(&[0.25, 0.0])));
    let text = |name: &str| fs::read_to_string(place.path().join("out").join(name)).unwrap();
    assert_eq!(
        text("nodes.tsv"),
        "name\tstrength\tdegree\na\t0.25\t1\n\"b\t\"\"c\"\t0.25\t1\n\"d\ne\"\t0.0\t0\n"
    );
    let rows: Vec<String> = text("views.tsv").lines().map(String::from).collect();
    assert_eq!(rows[0], "name\tfile\tn_samples\tdensity\tuniqueness\tn_edges");
    assert!(rows[1].starts_with("u\ta.csv\t7\t0.3333333333333333\t0.4285714285714") && rows[1].ends_with("\t1"));
    assert!(rows[2].starts_with("v\t\t\t0.6666666666666666\t"));
    assert!(
        text("edges.tsv")
            .starts_with("source\ttarget\tconsensus\tn_views\tmean_weight\na\t\"b\t\"\"c\"\t0.25\t2\t0.2\n")
    );
    assert_eq!(
        text("edges_long.tsv").lines().next(),
        Some("view\tsource\ttarget\tweight")
    );
}

#[test]
fn a_graph_without_consensus_or_edges_is_read_back() {
    for graph in [small(None), small(Some(&[0.25, 0.0]))] {
        assert_eq!(read_graph(&written(&graph).path().join("out")).unwrap(), graph);
    }
    for consensus in [None, Some(&[][..])] {
        let empty = MultiviewGraph::new(
            names(&["a", "b"]),
            names(&["u"]),
            &[],
            &ViewMatrix::zeros(0, 1),
            consensus,
        );
        assert_eq!(read_graph(&written(&empty).path().join("out")).unwrap(), empty);
    }
}

#[test]
fn negative_weights_are_edges_of_every_file_and_are_read_back() {
    let weights = ViewMatrix::from_values(2, vec![-0.1, -0.3, 0.0, 2.0, 0.0, 0.0]);
    let pairs = [[0, 1], [1, 2], [0, 2]];
    let consensus = [-0.25, 0.0, -1e-300];
    let graph = MultiviewGraph::new(
        names(&["a", "b", "c"]),
        names(&["u", "v"]),
        &pairs,
        &weights,
        Some(&consensus),
    );
    let place = written(&graph);
    let out = place.path().join("out");
    assert_eq!(read_graph(&out).unwrap(), graph);
    let text = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    // Strengths are without signs, and degrees count both.
    assert_eq!(
        text("nodes.tsv"),
        "name\tstrength\tdegree\na\t0.25\t2\nb\t0.25\t1\nc\t1e-300\t1\n"
    );
    let edges = text("edges.tsv");
    assert!(
        edges.contains("a\tb\t-0.25\t2\t-0.2\n") && edges.contains("a\tc\t-1e-300\t0\t0.0\n"),
        "{edges}"
    );
    let long = text("edges_long.tsv");
    assert!(long.contains("u\ta\tb\t-0.1\n") && long.lines().count() == 4, "{long}");
    let views = text("views.tsv");
    assert!(views.lines().nth(1).is_some_and(|row| row.ends_with("\t1")), "{views}");
    assert!(views.lines().nth(2).is_some_and(|row| row.ends_with("\t2")), "{views}");
}

fn exported(graph: &MultiviewGraph, format: ExportFormat, file: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path().join("out"), false).unwrap();
    export(&folder, graph, &NodeFacts::default(), format).unwrap();
    folder.commit().unwrap();
    fs::read_to_string(place.path().join("out").join(file)).unwrap()
}

#[test]
fn exports_tell_signs_where_there_are_any() {
    let signed = |sign: f64| {
        let weights = ViewMatrix::from_values(1, vec![0.5, sign * 0.25]);
        MultiviewGraph::new(
            names(&["a", "b", "c"]),
            names(&["u"]),
            &[[0, 1], [1, 2]],
            &weights,
            None,
        )
    };
    let of = |format, file: &str| [1.0, -1.0].map(|sign| exported(&signed(sign), format, file));
    let [plain, told] = of(ExportFormat::Gexf, "view-u.gexf");
    // Gephi draws a weight as a width: it is never negative.
    assert!(
        plain.contains("weight=\"0.25\"/>") && !plain.contains("sign"),
        "{plain}"
    );
    assert!(
        told.contains(
            "weight=\"0.25\"><attvalues><attvalue for=\"sign\" value=\"-1\"/>\
             <attvalue for=\"signed_weight\" value=\"-0.25\"/></attvalues></edge>"
        ),
        "{told}"
    );
    assert!(
        told.contains("value=\"1\"/><attvalue for=\"signed_weight\" value=\"0.5\"/>"),
        "{told}"
    );
    assert!(told.contains("<attvalue for=\"strength\" value=\"0.75\"/>"), "{told}");
    let [plain, told] = of(ExportFormat::Graphml, "view-u.graphml");
    assert!(!plain.contains("sign"), "{plain}");
    assert!(
        told.contains("<data key=\"weight\">-0.25</data><data key=\"sign\">-1</data></edge>"),
        "{told}"
    );
    let [plain, told] = of(ExportFormat::Edges, "view-u.edges.tsv");
    assert_eq!(told, plain.replace("0.25", "-0.25"));
    let [plain, told] = of(ExportFormat::Relmat, "sub-u_meas-graphlearning_relmat.json");
    assert!(
        plain.contains("\"NonNegative\": true") && told.contains("\"NonNegative\": false"),
        "{told}"
    );
    let [_, told] = of(ExportFormat::Relmat, "sub-u_meas-graphlearning_relmat.tsv");
    assert!(told.contains("-0.25"), "{told}");
}

#[test]
fn the_same_graph_gives_the_same_bytes() {
    let graph = small(Some(&[0.25, 0.0]));
    let bytes = |place: &Path| fs::read(place.join("out/matrices.npz")).unwrap();
    assert_eq!(bytes(written(&graph).path()), bytes(written(&graph).path()));
}

#[test]
fn precision_matrices_are_read_back_and_must_be_those_of_the_graph() {
    let graph = small(None);
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let folder = Folder::create(&out, false).unwrap();
    let precisions: Vec<Vec<f64>> = (1..=2)
        .map(|k| vec![2.0, -0.1, 0.0, -0.1, f64::from(k), 0.3, 0.0, 0.3, 1e-3])
        .collect();
    write_precision_graph(&folder, &graph, &[], &precisions, None).unwrap();
    folder.commit().unwrap();
    assert_eq!(read_precisions(&out, &graph).unwrap().as_ref(), Some(&precisions));
    assert_eq!(read_graph(&out).unwrap(), graph);

    // Another graph, a folder without them, no folder, and every way to cut the archive short.
    let other = MultiviewGraph::new(
        names(&["a", "b", "z"]),
        names(&["u", "v"]),
        &[],
        &ViewMatrix::zeros(0, 2),
        None,
    );
    let Err(Error::Data(errors)) = read_precisions(&out, &other) else {
        panic!("accepted")
    };
    assert!(errors[0].to_string().contains("another graph"), "{}", errors[0]);
    assert_eq!(read_precisions(&written(&graph).path().join("out"), &graph), Ok(None));
    assert_eq!(read_precisions(place.path(), &graph), Ok(None));
    let bytes = fs::read(out.join("matrices.npz")).unwrap();
    for length in 0..bytes.len() {
        fs::write(out.join("matrices.npz"), &bytes[..length]).unwrap();
        assert!(read_precisions(&out, &graph).is_err());
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x11;
        fs::write(out.join("matrices.npz"), &flipped).unwrap();
        // Whatever it is taken for, it is no panic and has the right size.
        if let Ok(Some(found)) = read_precisions(&out, &graph) {
            assert!(found.len() == 2 && found.iter().all(|matrix| matrix.len() == 9));
        }
    }
}

#[test]
fn json_is_indented_and_ends_with_a_newline() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::create(place.path().join("out"), false).unwrap();
    write_json(&folder, "summary.json", &serde_json::json!({"a": 1})).unwrap();
    assert_eq!(
        fs::read_to_string(folder.path("summary.json")).unwrap(),
        "{\n  \"a\": 1\n}\n"
    );
}

#[test]
fn edited_tables_are_told_with_file_and_line() {
    for (file, from, to, expected) in [
        ("edges_long.tsv", "0.1", "-inf", "line 2: `-inf` is not a weight"),
        ("edges_long.tsv", "0.1", "NaN", "is not a weight"),
        ("edges_long.tsv", "u\ta", "w\ta", "view `w` is not in views.tsv"),
        ("edges_long.tsv", "u\ta", "u\tz", "node `z` is not in nodes.tsv"),
        ("edges_long.tsv", "weight", "mass", "column `weight` is missing"),
        ("edges_long.tsv", "v\ta", "u\ta", "occurs twice in view `u`"),
        ("edges.tsv", "0.25", "", "lacks its consensus"),
        ("edges.tsv", "\t0.2\n", "\n", "line 2: the row has 4 cells"),
        ("edges.tsv", "a\t", "\"a\t", "quoted"),
        ("nodes.tsv", "\na\t", "\n\"d\ne\"\t", "twice"),
        ("views.tsv", "\nu", "\nv", "twice"),
    ] {
        let place = written(&small(Some(&[0.25, 0.0])));
        let path = place.path().join("out").join(file);
        let text = fs::read_to_string(&path).unwrap().replacen(from, to, 1);
        fs::write(&path, text).unwrap();
        let Err(Error::Data(errors)) = read_graph(&place.path().join("out")) else {
            panic!("{file}: {to}")
        };
        let said = errors[0].to_string();
        assert!(said.contains(expected) && said.contains(file), "{said}");
        fs::remove_file(&path).unwrap();
        assert!(read_graph(&place.path().join("out")).is_err());
    }
}

prop_compose! {
    fn graphs()(n in 2..7_usize, n_views in 1..4_usize, has_consensus in any::<bool>())(
        nodes in prop::collection::hash_set("\\PC{0,4}|[\t\r\n\" ]{1,3}", n),
        views in prop::collection::hash_set("\\PC{0,4}|[\t\r\n\" ]{1,3}", n_views),
        values in prop::collection::vec(
            prop_oneof![Just(0.0), 0.0..1e-300, 0.0..1e3, 0.0..1e300, -1e3..0.0],
            (n_views + 1) * n * (n - 1) / 2,
        ),
        n in Just(n), n_views in Just(n_views), has_consensus in Just(has_consensus),
    ) -> MultiviewGraph {
        let pairs: Vec<[u32; 2]> = (0..n as u32).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let (consensus, weights) = values.split_at(pairs.len());
        let weights = ViewMatrix::from_values(n_views, weights.to_vec());
        let consensus = has_consensus.then_some(consensus);
        MultiviewGraph::new(nodes.into_iter().collect(), views.into_iter().collect(), &pairs, &weights, consensus)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_graph_is_read_back_to_the_same_bits(graph in graphs()) {
        let place = written(&graph);
        let found = read_graph(&place.path().join("out")).unwrap();
        prop_assert_eq!(found, graph);
    }
}
