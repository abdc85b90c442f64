//! Parquet tables: samples in rows, nodes in columns, or one long table for all views.
//!
//! Columns are read one by one through the format's own types, without a data frame in between: whole and floating
//! point numbers, truth values as 0 and 1, missing values as NaN. What pandas stored as the index of the rows is no
//! column; with nodes in rows it names them, and so does a first column of text. Otherwise text is taken for views and
//! blocks alone, and dates for the column of times; decimals and nested columns are refused by name.

use bytes::Bytes;
use congraph::options::option;
use congraph::{Orient, Table, list_names};
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::faults::{Fault, fault, no_such_column};
use super::guard::guarded;
use super::roles::{Role, named_columns};
use super::sources::decompressed_limit;
use super::text::Sheet;
use super::{Input, ReadOptions, long};
use crate::npy::half;

const WHY: &str = "a view is a table of numbers: one row per sample, one column per node";
/// How many values are decoded at a time.
const BATCH: usize = 1 << 13;
/// How many columns that hold no numbers are reported.
const REPORTED: usize = 5;

/// The views of a `.parquet` file.
pub(super) fn read(input: &Input, bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Table>, Vec<Fault>> {
    // The library expects, for example, that a page with places in a dictionary follows the dictionary.
    guarded(|| read_whole(input, bytes, options)).unwrap_or_else(|reason| Err(vec![unreadable(input, &reason)]))
}

fn read_whole(input: &Input, bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Table>, Vec<Fault>> {
    let length = bytes.len();
    let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(|error| vec![unreadable(input, &error)])?;
    let layout = Layout::find(input, reader.metadata(), options)?;
    if let Some(codec) = unknown_codec(reader.metadata(), &layout) {
        let what = format!("is compressed with {codec}, which is not read");
        let hint = "write it with zstd, Snappy, gzip, LZ4 or without compression: in pandas `to_parquet(…, \
            compression=\"zstd\")`";
        return Err(vec![fault(&input.path, &what, WHY, hint)]);
    }
    let n_rows = count_rows(input, reader.metadata(), layout.roles.len(), length)?;
    let Columns {
        data,
        names,
        views,
        conditions,
        blocks,
        row_names,
    } = read_columns(input, &reader, &layout, n_rows)?;
    let nothing = |what: &str| {
        vec![fault(
            &input.path,
            what,
            "there are no numbers to read",
            "check how it was written",
        )]
    };
    if data.is_empty() {
        return Err(nothing("has no columns of numbers left"));
    }
    if n_rows == 0 {
        return Err(nothing("has no rows"));
    }
    // Parquet keeps columns, a table rows.
    let values = (0..n_rows)
        .flat_map(|row| data.iter().map(move |column| column[row]))
        .collect();
    let mut sheet = Sheet {
        labels: views,
        conditions,
        table: Table {
            blocks,
            ..Table::new(input.view_name(), data.len(), values).with_columns(names)
        },
    };
    if options.is_long() {
        return Ok(long::split(input, &sheet));
    }
    if options.orient == Orient::NodesBySamples {
        // The columns are samples then; their names are of no use.
        sheet.table.column_names = None;
        sheet.table.row_names = row_names;
    }
    Ok(vec![sheet.table])
}

/// How many rows the file claims, if a file of `length` bytes may hold so many.
fn count_rows(input: &Input, metadata: &ParquetMetaData, n_columns: usize, length: usize) -> Result<usize, Vec<Fault>> {
    // Missing values and repeated ones take hardly any bytes; still a table has its limits.
    let mut claimed = metadata.row_groups().iter().map(|group| group.num_rows());
    let n_rows = claimed.try_fold(0_usize, |sum, rows| sum.checked_add(usize::try_from(rows).ok()?));
    let n_bytes = n_rows.and_then(|rows| rows.checked_mul(8)?.checked_mul(n_columns));
    let is_possible = n_bytes.is_some_and(|bytes| bytes as u64 <= decompressed_limit(length));
    n_rows.filter(|_| is_possible).ok_or_else(|| {
        let what = "claims more rows than such a file should hold";
        vec![fault(
            &input.path,
            what,
            WHY,
            "write it again without compression if that is right",
        )]
    })
}

/// The columns of a file by what they are for.
#[derive(Default)]
struct Columns {
    data: Vec<Vec<f64>>,
    /// The names of the columns of data.
    names: Vec<String>,
    /// The view of each row; empty if no column tells it.
    views: Vec<String>,
    /// The condition of each row, where the views are of subjects.
    conditions: Vec<String>,
    blocks: Option<Vec<String>>,
    row_names: Option<Vec<String>>,
}

fn read_columns(
    input: &Input,
    reader: &SerializedFileReader<Bytes>,
    layout: &Layout,
    n_rows: usize,
) -> Result<Columns, Vec<Fault>> {
    let mut columns = Columns::default();
    for (column, (name, role)) in layout.roles.iter().enumerate() {
        match role {
            Role::Ignored => {}
            Role::Data => {
                let numbers = numbers(reader, column, n_rows).map_err(|error| vec![unreadable(input, &error)])?;
                columns.data.push(numbers);
                columns.names.push(name.clone());
            }
            Role::View | Role::Condition | Role::Block | Role::Time | Role::RowName => {
                let labels = labels(reader, column, n_rows).map_err(|error| vec![unreadable(input, &error)])?;
                if let Some(row) = labels.iter().position(String::is_empty) {
                    let what = format!("has no value in column `{name}` of row {}", row + 1);
                    let why = match role {
                        Role::Time => "blocks of a duration need the time of every sample",
                        Role::RowName => "nodes are matched by name, and this column names them",
                        _ => "it is not clear to which view or block the row belongs",
                    };
                    return Err(vec![fault(&input.path, &what, why, "fill it in, or remove the row")]);
                }
                match role {
                    Role::View => columns.views = labels,
                    Role::Condition => columns.conditions = labels,
                    Role::RowName => columns.row_names = Some(labels),
                    _ => columns.blocks = Some(labels),
                }
            }
        }
    }
    Ok(columns)
}

fn unreadable(input: &Input, error: &dyn std::fmt::Display) -> Fault {
    let hint = "write it again, or copy it again if it was cut short";
    fault(
        &input.path,
        &format!("cannot be read as a Parquet file: {error}"),
        WHY,
        hint,
    )
}

/// The compression of a column in use, if it is one that is not read.
fn unknown_codec(metadata: &ParquetMetaData, layout: &Layout) -> Option<&'static str> {
    let chunks = metadata
        .row_groups()
        .iter()
        .flat_map(|group| group.columns().iter().zip(&layout.roles));
    let mut in_use = chunks.filter(|(_, (_, role))| *role != Role::Ignored);
    in_use.find_map(|(chunk, _)| match chunk.compression() {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    })
}

struct Layout {
    /// The columns with their names.
    roles: Vec<(String, Role)>,
}

impl Layout {
    fn find(input: &Input, metadata: &ParquetMetaData, options: &ReadOptions) -> Result<Self, Vec<Fault>> {
        let schema = metadata.file_metadata().schema_descr();
        let columns = schema.columns();
        // A list or structure is one column to whoever wrote it, whatever its parts are called.
        let names: Vec<String> = columns.iter().map(|column| column.path().parts()[0].clone()).collect();
        let index = pandas_index(metadata);
        let is_index: Vec<bool> = names.iter().map(|name| index.contains(name)).collect();
        let role = |is_index: &bool| if *is_index { Role::Ignored } else { Role::Data };
        let mut roles: Vec<(String, Role)> = names.iter().cloned().zip(is_index.iter().map(role)).collect();
        for (option, name, role) in named_columns(options) {
            if !names.contains(name) {
                return Err(vec![no_such_column(&input.path, option, name, Some(&names))]);
            }
            roles
                .iter_mut()
                .filter(|(column, _)| column == name)
                .for_each(|found| found.1 = role);
        }
        if options.orient == Orient::NodesBySamples {
            let named = row_name(input, &is_index, &roles, |column| {
                not_a_number(&columns[column]) == Some(TEXT)
            })?;
            if let Some(column) = named {
                roles[column].1 = Role::RowName;
            }
        }
        let mut faults = Vec::new();
        for (column, (name, role)) in columns.iter().zip(&roles) {
            let reason = match role {
                Role::Ignored => None,
                Role::Data => not_a_number(column),
                Role::Time if tick(column).is_some() => None,
                Role::View | Role::Condition | Role::Block | Role::Time | Role::RowName => not_a_label(column),
            };
            let is_told = faults.iter().any(|fault: &Fault| fault.node.as_ref() == Some(name));
            if let (Some(what), true) = (reason, faults.len() < REPORTED && !is_told) {
                let left_out = option("ignore_columns").set_to(format!("\"{name}\""));
                let hint = if what == TEXT {
                    let view_column = option("view_column");
                    format!("leave it out with {left_out}; {view_column} if it tells the views apart")
                } else {
                    format!("leave it out with {left_out}, or store plain numbers")
                };
                let mut fault = fault(
                    &input.path,
                    &format!("has a column `{name}` that holds {what}"),
                    WHY,
                    hint,
                );
                fault.node = Some(name.clone());
                faults.push(fault);
            }
        }
        if faults.is_empty() {
            Ok(Self { roles })
        } else {
            Err(faults)
        }
    }
}

/// Which column names the nodes that are in rows: the index of pandas, or a first column of text.
fn row_name(
    input: &Input,
    is_index: &[bool],
    roles: &[(String, Role)],
    is_text: impl Fn(usize) -> bool,
) -> Result<Option<usize>, Vec<Fault>> {
    let index: Vec<usize> = (0..roles.len()).filter(|&column| is_index[column]).collect();
    match index[..] {
        [] => Ok(roles
            .iter()
            .position(|(_, role)| *role == Role::Data)
            .filter(|&column| is_text(column))),
        [column] => Ok(Some(column)),
        _ => {
            let names: Vec<&String> = index.iter().map(|&column| &roles[column].0).collect();
            let what = format!("has an index of {} columns, {}", names.len(), list_names(&names));
            let hint = "write it with one index that names the nodes: `frame.index = frame.index.map(\"/\".join)`";
            Err(vec![fault(
                &input.path,
                &what,
                "the index names the nodes, which are in rows",
                hint,
            )])
        }
    }
}

const TEXT: &str = "text";

/// The columns that pandas stored the index of the rows in.
fn pandas_index(metadata: &ParquetMetaData) -> Vec<String> {
    let entries = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    let pandas = entries
        .filter(|entry| entry.key == "pandas")
        .find_map(|entry| entry.value.as_ref());
    let notes: Option<serde_json::Value> = pandas.and_then(|text| serde_json::from_str(text).ok());
    let index = notes.as_ref().and_then(|notes| notes["index_columns"].as_array());
    let names = index.into_iter().flatten().filter_map(serde_json::Value::as_str);
    names.map(str::to_owned).collect()
}

/// What a column holds, if it is not numbers.
fn not_a_number(column: &ColumnDescriptor) -> Option<&'static str> {
    if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
        return Some("lists or structures");
    }
    let is_integer = matches!(column.physical_type(), Type::INT32 | Type::INT64);
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::String | LogicalType::Enum | LogicalType::Json), _) | (_, ConvertedType::UTF8) => Some(TEXT),
        (Some(LogicalType::Integer { .. }), _) if is_integer => None,
        // Half precision; and a column without any value, which has no type either.
        (Some(LogicalType::Float16 | LogicalType::Unknown), _) => None,
        (Some(LogicalType::Decimal { .. }), _) | (_, ConvertedType::DECIMAL) => Some("decimal numbers"),
        (Some(_), _) => Some("dates, times or other values that are not numbers"),
        (None, ConvertedType::NONE) => match column.physical_type() {
            Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => None,
            _ => Some("bytes"),
        },
        (None, converted) if is_integer && is_unsigned(converted).is_some() => None,
        (None, _) => Some("dates, times or other values that are not numbers"),
    }
}

