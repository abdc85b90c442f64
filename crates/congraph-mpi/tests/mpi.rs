//! Real processes: as many find the same files, and whoever fails ends all.
//!
//! Needs `mpirun`. The program `congraph` is looked for beside `congraph-mpi`, where `cargo test --workspace` puts it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Several processes on few cores: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

const MPI: &str = env!("CARGO_BIN_EXE_congraph-mpi");
/// A job that fails has ended after this.
const SOON: Duration = Duration::from_secs(15);

fn alone() -> PathBuf {
    let path = Path::new(MPI).with_file_name("congraph");
    assert!(
        path.exists(),
        "{} is missing: run `cargo test --workspace`",
        path.display()
    );
    path
}

/// Views of smooth signals on nodes in a square, as tables with names.
fn write_views(dir: &Path, n_nodes: usize, n_samples: usize) -> Vec<String> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let points: Vec<[f64; 2]> = (0..n_nodes).map(|_| [random(), random()]).collect();
    let mut files = Vec::new();
    for view in 0..3 {
        let names: Vec<String> = (0..n_nodes).map(|node| format!("n{node}")).collect();
        let mut text = names.join(",") + "\n";
        for _ in 0..n_samples {
            let wave = [random() * 18.0 - 9.0, random() * 18.0 - 9.0, random() * 6.0];
            let value = |[x, y]: &[f64; 2]| (wave[0] * x + wave[1] * y + wave[2]).sin();
            let row: Vec<String> = points
                .iter()
                .map(|point| format!("{:.5}", value(point) + 0.2 * random()))
                .collect();
            text += &(row.join(",") + "\n");
        }
        let path = dir.join(format!("v{view}.csv"));
        fs::write(&path, text).unwrap();
        files.push(path.display().to_string());
    }
    files
}

/// `mpirun` with so many processes, of a program and its words.
fn mpirun(n: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "-n", &n.to_string()]);
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_mpi_yield_when_idle", "1");
    command
}

fn learn(command: &mut Command, files: &[String], out: &Path) -> Output {
    let fixed = ["--alpha", "0.02", "--beta", "0.03", "--threads", "1", "-o"];
    command.arg("learn").args(files).args(fixed).arg(out).output().unwrap()
}

/// What a folder says, without the times and the words of its call.
fn told(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() && name != "run.json" {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes).replace(&out.display().to_string(), "OUT");
            files.insert(name, without_times(&text).into_bytes());
        }
    }
    files
}

/// Lines that tell the time, when it was, which run, and sums of files that do.
fn without_times(text: &str) -> String {
    let of_time = [
        "\"distances\":",
        "\"solve\":",
        "\"total\":",
        "\"read\":",
        "\"run\":",
        "\"report.html\":",
        "\"run.json\":",
    ];
    let keep = |line: &&str| !of_time.iter().any(|word| line.contains(word));
    text.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_to_four_processes_write_the_same_files() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 420, 50);
    // All in folders of one name: a report tells it.
    let out = dir.path().join("out");
    let done = learn(&mut Command::new(alone()), &files, &out);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut expected = told(&out);
    expected.remove("report.html");
    assert!(expected.len() > 4 && expected.contains_key("edges_long.tsv"));
    for n in 1..=4 {
        for whole in ["0", "1"] {
            fs::remove_dir_all(&out).unwrap();
            let done = learn(mpirun(n).env("CONGRAPH_WHOLE_SET", whole).arg(MPI), &files, &out);
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            // One line, whoever did the work.
            assert_eq!(String::from_utf8_lossy(&done.stdout).lines().count(), 1);
            let mut found = told(&out);
            found.remove("report.html");
            for (name, bytes) in &expected {
                assert!(
                    found.get(name) == Some(bytes),
                    "{name} of {n} processes, whole set {whole}"
                );
            }
            assert_eq!(found.len(), expected.len());
        }
    }
}

