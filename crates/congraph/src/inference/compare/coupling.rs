//! Whether a fit knew what is tested: a coupling may know only labels that the test keeps fixed.

use std::collections::HashMap;

use crate::error::{Code, DataError, Error};
use crate::options::option;

const WHY: &str = "labels are permuted as if the fit had treated all views alike; where it knew them, most studies \
                   without any difference find some";

/// Checks that a fit whose views were coupled in blocks (the subjects of a two-level fit, one word per view) may be tested
/// for these labels.
///
/// Without pairs any view may get any label, so that no block may hold some views but not all. With pairs the two views
/// of a pair change places, so that both must be in the same block.
///
/// # Errors
/// E14 if the blocks tell some of what the test permutes.
///
/// ```
/// use congraph::compare::check_coupling;
///
/// let words = |words: [&str; 4]| words.map(String::from);
/// let (subjects, conditions) = (words(["1", "1", "2", "2"]), words(["rest", "task", "rest", "task"]));
/// // Subjects may be known where each is compared with itself; conditions never.
/// assert!(check_coupling(&subjects, &conditions, Some(&subjects)).is_ok());
/// assert!(check_coupling(&conditions, &conditions, Some(&subjects)).is_err());
/// assert!(check_coupling(&subjects, &conditions, None).is_err());
/// ```
pub fn check_coupling(blocks: &[String], labels: &[String], pairs: Option<&[String]>) -> Result<(), Error> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    blocks.iter().for_each(|block| *sizes.entry(block).or_default() += 1);
    // Blocks of one view each, and one block of all, tell nothing.
    if sizes.len() <= 1 || sizes.values().all(|&size| size == 1) {
        return Ok(());
    }
    let Some(pairs) = pairs else {
        let what = if same_partition(blocks, labels) {
            "the fit coupled the views of each group with each other: it knew the labels that are tested"
        } else {
            "the fit coupled some views more than others, and without pairs any view may get any label"
        };
        let hint = format!(
            "learn one view of each subject, without subjects, or compare each subject with itself ({})",
            option("pair")
        );
        return Err(DataError::new(Code::E14, what, WHY, hint).into());
    };
    let mut block_of: HashMap<&str, &str> = HashMap::new();
    for (pair, block) in pairs.iter().zip(blocks) {
        if *block_of.entry(pair).or_insert(block) != block {
            let what = format!("the fit put the two views of `{pair}` into different subjects: it knew which is which");
            let hint = "learn all views together, or with the subjects that are compared";
            return Err(DataError::new(Code::E14, what, WHY, hint).into());
        }
    }
    Ok(())
}

/// Whether two lists of words put the same views together.
fn same_partition(one: &[String], two: &[String]) -> bool {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let mut words = one.iter().zip(two);
    words.all(|(one, two)| *there.entry(one).or_insert(two) == two && *back.entry(two).or_insert(one) == one)
}
