//! A result folder is one run's: several at once, killed ones, full disks, changed files.
//!
//! `CONGRAPH_ROUNDS=120,60,35 cargo test --workspace --test cli store:: -- --nocapture` for as many rounds of
//! concurrent, killed and ended runs.
#![cfg(unix)]
// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::{self, MODEL, Place, csv};

/// How many rounds of each kind.
fn rounds(kind: usize, usual: usize) -> usize {
    let asked = std::env::var("CONGRAPH_ROUNDS").ok();
    let asked = asked.and_then(|text| text.split(',').nth(kind)?.parse().ok());
    asked.unwrap_or(usual)
}

fn with_views() -> Place {
    let place = Place::new();
    for (name, seed) in [("a.csv", 1), ("b.csv", 2), ("c.csv", 3)] {
        place.write(name, csv("n1,n2,n3,n4,n5,n6,n7,n8", 60, seed));
    }
    place
}

/// The binary, hearing every signal: started by `nohup` or in the background, these tests would hand down that some are
/// ignored.
fn heard() -> Command {
    let binary = assert_cmd::cargo::cargo_bin!("congraph");
    if cfg!(not(target_os = "linux")) {
        return Command::new(binary);
    }
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP,INT,TERM").arg(binary);
    command
}

fn start(place: &Place, args: &[&str]) -> Child {
    heard()
        .current_dir(place.path(""))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn learn(place: &Place, files: &[&str], words: &[&str], out: &str) -> Child {
    start(place, &[&["learn"], files, &MODEL, words, &["-o", out]].concat())
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// The names in a folder that start with `.congraph-`.
fn leftovers(place: &Place, within: &str) -> Vec<String> {
    let names = fs::read_dir(place.path(within)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Whether all files of a folder are of the run that its summary tells of, and none is missing.
fn is_whole(place: &Place, out: &str) -> bool {
    let outcome = place.run(&["evaluate", out, "--truth", out, "--json"]);
    let whole = outcome.code == 0;
    if !whole {
        eprintln!("{}", outcome.stderr);
    }
    let summary: serde_json::Value = serde_json::from_str(&place.read(&format!("{out}/summary.json"))).unwrap();
    let listed: BTreeSet<String> = summary["files"].as_object().unwrap().keys().cloned().collect();
    let there = fs::read_dir(place.path(out)).unwrap();
    let there: BTreeSet<String> = there
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut expected = listed;
    expected.extend(["summary.json".to_owned(), "report.html".to_owned()]);
    whole && there == expected
}

const INPUTS: [&[&str]; 4] = [
    &["a.csv", "b.csv"],
    &["a.csv", "b.csv", "c.csv"],
    &["b.csv", "c.csv"],
    &["c.csv", "a.csv"],
];

#[test]
fn of_runs_at_once_one_writes_and_the_others_are_refused() {
    let place = with_views();
    let n_rounds = rounds(0, 6);
    let (mut n_fine, mut n_refused) = (0, 0);
    for round in 0..n_rounds {
        let force: &[&str] = if round % 2 == 1 { &["--force"] } else { &[] };
        if force.is_empty() {
            let _ = fs::remove_dir_all(place.path("out"));
        }
        let runs = INPUTS.map(|files| learn(&place, files, force, "out"));
        let outcomes = runs.map(|run| run.wait_with_output().unwrap());
        for outcome in &outcomes {
            let said = String::from_utf8_lossy(&outcome.stderr);
            match outcome.status.code() {
                Some(0) => n_fine += 1,
                // FitContext while the other runs, or after it has ended.
                Some(7) if said.contains("is being written by another run of congraph") => n_refused += 1,
                Some(2) if said.contains("is not empty") => n_refused += 1,
                code => panic!("{code:?}: {said}"),
            }
        }
        assert!(outcomes.iter().any(|outcome| outcome.status.success()), "nobody wrote");
        assert!(is_whole(&place, "out"), "round {round}");
        assert_eq!(leftovers(&place, ""), [""; 0], "round {round}");
    }
    println!("{n_rounds} rounds of four runs at once: {n_fine} wrote, {n_refused} refused, 0 mixed, 0 leftovers");
}

#[test]
fn a_run_that_is_killed_leaves_the_old_result_or_the_new_one() {
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    place.write("out/mine.txt", "mine").write("out/notes/mine.txt", "mine");
    // How long a run takes here, to be killed at every point of it.
    let start = Instant::now();
    place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", "out", "--force"]].concat());
    let whole = start.elapsed();
    let n_rounds = rounds(1, 8);
    let (mut n_tries, mut n_killed, mut n_leftovers) = (0, 0, 0);
    // A run that ended before it could be killed does not count.
    while n_killed < n_rounds {
        let round = n_tries;
        n_tries += 1;
        assert!(n_tries < 100 * n_rounds, "runs end before they can be killed");
        let mut run = learn(&place, INPUTS[round % 4], &["--force"], "out");
        // The writing is at the end.
        sleep(whole.mul_f64(0.2 + 0.05 * (round % 19) as f64));
        n_killed += usize::from(run.try_wait().unwrap().is_none());
        let _ = run.kill();
        run.wait().unwrap();
        n_leftovers += usize::from(!leftovers(&place, "").is_empty());
        // What is there is one run's, with the files of others.
        place.fine(&["evaluate", "out", "--truth", "out"]);
        assert_eq!(
            place.read("out/mine.txt") + &place.read("out/notes/mine.txt"),
            "minemine"
        );
        // The next run, which writes nothing, clears up.
        let next = place.run(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
        assert_eq!(next.code, 2, "{next:?}");
        assert_eq!(leftovers(&place, ""), [""; 0], "round {round}");
        assert_eq!(leftovers(&place, "out"), [""; 0], "round {round}");
    }
    for file in ["mine.txt", "notes/mine.txt"] {
        assert_eq!(fs::metadata(place.path("out").join(file)).unwrap().nlink(), 1);
    }
    println!("{n_killed} SIGKILLs ({n_leftovers} left something): 0 mixed, 0 leftovers after the next start");
}

#[test]
fn a_run_that_is_told_to_end_leaves_no_trace() {
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    let begin = Instant::now();
    place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", "other"]].concat());
    let whole = begin.elapsed();
    let n_rounds = rounds(2, 6);
    let (mut n_tries, mut n_ended) = (0, 0);
    while n_ended < n_rounds {
        let round = n_tries;
        n_tries += 1;
        assert!(n_tries < 100 * n_rounds, "runs end before they can be told to");
        let before = place.read("out/summary.json");
        let mut run = learn(&place, INPUTS[round % 4], &["--force"], "out");
        sleep(whole.mul_f64(0.2 + 0.05 * (round % 19) as f64));
        let is_over = run.try_wait().unwrap().is_some();
        signal_if_alive(&run, if round % 3 == 2 { "-HUP" } else { "-TERM" });
        let outcome = run.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&outcome.stderr);
        match outcome.status.code() {
            Some(0) => assert!(is_over || place.read("out/summary.json") != before),
            // Before it could set a handler.
            None => assert_eq!(place.read("out/summary.json"), before),
            Some(130) => {
                n_ended += 1;
                let is_written = said.contains("the files were already complete");
                assert!(is_written || said.contains("nothing was written"), "{said}");
                assert_eq!(place.read("out/summary.json") != before, is_written);
            }
            code => panic!("{code:?}: {said}"),
        }
        assert_eq!(leftovers(&place, ""), [""; 0], "round {round}");
        assert!(is_whole(&place, "out"), "round {round}");
    }
    println!("{n_ended} SIGTERMs and SIGHUPs: 0 mixed, 0 leftovers, old results intact");
}

fn signal_if_alive(child: &Child, name: &str) {
    let kill = Command::new("kill")
        .args([name, &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    assert!(kill.is_ok());
}

/// A fit that goes on until it is ended.
fn endless(place: &Place) -> Child {
    let words = ["--solver", "admm", "--tol", "1e-300", "--max-iterations", "100000000"];
    let model = ["--alpha", "1e-9", "--beta", "1e-3", "--force", "-o", "out"];
    start(place, &[&["learn", "a.csv", "b.csv"], &words[..], &model].concat())
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn sigterm_and_sighup_end_a_fit_and_who_holds_a_folder_is_told() {
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    let before = place.everything();
    for name in ["-TERM", "-HUP", "-INT"] {
        let run = endless(&place);
        until("the folder is not locked", || !leftovers(&place, "").is_empty());
        let second = place.run(&[&["learn"], INPUTS[1], &MODEL, &["-o", "out", "--force"]].concat());
        assert_eq!(second.code, 7, "{second:?}");
        let who = format!("is being written by another run of congraph (process {})", run.id());
        assert!(second.stderr.contains(&who), "{second:?}");
        for words in [
            &["communities", "out"][..],
            &["report", "out"],
            &["export", "out", "--to", "edges"],
        ] {
            assert_eq!(place.run(words).code, 7, "{words:?}");
        }
        signal(&run, name);
        let ended = run.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{name}");
        assert!(place.everything() == before, "{name}");
    }
}

#[test]
fn what_nohup_is_asked_for_is_heard() {
    let place = with_views();
    let bin = assert_cmd::cargo::cargo_bin!("congraph").display().to_string();
    let words =
        "learn a.csv b.csv --solver admm --tol 1e-300 --max-iterations 100000000 --alpha 1e-9 --beta 1e-3 -o out";
    let script = format!("trap '' HUP; exec '{bin}' {words}");
    let mut run = Command::new("sh")
        .current_dir(place.path(""))
        .args(["-c", &script])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the folder is not locked", || !leftovers(&place, "").is_empty());
    signal(&run, "-HUP");
    sleep(Duration::from_millis(300));
    assert!(
        run.try_wait().unwrap().is_none(),
        "it ended although its terminal may close"
    );
    signal(&run, "-TERM");
    assert_eq!(run.wait().unwrap().code(), Some(130));
}

#[test]
fn files_of_other_runs_and_changed_ones_are_named() {
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", "other"]].concat());
    place.fine(&["communities", "out"]);
    place.fine(&["communities", "other"]);
    let readers: [&[&str]; 5] = [
        &["report", "out"],
        &["communities", "out", "--force"],
        &["export", "out", "--to", "edges", "-o", "exported"],
        &["evaluate", "out", "--truth", "other"],
        &["project", "out", "--view", "c.csv", "-o", "projected"],
    ];
    let refused = |file: &str, what: &str| {
        let before = place.everything();
        for words in readers {
            let outcome = place.run(words);
            assert_eq!(outcome.code, 3, "{words:?} {file}: {outcome:?}");
            let named = outcome.stderr.contains(&format!("`out/{file}` {what}"));
            assert!(named, "{words:?} {file}: {outcome:?}");
        }
        assert!(place.everything() == before);
    };
    for file in [
        "edges.tsv",
        "edges_long.tsv",
        "views.tsv",
        "matrices.npz",
        "run.json",
        "quality.tsv",
    ] {
        let own = fs::read(place.path("out").join(file)).unwrap();
        fs::copy(place.path("other").join(file), place.path("out").join(file)).unwrap();
        refused(file, "is not the file that the run wrote");
        fs::remove_file(place.path("out").join(file)).unwrap();
        refused(file, "is missing, and belongs to the run");
        place.write(&format!("out/{file}"), own);
    }
    let own = place.read("out/summary.json");
    place.write("out/summary.json", place.read("other/summary.json"));
    refused("edges.tsv", "is not the file that the run wrote");
    place.write("out/summary.json", "{");
    refused("summary.json", "is not as it was written");
    place.write("out/summary.json", &own);
    place.write("out/missing.tsv", "view\tnode\na\tn1\n");
    refused("missing.tsv", "does not belong to the run");
    fs::remove_file(place.path("out/missing.tsv")).unwrap();
    // Those of communities are named by who reads them, and can be replaced.
    for file in ["communities.tsv", "communities.json"] {
        fs::copy(place.path("other").join(file), place.path("out").join(file)).unwrap();
        let outcome = place.run(&["report", "out"]);
        assert!(
            outcome.code == 3 && outcome.stderr.contains(&format!("`out/{file}`")),
            "{outcome:?}"
        );
        place.fine(&["communities", "out", "--force"]);
        place.fine(&["report", "out"]);
    }
    // What may be done to a folder: positions, other files, and results of an earlier version.
    let nodes = place.read("out/nodes.tsv");
    let placed: Vec<String> = nodes
        .lines()
        .enumerate()
        .map(|(k, line)| {
            if k == 0 {
                format!("{line}\tx\ty\n")
            } else {
                format!("{line}\t{k}\t{}\n", k % 3)
            }
        })
        .collect();
    place
        .write("out/nodes.tsv", placed.concat())
        .write("out/thesis.txt", "mine");
    place.fine(&["report", "out"]);
    place.write("out/nodes.tsv", placed.concat().replace("n2", "n9"));
    refused("nodes.tsv", "does not name the nodes of the run");
    place.write("out/nodes.tsv", nodes);
    let mut older: serde_json::Value = serde_json::from_str(&own).unwrap();
    for key in ["run", "files", "node_names"] {
        older.as_object_mut().unwrap().remove(key);
    }
    place.write("out/summary.json", older.to_string());
    place.fine(&["evaluate", "out", "--truth", "out"]);
}

#[test]
fn communities_replace_nothing_when_they_fail() {
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    place.fine(&["communities", "out"]);
    // Only the report needs this one.
    for (file, text) in [("summary.json", "{"), ("quality.tsv", "name\nn1\n"), ("run.json", "{")] {
        let own = place.read(&format!("out/{file}"));
        place.write(&format!("out/{file}"), text);
        let before = place.everything();
        let outcome = place.run(&["communities", "out", "--force", "--resolution", "2"]);
        assert!(outcome.code == 3 && outcome.stderr.contains(file), "{outcome:?}");
        assert!(place.everything() == before, "{file}");
        place.write(&format!("out/{file}"), own);
    }
}

/// A small disk at a folder of the place, if one can be had; unmounted at the end.
struct Disk(String);

impl Disk {
    fn at(path: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let path = path.display().to_string();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs", &path])
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(path));
        }
        eprintln!("SKIPPED: a disk cannot be mounted without being root");
        None
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let place = with_views();
    // Room for a result, and not for a second beside it.
    let Some(_disk) = Disk::at(&place.path("disk"), "size=400k") else {
        return;
    };
    for out in ["disk", "disk/out"] {
        place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", out]].concat());
        let mut filling = 0;
        while fs::write(place.path("disk").join(format!("fill{filling}")), vec![1; 4096]).is_ok() {
            filling += 1;
        }
        let before = place.everything();
        for words in [
            &[&["learn"], INPUTS[1], &MODEL[..], &["-o", out, "--force"]].concat()[..],
            &["communities", out, "--force"],
        ] {
            let outcome = place.run(words);
            assert_eq!(outcome.code, 7, "{outcome:?}");
            assert!(
                outcome.stderr.contains("cannot be written: the disk is full"),
                "{outcome:?}"
            );
            assert!(place.everything() == before, "{words:?}");
        }
        for k in 0..=filling {
            let _ = fs::remove_file(place.path("disk").join(format!("fill{k}")));
        }
        // With room again, it is replaced where it is.
        place.write(&format!("{out}/mine.txt"), "mine");
        place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", out, "--force"]].concat());
        place.fine(&["evaluate", out, "--truth", out]);
        assert_eq!(place.read(&format!("{out}/mine.txt")), "mine");
        assert_eq!(leftovers(&place, "disk"), [""; 0]);
        for entry in fs::read_dir(place.path("disk")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fs::remove_dir_all(path)
            } else {
                fs::remove_file(path)
            }
            .unwrap();
        }
    }
}

#[test]
fn a_killed_run_on_a_mount_point_is_finished_by_the_next() {
    let place = with_views();
    let Some(_disk) = Disk::at(&place.path("disk"), "size=20m") else {
        return;
    };
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "disk"]].concat());
    place.fine(&["communities", "disk"]);
    place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", "new"]].concat());
    // As a run leaves it that is killed while it puts its files into place: the first two of them are.
    let staging = fs::read_dir(place.path("new"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = staging.collect();
    let inside = "disk/.congraph-e3b0c44298fc";
    for name in &names {
        let bytes = fs::read(place.path("new").join(name)).unwrap();
        place.write(&format!("{inside}/files/{name}"), bytes);
    }
    for name in ["edges.tsv", "views.tsv"] {
        fs::rename(
            place.path(inside).join("files").join(name),
            place.path("disk").join(name),
        )
        .unwrap();
    }
    let removed = ["communities.tsv", "communities.json", "coclassification.npz"];
    let told = serde_json::json!({"written": names, "removed": removed});
    place.write(&format!("{inside}/ready.json"), told.to_string());
    let half = place.run(&["evaluate", "disk", "--truth", "new"]);
    assert!(
        half.code == 3 && half.stderr.contains("`disk` is only half replaced"),
        "{half:?}"
    );
    let next = place.run(&[&["learn"], INPUTS[0], &MODEL, &["-o", "disk"]].concat());
    assert_eq!(next.code, 2);
    assert!(is_whole(&place, "disk"));
    assert_eq!(place.read("disk/summary.json"), place.read("new/summary.json"));
}

#[test]
fn permissions_and_other_files_survive_a_replacement() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = with_views();
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    fs::set_permissions(place.path("out"), fs::Permissions::from_mode(0o2775)).unwrap();
    place
        .write("out/deep/er/mine.txt", "mine")
        .write("out/export/mine.graphml", "mine");
    symlink("../a.csv", place.path("out/link")).unwrap();
    fs::create_dir(place.path("out/empty")).unwrap();
    let number = fs::metadata(place.path("out/deep/er/mine.txt")).unwrap().ino();
    place.fine(&["export", "out", "--to", "edges", "--force"]);
    place.fine(&["communities", "out"]);
    place.fine(&[&["learn"], INPUTS[1], &MODEL, &["-o", "out", "--force"]].concat());
    assert_eq!(
        fs::metadata(place.path("out")).unwrap().permissions().mode() & 0o7777,
        0o2775
    );
    assert_eq!(fs::metadata(place.path("out/deep/er/mine.txt")).unwrap().ino(), number);
    assert_eq!(fs::read_link(place.path("out/link")).unwrap(), Path::new("../a.csv"));
    assert!(place.path("out/empty").is_dir());
    let exported = fs::read_dir(place.path("out/export")).unwrap().count();
    assert_eq!((exported, place.path("out/communities.tsv").exists()), (1, false));
    // A folder of theirs where a result is to be is not removed.
    place.write("mine/matrices.npz/mine.txt", "mine");
    let before = place.everything();
    let outcome = place.run(&[&["learn"], INPUTS[0], &MODEL, &["-o", "mine", "--force"]].concat());
    assert_eq!(outcome.code, 7, "{outcome:?}");
    assert!(place.everything() == before);
}

#[test]
fn what_may_never_end_is_refused() {
    let place = with_views();
    let fifo = |name: &str| {
        let made = Command::new("mkfifo").arg(place.path(name)).status();
        assert!(made.unwrap().success());
    };
    for name in ["fifo.csv", "fifo.tsv", "fifo.edf", "fifo.npz"] {
        fifo(name);
    }
    for (name, device) in [("zero.csv", "/dev/zero"), ("random.csv.gz", "/dev/random")] {
        std::os::unix::fs::symlink(device, place.path(name)).unwrap();
    }
    place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out"]].concat());
    let cases: [&[&str]; 8] = [
        &["check", "fifo.csv"],
        &["check", "zero.csv"],
        &["check", "random.csv.gz"],
        &["check", "fifo.npz"],
        &["learn", "a.csv", "b.csv", "--candidates", "fifo.tsv", "-o", "new"],
        &["learn", "a.csv", "b.csv", "--edge-costs", "zero.csv", "-o", "new"],
        &["eeg", "fifo.edf", "--band", "4:7", "--every", "1", "-o", "new"],
        &["evaluate", "out", "--data", "fifo.csv", "fifo.csv"],
    ];
    for words in cases {
        let mut command = place.command(words);
        let output = command.timeout(Duration::from_secs(60)).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{words:?}: {said}");
        assert!(said.contains("not a file"), "{words:?}: {said}");
    }
    // Nor is a pipe in a result folder waited for.
    fs::remove_file(place.path("out/edges.tsv")).unwrap();
    fifo("out/edges.tsv");
    let output = place
        .command(&["report", "out"])
        .timeout(Duration::from_secs(60))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn what_unfolds_beyond_the_memory_is_refused() {
    let place = with_views();
    let line = "0,".repeat(499) + "0\n";
    let bytes = line.repeat(200_000);
    place.write("bomb.csv.gz", place::gz(bytes.as_bytes()));
    drop(bytes);
    let words = ["learn", "bomb.csv.gz", "a.csv", "--memory", "0.1", "-o", "out"];
    let outcome = place.run(&words);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(
        outcome.stderr.contains("holds more than 102 MiB when decompressed"),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("`--memory GIB`"), "{outcome:?}");
    // Numbers take more room than a digit each.
    let outcome = place.run(&["learn", "bomb.csv.gz", "a.csv", "--memory", "0.3", "-o", "out"]);
    assert!(
        outcome.code == 3 && outcome.stderr.contains("numbers, and 307 MiB of memory"),
        "{outcome:?}"
    );
}

#[test]
fn threads_are_as_many_as_make_sense() {
    let place = with_views();
    let outcome = place.fine(&[&["learn"], INPUTS[0], &MODEL, &["-o", "out", "--threads", "100000"]].concat());
    assert!(
        outcome.stderr.contains("note: --threads 100000 is more than"),
        "{outcome:?}"
    );
    let run: serde_json::Value = serde_json::from_str(&place.read("out/run.json")).unwrap();
    assert!(run["threads"].as_u64().unwrap() < 10_000);
}

#[test]
fn names_that_a_nul_would_cut_are_refused() {
    let place = Place::new();
    let wide = |name: &str| {
        csv(
            &format!("a long name to begin with,another long name of a node,and a third that is as long,{name}"),
            60,
            1,
        )
    };
    place.write("a.csv", wide("b\0,b")).write("c.csv", wide("b\0,b"));
    let outcome = place.run(&["learn", "a.csv", "c.csv", "-o", "out"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(
        outcome.stderr.contains("with a NUL character in its name"),
        "{outcome:?}"
    );
    assert!(!place.path("out").exists());
}

#[test]
fn a_result_without_its_summary_is_no_result() {
    let place = with_views();
    place.learn(&["a.csv", "b.csv", "c.csv"], "out");
    let commands: [&[&str]; 3] = [
        &["report", "out"],
        &["communities", "out", "--force"],
        &["export", "out", "--to", "graphml", "--force"],
    ];
    // What the user was warned of stands there: without it a report would be more confident than the run was.
    for (content, told) in [
        (None, "is missing, although `run.json`"),
        (Some("{}"), "does not say what it is"),
    ] {
        match content {
            None => fs::remove_file(place.path("out/summary.json")).unwrap(),
            Some(text) => fs::write(place.path("out/summary.json"), text).unwrap(),
        }
        for args in commands {
            let outcome = place.run(args);
            assert_eq!(outcome.code, 3, "{args:?}: {outcome:?}");
            assert!(outcome.stderr.contains(told), "{args:?}: {}", outcome.stderr);
        }
    }
}

#[test]
fn changed_communities_are_not_exported() {
    let place = with_views();
    place.learn(&["a.csv", "b.csv", "c.csv"], "out");
    place.fine(&["communities", "out"]);
    place.fine(&["export", "out", "--to", "graphml"]);
    let text = place.read("out/communities.tsv").replacen("\t0\t", "\t1\t", 1);
    fs::write(place.path("out/communities.tsv"), text).unwrap();
    let outcome = place.run(&["export", "out", "--to", "graphml", "--force"]);
    assert_eq!(outcome.code, 3, "{outcome:?}");
    assert!(outcome.stderr.contains("communities.tsv"), "{}", outcome.stderr);
}