#[test]
fn what_several_do_not_share_out_is_refused_or_done_by_one() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 20, 200);
    let out = dir.path().join("out");
    let done = mpirun(2).arg(MPI).args(["demo", "-o"]).arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code() == Some(2) && words.contains("process 0 of 2: several processes share out"),
        "{words}"
    );
    assert_eq!(words.matches("error:").count(), 1, "{words}");
    let done = mpirun(2)
        .arg(MPI)
        .args(["learn", "--method", "likelihood"])
        .args(&files)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success() && out.join("edges.tsv").exists());
    // So many nodes that another method would be shared out; the first asks it for a start.
    let files = write_views(dir.path(), 280, 40);
    let fit = [
        "learn",
        "--method",
        "likelihood",
        "--filter",
        "1",
        "--max-iterations",
        "1",
        "--no-report",
        "--force",
    ];
    let done = mpirun(2)
        .arg(MPI)
        .args(fit)
        .args(&files)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    // Each process is a part.
    let done = mpirun(2)
        .arg(MPI)
        .args(["stability", "--shard", "1/2"])
        .arg(&out)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code() == Some(2) && words.contains("--shard is for one process"),
        "{words}"
    );
}

#[test]
fn other_data_at_one_are_named() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 300, 30);
    let names: Vec<String> = (0..3).map(|view| format!("v{view}.csv")).collect();
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    for (name, file) in names.iter().zip(&files) {
        fs::copy(file, other.join(name)).unwrap();
    }
    let text = fs::read_to_string(&files[2]).unwrap();
    fs::write(other.join("v2.csv"), text.replacen("0.1", "0.2", 1)).unwrap();
    let out = dir.path().join("out");
    let (code, words) = ended(with_trouble(dir.path(), "cd other", &names, &out));
    assert!(
        code == 2 && words.contains("process 1 has other data in view `v2` than process 0"),
        "{code} {words}"
    );
    nothing_is_left(dir.path(), &out);
}

/// Sweeps in as many parts as there are processes, put together by the first.
#[test]
fn sweeps_of_three_processes_are_those_of_one() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 12, 40);
    let run = |command: &mut Command, words: &[&str]| {
        let done = command
            .args(words)
            .args(["--threads", "1", "-q"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert_eq!(String::from_utf8_lossy(&done.stdout).lines().count(), 1, "{words:?}");
    };
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let grid = [
        "--density",
        "0.2:0.3",
        "--similarity",
        "0.98:0.999",
        "--halvings",
        "4",
        "--no-report",
        "-o",
    ];
    let tune = |out: &'static str| [&["tune"], &files[..], &grid[..], &[out]].concat();
    run(&mut Command::new(alone()), &tune("one"));
    run(mpirun(3).arg(MPI), &tune("three"));
    run(&mut Command::new(alone()), &["stability", "one", "--pairs", "5"]);
    run(mpirun(3).arg(MPI), &["stability", "three", "--pairs", "5"]);
    for name in ["edges.tsv", "edges_long.tsv", "path.tsv"] {
        let read = |out: &str| fs::read(dir.path().join(out).join(name)).unwrap();
        assert!(read("one") == read("three"), "{name}");
    }
}

/// Waits for a job that fails; its code and its words.
fn ended(mut job: Child) -> (i32, String) {
    let start = Instant::now();
    while job.try_wait().unwrap().is_none() {
        if start.elapsed() > SOON {
            let _ = job.kill();
            panic!("the job has not ended after {SOON:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let done = job.wait_with_output().unwrap();
    (
        done.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&done.stderr).into_owned(),
    )
}

/// Three processes, of which rank 1 runs some words of the shell first.
fn with_trouble(dir: &Path, trouble: &str, files: &[String], out: &Path) -> Child {
    let script = dir.join("trouble.sh");
    let text = format!(
        "if [ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = 1 ]; then {trouble}; fi\nexec {MPI} learn \"$@\" --alpha 0.02 --beta 0.03 --threads 1 -o {}\n",
        out.display()
    );
    fs::write(&script, text).unwrap();
    let mut command = mpirun(3);
    command.arg("sh").arg(&script).args(files).current_dir(dir);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn nothing_is_left(dir: &Path, out: &Path) {
    assert!(!out.exists());
    let left: Vec<String> = (fs::read_dir(dir).unwrap())
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".congraph"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A file is read by one process, which says what is wrong with it.
#[test]
fn a_damaged_file_ends_all() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let mut files = write_views(dir.path(), 40, 30);
    // The first is the largest, and goes to process 0.
    let more = fs::read_to_string(&files[0]).unwrap();
    let last = more.lines().last().unwrap();
    fs::write(&files[0], format!("{more}{last}\n")).unwrap();
    fs::write(&files[2], "a,b\n1,oops\n").unwrap();
    let out = dir.path().join("out");
    files.swap(0, 1);
    let (code, words) = ended(with_trouble(dir.path(), "true", &files, &out));
    assert!(
        code == 3 && words.contains("error: process 2 of 3: ") && words.contains("v2.csv"),
        "{code} {words}"
    );
    nothing_is_left(dir.path(), &out);
}

#[test]
fn who_runs_out_of_memory_is_named() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 2000, 500);
    let out = dir.path().join("out");
    // What a fit takes depends on the machine: a limit that MPI starts with is lowered until the fit does not fit.
    for limit in (100_000..=300_000).rev().step_by(20_000) {
        let (code, words) = ended(with_trouble(dir.path(), &format!("ulimit -v {limit}"), &files, &out));
        if code == 0 {
            fs::remove_dir_all(&out).unwrap();
            continue;
        }
        let is_named = words.contains("error: process 1 of 3: out of memory") || words.contains("rank 1");
        assert!(is_named, "{limit} kB, {code}: {words}");
        nothing_is_left(dir.path(), &out);
        return;
    }
    panic!("every limit was enough");
}

/// The processes of a job, by what they run.
fn processes_with(out: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        if words.starts_with(MPI) && words.contains(&out.display().to_string()) {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment).into_owned();
            let rank = environment
                .split('\0')
                .find_map(|entry| entry.strip_prefix("OMPI_COMM_WORLD_RANK="));
            found.extend(rank.and_then(|rank| rank.parse::<u32>().ok()).map(|rank| (rank, id)));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, id)| id).collect()
}

