//! The columns of a trace: accepted types and the meaning of their values.
//!
//! Other programs write the same values in other types (microseconds, wider integers, columns
//! without nulls). They are accepted, since no information is lost. The types are those of Parquet:
//! Arrow's large strings and views are written as plain strings.
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type};

/// One column: its name and its allowed types.
pub(super) struct Column {
    /// Its name in the file.
    pub(super) name: &'static str,
    /// The allowed types, for messages.
    pub(super) expected: &'static str,
    /// Whether a type is allowed.
    pub(super) accepts: fn(Kind) -> bool,
}

/// The columns without the body.
pub(super) const HEAD: [Column; 4] = [
    Column { name: "url", expected: "a string", accepts: is_string },
    Column { name: "at", expected: "a timestamp in UTC", accepts: is_time },
    Column { name: "status", expected: "an integer", accepts: is_integer },
    Column { name: "mime", expected: "a string", accepts: is_string },
];

/// The additional column of a trace made from captures: the earliest time of a change.
pub(super) const AFTER: Column =
    Column { name: "after", expected: "a timestamp in UTC", accepts: is_time };

/// The column of contents.
pub(super) const BODY: Column = Column { name: "body", expected: "binary", accepts: is_binary };

fn is_string(kind: Kind) -> bool {
    kind == Kind::String
}

fn is_binary(kind: Kind) -> bool {
    kind == Kind::Binary
}

fn is_integer(kind: Kind) -> bool {
    matches!(kind, Kind::Integer { .. })
}

/// A timestamp without a time zone is ambiguous, so it is rejected.
fn is_time(kind: Kind) -> bool {
    matches!(kind, Kind::Time { utc: true, .. })
}

/// The type of a column, as far as a trace can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text in UTF-8.
    String,
    /// Any bytes.
    Binary,
    /// Integers of 8 to 64 bits.
    Integer {
        /// The declared size; the stored size can be larger.
        bits: i8,
        /// Whether they are signed.
        signed: bool,
    },
    /// Instants since 1970.
    Time {
        /// The unit.
        unit: TimeUnit,
        /// Whether they are in UTC.
        utc: bool,
    },
    /// Any other type.
    Other,
}

impl Kind {
    /// The type of a schema element. Old programs write only the converted type; the logical type
    /// includes it if both are present.
    fn new(field: &Type) -> Self {
        let info = field.get_basic_info();
        if !field.is_primitive()
            || (info.has_repetition() && info.repetition() == Repetition::REPEATED)
        {
            return Self::Other;
        }
        let integer = |bits, signed| Self::Integer { bits, signed };
        let logical = info.logical_type_ref();
        match (field.get_physical_type(), logical, info.converted_type()) {
            (Physical::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Json), _)
            | (Physical::BYTE_ARRAY, None, ConvertedType::UTF8 | ConvertedType::JSON) => {
                Self::String
            }
            (Physical::BYTE_ARRAY, Some(LogicalType::Bson | LogicalType::Enum), _)
            | (
                Physical::BYTE_ARRAY,
                None,
                ConvertedType::NONE | ConvertedType::BSON | ConvertedType::ENUM,
            ) => Self::Binary,
            (Physical::INT32 | Physical::INT64, Some(LogicalType::Integer(int)), _) => {
                integer(int.bit_width, int.is_signed)
            }
            (Physical::INT64, Some(LogicalType::Timestamp(time)), _) => {
                Self::Time { unit: time.unit, utc: time.is_adjusted_to_u_t_c }
            }
            (Physical::INT64, None, ConvertedType::TIMESTAMP_MILLIS) => {
                Self::Time { unit: TimeUnit::MILLIS, utc: true }
            }
            (Physical::INT64, None, ConvertedType::TIMESTAMP_MICROS) => {
                Self::Time { unit: TimeUnit::MICROS, utc: true }
            }
            (Physical::INT32, None, ConvertedType::NONE | ConvertedType::INT_32) => {
                integer(32, true)
            }
            (Physical::INT64, None, ConvertedType::NONE | ConvertedType::INT_64) => {
                integer(64, true)
            }
            (Physical::INT32, None, ConvertedType::INT_8) => integer(8, true),
            (Physical::INT32, None, ConvertedType::INT_16) => integer(16, true),
            (Physical::INT32, None, ConvertedType::UINT_8) => integer(8, false),
            (Physical::INT32, None, ConvertedType::UINT_16) => integer(16, false),
            (Physical::INT32, None, ConvertedType::UINT_32) => integer(32, false),
            (Physical::INT64, None, ConvertedType::UINT_64) => integer(64, false),
            _ => Self::Other,
        }
    }

    /// Decodes a stored 32-bit integer.
    pub(super) fn number32(self, stored: i32) -> i64 {
        match self {
            Self::Integer { signed: false, .. } => i64::from(stored.cast_unsigned()),
            _ => i64::from(stored),
        }
    }

    /// Decodes a stored 64-bit integer, or a time to milliseconds; finer units are rounded down. An
    /// integer that overflows a signed 64-bit integer stays invalid as a status.
    pub(super) fn number64(self, stored: i64) -> i64 {
        match self {
            Self::Integer { signed: false, .. } => {
                i64::try_from(stored.cast_unsigned()).unwrap_or(i64::MAX)
            }
            Self::Time { unit: TimeUnit::MICROS, .. } => stored.div_euclid(1000),
            Self::Time { unit: TimeUnit::NANOS, .. } => stored.div_euclid(1_000_000),
            _ => stored,
        }
    }
}

/// A column of a file: its position and its type.
pub(super) struct Located {
    /// Its position among the leaf columns; `None` for a group of columns.
    pub(super) leaf: Option<usize>,
    /// Its type.
    pub(super) kind: Kind,
    /// The name of its type, for messages.
    pub(super) type_name: String,
}

/// Looks up the column `name`; `None` if the file does not have it.
pub(super) fn locate(schema: &SchemaDescriptor, name: &str) -> Option<Located> {
    let fields = schema.root_schema().get_fields();
    let field = fields.iter().find(|field| field.name() == name)?;
    let leaf = schema.columns().iter().position(|column| *column.path().parts() == [name]);
    let kind = Kind::new(field);
    Some(Located { leaf, kind, type_name: type_name(field, kind) })
}

/// The Arrow name of a type, which most programs show; otherwise its Parquet name.
fn type_name(field: &Type, kind: Kind) -> String {
    match kind {
        Kind::String => "Utf8".to_owned(),
        Kind::Binary => "Binary".to_owned(),
        Kind::Integer { bits, signed } => format!("{}Int{bits}", if signed { "" } else { "U" }),
        Kind::Time { unit, utc } => {
            let unit = match unit {
                TimeUnit::MILLIS => "ms",
                TimeUnit::MICROS => "µs",
                TimeUnit::NANOS => "ns",
            };
            format!("Timestamp({unit}{})", if utc { ", \"UTC\"" } else { "" })
        }
        Kind::Other if !field.is_primitive() => "a group of columns".to_owned(),
        Kind::Other => {
            let info = field.get_basic_info();
            let name = field.get_physical_type().to_string();
            let list = info.has_repetition() && info.repetition() == Repetition::REPEATED;
            let name = if list { format!("a list of {name}") } else { name };
            match info.logical_type_ref() {
                Some(logical) => format!("{name} ({logical:?})"),
                None if info.converted_type() == ConvertedType::NONE => name,
                None => format!("{name} ({})", info.converted_type()),
            }
        }
    }
}
