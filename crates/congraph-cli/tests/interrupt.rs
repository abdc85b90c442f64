//! Ctrl-C during a long fit: code 130, and no trace of it.
#![cfg(unix)]
// The lint knows `#[test]` functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::Place;

#[test]
fn ctrl_c_ends_a_fit_without_a_trace() {
    let place = Place::new();
    place.fine(&[
        "simulate",
        "--nodes",
        "100",
        "--views",
        "3",
        "--signals",
        "120",
        "-o",
        "sim",
    ]);
    let before = place.everything();
    let mut fit = Command::new(assert_cmd::cargo::cargo_bin!("congraph"))
        .current_dir(place.path(""))
        .args([
            "learn",
            "sim/view1.csv",
            "sim/view2.csv",
            "sim/view3.csv",
            "-v",
            "-o",
            "new/out",
        ])
        // So small that the paper's algorithm takes very many iterations.
        .args(["--alpha", "1e-9", "--beta", "1e-3"])
        .args(["--solver", "admm", "--tol", "1e-300", "--max-iterations", "100000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_secs(1));
    assert!(
        fit.try_wait().unwrap().is_none(),
        "the fit ended before it could be interrupted"
    );
    let mut now = place.everything();
    now.retain(|name, _| !name.starts_with(".congraph-"));
    assert!(
        now == before,
        "nothing but the folder's lock is on disk while computing"
    );
    let interrupt = Command::new("kill").args(["-INT", &fit.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let asked = Instant::now();
    while fit.try_wait().unwrap().is_none() {
        if asked.elapsed() > Duration::from_secs(60) {
            fit.kill().unwrap();
            break;
        }
        sleep(Duration::from_millis(20));
    }
    let output = fit.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: nothing was written"), "{said}");
    assert!(output.stdout.is_empty());
    assert!(place.everything() == before);
}
