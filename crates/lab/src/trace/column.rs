//! The columns of a trace: which types are accepted, and what their values mean.
//!
//! Other programs write the same thing in other types (microseconds, wider integers, columns without
//! nulls). They are accepted, because nothing is lost by it. The types are those of Parquet: Arrow's
//! large strings and views are written as plain ones.
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type};

/// One column: its name, the types it may have, and how to say so.
pub(super) struct Column {
    /// Its name in the file.
    pub(super) name: &'static str,
    /// The types it may have, in words.
    pub(super) expected: &'static str,
    /// Whether it may have this type.
    pub(super) accepts: fn(Kind) -> bool,
}

/// The columns that say when something happened.
pub(super) const HEAD: [Column; 4] = [
    Column { name: "url", expected: "a string", accepts: is_string },
    Column { name: "at", expected: "a timestamp in UTC", accepts: is_time },
    Column { name: "status", expected: "an integer", accepts: is_integer },
    Column { name: "mime", expected: "a string", accepts: is_string },
];

/// The column that a trace made from captures has besides: since when a change may have happened.
pub(super) const AFTER: Column =
    Column { name: "after", expected: "a timestamp in UTC", accepts: is_time };

/// The column that says what was there.
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

/// A timestamp without a zone is a local time of an unknown place, so it is refused.
fn is_time(kind: Kind) -> bool {
    matches!(kind, Kind::Time { utc: true, .. })
}

/// What a column holds, as far as a trace can use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text in UTF-8.
    String,
    /// Any bytes.
    Binary,
    /// Whole numbers of 8 to 64 bits.
    Integer {
        /// The size that is declared; more may be stored.
        bits: i8,
        /// Whether there are numbers below zero.
        signed: bool,
    },
    /// Instants since 1970.
    Time {
        /// The unit of the numbers.
        unit: TimeUnit,
        /// Whether they count from 1970 in UTC, and not in an unknown zone.
        utc: bool,
    },
    /// Something else.
    Other,
}

impl Kind {
    /// What the column of this schema element holds. Old programs write only the converted type; the
    /// logical type includes it where both are there.
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

    /// A stored number of 32 bits: an integer as it is meant.
    pub(super) fn number32(self, stored: i32) -> i64 {
        match self {
            Self::Integer { signed: false, .. } => i64::from(stored.cast_unsigned()),
            _ => i64::from(stored),
        }
    }

    /// A stored number of 64 bits: an integer as it is meant, or a time in milliseconds. Finer units
    /// are rounded down. An integer that does not fit into 64 bits with a sign is no status either,
    /// and stays so.
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

/// A column of a file: where it is, and what it holds.
pub(super) struct Located {
    /// Its place among the columns that hold values; `None` for a group of columns.
    pub(super) leaf: Option<usize>,
    /// What it holds.
    pub(super) kind: Kind,
    /// Its type, for messages.
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

/// A type as Arrow calls it, which most programs that write Parquet show; else as Parquet does.
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
