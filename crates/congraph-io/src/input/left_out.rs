//! Files of a format whose reader is not part of this build: the error names the cargo feature that brings it.

use super::Input;
use super::faults::{Fault, fault};

/// A `.parquet` file, without the feature `parquet`.
#[cfg(not(feature = "parquet"))]
pub(super) fn parquet(input: &Input) -> Fault {
    left_out(input, "a Parquet file", "parquet", "write the table as .csv or .npy")
}

/// A `.mat` file of version 7.3, without the feature `hdf5`.
#[cfg(not(feature = "hdf5"))]
pub(super) fn matlab73(input: &Input) -> Fault {
    left_out(input, "a MATLAB 7.3 file", "hdf5", "save it again as `-v7`")
}

/// An `.h5ad` file, without the feature `hdf5`.
#[cfg(not(feature = "hdf5"))]
pub(super) fn h5ad(input: &Input) -> Fault {
    left_out(input, "an AnnData file", "hdf5", "write the table as .csv or .npy")
}

fn left_out(input: &Input, kind: &str, feature: &str, instead: &str) -> Fault {
    fault(
        &input.path,
        &format!("is {kind}, and this build cannot read those"),
        &format!("its reader is the cargo feature `{feature}`, which was left out"),
        format!("build congraph with `--features {feature}`, or {instead}"),
    )
}

#[cfg(test)]
mod tests {
    use crate::{Input, ReadOptions, read};

    #[test]
    #[allow(clippy::unwrap_used)]
    fn the_error_names_the_feature() {
        for (file, feature) in [("long.parquet", "parquet"), ("cells.h5ad", "hdf5")] {
            let left_out = match feature {
                "parquet" => cfg!(not(feature = "parquet")),
                _ => cfg!(not(feature = "hdf5")),
            };
            if left_out {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(file);
                std::fs::write(&path, b"anything").unwrap();
                let error = read(&[Input { name: None, path }], &ReadOptions::default()).unwrap_err();
                assert!(
                    error.to_string().contains(&format!("`--features {feature}`")),
                    "{error}"
                );
            }
        }
    }
}
