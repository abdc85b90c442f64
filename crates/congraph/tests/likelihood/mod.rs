//! The filter likelihood: a second solver, optima of another package, random problems, laws of the certificate, limits and
//! symmetries.
//!
//! ```text
//! problems   random problems as plain numbers       second    a second solver that shares no code with the library
//! oracle     the library against both               random    certified gaps of many random problems
//! laws       certificates and optimality conditions method    from views to graphs: symmetries, limits, refusals
//! ```

mod laws;
mod method;
mod oracle;
mod problems;
mod random;
mod second;