fn not_a_label(column: &ColumnDescriptor) -> Option<&'static str> {
    not_a_number(column).filter(|what| *what != TEXT)
}

/// How many seconds one more in a column of dates or moments is.
fn tick(column: &ColumnDescriptor) -> Option<f64> {
    let of_unit = |unit: TimeUnit| match unit {
        TimeUnit::MILLIS => 1e-3,
        TimeUnit::MICROS => 1e-6,
        TimeUnit::NANOS => 1e-9,
    };
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(moment)), _) => Some(of_unit(moment.unit)),
        (Some(LogicalType::Time(time)), _) => Some(of_unit(time.unit)),
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(86_400.0),
        (None, ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIME_MILLIS) => Some(1e-3),
        (None, ConvertedType::TIMESTAMP_MICROS | ConvertedType::TIME_MICROS) => Some(1e-6),
        _ => None,
    }
}

/// Whether the type of a whole number is unsigned.
fn is_unsigned(converted: ConvertedType) -> Option<bool> {
    match converted {
        ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64 => Some(false),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => Some(true),
        _ => None,
    }
}

type Found<T> = Result<T, parquet::errors::ParquetError>;

/// A column of numbers.
fn numbers(reader: &SerializedFileReader<Bytes>, column: usize, n_rows: usize) -> Found<Vec<f64>> {
    let descriptor = reader.metadata().file_metadata().schema_descr().column(column);
    let is_unsigned = is_unsigned(descriptor.converted_type()) == Some(true);
    let mut values = Vec::with_capacity(n_rows);
    let missing = || f64::NAN;
    for group in 0..reader.num_row_groups() {
        let until = values.len() + rows_of(reader, group);
        match reader.get_row_group(group)?.get_column_reader(column)? {
            ColumnReader::BoolColumnReader(r) => fill(r, &mut values, until, missing, |x| f64::from(u8::from(x)))?,
            ColumnReader::Int32ColumnReader(r) if is_unsigned => {
                fill(r, &mut values, until, missing, |x| f64::from(x.cast_unsigned()))?;
            }
            ColumnReader::Int32ColumnReader(r) => fill(r, &mut values, until, missing, f64::from)?,
            ColumnReader::Int64ColumnReader(r) if is_unsigned => {
                fill(r, &mut values, until, missing, |x| x.cast_unsigned() as f64)?;
            }
            ColumnReader::Int64ColumnReader(r) => fill(r, &mut values, until, missing, |x| x as f64)?,
            ColumnReader::FloatColumnReader(r) => fill(r, &mut values, until, missing, f64::from)?,
            ColumnReader::DoubleColumnReader(r) => fill(r, &mut values, until, missing, |x| x)?,
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                fill(r, &mut values, until, missing, |x| half_number(&x))?;
            }
            _ => {
                return Err(parquet::errors::ParquetError::General(
                    "a column changes its type".into(),
                ));
            }
        }
    }
    Ok(values)
}

