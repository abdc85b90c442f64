//! Delimited text → rows of cells, with their line numbers.
//!
//! Cells may be quoted (`"a, ""b"""`), and then hold delimiters and line ends. Blank lines are skipped. One pass, no
//! allocation except for quoted cells that hold a quote.

use std::borrow::Cow;

use super::cells::leading_number;

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// One such byte.
    Byte(u8),
    /// Any run of spaces and tabs.
    Spaces,
}

/// A quote that opens and never closes, or is followed by more than the end of its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadQuote {
    pub(crate) line: usize,
}

/// A walk over the rows of a text.
#[derive(Clone)]
pub(crate) struct Records<'t> {
    rest: &'t str,
    separator: Separator,
    line: usize,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t str, separator: Separator) -> Self {
        Self {
            rest: text,
            separator,
            line: 1,
        }
    }

    /// The next row's cells, put into `cells`, and the line it starts on; none at the end.
    pub(crate) fn next_row(&mut self, cells: &mut Vec<Cow<'t, str>>) -> Result<Option<usize>, BadQuote> {
        cells.clear();
        self.skip_blank_lines();
        if self.rest.is_empty() {
            return Ok(None);
        }
        let line = self.line;
        loop {
            // Runs of blanks are one separator, and at the end of a line none at all.
            if self.separator == Separator::Spaces {
                self.rest = self.rest.trim_start_matches([' ', '\t']);
                if !cells.is_empty() && self.end_of_row() {
                    return Ok(Some(line));
                }
            }
            if self.rest.starts_with('"') {
                cells.push(self.quoted()?);
            } else {
                cells.push(Cow::Borrowed(self.plain()));
            }
            if self.end_of_row() {
                return Ok(Some(line));
            }
            // What is left starts with a separator, which is one byte long.
            self.rest = &self.rest[1..];
        }
    }

    /// Takes the next row where it is as plain as nearly all rows are: as many cells as there are flags, a number ended by
    /// a separator or the end of the line where the flag says so, and no quotes. Numbers and the texts of the other
    /// cells are added to what is there; the line the row is on is returned.
    ///
    /// Of any other row nothing is taken: [`Self::next_row`] reads it, and knows what may be wrong with it. Numbers are
    /// scanned where they are, so that their ends need not be looked for before.
    pub(crate) fn plain_row(
        &mut self,
        is_number: &[bool],
        numbers: &mut Vec<f64>,
        texts: &mut Vec<&'t str>,
    ) -> Option<usize> {
        let before = (numbers.len(), texts.len());
        let found = self.try_plain_row(is_number, numbers, texts);
        if found.is_none() {
            numbers.truncate(before.0);
            texts.truncate(before.1);
        }
        found
    }

    fn try_plain_row(&mut self, is_number: &[bool], numbers: &mut Vec<f64>, texts: &mut Vec<&'t str>) -> Option<usize> {
        let Separator::Byte(separator) = self.separator else {
            return None;
        };
        let (text, last) = (self.rest, is_number.len().checked_sub(1)?);
        let bytes = text.as_bytes();
        let mut place = 0;
        for (column, &is_number) in is_number.iter().enumerate() {
            if is_number {
                let (number, length) = leading_number(&bytes[place..])?;
                numbers.push(number);
                place += length;
            } else {
                let length = first_of([b'\n', separator, b'"'], &bytes[place..]);
                let cell = &text[place..place + length];
                texts.push(if column == last {
                    cell.strip_suffix('\r').unwrap_or(cell)
                } else {
                    cell
                });
                place += length - usize::from(column == last && cell.ends_with('\r'));
            }
            if column < last {
                if *bytes.get(place)? != separator {
                    return None;
                }
                place += 1;
            }
        }
        let line = self.line;
        match bytes[place..] {
            [] | [b'\r'] => place = bytes.len(),
            [b'\n', ..] => (place, self.line) = (place + 1, line + 1),
            [b'\r', b'\n', ..] => (place, self.line) = (place + 2, line + 1),
            _ => return None,
        }
        self.rest = &text[place..];
        Some(line)
    }

    /// How many bytes are left.
    pub(crate) fn n_bytes(&self) -> usize {
        self.rest.len()
    }

    fn skip_blank_lines(&mut self) {
        // A line of blanks is a row of one cell that is empty, which no table has.
        while let Some(end) = self.rest.find(|mark: char| !matches!(mark, ' ' | '\r')) {
            if self.rest.as_bytes()[end] != b'\n' {
                return;
            }
            self.rest = &self.rest[end + 1..];
            self.line += 1;
        }
        self.rest = "";
    }

    fn is_separator(&self, byte: u8) -> bool {
        match self.separator {
            Separator::Byte(separator) => byte == separator,
            Separator::Spaces => byte == b' ' || byte == b'\t',
        }
    }

    fn plain(&mut self) -> &'t str {
        let marks = match self.separator {
            Separator::Byte(separator) => [b'\n', separator, separator],
            Separator::Spaces => [b'\n', b' ', b'\t'],
        };
        let (mut cell, rest) = self.rest.split_at(first_of(marks, self.rest.as_bytes()));
        // The carriage return belongs to the line end.
        if rest.starts_with('\n') || rest.is_empty() {
            cell = cell.strip_suffix('\r').unwrap_or(cell);
        }
        self.rest = rest;
        cell
    }

    fn quoted(&mut self) -> Result<Cow<'t, str>, BadQuote> {
        let opened = BadQuote { line: self.line };
        let body = &self.rest[1..];
        let bytes = body.as_bytes();
        let mut end = 0;
        let mut has_quotes = false;
        loop {
            // A quote within the cell is doubled: only a single one closes it.
            end += bytes[end..].iter().position(|&byte| byte == b'"').ok_or(opened)?;
            if bytes.get(end + 1) != Some(&b'"') {
                break;
            }
            has_quotes = true;
            end += 2;
        }
        let cell = &body[..end];
        // Line ends inside the quotes count, so that later messages name the right line.
        self.line += cell.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = &body[end + 1..];
        let ends = match self.rest.as_bytes() {
            [] | [b'\n', ..] | [b'\r'] | [b'\r', b'\n', ..] => true,
            [byte, ..] => self.is_separator(*byte),
        };
        if !ends {
            return Err(opened);
        }
        Ok(if has_quotes {
            Cow::Owned(cell.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(cell)
        })
    }

    /// Steps over the end of the row if that is what comes next.
    fn end_of_row(&mut self) -> bool {
        let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
        if rest.is_empty() {
            self.rest = rest;
            return true;
        }
        match rest.strip_prefix('\n') {
            Some(rest) => {
                self.rest = rest;
                self.line += 1;
                true
            }
            None => false,
        }
    }
}

