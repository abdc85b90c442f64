//! Which views are of one subject: several conditions, sessions or runs of the same person, animal or plant.

/// The subject of every view. Subjects are numbered by name, so that no result depends on which came first.
///
/// ```
/// use congraph::Subjects;
///
/// let subjects = Subjects::new(&["bob", "ann", "bob"]);
/// assert_eq!(subjects.names(), ["ann", "bob"]);
/// assert_eq!(subjects.of_views(), [1, 0, 1]);
/// assert_eq!(subjects.most_views(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subjects {
    names: Vec<String>,
    of_views: Vec<u32>,
}

impl Subjects {
    /// From the subject's name of every view.
    pub fn new(labels: &[impl AsRef<str>]) -> Self {
        let mut names: Vec<String> = labels.iter().map(|label| label.as_ref().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let place = |label: &str| names.partition_point(|name| name.as_str() < label) as u32;
        let of_views = labels.iter().map(|label| place(label.as_ref())).collect();
        Self { names, of_views }
    }

    /// The names of the subjects, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many subjects.
    pub fn n_subjects(&self) -> usize {
        self.names.len()
    }

    /// For every view the number of its subject.
    pub fn of_views(&self) -> &[u32] {
        &self.of_views
    }

    /// The name of a view's subject.
    pub fn name_of(&self, view: usize) -> &str {
        &self.names[self.of_views[view] as usize]
    }

    /// The views of a subject, in order.
    pub fn views_of(&self, subject: usize) -> impl Iterator<Item = usize> + '_ {
        let of_subject = move |view: &usize| self.of_views[*view] as usize == subject;
        (0..self.of_views.len()).filter(of_subject)
    }

    /// How many views the subject with the most of them has: the number of conditions C.
    pub fn most_views(&self) -> usize {
        (0..self.n_subjects())
            .map(|subject| self.views_of(subject).count())
            .max()
            .unwrap_or(0)
    }

    /// The same of some views, in this order. Subjects without a view are no more.
    pub(crate) fn arranged(&self, views: &[usize]) -> Self {
        let labels: Vec<&str> = views.iter().map(|&view| self.name_of(view)).collect();
        Self::new(&labels)
    }
}