/// Two bytes as a number.
fn half_number(bytes: &FixedLenByteArray) -> f64 {
    match bytes.data() {
        &[low, high] => half(u16::from_le_bytes([low, high])),
        _ => f64::NAN,
    }
}

/// A column of labels as text; empty where there is none.
fn labels(reader: &SerializedFileReader<Bytes>, column: usize, n_rows: usize) -> Found<Vec<String>> {
    let descriptor = reader.metadata().file_metadata().schema_descr().column(column);
    if descriptor.physical_type() != Type::BYTE_ARRAY {
        let seconds = tick(&descriptor).unwrap_or(1.0);
        let text = |x: f64| {
            if x.is_nan() {
                String::new()
            } else {
                (x * seconds).to_string()
            }
        };
        return Ok(numbers(reader, column, n_rows)?.into_iter().map(text).collect());
    }
    let mut values = Vec::with_capacity(n_rows);
    for group in 0..reader.num_row_groups() {
        let until = values.len() + rows_of(reader, group);
        if let ColumnReader::ByteArrayColumnReader(r) = reader.get_row_group(group)?.get_column_reader(column)? {
            let text = |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
            fill(r, &mut values, until, String::new, text)?;
        }
    }
    Ok(values)
}

fn rows_of(reader: &SerializedFileReader<Bytes>, group: usize) -> usize {
    usize::try_from(reader.metadata().row_group(group).num_rows()).unwrap_or(0)
}

/// Reads a column of a row group until there are so many values.
fn fill<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    out: &mut Vec<V>,
    until: usize,
    missing: impl Fn() -> V,
    value: impl Fn(T::T) -> V,
) -> Found<()> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    while out.len() < until {
        levels.clear();
        values.clear();
        let asked = BATCH.min(until - out.len());
        let (n_records, _, _) = reader.read_records(asked, Some(&mut levels), None, &mut values)?;
        if n_records == 0 {
            return Err(parquet::errors::ParquetError::EOF(
                "a column ends before its rows do".into(),
            ));
        }
        // Without levels nothing is missing.
        if levels.is_empty() {
            out.extend(values.drain(..).map(&value));
            continue;
        }
        let mut present = values.drain(..);
        for level in &levels {
            let next = if *level > 0 { present.next() } else { None };
            out.push(next.map_or_else(&missing, &value));
        }
    }
    Ok(())
}
