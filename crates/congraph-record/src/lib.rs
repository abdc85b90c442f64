//! The contract between congraph and its faces, as types: what was asked, what was found, and how each face spells an
//! option.
//!
//! ```text
//! spelling    option ids → words of the command line, keywords of Python
//! choices     options whose values are words: one list for each
//! refusal     why a request is refused, by option id
//! request     what was asked: FitRequest, TuneRequest → what the library runs
//! record      what was found: FitRecord (summary.json), RunRecord (run.json), written and read by one definition
//! findings    what learned graphs and their record say: all that a report shows
//! ```
//!
//! Faces fill a request and show a record; what either means is here. No file is read or written, and no words of a
//! command line are parsed: `congraph-io` and the faces do.

pub mod choices;
pub mod findings;
pub mod record;
pub mod refusal;
pub mod request;
pub mod spelling;

pub use choices::Choice;
pub use record::{FitRecord, RunRecord};
pub use refusal::RequestError;
pub use request::{FitRequest, Resolved, TuneRequest};
pub use spelling::{CommandLine, Python};