/// Where the first of some bytes is, or the end: eight bytes at a time, since this is done for every cell of a table.
fn first_of(marks: [u8; 3], bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (k, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = marks.iter().fold(0, |found, &mark| {
            let apart = word ^ (ONES * u64::from(mark));
            // The lowest byte that is 0 has its highest bit set here, and none below it has.
            found | (apart.wrapping_sub(ONES) & !apart & HIGHEST)
        });
        if found != 0 {
            return 8 * k + found.trailing_zeros() as usize / 8;
        }
    }
    let place = rest.iter().position(|byte| marks.contains(byte));
    8 * words.len() + place.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_they_are() {
        for length in 0..40 {
            for place in 0..=length {
                let mut bytes = vec![b'-'; length];
                // Neighbours in the table of characters, and what is not ASCII.
                bytes.iter_mut().step_by(3).for_each(|byte| *byte = b'+');
                bytes.iter_mut().skip(1).step_by(4).for_each(|byte| *byte = 0xAC);
                if place < length {
                    bytes[place] = b',';
                    bytes[place + 1..].iter_mut().step_by(2).for_each(|byte| *byte = b'\n');
                }
                assert_eq!(first_of([b'\n', b',', b','], &bytes), place);
            }
        }
    }

    fn rows(text: &str, separator: Separator) -> Result<Vec<(usize, Vec<String>)>, BadQuote> {
        let mut records = Records::new(text, separator);
        let (mut cells, mut rows) = (Vec::new(), Vec::new());
        while let Some(line) = records.next_row(&mut cells)? {
            rows.push((line, cells.iter().map(ToString::to_string).collect()));
        }
        Ok(rows)
    }

    #[test]
    fn rows_know_their_lines() {
        let text = "a,b\r\n\r\n1,\"x\ny\"\n,\n \n\"he said \"\"no\"\"\",3\r";
        let expected = [
            (1, ["a", "b"]),
            (3, ["1", "x\ny"]),
            (5, ["", ""]),
            (7, ["he said \"no\"", "3"]),
        ];
        let found = rows(text, Separator::Byte(b',')).unwrap();
        assert_eq!(found.len(), 4);
        for ((line, cells), (expected_line, expected)) in found.iter().zip(expected) {
            assert_eq!(
                (*line, cells.as_slice()),
                (expected_line, expected.map(String::from).as_slice())
            );
        }
    }

    #[test]
    fn runs_of_spaces_are_one_separator() {
        let found = rows("  1  2\t3 \n4 5 6\n", Separator::Spaces).unwrap();
        assert_eq!(found[0].1, ["1", "2", "3"]);
        assert_eq!(found[1], (2, vec!["4".into(), "5".into(), "6".into()]));
    }

    #[test]
    fn plain_rows_are_what_all_rows_are() {
        let rows = [
            "1,-2.5e-3,.5",
            "0.12345678901234567,+7,1e400",
            "5.,-0,123456789012345678901234567890",
            "4.9e-324,1.7976931348623157e308,0.000000000000000000001234567890123456789",
        ];
        for end in ["\n", "\r\n"] {
            for is_closed in [true, false] {
                let text = rows.join(end) + if is_closed { end } else { "" };
                let mut records = Records::new(&text, Separator::Byte(b','));
                let (mut numbers, mut texts) = (Vec::new(), Vec::new());
                for (k, row) in rows.iter().enumerate() {
                    let line = records.plain_row(&[true; 3], &mut numbers, &mut texts);
                    assert_eq!(line, Some(k + 1), "{row}");
                    let expected: Vec<u64> = row
                        .split(',')
                        .map(|cell| cell.parse::<f64>().unwrap().to_bits())
                        .collect();
                    let found: Vec<u64> = numbers.drain(..).map(f64::to_bits).collect();
                    assert_eq!(found, expected, "{row}");
                }
                assert_eq!((records.n_bytes(), texts.len()), (0, 0));
                assert_eq!(records.plain_row(&[true; 3], &mut numbers, &mut texts), None);
            }
        }
        let mut records = Records::new("a b;1; x;\r\n;2;;y", Separator::Byte(b';'));
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        let flags = [false, true, false, false];
        assert_eq!(records.plain_row(&flags, &mut numbers, &mut texts), Some(1));
        assert_eq!(records.plain_row(&flags, &mut numbers, &mut texts), Some(2));
        assert_eq!((numbers, texts), (vec![1.0, 2.0], vec!["a b", " x", "", "", "", "y"]));
    }

    #[test]
    fn of_other_rows_nothing_is_taken() {
        for row in [
            "", "\n1,2", "1", "1,2,3", "1,", "1,x", "1,NA", "1, 2", "1 ,2", "\"1\",2", "1,2 ", "1,2\r3", "1,−2",
            "1,2e", "1,0x1", "1,1_0", "inf,1", "1;2",
        ] {
            let mut records = Records::new(row, Separator::Byte(b','));
            let (mut numbers, mut texts) = (vec![7.0], vec!["kept"]);
            assert_eq!(records.plain_row(&[true; 2], &mut numbers, &mut texts), None, "{row}");
            assert_eq!(
                (numbers, texts, records.n_bytes()),
                (vec![7.0], vec!["kept"], row.len())
            );
        }
        let mut records = Records::new("1,\"a\",b\n", Separator::Byte(b','));
        assert_eq!(
            records.plain_row(&[true, false, false], &mut Vec::new(), &mut Vec::new()),
            None
        );
        assert_eq!(
            Records::new("1 2", Separator::Spaces).plain_row(&[true; 2], &mut Vec::new(), &mut Vec::new()),
            None
        );
    }

    #[test]
    fn bad_quotes_are_told() {
        assert_eq!(rows("a\n\"b\n", Separator::Byte(b',')), Err(BadQuote { line: 2 }));
        assert_eq!(rows("\"a\"b,1\n", Separator::Byte(b',')), Err(BadQuote { line: 1 }));
        assert_eq!(rows("a\"b,1\n", Separator::Byte(b',')).unwrap()[0].1, ["a\"b", "1"]);
    }
}