#[test]
fn a_killed_or_ended_process_ends_all() {
    let _one = ONE.lock();
    for (signal, code_told) in [("-KILL", 137), ("-TERM", 130)] {
        let dir = tempfile::tempdir().unwrap();
        let files = write_views(dir.path(), 420, 30);
        let out = dir.path().join("out");
        // In the middle of the fit, however fast the machine is.
        let held = dir.path().join("held");
        let trouble = format!("export CONGRAPH_TEST_HOLD={}", held.display());
        let job = with_trouble(dir.path(), &trouble, &files, &out);
        let start = Instant::now();
        while !held.exists() {
            assert!(start.elapsed() < SOON, "the fit has not begun");
            std::thread::sleep(Duration::from_millis(5));
        }
        let [_, second, _] = processes_with(&out)[..] else {
            panic!("there are not three processes");
        };
        Command::new("kill")
            .args([signal, &second.to_string()])
            .status()
            .unwrap();
        let (code, words) = ended(job);
        assert_eq!(code, code_told, "{signal}: {words}");
        if signal == "-KILL" {
            assert!(words.contains("rank 1"), "{words}");
        } else {
            assert!(words.contains("interrupted: nothing was written"), "{words}");
        }
        nothing_is_left(dir.path(), &out);
    }
}

#[test]
fn a_panic_is_told_by_who_had_it() {
    let _one = ONE.lock();
    let dir = tempfile::tempdir().unwrap();
    let files = write_views(dir.path(), 420, 30);
    let out = dir.path().join("out");
    let trouble = "export CONGRAPH_TEST_PANIC=1";
    let (code, words) = ended(with_trouble(dir.path(), trouble, &files, &out));
    assert!(
        code == 1 && words.contains("error: process 1 of 3: congraph has a bug"),
        "{code} {words}"
    );
    nothing_is_left(dir.path(), &out);
}
